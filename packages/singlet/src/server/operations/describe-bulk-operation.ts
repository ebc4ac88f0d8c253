import type { DescribeBulkOperationRequest, DescribeBulkOperationResult } from '../../engine/index.ts';
import { result, structure } from '../shapes/shape.ts';
import { defineOperation, type Operation } from './operation.ts';
import { bulkOperationArn, bulkOperationDescription } from './transfer-members.ts';

/** @see DynamoDB API Reference, DescribeBulkOperation */
export const describeBulkOperation: Operation = defineOperation('DescribeBulkOperation', {
  input: structure<DescribeBulkOperationRequest>('DescribeBulkOperationInput', { bulkOperationArn }),
  output: result<DescribeBulkOperationResult>({ bulkOperationDescription }),
});
