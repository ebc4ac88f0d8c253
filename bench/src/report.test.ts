import { describe, expect, it } from 'vitest';
import { renderReport } from './report.ts';
import type { BenchResults } from './results.ts';
import type { RunFigures } from './run-figures.ts';
import { textTable } from './text-table.ts';

const run = (requestsPerSecond: number, more: Partial<RunFigures> = {}): RunFigures => ({
  requests: 100,
  errors: 0,
  seconds: 1,
  requestsPerSecond,
  p50Ms: 0.5,
  p99Ms: 2,
  ...more,
});

const results: BenchResults = {
  format: 1,
  startedAt: '2026-01-01T00:00:00.000Z',
  machine: {
    processor: 'Some Processor',
    processors: 2,
    memoryBytes: 24 * 2 ** 30,
    system: 'linux 6',
    node: 'v20',
    fdatasyncMs: 0.15,
  },
  versions: { singlet: '0.1.0', dynalite: '4.0.0', lmdb: '3.5.6', sdk: '3.0.0' },
  settings: { itemCount: 100_000, concurrency: 32, rounds: 3, secondsPerRun: 2, quick: false },
  subjects: [
    { id: 'http-floor', title: 'bare', transport: 'http' },
    {
      id: 'dynalite-disk',
      title: 'dynalite',
      transport: 'http',
      memory: { loadedBytes: 100 * 2 ** 20, afterBytes: 3 * 2 ** 30 },
    },
    { id: 'singlet-disk', title: 'our server', transport: 'http', peer: 'dynalite-disk' },
    { id: 'lmdb', title: 'LMDB', transport: 'in process' },
    { id: 'in-process-request', title: 'request()', transport: 'in process' },
  ],
  measurements: [
    {
      scenario: 'get',
      subject: 'http-floor',
      rounds: [run(40_000), run(44_000), run(36_000, { subjectCpuMicroseconds: 16, generatorCpuShare: 0.95 })],
    },
    { scenario: 'get', subject: 'dynalite-disk', rounds: [run(10_000), run(11_000), run(9000, { errors: 3 })] },
    { scenario: 'get', subject: 'singlet-disk', rounds: [run(20_000), run(33_000), run(27_000)] },
    { scenario: 'get', subject: 'lmdb', rounds: [run(800_000, { p50Ms: 0.0011 })] },
    { scenario: 'get', subject: 'in-process-request', rounds: [run(400_000, { p50Ms: 0.012 })] },
  ],
  startup: [
    { subject: 'http-floor', title: 'empty server', timesMs: [60, 50, 70] },
    { subject: 'singlet-disk', title: 'Singlet', timesMs: [120, 110, 130] },
  ],
  vectors: [
    {
      itemCount: 50_000,
      dimensions: 128,
      loadSeconds: 5,
      buildSeconds: 12.34,
      exact: { p50Ms: 40, p99Ms: 55.5 },
      approximate: { p50Ms: 1.25, p99Ms: 3 },
      recallAt10: 0.9876,
    },
  ],
  growth: [
    {
      itemCount: 10_000,
      loadSeconds: 0.5,
      diskBytes: 20_480_000,
      rounds: { get: [run(1, { p50Ms: 0.02 })], put: [run(1)], query: [run(1)] },
    },
  ],
  targets: [
    {
      text: 'Fast',
      relation: 'at least',
      limit: 0.5,
      unit: 'times',
      value: 0.75,
      lowest: 0.5,
      highest: 0.75,
      verdict: 'holds',
    },
    { text: 'Quick', relation: 'at most', limit: 80, unit: 'ms', value: 90, verdict: 'misses' },
    { text: 'Flat', relation: 'at most', limit: 1.5, unit: 'times', verdict: 'not measured', reason: 'no figures' },
  ],
  problems: [
    { what: 'Singlet, memory', reason: 'not built' },
    { what: 'Start-up', reason: 'not built' },
  ],
};

const report = renderReport(results);
const row = (start: string, text = report): string => text.split('\n').find((line) => line.startsWith(start)) ?? '';

describe('the report', () => {
  it('shows medians, half the spread, latencies, CPU time and the ratios of rounds', () => {
    expect(row('bare').split(/ {2,}/)).toEqual([
      'bare',
      '40,000',
      '10%',
      '0.50',
      '2.00',
      '16.0',
      'limited by the load generator',
    ]);
    // Ratios to the floor 0.5, 0.75, 0.75; to dynalite 2, 3, 3: medians of the rounds, not quotients of the medians.
    expect(row('our server').split(/ {2,}/)).toEqual(['our server', '27,000', '24%', '0.50', '2.00', '0.75', '3.00']);
    expect(row('request()').split(/ {2,}/)).toEqual(['request()', '400,000', '0%', '0.0120', '2.00', '10.0', '0.50']);
  });

  it('shouts about answers that were errors', () => {
    expect(row('dynalite')).toMatch(/3 ERRORS$/);
  });

  it('leaves out scenarios that were not measured', () => {
    expect(report).toContain('GetItem\n');
    expect(report).not.toContain('PutItem');
  });

  it('shows vector searches with their recall', () => {
    expect(report).toMatch(/50,000 +128 +40\.00 +55\.50 +1\.25 +3\.00 +0\.988 +12\.3 +10,000/);
  });

  it('shows memory, start-up and growth', () => {
    expect(report).toMatch(/dynalite +100 MB +3\.0 GB/);
    expect(report).toMatch(/Singlet +120 +110-130 +\+60/);
    expect(report).toMatch(/10,000 +20\.0 +2000\.0 .*20,000 +20 MB +2\.00/);
  });

  it('says of each target whether it holds, and why it is not known', () => {
    expect(report).toMatch(/Fast +at least 0\.50x +0\.75x +0\.50x to 0\.75x +holds/);
    expect(report).toMatch(/Quick +at most 80 ms +90 ms +MISSES/);
    expect(report).toMatch(/Flat +at most 1\.50x +- +not measured/);
    expect(report).toContain('  Flat: no figures.');
  });

  it('warns of a busy machine, and only of one', () => {
    expect(renderReport({ ...results, otherLoadShare: 0.42 })).toContain('other processes took 42 % of it');
    expect(renderReport({ ...results, otherLoadShare: 0.03 })).not.toContain('QUIET');
    expect(report).not.toContain('QUIET');
  });

  it('lists what could not be measured once per reason', () => {
    expect(report).toContain('Could not be measured\n  Singlet, memory; Start-up: not built\n');
  });
});

describe('a text table', () => {
  it('aligns, leaves out columns without text, and allows short rows', () => {
    const table = textTable(['', 'rate', 'unused', 'note'], [['section'], ['a', '1'], ['bb', '22', '', 'x']]);
    expect(table.split('\n')).toEqual([
      '         rate  note',
      '-------------------',
      'section',
      'a           1',
      'bb         22     x',
    ]);
  });
});
