import type { Store, StoreValue } from '../../storage/store.ts';
import { checkFence } from '../catalog/catalog.ts';
import { itemKeyOfKey } from '../catalog/item-key.ts';
import type { Table } from '../catalog/table.ts';
import { type ChangeRecord, decodeChangeRecord } from '../followers/streams/change-record.ts';
import { decodeHead } from '../followers/streams/shard-head.ts';
import { headKey, positionOf, recordKey, shardPrefix } from '../followers/streams/shard-keys.ts';
import { copyStoredItem } from '../layout/item-codec.ts';
import type { StoredItem } from '../layout/stored-item.ts';
import { decodeStreamRecord, type ShardRecord, streamKey, type StreamRecord } from '../streams/stream-record.ts';
import { decodedOr, type Entry, type Walk } from './scrub-walk.ts';
import { isSameItem, lastProblem, orderProblem } from './stream-problems.ts';

/** Items of a table whose last changes are remembered. The changes of other items are checked individually only. */
const followedItemsMax = 100_000;

/** Items that are compared with their last changes in one read. */
const stepItems = 100;

/** The last change of an item seen by the scrub. */
interface LastChange {
  readonly key: Buffer;
  readonly eventName: ChangeRecord['eventName'];
}

/** How far a shard has been read. */
interface ReadShard {
  readonly prefix: Buffer;
  /** The position that the next record will have; undefined if there was none. */
  readonly next: number | undefined;
}

/**
 * Checks, while requests change both, whether the stream of a table replays into the table: no record is missing between others, each
 * change of an item continues from the one before, and the last one leads to the item.
 *
 * Records never change. They are appended at the end of a shard and trimmed at its beginning. So two records that contradict each other
 * are wrong whenever they were read. A record is missing between two others only if a single read shows so. An item that differs from
 * its last change is wrong if, after it was read, the stream has no later change of it.
 */
export class StreamScrub {
  readonly #store: Store;
  readonly #walk: Walk;
  readonly #table: Table;
  readonly #found: (key: Buffer, problem: string) => void;
  readonly #last = new Map<string, LastChange>();

  constructor(
    { store, walk }: { readonly store: Store; readonly walk: Walk },
    table: Table,
    found: (key: Buffer, problem: string) => void,
  ) {
    this.#store = store;
    this.#walk = walk;
    this.#table = table;
    this.#found = found;
  }

  /** @throws {StaleTableError} when the table has changed meanwhile. */
  async run(): Promise<void> {
    const stream = await this.#streamRecord();
    if (stream === undefined) return;
    const read = new Map<number, ReadShard>();
    for (const shard of stream.shards) read.set(shard.number, await this.#readShard(stream, shard));
    const names = [...this.#last.keys()];
    for (let at = 0; at < names.length; at += stepItems) {
      const suspects = await this.#differing(names.slice(at, at + stepItems));
      if (suspects.size === 0) continue;
      for (const name of await this.#changedSince(read)) suspects.delete(name);
      for (const [name, problem] of suspects) this.#found(Buffer.from(name, 'latin1'), problem);
    }
  }

  async #streamRecord(): Promise<StreamRecord | undefined> {
    const { record, tableName, fenceKey } = this.#table;
    if (record.stream === undefined) return undefined;
    const key = streamKey(record, tableName, record.streamSinceMs ?? 0);
    const value = await this.#store.read([fenceKey, key], ([fence, bytes]) => {
      checkFence(this.#table, fence);
      return bytes && Buffer.from(bytes);
    });
    // A damaged record is reported with the other records.
    return value && decodedOr(() => decodeStreamRecord(key, value), undefined);
  }

  async #readShard(stream: StreamRecord, shard: ShardRecord): Promise<ReadShard> {
    const prefix = shardPrefix(stream.space, shard);
    let next: number | undefined;
    await this.#walk({ from: prefix, to: Buffer.concat([headKey(prefix), Uint8Array.of(0)]) }, async (entries) => {
      const changes: {
        readonly entry: Entry;
        readonly change: ChangeRecord;
        readonly before: LastChange | undefined;
      }[] = [];
      for (const entry of entries) {
        const position = positionOf(entry.key);
        if (position === undefined) continue;
        if (next !== undefined && position !== next) await this.#confirmMissing(shard, prefix, next, entry.key);
        next = position + 1;
        const change = decodedOr(() => decodeChangeRecord(entry.key, entry.value), undefined);
        if (change === undefined) this.#found(entry.key, 'a record does not match its checksum');
        else changes.push({ entry, change, before: this.#follow(entry.key, change) });
      }
      await this.#compare(changes);
    });
    await this.#confirmEnd(shard, prefix, next);
    return { prefix, next };
  }

