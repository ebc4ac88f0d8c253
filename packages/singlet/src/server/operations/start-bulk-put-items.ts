import type { StartBulkPutItemsRequest, StartBulkPutItemsResult } from '../../engine/index.ts';
import { valueAtLeast } from '../shapes/constraint.ts';
import { long, required, result, structure } from '../shapes/shape.ts';
import { defineOperation, type Operation } from './operation.ts';
import { managedTableNameParameter } from './request-parameters.ts';
import {
  bulkOperationDescription,
  clientToken,
  inputS3Configuration,
  outputS3Configuration,
  performanceTier,
} from './transfer-members.ts';

/** @see DynamoDB API Reference, StartBulkPutItems */
export const startBulkPutItems: Operation = defineOperation('StartBulkPutItems', {
  input: structure<StartBulkPutItemsRequest>('StartBulkPutItemsInput', {
    clientToken,
    inputS3Configuration: required(inputS3Configuration),
    outputS3Configuration: required(outputS3Configuration),
    tableName: managedTableNameParameter,
    maxWriteRequestUnits: long(valueAtLeast(1024)),
    performanceTier,
  }),
  output: result<StartBulkPutItemsResult>({ bulkOperationDescription }),
});
