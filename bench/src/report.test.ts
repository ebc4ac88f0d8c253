import { describe, expect, it } from 'vitest';
import { renderHtml } from './html-report.ts';
import type { BenchGroup } from './plan.ts';
import type { MemoryUse } from './process-cpu.ts';
import { renderReport } from './report.ts';
import type { BenchResults } from './results.ts';
import type { RunFigures } from './run-figures.ts';
import { judgedIfQuiet } from './targets.ts';
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

const memory = (privateBytes: number): MemoryUse => ({ privateBytes, mappedBytes: 40 * 2 ** 20 });

function groupOf(
  name: BenchGroup['name'],
  title: string,
  named: { readonly id: string; readonly title: string },
): BenchGroup {
  const table = { name: 'Bench', itemCount: 200, itemBytes: 1024, indexCount: 0, stream: false };
  const ring = { scenario: 'get', table, countMax: 10 } as const;
  return { name, title, cases: [{ ...named, ring, concurrency: 32 }], subjects: [] };
}

const disturbance = 'other processes used 42 % of it';

const results: BenchResults = {
  format: 2,
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
  groups: [
    groupOf('get', 'GetItem', { id: 'get', title: '' }),
    groupOf('put', 'PutItem', { id: 'put', title: '' }),
    groupOf('sizes', 'Sizes of items', { id: 'sizes/get/1 KB', title: 'GetItem, 1 KB' }),
  ],
  subjects: [
    { id: 'http-floor', title: 'bare', transport: 'http' },
    {
      id: 'dynalite-disk',
      title: 'dynalite',
      transport: 'http',
      memory: { loaded: memory(100 * 2 ** 20), after: memory(3 * 2 ** 30) },
    },
    {
      id: 'singlet-disk',
      title: 'our server',
      transport: 'http',
      peers: { dynalite: 'dynalite-disk', dynoxide: 'dynoxide-disk' },
    },
    { id: 'lmdb', title: 'LMDB', transport: 'in process' },
    { id: 'in-process-request', title: 'request()', transport: 'in process' },
  ],
  measurements: [
    {
      caseId: 'get',
      subject: 'http-floor',
      rounds: [run(40_000), run(44_000), run(36_000, { subjectCpuMicroseconds: 16, generatorCpuShare: 0.95 })],
    },
    { caseId: 'get', subject: 'dynalite-disk', rounds: [run(10_000), run(11_000), run(9000, { errors: 3 })] },
    { caseId: 'get', subject: 'singlet-disk', rounds: [run(20_000), run(33_000), run(27_000)] },
    { caseId: 'sizes/get/1 KB', subject: 'singlet-disk', rounds: [run(1234), run(1234)] },
    { caseId: 'get', subject: 'lmdb', rounds: [run(800_000, { p50Ms: 0.0011 })] },
    { caseId: 'get', subject: 'in-process-request', rounds: [run(400_000, { p50Ms: 0.012 })] },
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
      countedBytes: 10_240_000,
      memory: memory(60 * 2 ** 20),
      series: [{ mode: 'in-process', scenario: 'get', rounds: [run(1, { p50Ms: 0.02 })] }],
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
      verdict: 'hold',
    },
    { text: 'Quick', relation: 'at most', limit: 80, unit: 'ms', value: 90, verdict: 'miss' },
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
    expect(row('our server').split(/ {2,}/)).toEqual([
      'our server',
      '27,000',
      '24%',
      '0.50',
      '2.00',
      '0.75',
      '0.50-0.75',
      '3.00',
    ]);
    expect(row('request()').split(/ {2,}/)).toEqual(['request()', '400,000', '0%', '0.0120', '2.00', '10.0', '0.50']);
  });

  it('shouts about answers that were errors', () => {
    expect(row('dynalite')).toMatch(/3 WRONG ANSWERS$/);
  });

  it('has a heading for each case of a variation', () => {
    expect(report).toMatch(/Sizes of items\n.*\n-+\n {2}GetItem, 1 KB\nour server +1,234/);
  });

  it('leaves out scenarios that were not measured', () => {
    expect(report).toContain('GetItem\n');
    expect(report).not.toContain('PutItem');
  });

  it('shows vector searches with their recall', () => {
    expect(report).toMatch(/50,000 +128 +40\.00 +55\.50 +1\.25 +3\.00 +0\.988 +12\.3 +10,000/);
  });

  it('shows memory, start-up and growth', () => {
    expect(report).toMatch(/dynalite +100 MB +3\.0 GB +40 MB/);
    expect(report).toMatch(/Singlet +120 +110-130 +60/);
    expect(report).toMatch(/in process, one at a time +20 \/ 2000/);
    expect(report).toMatch(/disk +20 MB/);
    expect(report).toMatch(/disk against the bytes that DynamoDB counts +2\.00/);
    expect(report).toMatch(/private memory of the server +60 MB/);
  });

  it('says of each target whether it holds, and why it is not known', () => {
    expect(report).toMatch(/Fast +at least 0\.50x +0\.75x +0\.50x to 0\.75x +hold/);
    expect(report).toMatch(/Quick +at most 80 ms +90 ms +MISS/);
    expect(report).toMatch(/Flat +at most 1\.50x +- +not measured/);
    expect(report).toContain('  Flat: no figures.');
  });

  it('warns of a machine that was not quiet, and only of one', () => {
    expect(renderReport({ ...results, disturbance })).toContain(`NOT A QUIET MACHINE: ${disturbance}.`);
    expect(report).not.toContain('QUIET');
  });

  it('judges no figure of time of a busy machine', () => {
    const busy = renderReport({ ...results, disturbance, targets: judgedIfQuiet(results.targets, disturbance) });
    expect(busy).toContain('Must hold; on a machine that is not quiet only sizes are judged, not speeds');
    expect(busy).toMatch(/Fast +at least 0\.50x +0\.75x +0\.50x to 0\.75x +not judged/);
    expect(busy).not.toMatch(/MISS| hold$/m);
    expect(judgedIfQuiet(results.targets)).toEqual(results.targets);
  });

  it('lists what could not be measured once per reason', () => {
    expect(report).toContain('Could not be measured\n  Singlet, memory; Start-up: not built\n');
  });
});

describe('the page', () => {
  it('needs nothing from elsewhere, and what is in it cannot end its scripts', () => {
    const html = renderHtml({ ...results, problems: [{ what: '</script><b>', reason: '<!-- & "' }] });
    expect(html).not.toMatch(/(src|href)=/);
    expect(html.match(/<\/script>/g)).toHaveLength(3);
    const json = /<script type="application\/json" id="results">(.*)<\/script>/.exec(html)?.[1] ?? '';
    expect((JSON.parse(json) as BenchResults).problems).toEqual([{ what: '</script><b>', reason: '<!-- & "' }]);
    expect(html).toContain('&lt;/script&gt;&lt;b&gt;: &lt;!-- &amp; &quot;');
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
