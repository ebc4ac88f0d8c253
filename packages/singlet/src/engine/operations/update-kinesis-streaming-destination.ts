import { ValidationException } from '../../values/service-error.ts';
import type { RequestContext } from '../environment.ts';
import { changePrecision } from '../kinesis/destination-change.ts';
import type { EngineServices } from '../services.ts';
import { changeTable } from '../catalog/table-change.ts';
import type { KinesisStreamingConfiguration } from './enable-kinesis-streaming-destination.ts';

export interface UpdateKinesisStreamingDestinationRequest {
  readonly tableName: string;
  readonly streamArn: string;
  readonly updateKinesisStreamingConfiguration?: KinesisStreamingConfiguration | undefined;
}

export interface UpdateKinesisStreamingDestinationResult {
  readonly tableName: string;
  readonly streamArn: string;
  readonly destinationStatus: 'UPDATING';
  readonly updateKinesisStreamingConfiguration: KinesisStreamingConfiguration;
}

/**
 * Changes the precision of the times in delivered records.
 *
 * @throws {ValidationException} if the precision is already set, none is given, or the destination is not active.
 * @throws {ResourceNotFoundException}
 * @see Amazon DynamoDB API Reference, UpdateKinesisStreamingDestination; conformance/kinesis
 */
export async function updateKinesisStreamingDestination(
  services: EngineServices,
  request: UpdateKinesisStreamingDestinationRequest,
  context: RequestContext,
): Promise<UpdateKinesisStreamingDestinationResult> {
  const { tableName, streamArn, updateKinesisStreamingConfiguration: configuration } = request;
  const precision = configuration?.approximateCreationDateTimePrecision;
  if (configuration === undefined || precision === undefined) {
    throw new ValidationException(
      'Streaming destination cannot be updated with given parameters: UpdateKinesisStreamingConfiguration cannot be null or contain only null values',
    );
  }
  await changeTable(services, context, tableName, (input) => changePrecision(streamArn, precision, input));
  return {
    tableName,
    streamArn,
    destinationStatus: 'UPDATING',
    updateKinesisStreamingConfiguration: configuration,
  };
}
