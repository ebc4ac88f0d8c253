import { openDatabase } from './lmdb-database.ts';

/**
 * Whether a process has the data file of a directory open. Must not be called while this process has it open.
 *
 * @throws {StorageError} when the file cannot be opened.
 */
export async function isDirectoryInUse(directory: string): Promise<boolean> {
  const { database } = await openDatabase(directory);
  try {
    database.readerCheck(); // removes those that have died
    // A line of titles, then one line for each process and thread, which begins with the id of the process.
    const [, ...rows] = database.readerList().trimEnd().split('\n');
    return rows.map((row) => Number.parseInt(row, 10)).some((id) => Number.isInteger(id) && id !== process.pid);
  } finally {
    await database.close();
  }
}
