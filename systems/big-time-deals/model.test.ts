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

  test('has its charts in the README', async () => {
    await expectChartsInReadme(import.meta.url, bigTimeDeals);
  });
});
