import type { StoreWrite } from '../../storage/store.ts';
import { encodeHead } from '../followers/streams/shard-head.ts';
import { hashPrefixCount, headKey, shardPrefix } from '../followers/streams/shard-keys.ts';
import type { StreamReference } from '../catalog/table-record.ts';

/*
 * The log of changes that feeds a destination. It is written like a stream, in the decision of each item write, but it is not
 * one: no request can list or read it, its shards are never replaced, and delivered records are removed.
 */

/** Writers of different shards do not wait for one another. */
const logShardCount = 4;

const firstLogPosition = 1;

/** A new, empty log. */
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
