import type { ListBulkOperationsRequest, ListBulkOperationsResult } from '../../engine/index.ts';
import { valueAtLeast, valueAtMost } from '../shapes/constraint.ts';
import { integer, list, result, string, structure } from '../shapes/shape.ts';
import { defineOperation, type Operation } from './operation.ts';
import { bulkOperationSummary, listToken } from './transfer-members.ts';

/** @see DynamoDB API Reference, ListBulkOperations */
export const listBulkOperations: Operation = defineOperation('ListBulkOperations', {
  input: structure<ListBulkOperationsRequest>('ListBulkOperationsInput', {
    maxResults: integer(valueAtLeast(1), valueAtMost(100)),
    nextToken: listToken,
  }),
  output: result<ListBulkOperationsResult>({
    bulkOperationsSummaryList: list(bulkOperationSummary),
    nextToken: string(),
  }),
});
