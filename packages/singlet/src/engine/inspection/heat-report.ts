import { ValidationException } from '../../values/service-error.ts';
import { heatDay, heatHour, type HeatHistory, heatRows, type HeatSpan } from '../capacity/heat-record.ts';
import type { RuleReport } from '../capacity/key-insights.ts';
import type { RequestContext } from '../environment.ts';
import { hashBytes } from '../layout/spaces.ts';
import { readSizes } from '../catalog/statistics.ts';
import type { EngineServices } from '../services.ts';
import { hashTextAt, inspectedSpace, placeCount, type Subject } from './inspected-space.ts';

/** The requested part of the record of a table or index. */
export interface HeatRequest extends Subject {
  /** The length of the time shown, minutes: from 1 to 1,440. */
  readonly minutes: number;
  /** When it begins, epoch milliseconds: at most a day ago. If undefined, it ends now. */
  readonly fromMs?: number | undefined;
  /** The length of a column, a multiple of five seconds; for more than the last hour, of five minutes. If undefined, one that gives at most {@link columnsMax} columns. */
  readonly stepMs?: number | undefined;
}

/** The recent consumption of a table or index in this process. */
export interface HeatReport {
  /** When the report was made, epoch milliseconds. */
  readonly atMs: number;
  /** When the first column begins, epoch milliseconds. */
  readonly from: number;
  readonly stepMs: number;
  /** Since when consumption is recorded, epoch milliseconds. */
  readonly since: number;
  /** What one partition serves, units per second. */
  readonly partitionReads: number;
  readonly partitionWrites: number;
  /** The partitions of the capacity report. */
  readonly partitions: readonly { readonly hashFrom: string; readonly hashTo: string | null }[];
  /** From low hashes to high ones: units per second in each step, and counts of throttled requests. */
  readonly rows: readonly {
    readonly hashFrom: string;
    readonly reads: readonly number[];
    readonly writes: readonly number[];
    readonly throttled: readonly number[];
  }[];
  /** The keys that consumed most, and those that were refused most. Counted in a sample. */
  readonly rules: readonly RuleReport[];
}

/** Columns of a report. */
const columnsMax = 60;
const minutesMax = minutesOf(heatDay);
/** The maximum number of keys of each rule. */
const keysMax = 100;

/**
 * @throws {ResourceNotFoundException} when there is no such table.
 * @throws {ValidationException} when it has no such index, or for a time that is not recorded.
 */
export async function heatReport(
  services: EngineServices,
  request: HeatRequest,
  context: RequestContext,
): Promise<HeatReport> {
  const subject = { tableName: request.tableName, indexName: request.indexName };
  const { table, index } = await inspectedSpace(services, subject, context);
  const { capacity, environment, limits, store } = services;
  const nowMs = environment.clock.nowMs();
  const heat = capacity.heatOf(table, index);
  const { span, perColumn, ...steps } = stepsOf(request, nowMs);
  const history = heat.history(span, steps, nowMs);
  const global = index?.kind === 'global' ? index : undefined;
  const { partitions } = capacity.capacityOf(table, global, await readSizes(store, table.record.itemSpace));
  return {
    atMs: nowMs,
    from: history.fromMs,
    stepMs: perColumn * span.stepMs,
    since: heat.sinceMs,
    partitionReads: limits.partitionReadCapacityUnitsMax,
    partitionWrites: limits.partitionWriteCapacityUnitsMax,
    partitions: partitions.placed().map(({ partition, to }) => ({
      hashFrom: partition.from.toString('hex', 0, hashBytes),
      hashTo: to === undefined ? null : to.toString('hex', 0, hashBytes),
    })),
    rows: rowsOf(history, perColumn, (perColumn * span.stepMs) / 1000),
    rules: heat.keys(keysMax, nowMs),
  };
}

function minutesOf({ stepMs, steps }: HeatSpan): number {
  return (stepMs * steps) / 60_000;
}

/** The steps of the record that are shown, and how many of them make a column. */
function stepsOf(
  { minutes, fromMs, stepMs }: HeatRequest,
  nowMs: number,
): { readonly span: HeatSpan; readonly first: number; readonly count: number; readonly perColumn: number } {
  if (!Number.isInteger(minutes) || minutes < 1 || minutes > minutesMax) {
    throw new ValidationException(`Heat is remembered for ${minutesMax} minutes: ask for 1 to ${minutesMax}.`);
  }
  const isOlder = fromMs !== undefined && fromMs < nowMs && !isRemembered(heatHour, fromMs, nowMs);
  const span = isOlder || minutes > minutesOf(heatHour) ? heatDay : heatHour;
  const wanted = Math.ceil((minutes * 60_000) / span.stepMs);
  const perColumn = stepMs === undefined ? Math.ceil(wanted / columnsMax) : stepMs / span.stepMs;
  if (!Number.isInteger(perColumn) || perColumn < 1 || perColumn > wanted) {
    throw new ValidationException(
      `A column is a multiple of ${span.stepMs} milliseconds, and no longer than the time that is asked for.`,
    );
  }
  const count = Math.min(Math.floor(span.steps / perColumn), Math.ceil(wanted / perColumn)) * perColumn;
  const present = Math.floor(nowMs / span.stepMs);
  if (fromMs === undefined) return { span, first: present - count + 1, count, perColumn };
  if (!isRemembered(span, fromMs, nowMs)) {
    const oldest = (present - span.steps + 1) * span.stepMs;
    throw new ValidationException(`Heat is remembered for ${minutesMax} minutes: from ${oldest} to ${nowMs}.`);
  }
  return { span, first: Math.floor(fromMs / span.stepMs), count, perColumn };
}

function isRemembered({ stepMs, steps }: HeatSpan, fromMs: number, nowMs: number): boolean {
  const present = Math.floor(nowMs / stepMs);
  const first = Math.floor(fromMs / stepMs);
  return first <= present && first > present - steps;
}

function rowsOf({ reads, writes, throttled }: HeatHistory, perColumn: number, seconds: number): HeatReport['rows'] {
  const series = (columns: readonly Float32Array[], row: number, divisor: number): number[] => {
    const sums: number[] = [];
    for (let at = 0; at < columns.length; at += perColumn) {
      let sum = 0;
      for (const column of columns.slice(at, at + perColumn)) sum += column[row] ?? 0;
      sums.push(Math.round((sum / divisor) * 1e6) / 1e6);
    }
    return sums;
  };
  return Array.from({ length: heatRows }, (_, row) => ({
    hashFrom: hashTextAt((row / heatRows) * placeCount),
    reads: series(reads, row, seconds),
    writes: series(writes, row, seconds),
    throttled: series(throttled, row, 1),
  }));
}
