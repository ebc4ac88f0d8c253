import type { DescribeLimitsResult } from '../../engine/index.ts';
import { long, result, structure } from '../shapes/shape.ts';
import { defineOperation, type Operation, type RequestOf } from './operation.ts';

/** @see DynamoDB API Reference, DescribeLimits */
export const describeLimits: Operation = defineOperation<'DescribeLimits'>({
  action: 'DescribeLimits',
  input: structure<RequestOf<'DescribeLimits'>>('DescribeLimitsInput', {}),
  output: result<DescribeLimitsResult>({
    accountMaxReadCapacityUnits: long(),
    accountMaxWriteCapacityUnits: long(),
    tableMaxReadCapacityUnits: long(),
    tableMaxWriteCapacityUnits: long(),
  }),
  run: (engine, request, context) => engine.describeLimits(request, context),
  table: () => undefined,
});
