import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Makes a directory, and those above it that are missing. Node's own recursive mkdir does not end where the system answers ENOENT to a name
 * in a directory that exists, as it does below `/proc`.
 *
 * @returns the topmost directory that was made; undefined if the directory existed.
 * @throws the error of the system: `ENOENT` if its place exists and accepts no directories, `EEXIST` if a file has the name.
 */
export async function makeDirectories(path: string): Promise<string | undefined> {
  try {
    await mkdir(path);
    return path;
  } catch (error) {
    const parent = dirname(path);
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' && parent !== path && !(await exists(parent))) {
      const topmost = await makeDirectories(parent);
      const own = await makeDirectories(path);
      return topmost ?? own;
    }
    if (await isDirectory(path)) return undefined;
    throw error;
  }
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}

async function isDirectory(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() === true;
}
