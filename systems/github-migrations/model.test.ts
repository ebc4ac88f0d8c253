import { check } from '@singlet/model/check';
import { describe, expect, test } from 'vitest';
import { github } from '../github/model.ts';
import { expectChartsInReadme } from '../testing/readme.ts';
import { githubMigrations } from './model.ts';

describe('the model of the site a year later', () => {
  const report = check(githubMigrations);

  test('serves every pattern as declared, with nothing left to remark', () => {
    expect(report.findings.filter(({ level }) => level !== 'accepted')).toEqual([]);
    expect(report.patterns.map(({ verdict }) => verdict)).toEqual(report.patterns.map(() => 'served'));
    expect(report.procedures.map(({ verdict }) => verdict)).toEqual(report.procedures.map(() => 'served'));
  });

  test('has every pattern of the first model as it was, and those of the specification', () => {
    const earlier = check(github).patterns;
    const names = new Set(earlier.map(({ pattern }) => pattern));
    expect(report.patterns.filter(({ pattern }) => names.has(pattern))).toEqual(earlier);
    const ids = [...report.patterns.filter(({ pattern }) => !names.has(pattern)), ...report.procedures];
    expect(new Set(ids.map(({ id }) => id))).toEqual(
      new Set([
        ...Array.from({ length: 16 }, (_, index) => `GHM-${String(index + 1).padStart(2, '0')}`),
        ...Array.from({ length: 5 }, (_, index) => `MIG-${index + 1}`),
        undefined, // moderators' actions are not in the specification's patterns
      ]),
    );
  });

  test('reads by key only; the migrations alone scan the table', () => {
    const operations = new Set(report.patterns.map(({ served }) => served?.operation));
    expect([...operations].filter((operation) => operation?.includes('Scan'))).toEqual([]);
    const scanning = report.procedures.filter(({ scans }) => scans !== undefined);
    expect(scanning.map(({ id, scans }) => [id, Object.keys(scans ?? {})])).toEqual([
      ['MIG-3', ['GitHubTable']],
      ['MIG-4', ['GitHubTable']],
      ['MIG-5', ['GitHubTable']],
    ]);
  });

  test.each([
    ['openIssuesOfRepo', 'GSI4', false],
    ['closedIssuesOfRepo', 'GSI4', true],
    ['openPullRequestsOfRepo', 'GSI5', false],
    ['closedPullRequestsOfRepo', 'GSI5', true],
  ])('%s is one query of %s without a filter, descending: %s', (pattern, place, descending) => {
    expect(report.patterns.find((each) => each.pattern === pattern)?.served).toMatchObject({
      operation: 'Query',
      place,
      order: descending ? 'descending' : 'ascending',
      requests: 1,
    });
    expect(report.patterns.find((each) => each.pattern === pattern)?.served?.filter).toBeUndefined();
  });

  test('is charted in the README', async () => {
    await expectChartsInReadme(import.meta.url, githubMigrations);
  });
});
