/**
 * Names in the order in which the service lists them: that of a hash set of its language, in which a name is in the
 * bucket of its hash, and within a bucket in the order of insertion. Recorded: `b`, `a` as [a, b]; `zz`, `aa`, `mm` as they
 * come.
 */
export function unprojectedNames(names: readonly string[]): readonly string[] {
  let bucketCount = 16;
  while (names.length > bucketCount * 0.75) bucketCount *= 2;
  const bucket = (name: string): number => {
    let hash = 0;
    for (let index = 0; index < name.length; index += 1) hash = (Math.imul(31, hash) + name.charCodeAt(index)) | 0;
    return (hash ^ (hash >>> 16)) & (bucketCount - 1);
  };
  return names.toSorted((a, b) => bucket(a) - bucket(b));
}
