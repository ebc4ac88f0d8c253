import type { RequestContext } from '../environment.ts';
import { settleReplicas } from '../replication/replicate.ts';
import { updateReplicas } from '../replication/update-replicas.ts';
import { replicaActions } from '../replication/validate-replica-updates.ts';
import type { EngineServices } from '../services.ts';
import { freeStreamTime, openStream, StreamToClose } from '../streams/stream-switch.ts';
import { applyTableUpdate } from '../schema/apply-table-update.ts';
import { spawnIndexWork } from '../jobs/background-work.ts';
import { describeTableRecord, readStatistics } from '../tables/describe.ts';
import { changeTable } from '../catalog/table-change.ts';
import type { Table } from '../catalog/table.ts';
import type { TableDescription } from '../catalog/table-description.ts';
import type { GlobalSecondaryIndexUpdate, TableUpdateRequest, VectorIndexUpdate } from '../schema/table-update.ts';
import { checkCanEncrypt } from '../schema/encryption.ts';
import { validateTableUpdate } from '../schema/validate-table-update.ts';

export type { GlobalSecondaryIndexUpdate, VectorIndexUpdate };

export type UpdateTableRequest = TableUpdateRequest;

export interface UpdateTableResult {
  readonly tableDescription: TableDescription;
}

/**
 * Changes a table. The answer shows what the service shows at that moment: mostly the old values and UPDATING.
 *
 * A new global or vector index is backfilled, and a deleted one purged, in the background; see `jobs/background-work.ts`.
 *
 * @throws {ValidationException} if the request is invalid, or changes nothing.
 * @throws {ResourceNotFoundException} if the table, or a named index, does not exist.
 * @throws {ResourceInUseException} while another change is in progress that conflicts with this one.
 * @throws {LimitExceededException}
 * @see Amazon DynamoDB API Reference, UpdateTable
 */
export async function updateTable(
  services: EngineServices,
  request: UpdateTableRequest,
  context: RequestContext,
): Promise<UpdateTableResult> {
  validateTableUpdate(request);
  checkCanEncrypt(request.sseSpecification, services.store);
  const { limits } = services;
  if (request.replicaUpdates !== undefined) return updateTableReplicas(services, request, context);
  const table =
    request.streamSpecification === undefined
      ? await changeTable(services, context, request.tableName, (input) => ({
          record: applyTableUpdate(request, input, limits),
        }))
      : await updateWithStream(services, request, context);
  const updates = [...(request.globalSecondaryIndexUpdates ?? []), ...(request.vectorIndexUpdates ?? [])];
  const changed = updates.flatMap(({ create, delete: remove }) => create?.indexName ?? remove?.indexName ?? []);
  spawnIndexWork(services, table, changed);
  if (table.replication !== undefined) await settleReplicas(services, table.record);
  const statistics = await readStatistics(services, table);
  const description = describeTableRecord({ table, statistics, limits, store: services.store, at: 'changing' });
  return { tableDescription: asAnswered(description, request) };
}

/** Replicas are added and removed after the answer, which shows them as they were. */
async function updateTableReplicas(
  services: EngineServices,
  request: UpdateTableRequest,
  context: RequestContext,
): Promise<UpdateTableResult> {
  const actions = replicaActions(request);
  const { table, before } = await updateReplicas(services, context, request.tableName, actions);
  const statistics = await readStatistics(services, table);
  await settleReplicas(services, table.record);
  const { limits } = services;
  return {
    tableDescription: describeTableRecord({
      table,
      statistics,
      limits,
      store: services.store,
      at: 'changing',
      replicasOf: before,
    }),
  };
}

/** The decision that changes the table also switches the stream on or off. */
async function updateWithStream(
  services: EngineServices,
  request: TableUpdateRequest,
  context: RequestContext,
): Promise<Table> {
  const { tableName } = request;
  const { limits } = services;
  return services.catalog.retryWhenStale(async () => {
    const freeTime = await freeStreamTime(services, context, tableName);
    const present = await StreamToClose.find(services, context, tableName);
    return changeTable(
      services,
      context,
      tableName,
      (input) => {
        const record = applyTableUpdate(request, input, limits);
        if (record.streamSpecification?.streamEnabled !== true) return present.close(record, input.values, input);
        const sinceMs = Math.max(freeTime, (record.streamSinceMs ?? 0) + 1);
        return openStream(record, { sinceMs, enabledFromMs: input.untilMs, spaces: input.spaces, limits });
      },
      present.keys,
    );
  });
}

/** Two details that this answer includes and DescribeTable does not. */
function asAnswered(description: TableDescription, request: UpdateTableRequest): TableDescription {
  const { onDemandThroughput } = request;
  const removesMaximum = Object.values(onDemandThroughput ?? {}).includes(-1);
  return {
    ...description,
    // A billing mode or table class that equals the present one changes nothing, but is answered as a change.
    ...((request.billingMode !== undefined || request.tableClass !== undefined) && { tableStatus: 'UPDATING' }),
    ...(onDemandThroughput !== undefined &&
      removesMaximum && { onDemandThroughput: { ...description.onDemandThroughput, ...onDemandThroughput } }),
  };
}
