import type { GetRecordsRequest, GetRecordsResult, StreamEvent } from '../../engine/index.ts';
import { lengthAtLeast, lengthAtMost, valueAtLeast, valueAtMost } from '../shapes/constraint.ts';
import { double, integer, item, list, long, required, result, string, structure } from '../shapes/shape.ts';
import { defineOperation, type Operation } from './operation.ts';

/** @see DynamoDB API Reference, GetRecords */
export const getRecords: Operation = defineOperation('GetRecords', {
  input: structure<GetRecordsRequest>('GetRecordsInput', {
    shardIterator: required(string(lengthAtLeast(1), lengthAtMost(2048))),
    limit: integer(valueAtLeast(1), valueAtMost(1000)),
  }),
  output: result<GetRecordsResult>({
    nextShardIterator: string(),
    records: list(
      result<StreamEvent>({
        awsRegion: string(),
        dynamodb: result<StreamEvent['dynamodb']>({
          approximateCreationDateTime: double,
          keys: item,
          newImage: item,
          oldImage: item,
          sequenceNumber: string(),
          sizeBytes: long(),
          streamViewType: { kind: 'string', constraints: [] },
        }),
        eventId: string(),
        eventName: { kind: 'string', constraints: [] },
        eventSource: { kind: 'string', constraints: [] },
        eventVersion: { kind: 'string', constraints: [] },
        userIdentity: result<NonNullable<StreamEvent['userIdentity']>>({
          principalId: { kind: 'string', constraints: [] },
          type: { kind: 'string', constraints: [] },
        }),
      }),
    ),
  }),
});
