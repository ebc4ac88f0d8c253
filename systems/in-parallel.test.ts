import { expect, test } from 'vitest';
import { inParallel } from './in-parallel.ts';

async function* pages(count: number): AsyncGenerator<number> {
  for (let number = 0; number < count; number += 1) {
    if (number % 4 === 0) await Promise.resolve();
    yield number;
  }
}

test.each([
  ['many', Array.from({ length: 10 }, (_, index) => index)],
  ['pages of many', pages(10)],
])('takes each of %s once, no more at a time than asked for', async (_, all) => {
  const done: number[] = [];
  let running = 0;
  let most = 0;
  await inParallel(3, all, async (each) => {
    most = Math.max(most, (running += 1));
    await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
    done.push(each);
  });
  expect(done.toSorted((left, right) => left - right)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(most).toBe(3);
});

test('throws the first error once all that was begun has ended, and begins no more', async () => {
  const ended: number[] = [];
  const attempt = inParallel(2, pages(100), async (each) => {
    await Promise.resolve();
    ended.push(each);
    if (each >= 5) throw new RangeError(String(each));
  });
  await expect(attempt).rejects.toThrow(RangeError);
  const count = ended.length;
  expect(count).toBeLessThan(9);
  await new Promise((resolve) => setImmediate(resolve));
  expect(ended).toHaveLength(count);
});
