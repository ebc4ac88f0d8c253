import type { Limits } from '../../values/limits.ts';
import { ValidationException } from '../../values/service-error.ts';
import { tableNotFound } from '../catalog/parameter-errors.ts';
import type { TableChangeInput, TableChangeOutput } from '../catalog/table-change.ts';
import type { StreamReference, TableRecord } from '../catalog/table-record.ts';
import type { StoreWrite } from '../../storage/store.ts';
import { newChangeLog } from './change-log.ts';
import { deliveryWrite } from './delivery-list.ts';
import { destinationStateError, liveDestination, statusOf } from '../catalog/kinesis-destination.ts';
import type { KinesisDestinationRecord, TimePrecision } from '../catalog/table-record.ts';

const hourMs = 3_600_000;

/**
 * How a table changes when a destination is enabled. Its changes are recorded from now on, and delivered once the stream is
 * known to accept them.
 *
 * @throws {ValidationException} while another destination is enabled, or is being enabled or disabled.
 * @throws {ResourceNotFoundException} while the table is being created.
 */
export function enableDestination(
  streamArn: string,
  precision: TimePrecision | undefined,
  { record, nowMs, untilMs, spaces }: TableChangeInput,
  limits: Limits,
): TableChangeOutput {
  // For the service, the table does not exist yet.
  if (record.transition?.status === 'CREATING') throw tableNotFound(record.tableName);
  const present = record.kinesisDestinations ?? [];
  const isBusy = present.some((destination) => !['DISABLED', 'ENABLE_FAILED'].includes(statusOf(destination, nowMs)));
  if (isBusy || record.transition?.status === 'DELETING') {
    throw destinationStateError(
      'EnableKinesisStreamingDestination must be DISABLED or ENABLE_FAILED to perform ENABLE operation.',
    );
  }
  const { log, writes } = newChangeLog(spaces.next());
  const enabled: KinesisDestinationRecord = {
    streamArn,
    state: 'enabling',
    ...(precision !== undefined && { precision }),
    sinceMs: nowMs,
    untilMs,
    log,
  };
  const others = present
    .filter((destination) => destination.streamArn !== streamArn)
    .filter(({ sinceMs }) => nowMs < sinceMs + limits.kinesisDestinationHours * hourMs)
    .slice(0, limits.kinesisDestinationCountMax - 1);
  return {
    record: { ...record, kinesisDestinations: [enabled, ...others] },
    writes: [...writes, deliveryWrite(record, enabled, log, 'waiting')],
  };
}

/**
 * How a table changes when its destination is disabled. Changes that were recorded before are still delivered.
 *
 * @throws {ValidationException} if the destination is not active.
 */
export function disableDestination(streamArn: string, { record, nowMs, untilMs }: TableChangeInput): TableChangeOutput {
  const destination = destinationOf(record, streamArn);
  const status = destination && statusOf(destination, nowMs);
  // The service accepts a repeated request while the destination is being disabled.
  if (status === 'DISABLING') return { record };
  if (destination === undefined || status !== 'ACTIVE' || record.transition?.status === 'DELETING') {
    throw destinationStateError('KinesisStreamingDestination must be ACTIVE to perform DISABLE operation.');
  }
  const { log, precision: _precision, ...rest } = destination;
  return {
    record: withDestination(record, { ...rest, state: 'disabled', sinceMs: nowMs, untilMs }),
    writes: log === undefined ? [] : [deliveryWrite(record, destination, log, 'closed')],
  };
}

/**
 * How a table changes when the precision of its destination changes.
 *
 * @throws {ValidationException} if the destination is not active, or has this precision already.
 */
export function changePrecision(
  streamArn: string,
  precision: TimePrecision,
  { record, nowMs, untilMs }: TableChangeInput,
): TableChangeOutput {
  const destination = destinationOf(record, streamArn);
  if (destination === undefined || statusOf(destination, nowMs) !== 'ACTIVE') {
    throw destinationStateError(
      `Kinesis streaming is not in ACTIVE state. Updates are only allowed in ACTIVE state. TableName: ${record.tableName}, kdsArn: ${streamArn}`,
    );
  }
  if (precision === (destination.precision ?? 'MILLISECOND')) {
    throw new ValidationException(
      `Invalid Request: Precision is already set to the desired value of ${precision} for tableId: ${record.tableId}, kdsArn: ${streamArn}`,
    );
  }
  const next: KinesisDestinationRecord = { ...destination, precision, untilMs };
  return {
    record: withDestination(record, next),
    writes: next.log === undefined ? [] : [deliveryWrite(record, next, next.log, 'open')],
  };
}

/**
 * How a table changes once it is known whether a stream accepts records.
 *
 * @param problem - why it does not; undefined if it does.
 */
export function settleDestination(
  log: StreamReference,
  problem: string | undefined,
  { record, nowMs }: TableChangeInput,
): TableChangeOutput {
  const destination = liveDestination(record.kinesisDestinations);
  if (destination?.log.space !== log.space || destination.state !== 'enabling') return { record };
  if (problem === undefined) {
    const active: KinesisDestinationRecord = { ...destination, state: 'active', sinceMs: nowMs };
    return { record: withDestination(record, active), writes: [deliveryWrite(record, active, log, 'open')] };
  }
  const { log: _log, ...rest } = destination;
  const failed: KinesisDestinationRecord = { ...rest, state: 'failed', description: problem, sinceMs: nowMs };
  return { record: withDestination(record, failed), writes: [deliveryWrite(record, failed, log, 'dropped')] };
}

/** The other writes of a table's deletion: its logs are closed, and all recorded changes are still delivered. */
export function closedDeliveries(record: TableRecord): readonly StoreWrite[] {
  const destination = liveDestination(record.kinesisDestinations);
  return destination === undefined ? [] : [deliveryWrite(record, destination, destination.log, 'closed')];
}

function destinationOf(
  { kinesisDestinations = [] }: TableRecord,
  streamArn: string,
): KinesisDestinationRecord | undefined {
  return kinesisDestinations.find((destination) => destination.streamArn === streamArn);
}

function withDestination(record: TableRecord, changed: KinesisDestinationRecord): TableRecord {
  return {
    ...record,
    kinesisDestinations: (record.kinesisDestinations ?? []).map((destination) =>
      destination.streamArn === changed.streamArn ? changed : destination,
    ),
  };
}
