import type { BackfillResult } from './backfill.ts';
import type { GrowthResult, GrowthScenario, GrowthSize } from './growth.ts';
import type { MemoryResult } from './memory.ts';
import type { MeasureName } from './options.ts';
import { type Measurement, roundsOf } from './results.ts';
import type { RunFigures } from './run-figures.ts';
import type { ScenarioName } from './scenarios.ts';
import type { StartupResult, StartupSubject } from './startup.ts';
import { median, ratios } from './statistics.ts';
import type { SubjectId } from './subject.ts';

/** What was promised, what was measured, and whether the one holds for the other. */
export interface TargetVerdict {
  readonly text: string;
  readonly relation: 'at least' | 'at most' | 'more than';
  readonly limit: number;
  readonly unit: 'times' | 'ms';
  /** The median of the rounds. */
  readonly value?: number;
  readonly lowest?: number;
  readonly highest?: number;
  readonly verdict: 'holds' | 'misses' | 'not measured';
  /** Why it was not measured. */
  readonly reason?: string;
}

export interface TargetInputs {
  readonly measurements: readonly Measurement[];
  readonly startup?: StartupResult;
  readonly growth?: GrowthResult;
  readonly backfill?: BackfillResult;
  readonly memory?: MemoryResult;
}

type Goal = Pick<TargetVerdict, 'text' | 'relation' | 'limit' | 'unit'>;

const growthItemsTarget = 10_000_000;

/** The targets that belong to the measures that were asked for. */
export function evaluateTargets(inputs: TargetInputs, measures: ReadonlySet<MeasureName>): TargetVerdict[] {
  const verdicts: TargetVerdict[] = [];
  if (measures.has('get')) {
    verdicts.push(
      rateTarget(inputs, 'get', 'singlet-disk', 'http-floor', {
        text: 'GetItem over HTTP against bare node:http with the same body',
        relation: 'at least',
        limit: 0.5,
      }),
      rateTarget(inputs, 'get', 'in-process-request', 'http-floor', {
        text: 'GetItem in process against bare node:http',
        relation: 'at least',
        limit: 3,
      }),
    );
  }
  if (measures.has('put')) {
    verdicts.push(
      rateTarget(inputs, 'put', 'singlet-disk', 'http-floor', {
        text: 'PutItem acknowledged on disk against bare node:http',
        relation: 'at least',
        limit: 0.3,
      }),
      rateTarget(inputs, 'put', 'singlet-disk', 'dynalite-disk', {
        text: 'PutItem acknowledged on disk against dynalite on disk (not synced)',
        relation: 'more than',
        limit: 1,
      }),
    );
  }
  if (measures.has('startup')) verdicts.push(startupTarget(inputs.startup));
  if (measures.has('growth')) verdicts.push(...growthTargets(inputs.growth));
  if (measures.has('backfill')) verdicts.push(backfillTarget(inputs.backfill));
  if (measures.has('memory')) verdicts.push(memoryTarget(inputs.memory));
  return verdicts;
}

function backfillTarget(backfill: BackfillResult | undefined): TargetVerdict {
  const goal: Goal = {
    text: 'GetItem p99 over HTTP while an index is being filled, against its usual value',
    relation: 'at most',
    limit: 3,
    unit: 'times',
  };
  if (backfill === undefined) return notMeasured(goal, 'there are no figures');
  const p99 = (runs: readonly RunFigures[]): number[] => runs.map((run) => run.p99Ms);
  const usual = median(p99(backfill.usual));
  return judge(
    goal,
    p99(backfill.during).map((each) => each / usual),
  );
}

function memoryTarget(memory: MemoryResult | undefined): TargetVerdict {
  const goal: Goal = {
    text: 'Private memory (peak) while ten times the items are loaded',
    relation: 'at most',
    limit: 1.5,
    unit: 'times',
  };
  const [small, large] = (memory ?? []).filter(({ subject }) => subject === 'singlet');
  if (small === undefined || large === undefined) return notMeasured(goal, 'there are no figures of Singlet');
  return judge(goal, [large.privatePeakBytes / small.privatePeakBytes]);
}

