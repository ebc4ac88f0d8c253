import type {
  DescribeStreamRequest,
  DescribeStreamResult,
  ShardDescription,
  ShardFilter,
  StreamDescription,
} from '../../engine/index.ts';
import { valueAtLeast, valueAtMost } from '../shapes/constraint.ts';
import { double, enumeration, integer, list, result, string, structure } from '../shapes/shape.ts';
import { defineOperation, type Operation } from './operation.ts';
import { shardIdParameter, streamArnParameter } from './stream-members.ts';
import { keySchema } from './table-members.ts';

/** @see DynamoDB API Reference, DescribeStream */
export const describeStream: Operation = defineOperation('DescribeStream', {
  input: structure<DescribeStreamRequest>('DescribeStreamInput', {
    streamArn: streamArnParameter,
    limit: integer(valueAtLeast(1), valueAtMost(100)),
    exclusiveStartShardId: shardIdParameter,
    shardFilter: structure<ShardFilter>('ShardFilter', {
      type: enumeration(['CHILD_SHARDS']),
      shardId: shardIdParameter,
    }),
  }),
  output: result<DescribeStreamResult>({
    streamDescription: result<StreamDescription>({
      creationRequestDateTime: double,
      keySchema,
      lastEvaluatedShardId: string(),
      shards: list(
        result<ShardDescription>({
          parentShardId: string(),
          sequenceNumberRange: result<ShardDescription['sequenceNumberRange']>({
            endingSequenceNumber: string(),
            startingSequenceNumber: string(),
          }),
          shardId: string(),
        }),
      ),
      streamArn: string(),
      streamLabel: string(),
      streamStatus: { kind: 'string', constraints: [] },
      streamViewType: { kind: 'string', constraints: [] },
      tableName: string(),
    }),
  }),
});
