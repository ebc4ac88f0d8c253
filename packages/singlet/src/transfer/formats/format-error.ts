/** Data that is not in the format it was said to be in. `line` counts from 1; undefined where the data has no lines yet. */
export class FormatError extends Error {
  readonly line: number | undefined;
  /** What is wrong, without the line. */
  readonly reason: string;

  constructor(line: number | undefined, reason: string, options: { cause?: unknown } = {}) {
    super(line === undefined ? reason : `line ${line}: ${reason}`, options);
    this.name = 'FormatError';
    this.line = line;
    this.reason = reason;
  }
}

/** The message of whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
