import { assert } from '../../values/assert.ts';
import { invariantsAreOn } from '../../values/invariants.ts';
import type { Store } from '../../storage/store.ts';
import { type ChangeRecord, createdAtMsOf, decodeChangeRecord } from '../followers/streams/change-record.ts';
import { decodeHead } from '../followers/streams/shard-head.ts';
import { headKey, positionOf, recordKey, shardPrefix } from '../followers/streams/shard-keys.ts';
import { firstPosition } from './shard-lineage.ts';
import { dataTrimmed } from './stream-errors.ts';
import type { ShardRecord, StreamRecord } from './stream-record.ts';

/*
 * Reading a shard. Positions have no gaps, so a gap shows where records were trimmed. A record past its retention
 * counts as trimmed, whether or not it has been removed yet.
 */

export interface PageRequest {
  /** The position of the first record to read. */
  readonly position: number;
  readonly countMax: number;
  readonly bytesMax: number;
  /** Records made at or before this time are trimmed. */
  readonly trimmedUntilMs: number;
  /** The number of bytes that a record counts for. */
  readonly sizeBytesOf: (record: ChangeRecord) => number;
}

export interface ShardPage {
  readonly records: readonly PlacedRecord[];
  /** The position at which the next page begins. */
  readonly nextPosition: number;
}

export interface PlacedRecord {
  readonly position: number;
  readonly record: ChangeRecord;
}

/**
 * Reads a page of a shard: up to a number of records and of bytes, but at least one record if there is any.
 *
 * @param shard - as it was before the call: if it is closed meanwhile, the page still lacks no record.
 * @throws {DynamoError} `TrimmedDataAccessException` if the first record to read is trimmed.
 */
export async function readShardPage(
  store: Store,
  stream: StreamRecord,
  shard: ShardRecord,
  { position, countMax, bytesMax, trimmedUntilMs, sizeBytesOf }: PageRequest,
): Promise<ShardPage> {
  const prefix = shardPrefix(stream.space, shard);
  const records: PlacedRecord[] = [];
  let sizeBytes = 0;
  // The first position that has, or will have, a readable record.
  let foundPosition = shard.closed === undefined ? position : Math.max(position, shard.closed.endPosition + 1);
  await store.range({ from: recordKey(prefix, position), to: afterHead(prefix) }, (key, value) => {
    const placed = positionOf(key);
    if (placed === undefined) {
      if (records.length === 0) foundPosition = decodeHead(value);
      return false;
    }
    const record = decodeChangeRecord(key, value);
    if (records.length === 0) foundPosition = record.createdAtMs <= trimmedUntilMs ? placed + 1 : placed;
    const recordBytes = sizeBytesOf(record);
    if (foundPosition > position || (records.length > 0 && sizeBytes + recordBytes > bytesMax)) return false;
    if (invariantsAreOn()) {
      assert(placed === position + records.length, 'the positions of a shard are without gaps');
    }
    records.push({ position: placed, record });
    sizeBytes += recordBytes;
    return records.length < countMax;
  });
  if (foundPosition > position) throw dataTrimmed();
  return { records, nextPosition: (records.at(-1)?.position ?? position - 1) + 1 };
}

/** The range of positions of a shard's records. */
export interface ShardBounds {
  /** The position of the first record that is not trimmed; the next position if there is none. */
  readonly firstPosition: number;
  /** The position of the next record. */
  readonly nextPosition: number;
}

/**
 * Finds the bounds of a shard.
 *
 * @returns undefined if the shard has been closed meanwhile: then its record holds the bounds.
 */
export async function readShardBounds(
  store: Store,
  stream: StreamRecord,
  shard: ShardRecord,
  trimmedUntilMs: number,
): Promise<ShardBounds | undefined> {
  const prefix = shardPrefix(stream.space, shard);
  const nextPosition =
    shard.closed === undefined
      ? await store.read([headKey(prefix)], ([value]) => (value === undefined ? undefined : decodeHead(value)))
      : shard.closed.endPosition + 1;
  if (nextPosition === undefined) return undefined;
  return { firstPosition: await findFirstPosition(store, prefix, shard, nextPosition, trimmedUntilMs), nextPosition };
}

async function findFirstPosition(
  store: Store,
  prefix: Buffer,
  shard: ShardRecord,
  nextPosition: number,
  trimmedUntilMs: number,
): Promise<number> {
  let trimmed = nextPosition - 1;
  let kept = nextPosition;
  await store.range(
    { from: recordKey(prefix, firstPosition(shard)), to: recordKey(prefix, nextPosition), limit: 1 },
    (key, value) => {
      const position = positionOf(key) ?? nextPosition;
      if (createdAtMsOf(key, value) > trimmedUntilMs) kept = position;
      // No record is before the first stored one; if that one is kept, nothing is left to search.
      trimmed = kept === position ? position - 1 : position;
      return false;
    },
  );
  // Trimmed records may not have been removed for a long time, so a binary search is used and not a walk.
  while (kept - trimmed > 1) {
    const middle = Math.floor((trimmed + kept) / 2);
    const key = recordKey(prefix, middle);
    const isKept = await store.read(
      [key],
      ([value]) => value !== undefined && createdAtMsOf(key, value) > trimmedUntilMs,
    );
    if (isKept) kept = middle;
    else trimmed = middle;
  }
  return kept;
}

function afterHead(prefix: Buffer): Buffer {
  return Buffer.concat([headKey(prefix), Uint8Array.of(0)]);
}
