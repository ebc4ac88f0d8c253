import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { StorageError } from '../storage-error.ts';
import type { StoreWrite } from '../store.ts';
import { driverKeyPrefix } from './driver-keys.ts';
import { runTransaction } from './exit-guard.ts';
import type { LmdbDatabase } from './lmdb-package.ts';
import type { ReadableLog, RecoveredGeneration } from './log-archive.ts';
import type { SnapshotReader } from './snapshot-reader.ts';
import type { ClosedGeneration } from './write-ahead-log.ts';
import {
  beginGroup,
  endOfBegin,
  entryHeadBytes,
  groupHeadBytes,
  type LogEnd,
  noEnd,
  nonceOf,
  readGroupHead,
  writeEntry,
  writeGroupHead,
} from './write-ahead-log-format.ts';

/*
 * The entries of the shared log in a data file, after all keys of the contract. Numbers are big-endian.
 *
 *     prefix | 0                                        state: checksum 4 | JSON
 *     prefix | 1 | generation 8 | group 4 | part 2      a part of a group, in the format of the write-ahead log
 */
const stateKey: Buffer = Buffer.concat([driverKeyPrefix, Buffer.from([0])]);
const groupKeyStart: Buffer = Buffer.concat([driverKeyPrefix, Buffer.from([1])]);

/** Larger groups are stored in parts: LMDB's package maps values of 16 MB and more, and does not copy them. */
const partBytesMax = 8 * 1024 * 1024;

/** Bytes that one read returns, unless a single group is larger. */
const readBytesMax = 8 * 1024 * 1024;

/** Entries that one transaction removes: other transactions wait for it. */
const removedAtOnce = 500;

/** Limits of a group, and of the log while it waits to be shipped. */
export interface SharedLogLimits {
  /** Bytes of groups that are kept while no process ships them. */
  readonly bytes: number;
  /** Groups of a generation; four bytes count them. */
  readonly groups: number;
}

export const sharedLogLimits: SharedLogLimits = { bytes: 1024 * 1024 * 1024, groups: 1_000_000 };

/** The state of the shared log in the data file. */
interface SharedLogState {
  readonly format: 1;
  /** In hexadecimal. */
  readonly era: string;
  /** The last transaction of the data file before the era. */
  readonly after: number;
  /** The last transaction of the data file that the log contains. */
  readonly transaction: number;
  /** Complete generations of the era whose groups still exist, the oldest first. */
  readonly closed: readonly ClosedGeneration[];
  readonly generation: number;
  readonly end: LogEnd;
  /** When the last group was written. */
  readonly lastMs: number;
  /** Bytes of all existing groups, those of earlier eras included. */
  readonly bytes: number;
  /** There was no room for a group: no more are added until the log is renewed. */
  readonly isFull: boolean;
}

export interface SharedLogOptions {
  readonly database: LmdbDatabase;
  readonly reader: SnapshotReader;
  /** Id of the store, 16 bytes. */
  readonly store: Buffer;
  /** The number of the last transaction in the data file. */
  readonly lastTransaction: () => number;
  /** Whether no other process has the directory open. */
  readonly isAlone: () => boolean;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  readonly limits?: SharedLogLimits | undefined;
}

/**
 * The log of a directory that several processes write to, for backups: each transaction that writes entries also writes them here, as a group.
 * One of the processes ships the groups and removes them.
 *
 * LMDB numbers its transactions, and the state names the last one that the log contains. So a transaction without the log (of a process that has
 * none) is detected by the next one with it. An era of the log has no gap: it begins after one transaction, and contains all later ones.
 *
 * `GroupCommit` adds groups, `LogShipper` reads and removes them.
 *
 * Decision 0095 says why.
 */
export class SharedLog implements ReadableLog {
  readonly #options: SharedLogOptions;
  readonly #limits: SharedLogLimits;
  readonly #now: () => number;

  constructor(options: SharedLogOptions) {
    this.#options = options;
    this.#limits = options.limits ?? sharedLogLimits;
    this.#now = options.now ?? Date.now;
  }