  /** Remembers the last change of an item. @returns the one before. */
  #follow(key: Buffer, { keys, eventName }: ChangeRecord): LastChange | undefined {
    const name = itemKeyOfKey(this.#table, keys.toMap()).storeKey.toString('latin1');
    const before = this.#last.get(name);
    if (before !== undefined || this.#last.size < followedItemsMax) this.#last.set(name, { key, eventName });
    return before;
  }

  /** A single read shows whether a record is missing between two existing ones; otherwise the records up to it have expired. */
  async #confirmMissing(shard: ShardRecord, prefix: Buffer, missing: number, behind: Buffer): Promise<void> {
    const keys = [recordKey(prefix, missing - 1), recordKey(prefix, missing), behind];
    const isMissing = await this.#store.read(
      keys,
      ([before, between, after]) => before !== undefined && between === undefined && after !== undefined,
    );
    if (isMissing) this.#found(behind, `${shard.shardId} lacks ${missing}`);
    else this.#last.clear();
  }

  /** Whether the newest records of a shard exist. All records of an old shard may have expired. */
  async #confirmEnd({ shardId, closed }: ShardRecord, prefix: Buffer, next: number | undefined): Promise<void> {
    if (next === undefined) return;
    const keys = [recordKey(prefix, next - 1), recordKey(prefix, next), headKey(prefix)];
    const outcome = await this.#store.read(keys, ([last, following, head]) => {
      const end = closed === undefined ? headOf(head) : closed.endPosition + 1;
      if (end === undefined || end <= next || following !== undefined) return 'complete';
      return last === undefined ? 'gone' : 'missing';
    });
    if (outcome === 'missing') this.#found(recordKey(prefix, next), `${shardId} lacks ${next}`);
    if (outcome === 'gone') this.#last.clear();
  }

  /** Whether changes continue from the ones before. */
  async #compare(
    changes: readonly {
      readonly entry: Entry;
      readonly change: ChangeRecord;
      readonly before: LastChange | undefined;
    }[],
  ): Promise<void> {
    const pairs = changes.flatMap(({ entry, change, before }) =>
      before === undefined ? [] : [{ entry, change, before }],
    );
    const earlier = await this.#records(pairs.map(({ before }) => before.key));
    for (const [at, { entry, change, before }] of pairs.entries()) {
      const problem = orderProblem(before.eventName, change) ?? imageProblem(earlier[at], change);
      if (problem !== undefined) this.#found(entry.key, problem);
    }
  }

  /** The values now stored under keys of records; undefined for a record that is gone or damaged. */
  async #records(keys: readonly Buffer[]): Promise<readonly (ChangeRecord | undefined)[]> {
    if (keys.length === 0) return [];
    return this.#store.read(keys, (values) => keys.map((key, at) => recordOf(key, values[at])));
  }

  /** Items that differ from the result of their last changes, and what is wrong with each. */
  async #differing(names: readonly string[]): Promise<Map<string, string>> {
    const followed = names.flatMap((name) => {
      const last = this.#last.get(name);
      return last === undefined ? [] : [{ name, itemKey: Buffer.from(name, 'latin1'), key: last.key }];
    });
    const keys = [this.#table.fenceKey, ...followed.flatMap(({ itemKey, key }) => [itemKey, key])];
    const problems = await this.#store.read(keys, ([fence, ...values]) => {
      checkFence(this.#table, fence);
      return followed.map(({ itemKey, key }, at) => {
        const change = recordOf(key, values[2 * at + 1]);
        const item = itemOf(itemKey, values[2 * at]);
        return change === undefined || item === 'damaged' ? undefined : lastProblem(change, item);
      });
    });
    return new Map(
      followed.flatMap(({ name }, at): [string, string][] => {
        const problem = problems[at];
        return problem === undefined ? [] : [[name, problem]];
      }),
    );
  }

  /** The items that have later changes than those seen, in any shard that exists by now. */
  async #changedSince(read: ReadonlyMap<number, ReadShard>): Promise<ReadonlySet<string>> {
    const changed = new Set<string>();
    const stream = await this.#streamRecord();
    for (const shard of stream?.shards ?? []) {
      const prefix = shardPrefix(stream?.space ?? 0, shard);
      const from = recordKey(prefix, read.get(shard.number)?.next ?? 0);
      await this.#walk({ from, to: headKey(prefix) }, async (entries) => {
        for (const { key, value } of entries) {
          const change = decodedOr(() => decodeChangeRecord(key, value), undefined);
          if (change === undefined) continue;
          changed.add(itemKeyOfKey(this.#table, change.keys.toMap()).storeKey.toString('latin1'));
        }
      });
    }
    return changed;
  }
}

function imageProblem(before: ChangeRecord | undefined, change: ChangeRecord): string | undefined {
  const showsBoth = before?.newImage !== undefined && change.oldImage !== undefined;
  return showsBoth && !isSameItem(before.newImage, change.oldImage)
    ? `a change does not continue from the one before: ${change.keys.json.toString()}`
    : undefined;
}

function recordOf(key: Buffer, value: StoreValue): ChangeRecord | undefined {
  return value && decodedOr(() => decodeChangeRecord(key, Buffer.from(value)), undefined);
}

function itemOf(key: Buffer, value: StoreValue): StoredItem | undefined | 'damaged' {
  return value && decodedOr(() => copyStoredItem(key, value), 'damaged');
}

function headOf(value: StoreValue): number | undefined {
  return value && decodedOr(() => decodeHead(value), undefined);
}
