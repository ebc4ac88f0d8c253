import { accessDenied, invalidRequest } from '../backups/backup-errors.ts';
import { exportSummary, type ExportSummary } from '../backups/describe-export.ts';
import { decodeExportRecord, exportKey, exportKeys } from '../backups/export-record.ts';
import { parseSourceTableArn } from '../backups/source-table.ts';
import type { RequestContext } from '../environment.ts';
import type { EngineServices } from '../services.ts';

export type { ExportSummary };

export interface ListExportsRequest {
  readonly tableArn?: string | undefined;
  readonly maxResults?: number | undefined;
  readonly nextToken?: string | undefined;
}

export interface ListExportsResult {
  readonly exportSummaries: readonly ExportSummary[];
  readonly nextToken?: string;
}

/**
 * Lists the exports of the account and region, the latest first. Those of a table are listed only while that table exists: not once it has
 * been deleted, or replaced by another of its name.
 *
 * @returns `nextToken` only if there are more.
 * @throws {ValidationException} if it is not the ARN of a table, or the token is invalid.
 * @see Amazon DynamoDB API Reference, ListExports; conformance/exports
 */
export async function listExports(
  services: EngineServices,
  { tableArn, maxResults, nextToken }: ListExportsRequest,
  context: RequestContext,
): Promise<ListExportsResult> {
  const tableId = tableArn === undefined ? undefined : await tableIdOf(services, tableArn, context);
  const { from, to } = exportKeys(context);
  const limit = maxResults ?? services.limits.listExportsCountMax;
  const exportSummaries: ExportSummary[] = [];
  let lastId = '';
  let hasMore = false;
  const range = { from, to: nextToken === undefined ? to : exportKey(context, exportIdOf(nextToken)), reverse: true };
  await services.store.range(range, (key, value) => {
    const record = decodeExportRecord(key, value);
    if (tableArn !== undefined && record.tableId !== tableId) return true;
    hasMore = exportSummaries.length === limit;
    if (!hasMore) {
      exportSummaries.push(exportSummary(record));
      lastId = record.exportId;
    }
    return !hasMore;
  });
  if (!hasMore) return { exportSummaries };
  return { exportSummaries, nextToken: Buffer.from(`export:${lastId}`).toString('base64url') };
}

async function tableIdOf(
  { catalog }: EngineServices,
  tableArn: string,
  context: RequestContext,
): Promise<string | undefined> {
  const { context: owner, tableName } = parseSourceTableArn(tableArn, 'tableArn');
  if (owner.accountId !== context.accountId) throw accessDenied();
  return owner.region === context.region ? (await catalog.load(context, tableName))?.record.tableId : undefined;
}

/** A token is the id of the last export on the page before. */
function exportIdOf(nextToken: string): string {
  const [, exportId] = /^export:([0-9a-f-]{1,64})$/.exec(Buffer.from(nextToken, 'base64url').toString('utf8')) ?? [];
  if (exportId === undefined) throw invalidRequest(`Provided nextToken is invalid: ${nextToken}`);
  return exportId;
}
