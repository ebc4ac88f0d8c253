/** What happened to a call that the store could not carry out. */
export type StorageErrorCode =
  /** The store was closed. */
  | 'closed'
  /** The medium refused: full, read only, I/O error. Nothing was written. */
  | 'io'
  /** More calls are waiting than the store accepts. Nothing was written; the same call may succeed in a moment. */
  | 'busy'
  /** The store cannot tell whether the write was applied. */
  | 'unknown-outcome'
  /** Optimistic retries were used up. Nothing was written. */
  | 'conflict'
  /** The data was written by a newer version, or is not Singlet data at all. */
  | 'format'
  /**
   * The bytes read are not the bytes written: the medium, or a program other than Singlet, changed them. Or files are missing or do not belong
   * together, so acknowledged writes could be missing. Nothing was changed in that case, and the message says what was found and what to do.
   */
  | 'damaged'
  /** The directory or database cannot be opened: missing, not permitted, not a directory. */
  | 'open';

/** An operating error of a store: not the caller's fault, and not a service error. */
export class StorageError extends Error {
  readonly code: StorageErrorCode;
  /** Whether the medium had no room for the write. */
  readonly isDiskFull: boolean;

  constructor(code: StorageErrorCode, message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.name = 'StorageError';
    this.code = code;
    this.isDiskFull = code === 'io' && saysFull(options.cause);
  }
}

/** The codes that systems report for a full medium, a quota, or a process limit; LMDB passes on only the text. */
const fullCodes: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);
const fullWords = /No space left on device|Disk quota exceeded|File too large|no space left/;

/** Whether an error, or its cause, says that the medium has no room. */
export function saysFull(cause: unknown): boolean {
  if (!(cause instanceof Error)) return false;
  if ('code' in cause && fullCodes.has(cause.code)) return true;
  return fullWords.test(cause.message) || saysFull(cause.cause);
}
