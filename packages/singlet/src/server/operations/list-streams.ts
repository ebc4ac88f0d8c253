import type { ListStreamsRequest, ListStreamsResult, StreamSummary } from '../../engine/index.ts';
import { valueAtLeast, valueAtMost } from '../shapes/constraint.ts';
import { integer, list, result, string, structure } from '../shapes/shape.ts';
import { defineOperation, type Operation } from './operation.ts';
import { nameParameter } from './request-parameters.ts';
import { streamArn } from './stream-members.ts';

/** @see DynamoDB API Reference, ListStreams */
export const listStreams: Operation = defineOperation('ListStreams', {
  input: structure<ListStreamsRequest>('ListStreamsInput', {
    tableName: nameParameter,
    limit: integer(valueAtLeast(1), valueAtMost(100)),
    exclusiveStartStreamArn: streamArn,
  }),
  output: result<ListStreamsResult>({
    streams: list(result<StreamSummary>({ streamArn: string(), tableName: string(), streamLabel: string() })),
    lastEvaluatedStreamArn: string(),
  }),
});
