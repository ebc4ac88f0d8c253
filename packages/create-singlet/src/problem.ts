/** Something that the caller can mend. The message says how. */
export class Problem extends Error {
  override readonly name = 'Problem';
}
