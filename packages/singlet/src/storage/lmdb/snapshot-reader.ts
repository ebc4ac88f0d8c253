import { compareBytes, equalBytes } from '../byte-order.ts';
import { checkpointMarkKey, firstKeyBound } from './checkpoint-mark.ts';
import { driverKeyPrefix } from './driver-keys.ts';
import { assertKey } from '../caller-checks.ts';
import type { CallerGuard } from '../caller-checks.ts';
import { partitionPrefixBytes } from '../store.ts';
import type { RangeEnd, RangeRequest, RangeVisitor, StoreValue } from '../store.ts';
import { keyBytesMax } from './key-bytes-max.ts';
import { viewOf } from './lmdb-database.ts';
import {
  type EntryCursor,
  type KeptCursor,
  type LmdbRangeOptions,
  type LmdbReadTransaction,
  type OpenedDatabase,
  ownReadTransaction,
} from './lmdb-package.ts';
import { readFailure } from './lmdb-failure.ts';
import { nameOf, type MemtableEntry } from './memtable-entries.ts';
import { ValueArena } from './value-arena.ts';

/** Entries that are written and not in LMDB yet: the memtable. */
export interface Overlay {
  /** Changes with each checkpoint. Until then, LMDB's values do not change for any key that is not here. */
  readonly version: number;
  isEmpty(): boolean;
  /** False where there is certainly no entry for a key: costs less than looking for it. */
  mayHave(key: Uint8Array): boolean;
  /** For readers: the durable value. */
  durable(name: string): MemtableEntry | undefined;
  /** For decisions: the decided value. */
  latest(name: string): MemtableEntry | undefined;
  /** Names of keys in a range, ascending or descending. Some may have no durable entry. */
  namesIn(from: Uint8Array, to: Uint8Array, reverse: boolean): Iterator<string>;
}

/** Larger values are not kept for the next read. */
const keptBytesMax = 256;

/** Any key will do: the probe only tests whether reading works. */
const probeKey = new Uint8Array(partitionPrefixBytes);

/**
 * Reads from a database, each time from its newest state.
 *
 * The package's own snapshots live until a timer fires, so a read could miss a write that was acknowledged to another
 * process; and starting such a timer costs as much as the read. So this class has one read transaction, and each call
 * ends by releasing its snapshot. A retained snapshot would also keep old pages from being reused, and the file
 * would grow.
 */
export class SnapshotReader {
  /** Takes precedence over LMDB. */
  overlay: Overlay | undefined;
  readonly #opened: OpenedDatabase;
  readonly #guard: CallerGuard;
  readonly #arena = new ValueArena();
  readonly #transaction: LmdbReadTransaction;
  readonly #readOptions: { readonly transaction: LmdbReadTransaction };
  readonly #cursor: KeptCursor | undefined;
  #kept: KeptValue | undefined;

