import { readdir, readFile } from 'node:fs/promises';
import { check } from '@singlet/model/check';
import { describe, expect, test } from 'vitest';
import { expectChartsInReadme } from '../testing/readme.ts';
import { bigTimeDeals } from './model.ts';

describe('Big Time Deals, the model', () => {
  test('is served as declared, and nothing is left to remark', () => {
    const { findings, patterns } = check(bigTimeDeals);
    expect(findings.filter(({ level }) => level !== 'accepted')).toEqual([]);
    expect([...new Set(patterns.map(({ id = '' }) => id))].sort()).toEqual(
      Array.from({ length: 28 }, (_, index) => `BTD-${String(index + 1).padStart(2, '0')}`),
    );
    expect(patterns.filter(({ served }) => served?.operation === 'Scan').map(({ id }) => id)).toEqual(['BTD-21']);
  });

  test('nothing but the model knows keys, indexes or requests of the database', async () => {
    const folder = new URL('./', import.meta.url);
    const files = (await readdir(folder, { recursive: true })).filter(
      (name) => name.endsWith('.ts') && !name.endsWith('.test.ts') && name !== 'model.ts' && name !== 'testing.ts',
    );
    expect(files.length).toBeGreaterThan(15);
    for (const file of files) {
      expect(await readFile(new URL(file, folder), 'utf8'), file).not.toMatch(
        /\w+Command\b|\b[PS]K\b|GSI\d|UserIndex|[A-Z]#/,
      );
    }
  });

  test('has its charts in the README', async () => {
    await expectChartsInReadme(import.meta.url, bigTimeDeals);
  });
});
