import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { SequenceNumbers } from './sequence-numbers.ts';

test('numbers rise in each process, differ between processes, and stay behind what is settled', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.nat({ max: 31 }), fc.integer({ min: -5, max: 3 }), fc.boolean()), { maxLength: 300 }),
      (steps) => {
        const processes = Array.from({ length: 32 }, (_, worker) => new SequenceNumbers(worker));
        const settled = processes.map(() => 0);
        const seen = new Set<number>();
        let nowMs = 1_767_225_600_000;
        for (const [worker, passed, isAsked] of steps) {
          nowMs += passed; // a clock may be set back
          const process = processes[worker]!;
          if (isAsked) {
            settled[worker] = process.settledAt(nowMs);
          } else {
            const seq = process.next(nowMs);
            expect(Number.isSafeInteger(seq)).toBe(true);
            expect(seen.has(seq)).toBe(false);
            expect(seq).toBeGreaterThan(settled[worker]!);
            seen.add(seq);
          }
        }
      },
    ),
  );
});
