import { assert } from '../../values/assert.ts';
import { invariantsAreOn } from '../../values/invariants.ts';
import { hashPrefixCount } from '../followers/streams/shard-keys.ts';
import type { StoreWrite } from '../../storage/store.ts';
import type { RequestContext } from '../environment.ts';
import { textHash } from '../layout/partition-hash.ts';
import { RecordCodec } from '../layout/record-codec.ts';
import { space, storeKey } from '../layout/spaces.ts';
import type { ResourcePolicyRecord } from '../catalog/resource-policy-record.ts';
import type { KeySchemaElement, StreamViewType } from '../catalog/table-description.ts';
import { streamLabel } from '../catalog/utc-text.ts';

/** The version of the stored form below. A record of another version is refused. */
const streamRecordFormat = 1;

/**
 * Everything about a stream except its records. It outlives the table: a stream can be read for a day after
 * it was switched off, or its table deleted.
 */
export interface StreamRecord {
  readonly format: typeof streamRecordFormat;
  readonly accountId: string;
  readonly region: string;
  readonly tableName: string;
  /** When it was switched on. This is its label, which is unique among the streams of tables of this name. */
  readonly sinceMs: number;
  /** The space of its records. */
  readonly space: number;
  readonly viewType: StreamViewType;
  readonly keySchema: readonly KeySchemaElement[];
  /** ENABLING until then. */
  readonly enabledFromMs: number;
  /** Absent: the stream is on. */
  readonly disabled?: {
    /** Its records are kept for the retention time, starting here. */
    readonly atMs: number;
    /** DISABLING until then. */
    readonly untilMs: number;
  };
  readonly nextShardNumber: number;
  /** Open shards, and closed ones that may have records left, in the order of their numbers. */
  readonly shards: readonly ShardRecord[];
  /** The stream's own resource-based policy, or the remainder of a deleted one. */
  readonly resourcePolicy?: ResourcePolicyRecord;
}

export interface ShardRecord {
  readonly number: number;
  readonly shardId: string;
  /** The shard that this one replaced; it may be gone by now. */
  readonly parentShardId?: string;
  /** The first two bytes of the hashes that the shard covers, as numbers: from, and up to but not including. */
  readonly hashFrom: number;
  readonly hashTo: number;
  readonly openedAtMs: number;
  /** The position before that of the first record. No record has it, so that a shard without records has a range, too. */
  readonly startPosition: number;
  readonly closed?: {
    readonly atMs: number;
    /** The position of the last record; the start position if there is none. */
    readonly endPosition: number;
  };
}

export type NewStream = Omit<StreamRecord, 'format'>;

export function newStreamRecord(stream: NewStream): StreamRecord {
  return { format: streamRecordFormat, ...stream };
}

/** Follows the name of the table, which cannot contain it. */
const endOfName = Uint8Array.of(0);
const afterEndOfName = Uint8Array.of(1);
const afterAllNames = Uint8Array.of(0xff);

/** The key of a stream's record. */
export function streamKey({ accountId, region }: RequestContext, tableName: string, sinceMs: number): Buffer {
  const since = Buffer.allocUnsafe(8);
  since.writeDoubleBE(sinceMs, 0); // positive doubles sort as bytes the way they sort as numbers
  return storeKey(space.streams, textHash(accountId, region), Buffer.from(tableName, 'utf8'), endOfName, since);
}

/** The key range of the streams of an account in a region, or of the tables of one name: by name, then by age. */
export function streamKeys(
  { accountId, region }: RequestContext,
  tableName?: string,
): { readonly from: Buffer; readonly to: Buffer } {
  const hash = textHash(accountId, region);
  if (tableName === undefined) {
    return { from: storeKey(space.streams, hash), to: storeKey(space.streams, hash, afterAllNames) };
  }
  const name = Buffer.from(tableName, 'utf8');
  return {
    from: storeKey(space.streams, hash, name, endOfName),
    to: storeKey(space.streams, hash, name, afterEndOfName),
  };
}

const streamRecords = new RecordCodec<StreamRecord>(
  streamRecordFormat,
  ({ tableName }) => `A stream of table ${tableName}`,
);

/** The write that stores a stream's record. */
export function streamWrite(record: StreamRecord): StoreWrite {
  if (invariantsAreOn()) checkLineage(record);
  return streamRecords.write(streamKey(record, record.tableName, record.sinceMs), record);
}

/** The open shards cover each hash once, and each shard is younger than its parent. */
function checkLineage({ shards }: StreamRecord): void {
  let covered = 0;
  const open = shards.filter(({ closed }) => closed === undefined);
  for (const { hashFrom, hashTo } of open.toSorted((a, b) => a.hashFrom - b.hashFrom)) {
    assert(hashFrom === covered && hashTo > hashFrom, 'open shards cover all hashes, each once');
    covered = hashTo;
  }
  assert(open.length === 0 || covered === hashPrefixCount, 'open shards cover all hashes');
  for (const { parentShardId, openedAtMs } of shards) {
    const parent = shards.find(({ shardId }) => shardId === parentShardId);
    assert(parent === undefined || parent.openedAtMs < openedAtMs, 'a shard is younger than its parent');
    assert(parent === undefined || parent.closed !== undefined, 'a shard that has children is closed');
  }
}

/** @throws {StorageError} as {@link RecordCodec.decode}. */
export function decodeStreamRecord(key: Uint8Array, value: Uint8Array): StreamRecord {
  return streamRecords.decode(key, value);
}

/** Whether a stream that is off can no longer be read. */
export function isStreamGone({ disabled }: StreamRecord, nowMs: number, retentionMs: number): boolean {
  return disabled !== undefined && disabled.atMs + retentionMs <= nowMs;
}

/** Whether a shard can no longer hold a readable record. */
export function isShardGone({ closed }: ShardRecord, nowMs: number, retentionMs: number): boolean {
  return closed !== undefined && closed.atMs + retentionMs <= nowMs;
}

export function streamArnOf({ accountId, region, tableName, sinceMs }: StreamIdentity): string {
  return `arn:aws:dynamodb:${region}:${accountId}:table/${tableName}/stream/${streamLabel(sinceMs)}`;
}

/** The parts of a stream's ARN. */
export type StreamIdentity = Pick<StreamRecord, 'accountId' | 'region' | 'tableName' | 'sinceMs'>;
