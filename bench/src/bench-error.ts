export type BenchErrorCode =
  /** The command line is wrong. */
  | 'usage'
  /** A server or worker process did not start, or ended by itself. */
  | 'process'
  /** A connection broke, or the bytes on it are not HTTP. */
  | 'connection'
  /** A server answered, but not what the scenario needs. */
  | 'wrong-answer'
  /** The thing to measure is not there (not built, not installed). */
  | 'missing'
  /** The same, and nothing to be put right: a peer that this platform does not have, an option that this version does not. */
  | 'absent';

/** Why a measurement could not be taken. Never thrown because something was slow. */
export class BenchError extends Error {
  readonly code: BenchErrorCode;

  constructor(code: BenchErrorCode, message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.name = 'BenchError';
    this.code = code;
  }
}
