import { ValidationException } from '../../values/service-error.ts';
import type { StreamReference } from '../tables/table-record.ts';

/** A Kinesis data stream that a table's changes go to, or went to, as it stands in the table's record. */
export interface KinesisDestinationRecord {
  readonly streamArn: string;
  /** `enabling` until somebody has looked whether the stream takes records. */
  readonly state: 'enabling' | 'active' | 'disabled' | 'failed';
  readonly precision?: TimePrecision;
  /** Why it could not be enabled. */
  readonly description?: string;
  /** Since when it is in this state, and until when the change is said to last. */
  readonly sinceMs: number;
  readonly untilMs: number;
  /** Where the changes wait that are not delivered yet. Only while enabling or active. */
  readonly log?: StreamReference;
}

/** Of the time of a change. Milliseconds without. */
export type TimePrecision = 'MILLISECOND' | 'MICROSECOND';

export type DestinationStatus = 'ENABLING' | 'ACTIVE' | 'DISABLING' | 'DISABLED' | 'ENABLE_FAILED' | 'UPDATING';

export function statusOf({ state, untilMs }: KinesisDestinationRecord, nowMs: number): DestinationStatus {
  const isUnderWay = nowMs < untilMs;
  switch (state) {
    case 'enabling':
      return 'ENABLING';
    case 'active':
      return isUnderWay ? 'UPDATING' : 'ACTIVE';
    case 'disabled':
      return isUnderWay ? 'DISABLING' : 'DISABLED';
    case 'failed':
      return 'ENABLE_FAILED';
  }
}

/** The destination that changes are recorded for. There is at most one. */
export function liveDestination(
  destinations: readonly KinesisDestinationRecord[] = [],
): (KinesisDestinationRecord & { readonly log: StreamReference }) | undefined {
  for (const destination of destinations) {
    const { log } = destination;
    if (log !== undefined) return { ...destination, log };
  }
  return undefined;
}

/** The texts begin with the same words, whatever it was that could not be done. */
export function destinationStateError(detail: string): ValidationException {
  return new ValidationException(`Table is not in a valid state to enable Kinesis Streaming Destination: ${detail}`);
}
