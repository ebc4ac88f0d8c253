import type { DescribeEndpointsResult, RequestOf } from '../../engine/index.ts';
import { list, long, result, string, structure } from '../shapes/shape.ts';
import { defineOperation, type Operation } from './operation.ts';

/** @see DynamoDB API Reference, DescribeEndpoints */
export const describeEndpoints: Operation = defineOperation('DescribeEndpoints', {
  input: structure<RequestOf<'DescribeEndpoints'>>('DescribeEndpointsRequest', {}),
  output: result<DescribeEndpointsResult>({
    endpoints: list(
      result<DescribeEndpointsResult['endpoints'][number]>({ address: string(), cachePeriodInMinutes: long() }),
    ),
  }),
});
