/**
 * The contract between the engine and the storage below it.
 *
 * A store is one ordered map from byte keys to byte values. Order is unsigned byte order (memcmp), shorter first.
 *
 * Every key starts with 4 bytes *space* (which table, index or internal list) and 16 bytes *hash* (of the partition
 * key): these 20 bytes name a **partition**. Keys of one partition are read together and written together cheaply; a
 * driver that spreads data over machines places it by the hash, so that equal hashes of different spaces are together.
 *
 *     | space 4 | hash 16 | rest: 0 to 3,090 bytes |
 *
 * Keys that begin with 21 bytes 0xff are the driver's own.
 *
 * There are three verbs. All are safe to call concurrently, from any number of callers.
 *
 * Who owns which bytes: the views that a store returns may be its own memory and must never be written to. The keys of a
 * request must not change until the call has ended. The store copies what `decide` returns before anything else runs, so
 * the next decision may reuse its buffers; a view that `decide` was given may be among the values it returns.
 *
 * The functions passed in (`body`, `visit`, `decide`) run while the store is in the middle of something and must not
 * call it. Doing so, or passing a key that is shorter than a partition's prefix or longer than `manifest.keyBytesMax`,
 * is a bug of the caller: it fails with an `AssertionError`, and nothing is read or written.
 *
 * Decision 0002 explains the design.
 */
export interface Store {
  /** The capabilities of this driver. */
  readonly manifest: StoreManifest;

  /**
   * Point reads, all from one consistent snapshot that contains every write acknowledged before the call.
   *
   * `body` is called once, synchronously, with one value per key (undefined for a missing key), and its result is the
   * result of the call. The values are views that are valid only until `body` returns; copy what you keep.
   */
  read<T>(keys: readonly Uint8Array[], body: (values: readonly StoreValue[]) => T): T | Promise<T>;

  /**
   * Visits the entries of a key range in order, from one consistent snapshot that contains every write acknowledged
   * before the call. Ends when the range ends, when `visit` returns false (that entry has been visited), or after `limit`.
   *
   * `visit` is synchronous, and the views it is given are valid only until it returns. It must not call the store.
   * The bounds may be of any length, longer than any key or empty.
   *
   * @returns why it stopped: `'end'` when the range is exhausted, `'stopped'` otherwise. The driver does not look past the entry at
   *   which it stops, so it is `'stopped'` even when that entry was the last one.
   */
  range(request: RangeRequest, visit: RangeVisitor): RangeEnd | Promise<RangeEnd>;

  /**
   * The only way to write. Reads `keys`, calls `decide` with what was read, and applies what it returns: atomically,
   * as if no other write ran at the same time (serialisable), and durably.
   *
   * - `decide` must be pure: it may run several times and only the last run counts. Views are valid only until it returns.
   * - The promise resolves with `answer` only once the writes, and all writes that the decision could have seen, are
   *   durable to the degree of `manifest.durability`.
   * - If `decide` throws, nothing is written and the promise rejects with that error (after the same wait).
   * - The order of `writes` does not matter; a key appears at most once.
   *
   * @throws {StorageError} when the store failed; nothing of the decision was written, or (`code: 'unknown-outcome'`)
   *   the store cannot tell.
   */
  write<T>(keys: readonly Uint8Array[], decide: (values: readonly StoreValue[]) => Decision<T>): Promise<T>;

  /** How far the driver's log is ahead of its data file; absent from a driver without a log. */
  checkpointLag?(): CheckpointLag;

  /** Finishes running calls, flushes and releases everything. Later calls reject with `code: 'closed'`. Idempotent. */
  close(): Promise<void>;
}

/** What a log holds that is not yet in the data file. */
export interface CheckpointLag {
  /** Bytes in the log; zero when everything has been moved. */
  readonly bytes: number;
  /** How long the oldest of these bytes has waited, milliseconds. */
  readonly ageMs: number;
}

/** A stored value; undefined for a missing key. */
export type StoreValue = Uint8Array | undefined;

/** Which entries to visit, and in which direction. */
export interface RangeRequest {
  /** First key, inclusive. */
  readonly from: Uint8Array;
  /** Last key, exclusive. An empty or inverted range is legal and has no entries. */
  readonly to: Uint8Array;
  /** Visit from the highest key to the lowest. */
  readonly reverse?: boolean;
  /** Visit at most this many entries (at least 1). Without it the visitor decides. */
  readonly limit?: number;
  /** What must hold for the entries to be of use. It costs no round trip of its own. */
  readonly guard?: RangeGuard;
}

/** Keys that are read together with a range, from the same snapshot. */
export interface RangeGuard {
  /** Any number of keys, of any partition. */
  readonly keys: readonly Uint8Array[];
  /**
   * Called once, synchronously, before the first entry is visited, also for a range without entries, with one value per key (undefined for a
   * missing key). The rules for `body` of `read` apply. If it throws, nothing is visited, and the error is that of the range.
   */
  readonly check: (values: readonly StoreValue[]) => void;
}

/** Sees one entry; returns whether to continue. */
export type RangeVisitor = (key: Uint8Array, value: Uint8Array) => boolean;

/** Why a range ended: no entry is left, or the visitor or the limit stopped it. */
export type RangeEnd = 'end' | 'stopped';

/** What a decision function returns: its answer and its writes. */
export interface Decision<T> {
  /** What `write` resolves with, once the writes are durable. */
  readonly answer: T;
  /** Applied together or not at all; empty to write nothing. No key twice. */
  readonly writes: readonly StoreWrite[];
}

/** Sets a key, or (`value: undefined`) removes it; removing a missing key is not an error. */
export interface StoreWrite {
  /** The key, at most `keyBytesMax` long. */
  readonly key: Uint8Array;
  /** The new value; undefined removes the entry. */
  readonly value: StoreValue;
}

/** The identity and capabilities of a driver. The conformance suite decides what to skip from this alone. */
export interface StoreManifest {
  /** The driver's name, for messages. */
  readonly name: string;
  /** What survives a crash: nothing (`'none'`), or every acknowledged write, through `kill -9` and power loss (`'disk'`). */
  readonly durability: 'none' | 'disk';
  /** How values are stored: encrypted, plain (the meaning when absent), or not at all because nothing outlives the process. */
  readonly atRest?: 'nothing' | 'plain' | 'encrypted';
  /**
   * Whether all values that it returns are in memory that only this process writes, and stay there unchanged after the call: readers then need
   * neither verify nor copy them. False when absent.
   */
  readonly readsOwnMemory?: boolean;
  /** Whether several processes may open the same data at once. */
  readonly multiProcess: boolean;
  /** Whether these may be on several machines, so that they reach each other through the data only. */
  readonly multiServer?: boolean;
  /** Longest key, bytes. At least 3,110. */
  readonly keyBytesMax: number;
}

/** Bytes of the space and hash that start every key. */
export const partitionPrefixBytes = 20;
