import type { Limits } from '../../values/limits.ts';
import { ValidationException } from '../../values/service-error.ts';
import { stillInUse } from '../catalog/parameter-errors.ts';
import { decodeStatistics } from '../catalog/statistics.ts';
import type { TableChangeInput, TableChangeOutput } from '../catalog/table-change.ts';
import type { TableRecord } from '../catalog/table-record.ts';
import { listedTable, unlistedTable } from './time-to-live-tables.ts';

export interface TimeToLiveSpecification {
  readonly enabled: boolean;
  readonly attributeName: string;
}

const minuteMs = 60_000;

/**
 * How a table's record changes when its time to live is switched on or off.
 *
 * @param input.values - the statistics of the table: without items there is no index to fill or to empty, and the change is
 *   complete at once.
 * @throws {ResourceInUseException} while the table is being created.
 * @throws {ValidationException} if nothing would change, or too soon after the last change; in this order.
 */
export function changeTimeToLive(
  specification: TimeToLiveSpecification,
  input: TableChangeInput,
  limits: Limits,
): TableChangeOutput {
  const { record } = input;
  // The text differs from that of the other actions on tables.
  if (record.transition?.status === 'CREATING') throw stillInUse(`Table ${record.tableName} is being created`);
  checkContent(specification, record);
  checkInterval(input, limits);
  // The service accepts the request for a table that is being deleted, and does nothing.
  if (record.transition?.status === 'DELETING') return { record };
  return specification.enabled ? enable(specification.attributeName, input) : disable(input);
}

function checkContent({ enabled, attributeName }: TimeToLiveSpecification, { timeToLive }: TableRecord): void {
  const active = timeToLive?.phase?.kind === 'disabling' ? undefined : timeToLive;
  if (active === undefined) {
    if (!enabled) throw new ValidationException('TimeToLive is already disabled');
    return;
  }
  if (active.attributeName !== attributeName) {
    throw new ValidationException(
      `TimeToLive is active on a different AttributeName: current AttributeName is ${active.attributeName}`,
    );
  }
  if (enabled) throw new ValidationException('TimeToLive is already enabled');
}

function checkInterval({ record, nowMs }: TableChangeInput, limits: Limits): void {
  const { timeToLive, timeToLiveChangedAtMs: changedAtMs } = record;
  const isTooSoon = changedAtMs !== undefined && nowMs < changedAtMs + limits.timeToLiveChangeMinutes * minuteMs;
  // Assumed: a change also has to wait while the index of a time to live that was disabled long ago is still being emptied.
  if (isTooSoon || timeToLive?.phase?.kind === 'disabling') {
    throw new ValidationException('Time to live has been modified multiple times within a fixed interval');
  }
}

function enable(attributeName: string, input: TableChangeInput): TableChangeOutput {
  const { record, nowMs, untilMs, spaces } = input;
  const isFull = holdsNoItems(input) && untilMs <= nowMs;
  const timeToLive = {
    attributeName,
    space: spaces.next(),
    ...(!isFull && { phase: { kind: 'enabling', untilMs } as const }),
  };
  return { record: { ...record, timeToLive, timeToLiveChangedAtMs: nowMs }, writes: [listedTable(record)] };
}

function disable(input: TableChangeInput): TableChangeOutput {
  const { record, nowMs, untilMs } = input;
  const { timeToLive, ...rest } = record;
  const isEmpty = holdsNoItems(input) && untilMs <= nowMs;
  return {
    record: {
      ...rest,
      ...(timeToLive !== undefined &&
        !isEmpty && { timeToLive: { ...timeToLive, phase: { kind: 'disabling', untilMs } as const } }),
      timeToLiveChangedAtMs: nowMs,
    },
    writes: [unlistedTable(record)],
  };
}

function holdsNoItems({ record, values }: TableChangeInput): boolean {
  return values.every((bucket) => (decodeStatistics(bucket).get(record.itemSpace)?.itemCount ?? 0) === 0);
}
