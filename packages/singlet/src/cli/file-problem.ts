import { errorCodeOf } from '../storage/files/node-file-system.ts';
import { UsageError } from './usage-error.ts';

/** Says in a sentence why a file that the user has named cannot be read: the common causes without the names of system calls. */
export function fileProblem(file: string, cause: unknown): UsageError {
  switch (errorCodeOf(cause)) {
    case 'ENOENT':
    case 'ENOTDIR':
      return new UsageError(`There is no ${file}.`, { cause });
    case 'EISDIR':
      return new UsageError(`${file} is a directory, not a file.`, { cause });
    case 'EACCES':
      return new UsageError(`${file} cannot be read: its permissions do not allow it.`, { cause });
    default:
      return new UsageError(`${file} cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`, {
        cause,
      });
  }
}
