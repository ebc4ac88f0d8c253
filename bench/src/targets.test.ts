import { describe, expect, it } from 'vitest';
import type { GrowthSize } from './growth.ts';
import { type MeasureName, measureNames } from './options.ts';
import { createPlan } from './plan.ts';
import type { Measurement } from './measurement.ts';
import type { RunFigures } from './run-figures.ts';
import type { SubjectId } from './subject.ts';
import { evaluateTargets, type TargetInputs } from './targets.ts';

const run = (requestsPerSecond: number, p50Ms = 1, errors = 0): RunFigures => ({
  requests: 100,
  errors,
  seconds: 1,
  requestsPerSecond,
  p50Ms,
  p99Ms: p50Ms * 3,
});

/** Measurements of the CPU of a request, in microseconds. */
const cpu = (caseId: string, subject: SubjectId, ...microseconds: number[]): Measurement => ({
  caseId,
  subject,
  rounds: microseconds.map((each) => ({ ...run(1000), subjectCpuMicroseconds: each })),
});

const rates = (caseId: string, subject: SubjectId, ...perSecond: number[]): Measurement => ({
  caseId,
  subject,
  rounds: perSecond.map((rate) => run(rate)),
});

const sized = (itemCount: number, getMs: number): GrowthSize => ({
  itemCount,
  loadSeconds: 1,
  diskBytes: itemCount * 1700,
  countedBytes: itemCount * 1000,
  series: (['in-process', 'http-1', 'http-32'] as const).flatMap((mode) =>
    (['get', 'query', 'put'] as const).map((scenario) => ({
      mode,
      scenario,
      rounds: [run(1, scenario === 'get' ? getMs : 1)],
    })),
  ),
});

function verdicts(inputs: Partial<TargetInputs>, ...measures: MeasureName[]) {
  const all = evaluateTargets({ concurrency: 32, subjects: [], measurements: [], ...inputs }, new Set(measures));
  return { all, of: (text: string) => all.find((each) => each.text.includes(text)) };
}

describe('targets of rates', () => {
  it('compares within each round and judges the median', () => {
    const measurements = [
      rates('get', 'http-floor', 40_000, 20_000, 10_000),
      rates('get', 'singlet-disk', 28_000, 10_000, 9000),
      rates('get', 'in-process-request', 100_000, 50_000, 29_000),
    ];
    const { of } = verdicts({ measurements }, 'get');
    expect(of('bare node:http')).toMatchObject({ value: 0.7, lowest: 0.5, highest: 0.9, limit: 0.7, verdict: 'hold' });
    expect(of('in process against')).toMatchObject({ limit: 5, verdict: 'miss' });
    expect(of('in process against')?.value).toBeCloseTo(100 / 28);
  });

  it('takes the peer that was fastest in each round', () => {
    const measurements = [
      rates('update', 'singlet-disk', 9000, 9000),
      rates('update', 'dynalite-disk', 3000, 4500),
      rates('update', 'dynoxide-disk', 4500, 1000),
    ];
    const { of } = verdicts({ measurements }, 'update');
    expect(of('faster peer')).toMatchObject({ value: 2, lowest: 2, highest: 2, verdict: 'hold' });
  });

  it('says what is missing, and does not count answers that were wrong', () => {
    const failing = { ...rates('get', 'singlet-disk', 50_000), rounds: [run(50_000, 1, 2)] };
    const { of } = verdicts({ measurements: [rates('get', 'http-floor', 40_000), failing] }, 'get');
    expect(of('bare node:http')).toMatchObject({ verdict: 'not measured', reason: 'singlet-disk answered wrongly' });
    expect(of('in process against')).toMatchObject({
      verdict: 'not measured',
      reason: 'there are no figures of in-process-request',
    });
  });

  it('judges what indexes and a stream cost by the rate without them', () => {
    const measurements = [
      rates('indexes/put/0 indexes', 'singlet-disk', 12_000, 9000),
      rates('indexes/put/5 indexes', 'singlet-disk', 3000, 3000),
      rates('streams/put/without a stream', 'singlet-disk', 1300),
      rates('streams/put/with a stream', 'singlet-disk', 1000),
    ];
    const { of } = verdicts({ measurements }, 'indexes', 'streams');
    expect(of('five indexes')).toMatchObject({ value: 3.5, relation: 'at most', limit: 3, verdict: 'miss' });
    expect(of('a stream costs')).toMatchObject({ value: 1.3, verdict: 'hold' });
  });

  it('compares the CPU of a request, whatever the rates', () => {
    const measurements = [
      cpu('get', 'http-floor', 20, 18, 16),
      cpu('get', 'singlet-disk', 30, 36, 20),
      cpu('get', 'singlet-memory', 33, 36, 21),
    ];
    const { of } = verdicts({ measurements }, 'get');
    expect(of('on disk, CPU')).toMatchObject({ value: 1.5, lowest: 1.25, highest: 2, limit: 1.5, verdict: 'hold' });
    expect(of('in memory, CPU')).toMatchObject({ value: 1.05, limit: 1, verdict: 'miss' });
    const silent = verdicts({ measurements: [rates('get', 'singlet-disk', 1000)] }, 'get');
    expect(silent.of('on disk, CPU')).toMatchObject({
      verdict: 'not measured',
      reason: 'there are no CPU times of singlet-disk',
    });
  });

  it('judges what signatures and policies cost by rate and by CPU time', () => {
    const access = (subject: SubjectId, rate: number, subjectCpuMicroseconds: number): Measurement => ({
      ...rates('access/get/32 connections', subject, rate),
      rounds: [{ ...run(rate), subjectCpuMicroseconds }],
    });
    const measurements = [access('singlet-disk', 20_000, 40), access('singlet-signed', 16_000, 48)];
    const { of } = verdicts({ measurements }, 'access');
    expect(of('GetItem with signatures')).toMatchObject({ value: 0.8, relation: 'at least', verdict: 'miss' });
    expect(of('CPU of a GetItem')).toMatchObject({ value: 1.2, relation: 'at most', verdict: 'hold' });
  });

  it('finds every case it speaks of in the plan', () => {
    const measures = new Set<MeasureName>(measureNames);
    const groups = createPlan({ groups: measures, itemCount: 10_000, concurrency: 7, quick: false });
    const measurements = groups.flatMap(({ cases, subjects }) =>
      cases.flatMap(({ id }) => subjects.map((subject) => cpu(id, subject, 20))),
    );
    const all = evaluateTargets({ concurrency: 7, subjects: [], measurements }, measures);
    const ofRates = all.filter(({ text }) => !/memory of the server|Start-up|items|filled|ten times/.test(text));
    expect(ofRates).toHaveLength(28);
    expect(ofRates.filter(({ verdict }) => verdict === 'not measured')).toEqual([]);
  });

  it('judges only what was asked for', () => {
    expect(verdicts({}, 'filter', 'batch-write').all).toEqual([]);
  });
});

