import { ResourceNotFoundException } from '../../values/service-error.ts';
import type { EngineServices } from '../services.ts';
import { changeTable } from '../tables/table-change.ts';
import { decodeHead } from './shard-head.ts';
import { headKey, shardPrefix } from './shard-keys.ts';
import { dueShards, firstPosition, replaceShards } from './shard-lineage.ts';
import { decodeStreamRecord, type ShardRecord, streamKey, type StreamRecord } from './stream-record.ts';
import { headRemoval, headWrite, referenceTo, streamWrite } from './stream-switch.ts';

/**
 * Closes the shards whose time is over, and opens their children. Whoever comes first does it: the decision looks whether
 * the shards are still due. Item writes that were planned with the old shards meet the table's new fence and begin again.
 *
 * @param stream - as it was read before.
 * @returns whether shards were due; the stream's record is then another one, whoever has written it.
 */
export async function replaceDueShards(services: EngineServices, stream: StreamRecord): Promise<boolean> {
  const { limits } = services;
  const due = dueShards(stream, services.environment.clock.nowMs(), limits);
  if (due.length === 0) return false;
  const { tableName } = stream;
  const keys = [
    streamKey(stream, tableName, stream.sinceMs),
    ...due.map((shard) => headKey(shardPrefix(stream.space, shard))),
  ];
  try {
    await changeTable(
      services,
      stream,
      tableName,
      ({ record, nowMs, values: [streamValue, ...heads] }) => {
        if (record.stream?.space !== stream.space || streamValue === undefined) return { record };
        const present = decodeStreamRecord(streamValue);
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
    // The table was deleted meanwhile, and its stream closed with it.
    if (!(error instanceof ResourceNotFoundException)) throw error;
  }
  return true;
}

function areSame(some: readonly ShardRecord[], others: readonly ShardRecord[]): boolean {
  return some.length === others.length && some.every(({ number }, at) => number === others[at]?.number);
}
