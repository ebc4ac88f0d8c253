import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Limits, serviceLimits } from '../../values/limits.ts';
import { hashPrefixCount } from '../followers/streams/shard-keys.ts';
import { closeShards, dueShards, firstShards, openShards, replaceShards } from './shard-lineage.ts';
import { newStreamRecord, type StreamRecord } from './stream-record.ts';

const hourMs = 3_600_000;
const startMs = 1_704_067_200_000;

function newStream(limits: Limits): StreamRecord {
  const shards = firstShards({ space: 300 }, startMs, limits);
  return newStreamRecord({
    accountId: '000000000000',
    region: 'us-east-1',
    tableName: 'Table',
    sinceMs: startMs,
    space: 300,
    viewType: 'KEYS_ONLY',
    keySchema: [],
    enabledFromMs: startMs,
    nextShardNumber: shards.length,
    shards,
  });
}

/** Replaces the shards that are due at that time, after `written` records per shard. */
function turnOver(stream: StreamRecord, nowMs: number, limits: Limits, written = 10): StreamRecord {
  const ends = dueShards(stream, nowMs, limits).map((shard) => ({
    shard,
    nextPosition: shard.startPosition + 1 + written,
  }));
  return replaceShards(stream, ends, nowMs, limits);
}

describe('DB-255 shards', () => {
  test('a new stream has four open shards without parents that cover all hashes', () => {
    const { shards } = newStream(serviceLimits);
    expect(shards.map(({ hashFrom, hashTo }) => [hashFrom, hashTo])).toEqual([
      [0, 0x4000],
      [0x4000, 0x8000],
      [0x8000, 0xc000],
      [0xc000, hashPrefixCount],
    ]);
    for (const { shardId, parentShardId, closed } of shards) {
      expect(shardId).toMatch(/^shardId-00000001704067200000-[0-9a-f]{8}$/);
      expect([parentShardId, closed]).toEqual([undefined, undefined]);
    }
    expect(new Set(shards.map(({ shardId }) => shardId)).size).toBe(4);
  });

  test('are replaced when they are four hours old, not before', () => {
    const stream = newStream(serviceLimits);
    expect(dueShards(stream, startMs + 4 * hourMs - 1, serviceLimits)).toEqual([]);
    expect(dueShards(stream, startMs + 4 * hourMs, serviceLimits)).toHaveLength(4);
  });

  test('one in four splits, until there are eight', () => {
    let stream = newStream(serviceLimits);
    const counts: number[] = [];
    for (let turn = 1; turn <= 12; turn += 1) {
      stream = turnOver(stream, startMs + turn * 4 * hourMs, serviceLimits);
      counts.push(openShards(stream.shards).length);
    }
    expect(counts.slice(0, 4)).toEqual([5, 6, 7, 8]);
    expect(counts.at(-1)).toBe(8);
  });

  test('of a stream that is off are not replaced', () => {
    const stream = { ...newStream(serviceLimits), disabled: { atMs: startMs, untilMs: startMs } };
    expect(dueShards(stream, startMs + 24 * hourMs, serviceLimits)).toEqual([]);
  });

  test('cover all hashes at all times, and each continues where its parent ends', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ hours: fc.integer({ min: 0, max: 9 }), written: fc.integer({ min: 0, max: 5 }) }), {
          maxLength: 15,
        }),
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 1, max: 3 }),
        (turns, streamShardCountInitial, streamShardCountMax, streamShardSplitInterval) => {
          const limits = { ...serviceLimits, streamShardCountInitial, streamShardCountMax, streamShardSplitInterval };
          let stream = newStream(limits);
          let nowMs = startMs;
          for (const { hours, written } of turns) {
            nowMs += hours * hourMs;
            stream = turnOver(stream, nowMs, limits, written);
            const open = openShards(stream.shards);
            expect(open[0]?.hashFrom).toBe(0);
            open.forEach(({ hashTo }, at) => expect(hashTo).toBe(open[at + 1]?.hashFrom ?? hashPrefixCount));
          }
          const byId = new Map(stream.shards.map((shard) => [shard.shardId, shard]));
          expect(byId.size).toBe(stream.nextShardNumber);
          for (const child of stream.shards) {
            if (child.parentShardId === undefined) continue;
            const parent = byId.get(child.parentShardId)!;
            expect(parent.shardId < child.shardId).toBe(true);
            expect(parent.closed?.endPosition).toBe(child.startPosition - 1);
            expect(child.hashFrom).toBeGreaterThanOrEqual(parent.hashFrom);
            expect(child.hashTo).toBeLessThanOrEqual(parent.hashTo);
          }
        },
      ),
    );
  });

  test('a shard without records ends where it starts', () => {
    const [shard] = newStream(serviceLimits).shards;
    const [closed] = closeShards([shard!], [{ shard: shard!, nextPosition: shard!.startPosition + 1 }], startMs);
    expect(closed?.closed).toEqual({ atMs: startMs, endPosition: shard!.startPosition });
  });
});
