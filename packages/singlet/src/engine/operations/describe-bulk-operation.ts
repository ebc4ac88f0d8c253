import type { RequestContext } from '../environment.ts';
import type { EngineServices } from '../services.ts';
import { type BulkOperationDescription, describeBulkRecord } from '../transfer/describe-bulk-record.ts';
import { findBulkOperation } from '../transfer/find-bulk-operation.ts';

export interface DescribeBulkOperationRequest {
  readonly bulkOperationArn: string;
}

export interface DescribeBulkOperationResult {
  readonly bulkOperationDescription: BulkOperationDescription;
}

/**
 * Describes a bulk operation and its progress.
 *
 * @throws {ValidationException} if it is not the ARN of a bulk operation.
 * @throws {ResourceNotFoundException}
 * @see Amazon DynamoDB API Reference, DescribeBulkOperation
 */
export async function describeBulkOperation(
  services: EngineServices,
  { bulkOperationArn }: DescribeBulkOperationRequest,
  context: RequestContext,
): Promise<DescribeBulkOperationResult> {
  const load = await findBulkOperation(services, bulkOperationArn, context);
  const table = await services.catalog.load(context, load.tableName);
  const localIndexNames = new Set(table?.localIndexes.map(({ indexName }) => indexName));
  return { bulkOperationDescription: describeBulkRecord(load, localIndexNames) };
}