function rateTarget(
  inputs: TargetInputs,
  scenario: ScenarioName,
  subject: SubjectId,
  against: SubjectId,
  goal: Omit<Goal, 'unit'>,
): TargetVerdict {
  const rates = (id: SubjectId): number[] => roundsOf(inputs, scenario, id).map((round) => round.requestsPerSecond);
  const failed = [subject, against].find((id) => roundsOf(inputs, scenario, id).some((round) => round.errors > 0));
  if (failed !== undefined) return notMeasured({ ...goal, unit: 'times' }, `${failed} answered with errors`);
  const missing = [subject, against].find((id) => rates(id).length === 0);
  if (missing !== undefined) return notMeasured({ ...goal, unit: 'times' }, `there are no figures of ${missing}`);
  return judge({ ...goal, unit: 'times' }, ratios(rates(subject), rates(against)));
}

function startupTarget(startup: StartupResult | undefined): TargetVerdict {
  const goal: Goal = {
    text: 'Start-up to the first answer, more than an empty node:http server takes',
    relation: 'at most',
    limit: 80,
    unit: 'ms',
  };
  const times = (subject: StartupSubject): readonly number[] =>
    startup?.find((each) => each.subject === subject)?.timesMs ?? [];
  const [floor, singlet] = [times('http-floor'), times('singlet-disk')];
  if (floor.length === 0 || singlet.length === 0) return notMeasured(goal, 'there are no figures of singlet-disk');
  const floorMs = median(floor);
  const value = median(singlet) - floorMs;
  return { ...judge(goal, [value]), lowest: Math.min(...singlet) - floorMs, highest: Math.max(...singlet) - floorMs };
}

function growthTargets(growth: GrowthResult | undefined): TargetVerdict[] {
  const smallest = growth?.[0];
  const largest = growth?.at(-1);
  const tenMillion = growth?.find((size) => size.itemCount === growthItemsTarget);
  const get: Goal = {
    text: 'GetItem latency (p50) on 10,000,000 items against 10,000',
    relation: 'at most',
    limit: 1.5,
    unit: 'times',
  };
  const verdicts = [
    smallest !== undefined && tenMillion !== undefined
      ? judge(get, latencyRatios('get', 'p50Ms', tenMillion, smallest))
      : notMeasured(get, largest === undefined ? 'there are no figures' : tooSmall(largest)),
  ];
  if (smallest === undefined || largest === undefined || smallest === largest) return verdicts;
  for (const scenario of ['get', 'put', 'query'] as const) {
    for (const [name, field] of [
      ['p50', 'p50Ms'],
      ['p99', 'p99Ms'],
    ] as const) {
      const text = `${growthTitles[scenario]} ${name} on ${count(largest.itemCount)} items against ${count(smallest.itemCount)}`;
      const goal: Goal = { text, relation: 'at most', limit: 2, unit: 'times' };
      verdicts.push(judge(goal, latencyRatios(scenario, field, largest, smallest)));
    }
  }
  return verdicts;
}

const growthTitles: Readonly<Record<GrowthScenario, string>> = { get: 'GetItem', put: 'PutItem', query: 'Query of 20' };

const tooSmall = (largest: GrowthSize): string =>
  `the largest table had ${count(largest.itemCount)} items: --growth-max ${growthItemsTarget}`;

function latencyRatios(
  scenario: GrowthScenario,
  field: 'p50Ms' | 'p99Ms',
  larger: GrowthSize,
  smaller: GrowthSize,
): number[] {
  const latencies = (size: GrowthSize): number[] => size.rounds[scenario].map((round: RunFigures) => round[field]);
  return ratios(latencies(larger), latencies(smaller));
}

function judge(goal: Goal, rounds: readonly number[]): TargetVerdict {
  const value = median(rounds);
  return {
    ...goal,
    value,
    lowest: Math.min(...rounds),
    highest: Math.max(...rounds),
    verdict: holds(goal, value) ? 'holds' : 'misses',
  };
}

function holds({ relation, limit }: Goal, value: number): boolean {
  switch (relation) {
    case 'at least':
      return value >= limit;
    case 'at most':
      return value <= limit;
    case 'more than':
      return value > limit;
  }
}

function notMeasured(goal: Goal, reason: string): TargetVerdict {
  return { ...goal, verdict: 'not measured', reason };
}

function count(items: number): string {
  return items.toLocaleString('en-US');
}
