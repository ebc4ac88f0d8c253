import { StorageError } from '../storage-error.ts';
import type { CheckpointLag, Decision, StoreValue, StoreWrite } from '../store.ts';
import { type Alarm, type AlarmFactory, nodeAlarm } from './alarm.ts';
import { Checkpointer } from './checkpointer.ts';
import { assertWrites, type Commits, groupBytesMax } from './commits.ts';
import type { LmdbDatabase } from './lmdb-package.ts';
import { Memtable, type MemtableLimits } from './memtable.ts';
import { type MemtableEntry, nameOf } from './memtable-entries.ts';
import type { Overlay, SnapshotReader } from './snapshot-reader.ts';
import { LogFullError, type WriteAheadLog } from './write-ahead-log.ts';
import { entryHeadBytes, groupHeadBytes, writeEntry } from './write-ahead-log-format.ts';

const memtableLimits: MemtableLimits = { bytes: 16 * 1024 * 1024, entries: 50_000 };

/** A checkpoint runs after this long without a write, so that the next start has nothing to recover. Milliseconds. */
const restMs = 1_000;

/**
 * The log is sealed after this long without a write: from then on damage to its end can be told from a torn write. The longer time applies when a
 * write followed the previous seal at once, so that a writer with sequential writes does not wait for the disk twice. Milliseconds.
 *
 * Decision 0026 says why.
 */
const sealMs = 5;
const sealSlowlyMs = 50;

/** Under continuous writes, the log is also sealed at this interval. Milliseconds. */
const sealUnderLoadMs = 100;

/**
 * Groups that are written at the same time, so that neither the disk nor the next decision waits for the other. A group that is less
 * than a quarter of the previous one waits for more writes, because each group has a cost of its own.
 */
const groupsInFlight = 2;
const groupShareMin = 1 / 4;

const slabBytes = 1024 * 1024;

/**
 * Group commit to the write-ahead log.
 *
 *     decide ─ entry in the memtable ─ group in the log, one wait for the disk ─ answer      (each write; two groups at a time)
 *                     └───────────── checkpoint, in the order of the keys                      (each 16 MB)
 *
 * A page of LMDB that changes is written whole, so a write at a random place costs a page or more; a checkpoint writes thousands of entries,
 * sorted, each key once. Decisions run at once on the event loop, since nothing else writes: this process is
 * the only one in the directory (see `DirectoryClaim`).
 *
 * Invariant: a write is answered when its group and all groups before it are durable, in the order of the groups. If a group fails, all
 * groups after it fail, too, and leave the memtable.
 *
 * `LmdbEnvironment` owns it while the process is alone; it writes to `WriteAheadLog` and `Memtable`, and starts `Checkpointer`.
 */
export class LoggedGroupCommit implements Commits {
  readonly #reader: SnapshotReader;
  readonly #log: WriteAheadLog;
  readonly #memtable: Memtable;
  readonly #checkpointer: Checkpointer;
  /** Decided, but not yet on its way to the disk. */
  #open: Group | undefined;
  #nextGroup = 1;
  /** On their way to the disk, the oldest first. Their writers are answered in that order. */
  readonly #writing: Group[] = [];
  #willWrite = false;
  #running: Promise<void> | undefined;
  /** Writes that came while a checkpoint was running late, or while the open group was full. */
  #held: (() => void)[] = [];
  #slab = Buffer.allocUnsafeSlow(slabBytes);
  #slabUsed = 0;
  /** Set once the contents of the log are unknown. */
  #failure: StorageError | undefined;
  #successor: Promise<Commits> | undefined;
  readonly #restAlarm: Alarm;
  readonly #sealAlarm: Alarm;
  #sealAfterMs = sealMs;
  #sealedAtMs: number = performance.now();
  /** Whether nothing has been written since the last seal. */
  #isSealed = false;

  constructor(
    database: LmdbDatabase,
    reader: SnapshotReader,
    log: WriteAheadLog,
    { limits = memtableLimits, alarm = nodeAlarm }: LoggedGroupCommitOptions = {},
  ) {
    this.#reader = reader;
    this.#log = log;
    this.#memtable = new Memtable(limits);
    this.#checkpointer = new Checkpointer(database, this.#memtable, log);
    this.#restAlarm = alarm(() => this.#rest());
    this.#sealAlarm = alarm(() => this.#sealAtRest());
  }

  /** The entries that readers see before those of LMDB. */
  get overlay(): Overlay {
    return this.#memtable;
  }

