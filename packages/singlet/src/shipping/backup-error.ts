export type BackupErrorCode =
  /** An object is not as it was written, or not where it was written to. */
  | 'damaged'
  /** An object that has to be there is not. */
  | 'missing'
  /** The target holds no backup, or none that reaches what was asked for. */
  | 'no-backup'
  /** The target holds backups of another database. */
  | 'other-database'
  /** The target has what only another process can have written. */
  | 'conflict'
  /** Written by a later release. */
  | 'format';

/** What is wrong with a backup. The message is one or two sentences for the person who asked. */
export class BackupError extends Error {
  readonly code: BackupErrorCode;

  constructor(code: BackupErrorCode, message: string, options: { readonly cause?: unknown } = {}) {
    super(message, options);
    this.name = 'BackupError';
    this.code = code;
  }
}
