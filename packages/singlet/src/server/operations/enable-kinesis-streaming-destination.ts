import type { KinesisStreamingDestinationResult } from '../../engine/index.ts';
import { enumeration, result, string } from '../shapes/shape.ts';
import { destinationRequest, enableConfiguration } from './kinesis-members.ts';
import { defineOperation, type Operation } from './operation.ts';

/** @see DynamoDB API Reference, EnableKinesisStreamingDestination */
export const enableKinesisStreamingDestination: Operation = defineOperation('EnableKinesisStreamingDestination', {
  input: destinationRequest,
  output: result<KinesisStreamingDestinationResult>({
    tableName: string(),
    streamArn: string(),
    destinationStatus: enumeration(['ENABLING', 'DISABLING', 'UPDATING']),
    enableKinesisStreamingConfiguration: enableConfiguration,
  }),
});
