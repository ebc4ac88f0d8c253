import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { heavyFiles } from './heavy-files-reporter.ts';
import { heaviest } from './heaviest-first.ts';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const light = Array.from({ length: 99 }, (_, at) => ({ file: `light-${at}.test.ts`, cpuMs: 1000 }));

describe('the list of heavy test files', () => {
  test('has the heaviest first, with its share', () => {
    const { text, isTooHeavy } = heavyFiles([...light, { file: 'heavier.test.ts', cpuMs: 5000 }]);
    expect(text).toMatch(
      /^\nCPU time of 100 test files: 104\.0 s; the heaviest:\n +5\.0 s +4\.8 %  heavier\.test\.ts\n/,
    );
    expect(isTooHeavy).toBe(false);
  });

  test('refuses a file that uses too much', () => {
    const { text, isTooHeavy } = heavyFiles([...light, { file: 'hog.test.ts', cpuMs: 20_000 }]);
    expect(text).toContain('More than 15 % of the CPU time of all tests: hog.test.ts.');
    expect(isTooHeavy).toBe(true);
  });
});

test('the files that run first are there', () => {
  expect(heaviest.filter((file) => !existsSync(join(root, file)))).toEqual([]);
});
