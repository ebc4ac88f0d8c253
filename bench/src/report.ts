import type { BackfillResult } from './backfill.ts';
import { type GrowthMode, growthModes, type GrowthResult, type GrowthScenario, growthScenarios } from './growth.ts';
import type { LoadResult } from './load.ts';
import { memorySubjects, type MemoryResult } from './memory.ts';
import type { BenchCase, BenchGroup } from './plan.ts';
import type { BenchResults } from './results.ts';
import { type MeasuredSubject, rateRatios, roundsOf } from './measurement.ts';
import type { RunFigures } from './run-figures.ts';
import type { StartupResult } from './startup.ts';
import { median, spread } from './statistics.ts';
import type { SubjectId, Transport } from './subject.ts';
import type { TargetVerdict } from './targets.ts';
import { textTable } from './text-table.ts';
import type { VectorResult } from './vectors.ts';

/** A generator that uses more than this share of a core may have limited the rate. */
const generatorBusyShare = 0.9;

/** The figures as text for a terminal: a table per scenario and variation, then the rest, and the invariants that must hold. */
export function renderReport(results: BenchResults): string {
  const sections = [
    heading(results),
    ...results.groups.map((group) => groupSection(results, group)),
    memorySection(results.subjects),
    startupSection(results.startup),
    loadSection(results.load),
    vectorSection(results.vectors),
    growthSection(results.growth),
    backfillSection(results.backfill),
    loadMemorySection(results.memory),
    problemSection(results),
    targetSection(results),
  ];
  return `${sections.filter((section) => section !== '').join('\n\n')}\n`;
}

function heading({ machine, versions, settings, measurements, disturbance }: BenchResults): string {
  const lines = [
    `Singlet ${versions.singlet}, dynalite ${versions.dynalite}, dynoxide ${versions.dynoxide ?? 'not installed'}, lmdb ${versions.lmdb}, AWS SDK ${versions.sdk}, Node ${machine.node}`,
    `${machine.processors} x ${machine.processor}, ${bytesText(machine.memoryBytes)}, ${machine.system}, fdatasync ${machine.fdatasyncMs.toFixed(2)} ms`,
  ];
  if (disturbance !== undefined) {
    lines.push(
      `NOT A QUIET MACHINE: ${disturbance}. Rates are too low, ratios are rough; compare CPU us, and measure again.`,
    );
  }
  if (measurements.length === 0) return lines.join('\n');
  const scene =
    `${count(settings.itemCount)} items of 1 KB, random keys, ${settings.concurrency} requests in flight, ` +
    `${settings.rounds} alternating rounds of ${settings.secondsPerRun} s: medians; +- is half the spread of the rounds`;
  const generator = measurements
    .flatMap(({ rounds }) => rounds.map((round) => round.generatorCpuMicroseconds))
    .filter((microseconds) => microseconds !== undefined);
  if (generator.length > 0) {
    lines.push(
      `The load came from ${settings.client === 'wrk' ? 'wrk' : 'a client in Node, which is itself the limit near the floor'}, and took ${median(generator).toFixed(1)} us of CPU per request (median of all runs over HTTP)`,
    );
  }
  return [...lines, scene].join('\n');
}

const columns = [
  '',
  'req/s',
  '+-',
  'p50 ms',
  'p99 ms',
  'CPU us',
  '/ node:http',
  'range',
  '/ LMDB',
  '/ dynalite',
  '/ dynoxide',
  '',
];
const transportTitles: Readonly<Record<Transport, string>> = {
  http: 'over HTTP',
  'in process': 'in process',
  sdk: 'through the AWS SDK',
};

function groupSection(results: BenchResults, group: BenchGroup): string {
  const rows: string[][] = [];
  for (const benchCase of group.cases) {
    const measured = results.subjects.filter((subject) => roundsOf(results, benchCase.id, subject.id).length > 0);
    if (measured.length > 0 && benchCase.title !== '') rows.push([`  ${benchCase.title}`]);
    let transport: Transport | undefined;
    for (const subject of measured) {
      if (benchCase.title === '' && subject.transport !== transport) {
        rows.push([`  ${transportTitles[subject.transport]}`]);
      }
      transport = subject.transport;
      rows.push(subjectRow(results, benchCase, subject));
    }
  }
  return rows.length === 0 ? '' : `${group.title}\n${textTable(columns, rows)}`;
}

function subjectRow(results: BenchResults, { id }: BenchCase, subject: MeasuredSubject): string[] {
  const rounds = roundsOf(results, id, subject.id);
  const rates = rounds.map((round) => round.requestsPerSecond);
  const byOther = (other: SubjectId | undefined): number[] =>
    other === undefined || other === subject.id ? [] : rateRatios(results, id, subject.id, other);
  const text = (quotients: readonly number[]): string => (quotients.length === 0 ? '' : ratioText(median(quotients)));
  const byFloor = byOther(subject.transport === 'sdk' ? 'sdk-http-floor' : 'http-floor');
  const range = byFloor.length < 2 ? '' : `${ratioText(Math.min(...byFloor))}-${ratioText(Math.max(...byFloor))}`;
  return [
    subject.title,
    count(Math.round(median(rates))),
    `${Math.round((spread(rates) / 2) * 100)}%`,
    latencyText(median(rounds.map((round) => round.p50Ms))),
    latencyText(median(rounds.map((round) => round.p99Ms))),
    cpuText(rounds),
    text(byFloor),
    range,
    subject.transport === 'in process' ? text(byOther('lmdb')) : '',
    text(byOther(subject.peers?.dynalite)),
    text(byOther(subject.peers?.dynoxide)),
    remark(rounds),
  ];
}

