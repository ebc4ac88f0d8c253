export type BackupErrorCode =
  /** The content or the name of an object is not as written. */
  | 'damaged'
  /** A required object is missing. */
  | 'missing'
  /** The target holds no backup, or none that covers the requested moment. */
  | 'no-backup'
  /** The target holds backups of another database. */
  | 'other-database'
  /** The target contains an object that only another process can have written. */
  | 'conflict'
  /** The name of the target is of an unknown kind. */
  | 'target'
  /** The target has refused several attempts, and no further ones are made. */
  | 'unusable'
  /** The object was written by a later release. */
  | 'format';

/** A problem with a backup. The message is one or two sentences for the user. */
export class BackupError extends Error {
  readonly code: BackupErrorCode;

  constructor(code: BackupErrorCode, message: string, options: { readonly cause?: unknown } = {}) {
    super(message, options);
    this.name = 'BackupError';
    this.code = code;
  }
}
