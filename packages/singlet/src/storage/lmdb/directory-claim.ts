import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { StorageError } from '../storage-error.ts';
import { appliedKey, decodeGeneration, encodeGeneration } from './applied-mark.ts';
import { readIfExists } from './data-directory.ts';
import { runTransaction } from './exit-guard.ts';
import type { LmdbDatabase } from './lmdb-database.ts';
import type { SnapshotReader } from './snapshot-reader.ts';
import { readLogs, removeLogs } from './write-log.ts';

/** Says which process has a directory to itself. */
const ownerName = 'log-owner.json';

/** How often a process that has a directory to itself looks whether another has come. Milliseconds. */
const lookMs = 50;

/** How often, and how long, a process that comes waits for the one that has the directory to itself. Milliseconds. */
const waitStepMs = 10;
const waitMs = 30_000;

/**
 * Who may keep a log in front of a data file. Only a process that is alone: the others would not see what is in it.
 *
 * LMDB keeps a list of those who have its file open, with a row for each process and thread, and knows which of them have died. A process
 * first stands in that list and then looks at it; so of two that come at once, at least one sees the other.
 *
 * - Alone: it says so in a file, and looks again. From then on it looks from time to time; when another has come it
 *   applies its log, removes it and goes on without.
 * - Not alone: it waits until there is no log.
 * - A log whose owner has died is applied by whoever comes first. In LMDB stands up to where that has been done, so that it
 *   happens once: what is older than the file must not be written into it again.
 */
export class DirectoryClaim {
  readonly #directory: string;
  readonly #database: LmdbDatabase;
  readonly #reader: SnapshotReader;
  #looking: NodeJS.Timeout | undefined;

  constructor(directory: string, database: LmdbDatabase, reader: SnapshotReader) {
    this.#directory = directory;
    this.#database = database;
    this.#reader = reader;
  }

  /**
   * Takes the directory for this process, if nobody else has it open.
   *
   * @returns the generation with which its log begins; undefined if it is not alone.
   */
  async takeAlone(): Promise<number | undefined> {
    if (!this.#isAlone()) return undefined;
    const applied = await this.#applyLogs();
    await this.#sayOwner();
    if (this.#isAlone()) return applied + 1;
    await this.giveUp();
    return undefined;
  }

  /** Calls `come` once another process, or thread, has the directory open too. */
  lookForOthers(come: () => void): void {
    this.#looking = setInterval(() => {
      if (this.#isAlone()) return;
      this.stopLooking();
      come();
    }, lookMs).unref();
  }

  /** Ends `lookForOthers`, which must not ask a data file that has been closed. */
  stopLooking(): void {
    clearInterval(this.#looking);
  }

  /** Ends what `takeAlone` began. The log must have been applied. */
  async giveUp(): Promise<void> {
    this.stopLooking();
    await removeLogs(this.#directory);
    await rm(this.#ownerFile(), { force: true });
  }

  /**
   * Waits until there is no log, or its owner has died; then applies it.
   *
   * @throws {StorageError} `'open'` when the owner lives and does not let go.
   */
  async join(): Promise<void> {
    for (let waitedMs = 0; ; waitedMs += waitStepMs) {
      const owner = await this.#livingOwner();
      if (owner === undefined) break;
      if (waitedMs >= waitMs) {
        throw new StorageError(
          'open',
          `The directory ${this.#directory} is used by process ${owner}, which does not answer: stop it, or wait and try again.`,
        );
      }
      await delay(waitStepMs);
    }
    await this.#applyLogs();
    await this.giveUp();
  }

  #isAlone(): boolean {
    if (this.#processIds().length <= 1) return true;
    this.#database.readerCheck(); // takes out those that have died
    return this.#processIds().length <= 1;
  }

  /** Of every row: of this process and thread there is one, that of the reader. */
  #processIds(): readonly number[] {
    const [, ...rows] = this.#database.readerList().trimEnd().split('\n');
    return rows.map((row) => Number.parseInt(row, 10));
  }

  async #sayOwner(): Promise<void> {
    const file = this.#ownerFile();
    const owner: Owner = { processId: process.pid, startedAtMs: performance.timeOrigin };
    await writeFile(`${file}.${process.pid}`, JSON.stringify(owner));
    await rename(`${file}.${process.pid}`, file);
  }

  async #livingOwner(): Promise<number | undefined> {
    const owner = await this.#readOwner();
    if (owner === undefined) return undefined;
    const { processId, startedAtMs } = owner;
    this.#database.readerCheck();
    if (!this.#processIds().includes(processId)) return undefined;
    // The number may be ours by chance, from a process that was before us.
    return processId === process.pid && startedAtMs !== performance.timeOrigin ? undefined : processId;
  }

  async #readOwner(): Promise<Owner | undefined> {
    try {
      const text = await readIfExists(this.#ownerFile());
      return text && (JSON.parse(text.toString('utf8')) as Owner); // written here, and whole
    } catch (error) {
      throw new StorageError('open', `The file ${this.#ownerFile()} cannot be read.`, { cause: error });
    }
  }

  /** @returns the generation up to which all is applied. */
  async #applyLogs(): Promise<number> {
    const logs = await readLogs(this.#directory);
    if (logs.length === 0) return this.#applied();
    // In the callback, because it must not be done by two, nor after one of them has gone on.
    await runTransaction(this.#database, () => {
      let applied = this.#applied();
      for (const { generation, groups } of logs) {
        if (generation <= applied) continue;
        for (const { key, value } of groups.flat()) {
          if (value === undefined) void this.#database.remove(key);
          else void this.#database.put(key, value);
        }
        applied = generation;
        void this.#database.put(appliedKey, encodeGeneration(applied));
      }
    });
    return this.#applied();
  }

  #applied(): number {
    return this.#reader.readApplied(decodeGeneration);
  }

  #ownerFile(): string {
    return join(this.#directory, ownerName);
  }
}

interface Owner {
  readonly processId: number;
  readonly startedAtMs: number;
}
