import { escaped } from './html-report.ts';
import { cpuTimesOf, type MeasuredSubject, rateRatios, ratesOf } from './measurement.ts';
import type { BenchCase } from './plan.ts';
import type { BenchResults } from './results.ts';
import { median, spread } from './statistics.ts';

/** One bar of a chart. */
interface Bar {
  readonly label: string;
  readonly value: number;
}

/**
 * The page of the documentation on performance: the figures of one run with the machine and the date, as tables, and charts of the CPU time
 * of a request, which depends less on other load than the rate does.
 *
 * @param file - where the figures are, from the root of the repository.
 */
export function performancePage(results: BenchResults, file: string): string {
  const sections = results.groups.flatMap((group) =>
    group.cases.map((benchCase) =>
      caseSection(results, benchCase, benchCase.title === '' ? group.title : `${group.title}: ${benchCase.title}`),
    ),
  );
  return [
    introduction(results, file),
    machineSection(results),
    ...sections,
    startupSection(results),
    targetSection(results),
  ]
    .filter((section) => section !== '')
    .join('\n\n')
    .concat('\n');
}

function introduction({ startedAt, settings }: BenchResults, file: string): string {
  return `# Performance

The figures of one benchmark run, on ${startedAt.slice(0, 10)}, with ${settings.itemCount.toLocaleString('en')} items of 1 KB and ${settings.concurrency} requests in flight.
Rates depend on the machine, so compare the **CPU time** of a request with that of a server that does nothing (\`node:http\` with a fixed
answer), and the ratios. [The benchmarks' README](../bench/README.md) describes each subject, how it is measured, and what else can be
measured; \`npm run bench\` measures on your machine.

This page is generated from [${file}](../${file}), which has the figures of every round.`;
}

function machineSection({ machine, versions, settings, otherLoadShare, disturbance }: BenchResults): string {
  const rows = [
    ['Processor', `${machine.processors} × ${machine.processor}`],
    ['Memory', `${(machine.memoryBytes / 2 ** 30).toFixed(0)} GB`],
    ['System', `${machine.system}, Node ${machine.node}`],
    ['One fdatasync', `${machine.fdatasyncMs.toFixed(2)} ms`],
    [
      'Versions',
      `Singlet ${versions.singlet}, LMDB ${versions.lmdb}, dynalite ${versions.dynalite}, dynoxide ${versions.dynoxide ?? 'not installed'}`,
    ],
    ['Rounds', `${settings.rounds} of ${settings.secondsPerRun} s, subjects in turns; medians`],
    [
      'Load',
      settings.client === 'wrk' ? 'from wrk' : 'from a client in Node, which takes as much CPU as an empty server',
    ],
  ];
  return `## The machine\n\n${table(['', ''], rows)}\n\n${quietness(otherLoadShare, disturbance)}`;
}

function quietness(share: number | undefined, disturbance: string | undefined): string {
  if (disturbance !== undefined)
    return `**The machine was not quiet**: ${disturbance}. Rates are too low and ratios are rough, so nothing below is judged.`;
  if (share === undefined) return 'How busy the machine was otherwise is not known.';
  return `Other processes used ${(share * 100).toFixed(share < 0.01 ? 1 : 0)} % of the machine.`;
}

function caseSection(results: BenchResults, benchCase: BenchCase, title: string): string {
  const measured = results.subjects.filter(({ id }) => ratesOf(results, benchCase.id, id).length > 0);
  if (measured.length === 0) return '';
  const bars = measured.flatMap((subject): readonly Bar[] => {
    const times = cpuTimesOf(results, benchCase.id, subject.id);
    return times.length === 0 ? [] : [{ label: labelOf(subject), value: median(times) }];
  });
  const rows = measured.map((subject) => subjectRow(results, benchCase, subject));
  const chart = bars.length < 2 ? '' : `${barChart(`${title}: CPU time of one request, µs`, bars)}\n\n`;
  return `## ${title}\n\n${chart}${table(['', 'requests/s', '±', 'CPU, µs', 'rate ÷ node:http'], rows)}`;
}

function labelOf({ title, transport }: MeasuredSubject): string {
  return transport === 'http' ? title : `${title}, ${transport === 'sdk' ? 'through the AWS SDK' : transport}`;
}

function subjectRow(results: BenchResults, { id }: BenchCase, subject: MeasuredSubject): string[] {
  const rates = ratesOf(results, id, subject.id);
  const times = cpuTimesOf(results, id, subject.id);
  const floor = subject.transport === 'sdk' ? 'sdk-http-floor' : 'http-floor';
  const ratios = subject.id === floor ? [] : rateRatios(results, id, subject.id, floor);
  const range = ratios.length < 2 ? '' : ` (${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)})`;
  return [
    labelOf(subject),
    Math.round(median(rates)).toLocaleString('en'),
    `${Math.round((spread(rates) / 2) * 100)} %`,
    times.length === 0 ? '' : median(times).toFixed(1),
    ratios.length === 0 ? '' : `${median(ratios).toFixed(2)}${range}`,
  ];
}

function startupSection({ startup = [] }: BenchResults): string {
  if (startup.length === 0) return '';
  const bars = startup.map(({ title, timesMs }) => ({ label: title, value: median(timesMs) }));
  const rows = bars.map(({ label, value }) => [label, value.toFixed(0)]);
  const chart = barChart('From the start of the process to its first answer, ms', bars);
  return `## Start\n\nFrom the start of the process to its first answer.\n\n${chart}\n\n${table(['', 'ms'], rows)}`;
}

function targetSection({ targets }: BenchResults): string {
  if (targets.length === 0) return '';
  const rows = targets.map(({ text, relation, limit, unit, value, verdict }) => [
    text,
    `${relation} ${limit} ${unit}`,
    value === undefined ? '' : value.toFixed(2),
    verdict,
  ]);
  return `## Limits\n\nThe project's own limits for these figures, whether they are met or not.\n\n${table(['', 'limit', 'measured', 'verdict'], rows)}`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', String.raw`\|`)).join(' | ')} |`;
  const rule = head.map((_, at) => (at === 0 ? '---' : '---:'));
  return [line(head), line(rule), ...rows.map(line)].join('\n');
}

const barHeight = 22;
const labelWidth = 300;
const barWidth = 320;

/** Horizontal bars with their values, as an SVG element in the colour of the text. Markdown ends it at an empty line, so it has none. */
export function barChart(title: string, bars: readonly Bar[]): string {
  const most = Math.max(...bars.map(({ value }) => value));
  const height = bars.length * barHeight;
  const lines = bars.flatMap(({ label, value }, at) => {
    const y = at * barHeight;
    const width = Math.max(1, Math.round((value / most) * barWidth));
    return [
      `<text x="${labelWidth - 8}" y="${y + 15}" text-anchor="end">${escaped(label)}</text>`,
      `<rect x="${labelWidth}" y="${y + 3}" width="${width}" height="${barHeight - 6}" opacity="0.45"/>`,
      `<text x="${labelWidth + width + 6}" y="${y + 15}">${value.toFixed(value < 100 ? 1 : 0)}</text>`,
    ];
  });
  return [
    `<svg viewBox="0 0 ${labelWidth + barWidth + 60} ${height}" role="img" aria-label="${escaped(title)}" fill="currentColor" font-size="12">`,
    ...lines,
    '</svg>',
  ].join('\n');
}
