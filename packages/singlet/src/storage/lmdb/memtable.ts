import type { CheckpointLag } from '../store.ts';
import type { Overlay } from './snapshot-reader.ts';
import { type EntryValue, MemtableEntries, MemtableEntry, spaceOfKey } from './memtable-entries.ts';

/** The size of a memtable that makes a checkpoint due. While one runs, twice as much may be added; then writes wait for it. */
export interface MemtableLimits {
  readonly bytes: number;
  readonly entries: number;
}

/**
 * Writes that are decided and not in LMDB yet: the _active_ entries, which grow, and the _frozen_ ones, which a checkpoint is writing to LMDB.
 *
 *     decision ─ record ─> active ─ freeze ─> frozen ─ checkpoint done ─> gone: LMDB has it
 *
 * Invariant: for every key, the newest of active, frozen and LMDB is the last decided value; the newest durable one of them is the last
 * acknowledged value. Each entry knows its group and the entry it replaced, so that readers see durable values and decisions see decided ones.
 *
 * `LoggedGroupCommit` records entries and says which groups are durable, `Checkpointer` freezes and releases, `SnapshotReader` reads.
 */
export class Memtable implements Overlay {
  readonly #limits: MemtableLimits;
  #active = new MemtableEntries();
  #activeBytes = 0;
  /** When the first of the active entries was added. */
  #activeSinceMs: number | undefined;
  #frozenLog = { bytes: 0, sinceMs: 0 };
  #frozen: MemtableEntries | undefined;
  #durableGroup = 0;
  #version = 0;

  constructor(limits: MemtableLimits) {
    this.#limits = limits;
  }

  get version(): number {
    return this.#version;
  }

  isEmpty(): boolean {
    return this.#active.size === 0 && this.#frozen === undefined;
  }

  mayHave(key: Uint8Array): boolean {
    const space = spaceOfKey(key);
    return this.#active.hasSpace(space) || this.#frozen?.hasSpace(space) === true;
  }

  /** For readers: the durable value. */
  durable(name: string): MemtableEntry | undefined {
    return this.#newestDurable(name) ?? this.#frozen?.get(name);
  }

  /** For decisions: the decided value. */
  latest(name: string): MemtableEntry | undefined {
    return this.#active.get(name) ?? this.#frozen?.get(name);
  }

  *namesIn(from: Uint8Array, to: Uint8Array, reverse: boolean): Generator<string> {
    const newer = this.#active.namesIn(from, to, reverse);
    if (this.#frozen === undefined) {
      yield* newer;
      return;
    }
    const older = this.#frozen.namesIn(from, to, reverse);
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

  /** Whether the active entries have reached this multiple of the limits. */
  holds(times: number): boolean {
    return this.#activeBytes >= times * this.#limits.bytes || this.#active.size >= times * this.#limits.entries;
  }

  /** The part of the log that is not yet in LMDB. @param nowMs - by the monotonic clock. */
  lag(nowMs: number): CheckpointLag {
    const sinceMs = this.#frozen === undefined ? this.#activeSinceMs : this.#frozenLog.sinceMs;
    return {
      bytes: this.#activeBytes + (this.#frozen === undefined ? 0 : this.#frozenLog.bytes),
      ageMs: sinceMs === undefined ? 0 : nowMs - sinceMs,
    };
  }

  /** Adds a write of a decision. @param bytes - its size in the log. */
  record(name: string, value: EntryValue | undefined, group: number, bytes: number): MemtableEntry {
    const present = this.#active.get(name);
    // Of the durable entries only the newest counts; of the same group, only the entry from before it.
    const before = present?.group === group ? present.before : present;
    const entry = new MemtableEntry(
      name,
      value,
      group,
      before === undefined ? undefined : withoutPast(before, this.#durableGroup),
    );
    this.#active.set(entry, present === undefined);
    this.#activeBytes += bytes;
    this.#activeSinceMs ??= performance.now();
    return entry;
  }

  /** Marks a group, and all before it, as durable: readers see them from now on. */
  markDurable(group: number): void {
    this.#durableGroup = group;
  }

  /** Removes the write of a group that will never be durable. The writes of later groups must be removed, too: before or afterwards. */
  takeBack(name: string): void {
    const entry = this.#newestDurable(name);
    if (entry !== undefined) {
      this.#active.set(entry);
      return;
    }
    this.#active.delete(name);
    if (this.#active.size > 0) return;
    this.#activeBytes = 0;
    this.#activeSinceMs = undefined;
  }

  get frozen(): MemtableEntries | undefined {
    return this.#frozen;
  }

  /** Freezes the durable entries. Those that are decided but not durable (`open`, of one group) stay active. */
  freeze(open: readonly MemtableEntry[]): MemtableEntries {
    const frozen = this.#active;
    this.#frozenLog = { bytes: this.#activeBytes, sinceMs: this.#activeSinceMs ?? performance.now() };
    this.#active = new MemtableEntries();
    this.#activeBytes = 0;
    this.#activeSinceMs = open.length === 0 ? undefined : performance.now();
    for (const { name } of open) {
      const entry = frozen.get(name);
      if (entry === undefined || entry.group <= this.#durableGroup) continue;
      this.#active.set(entry.withoutPast());
      if (entry.before === undefined) frozen.delete(name);
      else frozen.set(entry.before);
    }
    this.#frozen = frozen;
    return frozen;
  }

  /** Drops the frozen entries: LMDB has them. */
  releaseFrozen(): void {
    this.#frozen = undefined;
    this.#version += 1;
  }

  /** The newest durable one of the active entries. */
  #newestDurable(name: string): MemtableEntry | undefined {
    let entry = this.#active.get(name);
    while (entry !== undefined && entry.group > this.#durableGroup) entry = entry.before;
    return entry;
  }
}

/** An entry without the older entries that readers cannot see any more. */
function withoutPast(entry: MemtableEntry, durableGroup: number): MemtableEntry {
  return entry.group <= durableGroup && entry.before !== undefined ? entry.withoutPast() : entry;
}
