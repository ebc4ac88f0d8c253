import type { RequestContext } from '../environment.ts';
import type { EngineServices } from '../services.ts';
import { tableNameOfArn } from '../catalog/resource-arn.ts';
import { type ImportSummary, summarizeImport } from '../transfer/describe-import-record.ts';
import { listLoads } from '../transfer/find-loads.ts';

export interface ListImportsRequest {
  readonly tableArn?: string | undefined;
  readonly pageSize?: number | undefined;
  readonly nextToken?: string | undefined;
}

export interface ListImportsResult {
  readonly importSummaryList: readonly ImportSummary[];
  readonly nextToken?: string;
}

/**
 * Lists imports, running ones among them, the latest first.
 *
 * @throws {ValidationException} for an invalid table ARN or token.
 * @see Amazon DynamoDB API Reference, ListImports
 */
export async function listImports(
  services: EngineServices,
  { tableArn, pageSize, nextToken }: ListImportsRequest,
  context: RequestContext,
): Promise<ListImportsResult> {
  const page = await listLoads(services, 'import', context, {
    limit: pageSize ?? services.limits.listImportsCountMax,
    nextToken,
    tableName: tableArn === undefined ? undefined : tableNameOfArn(tableArn, 'ListImports', context),
  });
  return {
    importSummaryList: page.loads.map(summarizeImport),
    ...(page.nextToken !== undefined && { nextToken: page.nextToken }),
  };
}
