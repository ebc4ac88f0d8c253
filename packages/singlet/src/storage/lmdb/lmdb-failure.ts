import { saysFull, StorageError } from '../storage-error.ts';

/**
 * Turns the failure of a commit into the error of its decisions.
 *
 * LMDB writes and syncs all data pages before the one page that makes them valid. A full disk, the common case,
 * fails a data page: then nothing happened, and the next commit may succeed. Only when that last page fails is LMDB
 * itself uncertain what is on the disk. It refuses every transaction from then on.
 *
 * @param usable - whether LMDB still accepts transactions.
 */
export function commitFailure(reason: unknown, usable: boolean): StorageError {
  const cause = { cause: reason };
  if (usable) {
    return new StorageError('io', `the commit failed (${messageOf(reason)}); nothing was written`, cause);
  }
  const message = `the commit failed (${messageOf(reason)}) and may have been written; open the store again`;
  return new StorageError('unknown-outcome', message, cause);
}

/** The package rejects with a general error that carries a promise; that promise rejects with LMDB's error number. */
export async function reasonOf(error: unknown): Promise<unknown> {
  if (!(error instanceof Error) || !('commitError' in error)) return error;
  try {
    await error.commitError;
    return error;
  } catch (reason) {
    return reason;
  }
}

/** Converts a failure to open the data file that the earlier checks did not foresee. */
export function openFailure(error: unknown, directory: string): StorageError {
  const cause = { cause: error };
  if (!saysFull(error)) {
    return new StorageError('open', `The data file in ${directory} cannot be opened (${messageOf(error)}).`, cause);
  }
  return new StorageError(
    'open',
    `The data file in ${directory} cannot be opened, because the disk is full. Free some space and start again: no acknowledged write is lost.`,
    cause,
  );
}

/** Converts a failed read. No argument of a caller can cause one, so it is the medium or a damaged file. */
export function readFailure(error: unknown): StorageError {
  return new StorageError('io', `the data file cannot be read (${messageOf(error)})`, { cause: error });
}

/** What an error of LMDB says. */
export function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  // Where the system writes only a part of a page, LMDB does not ask why.
  return message === 'Input/output error' ? `${message}, perhaps because the disk is full` : message;
}
