import type { RequestContext } from '../environment.ts';
import type { EngineServices } from '../services.ts';
import { type BulkOperationSummary, summarizeBulk } from '../transfer/describe-bulk-record.ts';
import { listLoads } from '../transfer/find-loads.ts';

export interface ListBulkOperationsRequest {
  readonly maxResults?: number | undefined;
  readonly nextToken?: string | undefined;
}

export interface ListBulkOperationsResult {
  readonly bulkOperationsSummaryList: readonly BulkOperationSummary[];
  readonly nextToken?: string;
}

/** Operations in a page if the request sets no limit. [A] ListBulkOperations */
const pageCountDefault = 10;

/**
 * Lists the bulk operations of the last 90 days, the latest first.
 *
 * @throws {ValidationException} for an invalid token.
 * @see Amazon DynamoDB API Reference, ListBulkOperations
 */
export async function listBulkOperations(
  services: EngineServices,
  { maxResults, nextToken }: ListBulkOperationsRequest,
  context: RequestContext,
): Promise<ListBulkOperationsResult> {
  const page = await listLoads(services, 'bulk', context, { limit: maxResults ?? pageCountDefault, nextToken });
  return {
    bulkOperationsSummaryList: page.loads.map(summarizeBulk),
    ...(page.nextToken !== undefined && { nextToken: page.nextToken }),
  };
}