  /** The current era of the log. It changes when a transaction was written without the log, or the log was full. */
  get era(): Buffer {
    return Buffer.from(this.#present().era, 'hex');
  }

  /** The last transaction of the data file before this era. */
  get after(): number {
    return this.#present().after;
  }

  isAlone(): boolean {
    return this.#options.isAlone();
  }

  /** Inside a transaction: begins a group for its writes. */
  group(): SharedLogGroup {
    return new SharedLogGroup();
  }

  /** Inside a transaction: appends the group of its writes. */
  append(group: SharedLogGroup): void {
    const bytes = group.withRoomForHead();
    if (bytes === undefined) return;
    const state = this.#continued();
    if (state.isFull) return;
    if (state.bytes + bytes.length > this.#limits.bytes) {
      this.#putState({ ...this.#newEra(state), isFull: true });
      return;
    }
    const {
      generation,
      closed,
      end,
      bytes: held,
    } = state.end.groups < this.#limits.groups ? state : this.#turned(state);
    const timeMs = Math.max(state.lastMs, this.#now());
    const { groups: number, length, checksum: before } = end;
    const nonce = nonceOf(Buffer.from(state.era, 'hex'), generation);
    const checksum = writeGroupHead(bytes, { nonce, number, durable: number, before, timeMs });
    this.#putGroup(generation, number, bytes);
    this.#putState({
      ...state,
      generation,
      closed,
      end: { groups: number + 1, length: length + bytes.length, checksum },
      lastMs: timeMs,
      bytes: held + bytes.length,
    });
  }

  readable(): readonly ClosedGeneration[] {
    const { closed, generation, end } = this.#present();
    return [...closed, { generation, end }];
  }

  async read(generation: number, from: LogEnd, to: LogEnd): Promise<Buffer> {
    const parts: Buffer[] = [];
    let bytes = 0;
    let last = -1;
    this.#options.reader.rangeOfDriver(
      { from: groupKey(generation, from.groups), to: groupKey(generation, to.groups) },
      (key, value) => {
        const number = groupOf(key);
        if (number !== last && bytes >= readBytesMax) return false;
        last = number;
        parts.push(Buffer.from(value));
        bytes += value.length;
        return true;
      },
    );
    return Buffer.concat(parts);
  }

  /** Begins another era if this one has a gap. Afterwards the log contains all writes that are made with it. */
  async renew(): Promise<void> {
    await runTransaction(this.#options.database, () => {
      const state = this.#continued();
      if (state.isFull) this.#putState(this.#newEra(state));
    });
  }

  /** Removes the groups before a position. */
  async removeBefore(generation: number, { groups }: LogEnd): Promise<void> {
    await this.#remove(groupKey(generation, groups));
  }

  /**
   * The contents of the log, if it is complete: consecutive groups, in pieces of limited size.
   *
   * @returns undefined when there is no log, or a transaction was written without it.
   */
  async *left(): AsyncGenerator<RecoveredGeneration> {
    const { closed, generation, end } = this.#present();
    for (const each of [...closed, { generation, end }]) {
      let from = this.#firstGroup(each.generation);
      while (from !== undefined && from < each.end.groups) {
        const groups = await this.read(each.generation, { ...each.end, groups: from }, each.end);
        if (groups.length === 0) break;
        yield { generation: each.generation, groups };
        from += countGroups(groups);
      }
    }
  }

  /** Whether the log contains all writes, up to the last transaction. */
  isComplete(): boolean {
    const state = this.#state();
    return state !== undefined && !state.isFull && state.transaction === this.#options.lastTransaction();
  }

  /** Removes the log. */
  async removeAll(): Promise<void> {
    if (this.#state() === undefined) return;
    await this.#remove(groupKey(Number.MAX_SAFE_INTEGER, 0));
    await runTransaction(this.#options.database, () => void this.#options.database.remove(stateKey));
  }

  async #remove(before: Buffer): Promise<void> {
    for (;;) {
      const keys: Buffer[] = [];
      let bytes = 0;
      this.#options.reader.rangeOfDriver({ from: groupKeyStart, to: before }, (key, value) => {
        keys.push(Buffer.from(key));
        bytes += value.length;
        return keys.length < removedAtOnce;
      });
      if (keys.length === 0) return;
      await runTransaction(this.#options.database, () => {
        const state = this.#continued();
        for (const key of keys) void this.#options.database.remove(key);
        const closed = state.closed.filter(({ generation }) => groupKey(generation + 1, 0).compare(before) > 0);
        this.#putState({ ...state, closed, bytes: state.bytes - bytes });
      });
    }
  }

  #firstGroup(generation: number): number | undefined {
    let first: number | undefined;
    const bounds = { from: groupKey(generation, 0), to: groupKey(generation + 1, 0) };
    this.#options.reader.rangeOfDriver(bounds, (key) => {
      first = groupOf(key);
      return false;
    });
    return first;
  }

  /** Inside a transaction: the state to continue from, which is that of a new era if a transaction was written without the log. */
  #continued(): SharedLogState {
    const state = this.#state();
    const last = this.#options.lastTransaction();
    // Several callbacks may share one transaction: then the state already names it.
    const isWhole = state?.transaction === last || state?.transaction === last + 1;
    if (state !== undefined && (isWhole || state.isFull)) return state;
    const begun = this.#newEra(state);
    this.#putState(begun);
    return begun;
  }

  #newEra(before: SharedLogState | undefined): SharedLogState {
    const state: SharedLogState = {
      format: 1,
      era: randomBytes(16).toString('hex'),
      after: this.#options.lastTransaction(),
      transaction: 0,
      closed: [],
      // Keys of earlier eras may still be there.
      generation: (before?.generation ?? 0) + 1,
      end: noEnd,
      lastMs: before?.lastMs ?? 0,
      bytes: before?.bytes ?? 0,
      isFull: false,
    };
    return this.#withBegin(state, noEnd);
  }

  #turned(state: SharedLogState): SharedLogState {
    const closed = [...state.closed, { generation: state.generation, end: state.end }];
    return this.#withBegin({ ...state, closed, generation: state.generation + 1 }, state.end);
  }

  #withBegin(state: SharedLogState, predecessor: LogEnd): SharedLogState {
    const { era, generation } = state;
    const nonce = nonceOf(Buffer.from(era, 'hex'), generation);
    const begin = beginGroup({ store: this.#options.store, generation, nonce, predecessor });
    this.#putGroup(generation, 0, begin);
    return { ...state, end: endOfBegin(begin), bytes: state.bytes + begin.length };
  }

  #putGroup(generation: number, number: number, group: Buffer): void {
    for (let part = 0; part * partBytesMax < group.length; part += 1) {
      const bytes = group.subarray(part * partBytesMax, (part + 1) * partBytesMax);
      void this.#options.database.put(groupKey(generation, number, part), bytes);
    }
  }

  /** Inside a transaction, whose number the state then has. */
  #putState(state: SharedLogState): void {
    const text = Buffer.from(JSON.stringify({ ...state, transaction: this.#options.lastTransaction() + 1 }));
    const checksum = Buffer.alloc(4);
    checksum.writeUInt32BE(crc32(text));
    void this.#options.database.put(stateKey, Buffer.concat([checksum, text]));
  }

  /** @throws {StorageError} when no era has begun. */
  #present(): SharedLogState {
    const state = this.#state();
    if (state === undefined) throw new StorageError('damaged', 'the data file has lost its record of the shared log');
    return state;
  }

  /** @returns undefined when it is missing or damaged: the next era is then not connected to it. */
  #state(): SharedLogState | undefined {
    return this.#options.reader.readOfDriver(stateKey, (value) => {
      if (value === undefined) return undefined;
      const text = Buffer.from(value.subarray(4));
      if (value.length < 4 || Buffer.from(value).readUInt32BE(0) !== crc32(text)) return undefined;
      return JSON.parse(text.toString('utf8')) as SharedLogState; // written here, as the checksum shows
    });
  }
}

