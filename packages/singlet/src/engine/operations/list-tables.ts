import type { RequestContext } from '../environment.ts';
import { textHash } from '../layout/partition-hash.ts';
import { space, storeKey } from '../layout/spaces.ts';
import type { EngineServices } from '../services.ts';
import { Table, tableRecordKey } from '../catalog/table.ts';
import { decodeTableRecord } from '../catalog/table-record.ts';

export interface ListTablesRequest {
  readonly exclusiveStartTableName?: string | undefined;
  readonly limit?: number | undefined;
}

export interface ListTablesResult {
  readonly tableNames: readonly string[];
  readonly lastEvaluatedTableName?: string;
}

/** Sorts after every name: names are ASCII. */
const afterAllNames = Uint8Array.of(0xff);

/**
 * Lists the tables of the account and region by name, including tables that are being created or deleted.
 *
 * @returns `lastEvaluatedTableName` only if there are more.
 * @see Amazon DynamoDB API Reference, ListTables
 */
export async function listTables(
  services: EngineServices,
  request: ListTablesRequest,
  { accountId, region }: RequestContext,
): Promise<ListTablesResult> {
  const limit = request.limit ?? services.limits.listTablesCountMax;
  const nowMs = services.environment.clock.nowMs();
  const hash = textHash(accountId, region);
  // The start name itself is excluded; it need not be the name of a table.
  const from =
    request.exclusiveStartTableName === undefined
      ? storeKey(space.tables, hash)
      : Buffer.concat([tableRecordKey(accountId, region, request.exclusiveStartTableName), Uint8Array.of(0)]);
  const tableNames: string[] = [];
  let hasMore = false;
  await services.store.range({ from, to: storeKey(space.tables, hash, afterAllNames) }, (key, value) => {
    const table = new Table(decodeTableRecord(key, value));
    if (table.isGone(nowMs)) return true;
    hasMore = tableNames.length === limit;
    if (!hasMore) tableNames.push(table.tableName);
    return !hasMore;
  });
  const lastEvaluatedTableName = hasMore ? tableNames.at(-1) : undefined;
  return { tableNames, ...(lastEvaluatedTableName !== undefined && { lastEvaluatedTableName }) };
}
