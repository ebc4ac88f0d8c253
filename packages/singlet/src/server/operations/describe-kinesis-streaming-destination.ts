import type {
  DescribeKinesisStreamingDestinationRequest,
  DescribeKinesisStreamingDestinationResult,
  KinesisDataStreamDestination,
} from '../../engine/index.ts';
import { enumeration, list, result, string, structure } from '../shapes/shape.ts';
import { timePrecision } from './kinesis-members.ts';
import { defineOperation, type Operation } from './operation.ts';
import { managedTableNameParameter } from './request-parameters.ts';

/** @see DynamoDB API Reference, DescribeKinesisStreamingDestination */
export const describeKinesisStreamingDestination: Operation = defineOperation('DescribeKinesisStreamingDestination', {
  input: structure<DescribeKinesisStreamingDestinationRequest>('DescribeKinesisStreamingDestinationInput', {
    tableName: managedTableNameParameter,
  }),
  output: result<DescribeKinesisStreamingDestinationResult>({
    tableName: string(),
    kinesisDataStreamDestinations: list(
      result<KinesisDataStreamDestination>({
        streamArn: string(),
        destinationStatus: enumeration(['ENABLING', 'ACTIVE', 'DISABLING', 'DISABLED', 'ENABLE_FAILED', 'UPDATING']),
        destinationStatusDescription: string(),
        approximateCreationDateTimePrecision: timePrecision,
      }),
    ),
  }),
});
