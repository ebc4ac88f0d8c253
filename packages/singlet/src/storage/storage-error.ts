/** What has become of a call that the store could not do as asked. */
export type StorageErrorCode =
  /** The store was closed. */
  | 'closed'
  /** The medium refused: full, read only, I/O error. Nothing was written. */
  | 'io'
  /** More calls wait for the store than it takes. Nothing was written; the same call may succeed in a moment. */
  | 'busy'
  /** The store cannot tell whether the write was applied. */
  | 'unknown-outcome'
  /** Optimistic retries were used up. Nothing was written. */
  | 'conflict'
  /** The data was written by a newer version, or is not Singlet data at all. */
  | 'format'
  /**
   * What was read is not what was written: the medium, or something else beside Singlet, changed it. Or files are missing, or do not belong
   * together, so that acknowledged writes could be missing; nothing was changed then, and the message says what was found and what to do.
   */
  | 'damaged'
  /** The place cannot be opened: missing, not permitted, not a directory. */
  | 'open';

/** An operating error of a store: not the caller's fault, and not a service error. */
export class StorageError extends Error {
  readonly code: StorageErrorCode;
  /** Whether the medium had no room for what was to be written. */
  readonly isDiskFull: boolean;

  constructor(code: StorageErrorCode, message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.name = 'StorageError';
    this.code = code;
    this.isDiskFull = code === 'io' && saysFull(options.cause);
  }
}

/** What systems say of a medium without room, by quota or by the limit of a process; LMDB passes only the words on. */
const fullCodes: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);
const fullWords = /No space left on device|Disk quota exceeded|File too large|no space left/;

function saysFull(cause: unknown): boolean {
  if (!(cause instanceof Error)) return false;
  if ('code' in cause && fullCodes.has(cause.code)) return true;
  return fullWords.test(cause.message) || saysFull(cause.cause);
}
