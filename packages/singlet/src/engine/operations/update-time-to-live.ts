import type { RequestContext } from '../environment.ts';
import { settleReplicas } from '../replication/replicate.ts';
import type { EngineServices } from '../services.ts';
import { spawnTimeToLiveWork } from '../jobs/background-work.ts';
import { StaleTableError } from '../catalog/catalog.ts';
import { tableNotFound } from '../catalog/parameter-errors.ts';
import { statisticsKeys } from '../catalog/statistics.ts';
import { changeTable, type TableChangeInput, type TableChangeOutput } from '../catalog/table-change.ts';
import { changeTimeToLive, type TimeToLiveSpecification } from '../ttl/time-to-live-change.ts';

export type { TimeToLiveSpecification };

export interface UpdateTimeToLiveRequest {
  readonly tableName: string;
  readonly timeToLiveSpecification: TimeToLiveSpecification;
}

export interface UpdateTimeToLiveResult {
  readonly timeToLiveSpecification: TimeToLiveSpecification;
}

/**
 * Switches the deletion of expired items on, by an attribute that holds epoch seconds, or off. Any attribute is allowed, even a key
 * attribute. Work on existing items runs in the background; the table stays ACTIVE.
 *
 * @returns the specification in the request.
 * @throws {ResourceNotFoundException}
 * @throws {ResourceInUseException} while the table is being created.
 * @throws {ValidationException} if it is already so set, or was changed within the last hour.
 * @see Amazon DynamoDB API Reference, UpdateTimeToLive; conformance/time-to-live
 */
export async function updateTimeToLive(
  services: EngineServices,
  { tableName, timeToLiveSpecification }: UpdateTimeToLiveRequest,
  context: RequestContext,
): Promise<UpdateTimeToLiveResult> {
  const { catalog, limits } = services;
  const changed = await catalog.retryWhenStale(async () => {
    const known = await catalog.load(context, tableName);
    if (known === undefined) throw tableNotFound(tableName);
    const { itemSpace } = known.record;
    const change = (input: TableChangeInput): TableChangeOutput => {
      // The statistics that were read belong to another table of the same name.
      if (input.record.itemSpace !== itemSpace) throw new StaleTableError(known);
      return changeTimeToLive(timeToLiveSpecification, input, limits);
    };
    return changeTable(services, context, tableName, change, statisticsKeys(itemSpace));
  });
  spawnTimeToLiveWork(services, changed);
  if (changed.replication !== undefined) await settleReplicas(services, changed.record);
  return { timeToLiveSpecification };
}
