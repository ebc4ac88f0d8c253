import type { RequestContext } from '../environment.ts';
import { settleReplicas } from '../replication/replicate.ts';
import { leaveGroup } from '../replication/update-replicas.ts';
import type { EngineServices } from '../services.ts';
import { describeTableRecord, readStatistics } from '../tables/describe.ts';
import { removeTable } from '../tables/remove-table.ts';
import type { TableDescription } from '../catalog/table-description.ts';

export interface DeleteTableRequest {
  readonly tableName: string;
}

export interface DeleteTableResult {
  readonly tableDescription: TableDescription;
}

/**
 * Deletes a table with its indexes and tags. The answer shows it DELETING; its name is free once the lifecycle delay has
 * passed. No operation can reach its data from now on, and it is purged in the background. Its stream is switched off and can be
 * read for another day.
 *
 * A replica of a global table is removed once the others have all its items.
 *
 * @throws {ResourceNotFoundException}
 * @throws {ResourceInUseException} while the table or one of its indexes is being created, changed or deleted.
 * @throws {ValidationException} if it is protected against deletion.
 * @see Amazon DynamoDB API Reference, DeleteTable
 */
export async function deleteTable(
  services: EngineServices,
  { tableName }: DeleteTableRequest,
  context: RequestContext,
): Promise<DeleteTableResult> {
  const table = await services.catalog.retryWhenStale(async () => {
    const present = await services.catalog.load(context, tableName);
    return present?.replication === undefined
      ? removeTable(services, context, tableName, { asReplica: false })
      : leaveGroup(services, context, tableName);
  });
  const statistics = await readStatistics(services, table);
  if (table.replication !== undefined) await settleReplicas(services, table.record);
  const description = describeTableRecord({
    table,
    statistics,
    limits: services.limits,
    store: services.store,
    at: 'changing',
  });
  return { tableDescription: description };
}
