import type { CancelBulkOperationRequest, CancelBulkOperationResult } from '../../engine/index.ts';
import { result, string, structure } from '../shapes/shape.ts';
import { defineOperation, type Operation } from './operation.ts';
import { bulkOperationArn, bulkOperationStatus } from './transfer-members.ts';

/** @see DynamoDB API Reference, CancelBulkOperation */
export const cancelBulkOperation: Operation = defineOperation('CancelBulkOperation', {
  input: structure<CancelBulkOperationRequest>('CancelBulkOperationInput', { bulkOperationArn }),
  output: result<CancelBulkOperationResult>({ bulkOperationArn: string(), bulkOperationStatus }),
});
