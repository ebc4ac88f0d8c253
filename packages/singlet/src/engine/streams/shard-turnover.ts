import { ResourceNotFoundException } from '../../values/service-error.ts';
import type { CatalogServices } from '../catalog/catalog-services.ts';
import { changeTable } from '../catalog/table-change.ts';
import { decodeHead } from '../followers/streams/shard-head.ts';
import { headKey, shardPrefix } from '../followers/streams/shard-keys.ts';
import { dueShards, firstPosition, replaceShards } from './shard-lineage.ts';
import { decodeStreamRecord, type ShardRecord, streamKey, type StreamRecord, streamWrite } from './stream-record.ts';
import { headRemoval, headWrite, referenceTo } from './stream-switch.ts';

/**
 * Closes the shards that are due, and opens their children. The first process that notices does it: the decision checks that
 * the shards are still due. Item writes that were planned with the old shards find the table's fence advanced and start over.
 *
 * @param stream - as it was read before.
 * @returns whether shards were due; then this process or another has replaced the stream's record.
 */
export async function replaceDueShards(services: CatalogServices, stream: StreamRecord): Promise<boolean> {
  const { limits } = services;
  const due = dueShards(stream, services.environment.clock.nowMs(), limits);
  if (due.length === 0) return false;
  const { tableName } = stream;
  const recordKey = streamKey(stream, tableName, stream.sinceMs);
  const keys = [recordKey, ...due.map((shard) => headKey(shardPrefix(stream.space, shard)))];
  try {
    await changeTable(
      services,
      stream,
      tableName,
      ({ record, nowMs, values: [streamValue, ...heads] }) => {
        if (record.stream?.space !== stream.space || streamValue === undefined) return { record };
        const present = decodeStreamRecord(recordKey, streamValue);
        if (!areSame(dueShards(present, nowMs, limits), due)) return { record };
        const ends = due.map((shard, at) => ({ shard, nextPosition: decodeHead(heads[at]) }));
        const next = replaceShards(present, ends, nowMs, limits);
        const opened = next.shards.slice(present.shards.length);
        return {
          record: { ...record, stream: referenceTo(next) },
          writes: [
            streamWrite(next),
            ...due.map((shard) => headRemoval(stream, shard)),
            ...opened.map((shard) => headWrite(stream, shard, firstPosition(shard))),
          ],
        };
      },
      keys,
    );
  } catch (error) {
    // The table was deleted meanwhile, and its stream was closed with it.
    if (!(error instanceof ResourceNotFoundException)) throw error;
  }
  return true;
}

function areSame(some: readonly ShardRecord[], others: readonly ShardRecord[]): boolean {
  return some.length === others.length && some.every(({ number }, at) => number === others[at]?.number);
}
