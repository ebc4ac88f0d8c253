import type { DescribeLimitsResult, RequestOf } from '../../engine/index.ts';
import { long, result, structure } from '../shapes/shape.ts';
import { defineOperation, type Operation } from './operation.ts';

/** @see DynamoDB API Reference, DescribeLimits */
export const describeLimits: Operation = defineOperation('DescribeLimits', {
  input: structure<RequestOf<'DescribeLimits'>>('DescribeLimitsInput', {}),
  output: result<DescribeLimitsResult>({
    accountMaxReadCapacityUnits: long(),
    accountMaxWriteCapacityUnits: long(),
    tableMaxReadCapacityUnits: long(),
    tableMaxWriteCapacityUnits: long(),
  }),
});
