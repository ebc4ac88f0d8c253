import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Disk space allocated to the files of a directory. Holes in sparse files do not count. */
export function allocatedBytes(directory: string): number {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).blocks * 512, 0);
}
