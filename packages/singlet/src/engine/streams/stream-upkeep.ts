import type { StoreWrite } from '../../storage/store.ts';
import { space, spaceStart } from '../layout/spaces.ts';
import type { CatalogServices } from '../catalog/catalog-services.ts';
import { takeTurn } from '../background/background-pace.ts';
import { repeatTask } from '../background/background-task.ts';
import { asHolder } from '../background/held-work.ts';
import { purgeSpace } from '../tables/purge.ts';
import { createdAtMsOf } from '../followers/streams/change-record.ts';
import { retentionMsOf } from './find-stream.ts';
import { recordKey, shardPrefix } from '../followers/streams/shard-keys.ts';
import { firstPosition } from './shard-lineage.ts';
import { replaceDueShards } from './shard-turnover.ts';
import {
  decodeStreamRecord,
  isShardGone,
  isStreamGone,
  type ShardRecord,
  streamKey,
  type StreamRecord,
  streamWrite,
} from './stream-record.ts';

/*
 * The scheduled work on streams: replacing shards, trimming records, and removing streams that are off. Readers use the clock
 * and see each of these at its time; this task makes the store match. It runs in small steps, each a decision that may be
 * repeated, so that it can stop anywhere and several processes may run it.
 */

/** Records removed in one decision. */
const trimChunkRecords = 500;

/** How often the streams are checked, in milliseconds. */
const upkeepIntervalMs = 60_000;

/** Does the work that is due for all streams, periodically, until the engine closes. */
export function keepStreams(services: CatalogServices): Promise<void> {
  return repeatTask(services, {
    name: 'upkeep of streams',
    everyMs: upkeepIntervalMs,
    postponedEvent: 'stream-upkeep-postponed',
    run: async () => void (await asHolder(services, 'upkeep of streams', tendStreams)),
  });
}

/**
 * Does the work that is due for every stream.
 *
 * @throws {ClosingSignal} if the engine closes.
 * @throws {StorageError} if the store fails; the next round continues the work.
 */
export async function tendStreams(services: CatalogServices): Promise<void> {
  let from = spaceStart(space.streams);
  for (;;) {
    let found: StreamRecord | undefined;
    await services.store.range({ from, to: spaceStart(space.streams + 1), limit: 1 }, (key, value) => {
      found = decodeStreamRecord(key, value);
      return false;
    });
    if (found === undefined) return;
    await tendStream(services, found);
    await takeTurn(services);
    from = Buffer.concat([streamKey(found, found.tableName, found.sinceMs), Uint8Array.of(0)]);
  }
}

async function tendStream(services: CatalogServices, stream: StreamRecord): Promise<void> {
  const nowMs = services.environment.clock.nowMs();
  const retentionMs = retentionMsOf(services);
  if (isStreamGone(stream, nowMs, retentionMs)) {
    await purgeSpace(services, stream.space);
    const key = streamKey(stream, stream.tableName, stream.sinceMs);
    await services.store.write([], () => ({ answer: undefined, writes: [{ key, value: undefined }] }));
    return;
  }
  await replaceDueShards(services, stream);
  const isGone = (shard: ShardRecord): boolean => isShardGone(shard, nowMs, retentionMs);
  // The records of a shard are not older than the shard. All records of a shard that is gone are removed, whatever the clock
  // said when they were dated.
  const old = stream.shards.filter(({ openedAtMs }) => openedAtMs <= nowMs - retentionMs);
  for (const shard of old) await trimShard(services, stream, shard, isGone(shard) ? Infinity : nowMs - retentionMs);
  if (stream.shards.some(isGone)) await forgetShards(services, stream, isGone);
}

/** Removes the records that were made at or before a time. */
async function trimShard(
  services: CatalogServices,
  stream: StreamRecord,
  shard: ShardRecord,
  trimmedUntilMs: number,
): Promise<void> {
  const prefix = shardPrefix(stream.space, shard);
  const from = recordKey(prefix, firstPosition(shard));
  const to = recordKey(prefix, Number.MAX_SAFE_INTEGER);
  for (;;) {
    const writes: StoreWrite[] = [];
    await services.store.range({ from, to, limit: trimChunkRecords }, (key, value) => {
      const isTrimmed = createdAtMsOf(key, value) <= trimmedUntilMs;
      if (isTrimmed) writes.push({ key: Buffer.from(key), value: undefined });
      return isTrimmed;
    });
    if (writes.length > 0) await services.store.write([], () => ({ answer: undefined, writes }));
    if (writes.length < trimChunkRecords) return;
    await takeTurn(services);
  }
}

/** Removes shards that have no records left. */
async function forgetShards(
  services: CatalogServices,
  { tableName, sinceMs, ...context }: StreamRecord,
  isGone: (shard: ShardRecord) => boolean,
): Promise<void> {
  const key = streamKey(context, tableName, sinceMs);
  await services.store.write([key], ([value]) => {
    if (value === undefined) return { answer: undefined, writes: [] };
    const present = decodeStreamRecord(key, value);
    const shards = present.shards.filter((shard) => !isGone(shard));
    const isChanged = shards.length < present.shards.length;
    return { answer: undefined, writes: isChanged ? [streamWrite({ ...present, shards })] : [] };
  });
}
