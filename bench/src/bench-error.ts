export type BenchErrorCode =
  /** The command line is wrong. */
  | 'usage'
  /** A server or worker process did not start, or exited unexpectedly. */
  | 'process'
  /** A connection broke, or the bytes on it are not HTTP. */
  | 'connection'
  /** A server answered, but not as the scenario requires. */
  | 'wrong-answer'
  /** What should be measured is missing (not built, not installed). */
  | 'missing'
  /** As above, but nothing needs fixing: this platform lacks the peer, or this version lacks the option. */
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
