import type { AttributeMap } from '../../values/attribute-value.ts';
import { describeStream, type ShardDescription, type StreamDescription } from '../operations/describe-stream.ts';
import { getRecords, type StreamEvent } from '../operations/get-records.ts';
import { getShardIterator } from '../operations/get-shard-iterator.ts';
import { listStreams } from '../operations/list-streams.ts';
import type { RequestContext } from '../environment.ts';
import type { EngineServices } from '../services.ts';
import { mapOf } from './test-engine.ts';
import { testContext } from './test-services.ts';

/** The ARN of a table's newest stream. */
export async function newestStreamArn(
  services: EngineServices,
  tableName: string,
  context: RequestContext = testContext,
): Promise<string> {
  const { streams } = await listStreams(services, { tableName }, context);
  const newest = streams.at(-1);
  if (newest === undefined) throw new Error(`there is no stream of ${tableName}`);
  return newest.streamArn;
}

/** A stream with all its shards, whatever the size of the pages. */
export async function describedStream(
  services: EngineServices,
  streamArn: string,
  limit?: number,
  context: RequestContext = testContext,
): Promise<StreamDescription> {
  const shards: ShardDescription[] = [];
  let exclusiveStartShardId: string | undefined;
  for (;;) {
    const { streamDescription } = await describeStream(services, { streamArn, limit, exclusiveStartShardId }, context);
    shards.push(...streamDescription.shards);
    exclusiveStartShardId = streamDescription.lastEvaluatedShardId;
    if (exclusiveStartShardId === undefined) return { ...streamDescription, shards };
  }
}

/** All readable records of a shard, page by page. */
export async function shardRecords(
  services: EngineServices,
  streamArn: string,
  shardId: string,
  limit?: number,
  context: RequestContext = testContext,
): Promise<readonly StreamEvent[]> {
  const start = { streamArn, shardId, shardIteratorType: 'TRIM_HORIZON' as const };
  let { shardIterator } = await getShardIterator(services, start, context);
  const records: StreamEvent[] = [];
  for (;;) {
    const page = await getRecords(services, { shardIterator, limit }, context);
    records.push(...page.records);
    if (page.nextShardIterator === undefined || page.records.length === 0) return records;
    shardIterator = page.nextShardIterator;
  }
}

/** All records of a stream, parents before their children. */
export async function streamRecords(
  services: EngineServices,
  streamArn: string,
  limit?: number,
  context: RequestContext = testContext,
): Promise<readonly StreamEvent[]> {
  const { shards } = await describedStream(services, streamArn, limit, context);
  const records: StreamEvent[] = [];
  // Ids sort by age, so parents come first.
  for (const { shardId } of shards) records.push(...(await shardRecords(services, streamArn, shardId, limit, context)));
  return records;
}

/** `INSERT a`, `MODIFY a`: the kind of each change and its `pk`. */
export function eventTexts(records: readonly StreamEvent[]): readonly string[] {
  return records.map(
    ({ eventName, dynamodb }) => `${eventName} ${Object.values(mapOf(dynamodb.keys)?.['pk'] ?? {})[0]}`,
  );
}

/** The items that result when the records are applied to an empty table, by the text of the key. Needs new images. */
export function replayed(records: readonly StreamEvent[]): Map<string, AttributeMap> {
  const items = new Map<string, AttributeMap>();
  for (const { eventName, dynamodb } of records) {
    const key = JSON.stringify(mapOf(dynamodb.keys));
    const image = mapOf(dynamodb.newImage);
    if ((image === undefined) !== (eventName === 'REMOVE')) throw new Error(`${eventName} with a wrong image`);
    if (items.has(key) !== (eventName !== 'INSERT')) throw new Error(`${eventName} ${key} does not fit`);
    if (image === undefined) items.delete(key);
    else items.set(key, image);
  }
  return items;
}
