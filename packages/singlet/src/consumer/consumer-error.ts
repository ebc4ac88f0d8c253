/** Why a consumer cannot start: its options, no table, no stream, the table of checkpoints, or because it was started before. */
export type ConsumerErrorCode = 'options' | 'no-table' | 'no-stream' | 'checkpoint-table' | 'state';

/** A consumer that cannot start. The message says what to do. */
export class ConsumerError extends Error {
  /** Stable, for programs. */
  readonly code: ConsumerErrorCode;

  constructor(code: ConsumerErrorCode, message: string, options: { readonly cause?: unknown } = {}) {
    super(message, options);
    this.name = 'ConsumerError';
    this.code = code;
  }
}

/** The name of an error returned by a service. Errors are compared by name, since a program may contain two copies of an SDK. */
export function errorNameOf(error: unknown): string {
  return error instanceof Error ? error.name : '';
}
