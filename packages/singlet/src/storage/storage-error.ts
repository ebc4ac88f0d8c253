export type StorageErrorCode =
  /** The store was closed. */
  | 'closed'
  /** The medium refused: full, read only, I/O error. Nothing was written. */
  | 'io'
  /** The store cannot tell whether the write was applied. */
  | 'unknown-outcome'
  /** Optimistic retries were used up. Nothing was written. */
  | 'conflict'
  /** The data was written by a newer version, or is not Singlet data at all. */
  | 'format'
  /** The place cannot be opened: missing, not permitted, not a directory. */
  | 'open';

/** An operating error of a store: not the caller's fault, and not a service error. */
export class StorageError extends Error {
  readonly code: StorageErrorCode;

  constructor(code: StorageErrorCode, message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.name = 'StorageError';
    this.code = code;
  }
}
