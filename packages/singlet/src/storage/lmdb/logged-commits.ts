import { StorageError } from '../storage-error.ts';
import type { Decision, StoreValue, StoreWrite } from '../store.ts';
import { assertWrites, type Commits, groupBytesMax } from './commits.ts';
import { appliedKey, encodeGeneration } from './applied-mark.ts';
import { runTransaction } from './exit-guard.ts';
import type { LmdbDatabase } from './lmdb-database.ts';
import { reasonOf } from './lmdb-failure.ts';
import { inPackingOrder } from './packing-order.ts';
import type { Overlay, SnapshotReader } from './snapshot-reader.ts';
import { nameOf, UnappliedEntries, UnappliedEntry } from './unapplied-entries.ts';
import { LogFullError, type WriteLog } from './write-log.ts';
import { entryHeadBytes, groupHeadBytes, writeEntry } from './write-log-format.ts';

/** How much a log holds before it is applied. While it is being applied, twice as much may come; then writes wait for it. */
export interface LogLimits {
  readonly bytes: number;
  readonly entries: number;
}

const logLimits: LogLimits = { bytes: 16 * 1024 * 1024, entries: 50_000 };

/** After so long without a write, what is in the log is applied: the next start then finds nothing to do. Milliseconds. */
const restMs = 1_000;

/**
 * Entries, and bytes of values, that LMDB commits at one time. They are handed to it in one turn of the event loop, which is held up for a
 * millisecond; it holds every page that a transaction changes in memory, a page or more for each entry, and keeps that memory for the next one.
 */
const commitEntries = 512;
const commitBytes = 4 * 1024 * 1024;

/**
 * Groups that are written at the same time: the disk then does not wait for the next to be decided, nor that for the disk. A group that is less
 * than a quarter of the one before waits for more to come: each costs something of its own.
 */
const groupsInFlight = 2;
const groupShareMin = 1 / 4;

const slabBytes = 1024 * 1024;

/**
 * Makes writes durable in a log, and brings them to LMDB later, many at once and in the order of their keys.
 *
 *     decide ─ entry in memory ─ group in the log, one wait for the disk ─ answer          (each write; two groups at a time)
 *                     └───────────── sorted, to LMDB's own thread, one transaction           (each 16 MB)
 *
 * A page of LMDB that changes is written whole, so a write at a random place costs a page or more; from the log they come to it by
 * the thousand, sorted, each key once. Decisions run at once on the event loop, since nothing else writes: the directory is
 * this process's alone (see `DirectoryClaim`).
 *
 * Decisions see all that was decided before them; readers, what is durable.
 */
export class LoggedCommits implements Commits, Overlay {
  readonly #database: LmdbDatabase;
  readonly #reader: SnapshotReader;
  readonly #log: WriteLog;
  readonly #limits: LogLimits;
  /** Not applied, and newer than what is being applied. */
  #entries = new UnappliedEntries();
  #entriesBytes = 0;
  #applying: { readonly entries: UnappliedEntries; readonly done: Promise<void> } | undefined;
  /** Counts what has been applied. */
  #version = 0;
  #open: Group | undefined;
  #nextGroup = 1;
  #durableGroup = 0;
  /** On their way to the disk, the oldest first. Their writers are answered in that order. */
  readonly #writing: Group[] = [];
  #willWrite = false;
  #running: Promise<void> | undefined;
  /** Writes that came while too much was waiting to be applied, or after the end of this log had been called. */
  #held: (() => void)[] = [];
  #slab = Buffer.allocUnsafeSlow(slabBytes);
  #slabUsed = 0;
  /** Set once nobody knows what is in the log. */
  #failure: StorageError | undefined;
  /** Why the log could not be applied, the last time. It is tried again. */
  #applyProblem: StorageError | undefined;
  #successor: Promise<Commits> | undefined;
  #restTimer: NodeJS.Timeout | undefined;

