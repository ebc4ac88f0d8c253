import type { TimeToLiveSpecification, UpdateTimeToLiveRequest, UpdateTimeToLiveResult } from '../../engine/index.ts';
import { lengthAtLeast, lengthAtMost } from '../shapes/constraint.ts';
import { boolean, required, result, type Shape, string, structure } from '../shapes/shape.ts';
import { defineOperation, type Operation } from './operation.ts';
import { managedTableNameParameter } from './request-parameters.ts';

const timeToLiveSpecification: Shape<TimeToLiveSpecification> = structure<TimeToLiveSpecification>(
  'TimeToLiveSpecification',
  {
    enabled: required(boolean),
    attributeName: required(string(lengthAtLeast(1), lengthAtMost(255))),
  },
);

/** @see DynamoDB API Reference, UpdateTimeToLive */
export const updateTimeToLive: Operation = defineOperation('UpdateTimeToLive', {
  input: structure<UpdateTimeToLiveRequest>('UpdateTimeToLiveInput', {
    tableName: managedTableNameParameter,
    timeToLiveSpecification: required(timeToLiveSpecification),
  }),
  output: result<UpdateTimeToLiveResult>({ timeToLiveSpecification }),
});
