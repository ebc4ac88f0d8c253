import { ValidationException } from '../../values/service-error.ts';
import type { RequestContext } from '../environment.ts';
import type { EngineServices } from '../services.ts';
import { tableNotFound } from '../catalog/parameter-errors.ts';
import type { TimeToLiveRecord } from '../catalog/table-record.ts';

export interface DescribeTimeToLiveRequest {
  readonly tableName: string;
}

export interface TimeToLiveDescription {
  readonly timeToLiveStatus: 'ENABLING' | 'ENABLED' | 'DISABLING' | 'DISABLED';
  /** Absent once it is disabled. */
  readonly attributeName?: string | undefined;
}

export interface DescribeTimeToLiveResult {
  readonly timeToLiveDescription: TimeToLiveDescription;
}

/**
 * Describes whether the expired items of a table are deleted, and by which attribute.
 *
 * @throws {ResourceNotFoundException}
 * @throws {ValidationException} while the table is being created or deleted.
 * @see Amazon DynamoDB API Reference, DescribeTimeToLive; conformance/time-to-live
 */
export async function describeTimeToLive(
  services: EngineServices,
  { tableName }: DescribeTimeToLiveRequest,
  context: RequestContext,
): Promise<DescribeTimeToLiveResult> {
  const table = await services.catalog.load(context, tableName);
  if (table === undefined) throw tableNotFound(tableName);
  const status = table.status(services.environment.clock.nowMs());
  if (status === 'CREATING' || status === 'DELETING') {
    throw new ValidationException(
      `Cannot describe time to live while table is in ${status} state: Current table state is ${status}`,
    );
  }
  return { timeToLiveDescription: descriptionOf(table.record.timeToLive) };
}

function descriptionOf(timeToLive: TimeToLiveRecord | undefined): TimeToLiveDescription {
  if (timeToLive === undefined) return { timeToLiveStatus: 'DISABLED' };
  const { attributeName, phase } = timeToLive;
  switch (phase?.kind) {
    case undefined:
      return { timeToLiveStatus: 'ENABLED', attributeName };
    case 'enabling':
      return { timeToLiveStatus: 'ENABLING', attributeName };
    case 'disabling':
      return { timeToLiveStatus: 'DISABLING', attributeName };
  }
}
