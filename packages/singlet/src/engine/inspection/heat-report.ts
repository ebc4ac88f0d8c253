import { ValidationException } from '../../values/service-error.ts';
import type { AttributeMap } from '../../values/attribute-value.ts';
import { heatRows, heatStepMs, heatSteps, type HeatHistory } from '../capacity/heat-record.ts';
import type { Contributor, RuleReport } from '../capacity/key-insights.ts';
import type { RequestContext } from '../environment.ts';
import { hashBytes } from '../layout/spaces.ts';
import { readSizes } from '../catalog/statistics.ts';
import type { EngineServices } from '../services.ts';
import { hashTextAt, inspectedSpace, placeCount, type Subject } from './inspected-space.ts';

/** What of the record of a table or index is wanted. */
export interface HeatRequest extends Subject {
  /** How far back, minutes: from 1 to 60. */
  readonly minutes: number;
}

/** What a table or index consumed lately. */
export interface HeatReport {
  /** When the first column begins, epoch milliseconds. */
  readonly from: number;
  readonly stepMs: number;
  /** Since when it is recorded, epoch milliseconds. */
  readonly since: number;
  /** What one partition serves, units per second. */
  readonly partitionReads: number;
  readonly partitionWrites: number;
  /** The partitions of the capacity report. */
  readonly partitions: readonly { readonly hashFrom: string; readonly hashTo: string | null }[];
  /** From low hashes to high ones: units per second in each step; throttled requests are counted. */
  readonly rows: readonly {
    readonly hashFrom: string;
    readonly reads: readonly number[];
    readonly writes: readonly number[];
    readonly throttled: readonly number[];
  }[];
  /** Partition keys by what they took, the hottest first. Counted in a sample. */
  readonly keys: readonly HotKey[];
}

/** A partition key that took much. */
export interface HotKey {
  readonly key: AttributeMap;
  /** Its part of all that was consumed, from 0 to 1; a written unit counts as three read ones. */
  readonly share: number;
  /** Units per second since the counting began. */
  readonly reads: number;
  readonly writes: number;
  readonly throttled: number;
}

/** Columns of a report. */
const columnsMax = 60;
const minutesMax = (heatStepMs * heatSteps) / 60_000;
const keysMax = 20;

/**
 * @throws {ResourceNotFoundException} when there is no such table.
 * @throws {ValidationException} when it has no such index, or for a time that is not remembered.
 */
export async function heatReport(
  services: EngineServices,
  { minutes, ...subject }: HeatRequest,
  context: RequestContext,
): Promise<HeatReport> {
  if (!Number.isInteger(minutes) || minutes < 1 || minutes > minutesMax) {
    throw new ValidationException(`Heat is remembered for ${minutesMax} minutes: ask for 1 to ${minutesMax}.`);
  }
  const { table, index } = await inspectedSpace(services, subject, context);
  const { capacity, environment, limits, store } = services;
  const nowMs = environment.clock.nowMs();
  const heat = capacity.heatOf(table, index);
  const steps = Math.ceil((minutes * 60_000) / heatStepMs);
  const perColumn = Math.ceil(steps / columnsMax);
  const history = heat.history(Math.min(heatSteps, Math.ceil(steps / perColumn) * perColumn), nowMs);
  const global = index?.kind === 'global' ? index : undefined;
  const { partitions } = capacity.capacityOf(table, global, await readSizes(store, table.record.itemSpace));
  return {
    from: history.fromMs,
    stepMs: perColumn * heatStepMs,
    since: heat.sinceMs,
    partitionReads: limits.partitionReadCapacityUnitsMax,
    partitionWrites: limits.partitionWriteCapacityUnitsMax,
    partitions: partitions.placed().map(({ partition, to }) => ({
      hashFrom: partition.from.toString('hex', 0, hashBytes),
      hashTo: to === undefined ? null : to.toString('hex', 0, hashBytes),
    })),
    rows: rowsOf(history, perColumn),
    keys: hotKeys(heat.keys(keysMax, nowMs), nowMs),
  };
}

function rowsOf({ reads, writes, throttled }: HeatHistory, perColumn: number): HeatReport['rows'] {
  const seconds = (perColumn * heatStepMs) / 1000;
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

/** The rules count accesses and refusals apart; here each key is said once. */
export function hotKeys(rules: readonly RuleReport[], nowMs: number): readonly HotKey[] {
  const accessed = rules.find(({ rule }) => rule === 'PKC');
  const refused = new Map(
    rules
      .find(({ rule }) => rule === 'PKT')
      ?.contributors.map((each): [string, Contributor] => [JSON.stringify(each.key), each]),
  );
  if (accessed === undefined) return [];
  const seconds = Math.max(1, (nowMs - accessed.sinceMs) / 1000);
  return accessed.contributors.map(({ key, weight, reads, writes }) => {
    const throttled = refused.get(JSON.stringify(key));
    return {
      key,
      share: accessed.totalWeight === 0 ? 0 : rounded(weight / accessed.totalWeight),
      reads: rounded(reads / seconds),
      writes: rounded(writes / seconds),
      throttled: (throttled?.reads ?? 0) + (throttled?.writes ?? 0),
    };
  });
}

function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}
