import { openDatabase } from './lmdb-database.ts';

/**
 * Whether a process has the data file of a directory open. Not to be called while this process has.
 *
 * @throws {StorageError} when the file cannot be opened.
 */
export async function isDirectoryInUse(directory: string): Promise<boolean> {
  const { database } = await openDatabase(directory);
  try {
    database.readerCheck(); // takes out those that have died
    // A line of titles, and one for each process and thread, that begins with the id of the process.
    const [, ...rows] = database.readerList().trimEnd().split('\n');
    return rows.map((row) => Number.parseInt(row, 10)).some((id) => Number.isInteger(id) && id !== process.pid);
  } finally {
    await database.close();
  }
}
