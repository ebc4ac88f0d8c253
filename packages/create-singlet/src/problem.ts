/** A problem that the user can fix. The message says how. */
export class Problem extends Error {
  override readonly name = 'Problem';
}