  write<T>(keys: readonly Uint8Array[], decide: (values: readonly StoreValue[]) => Decision<T>): Promise<T> {
    if (this.#successor !== undefined) return this.#successor.then((commits) => commits.write(keys, decide));
    return new Promise<T>((resolve, reject) => this.#admit({ keys, decide, resolve, reject }));
  }

  async settled(): Promise<void> {
    if (this.#running === undefined && this.#held.length === 0) return;
    await Promise.allSettled([this.write([], () => ({ answer: undefined, writes: [] }))]);
  }

  async idle(): Promise<void> {
    for (let busy = this.#busy(); busy !== undefined; busy = this.#busy()) await busy;
  }

  /**
   * Checkpoints all entries and ends. Writes that arrive during this go to the successor.
   *
   * @throws {StorageError} when the checkpoint fails. Everything is still in the log.
   */
  async finish(successor: Promise<Commits>): Promise<void> {
    this.#successor ??= successor;
    this.#restAlarm.clear();
    this.#sealAlarm.clear();
    this.#release();
    await this.idle();
    // Twice: first the checkpoint that failed before, if any; then the writes since.
    for (let round = 0; round < 2 && this.#failure === undefined && !this.#memtable.isEmpty(); round += 1) {
      this.#checkpoint();
      await this.#checkpointer.running;
    }
    const problem = this.#failure ?? this.#checkpointer.problem;
    if (problem !== undefined) throw problem;
  }

  checkpointLag(): CheckpointLag {
    return this.#memtable.lag(performance.now());
  }

  #busy(): Promise<void> | undefined {
    return this.#running ?? this.#checkpointer.running;
  }

  /** Makes a decision, or makes it wait. */
  #admit<T>(write: PendingWrite<T>): void {
    if (this.#successor !== undefined) {
      void this.#successor.then((commits) => commits.write(write.keys, write.decide)).then(write.resolve, write.reject);
    } else if (this.#failure !== undefined) {
      write.reject(this.#failure);
    } else if (this.#memtable.frozen !== undefined && this.#memtable.holds(2)) {
      const { problem } = this.#checkpointer;
      if (problem === undefined) this.#held.push(() => this.#admit(write));
      else write.reject(problem);
    } else if (this.#open !== undefined && this.#slabUsed - this.#open.start >= groupBytesMax) {
      this.#held.push(() => this.#admit(write));
    } else {
      this.#decide(write);
    }
  }

  #decide<T>({ keys, decide, resolve, reject }: PendingWrite<T>): void {
    const group = (this.#open ??= this.#newGroup());
    try {
      const { answer, writes } = this.#reader.readForDecision(keys, decide);
      assertWrites(writes);
      this.#record(group, writes);
      group.settles.push(() => resolve(answer));
    } catch (error) {
      // The error may depend on writes of the same group, so it waits for the group as an answer does.
      group.settles.push(() => reject(error));
    } finally {
      this.#reader.releaseValues();
    }
    group.rejects.push(reject);
    if (this.#running === undefined) this.#running = this.#run();
    else if (this.#writing.length < groupsInFlight) this.#writeSoon();
  }

  /** Writes the groups once this turn of the event loop is over. */
  #writeSoon(): void {
    if (this.#willWrite) return;
    this.#willWrite = true;
    setImmediate(() => {
      this.#willWrite = false;
      if (this.#writing.length > 0) this.#writeGroups();
    });
  }

  #newGroup(): Group {
    const group = new Group(this.#nextGroup++, this.#slabUsed);
    this.#reserve(group, groupHeadBytes);
    return group;
  }

  #record(group: Group, writes: readonly StoreWrite[]): void {
    for (const { key, value } of writes) {
      const bytes = entryHeadBytes + key.length + (value === undefined ? 0 : value.length);
      const at = this.#reserve(group, bytes);
      const valueAt = writeEntry(this.#slab, at, key, value);
      const valueInSlab = value && { bytes: this.#slab, start: valueAt, end: valueAt + value.length };
      group.entries.push(this.#memtable.record(nameOf(key), valueInSlab, group.number, bytes));
    }
  }

  /** Reserves room at the end of a group. At the end of the slab, the group moves to a new one; entries keep their memory in the old one. */
  #reserve(group: Group, bytes: number): number {
    if (this.#slabUsed + bytes > this.#slab.length) {
      const present = this.#slab.subarray(group.start, this.#slabUsed);
      this.#slab = Buffer.allocUnsafeSlow(Math.max(slabBytes, 2 * (present.length + bytes)));
      present.copy(this.#slab);
      group.start = 0;
      this.#slabUsed = present.length;
    }
    const at = this.#slabUsed;
    this.#slabUsed += bytes;
    return at;
  }

  async #run(): Promise<void> {
    this.#noteOvertakenSeal();
    // Every write of this turn of the event loop is in time for the first group.
    await new Promise((resolve) => setImmediate(resolve));
    for (;;) {
      this.#writeGroups();
      const group = this.#writing[0];
      if (group === undefined) break;
      await group.written;
      if (group.failure !== undefined) {
        await this.#fail(group.failure.cause);
        continue;
      }
      this.#writing.shift();
      this.#memtable.markDurable(group.number);
      for (const settle of group.settles) settle();
      if (performance.now() - this.#sealedAtMs > sealUnderLoadMs) this.#seal();
      if (this.#writing.length === 0 && this.#isDue()) this.#checkpoint();
    }
    this.#running = undefined;
    if (this.#successor !== undefined) return;
    this.#restAlarm.set(restMs);
    this.#sealAlarm.set(this.#sealAfterMs);
  }

  /** Hands the open group to the disk, unless it has to wait. */
  #writeGroups(): void {
    while (this.#open !== undefined && this.#mayWrite(this.#open)) {
      const group = this.#open;
      const bytes = this.#slab.subarray(group.start, this.#slabUsed);
      this.#open = undefined;
      if (group.entries.length > 0) {
        group.written = this.#log.append(bytes).catch((cause: unknown) => void (group.failure = { cause }));
      }
      this.#writing.push(group);
      this.#release();
    }
  }

  #mayWrite(group: Group): boolean {
    const before = this.#writing.at(-1);
    if (before === undefined) return true;
    if (this.#writing.length === groupsInFlight || group.settles.length < groupShareMin * before.settles.length)
      return false;
    // To continue in the other file, or in a longer one, no group may be in flight. A failed group fails all groups after it.
    if (this.#isDue() || !this.#log.hasRoom(this.#slabUsed - group.start)) return false;
    return this.#writing.every(({ failure }) => failure === undefined);
  }

  #isDue(): boolean {
    return this.#memtable.frozen === undefined && this.#memtable.holds(1);
  }

  #rest(): void {
    if (this.#running === undefined && !this.#memtable.isEmpty()) this.#checkpoint();
  }

  #sealAtRest(): void {
    if (this.#running !== undefined) return;
    this.#isSealed = true;
    this.#seal();
  }

  #seal(): void {
    if (this.#failure !== undefined) return;
    this.#sealedAtMs = performance.now();
    // If sealing fails, the log is as it was: only damage to its last groups would go undetected.
    this.#log.seal().catch(() => undefined);
  }

  #noteOvertakenSeal(): void {
    if (!this.#isSealed) return;
    this.#sealAfterMs = performance.now() - this.#sealedAtMs < sealSlowlyMs ? sealSlowlyMs : sealMs;
    this.#isSealed = false;
  }

  /** Admits writes that had to wait. Some may have to wait again. */
  #release(): void {
    for (const attempt of this.#held.splice(0)) attempt();
  }

  /** A full disk lost nothing but these groups; after any other failure it is unknown what is on the disk. */
  async #fail(cause: unknown): Promise<void> {
    await Promise.all(this.#writing.map(({ written }) => written));
    const groups = this.#open === undefined ? this.#writing.splice(0) : [...this.#writing.splice(0), this.#open];
    this.#open = undefined;
    for (const { entries } of groups) {
      for (const entry of entries) this.#memtable.takeBack(entry.name);
    }
    const isFull = cause instanceof LogFullError;
    const reason = cause instanceof Error ? cause.message : String(cause);
    const failure = isFull
      ? new StorageError('io', `the log could not grow (${reason}); nothing was written`, { cause })
      : new StorageError('unknown-outcome', `the log could not be written (${reason}); open the store again`, {
          cause,
        });
    if (!isFull) {
      const message =
        'an earlier write to the log failed and the data cannot be written until the store is opened again';
      this.#failure = new StorageError('io', message, { cause: failure });
    }
    for (const { rejects } of groups) {
      for (const reject of rejects) reject(failure);
    }
    if (isFull) this.#makeRoom();
    this.#release();
  }

  /** Makes room in the log: what is in LMDB need not stay there, and the other file may be longer. */
  #makeRoom(): void {
    if (!this.#memtable.isEmpty() || this.#log.hasLongerFile()) this.#checkpoint();
  }

  #checkpoint(): void {
    if (this.#failure !== undefined) return;
    this.#checkpointer.start(this.#open?.entries ?? [], () => {
      const { problem } = this.#checkpointer;
      if (problem !== undefined && !this.#reader.usable()) this.#failure = problem;
      if (problem !== undefined && this.#successor === undefined) this.#restAlarm.set(restMs);
      this.#release();
    });
  }
}

export interface LoggedGroupCommitOptions {
  readonly limits?: MemtableLimits;
  readonly alarm?: AlarmFactory;
}

/** A write that its caller waits for. */
interface PendingWrite<T> {
  readonly keys: readonly Uint8Array[];
  readonly decide: (values: readonly StoreValue[]) => Decision<T>;
  readonly resolve: (answer: T) => void;
  readonly reject: (error: unknown) => void;
}

/** Decisions that one wait for the disk makes durable. */
class Group {
  readonly number: number;
  /** Where it begins in the slab. */
  start: number;
  readonly entries: MemtableEntry[] = [];
  readonly settles: (() => void)[] = [];
  readonly rejects: ((error: unknown) => void)[] = [];
  /** Resolves when it is on the disk, or has failed. */
  written: Promise<void> = Promise.resolve();
  failure: { readonly cause: unknown } | undefined;

  constructor(number: number, start: number) {
    this.number = number;
    this.start = start;
  }
}
