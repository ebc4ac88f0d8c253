import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { heavyFiles, writeList } from './heavy-files-reporter.ts';
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

test('the list of all files keeps those of earlier runs, the heaviest first', () => {
  const directory = mkdtempSync(join(tmpdir(), 'singlet-cpu-list-'));
  const path = join(directory, 'list.json');
  writeList(path, [
    { file: 'a.test.ts', cpuMs: 20.4 },
    { file: 'b.test.ts', cpuMs: 10 },
  ]);
  writeList(path, [
    { file: 'b.test.ts', cpuMs: 30 },
    { file: 'c.test.ts', cpuMs: 25 },
  ]);
  const list = JSON.parse(readFileSync(path, 'utf8')) as Readonly<Record<string, number>>;
  expect(Object.entries(list)).toEqual([
    ['b.test.ts', 30],
    ['c.test.ts', 25],
    ['a.test.ts', 20],
  ]);
  rmSync(directory, { recursive: true });
});

test('the files that run first are there', () => {
  expect(heaviest.filter((file) => !existsSync(join(root, file)))).toEqual([]);
});
