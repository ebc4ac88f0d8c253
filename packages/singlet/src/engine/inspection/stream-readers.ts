import type { AttributeMap, AttributeValue } from '../../values/attribute-value.ts';
import type { RequestContext } from '../environment.ts';
import { StoredItem } from '../layout/stored-item.ts';
import { listTables } from '../operations/list-tables.ts';
import { query } from '../operations/query.ts';
import type { EngineServices } from '../services.ts';
import { createdAtMsOf } from '../followers/streams/change-record.ts';
import { recordKey, shardPrefix } from '../followers/streams/shard-keys.ts';
import { presentShards, retentionMsOf } from '../streams/find-stream.ts';
import { readShardBounds } from '../streams/read-shard.ts';
import { parseSequenceNumber } from '../streams/sequence-number.ts';
import type { StreamRecord } from '../streams/stream-record.ts';
import { uncounted } from './explain-read.ts';
import { presentStream } from './stream-report.ts';

/*
 * Readers of a stream that keep their checkpoints in this database, as `singlet consume` and `singlet/consumer` do (decision 0012): a table
 * whose key is `streamArn` and `shardId`, with one item for each shard. A reader that keeps them elsewhere is not known here.
 */

/** One reader, and what it has not read yet. */
export interface StreamReaderReport {
  /** Its table of checkpoints. */
  readonly name: string;
  /** Records that have no checkpoint yet. */
  readonly unread: number;
  /** The age of the oldest of them, milliseconds; null if there is none. */
  readonly behindMs: number | null;
  /** Those that hold a lease of a shard. */
  readonly workers: readonly string[];
}

/** The maximum number of readers in a report, and of tables among which they are looked for. */
const readersMax = 20;
const tablesMax = 1_000;

/** In the place of a shard: where reading began. */
const startId = '#start';
/** Words in the place of a sequence number. */
const trimHorizon = 'TRIM_HORIZON';
const latest = 'LATEST';
const shardEnd = 'SHARD_END';

/**
 * The readers of a table's stream, in the order of their names. Their checkpoints are read without being counted or throttled.
 *
 * @throws {ResourceNotFoundException} when there is no such table, or it has no stream.
 */
export async function streamReaders(
  services: EngineServices,
  { tableName }: { readonly tableName: string },
  context: RequestContext,
): Promise<readonly StreamReaderReport[]> {
  return readersAmong(services, { tableName, checkpointTables: await checkpointTables(services, context) }, context);
}

/**
 * As {@link streamReaders}, if the tables of checkpoints are known: they are the same for all tables of an account and region.
 *
 * @throws {ResourceNotFoundException} as {@link streamReaders}.
 */
export async function readersAmong(
  services: EngineServices,
  { tableName, checkpointTables: tables }: { readonly tableName: string; readonly checkpointTables: readonly string[] },
  context: RequestContext,
): Promise<readonly StreamReaderReport[]> {
  const { streamArn, stream } = await presentStream(services, tableName, context);
  const quiet = quietly(services);
  const readers: StreamReaderReport[] = [];
  for (const name of tables) {
    if (readers.length === readersMax) break;
    const checkpoints = await checkpointsOf(quiet, name, streamArn, context);
    if (checkpoints.size > 0) readers.push(await readerReport(quiet, stream, name, checkpoints));
  }
  return readers;
}

/** Tables with the key of a table of checkpoints. */
export async function checkpointTables(services: EngineServices, context: RequestContext): Promise<readonly string[]> {
  const found: string[] = [];
  const { tableNames } = await listTables(
    { ...quietly(services), limits: { ...services.limits, listTablesCountMax: tablesMax } },
    {},
    context,
  );
  for (const tableName of tableNames) {
    const table = await services.catalog.load(context, tableName);
    const keys = table?.keyAttributes.map(({ attributeName }) => attributeName).join();
    if (keys === 'streamArn,shardId') found.push(tableName);
  }
  return found;
}

/** Services whose reads are neither counted nor throttled. */
function quietly(services: EngineServices): EngineServices {
  return { ...services, capacity: uncounted(services), weather: undefined };
}

/** The checkpoints of a stream by shard, without counting the read. */
async function checkpointsOf(
  services: EngineServices,
  tableName: string,
  arn: string,
  context: RequestContext,
): Promise<ReadonlyMap<string, AttributeMap>> {
  const found = new Map<string, AttributeMap>();
  let exclusiveStartKey: AttributeMap | undefined;
  do {
    const page = await query(
      services,
      {
        tableName,
        keyConditionExpression: 'streamArn = :arn',
        expressionAttributeValues: { ':arn': { S: arn } },
        exclusiveStartKey,
      },
      context,
    );
    for (const item of page.items ?? []) {
      const map = item instanceof StoredItem ? item.toMap() : item;
      const id = map['shardId'];
      if (id !== undefined && 'S' in id) found.set(id.S, map);
    }
    exclusiveStartKey = page.lastEvaluatedKey;
  } while (exclusiveStartKey !== undefined);
  return found;
}

async function readerReport(
  services: EngineServices,
  stream: StreamRecord,
  name: string,
  checkpoints: ReadonlyMap<string, AttributeMap>,
): Promise<StreamReaderReport> {
  const { store, environment } = services;
  const nowMs = environment.clock.nowMs();
  const trimmedUntilMs = nowMs - retentionMsOf(services);
  const start = checkpoints.get(startId);
  const skipped = new Set(textsIn(start?.['closedShardIds']));
  let unread = 0;
  let oldestMs = Infinity;
  const workers = new Set<string>();
  for (const shard of presentShards(services, stream)) {
    const checkpoint = checkpoints.get(shard.shardId);
    const worker = textIn(checkpoint?.['workerId']);
    if (worker !== undefined) workers.add(worker);
    const done = checkpoint === undefined ? trimHorizon : textIn(checkpoint['checkpoint']);
    // A shard that was closed before the reader began is never read; one that is still to be begun at its end has nothing to read yet.
    if (done === shardEnd || done === latest || (checkpoint === undefined && skipped.has(shard.shardId))) continue;
    const fromMs = numberIn((checkpoint ?? start)?.['fromMs']);
    const bounds = await readShardBounds(store, stream, shard, Math.max(trimmedUntilMs, fromMs - 1));
    if (bounds === undefined) continue; // closed meanwhile
    const after = parseSequenceNumber(done ?? '')?.position;
    const next = Math.max(bounds.firstPosition, after === undefined ? 0 : after + 1);
    if (next >= bounds.nextPosition) continue;
    unread += bounds.nextPosition - next;
    const key = recordKey(shardPrefix(stream.space, shard), next);
    const createdAtMs = await store.read([key], ([value]) =>
      value === undefined ? Infinity : createdAtMsOf(key, value),
    );
    oldestMs = Math.min(oldestMs, createdAtMs);
  }
  const behindMs = Number.isFinite(oldestMs) ? Math.max(0, nowMs - oldestMs) : null;
  return { name, unread, behindMs, workers: [...workers].toSorted() };
}

function textIn(value: AttributeValue | undefined): string | undefined {
  return value !== undefined && 'S' in value ? value.S : undefined;
}

function numberIn(value: AttributeValue | undefined): number {
  return value !== undefined && 'N' in value ? Number(value.N) : 0;
}

function textsIn(value: AttributeValue | undefined): readonly string[] {
  return value !== undefined && 'L' in value ? value.L.flatMap((each) => textIn(each) ?? []) : [];
}
