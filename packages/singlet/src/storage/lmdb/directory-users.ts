import { openDatabase } from './lmdb-database.ts';
import { readersOf } from './lmdb-package.ts';

/**
 * Whether a process has the data file of a directory open. Must not be called while this process has it open.
 *
 * @throws {StorageError} when the file cannot be opened.
 */
export async function isDirectoryInUse(directory: string): Promise<boolean> {
  const { database } = await openDatabase(directory);
  try {
    database.readerCheck(); // removes those that have died
    return readersOf(database).some(({ processId }) => Number.isInteger(processId) && processId !== process.pid);
  } finally {
    await database.close();
  }
}
