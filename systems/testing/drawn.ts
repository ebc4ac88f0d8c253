/**
 * Which combinations a run of the tests tries: `COMBINATIONS` is the seed that `npm test` draws and prints, or `all`. All of them run where it is not
 * set, as in a starter, and with `npm run long -- combinations`.
 */
const seed = process.env['COMBINATIONS'] ?? 'all';

/**
 * Every `share`th of some combinations that are alike, beginning at one that the seed and the name decide. At least one, unless there are none.
 *
 * @param name - what they are combinations of. Others begin elsewhere, so that one run tries different ones in different places.
 */
export function drawn<Combination>(
  name: string,
  all: readonly Combination[],
  share = 3,
  drawnBy = seed,
): readonly Combination[] {
  if (drawnBy === 'all') return all;
  const step = Math.min(share, all.length);
  const first = hashOf(`${drawnBy} ${name}`) % step;
  return all.filter((_, at) => at % step === first);
}

/** Whether this run tries what has this name: one in `share` does. */
export function isDrawn(name: string, share = 3, drawnBy = seed): boolean {
  return drawnBy === 'all' || hashOf(`${drawnBy} ${name}`) % share === 0;
}

/** FNV-1a, with its bits mixed: the last ones decide. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return (hash ^ (hash >>> 13)) >>> 0;
}
