import { assert } from '../../values/assert.ts';
import type { Limits } from '../../values/limits.ts';
import { textHash } from '../layout/partition-hash.ts';
import { hashPrefixCount } from '../followers/streams/shard-keys.ts';
import type { ShardRecord, StreamRecord } from './stream-record.ts';

/*
 * How shards succeed one another. Each open shard of a stream covers a range of hashes, and together they cover all. When a shard has
 * been open for four hours it is closed, and a child replaces it; sometimes two children do, each for one half. So the records
 * of an item are in a line of shards, parent before child, and a reader who finishes a parent before it starts
 * its children sees the item's changes in order.
 *
 * Everything below is a function of the stream's record and the time alone: no randomness, no state of a process.
 */

const minuteMs = 60_000;

/** The shards that a stream begins with. */
export function firstShards(
  stream: { readonly space: number },
  openedAtMs: number,
  { streamShardCountInitial }: Limits,
): readonly ShardRecord[] {
  const edge = (at: number): number => Math.floor((hashPrefixCount * at) / streamShardCountInitial);
  return Array.from({ length: streamShardCountInitial }, (_, number) => ({
    number,
    shardId: shardIdOf(stream, number, openedAtMs),
    hashFrom: edge(number),
    hashTo: edge(number + 1),
    openedAtMs,
    startPosition: 0,
  }));
}

/** The open shards, in the order of their hashes. */
export function openShards(shards: readonly ShardRecord[]): readonly ShardRecord[] {
  return shards.filter(({ closed }) => closed === undefined).toSorted((a, b) => a.hashFrom - b.hashFrom);
}

/** The open shards that are due to be replaced. */
export function dueShards({ shards, disabled }: StreamRecord, nowMs: number, limits: Limits): readonly ShardRecord[] {
  if (disabled !== undefined) return [];
  const openedBeforeMs = nowMs - limits.streamShardMinutes * minuteMs;
  return openShards(shards).filter(({ openedAtMs }) => openedAtMs <= openedBeforeMs);
}

/** An open shard, and the position that its next record would get. */
export interface ShardEnd {
  readonly shard: ShardRecord;
  readonly nextPosition: number;
}

/** Closes shards and opens their children. */
export function replaceShards(
  stream: StreamRecord,
  ends: readonly ShardEnd[],
  nowMs: number,
  limits: Limits,
): StreamRecord {
  let { nextShardNumber } = stream;
  let openCount = openShards(stream.shards).length;
  const children = ends.flatMap(({ shard, nextPosition }) => {
    const { number, hashFrom, hashTo } = shard;
    const isSplit =
      openCount < limits.streamShardCountMax &&
      hashTo - hashFrom > 1 &&
      number % limits.streamShardSplitInterval === limits.streamShardSplitInterval - 1;
    if (isSplit) openCount += 1;
    const middle = isSplit ? Math.floor((hashFrom + hashTo) / 2) : hashTo;
    const ranges = isSplit ? [range(hashFrom, middle), range(middle, hashTo)] : [range(hashFrom, hashTo)];
    // The creation time in its id must be later than its parent's.
    const openedAtMs = Math.max(nowMs, shard.openedAtMs + 1);
    return ranges.map((covered): ShardRecord => {
      const childNumber = nextShardNumber++;
      return {
        number: childNumber,
        shardId: shardIdOf(stream, childNumber, openedAtMs),
        parentShardId: shard.shardId,
        ...covered,
        openedAtMs,
        startPosition: nextPosition,
      };
    });
  });
  return { ...stream, nextShardNumber, shards: [...closeShards(stream.shards, ends, nowMs), ...children] };
}

/** Closes shards without opening children. */
export function closeShards(
  shards: readonly ShardRecord[],
  ends: readonly ShardEnd[],
  nowMs: number,
): readonly ShardRecord[] {
  const nextPositions = new Map(ends.map(({ shard, nextPosition }) => [shard.number, nextPosition]));
  return shards.map((shard) => {
    const nextPosition = nextPositions.get(shard.number);
    if (nextPosition === undefined) return shard;
    assert(shard.closed === undefined, 'a shard is closed once');
    return { ...shard, closed: { atMs: nowMs, endPosition: nextPosition - 1 } };
  });
}

/** The position of the first record of a shard. */
export function firstPosition({ startPosition }: ShardRecord): number {
  return startPosition + 1;
}

function range(hashFrom: number, hashTo: number): Pick<ShardRecord, 'hashFrom' | 'hashTo'> {
  return { hashFrom, hashTo };
}

/** `shardId-00000001414576573621-f55eea83`: ids sort by age. */
function shardIdOf({ space }: { readonly space: number }, number: number, openedAtMs: number): string {
  const suffix = Buffer.from(textHash('shard', String(space), String(number))).toString('hex', 0, 4);
  return `shardId-${String(openedAtMs).padStart(20, '0')}-${suffix}`;
}
