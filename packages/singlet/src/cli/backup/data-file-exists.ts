import { statSync } from 'node:fs';
import { join } from 'node:path';

/** Whether a directory holds the data of a database. */
export function dataFileExists(directory: string): boolean {
  return (statSync(join(directory, 'data.mdb'), { throwIfNoEntry: false })?.size ?? 0) > 0;
}
