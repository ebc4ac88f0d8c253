import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { isConfirmed } from './confirmation.ts';

/** A terminal with what is typed; `undefined` ends the input. */
async function answered(typed: string | undefined, isTTY = true): Promise<boolean> {
  const [input, output] = [new PassThrough(), new PassThrough().resume()];
  const answer = isConfirmed(Object.assign(input, { isTTY }), Object.assign(output, { isTTY }));
  if (typed === undefined) input.end();
  else input.write(typed);
  return answer;
}

test.each([
  ['y\n', true],
  ['YES\n', true],
  [' y \r', true],
  ['n\n', false],
  ['\n', false],
  ['maybe\n', false],
  ['y\u0003', false],
  ['\u0003', false],
  ['\u0004', false],
  [undefined, false],
])('%j is %s', async (typed, isYes) => {
  expect(await answered(typed)).toBe(isYes);
});

test('without a terminal it does not ask', async () => {
  expect(await answered(undefined, false)).toBe(true);
});