function remark(rounds: readonly RunFigures[]): string {
  const errors = rounds.reduce((sum, round) => sum + round.errors, 0);
  if (errors > 0) return `${count(errors)} WRONG ANSWERS`;
  const busy = rounds.some((round) => (round.generatorCpuShare ?? 0) > generatorBusyShare);
  return busy ? 'limited by the load generator' : '';
}

function cpuText(rounds: readonly RunFigures[]): string {
  const figures = rounds.flatMap((round) => round.subjectCpuMicroseconds ?? []);
  return figures.length === 0 ? '' : median(figures).toFixed(1);
}

function memorySection(subjects: readonly MeasuredSubject[]): string {
  const rows = subjects.flatMap(({ title, transport, memory }) =>
    memory?.loaded === undefined || transport !== 'http'
      ? []
      : [
          [
            title,
            bytesText(memory.loaded.privateBytes),
            memory.after === undefined ? '' : bytesText(memory.after.privateBytes),
            bytesText((memory.after ?? memory.loaded).mappedBytes),
          ],
        ],
  );
  if (rows.length === 0) return '';
  const header = ['', 'private, just loaded', 'after the last scenario', 'mapped files'];
  return `Memory of the servers\n${textTable(header, rows)}`;
}

function startupSection(startup: StartupResult | undefined): string {
  const floor = median(startup?.find((each) => each.subject === 'http-floor')?.timesMs ?? []);
  const rows = (startup ?? []).map(({ title, timesMs }) => {
    const time = median(timesMs);
    return [
      title,
      time.toFixed(0),
      `${Math.min(...timesMs).toFixed(0)}-${Math.max(...timesMs).toFixed(0)}`,
      (time - floor).toFixed(0),
    ];
  });
  if (rows.length === 0) return '';
  return `Start-up: from spawn to the first answer\n${textTable(['', 'ms', 'range', 'over node:http'], rows)}`;
}

function vectorSection(vectors: VectorResult | undefined): string {
  if (vectors === undefined || vectors.length === 0) return '';
  const header = [
    'items',
    'dimensions',
    'exact p50',
    'p99 ms',
    'approximate p50',
    'p99 ms',
    'recall@10',
    'build s',
    'loaded /s',
  ];
  const rows = vectors.map(({ itemCount, dimensions, exact, approximate, recallAt10, buildSeconds, loadSeconds }) => [
    count(itemCount),
    String(dimensions),
    exact.p50Ms.toFixed(2),
    exact.p99Ms.toFixed(2),
    approximate.p50Ms.toFixed(2),
    approximate.p99Ms.toFixed(2),
    recallAt10.toFixed(3),
    buildSeconds.toFixed(1),
    count(Math.round(itemCount / loadSeconds)),
  ]);
  return `SearchVectors for 10 items: one request at a time, in process, on disk\n${textTable(header, rows)}`;
}

const loadTerms =
  'BatchWriteItem from 32 connections over HTTP, 64 batches at a time in process; LMDB 1,000 items a commit';

function loadSection(load: LoadResult | undefined): string {
  if (load === undefined || load.ways.length === 0) return '';
  const rows = load.ways.map(({ title, itemsPerSecond }) => [
    title,
    count(Math.round(median(itemsPerSecond))),
    `${Math.round((spread(itemsPerSecond) / 2) * 100)}%`,
  ]);
  const title = `Loading ${count(load.itemCount)} items of 1 KB: ${loadTerms}`;
  return `${title}\n${textTable(['', 'items/s', '+-'], rows)}`;
}

function growthSection(growth: GrowthResult | undefined): string {
  if (growth === undefined || growth.length === 0) return '';
  const p50 = (size: GrowthResult[number], mode: GrowthMode, scenario: GrowthScenario): string => {
    const found = size.series.find((each) => each.mode === mode && each.scenario === scenario);
    if (found === undefined || found.rounds.length === 0) return '';
    return `${us(found.rounds, 'p50Ms')} / ${us(found.rounds, 'p99Ms')}`;
  };
  const header = ['', ...growth.map(({ itemCount }) => `${count(itemCount)} items`)];
  const rows = growthScenarios.flatMap((scenario) => {
    const measured = (Object.keys(growthModes) as GrowthMode[])
      .map((mode) => [growthModes[mode], ...growth.map((size) => p50(size, mode, scenario))])
      .filter((row) => row.slice(1).some((text) => text !== ''));
    return measured.length === 0 ? [] : [[`  ${growthTitles[scenario]}`], ...measured];
  });
  const sizes = [
    ['loaded in process, items/s', ...growth.map((size) => count(Math.round(size.itemCount / size.loadSeconds)))],
    ['disk', ...growth.map((size) => bytesText(size.diskBytes))],
    ['disk bytes per item', ...growth.map((size) => count(Math.round(size.diskBytes / size.itemCount)))],
    [
      'bytes per item that DynamoDB counts',
      ...growth.map((size) => count(Math.round(size.countedBytes / size.itemCount))),
    ],
    [
      'disk against the bytes that DynamoDB counts',
      ...growth.map((size) => ratioText(size.diskBytes / size.countedBytes)),
    ],
    [
      'private memory of the server',
      ...growth.map(({ memory }) => (memory === undefined ? '' : bytesText(memory.privateBytes))),
    ],
  ];
  return `Growth: latency p50 / p99 in us, on disk\n${textTable(header, [...rows, ...sizes])}`;
}

