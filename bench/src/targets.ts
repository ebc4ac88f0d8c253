import type { BackfillResult } from './backfill.ts';
import { type GrowthMode, growthModes, type GrowthResult, type GrowthScenario, type GrowthSize } from './growth.ts';
import type { MemoryResult } from './memory.ts';
import type { MeasureName } from './options.ts';
import { cpuTimesOf, type MeasuredSubject, type Measurement, ratesOf, roundsOf } from './measurement.ts';
import type { RunFigures } from './run-figures.ts';
import type { StartupResult, StartupSubject } from './startup.ts';
import { median, ratios } from './statistics.ts';
import type { SubjectId } from './subject.ts';

/** A requirement, its measurement, and whether the measurement meets it. */
export interface TargetVerdict {
  readonly text: string;
  readonly relation: 'at least' | 'at most';
  readonly limit: number;
  readonly unit: 'times' | 'ms' | 'MB';
  /** The median of the rounds. */
  readonly value?: number;
  readonly lowest?: number;
  readonly highest?: number;
  readonly verdict: 'hold' | 'miss' | 'not measured' | 'not judged';
  /** Why it was not measured. */
  readonly reason?: string;
}

export interface TargetInputs {
  readonly concurrency: number;
  readonly subjects: readonly MeasuredSubject[];
  readonly measurements: readonly Measurement[];
  readonly startup?: StartupResult;
  readonly growth?: GrowthResult;
  readonly backfill?: BackfillResult;
  readonly memory?: MemoryResult;
}

type Goal = Pick<TargetVerdict, 'text' | 'relation' | 'limit' | 'unit'>;

/** A subject in a case. */
interface Side {
  readonly caseId: string;
  readonly subject: SubjectId;
}

interface RateGoal {
  readonly measure: MeasureName;
  readonly text: string;
  readonly relation: 'at least' | 'at most';
  readonly limit: number;
  readonly rate: Side;
  /** The divisor: in each round the fastest of these. */
  readonly by: readonly Side[];
}

const floor = ['http-floor'] as const;
const dynalites = ['dynalite-memory', 'dynalite-disk'] as const;
const dynoxides = ['dynoxide-memory', 'dynoxide-disk'] as const;
const megabyte = 2 ** 20;
const growthItemsTarget = 10_000_000;

/** CPU of the server per request, all its threads, divided by another subject's. Independent of other load on the cores. */
interface CpuGoal {
  readonly measure: MeasureName;
  /** The name of the operation, if it differs from the measure's. */
  readonly caseId?: string;
  readonly text: string;
  readonly limit: number;
  readonly subject: SubjectId;
  readonly by: SubjectId;
}

const cpuLimits = [
  ['get', 'GetItem', 1.5],
  ['put', 'PutItem', 3],
  ['update', 'UpdateItem with a condition', 3.3],
  ['query', 'Query of 20', 2.5],
  ['transact', 'TransactWriteItems of 2', 4.5],
] as const;

const cpuGoals: readonly CpuGoal[] = cpuLimits.flatMap(([measure, title, limit]) => [
  { measure, text: `${title} on disk, CPU against bare node:http`, limit, subject: 'singlet-disk', by: 'http-floor' },
  { measure, text: `${title} in memory, CPU against on disk`, limit: 1, subject: 'singlet-memory', by: 'singlet-disk' },
]);

