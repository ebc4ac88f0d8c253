import { describe, expect, it } from 'vitest';
import type { GrowthSize } from './growth.ts';
import type { Measurement } from './results.ts';
import type { RunFigures } from './run-figures.ts';
import type { ScenarioName } from './scenarios.ts';
import type { SubjectId } from './subject.ts';
import { evaluateTargets } from './targets.ts';

const run = (requestsPerSecond: number, p50Ms = 1, errors = 0): RunFigures => ({
  requests: 100,
  errors,
  seconds: 1,
  requestsPerSecond,
  p50Ms,
  p99Ms: p50Ms * 3,
});

const rates = (scenario: ScenarioName, subject: SubjectId, ...perSecond: number[]): Measurement => ({
  scenario,
  subject,
  rounds: perSecond.map((rate) => run(rate)),
});

const sized = (itemCount: number, getMs: number): GrowthSize => ({
  itemCount,
  loadSeconds: 1,
  diskBytes: 1,
  rounds: { get: [run(1, getMs)], put: [run(1, 1)], query: [run(1, 1)] },
});

describe('targets of rates', () => {
  it('compares within each round and judges the median', () => {
    const measurements = [
      rates('get', 'http-floor', 40_000, 20_000, 10_000),
      rates('get', 'singlet-disk', 24_000, 10_000, 4000),
      rates('get', 'in-process-request', 100_000, 50_000, 29_000),
    ];
    const [overHttp, inProcess] = evaluateTargets({ measurements }, new Set(['get']));
    expect(overHttp).toMatchObject({ value: 0.5, lowest: 0.4, highest: 0.6, limit: 0.5, verdict: 'holds' });
    expect(inProcess).toMatchObject({ value: 2.5, limit: 3, verdict: 'misses' });
  });

  it('wants PutItem faster than dynalite, not as fast', () => {
    const measurements = [
      rates('put', 'http-floor', 30_000),
      rates('put', 'singlet-disk', 9000),
      rates('put', 'dynalite-disk', 9000),
    ];
    const [floor, peer] = evaluateTargets({ measurements }, new Set(['put']));
    expect(floor).toMatchObject({ value: 0.3, verdict: 'holds' });
    expect(peer).toMatchObject({ value: 1, verdict: 'misses' });
  });

  it('says what is missing, and does not count answers that were errors', () => {
    const failing = { ...rates('get', 'singlet-disk', 50_000), rounds: [run(50_000, 1, 2)] };
    const [overHttp, inProcess] = evaluateTargets(
      { measurements: [rates('get', 'http-floor', 40_000), failing] },
      new Set(['get']),
    );
    expect(overHttp).toMatchObject({ verdict: 'not measured', reason: 'singlet-disk answered with errors' });
    expect(inProcess).toMatchObject({ verdict: 'not measured', reason: 'there are no figures of in-process-request' });
  });

  it('judges only what was asked for', () => {
    expect(evaluateTargets({ measurements: [] }, new Set(['query', 'batch']))).toEqual([]);
  });
});

describe('the target of start-up', () => {
  it('takes the difference of the medians', () => {
    const startup = [
      { subject: 'http-floor', title: '', timesMs: [50, 60, 500] },
      { subject: 'singlet-disk', title: '', timesMs: [150, 141, 120] },
    ] as const;
    const [verdict] = evaluateTargets({ measurements: [], startup }, new Set(['startup']));
    expect(verdict).toMatchObject({ value: 81, lowest: 60, highest: 90, unit: 'ms', verdict: 'misses' });
  });

  it('is not measured without Singlet', () => {
    const startup = [{ subject: 'http-floor', title: '', timesMs: [50] }] as const;
    const [verdict] = evaluateTargets({ measurements: [], startup }, new Set(['startup']));
    expect(verdict).toMatchObject({ verdict: 'not measured' });
  });
});

describe('the targets of growth', () => {
  it('judges ten million items, and (DB-002) every operation at the largest size', () => {
    const growth = [sized(10_000, 0.01), sized(1_000_000, 0.012), sized(10_000_000, 0.016)];
    const verdicts = evaluateTargets({ measurements: [], growth }, new Set(['growth']));
    expect(verdicts[0]).toMatchObject({ value: 1.6, limit: 1.5, verdict: 'misses' });
    expect(verdicts.slice(1).map(({ text }) => text)).toEqual([
      'GetItem p50 on 10,000,000 items against 10,000',
      'GetItem p99 on 10,000,000 items against 10,000',
      'PutItem p50 on 10,000,000 items against 10,000',
      'PutItem p99 on 10,000,000 items against 10,000',
      'Query of 20 p50 on 10,000,000 items against 10,000',
      'Query of 20 p99 on 10,000,000 items against 10,000',
    ]);
    expect(verdicts.slice(1).every(({ verdict, limit }) => verdict === 'holds' && limit === 2)).toBe(true);
  });

  it('does not take a smaller table for ten million items', () => {
    const growth = [sized(10_000, 0.01), sized(100_000, 0.01)];
    const [verdict] = evaluateTargets({ measurements: [], growth }, new Set(['growth']));
    expect(verdict).toMatchObject({ verdict: 'not measured' });
    expect(verdict?.reason).toContain('100,000 items');
  });
});

describe('the target of a backfill', () => {
  it('compares each run with the usual p99', () => {
    const backfill = {
      itemCount: 1,
      usual: [run(1, 1), run(1, 2), run(1, 1)],
      during: [run(1, 2), run(1, 4)],
      backfillSeconds: [1],
    };
    const [verdict] = evaluateTargets({ measurements: [], backfill }, new Set(['backfill']));
    expect(verdict).toMatchObject({ value: 3, lowest: 2, highest: 4, limit: 3, verdict: 'holds' });
  });
});

describe('the target of memory', () => {
  it('compares the peaks of the smaller and the larger table, of the database and not of the store', () => {
    const loaded = { seconds: 1, privateBytes: 0, mappedBytes: 0 };
    const memory = [
      { ...loaded, subject: 'lmdb', itemCount: 1, privatePeakBytes: 1 },
      { ...loaded, subject: 'singlet', itemCount: 1, privatePeakBytes: 100 },
      { ...loaded, subject: 'lmdb', itemCount: 10, privatePeakBytes: 10 },
      { ...loaded, subject: 'singlet', itemCount: 10, privatePeakBytes: 160 },
    ] as const;
    const [verdict] = evaluateTargets({ measurements: [], memory }, new Set(['memory']));
    expect(verdict).toMatchObject({ value: 1.6, verdict: 'misses' });
  });
});
