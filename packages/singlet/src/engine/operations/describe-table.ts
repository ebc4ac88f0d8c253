import type { RequestContext } from '../environment.ts';
import type { EngineServices } from '../services.ts';
import { describeTableRecord, readStatistics } from '../tables/describe.ts';
import { tableNotFound } from '../catalog/parameter-errors.ts';
import type { TableDescription } from '../catalog/table-description.ts';

export interface DescribeTableRequest {
  readonly tableName: string;
}

export interface DescribeTableResult {
  readonly table: TableDescription;
}

/**
 * Describes a table, whatever its status. Counts and sizes are exact; those of the service lag by about six hours.
 *
 * @throws {ResourceNotFoundException}
 * @see Amazon DynamoDB API Reference, DescribeTable
 */
export async function describeTable(
  services: EngineServices,
  { tableName }: DescribeTableRequest,
  context: RequestContext,
): Promise<DescribeTableResult> {
  const table = await services.catalog.load(context, tableName);
  if (table === undefined) throw tableNotFound(tableName);
  const statistics = await readStatistics(services, table);
  const at = { nowMs: services.environment.clock.nowMs() };
  return { table: describeTableRecord({ table, statistics, limits: services.limits, store: services.store, at }) };
}
