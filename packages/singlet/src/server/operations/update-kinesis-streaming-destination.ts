import type {
  KinesisStreamingConfiguration,
  UpdateKinesisStreamingDestinationRequest,
  UpdateKinesisStreamingDestinationResult,
} from '../../engine/index.ts';
import { enumeration, result, string, structure } from '../shapes/shape.ts';
import { kinesisStreamArnParameter, timePrecision } from './kinesis-members.ts';
import { defineOperation, type Operation } from './operation.ts';
import { managedTableNameParameter } from './request-parameters.ts';

const updateConfiguration = structure<KinesisStreamingConfiguration>('UpdateKinesisStreamingConfiguration', {
  approximateCreationDateTimePrecision: timePrecision,
});

/** @see DynamoDB API Reference, UpdateKinesisStreamingDestination */
export const updateKinesisStreamingDestination: Operation = defineOperation('UpdateKinesisStreamingDestination', {
  input: structure<UpdateKinesisStreamingDestinationRequest>('UpdateKinesisStreamingDestinationInput', {
    tableName: managedTableNameParameter,
    streamArn: kinesisStreamArnParameter,
    updateKinesisStreamingConfiguration: updateConfiguration,
  }),
  output: result<UpdateKinesisStreamingDestinationResult>({
    tableName: string(),
    streamArn: string(),
    destinationStatus: enumeration(['UPDATING']),
    updateKinesisStreamingConfiguration: updateConfiguration,
  }),
});