function rateGoals({ concurrency }: TargetInputs): RateGoal[] {
  const over = (
    measure: 'get' | 'put' | 'query' | 'update' | 'transact',
    text: string,
    limit: number,
    by: readonly SubjectId[],
  ): RateGoal => ({
    measure,
    text,
    relation: 'at least',
    limit,
    rate: { caseId: measure, subject: 'singlet-disk' },
    by: by.map((subject) => ({ caseId: measure, subject })),
  });
  /** The cost of a feature: the rate without it divided by the rate with it. */
  const cost = (
    measure: 'indexes' | 'streams',
    text: string,
    limit: number,
    [without, with_]: [string, string],
  ): RateGoal => ({
    measure,
    text,
    relation: 'at most',
    limit,
    rate: { caseId: `${measure}/put/${without}`, subject: 'singlet-disk' },
    by: [{ caseId: `${measure}/put/${with_}`, subject: 'singlet-disk' }],
  });
  const sdkCase = `sdk/get/${concurrency} at a time`;
  const workersCase = `workers/get/${concurrency} connections`;
  const accessCase = accessCaseOf(concurrency);
  return [
    over('get', 'GetItem against bare node:http', 0.7, floor),
    over('get', 'GetItem against dynalite, the faster of memory and disk', 1.3, dynalites),
    over('get', 'GetItem against dynoxide, the faster of memory and disk', 1.1, dynoxides),
    {
      ...over('get', 'GetItem in process against over HTTP', 5, []),
      rate: { caseId: 'get', subject: 'in-process-request' },
      by: [{ caseId: 'get', subject: 'singlet-disk' }],
    },
    over('put', 'PutItem on disk against bare node:http', 0.45, floor),
    over('put', 'PutItem on disk against dynalite on disk, which does not sync', 2, ['dynalite-disk']),
    over('put', 'PutItem on disk against dynoxide on disk', 4, ['dynoxide-disk']),
    over('update', 'UpdateItem with a condition against bare node:http', 0.4, floor),
    over('update', 'UpdateItem with a condition against the faster peer on disk', 2, [
      'dynalite-disk',
      'dynoxide-disk',
    ]),
    over('query', 'Query of 20 against bare node:http with a body of that size', 0.5, floor),
    over('query', 'Query of 20 against the fastest peer', 3, [...dynalites, ...dynoxides]),
    over('transact', 'TransactWriteItems of 2 against bare node:http', 0.25, floor),
    {
      measure: 'sdk',
      text: 'GetItem through the AWS SDK, in process against over HTTP',
      relation: 'at least',
      limit: 1.6,
      rate: { caseId: sdkCase, subject: 'sdk-in-process' },
      by: [{ caseId: sdkCase, subject: 'sdk-singlet' }],
    },
    {
      measure: 'workers',
      text: 'GetItem from two workers against one process',
      relation: 'at least',
      limit: 1.3,
      rate: { caseId: workersCase, subject: 'singlet-workers' },
      by: [{ caseId: workersCase, subject: 'singlet-disk' }],
    },
    {
      measure: 'access',
      text: 'GetItem with signatures and policies against without',
      relation: 'at least',
      limit: 0.85,
      rate: { caseId: accessCase, subject: 'singlet-signed' },
      by: [{ caseId: accessCase, subject: 'singlet-disk' }],
    },
    cost('indexes', 'What five indexes cost a PutItem: its rate without, against with them', 3, [
      '0 indexes',
      '5 indexes',
    ]),
    cost('streams', 'What a stream costs a PutItem: its rate without, against with it', 1.3, [
      'without a stream',
      'with a stream',
    ]),
  ];
}

/** The requirements on the measures that were requested. */
export function evaluateTargets(inputs: TargetInputs, measures: ReadonlySet<MeasureName>): TargetVerdict[] {
  const verdicts = rateGoals(inputs)
    .filter(({ measure }) => measures.has(measure))
    .map((goal) => rateTarget(inputs, goal));
  verdicts.push(...cpuGoals.filter(({ measure }) => measures.has(measure)).map((goal) => cpuTarget(inputs, goal)));
  if (measures.has('access')) verdicts.push(accessCpuTarget(inputs));
  if (measures.has('get')) verdicts.push(serverMemoryTarget(inputs.subjects));
  if (measures.has('startup')) verdicts.push(startupTarget(inputs.startup));
  if (measures.has('growth')) verdicts.push(...growthTargets(inputs.growth ?? []));
  if (measures.has('backfill')) verdicts.push(backfillTarget(inputs.backfill));
  if (measures.has('memory')) verdicts.push(loadMemoryTarget(inputs.memory));
  return verdicts;
}

function rateTarget(inputs: TargetInputs, { text, relation, limit, rate, by }: RateGoal): TargetVerdict {
  const goal: Goal = { text, relation, limit, unit: 'times' };
  for (const { caseId, subject } of [rate, ...by]) {
    const rounds = roundsOf(inputs, caseId, subject);
    if (rounds.length === 0) return notMeasured(goal, `there are no figures of ${subject}`);
    if (rounds.some(({ errors }) => errors > 0)) return notMeasured(goal, `${subject} answered wrongly`);
  }
  const rates = ratesOf(inputs, rate.caseId, rate.subject);
  const others = by.map(({ caseId, subject }) => ratesOf(inputs, caseId, subject));
  const fastest = rates.map((_, round) => Math.max(...others.map((each) => each[round] ?? 0)));
  return judge(goal, ratios(rates, fastest));
}

function cpuTarget(
  inputs: TargetInputs,
  { measure, caseId = measure, text, limit, subject, by }: CpuGoal,
): TargetVerdict {
  const goal: Goal = { text, relation: 'at most', limit, unit: 'times' };
  const sides = [subject, by];
  const silent = sides.find((side) => cpuTimesOf(inputs, caseId, side).length === 0);
  if (silent !== undefined) return notMeasured(goal, `there are no CPU times of ${silent}`);
  const wrong = sides.find((side) => roundsOf(inputs, caseId, side).some(({ errors }) => errors > 0));
  if (wrong !== undefined) return notMeasured(goal, `${wrong} answered wrongly`);
  return judge(goal, ratios(cpuTimesOf(inputs, caseId, subject), cpuTimesOf(inputs, caseId, by)));
}

function accessCaseOf(concurrency: number): string {
  return `access/get/${concurrency} connections`;
}

function accessCpuTarget(inputs: TargetInputs): TargetVerdict {
  return cpuTarget(inputs, {
    measure: 'access',
    caseId: accessCaseOf(inputs.concurrency),
    text: 'CPU of a GetItem with signatures and policies against without',
    limit: 1.25,
    subject: 'singlet-signed',
    by: 'singlet-disk',
  });
}

