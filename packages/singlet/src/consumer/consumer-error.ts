/** Why a consumer cannot start: its options, no table, no stream, the table of checkpoints, or that it was started before. */
export type ConsumerErrorCode = 'options' | 'no-table' | 'no-stream' | 'checkpoint-table' | 'state';

/** A consumer that cannot begin: its message is a sentence that says what to do. */
export class ConsumerError extends Error {
  /** Stable, for programs. */
  readonly code: ConsumerErrorCode;

  constructor(code: ConsumerErrorCode, message: string, options: { readonly cause?: unknown } = {}) {
    super(message, options);
    this.name = 'ConsumerError';
    this.code = code;
  }
}

/** The name of an error that a service has answered with. By name, since there may be two copies of an SDK in a program. */
export function errorNameOf(error: unknown): string {
  return error instanceof Error ? error.name : '';
}
