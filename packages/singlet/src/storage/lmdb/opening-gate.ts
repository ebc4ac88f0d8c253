import { closeSync, constants, existsSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { StorageError } from '../storage-error.ts';
import { runGuarded } from './exit-guard.ts';

/** The part of the package `lmdb` that the gate uses, on a data file of its own. */
export interface GateDatabase {
  getBinaryFast(key: Uint8Array, options: { transaction: GateTransaction }): Uint8Array | undefined;
  transaction(action: () => void): Promise<void>;
  transactionSync(action: () => void): void;
  useReadTransaction(): GateTransaction;
  resetReadTxn(): void;
  readerList(): string;
  readerCheck(): number;
  close(): Promise<void>;
}

export interface GateTransaction {
  readonly address: number;
  done(): void;
}

export interface OpenedGate {
  readonly database: GateDatabase;
  readonly releaseSnapshot: (transaction: GateTransaction) => void;
}

/** The data file of the gate, which stays empty, and LMDB's lock file for it. */
export const gateFileName = 'gate.mdb';
export const gateLockFileName: string = `${gateFileName}-lock`;

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
  readonly #opened: OpenedGate;
  readonly #closedFile: string;
  readonly #transaction: GateTransaction;
  /** Commits of this thread that are running. It has a snapshot while there are any. */
  #commits = 0;

  constructor(opened: OpenedGate, directory: string) {
    const { database, releaseSnapshot } = opened;
    this.#opened = opened;
    this.#closedFile = join(directory, closedName);
    this.#transaction = database.useReadTransaction();
    // Detaches the transaction from the package, which would otherwise share it and abort it.
    database.resetReadTxn();
    releaseSnapshot(this.#transaction);
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
  #committingProcess(): string | undefined {
    const { database } = this.#opened;
    database.readerCheck(); // removes those that have died
    // A line of titles, then a line for each process and thread: its ids, and its snapshot or a dash.
    const [, ...rows] = database.readerList().trimEnd().split('\n');
    for (const row of rows) {
      const [processId, , snapshot] = row.trim().split(/\s+/);
      if (snapshot !== undefined && snapshot !== '-') return processId;
    }
    return undefined;
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

/**
 * An empty data file of LMDB: two pages that describe an empty database. All numbers are little-endian.
 *
 *     offset 0   number of the page, 8     offset 40  address space, 8
 *     offset 18  flags, 2: 8               offset 48  the free pages: size of a page, 4; flags, 2: 8; ...; root, 8: none
 *     offset 24  magic number, 4           offset 96  the entries: ...; root, 8: none
 *     offset 28  format of LMDB, 4         offset 144 last page, 8
 */
const emptyDataFile: Buffer = Buffer.concat([emptyPage(0), emptyPage(1)]);

function emptyPage(number: number): Buffer {
  const page = Buffer.alloc(gatePageBytes);
  page.writeUInt32LE(number, 0);
  page.writeUInt16LE(8, 18);
  page.writeUInt32LE(0xbeef_c0de, 24);
  page.writeUInt32LE(2, 28);
  page.writeUInt32LE(gateSpaceBytes, 40);
  page.writeUInt32LE(gatePageBytes, 48);
  page.writeUInt16LE(8, 52);
  page.fill(0xff, 88, 96);
  page.fill(0xff, 136, 144);
  page.writeUInt32LE(1, 144);
  return page;
}
