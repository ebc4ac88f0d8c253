import type { DescribeTimeToLiveRequest, DescribeTimeToLiveResult, TimeToLiveDescription } from '../../engine/index.ts';
import { enumeration, result, string, structure } from '../shapes/shape.ts';
import { defineOperation, type Operation } from './operation.ts';
import { managedTableNameParameter } from './request-parameters.ts';

/** @see DynamoDB API Reference, DescribeTimeToLive */
export const describeTimeToLive: Operation = defineOperation('DescribeTimeToLive', {
  input: structure<DescribeTimeToLiveRequest>('DescribeTimeToLiveInput', { tableName: managedTableNameParameter }),
  output: result<DescribeTimeToLiveResult>({
    timeToLiveDescription: result<TimeToLiveDescription>({
      timeToLiveStatus: enumeration(['ENABLING', 'DISABLING', 'ENABLED', 'DISABLED']),
      attributeName: string(),
    }),
  }),
});