  constructor(database: LmdbDatabase, reader: SnapshotReader, log: WriteLog, limits: LogLimits = logLimits) {
    this.#database = database;
    this.#reader = reader;
    this.#log = log;
    this.#limits = limits;
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
    while (this.#isBusy()) await (this.#running ?? this.#applying?.done);
  }

  /**
   * Applies all there is and ends. Writes that come meanwhile go to whoever comes after.
   *
   * @throws {StorageError} when it cannot be applied. It is still in the log.
   */
  async finish(successor: Promise<Commits>): Promise<void> {
    this.#successor ??= successor;
    clearTimeout(this.#restTimer);
    this.#release();
    await this.idle();
    // Twice: first what could not be applied before, if any; then what has come since.
    for (let round = 0; round < 2 && this.#failure === undefined && !this.isEmpty(); round += 1) {
      this.#apply();
      await this.#applying?.done;
    }
    const problem = this.#failure ?? this.#applyProblem;
    if (problem !== undefined) throw problem;
  }

  get version(): number {
    return this.#version;
  }

  isEmpty(): boolean {
    return this.#entries.size === 0 && this.#applying === undefined;
  }

  /** For readers: what is durable. */
  durable(name: string): UnappliedEntry | undefined {
    return this.#newestDurable(name) ?? this.#applying?.entries.get(name);
  }

  /** For decisions: what is decided. */
  latest(name: string): UnappliedEntry | undefined {
    return this.#entries.get(name) ?? this.#applying?.entries.get(name);
  }

  *namesIn(from: Uint8Array, to: Uint8Array, reverse: boolean): Generator<string> {
    const newer = this.#entries.namesIn(from, to, reverse);
    if (this.#applying === undefined) {
      yield* newer;
      return;
    }
    const older = this.#applying.entries.namesIn(from, to, reverse);
    let left = newer.next();
    let right = older.next();
    while (left.done !== true || right.done !== true) {
      const takesLeft =
        right.done === true || (left.done !== true && (reverse ? left.value > right.value : left.value < right.value));
      const both = left.done !== true && right.done !== true && left.value === right.value;
      yield (takesLeft || both ? left.value : right.value) as string;
      if (takesLeft || both) left = newer.next();
      if (!takesLeft || both) right = older.next();
    }
  }

  /** Whether what is not being applied yet has reached so many times the limit. */
  #holds(times: number): boolean {
    return this.#entriesBytes >= times * this.#limits.bytes || this.#entries.size >= times * this.#limits.entries;
  }

  #isBusy(): boolean {
    return this.#running !== undefined || (this.#applying !== undefined && this.#applyProblem === undefined);
  }