  constructor(opened: OpenedDatabase, guard: CallerGuard) {
    this.#opened = opened;
    this.#guard = guard;
    this.#transaction = ownReadTransaction(opened);
    this.#readOptions = { transaction: this.#transaction };
    this.#cursor = opened.openCursor?.(this.#transaction);
    opened.releaseSnapshot(this.#transaction);
  }

  /** Passes the newest values of some keys to `body`. */
  read<T>(keys: readonly Uint8Array[], body: (values: readonly StoreValue[]) => T): T {
    try {
      return this.#guard.run(body, this.#valuesOf(keys, this.overlay, durableEntry));
    } finally {
      this.#arena.reset();
      this.#opened.releaseSnapshot(this.#transaction);
    }
  }

  /** Passes the values that a decision reads. Values that it returns as writes live until `releaseValues`. */
  readForDecision<T>(keys: readonly Uint8Array[], body: (values: readonly StoreValue[]) => T): T {
    try {
      return this.#guard.run(body, this.#valuesOf(keys, this.overlay, latestEntry));
    } finally {
      this.#opened.releaseSnapshot(this.#transaction);
    }
  }

  /** Reads the checkpoint mark, inside a write transaction or outside. */
  readCheckpointMark<T>(decode: (mark: StoreValue) => T): T {
    return this.readOfDriver(checkpointMarkKey, decode);
  }

  /** Reads an entry that is not of the contract, inside a write transaction or outside. */
  readOfDriver<T>(key: Uint8Array, decode: (value: StoreValue) => T): T {
    try {
      return decode(this.#get(key));
    } finally {
      this.#opened.releaseSnapshot(this.#transaction);
    }
  }

  /** The same from inside a write transaction, whose own writes it sees. `body` may return the values as writes. */
  readForWrite<T>(keys: readonly Uint8Array[], body: (values: readonly StoreValue[]) => T): T {
    return this.#guard.run(body, this.#valuesOf(keys));
  }

  /** Invalidates the values of `readForWrite` and `readForDecision`. */
  releaseValues(): void {
    this.#arena.reset();
  }

  /** Visits entries of LMDB that are not of the contract, outside a write transaction. */
  rangeOfDriver({ from, to }: RangeRequest, visit: RangeVisitor): void {
    const cursor = new PackageCursor(this.#opened, optionsOf(from, to, false, this.#transaction));
    try {
      visitAll({ cursor, visit, limit: Infinity });
    } finally {
      cursor.close();
      this.#opened.releaseSnapshot(this.#transaction);
    }
  }

  range(request: RangeRequest, visit: RangeVisitor): RangeEnd {
    const { guard } = request;
    const isEmpty = compareBytes(request.from, request.to) >= 0;
    if (isEmpty && guard === undefined) return 'end';
    let made: PackageCursor | undefined;
    try {
      // In the transaction of the cursor, and so of the same snapshot.
      if (guard !== undefined) this.#guard.run(guard.check, this.#valuesOf(guard.keys, this.overlay));
      if (isEmpty) return 'end';
      const options = rangeOptions(request, this.#transaction);
      // The fast path of a cursor for each range, with the same entries (native-cursor.test.ts).
      const kept = this.#cursor;
      kept?.begin(options);
      const stored = kept ?? (made = this.#cursorOver(options));
      const { overlay } = this;
      const cursor = overlay === undefined || overlay.isEmpty() ? stored : new MergedCursor(stored, overlay, request);
      return this.#guard.run(visitAll, { cursor, visit, limit: request.limit ?? Infinity });
    } finally {
      // A cursor has to be closed before its snapshot is released.
      made?.close();
      this.#arena.reset();
      this.#opened.releaseSnapshot(this.#transaction);
    }
  }

  /** Whether LMDB still starts transactions. It does not after a failure that left the state of the file in doubt. */
  usable(): boolean {
    try {
      this.#get(probeKey);
      return true;
    } catch {
      // Every error means the same.
      return false;
    } finally {
      this.#opened.releaseSnapshot(this.#transaction);
    }
  }

  close(): void {
    this.#cursor?.close();
    this.#transaction.done();
  }

  #valuesOf(keys: readonly Uint8Array[], overlay?: Overlay, lookUp: LookUp = durableEntry): readonly StoreValue[] {
    for (const key of keys) assertKey(key, keyBytesMax);
    const isCovered = overlay !== undefined && !overlay.isEmpty();
    const values: StoreValue[] = [];
    try {
      const last = keys.length - 1;
      for (let at = 0; at <= last; at += 1) {
        const key = keys[at] as Uint8Array; // within the bounds
        const entry = isCovered && overlay.mayHave(key) ? lookUp(overlay, nameOf(key)) : undefined;
        if (entry !== undefined) values.push(entry.value);
        else if (at === 0 && overlay !== undefined) values.push(this.#getFirst(key, overlay.version, last === 0));
        // The package reads into one buffer, which stays intact after the last value. So the last value can be read in place.
        else values.push(at === last ? this.#get(key) : this.#getCopy(key));
      }
    } catch (error) {
      throw readFailure(error);
    }
    return values;
  }

  /** The first key often is that of the previous call: the fence that tells whether a table has changed. */
  #getFirst(key: Uint8Array, version: number, isLast: boolean): StoreValue {
    const kept = this.#kept;
    if (kept !== undefined && kept.version === version && equalBytes(kept.key, key)) return kept.value;
    const value = this.#get(key);
    if (value === undefined) return undefined;
    if (value.length > keptBytesMax) return isLast ? value : this.#arena.copy(value);
    this.#kept = { key: new Uint8Array(key), value: new Uint8Array(value), version };
    return this.#kept.value;
  }

  #getCopy(key: Uint8Array): StoreValue {
    const value = this.#get(key);
    return value && this.#arena.copy(value);
  }

  #cursorOver(options: LmdbRangeOptions): PackageCursor {
    try {
      return new PackageCursor(this.#opened, options);
    } catch (error) {
      throw readFailure(error);
    }
  }

  #get(key: Uint8Array): StoreValue {
    const bytes = this.#opened.database.getBinaryFast(key, this.#readOptions);
    return bytes === undefined ? undefined : viewOf(bytes);
  }
}

/** LMDB's value for a key, in separate memory. */
interface KeptValue {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
  /** Version of the memtable. */
  readonly version: number;
}

type LookUp = (overlay: Overlay, name: string) => MemtableEntry | undefined;

const durableEntry: LookUp = (overlay, name) => overlay.durable(name);
const latestEntry: LookUp = (overlay, name) => overlay.latest(name);

interface Entry {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}

/** The cursor that the package makes for a range. */
class PackageCursor implements EntryCursor {
  readonly #iterator: Iterator<Entry>;
  #entry: Entry | undefined;

  constructor({ database }: OpenedDatabase, range: LmdbRangeOptions) {
    this.#iterator = database.getRange(range)[Symbol.iterator]();
  }

  get key(): Uint8Array {
    return (this.#entry as Entry).key; // there is one after `next`
  }

  get value(): Uint8Array {
    return (this.#entry as Entry).value; // there is one after `next`
  }

  next(): boolean {
    const next = this.#iterator.next();
    if (next.done === true) return false;
    this.#entry = next.value;
    return true;
  }

  close(): void {
    this.#iterator.return?.();
  }
}

/** The entries of LMDB and of the overlay, merged. If both have a key, the overlay's entry wins. */
class MergedCursor implements EntryCursor {
  readonly #stored: EntryCursor;
  readonly #overlay: Overlay;
  readonly #names: Iterator<string>;
  readonly #reverse: boolean;
  /** Whether the cursor of LMDB is at an entry that has not been visited; undefined while that is unknown. */
  #hasStored: boolean | undefined;
  #inMemtable: MemtableEntry | undefined;
  #entry: Entry;

  constructor(stored: EntryCursor, overlay: Overlay, { from, to, reverse = false }: RangeRequest) {
    this.#stored = stored;
    this.#overlay = overlay;
    this.#reverse = reverse;
    this.#names = overlay.namesIn(from, to, reverse);
    this.#inMemtable = this.#nextInMemtable();
    this.#entry = stored;
  }

  get key(): Uint8Array {
    return this.#entry.key;
  }

  get value(): Uint8Array {
    return this.#entry.value;
  }

  next(): boolean {
    for (;;) {
      // Only now: the next value is read into the same buffer.
      this.#hasStored ??= moves(this.#stored);
      const entry = this.#inMemtable;
      const order = this.#compare(entry);
      if (entry === undefined || order < 0) {
        this.#entry = this.#stored;
        if (!this.#hasStored) return false;
        this.#hasStored = undefined;
        return true;
      }
      const { key, value } = entry;
      if (order === 0) this.#hasStored = undefined;
      this.#inMemtable = this.#nextInMemtable();
      if (value === undefined) continue;
      this.#entry = { key, value };
      return true;
    }
  }

  #nextInMemtable(): MemtableEntry | undefined {
    for (let next = this.#names.next(); next.done !== true; next = this.#names.next()) {
      const entry = this.#overlay.durable(next.value);
      if (entry !== undefined) return entry;
    }
    return undefined;
  }

  /** The order of LMDB's next entry and the memtable's. */
  #compare(entry: MemtableEntry | undefined): number {
    if (entry === undefined) return -1;
    if (this.#hasStored !== true) return 1;
    const order = compareBytes(this.#stored.key, entry.key);
    return this.#reverse ? -order : order;
  }
}

interface Visit {
  readonly cursor: EntryCursor;
  readonly visit: RangeVisitor;
  readonly limit: number;
}

function visitAll({ cursor, visit, limit }: Visit): RangeEnd {
  for (let count = 1; ; count += 1) {
    if (!moves(cursor)) return 'end';
    if (!visit(cursor.key, cursor.value) || count >= limit) return 'stopped';
  }
}

/** Moves a cursor to its next entry. */
function moves(cursor: EntryCursor): boolean {
  try {
    return cursor.next();
  } catch (error) {
    throw readFailure(error);
  }
}

/** Always has the same members, because the package reads each of them. */
function rangeOptions(request: RangeRequest, transaction: LmdbReadTransaction): LmdbRangeOptions {
  // The checkpoint mark sorts before all keys of the contract, and other entries of the driver after them.
  const from = compareBytes(request.from, firstKeyBound) < 0 ? firstKeyBound : shorten(request.from);
  const to = compareBytes(request.to, driverKeyPrefix) > 0 ? driverKeyPrefix : shorten(request.to);
  return optionsOf(from, to, request.reverse === true, transaction);
}

function optionsOf(
  from: Uint8Array,
  to: Uint8Array,
  reverse: boolean,
  transaction: LmdbReadTransaction,
): LmdbRangeOptions {
  const [start, end] = reverse ? [to, from] : [from, to];
  return { start, end, reverse, exclusiveStart: reverse, inclusiveEnd: reverse, transaction };
}

/** Cuts a bound that is longer than any key to where it still sorts the same way against every key. */
function shorten(bound: Uint8Array): Uint8Array {
  return bound.length > keyBytesMax + 1 ? bound.subarray(0, keyBytesMax + 1) : bound;
}
