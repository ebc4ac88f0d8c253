/** Data that is not in the declared format. `line` counts from 1; undefined if the data has no lines yet. */
export class FormatError extends Error {
  readonly line: number | undefined;
  /** The problem, without the line number. */
  readonly reason: string;

  constructor(line: number | undefined, reason: string, options: { cause?: unknown } = {}) {
    super(line === undefined ? reason : `line ${line}: ${reason}`, options);
    this.name = 'FormatError';
    this.line = line;
    this.reason = reason;
  }
}

/** The message of any thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
