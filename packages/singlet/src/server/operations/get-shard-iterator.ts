import type { GetShardIteratorRequest, GetShardIteratorResult } from '../../engine/index.ts';
import { lengthAtLeast, lengthAtMost } from '../shapes/constraint.ts';
import { enumeration, required, result, string, structure } from '../shapes/shape.ts';
import { defineOperation, type Operation } from './operation.ts';
import { shardIdParameter, streamArnParameter } from './stream-members.ts';

/** @see DynamoDB API Reference, GetShardIterator */
export const getShardIterator: Operation = defineOperation('GetShardIterator', {
  input: structure<GetShardIteratorRequest>('GetShardIteratorInput', {
    streamArn: streamArnParameter,
    shardId: required(shardIdParameter),
    shardIteratorType: required(enumeration(['AFTER_SEQUENCE_NUMBER', 'LATEST', 'AT_SEQUENCE_NUMBER', 'TRIM_HORIZON'])),
    sequenceNumber: string(lengthAtLeast(21), lengthAtMost(40)),
  }),
  output: result<GetShardIteratorResult>({ shardIterator: string() }),
});
