import type { DescribeEndpointsResult } from '../../engine/index.ts';
import { list, long, result, string, structure } from '../shapes/shape.ts';
import { defineOperation, type Operation, type RequestOf } from './operation.ts';

/** @see DynamoDB API Reference, DescribeEndpoints */
export const describeEndpoints: Operation = defineOperation<'DescribeEndpoints'>({
  action: 'DescribeEndpoints',
  input: structure<RequestOf<'DescribeEndpoints'>>('DescribeEndpointsRequest', {}),
  output: result<DescribeEndpointsResult>({
    endpoints: list(
      result<DescribeEndpointsResult['endpoints'][number]>({ address: string(), cachePeriodInMinutes: long() }),
    ),
  }),
  run: (engine, request, context) => engine.describeEndpoints(request, context),
  table: () => undefined,
});
