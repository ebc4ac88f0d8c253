import { StorageError } from '../storage-error.ts';
import type { CheckpointLag, Decision, StoreValue, StoreWrite } from '../store.ts';
import { type Alarm, type AlarmFactory, nodeAlarm } from './alarm.ts';
import { Checkpointer } from './checkpointer.ts';
import { assertWrites, type Commits, groupBytesMax } from './commits.ts';
import type { LmdbDatabase } from './lmdb-database.ts';
import { Memtable, type MemtableLimits } from './memtable.ts';
import { type MemtableEntry, nameOf } from './memtable-entries.ts';
import type { Overlay, SnapshotReader } from './snapshot-reader.ts';
import { LogFullError, type WriteAheadLog } from './write-ahead-log.ts';
import { entryHeadBytes, groupHeadBytes, writeEntry } from './write-ahead-log-format.ts';

const memtableLimits: MemtableLimits = { bytes: 16 * 1024 * 1024, entries: 50_000 };

/** After so long without a write there is a checkpoint: the next start then finds nothing to recover. Milliseconds. */
const restMs = 1_000;

/**
 * After so long without a write the log is sealed: damage to its end can then be told from a torn write. The longer time holds where the seal before
 * was followed by a write at once, so that a writer that does one thing after the other does not wait for the disk twice. Milliseconds.
 *
 * Decision 0026 says why.
 */
const sealMs = 5;
const sealSlowlyMs = 50;

/** While writes follow each other without a rest, it is sealed so often, too. Milliseconds. */
const sealUnderLoadMs = 100;

/**
 * Groups that are written at the same time: the disk then does not wait for the next to be decided, nor that for the disk. A group that is less
 * than a quarter of the one before waits for more to come: each costs something of its own.
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
 * sorted, each key once. Decisions run at once on the event loop, since nothing else writes: the directory is
 * this process's alone (see `DirectoryClaim`).
 *
 * Invariant: a write is answered when its group and all groups before it are durable, in the order of the groups. If a group fails, all that
 * came after it fail, too, and leave the memtable.
 *
 * `LmdbEnvironment` owns it while the process is alone; it writes to `WriteAheadLog` and `Memtable`, and starts `Checkpointer`.
 */
export class LoggedGroupCommit implements Commits {
  readonly #reader: SnapshotReader;
  readonly #log: WriteAheadLog;
  readonly #memtable: Memtable;
  readonly #checkpointer: Checkpointer;
  /** Decided, and not on its way to the disk yet. */
  #open: Group | undefined;
  #nextGroup = 1;
  /** On their way to the disk, the oldest first. Their writers are answered in that order. */
  readonly #writing: Group[] = [];
  #willWrite = false;
  #running: Promise<void> | undefined;
  /** Writes that came while a checkpoint was behind, or while the open group was full. */
  #held: (() => void)[] = [];
  #slab = Buffer.allocUnsafeSlow(slabBytes);
  #slabUsed = 0;
  /** Set once it is not known what the log holds. */
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

  /** What readers have to see before LMDB. */
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
   * Checkpoints all there is and ends. Writes that come meanwhile go to the successor.
   *
   * @throws {StorageError} when the checkpoint fails. All is still in the log.
   */
  async finish(successor: Promise<Commits>): Promise<void> {
    this.#successor ??= successor;
    this.#restAlarm.clear();
    this.#sealAlarm.clear();
    this.#release();
    await this.idle();
    // Twice: first what failed before, if any; then what has come since.
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

  /** Makes a decision, or has it wait. */
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
      // It may rest on what the same group has written, so it waits for it as an answer does.
      group.settles.push(() => reject(error));
    } finally {
      this.#reader.releaseValues();
    }
    group.rejects.push(reject);
    if (this.#running === undefined) this.#running = this.#run();
    else if (this.#writing.length < groupsInFlight) this.#writeSoon();
  }

  /** Once this turn of the event loop is over. */
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

  /** Room at the end of a group. Where the slab ends, the group moves to a new one; entries keep their memory in the old. */
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
    // Whatever comes in this turn of the event loop is in time for the first group.
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

  /** Hands the open group to the disk, if it need not wait. */
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
    // To continue in the other file, or in a longer one, nothing may be on its way. A failure fails all that came after it.
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
    // Without it the log is as it was: only damage to its last groups is not noticed.
    this.#log.seal().catch(() => undefined);
  }

  #noteOvertakenSeal(): void {
    if (!this.#isSealed) return;
    this.#sealAfterMs = performance.now() - this.#sealedAtMs < sealSlowlyMs ? sealSlowlyMs : sealMs;
    this.#isSealed = false;
  }

  /** Admits writes that had to wait. Those that still have to, wait on. */
  #release(): void {
    for (const attempt of this.#held.splice(0)) attempt();
  }

  /** A disk that is full lost nothing but these groups; after any other failure it is not known what is on it. */
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

  /** What is in LMDB need not stay in the log; and the other file may be longer. */
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
