import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const linesOf = (url: string): readonly string[] => readFileSync(fileURLToPath(url), 'utf8').split('\n');

test('a position in a stack is that of the TypeScript source', () => {
  interface Removed {
    readonly without: 'types';
  }
  const removed: Removed = { without: 'types' };
  const { stack = '' } = new Error(removed.without); // this line
  const line = linesOf(import.meta.url).findIndex((text) => text.endsWith('// this line')) + 1;
  expect(stack).toMatch(new RegExp(`/source-hooks\\.test\\.ts(\\?[^:]*)?:${line}:\\d+`));
});

test.each([
  ['singlet', '../../src/index.ts'],
  ['singlet/consumer', '../../src/consumer/index.ts'],
  ['singlet/cache', '../../src/cache/index.ts'],
  ['singlet/storage', '../../src/storage/index.ts'],
  ['@singlet/model', '../../../model/src/index.ts'],
  ['@singlet/model/check', '../../../model/src/check/index.ts'],
  ['@singlet/model/resolved', '../../../model/src/resolve/index.ts'],
])('%s is imported from %s', async (name, source) => {
  expect(await import(name)).toBe(await import(source));
});