  /** Makes a decision, or has it wait. */
  #admit<T>(write: PendingWrite<T>): void {
    if (this.#successor !== undefined) {
      void this.#successor.then((commits) => commits.write(write.keys, write.decide)).then(write.resolve, write.reject);
    } else if (this.#failure !== undefined) {
      write.reject(this.#failure);
    } else if (this.#applying !== undefined && this.#holds(2)) {
      if (this.#applyProblem === undefined) this.#held.push(() => this.#admit(write));
      else write.reject(this.#applyProblem);
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
      const at = this.#reserve(group, entryHeadBytes + key.length + (value === undefined ? 0 : value.length));
      const valueAt = writeEntry(this.#slab, at, key, value);
      const name = nameOf(key);
      const present = this.#entries.get(name);
      // Of what is durable only the newest counts; of the same group, only what stood there before it.
      const before = present?.group === group.number ? present.before : present;
      const entry = new UnappliedEntry(
        name,
        value && { bytes: this.#slab, start: valueAt, end: valueAt + value.length },
        group.number,
        before === undefined ? undefined : withoutPast(before, this.#durableGroup),
      );
      this.#entries.set(entry);
      group.entries.push(entry);
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
    this.#entriesBytes += bytes;
    return at;
  }

  async #run(): Promise<void> {
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
      this.#durableGroup = group.number;
      for (const settle of group.settles) settle();
      if (this.#writing.length === 0 && this.#isDue()) this.#apply();
    }
    this.#running = undefined;
    if (this.#successor !== undefined) return;
    this.#restTimer ??= setTimeout(() => this.#rest(), restMs).unref();
    this.#restTimer.refresh();
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
    // To go on in the other file, and in a longer one, takes that nothing is on its way. What has failed takes all with it that came after.
    if (this.#isDue() || !this.#log.hasRoom(this.#slabUsed - group.start)) return false;
    return this.#writing.every(({ failure }) => failure === undefined);
  }

  /** Whether it is time to apply what is durable. */
  #isDue(): boolean {
    return this.#applying === undefined && this.#holds(1);
  }

  #rest(): void {
    if (this.#running === undefined && !this.isEmpty()) this.#apply();
  }

  /** Lets in who had to wait. Who still has to, waits on. */
  #release(): void {
    for (const attempt of this.#held.splice(0)) attempt();
  }

  /** A disk that is full lost nothing but these groups; after any other failure nobody knows what is on it. */
  async #fail(cause: unknown): Promise<void> {
    await Promise.all(this.#writing.map(({ written }) => written));
    const groups = this.#open === undefined ? this.#writing.splice(0) : [...this.#writing.splice(0), this.#open];
    this.#open = undefined;
    for (const { entries } of groups) {
      for (const entry of entries) this.#takeBack(entry.name);
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

  /** What has been applied need not stay in the log. */
  #makeRoom(): void {
    if (this.isEmpty()) this.#log.turn();
    else this.#apply();
  }

  /** Of what is not being applied yet. */
  #newestDurable(name: string): UnappliedEntry | undefined {
    let entry = this.#entries.get(name);
    while (entry !== undefined && entry.group > this.#durableGroup) entry = entry.before;
    return entry;
  }

  #takeBack(name: string): void {
    const entry = this.#newestDurable(name);
    if (entry === undefined) this.#entries.delete(name);
    else this.#entries.set(entry);
  }

  /** Brings what is durable to LMDB: first what could not be brought before. */
  #apply(): void {
    if (this.#applying !== undefined) {
      if (this.#applyProblem === undefined || this.#failure !== undefined) return;
      this.#applyProblem = undefined;
      this.#begin(this.#applying.entries, this.#log.generation - 1);
      return;
    }
    const entries = this.#entries;
    this.#entries = new UnappliedEntries();
    this.#entriesBytes = 0;
    this.#keepOpenGroup(entries);
    this.#begin(entries, this.#log.generation);
    this.#log.turn();
  }

  /** What is decided and not durable stays with what comes later. */
  #keepOpenGroup(entries: UnappliedEntries): void {
    for (const { name } of this.#open?.entries ?? []) {
      const entry = entries.get(name);
      if (entry === undefined || entry.group <= this.#durableGroup) continue;
      this.#entries.set(entry.withoutPast());
      if (entry.before === undefined) entries.delete(name);
      else entries.set(entry.before);
    }
  }

  #begin(entries: UnappliedEntries, generation: number): void {
    const done = this.#putAll(entries, generation).then(
      () => {
        this.#applying = undefined;
        this.#version += 1;
        this.#release();
      },
      (error: unknown) => {
        // It stays, for readers: it is acknowledged, and in the log.
        const reason = error instanceof Error ? error.message : String(error);
        const message = `what was written before could not be brought to the data file (${reason}); nothing was written`;
        this.#applyProblem = new StorageError('io', message, { cause: error });
        if (!this.#reader.usable()) this.#failure = this.#applyProblem;
        if (this.#successor === undefined) this.#restTimer?.refresh();
        this.#release();
      },
    );
    this.#applying = { entries, done };
  }

  async #putAll(entries: UnappliedEntries, generation: number): Promise<void> {
    let commits = new CommitPromises(this.#database);
    let count = 0;
    let bytes = 0;
    for (const { key, value } of inPackingOrder(entries.sorted())) {
      commits.add(value === undefined ? this.#database.remove(key) : this.#database.put(key, value));
      count += 1;
      bytes += value === undefined ? 0 : value.length;
      if (count >= commitEntries || bytes >= commitBytes) {
        await commits.done();
        commits = new CommitPromises(this.#database);
        count = 0;
        bytes = 0;
      }
    }
    await commits.done();
    // Not before: the package may commit it by itself, and where a commit before that has failed, what was in it would be lost.
    const mark = new CommitPromises(this.#database);
    mark.add(this.#database.put(appliedKey, encodeGeneration(generation)));
    await mark.done();
  }
}

/** A write that its caller waits for. */
interface PendingWrite<T> {
  readonly keys: readonly Uint8Array[];
  readonly decide: (values: readonly StoreValue[]) => Decision<T>;
  readonly resolve: (answer: T) => void;
  readonly reject: (error: unknown) => void;
}

/** After so long without an answer it is asked whether there will be one. Milliseconds. */
const askMs = 1_000;

/**
 * Waits for what was handed to LMDB. Writes of one transaction share a promise, which is listened to at once: it may fail long before the
 * last is put.
 *
 * Now and then the package forgets to tell that a commit has failed (seen with a full disk, in one of some ten runs). Writes are made in
 * order, so once a later transaction has ended, a promise that is still open is such a one.
 */
class CommitPromises {
  readonly #database: LmdbDatabase;
  readonly #problems = new Map<Promise<unknown>, Promise<unknown>>();

  constructor(database: LmdbDatabase) {
    this.#database = database;
  }

  add(commit: Promise<unknown>): void {
    if (!this.#problems.has(commit))
      this.#problems.set(
        commit,
        commit.then(() => undefined, reasonOf),
      );
  }

  /** @throws what the commit failed with. What was written may be written again. */
  async done(): Promise<void> {
    const problems = Promise.all(this.#problems.values());
    const found = (await within(askMs, problems)) ?? (await this.#ask(problems));
    for (const problem of found) {
      if (problem !== undefined) throw problem;
    }
  }

  async #ask(problems: Promise<unknown[]>): Promise<unknown[]> {
    await runTransaction(this.#database, () => undefined).catch(() => undefined);
    return (await within(askMs, problems)) ?? [new Error('a commit failed, and nothing is known of why')];
  }
}

/** @returns undefined if it takes longer. */
async function within<T>(ms: number, promise: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** An entry, without what readers cannot see any more. */
function withoutPast(entry: UnappliedEntry, durableGroup: number): UnappliedEntry {
  return entry.group <= durableGroup && entry.before !== undefined ? entry.withoutPast() : entry;
}

/** Decisions that one wait for the disk makes durable. */
class Group {
  readonly number: number;
  /** Where it begins in the slab. */
  start: number;
  readonly entries: UnappliedEntry[] = [];
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
