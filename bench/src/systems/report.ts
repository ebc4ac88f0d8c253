import { disturbanceOf } from '../quietness.ts';
import { textTable } from '../text-table.ts';
import {
  type CallFigures,
  growthMin,
  type PatternResult,
  ratioMax,
  ratioOf,
  type SystemResult,
  type SystemsResults,
} from './results.ts';

/** An answer longer by this much takes longer, whatever the size of the table. */
const longerAnswerNoticed = 1.2;

const columns = [
  'call',
  'pattern',
  'requests',
  'read',
  'written',
  'RCU',
  'WCU',
  'p50 small',
  'p50 large',
  'ratio',
  'p99 small',
  'p99 large',
  '',
];

/** The figures as text for a terminal: a table per system, then the missed targets. */
export function renderSystemsReport(results: SystemsResults): string {
  const sections = [
    heading(results),
    ...results.systems.map(systemSection),
    verdictSection(results.systems),
    problemSection(results),
  ];
  return `${sections.filter((section) => section !== '').join('\n\n')}\n`;
}

function heading({ machine, versions, settings, otherLoadShare }: SystemsResults): string {
  const lines = [
    `Singlet ${versions.singlet}, AWS SDK ${versions.sdk}, Node ${machine.node}`,
    `${machine.processors} x ${machine.processor}, ${machine.system}, fdatasync ${machine.fdatasyncMs.toFixed(2)} ms`,
    `${settings.times} calls of each pattern in each data set, one at a time, small and large in turn; ms that an application waits`,
  ];
  const disturbance = disturbanceOf({ measurements: [], otherLoadShare });
  if (disturbance !== undefined) {
    lines.push(`NOT A QUIET MACHINE: ${disturbance}. Latencies are too high, ratios are rough.`);
  }
  return lines.join('\n');
}

function systemSection({ system, small, large, patterns, unmeasured }: SystemResult): string {
  const growth = large.items / small.items;
  const sizes =
    `${system}: ${count(small.items)} and ${count(large.items)} items (${growth.toFixed(0)} times as many` +
    `${growth < growthMin ? `; ${growthMin} are required` : ''}), loaded in ${large.loadSeconds.toFixed(0)} s`;
  const rows = patterns.map((result) => [
    result.call,
    result.pattern,
    both(result, ({ requests }) => requests),
    both(result, ({ itemsRead }) => itemsRead),
    both(result, ({ itemsWritten }) => itemsWritten),
    both(result, ({ readUnits }) => readUnits),
    both(result, ({ writeUnits }) => writeUnits),
    result.small.p50Ms.toFixed(2),
    result.large.p50Ms.toFixed(2),
    ratioOf(result).toFixed(2),
    result.small.p99Ms.toFixed(2),
    result.large.p99Ms.toFixed(2),
    verdictText(result),
  ]);
  const without = Object.entries(unmeasured).map(([id, reason]) => `${id} is not measured: ${reason}`);
  return [sizes, textTable(columns, rows), ...without].join('\n');
}

/** The figure of a call, and the second one if the two data sets differ. */
function both({ small, large }: PatternResult, figureOf: (figures: CallFigures) => number): string {
  const [inSmall, inLarge] = [figureText(figureOf(small)), figureText(figureOf(large))];
  return inSmall === inLarge ? inSmall : `${inSmall}, ${inLarge}`;
}

function figureText(value: number): string {
  if (value === 0) return '';
  return value < 10 ? String(Math.round(value * 10) / 10) : value.toFixed(0);
}

function verdictText(result: PatternResult): string {
  if (ratioOf(result) <= ratioMax) return '';
  const longer = longerAnswer(result);
  return longer === undefined ? 'MISSED' : `MISSED: reads ${longer.toFixed(1)} times as much`;
}

function longerAnswer({ small, large }: PatternResult): number | undefined {
  const longer = Math.max(large.itemsRead / small.itemsRead, large.readUnits / small.readUnits);
  return longer > longerAnswerNoticed ? longer : undefined;
}

function verdictSection(systems: readonly SystemResult[]): string {
  const required = `Required: a median at most ${ratioMax} times as long in the large data set`;
  const lines = systems.map(({ system, patterns }) => {
    const missed = patterns.filter((result) => ratioOf(result) > ratioMax);
    const names = missed.map((result) => `${result.call} (${ratioOf(result).toFixed(2)})`).join(', ');
    const held = `${patterns.length - missed.length} of ${patterns.length} calls`;
    return `  ${system}: ${held}${missed.length === 0 ? '' : `; missed by ${names}`}`;
  });
  return [required, ...lines].join('\n');
}

function problemSection({ problems }: SystemsResults): string {
  if (problems.length === 0) return '';
  return ['Not measured:', ...problems.map(({ what, reason }) => `  ${what}: ${reason}`)].join('\n');
}

function count(value: number): string {
  return value.toLocaleString('en-US');
}
