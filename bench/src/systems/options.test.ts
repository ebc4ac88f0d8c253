import { expect, test } from 'vitest';
import { BenchError } from '../bench-error.ts';
import { parseSystemsOptions, systemsHelpText } from './options.ts';

const known = ['github', 'blog', 'shop'];

test('defaults', () => {
  expect(parseSystemsOptions([], known)).toEqual({
    systems: known,
    scale: undefined,
    times: 100,
    quick: false,
    directory: undefined,
    jsonFile: undefined,
  });
  expect(parseSystemsOptions(['--quick'], known)).toMatchObject({ times: 30, quick: true });
});

test('what is asked for', () => {
  const argv = ['--system', 'shop, github', '--scale', '0.5', '--times', '7', '--directory', 'd', '--json', 'f'];
  expect(parseSystemsOptions(argv, known)).toEqual({
    systems: ['github', 'shop'],
    scale: 0.5,
    times: 7,
    quick: false,
    directory: 'd',
    jsonFile: 'f',
  });
  expect(parseSystemsOptions(['--help'], known)).toBe('help');
  expect(systemsHelpText(known)).toContain('--system LIST    of github, blog, shop');
});

test.each([
  [['--system', 'gitlab'], '--system knows github, blog, shop; not gitlab.'],
  [['--scale', '0'], '--scale wants a number above 0, up to 10; not "0".'],
  [['--scale', '11'], '--scale wants a number above 0, up to 10; not "11".'],
  [['--times', '1.5'], '--times wants a whole number; not "1.5".'],
  [['--times', 'many'], '--times wants a number above 0, up to 100000; not "many".'],
  [['--fast'], /--fast/],
])('%j is refused', (argv, message) => {
  let refusal: unknown;
  try {
    parseSystemsOptions(argv, known);
  } catch (error) {
    refusal = error;
  }
  expect(refusal).toBeInstanceOf(BenchError);
  expect(refusal).toMatchObject({ code: 'usage', message: expect.stringMatching(message) as string });
});
