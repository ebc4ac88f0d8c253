import { expect, test } from 'vitest';
import { workerCountOf, workersMax } from './worker-count.ts';

test('auto is one for each core, up to the most there may be', () => {
  expect(workerCountOf('auto', 1)).toBe(1);
  expect(workerCountOf('auto', 8)).toBe(8);
  expect(workerCountOf('auto', 96)).toBe(workersMax);
});

test('a number is taken as it is', () => {
  expect(workerCountOf('1', 8)).toBe(1);
  expect(workerCountOf(`${workersMax}`, 8)).toBe(workersMax);
});

test.each(['0', '33', '-1', '2.5', '1e1', '', ' 2', 'all'])('%j is refused', (text) => {
  expect(() => workerCountOf(text, 8)).toThrow(
    `--workers takes auto or a number from 1 to 32, not ${JSON.stringify(text)}.`,
  );
});
