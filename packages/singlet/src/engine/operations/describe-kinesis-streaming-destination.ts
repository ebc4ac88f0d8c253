import type { RequestContext } from '../environment.ts';
import { type DestinationStatus, statusOf } from '../catalog/kinesis-destination.ts';
import type { TimePrecision } from '../catalog/table-record.ts';
import type { EngineServices } from '../services.ts';
import { tableNotFound } from '../catalog/parameter-errors.ts';

export interface DescribeKinesisStreamingDestinationRequest {
  readonly tableName: string;
}

export interface KinesisDataStreamDestination {
  readonly streamArn: string;
  readonly destinationStatus: DestinationStatus;
  /** Why it could not be enabled. */
  readonly destinationStatusDescription?: string;
  /** Absent until it is set; until then, the precision is milliseconds. */
  readonly approximateCreationDateTimePrecision?: TimePrecision;
}

export interface DescribeKinesisStreamingDestinationResult {
  readonly tableName: string;
  readonly kinesisDataStreamDestinations: readonly KinesisDataStreamDestination[];
}

/**
 * Describes the destinations of a table's changes, including past ones for a while: the newest first.
 *
 * @throws {ResourceNotFoundException}
 * @see Amazon DynamoDB API Reference, DescribeKinesisStreamingDestination; conformance/kinesis
 */
export async function describeKinesisStreamingDestination(
  services: EngineServices,
  { tableName }: DescribeKinesisStreamingDestinationRequest,
  context: RequestContext,
): Promise<DescribeKinesisStreamingDestinationResult> {
  const table = await services.catalog.load(context, tableName);
  if (table === undefined) throw tableNotFound(tableName);
  const nowMs = services.environment.clock.nowMs();
  return {
    tableName,
    kinesisDataStreamDestinations: (table.record.kinesisDestinations ?? []).map((destination) => ({
      streamArn: destination.streamArn,
      destinationStatus: statusOf(destination, nowMs),
      ...(destination.description !== undefined && { destinationStatusDescription: destination.description }),
      ...(destination.precision !== undefined && { approximateCreationDateTimePrecision: destination.precision }),
    })),
  };
}
