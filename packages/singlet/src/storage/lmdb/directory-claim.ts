import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { FileSystem } from '../files/file-system.ts';
import { StorageError } from '../storage-error.ts';
import { type LmdbDatabase, readersOf } from './lmdb-package.ts';

/** The file that names the process that owns the log of a directory. */
export const ownerName = 'log-owner.json';

/** How often the owner checks whether another process has opened the directory. Milliseconds. */
const lookMs = 50;

/** How often, and how long, a newly started process waits for the owner. Milliseconds. */
const waitStepMs = 10;
const waitMs = 30_000;

/**
 * Decides which process owns the write-ahead log of a directory. Only a process that is alone may: others would not see what is in it.
 *
 * LMDB keeps a list of the processes and threads that have its file open, and can tell which of them have died. A process first enters that list
 * and then reads it, so when two start at once, at least one sees the other.
 *
 * - Alone: it names itself as the owner in a file, and reads the list again. From then on it reads the list from time to time. When another
 *   process has joined, it makes a checkpoint, removes the log and continues without one.
 * - Not alone: it waits until there is no owner.
 * - A log whose owner has died is recovered by the next process that opens the directory (`recover`).
 *
 * Invariant: while a log exists, its owner is the only process that has the directory open, or the others wait. `LmdbEnvironment` calls it.
 */
export class DirectoryClaim {
  readonly #files: FileSystem;
  readonly #directory: string;
  readonly #database: LmdbDatabase;
  #looking: NodeJS.Timeout | undefined;

  constructor(files: FileSystem, directory: string, database: LmdbDatabase) {
    this.#files = files;
    this.#directory = directory;
    this.#database = database;
  }

  /** Whether no other process, or thread, has the directory open. */
  isAlone(): boolean {
    if (this.#processIds().length <= 1) return true;
    this.#database.readerCheck(); // removes those that have died
    return this.#processIds().length <= 1;
  }

  /** Makes this process the owner, if it is alone. */
  async own(): Promise<boolean> {
    if (!this.isAlone()) return false;
    await this.#nameOwner();
    if (this.isAlone()) return true;
    await this.disown();
    return false;
  }

  /** Calls `come` once another process or thread also has the directory open. */
  lookForOthers(come: () => void): void {
    this.#looking = setInterval(() => {
      if (this.isAlone()) return;
      this.stopLooking();
      come();
    }, lookMs).unref();
  }

  /** Ends `lookForOthers`, which must not use a data file that has been closed. */
  stopLooking(): void {
    clearInterval(this.#looking);
  }

  /** Reverses `own`. The log must have been removed. */
  async disown(): Promise<void> {
    this.stopLooking();
    await this.#files.unlink(this.#ownerFile());
  }

  /**
   * Waits until there is no owner, or the owner has died.
   *
   * @throws {StorageError} `'open'` when the owner is alive and does not release the directory.
   */
  async waitForOwner(): Promise<void> {
    for (let waitedMs = 0; ; waitedMs += waitStepMs) {
      const owner = await this.#livingOwner();
      if (owner === undefined) return;
      if (waitedMs >= waitMs) {
        throw new StorageError(
          'open',
          `The directory ${this.#directory} is used by process ${owner}, which does not answer: stop it, or wait and try again.`,
        );
      }
      await delay(waitStepMs);
    }
  }

  /** The process id of every row. This process and thread have one row, that of the reader. */
  #processIds(): readonly number[] {
    return readersOf(this.#database).map(({ processId }) => processId);
  }

  async #nameOwner(): Promise<void> {
    const temporary = `${this.#ownerFile()}.${process.pid}`;
    const owner: Owner = { processId: process.pid, startedAtMs: performance.timeOrigin };
    try {
      const file = await this.#files.open(temporary, { create: true });
      try {
        await file.write(Buffer.from(JSON.stringify(owner)), 0);
      } finally {
        await file.close();
      }
      await this.#files.rename(temporary, this.#ownerFile());
    } catch (error) {
      await this.#files.unlink(temporary);
      throw error;
    }
  }

  async #livingOwner(): Promise<number | undefined> {
    // Without another process there is no owner, whatever the file says.
    if (this.isAlone()) return undefined;
    const owner = await this.#readOwner();
    if (owner === undefined) return undefined;
    const { processId, startedAtMs } = owner;
    this.#database.readerCheck();
    if (!this.#processIds().includes(processId)) return undefined;
    // The number may equal ours by chance, from an earlier process.
    return processId === process.pid && startedAtMs !== performance.timeOrigin ? undefined : processId;
  }

  async #readOwner(): Promise<Owner | undefined> {
    try {
      const text = await this.#files.readFile(this.#ownerFile());
      return text && (JSON.parse(text.toString('utf8')) as Owner); // written by this program, and complete
    } catch (error) {
      throw new StorageError(
        'open',
        `The file ${this.#ownerFile()} cannot be read, and another process has ${this.#directory} open: stop it and try again.`,
        { cause: error },
      );
    }
  }

  #ownerFile(): string {
    return join(this.#directory, ownerName);
  }
}

interface Owner {
  readonly processId: number;
  readonly startedAtMs: number;
}
