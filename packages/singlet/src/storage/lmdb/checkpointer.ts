import { StorageError } from '../storage-error.ts';
import { checkpointMarkKey, encodeMark } from './checkpoint-mark.ts';
import { CommitPromises } from './commit-promises.ts';
import { messageOf } from './lmdb-failure.ts';
import type { LmdbDatabase } from './lmdb-package.ts';
import type { Memtable } from './memtable.ts';
import type { MemtableEntries, MemtableEntry } from './memtable-entries.ts';
import { inPackingOrder } from './packing-order.ts';
import type { ClosedGeneration, WriteAheadLog } from './write-ahead-log.ts';

/**
 * Entries, and bytes of values, that LMDB commits at one time. They are passed to it in one turn of the event loop, which this blocks for a
 * millisecond. LMDB holds every page that a transaction changes in memory, a page or more per entry, and keeps that memory for the next one.
 */
const commitEntries = 512;
const commitBytes = 4 * 1024 * 1024;

/**
 * Moves a generation of the write-ahead log into LMDB: sorted by key, each key once, some hundreds at a time, and finally the mark.
 *
 *     start ─ memtable freezes, the log turns to its other file ─ entries to LMDB ─ mark ─ memtable drops what was frozen
 *
 * Invariants: the mark names a generation only when the next one has begun on disk, and
 * only when every entry of it is committed. Until then the log keeps the generation and the memtable its
 * entries, so a checkpoint that fails is simply tried again. Only one runs at a time.
 *
 * `LoggedGroupCommit` starts it (when the memtable is full, when writes pause, and at the end). It calls back when it has ended.
 */
export class Checkpointer {
  readonly #database: LmdbDatabase;
  readonly #memtable: Memtable;
  readonly #log: WriteAheadLog;
  /** The generation whose entries are frozen. */
  #closed: ClosedGeneration | undefined;
  #running: Promise<void> | undefined;
  #problem: StorageError | undefined;

  constructor(database: LmdbDatabase, memtable: Memtable, log: WriteAheadLog) {
    this.#database = database;
    this.#memtable = memtable;
    this.#log = log;
  }

  /** Resolves when the running checkpoint has ended, whether it succeeded or failed. */
  get running(): Promise<void> | undefined {
    return this.#running;
  }

  /** Why the last checkpoint failed, until the next one starts. */
  get problem(): StorageError | undefined {
    return this.#problem;
  }

  /**
   * Starts a checkpoint: of the frozen entries if the last one failed, otherwise of all durable entries. No group may be on its way to the log.
   *
   * @param open - entries that are decided but not yet durable.
   * @param ended - called when it has ended; `problem` is set if it failed.
   */
  start(open: readonly MemtableEntry[], ended: () => void): void {
    if (this.#running !== undefined) return;
    this.#problem = undefined;
    const frozen = this.#memtable.frozen ?? this.#memtable.freeze(open);
    this.#closed ??= this.#log.turn();
    this.#running = this.#write(frozen, this.#closed).then(
      () => {
        this.#closed = undefined;
        this.#memtable.releaseFrozen();
      },
      (error: unknown) => {
        // The entries stay, for readers: they are acknowledged, and in the log.
        const message = `earlier writes could not be moved to the data file (${messageOf(error)}); nothing was written`;
        this.#problem = new StorageError('io', message, { cause: error });
      },
    );
    this.#running = this.#running.then(() => {
      this.#running = undefined;
      ended();
    });
  }

  async #write(entries: MemtableEntries, closed: ClosedGeneration): Promise<void> {
    // In parallel with the entries, because the next groups wait for it.
    const begun = this.#log.begun();
    begun.catch(() => undefined);
    const sorted = inPackingOrder(entries.sorted())[Symbol.iterator]();
    while (await this.#database.committing(() => this.#commitSome(sorted)));
    // The mark promises that the next generation is on disk.
    await begun;
    // Not earlier: the package may commit the mark by itself, and if a commit before it has failed, the writes of that commit would be lost.
    await this.#database.committing(async () => {
      const mark = new CommitPromises(this.#database);
      mark.add(this.#database.put(checkpointMarkKey, encodeMark(this.#log.markOf('open', closed))));
      await mark.done();
    });
  }

  /** @returns whether there may be more entries. */
  async #commitSome(entries: Iterator<MemtableEntry>): Promise<boolean> {
    const commits = new CommitPromises(this.#database);
    let bytes = 0;
    for (let count = 0; count < commitEntries && bytes < commitBytes; count += 1) {
      const next = entries.next();
      if (next.done === true) {
        await commits.done();
        return false;
      }
      const { key, value } = next.value;
      commits.add(value === undefined ? this.#database.remove(key) : this.#database.put(key, value));
      bytes += value === undefined ? 0 : value.length;
    }
    await commits.done();
    return true;
  }
}
