import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ShardProgress } from './shard-progress.ts';

test('the checkpoint is the last record before the first that is not done, in whatever order they get done', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 3000 }).chain((count) =>
        fc.record({
          count: fc.constant(count),
          order: fc.shuffledSubarray(Array.from({ length: Math.min(count, 50) }, (_, at) => at)),
        }),
      ),
      ({ count, order }) => {
        const progress = new ShardProgress();
        const entries = Array.from({ length: count }, (_, at) => progress.add(String(at)));
        // Blocks of records are completed in any order.
        const blocks = order.length;
        const done = new Set<number>();
        let checkpoint: string | undefined;
        for (const block of order) {
          const part = entries.filter((_, at) => at % blocks === block);
          for (const { sequenceNumber } of part) done.add(Number(sequenceNumber));
          checkpoint = progress.complete(part) ?? checkpoint;
          const firstOpen = entries.findIndex((_, at) => !done.has(at));
          const passed = firstOpen < 0 ? count : firstOpen;
          expect(checkpoint).toBe(passed === 0 ? undefined : String(passed - 1));
          expect(progress.pendingCount).toBe(count - passed);
        }
        const next = progress.add('next');
        expect(progress.pendingCount).toBe(count - (done.size === count ? count : Number(checkpoint ?? -1) + 1) + 1);
        if (done.size === count) expect(progress.complete([next])).toBe('next');
      },
    ),
    { numRuns: 40 },
  );
});
