import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { replaced, withouts } from './build-without.ts';

const singlet = new URL('../../../packages/singlet/', import.meta.url);

test.each(Object.entries(withouts))('%s still contains what the measurement removes', (file, replacements) => {
  const source = readFileSync(fileURLToPath(new URL(file, singlet)), 'utf8');
  expect(replaced(source, file, replacements)).not.toBe(source);
});

test('a text that is missing, or not unique, is reported', () => {
  expect(() => replaced('a b', 'x.ts', [['c', '']])).toThrow('x.ts contains 0 times what is to be replaced: c');
  expect(() => replaced('a a', 'x.ts', [['a', '']])).toThrow('x.ts contains 2 times');
});
