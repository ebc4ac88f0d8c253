import { check } from '@singlet/model/check';
import { describe, expect, test } from 'vitest';
import { expectChartsInReadme } from '../testing/readme.ts';
import { github } from './model.ts';

describe('the model of the GitHub-like site', () => {
  const report = check(github);

  test('serves every pattern as declared, with nothing left to remark', () => {
    expect(report.findings.filter(({ level }) => level !== 'accepted')).toEqual([]);
    expect(report.patterns.map(({ verdict }) => verdict)).toEqual(report.patterns.map(() => 'served'));
  });

  test('has a pattern for each id of the specification, GH-01 to GH-33', () => {
    const ids = [...new Set(report.patterns.map(({ id }) => id))].toSorted((left, right) => (left! < right! ? -1 : 1));
    expect(ids).toEqual(Array.from({ length: 33 }, (_, index) => `GH-${String(index + 1).padStart(2, '0')}`));
  });

  test('reads by key only', () => {
    const operations = new Set(report.patterns.map(({ served }) => served?.operation));
    expect([...operations].filter((operation) => operation?.includes('Scan'))).toEqual([]);
  });

  test('is charted in the README', async () => {
    await expectChartsInReadme(import.meta.url, github);
  });
});
