import { ValidationException } from '../../values/service-error.ts';
import type { RequestContext } from '../environment.ts';
import { disableDestination } from '../kinesis/destination-change.ts';
import type { EngineServices } from '../services.ts';
import { changeTable } from '../catalog/table-change.ts';
import type {
  KinesisStreamingDestinationRequest,
  KinesisStreamingDestinationResult,
} from './enable-kinesis-streaming-destination.ts';

/**
 * Stops the delivery of a table's changes. Changes that were made before are still delivered.
 *
 * @throws {ValidationException} if the destination is not active.
 * @throws {ResourceNotFoundException}
 * @see Amazon DynamoDB API Reference, DisableKinesisStreamingDestination; conformance/kinesis
 */
export async function disableKinesisStreamingDestination(
  services: EngineServices,
  request: KinesisStreamingDestinationRequest,
  context: RequestContext,
): Promise<KinesisStreamingDestinationResult> {
  const { tableName, streamArn, enableKinesisStreamingConfiguration: configuration } = request;
  if (configuration !== undefined) {
    throw new ValidationException('Stream cannot be disabled using EnableKinesisStreamingConfiguration parameters');
  }
  await changeTable(services, context, tableName, (input) => disableDestination(streamArn, input));
  return { tableName, streamArn, destinationStatus: 'DISABLING' };
}
