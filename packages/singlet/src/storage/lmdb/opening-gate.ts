import { closeSync, constants, existsSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { StorageError } from '../storage-error.ts';
import { gateFileName, gateLockFileName } from './data-file.ts';
import { magicNumber, magicOffset, metaOffset, noPage, pageFlag } from './data-pages.ts';
import {
  type LmdbFile,
  type LmdbReadTransaction,
  type OpenedDatabase,
  ownReadTransaction,
  readersOf,
} from './lmdb-package.ts';
import { runGuarded } from './exit-guard.ts';

/** Exists while a process opens the data file, or after it was killed doing so. */
const closedName = 'gate.closed';

/** How often, and how long, a process that opens waits for commits to end. Milliseconds. */
const waitStepMs = 1;
const waitMs = 30_000;

const probeKey = new Uint8Array(1);

/**
 * Keeps two things apart in all processes that use a directory: a commit to its data file, and the opening of that file.
 *
 * LMDB numbers its transactions, and its lock file holds the last number. A process that opens the data file reads the number there and writes
 * it to the lock file without a lock. When another process commits in between, the number goes back. The next transaction then takes the
 * same number again, replaces one that was acknowledged, and uses pages that others still read (ITS#9496, mended in LMDB in 2021; the
 * package `lmdb` 3.5.6 contains the code of before).
 *
 * The gate is another environment of LMDB, `gate.mdb`, to which nothing is ever written, so that it cannot have the same problem. Its reader table
 * and its write lock keep working when a process is killed.
 *
 *     commit   take a snapshot of the gate ─ is the gate closed? ─ no: commit ─ release the snapshot
 *                                                                └ yes: release the snapshot, wait for the write lock, try again
 *     opening  take the write lock of the gate ─ close it (a file) ─ wait until no process has a snapshot of it ─ open ─ open it again
 *
 * Each side first announces itself and then looks for the other, so they cannot miss each other.
 *
 * Decision 0136 says why.
 */
export class OpeningGate {
  readonly #opened: OpenedDatabase<LmdbFile>;
  readonly #closedFile: string;
  readonly #transaction: LmdbReadTransaction;
  /** Commits of this thread that are running. It has a snapshot while there are any. */
  #commits = 0;

  constructor(opened: OpenedDatabase<LmdbFile>, directory: string) {
    this.#opened = opened;
    this.#closedFile = join(directory, closedName);
    this.#transaction = ownReadTransaction(opened);
  }

  /** Runs something that commits, once no process is opening the data file. */
  committing<T>(body: () => Promise<T>): Promise<T> {
    return this.#enter() ? this.#commit(body) : this.#waitAndCommit(body);
  }

  /**
   * Runs something that opens the data file, while no process commits. Blocks this thread until their commits have ended.
   *
   * @throws {StorageError} `'open'` when a commit does not end.
   */
  opening<T>(open: () => T): T {
    const results: T[] = [];
    this.#opened.database.transactionSync(() => {
      writeFileSync(this.#closedFile, '', { mode: 0o600 });
      try {
        this.#waitForCommits();
        results.push(open());
      } finally {
        rmSync(this.#closedFile, { force: true });
      }
    });
    return results[0] as T; // the callback was called, or threw
  }

  async close(): Promise<void> {
    this.#transaction.done();
    await this.#opened.database.close();
  }

  async #commit<T>(body: () => Promise<T>): Promise<T> {
    try {
      return await body();
    } finally {
      this.#leave();
    }
  }

  async #waitAndCommit<T>(body: () => Promise<T>): Promise<T> {
    do {
      // With the write lock, no process is opening the file, so the one that left the gate closed has died.
      await runGuarded(this.#opened.database, () => rmSync(this.#closedFile, { force: true }));
    } while (!this.#enter());
    return this.#commit(body);
  }

  /** @returns whether commits are possible now; if so, `#leave` has to follow. */
  #enter(): boolean {
    // The first read takes the snapshot.
    if (this.#commits === 0) this.#opened.database.getBinaryFast(probeKey, { transaction: this.#transaction });
    this.#commits += 1;
    if (!existsSync(this.#closedFile)) return true;
    this.#leave();
    return false;
  }

  #leave(): void {
    this.#commits -= 1;
    if (this.#commits === 0) this.#opened.releaseSnapshot(this.#transaction);
  }

  #waitForCommits(): void {
    for (let waitedMs = 0; ; waitedMs += waitStepMs) {
      const committing = this.#committingProcess();
      if (committing === undefined) return;
      if (waitedMs >= waitMs) {
        throw new StorageError(
          'open',
          `Process ${committing} has been writing to the data file for ${waitMs / 1000} seconds: stop it, or wait and try again.`,
        );
      }
      sleep(waitStepMs);
    }
  }

  /** The id of a process that has a snapshot of the gate. */
  #committingProcess(): number | undefined {
    const { database } = this.#opened;
    database.readerCheck(); // removes those that have died
    return readersOf(database).find(({ hasSnapshot }) => hasSnapshot)?.processId;
  }
}

const sleeping = new Int32Array(new SharedArrayBuffer(4));

function sleep(ms: number): void {
  Atomics.wait(sleeping, 0, 0, ms);
}

/** Sizes of the gate's data file: of its pages, and of the address space for it. */
export const gatePageBytes = 4096;
export const gateSpaceBytes: number = 1024 * 1024;

/**
 * Makes the files of the gate, for this user only, unless they are there and undamaged. The data file always has the same bytes, so any number of
 * processes may do so at once, and also while others use it.
 *
 * @throws an error of the file system.
 */
export function makeGateFiles(directory: string): void {
  const lockFile = join(directory, gateLockFileName);
  if (!existsSync(lockFile)) writeFileSync(lockFile, '', { flag: 'a', mode: 0o600 });
  const dataFile = join(directory, gateFileName);
  if (existsSync(dataFile) && readFileSync(dataFile).equals(emptyDataFile)) return;
  // Not emptied first: others may have mapped it.
  const file = openSync(dataFile, constants.O_RDWR | constants.O_CREAT, 0o600);
  try {
    writeSync(file, emptyDataFile, 0, emptyDataFile.length, 0);
  } finally {
    closeSync(file);
  }
}

/** An empty data file of LMDB: two pages that describe an empty database (`data-pages.ts`). */
const emptyDataFile: Buffer = Buffer.concat([emptyPage(0), emptyPage(1)]);

function emptyPage(number: number): Buffer {
  const page = Buffer.alloc(gatePageBytes);
  page.writeUInt32LE(number, 0);
  page.writeUInt16LE(pageFlag.meta, 18);
  page.writeUInt32LE(magicNumber, magicOffset);
  page.writeUInt32LE(2, magicOffset + 4);
  page.writeUInt32LE(gateSpaceBytes, magicOffset + 16);
  // The tree of free pages holds the size of a page, and the flag of keys that are numbers.
  page.writeUInt32LE(gatePageBytes, metaOffset.freeTree);
  page.writeUInt16LE(8, metaOffset.freeTree + 4);
  for (const tree of [metaOffset.freeTree, metaOffset.mainTree]) page.writeBigInt64LE(BigInt(noPage), tree + 40);
  page.writeUInt32LE(1, metaOffset.lastPage);
  return page;
}
