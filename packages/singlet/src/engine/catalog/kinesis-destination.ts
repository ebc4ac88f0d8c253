import { ValidationException } from '../../values/service-error.ts';
import type { KinesisDestinationRecord, StreamReference } from './table-record.ts';

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

/** The destination for which changes are recorded. There is at most one. */
export function liveDestination(
  destinations: readonly KinesisDestinationRecord[] = [],
): (KinesisDestinationRecord & { readonly log: StreamReference }) | undefined {
  for (const destination of destinations) {
    const { log } = destination;
    if (log !== undefined) return { ...destination, log };
  }
  return undefined;
}

/** The texts begin with the same words for every refused change. */
export function destinationStateError(detail: string): ValidationException {
  return new ValidationException(`Table is not in a valid state to enable Kinesis Streaming Destination: ${detail}`);
}