function serverMemoryTarget(subjects: readonly MeasuredSubject[]): TargetVerdict {
  const goal: Goal = { text: 'Private memory of the server on disk', relation: 'at most', limit: 250, unit: 'MB' };
  const memory = subjects.find(({ id }) => id === 'singlet-disk')?.memory;
  const seen = [memory?.loaded, memory?.after].flatMap((use) => (use === undefined ? [] : use.privateBytes / megabyte));
  if (seen.length === 0) return notMeasured(goal, 'there are no figures of singlet-disk');
  // The larger one counts: right after loading, or after the last scenario.
  return { ...judge(goal, [Math.max(...seen)]), lowest: Math.min(...seen) };
}

function startupTarget(startup: StartupResult | undefined): TargetVerdict {
  const goal: Goal = {
    text: 'Start-up to the first answer, above an empty node:http server',
    relation: 'at most',
    limit: 80,
    unit: 'ms',
  };
  const times = (subject: StartupSubject): readonly number[] =>
    startup?.find((each) => each.subject === subject)?.timesMs ?? [];
  const [empty, singlet] = [times('http-floor'), times('singlet-disk')];
  if (empty.length === 0 || singlet.length === 0) return notMeasured(goal, 'there are no figures of singlet-disk');
  const emptyMs = median(empty);
  const value = median(singlet) - emptyMs;
  return { ...judge(goal, [value]), lowest: Math.min(...singlet) - emptyMs, highest: Math.max(...singlet) - emptyMs };
}

const growthTitles: Readonly<Record<GrowthScenario, string>> = { get: 'GetItem', query: 'Query of 20', put: 'PutItem' };
const growthLimits: Readonly<Record<GrowthScenario, number>> = { get: 1.4, query: 1.4, put: 2 };

function growthTargets(growth: GrowthResult): TargetVerdict[] {
  const smallest = growth[0];
  const largest = growth.at(-1);
  const whole: Goal = {
    text: `Latency on ${count(growthItemsTarget)} items against 10,000`,
    relation: 'at most',
    limit: growthLimits.get,
    unit: 'times',
  };
  if (smallest === undefined || largest === undefined || smallest === largest) {
    return [notMeasured(whole, 'there are no figures of two sizes')];
  }
  const verdicts: TargetVerdict[] = [];
  for (const scenario of ['get', 'query', 'put'] as const) {
    for (const mode of ['in-process', 'http-1', 'http-32'] as const) {
      const goal: Goal = {
        text: `${growthTitles[scenario]} p50 ${growthModes[mode]}, ${count(largest.itemCount)} items against ${count(smallest.itemCount)}`,
        relation: 'at most',
        limit: growthLimits[scenario],
        unit: 'times',
      };
      const p50 = (size: GrowthSize): number[] => latencies(size, mode, scenario);
      verdicts.push(judge(goal, ratios(p50(largest), p50(smallest))));
    }
  }
  if (largest.itemCount < growthItemsTarget) {
    verdicts.push(
      notMeasured(whole, `the largest table had ${count(largest.itemCount)} items: --growth-max ${growthItemsTarget}`),
    );
  }
  const disk: Goal = {
    text: `Disk against the bytes that DynamoDB counts, ${count(largest.itemCount)} items`,
    relation: 'at most',
    limit: 2,
    unit: 'times',
  };
  return [...verdicts, judge(disk, [largest.diskBytes / largest.countedBytes])];
}

function latencies(size: GrowthSize, mode: GrowthMode, scenario: GrowthScenario): number[] {
  const series = size.series.find((each) => each.mode === mode && each.scenario === scenario);
  return (series?.rounds ?? []).map(({ p50Ms }) => p50Ms);
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

function loadMemoryTarget(memory: MemoryResult | undefined): TargetVerdict {
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

/** Withdraws the verdicts on time figures of a machine that was not quiet. Memory verdicts remain. */
export function judgedIfQuiet(verdicts: readonly TargetVerdict[], disturbance?: string): readonly TargetVerdict[] {
  if (disturbance === undefined) return verdicts;
  return verdicts.map((each) =>
    each.unit === 'MB' || each.verdict === 'not measured' ? each : { ...each, verdict: 'not judged' },
  );
}

function judge(goal: Goal, rounds: readonly number[]): TargetVerdict {
  if (rounds.length === 0) return notMeasured(goal, 'there are no figures');
  const value = median(rounds);
  const holds = goal.relation === 'at least' ? value >= goal.limit : value <= goal.limit;
  return {
    ...goal,
    value,
    lowest: Math.min(...rounds),
    highest: Math.max(...rounds),
    verdict: holds ? 'hold' : 'miss',
  };
}

function notMeasured(goal: Goal, reason: string): TargetVerdict {
  return { ...goal, verdict: 'not measured', reason };
}

function count(items: number): string {
  return items.toLocaleString('en-US');
}
