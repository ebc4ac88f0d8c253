import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Lease, shardEnd } from './lease.ts';
import { planLeases } from './lease-plan.ts';

const lease = (shardId: string, changes: Partial<Lease> = {}): Lease => ({
  shardId,
  parentShardId: undefined,
  worker: undefined,
  counter: 0,
  epoch: 0,
  checkpoint: 'TRIM_HORIZON',
  fromMs: undefined,
  ...changes,
});

function plan(leases: readonly Lease[], worker: string, held: readonly string[] = []): readonly string[] {
  return planLeases({
    leases: new Map(leases.map((each) => [each.shardId, each])),
    worker,
    heldShardIds: new Set(held),
    isFree: (each) => each.worker === 'gone',
    random: () => 0.5,
  }).map(({ shardId }) => shardId);
}

describe('the leases that a worker should take', () => {
  test('all that are free, when it is alone', () => {
    expect(plan([lease('a'), lease('b', { worker: 'gone' }), lease('c', { worker: 'me' })], 'me')).toEqual([
      'a',
      'b',
      'c',
    ]);
  });

  test('none of finished shards, nor of those whose parents are not finished', () => {
    const leases = [
      lease('done', { checkpoint: shardEnd }),
      lease('ready', { parentShardId: 'done' }),
      lease('trimmed parent', { parentShardId: 'not there' }),
      lease('open', { worker: 'other' }),
      lease('child', { parentShardId: 'open' }),
    ];
    expect(plan(leases, 'me')).toEqual(['ready', 'trimmed parent']);
  });

  test('its share, and no more', () => {
    const leases = [lease('a', { worker: 'other' }), lease('b'), lease('c'), lease('d')];
    expect(plan(leases, 'me')).toHaveLength(2);
    expect(plan([...leases, lease('e', { worker: 'me' })], 'me', ['e'])).toHaveLength(2);
  });

  test('one from the worker that has most, when nothing is free', () => {
    const other = ['a', 'b', 'c'].map((id) => lease(id, { worker: 'other' }));
    expect(plan(other, 'me')).toHaveLength(1);
    expect(plan([...other, lease('d', { worker: 'me' })], 'me', ['d'])).toHaveLength(1);
    expect(plan([...other, lease('d', { worker: 'me' }), lease('e', { worker: 'me' })], 'me', ['d', 'e'])).toEqual([]);
  });

  test('any number of workers come to shares that differ by one at most, and stay there', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 1, max: 8 }), fc.nat(), (count, workers, seed) => {
        const leases = Array.from({ length: count }, (_, at) =>
          lease(`s${at}`, { worker: (at * 7 + seed) % 3 === 0 ? undefined : `w${(at + seed) % workers}` }),
        );
        const take = (): boolean => {
          let isChanged = false;
          for (let at = 0; at < workers; at += 1) {
            const name = `w${at}`;
            const held = leases.filter(({ worker }) => worker === name).map(({ shardId }) => shardId);
            for (const id of plan(leases, name, held)) {
              leases[Number(id.slice(1))] = lease(id, { worker: name });
              isChanged = true;
            }
          }
          return isChanged;
        };
        let rounds = 0;
        while (take()) expect((rounds += 1)).toBeLessThan(100);
        const counts = Array.from(
          { length: workers },
          (_, at) => leases.filter(({ worker }) => worker === `w${at}`).length,
        );
        expect(counts.reduce((sum, each) => sum + each)).toBe(count);
        expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
      }),
    );
  });
});
