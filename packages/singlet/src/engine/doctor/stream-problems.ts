import type { Store } from '../../storage/store.ts';
import { attributeValuesEqual } from '../../values/compare.ts';
import { copyStoredItem } from '../layout/item-codec.ts';
import { itemKeyOfKey } from '../catalog/item-key.ts';
import type { StoredItem } from '../layout/stored-item.ts';
import { hashOf } from '../layout/spaces.ts';
import { type ChangeRecord, decodeChangeRecord } from '../followers/streams/change-record.ts';
import { decodeHead } from '../followers/streams/shard-head.ts';
import { hashPrefixCount, hashPrefixOf, headKey, positionOf, shardPrefix } from '../followers/streams/shard-keys.ts';
import { openShards } from '../streams/shard-lineage.ts';
import { decodeStreamRecord, type ShardRecord, streamKey, type StreamRecord } from '../streams/stream-record.ts';
import { referenceTo } from '../streams/stream-switch.ts';
import type { Table } from '../catalog/table.ts';

/**
 * Checks whether the stream of a table agrees with its items: the open shards cover all hashes and have their heads, positions
 * are without gaps, every record is in the shard of its item, each record of an item continues from the one before (as far as
 * images show), and the last one leads to the item in the table.
 *
 * @returns one sentence for each problem; none when all agrees, or when no stream is on.
 */
export async function findStreamProblems(store: Store, table: Table): Promise<readonly string[]> {
  const { record } = table;
  if (record.stream === undefined) return [];
  const key = streamKey(record, table.tableName, record.streamSinceMs ?? 0);
  const value = await store.read([key], ([bytes]) =>
    bytes === undefined ? undefined : decodeStreamRecord(key, bytes),
  );
  if (value === undefined) return ['the stream has no record'];
  const problems: string[] = [];
  if (JSON.stringify(record.stream) !== JSON.stringify(referenceTo(value))) {
    problems.push('the table names other open shards than the stream');
  }
  problems.push(...coverProblems(value));
  const last = new Map<string, ChangeRecord>();
  for (const shard of value.shards) problems.push(...(await shardProblems(store, table, value, shard, last)));
  problems.push(...(await tableProblems(store, last)));
  return problems;
}

function coverProblems(stream: StreamRecord): readonly string[] {
  let covered = 0;
  for (const { hashFrom, hashTo } of openShards(stream.shards)) {
    if (hashFrom !== covered) return [`the open shards leave or share hashes at ${covered}`];
    covered = hashTo;
  }
  return covered === hashPrefixCount ? [] : [`the open shards end at ${covered}`];
}

async function shardProblems(
  store: Store,
  table: Table,
  stream: StreamRecord,
  shard: ShardRecord,
  last: Map<string, ChangeRecord>,
): Promise<readonly string[]> {
  const problems: string[] = [];
  const prefix = shardPrefix(stream.space, shard);
  const head = headKey(prefix);
  let expected: number | undefined;
  let nextPosition = shard.closed === undefined ? undefined : shard.closed.endPosition + 1;
  await store.range({ from: prefix, to: Buffer.concat([head, Uint8Array.of(0)]) }, (key, value) => {
    const position = positionOf(key);
    if (position === undefined) {
      if (shard.closed !== undefined) problems.push(`${shard.shardId} is closed and has a head`);
      nextPosition = decodeHead(value);
      return true;
    }
    if (expected !== undefined && position !== expected) problems.push(`${shard.shardId} lacks ${expected}`);
    expected = position + 1;
    problems.push(...recordProblems(table, shard, decodeChangeRecord(key, value), last));
    return true;
  });
  if (nextPosition === undefined) problems.push(`${shard.shardId} is open and has no head`);
  else if (expected !== undefined && expected !== nextPosition) {
    problems.push(`${shard.shardId} ends before ${expected} and should before ${nextPosition}`);
  }
  return problems;
}

function recordProblems(
  table: Table,
  shard: ShardRecord,
  change: ChangeRecord,
  last: Map<string, ChangeRecord>,
): readonly string[] {
  const problems: string[] = [];
  const storeKey = itemKeyOfKey(table, change.keys.toMap()).storeKey;
  const name = storeKey.toString('latin1');
  const hash = hashPrefixOf(hashOf(storeKey));
  if (hash < shard.hashFrom || hash >= shard.hashTo) problems.push(`${shard.shardId} holds a change of another shard`);
  const before = last.get(name);
  last.set(name, change);
  if (before === undefined) return problems;
  const order = orderProblem(before.eventName, change);
  if (order !== undefined) problems.push(order);
  const showsBoth = before.newImage !== undefined && change.oldImage !== undefined;
  if (showsBoth && !isSameItem(before.newImage, change.oldImage)) {
    problems.push(`a change does not continue from the one before: ${change.keys.json.toString()}`);
  }
  return problems;
}

/** Items checked in one step. */
const stepItems = 500;

async function tableProblems(store: Store, last: ReadonlyMap<string, ChangeRecord>): Promise<readonly string[]> {
  const problems: string[] = [];
  const names = [...last.keys()];
  for (let at = 0; at < names.length; at += stepItems) {
    const keys = names.slice(at, at + stepItems).map((name) => Buffer.from(name, 'latin1'));
    const items = await store.read(keys, (values) =>
      values.map((value, place) => value && copyStoredItem(keys[place] as Buffer, value)),
    );
    for (const [place, item] of items.entries()) {
      const change = last.get(names[at + place] ?? '');
      const problem = change && lastProblem(change, item);
      if (problem !== undefined) problems.push(problem);
    }
  }
  return problems;
}

/** The problem with an item, given its last change. */
export function lastProblem(
  { eventName, newImage, keys }: ChangeRecord,
  item: StoredItem | undefined,
): string | undefined {
  if ((item === undefined) !== (eventName === 'REMOVE')) {
    return `the stream ends with ${eventName} of an item that is ${item ? '' : 'not '}there: ${keys.json.toString()}`;
  }
  const differs = newImage !== undefined && item !== undefined && !isSameItem(newImage, item);
  return differs ? `the stream does not lead to the item: ${item.json.toString()}` : undefined;
}

/** The problem with a change, given the kind of the one before. */
export function orderProblem(before: ChangeRecord['eventName'], { eventName, keys }: ChangeRecord): string | undefined {
  const isInOrder = (before === 'REMOVE') === (eventName === 'INSERT');
  return isInOrder ? undefined : `${eventName} follows ${before}: ${keys.json.toString()}`;
}

export function isSameItem(a: StoredItem | undefined, b: StoredItem | undefined): boolean {
  return attributeValuesEqual({ M: a?.toMap() ?? {} }, { M: b?.toMap() ?? {} });
}
