import { expect, test } from 'vitest';
import { barCharacters } from './progress-bars.ts';

test.each([
  [{ columns: 200 }, 40],
  [{ columns: 80 }, 20],
  [{ columns: 40 }, 10],
  [{ columns: 2 }, 1],
  [{}, 20],
])('a bar on %j has %d characters', (stream, count) => {
  expect(barCharacters(stream)).toBe(count);
});
