import type { KinesisStreamingConfiguration, KinesisStreamingDestinationRequest } from '../../engine/index.ts';
import { lengthAtMost } from '../shapes/constraint.ts';
import { enumeration, required, type RequiredMember, type Shape, string, structure } from '../shapes/shape.ts';
import { managedTableNameParameter } from './request-parameters.ts';

/** Parameters that the actions on Kinesis streaming destinations share. */

export const kinesisStreamArnParameter: RequiredMember<string> = required(string(lengthAtMost(1024)));

export const timePrecision: Shape<'MILLISECOND' | 'MICROSECOND'> = enumeration(['MICROSECOND', 'MILLISECOND']);

export const enableConfiguration: Shape<KinesisStreamingConfiguration> = structure<KinesisStreamingConfiguration>(
  'EnableKinesisStreamingConfiguration',
  { approximateCreationDateTimePrecision: timePrecision },
);

export const destinationRequest: Shape<KinesisStreamingDestinationRequest> =
  structure<KinesisStreamingDestinationRequest>('KinesisStreamingDestinationInput', {
    tableName: managedTableNameParameter,
    streamArn: kinesisStreamArnParameter,
    enableKinesisStreamingConfiguration: enableConfiguration,
  });
