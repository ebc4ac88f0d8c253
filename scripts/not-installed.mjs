/**
 * What a build step says when packages that it needs are missing: `a and b are not installed`.
 *
 * @param {readonly string[]} names - of the missing packages, at least one.
 */
export function notInstalled(names) {
  const list = names.length < 3 ? names.join(' and ') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
  return `${list} ${names.length === 1 ? 'is' : 'are'} not installed`;
}
