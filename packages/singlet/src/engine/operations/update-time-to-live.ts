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
 * Switches the deletion of expired items on, by an attribute that holds epoch seconds, or off. The attribute may be any, a key
 * attribute too. What there is to do with the items that are there is done in the background; the table stays ACTIVE.
 *
 * @returns the specification as it was given.
 * @throws {ResourceNotFoundException}
 * @throws {ResourceInUseException} while the table is being created.
 * @throws {ValidationException} when it is so already, or was changed within the last hour.
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
      // Another table of the same name has other statistics than those that were read.
      if (input.record.itemSpace !== itemSpace) throw new StaleTableError(known);
      return changeTimeToLive(timeToLiveSpecification, input, limits);
    };
    return changeTable(services, context, tableName, change, statisticsKeys(itemSpace));
  });
  spawnTimeToLiveWork(services, changed);
  if (changed.replication !== undefined) await settleReplicas(services, changed.record);
  return { timeToLiveSpecification };
}
