import { ValidationException } from '../../values/service-error.ts';
import type { RequestContext } from '../environment.ts';
import type { TimePrecision } from '../catalog/table-record.ts';
import { enableDestination } from '../kinesis/destination-change.ts';
import type { EngineServices } from '../services.ts';
import { changeTable } from '../catalog/table-change.ts';

export interface KinesisStreamingConfiguration {
  readonly approximateCreationDateTimePrecision?: TimePrecision | undefined;
}

export interface KinesisStreamingDestinationRequest {
  readonly tableName: string;
  readonly streamArn: string;
  readonly enableKinesisStreamingConfiguration?: KinesisStreamingConfiguration | undefined;
}

export interface KinesisStreamingDestinationResult {
  readonly tableName: string;
  readonly streamArn: string;
  readonly destinationStatus: 'ENABLING' | 'DISABLING' | 'UPDATING';
  readonly enableKinesisStreamingConfiguration?: KinesisStreamingConfiguration;
}

/**
 * Starts the delivery of a table's changes to a Kinesis data stream. Whether the stream accepts them appears later, in the
 * destination's status.
 *
 * @throws {ValidationException} if the table has a destination, or the database has no Kinesis to deliver to.
 * @throws {ResourceNotFoundException}
 * @see Amazon DynamoDB API Reference, EnableKinesisStreamingDestination; conformance/kinesis
 */
export async function enableKinesisStreamingDestination(
  services: EngineServices,
  request: KinesisStreamingDestinationRequest,
  context: RequestContext,
): Promise<KinesisStreamingDestinationResult> {
  const { tableName, streamArn, enableKinesisStreamingConfiguration: configuration = {} } = request;
  if (services.changeSink === undefined) throw noSink();
  const precision = configuration.approximateCreationDateTimePrecision;
  await changeTable(services, context, tableName, (input) =>
    enableDestination(streamArn, precision, input, services.limits),
  );
  return {
    tableName,
    streamArn,
    destinationStatus: 'ENABLING',
    enableKinesisStreamingConfiguration: configuration,
  };
}

/** A text of our own: the service always has Kinesis available. */
function noSink(): ValidationException {
  return new ValidationException(
    'This database delivers to no Kinesis endpoint. Start it with one: singlet serve --kinesis-endpoint URL, or createDatabase({ kinesisEndpoint })',
  );
}
