/**
 * Names in the order in which the service lists them: that of a hash set in its language, where the hash of a name selects its
 * bucket, and a bucket keeps the order of insertion. Recorded: `b`, `a` as [a, b]; `zz`, `aa`, `mm` in the order
 * given.
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