describe('the target of the memory of the server', () => {
  it('takes the larger one of before and after the requests', () => {
    const memory = {
      loaded: { privateBytes: 260 * 2 ** 20, mappedBytes: 0 },
      after: { privateBytes: 200 * 2 ** 20, mappedBytes: 0 },
    };
    const subjects = [{ id: 'singlet-disk', title: '', transport: 'http', memory }] as const;
    expect(verdicts({ subjects }, 'get').of('memory of the server')).toMatchObject({
      value: 260,
      lowest: 200,
      unit: 'MB',
      verdict: 'miss',
    });
    expect(verdicts({}, 'get').of('memory of the server')).toMatchObject({ verdict: 'not measured' });
  });
});

describe('the target of start-up', () => {
  it('takes the difference of the medians', () => {
    const startup = [
      { subject: 'http-floor', title: '', timesMs: [50, 60, 500] },
      { subject: 'singlet-disk', title: '', timesMs: [150, 141, 120] },
    ] as const;
    const [verdict] = verdicts({ startup }, 'startup').all;
    expect(verdict).toMatchObject({ value: 81, lowest: 60, highest: 90, unit: 'ms', verdict: 'miss' });
  });

  it('is not measured without Singlet', () => {
    const startup = [{ subject: 'http-floor', title: '', timesMs: [50] }] as const;
    const [verdict] = verdicts({ startup }, 'startup').all;
    expect(verdict).toMatchObject({ verdict: 'not measured' });
  });
});

describe('the targets of growth', () => {
  it('judges the largest table against the smallest, in every way it was asked', () => {
    const growth = [sized(10_000, 0.01), sized(1_000_000, 0.012), sized(10_000_000, 0.016)];
    const { all, of } = verdicts({ growth }, 'growth');
    expect(all).toHaveLength(10);
    expect(of('GetItem p50 in process')).toMatchObject({ limit: 1.4, verdict: 'miss' });
    expect(of('GetItem p50 in process')?.value).toBeCloseTo(1.6);
    expect(of('GetItem p50 over HTTP, 32')?.text).toContain('10,000,000 items against 10,000');
    expect(of('PutItem p50 over HTTP, 1 ')).toMatchObject({ value: 1, limit: 2, verdict: 'hold' });
    expect(of('Disk against')).toMatchObject({ value: 1.7, verdict: 'hold' });
  });

  it('does not take a smaller table for ten million items', () => {
    const { of } = verdicts({ growth: [sized(10_000, 0.01), sized(100_000, 0.01)] }, 'growth');
    expect(of('GetItem p50 in process')).toMatchObject({ verdict: 'hold' });
    expect(of('Latency on 10,000,000')).toMatchObject({ verdict: 'not measured' });
    expect(of('Latency on 10,000,000')?.reason).toContain('100,000 items');
  });

  it('needs two sizes', () => {
    expect(verdicts({ growth: [sized(10_000, 1)] }, 'growth').all).toMatchObject([{ verdict: 'not measured' }]);
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
    const [verdict] = verdicts({ backfill }, 'backfill').all;
    expect(verdict).toMatchObject({ value: 3, lowest: 2, highest: 4, limit: 3, verdict: 'hold' });
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
    const [verdict] = verdicts({ memory }, 'memory').all;
    expect(verdict).toMatchObject({ value: 1.6, verdict: 'miss' });
  });
});