/** The writes of one transaction, as the body of a group. */
export class SharedLogGroup {
  #bytes: Buffer = Buffer.allocUnsafe(4096);
  #length = groupHeadBytes;

  add({ key, value }: StoreWrite): void {
    const end = this.#length + entryHeadBytes + key.length + (value?.length ?? 0);
    if (end > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(2 * end);
      this.#bytes.copy(larger, 0, 0, this.#length);
      this.#bytes = larger;
    }
    writeEntry(this.#bytes, this.#length, key, value);
    this.#length = end;
  }

  /** @returns undefined when there was no write. */
  withRoomForHead(): Buffer | undefined {
    return this.#length === groupHeadBytes ? undefined : this.#bytes.subarray(0, this.#length);
  }
}

const generationAt = groupKeyStart.length;
const groupAt = generationAt + 8;
const groupKeyBytes = groupAt + 6;

function groupKey(generation: number, group: number, part = 0): Buffer {
  const key = Buffer.alloc(groupKeyBytes);
  key.set(groupKeyStart, 0);
  key.writeBigUInt64BE(BigInt(generation), generationAt);
  key.writeUInt32BE(group, groupAt);
  key.writeUInt16BE(part, groupAt + 4);
  return key;
}

function groupOf(key: Uint8Array): number {
  return Buffer.from(key.buffer, key.byteOffset, key.length).readUInt32BE(groupAt);
}

function countGroups(groups: Buffer): number {
  let count = 0;
  for (let at = 0; at < groups.length; count += 1) at += readGroupHead(groups, at)?.length ?? groups.length;
  return count;
}