const growthTitles: Readonly<Record<GrowthScenario, string>> = { get: 'GetItem', put: 'PutItem', query: 'Query of 20' };

function us(rounds: readonly RunFigures[], field: 'p50Ms' | 'p99Ms'): string {
  const value = median(rounds.map((round) => round[field])) * 1000;
  return value < 10 ? value.toFixed(1) : value.toFixed(0);
}

function backfillSection(backfill: BackfillResult | undefined): string {
  if (backfill === undefined) return '';
  const row = (title: string, runs: readonly RunFigures[]): string[] => [
    title,
    count(Math.round(median(runs.map((run) => run.requestsPerSecond)))),
    latencyText(median(runs.map((run) => run.p50Ms))),
    latencyText(median(runs.map((run) => run.p99Ms))),
  ];
  const seconds = median(backfill.backfillSeconds);
  const title = `GetItem over HTTP while an index of ${count(backfill.itemCount)} items is being filled (in ${seconds.toFixed(1)} s)`;
  const rows = [row('nothing else going on', backfill.usual), row('while it is being filled', backfill.during)];
  return `${title}\n${textTable(['', 'req/s', 'p50 ms', 'p99 ms'], rows)}`;
}

function loadMemorySection(memory: MemoryResult | undefined): string {
  if (memory === undefined || memory.length === 0) return '';
  const rows = memory.map((each) => [
    `${memorySubjects[each.subject]}, ${count(each.itemCount)} items`,
    bytesText(each.privatePeakBytes),
    bytesText(each.privateBytes),
    bytesText(each.mappedBytes),
    count(Math.round(each.itemCount / each.seconds)),
  ]);
  return `Memory while items of 1 KB are loaded, on disk\n${textTable(['', 'private, peak', 'at the end', 'mapped file', 'loaded /s'], rows)}`;
}

function targetSection({ targets, settings }: BenchResults): string {
  if (targets.length === 0) return '';
  const rows = targets.map((target) => [
    target.text,
    `${target.relation} ${numberText(target.limit, target.unit)}`,
    target.value === undefined ? '-' : numberText(target.value, target.unit),
    target.lowest === undefined || target.highest === undefined || target.lowest === target.highest
      ? ''
      : `${numberText(target.lowest, target.unit)} to ${numberText(target.highest, target.unit)}`,
    target.verdict === 'miss' ? 'MISS' : target.verdict,
  ]);
  const reasons = targets.flatMap(({ text, reason }) => (reason === undefined ? [] : [`  ${text}: ${reason}.`]));
  const title = `Must hold${targets.some(({ verdict }) => verdict === 'not judged') ? '; on a machine that is not quiet only sizes are judged, not speeds' : ''} (${count(settings.itemCount)} items of 1 KB, random keys, ${settings.concurrency} connections; the median of the rounds)`;
  const table = `${title}\n${textTable(['', 'wanted', 'measured', 'rounds', ''], rows)}`;
  return reasons.length === 0 ? table : `${table}\nNot measured:\n${reasons.join('\n')}`;
}

function problemSection({ problems }: BenchResults): string {
  const reasons = [...new Set(problems.map(({ reason }) => reason))];
  const lines = reasons.map((reason) => {
    const whats = problems.filter((problem) => problem.reason === reason).map(({ what }) => what);
    return `  ${whats.join('; ')}: ${reason}`;
  });
  return lines.length === 0 ? '' : `Could not be measured\n${lines.join('\n')}`;
}

export function numberText(value: number, unit: TargetVerdict['unit']): string {
  return unit === 'times' ? `${ratioText(value)}x` : `${value.toFixed(0)} ${unit}`;
}

function ratioText(ratio: number): string {
  return ratio >= 10 ? ratio.toFixed(1) : ratio.toFixed(2);
}

function latencyText(ms: number): string {
  return ms < 0.1 ? ms.toFixed(4) : ms.toFixed(2);
}

function bytesText(bytes: number): string {
  return bytes >= 2 ** 30 ? `${(bytes / 2 ** 30).toFixed(1)} GB` : `${(bytes / 2 ** 20).toFixed(0)} MB`;
}

function count(value: number): string {
  return value.toLocaleString('en-US');
}
