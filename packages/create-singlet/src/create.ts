import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Problem } from './problem.ts';

/** The maximum length of a package name in npm. */
const PACKAGE_NAME_CHARACTERS_MAX = 214;

/**
 * Copies an application to a directory, and names its package after the directory.
 *
 * @param template - the folder with its files.
 * @param directory - an absolute path; created together with missing parent folders.
 * @throws {@link Problem} if the directory is not empty, or cannot be created.
 */
export async function createApplication(template: URL, directory: string): Promise<void> {
  await prepare(directory);
  await cp(fileURLToPath(template), directory, { recursive: true, force: false, errorOnExist: true });
  await rename(join(directory, '_gitignore'), join(directory, '.gitignore'));
  const file = join(directory, 'package.json');
  const manifest = JSON.parse(await readFile(file, 'utf8')) as { readonly name: string };
  const named = { ...manifest, name: packageNameOf(basename(directory)) ?? manifest.name };
  await writeFile(file, `${JSON.stringify(named, undefined, 2)}\n`);
}

async function prepare(directory: string): Promise<void> {
  let entries: readonly string[];
  try {
    await makeDirectories(directory);
    entries = await readdir(directory);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const isFile = code === 'EEXIST' || code === 'ENOTDIR';
    const why = isFile
      ? 'a file has this name, or that of a folder above it'
      : ({ ENOENT: 'the folder above it accepts no others', EACCES: 'the permissions do not allow it' }[code ?? ''] ??
        code);
    throw new Problem(`The directory ${directory} cannot be created: ${why}. Name another`, { cause: error });
  }
  if (entries.length > 0) {
    throw new Problem(`The directory ${directory} is not empty. Name another, or one that does not exist`);
  }
}

/** Node's own recursive mkdir does not end where the system answers ENOENT to a name in a directory that exists, as below `/proc`. */
async function makeDirectories(directory: string): Promise<void> {
  const parent = dirname(directory);
  if (parent !== directory && !existsSync(parent)) await makeDirectories(parent);
  try {
    await mkdir(directory);
  } catch (error) {
    if (!existsSync(directory)) throw error;
  }
}

/** A valid npm package name: lower case, without characters that URLs escape. Undefined if nothing is left. */
export function packageNameOf(directoryName: string): string | undefined {
  const name = directoryName
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[._-]+|-+$/g, '')
    .slice(0, PACKAGE_NAME_CHARACTERS_MAX);
  return name === '' || name === 'node_modules' ? undefined : name;
}
