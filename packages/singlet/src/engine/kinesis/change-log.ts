import type { StoreWrite } from '../../storage/store.ts';
import { encodeHead } from '../followers/streams/shard-head.ts';
import { hashPrefixCount, headKey, shardPrefix } from '../followers/streams/shard-keys.ts';
import type { StreamReference } from '../catalog/table-record.ts';

/*
 * The log of changes that a destination is served from. It is written as a stream is, in the decision of each item write, and
 * is none: no request can list or read it, its shards are never replaced, and what was delivered is removed.
 */

/** Writers of different shards do not wait for one another. */
const logShardCount = 4;

const firstLogPosition = 1;

/** A new log, empty. */
export function newChangeLog(logSpace: number): { readonly log: StreamReference; readonly writes: StoreWrite[] } {
  const openShards = Array.from({ length: logShardCount }, (_, number) => ({
    number,
    hashFrom: (hashPrefixCount / logShardCount) * number,
  }));
  return {
    log: { space: logSpace, openShards },
    writes: openShards.map((shard) => ({
      key: headKey(shardPrefix(logSpace, shard)),
      value: encodeHead(firstLogPosition),
    })),
  };
}
