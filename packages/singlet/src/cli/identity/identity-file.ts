import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type AuthKey,
  type IdentityDocument,
  IdentityDirectory,
  IdentityError,
  identityLimits,
  newAuthKeyText,
  noIdentities,
  readAuthKey,
  readIdentities,
} from '../../access/index.ts';
import { errorCodeOf } from '../../storage/files/node-file-system.ts';
import { fileProblem } from '../file-problem.ts';
import { UsageError } from '../usage-error.ts';

/** Where the identities are, and the key of their secrets. */
export interface IdentityPaths {
  readonly auth: string;
  readonly authKey: string;
}

/** In the same directory as the identities, unless a path is given. */
export function identityPaths({ auth, authKey }: { readonly auth: string; readonly authKey?: string }): IdentityPaths {
  return { auth, authKey: authKey ?? `${auth}.key` };
}

/** Only the owner may read or write it. */
const ownerOnly = 0o600;

/**
 * Reads the identities of a server.
 *
 * @throws {UsageError} with one sentence on what is missing or wrong.
 */
export function loadIdentities(paths: IdentityPaths): {
  readonly document: IdentityDocument;
  readonly directory: IdentityDirectory;
  readonly authKey: AuthKey;
} {
  if (!isThere(paths.auth)) {
    throw new UsageError(`There is no ${paths.auth}: singlet identity create NAME --auth ${paths.auth} creates it.`);
  }
  const authKey = loadAuthKey(paths);
  return inFile(paths.auth, () => {
    const document = readIdentities(readText(paths.auth));
    return { document, directory: new IdentityDirectory(document, authKey), authKey };
  });
}

/**
 * Changes an identity file atomically, under a lock. A missing file is created, and so is its key.
 *
 * @param change - returns the new identities, and the result for the caller.
 * @throws {UsageError} for an invalid change; the file is then unchanged.
 */
export async function changeIdentities<T>(
  paths: IdentityPaths,
  change: (document: IdentityDocument, authKey: AuthKey) => { readonly document: IdentityDocument; readonly result: T },
): Promise<T> {
  const release = await lock(paths.auth);
  try {
    const isNew = !isThere(paths.auth);
    if (isNew && !isThere(paths.authKey)) writeWhole(paths.authKey, newAuthKeyText(randomBytes));
    const authKey = loadAuthKey(paths);
    return inFile(paths.auth, () => {
      const before = isNew ? noIdentities : readIdentities(readText(paths.auth));
      const { document, result } = change(before, authKey);
      const text = `${JSON.stringify(document, null, 2)}\n`;
      // Checks that the new file can be read, and that its policies are valid.
      void new IdentityDirectory(readIdentities(text), authKey);
      if (document !== before) writeWhole(paths.auth, text);
      return result;
    });
  } finally {
    release();
  }
}

function loadAuthKey({ authKey }: IdentityPaths): AuthKey {
  if (!isThere(authKey)) {
    throw new UsageError(`The key of the identity file is not in ${authKey}: name its file with --auth-key.`);
  }
  return inFile(authKey, () => readAuthKey(readText(authKey)));
}

/** Adds the file name to errors. */
function inFile<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof IdentityError ? new UsageError(`${path}: ${error.message}`, { cause: error }) : error;
  }
}

function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

function readText(path: string): string {
  try {
    const { size } = statSync(path);
    if (size > identityLimits.fileBytesMax) {
      throw new IdentityError(`The file has more than ${identityLimits.fileBytesMax / 1024 / 1024} MB.`);
    }
    return readFileSync(path, 'utf8');
  } catch (cause) {
    if (cause instanceof IdentityError) throw cause;
    throw fileProblem(path, cause);
  }
}

/** Writes atomically: other processes see the old text or the new one, and so does a restart after a crash. */
function writeWhole(path: string, text: string): void {
  const temporary = `${path}.${process.pid}.new`;
  try {
    const file = openSync(temporary, 'wx', ownerOnly);
    try {
      writeSync(file, text);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, path);
    const directory = openSync(dirname(resolve(path)), 'r');
    fsyncSync(directory);
    closeSync(directory);
  } catch (cause) {
    rmSync(temporary, { force: true });
    throw new UsageError(`${path} cannot be written: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    });
  }
}

/** How long to wait for another change of the same file, and the polling interval, milliseconds. */
const lockWaitMs = 10_000;
const lockPollMs = 20;

/** @returns a function that releases the lock. @throws {UsageError} if another process keeps it. */
async function lock(path: string): Promise<() => void> {
  const lockPath = `${path}.lock`;
  const deadline = performance.now() + lockWaitMs;
  for (;;) {
    try {
      const file = openSync(lockPath, 'wx', ownerOnly);
      writeSync(file, `${process.pid}\n`);
      closeSync(file);
      return () => rmSync(lockPath, { force: true });
    } catch (cause) {
      if (errorCodeOf(cause) !== 'EEXIST') {
        const reason = errorCodeOf(cause) === 'ENOENT' ? 'its folder does not exist.' : (cause as Error).message;
        throw new UsageError(`${path} cannot be changed: ${reason}`, { cause });
      }
      if (performance.now() > deadline) {
        throw new UsageError(
          `${path} is being changed by another process. If there is none, it was interrupted: remove ${lockPath}.`,
          { cause },
        );
      }
    }
    await sleep(lockPollMs);
  }
}
