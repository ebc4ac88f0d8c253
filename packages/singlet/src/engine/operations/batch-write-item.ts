import type { AttributeMap } from '../../values/attribute-value.ts';
import { checkAttributeMap } from '../../values/check-attribute-value.ts';
import type { ItemOutput } from '../layout/stored-item.ts';
import type { EncodedItem } from '../layout/item-codec.ts';
import type { Limits } from '../../values/limits.ts';
import { ThroughputExceededError, ValidationException } from '../../values/service-error.ts';
import { writeConsumedCapacity } from '../capacity/write-capacity.ts';
import { itemCollectionMetrics } from '../capacity/item-collection-metrics.ts';
import type { RequestContext } from '../environment.ts';
import { type ItemKey, itemKeyOfKey, keyMismatch } from '../catalog/item-key.ts';
import type { ItemChange, ItemWrite, ItemWriteOutcome } from '../followers/item-write.ts';
import type { EngineServices } from '../services.ts';
import type { Table } from '../catalog/table.ts';
import { type ItemInput, incomingItem } from '../items/incoming-item.ts';
import { planPut } from '../items/plan-put.ts';
import { writeItems } from '../items/write-items.ts';
import type { UncheckedAttributeMap } from '../../values/attribute-value.ts';
import type {
  ConsumedCapacity,
  ReturnConsumedCapacity,
  ReturnItemCollectionMetrics,
} from '../capacity/consumed-capacity.ts';
import type { ItemCollectionMetrics } from '../capacity/item-collection-metrics.ts';

/** Exactly one member is present in a valid request; the operation checks that. */
export interface WriteRequest {
  readonly putRequest?: { readonly item: ItemInput } | undefined;
  readonly deleteRequest?: { readonly key: UncheckedAttributeMap } | undefined;
}

export interface BatchWriteItemRequest {
  /** By table name. */
  readonly requestItems: Readonly<Record<string, readonly WriteRequest[]>>;
  readonly returnConsumedCapacity?: ReturnConsumedCapacity | undefined;
  readonly returnItemCollectionMetrics?: ReturnItemCollectionMetrics | undefined;
}

/** A write that was not done and can be sent again. */
export interface UnprocessedWrite {
  readonly putRequest?: { readonly item: ItemOutput };
  readonly deleteRequest?: { readonly key: AttributeMap };
}

export interface BatchWriteItemResult {
  readonly unprocessedItems: Readonly<Record<string, readonly UnprocessedWrite[]>>;
  readonly consumedCapacity?: readonly ConsumedCapacity[];
  /** By table name. */
  readonly itemCollectionMetrics?: Readonly<Record<string, readonly ItemCollectionMetrics[]>>;
}

type BatchChange =
  { readonly kind: 'put'; readonly item: EncodedItem } | { readonly kind: 'delete'; readonly key: AttributeMap };

/**
 * Puts and deletes up to twenty-five whole items of one or several tables. The writes are independent: they have no order
 * and no atomicity, but if any of them is invalid, the request writes nothing.
 *
 * @throws {ValidationException} if the request is invalid.
 * @throws {ThroughputExceededError} if all writes are throttled; if only some are, they are returned as unprocessed.
 * @see DynamoDB API Reference, BatchWriteItem; conformance/batch-write
 */
export async function batchWriteItem(
  services: EngineServices,
  request: BatchWriteItemRequest,
  context: RequestContext,
): Promise<BatchWriteItemResult> {
  const perTable = checkChanges(request, services.limits);
  const tableNames = perTable.map(({ tableName }) => tableName);
  return services.catalog.withTables(context, tableNames, async (tables) => {
    const writes = perTable.flatMap(({ changes }, at) => {
      const table = tables[at];
      return table === undefined ? [] : planWrites(table, changes, services.limits);
    });
    const settled = await writeItems(services, writes);
    const asked = perTable.flatMap(({ tableName, changes }) => changes.map((change) => ({ tableName, change })));
    const { done, throttled } = outcomesOf(writes, settled);
    const ofTable = (table: Table): readonly { write: ItemWrite; outcome: ItemWriteOutcome }[] =>
      done.filter(({ write }) => write.table === table);
    const consumedCapacity = tables.flatMap((table) => {
      const outcomes = ofTable(table).map(({ outcome }) => outcome);
      return writeConsumedCapacity(table, outcomes, request.returnConsumedCapacity) ?? [];
    });
    const metrics = tables.flatMap((table) => {
      const ofItems = ofTable(table).flatMap(
        ({ write, outcome }) =>
          itemCollectionMetrics(table, write.key.attributes, outcome, request.returnItemCollectionMetrics) ?? [],
      );
      return ofItems.length === 0 ? [] : [[table.tableName, ofItems] as const];
    });
    return {
      unprocessedItems: unprocessedItems(throttled.flatMap((at) => asked[at] ?? [])),
      ...(consumedCapacity.length > 0 && { consumedCapacity }),
      ...(metrics.length > 0 && { itemCollectionMetrics: Object.fromEntries(metrics) }),
    };
  });
}

interface DoneWrite {
  readonly write: ItemWrite;
  readonly outcome: ItemWriteOutcome;
}

/**
 * The completed writes, and the positions of the throttled ones.
 *
 * @throws the error of a write that failed for another reason; {@link ThroughputExceededError} if all of them are throttled.
 */
function outcomesOf(
  writes: readonly ItemWrite[],
  settled: readonly PromiseSettledResult<ItemWriteOutcome>[],
): { readonly done: readonly DoneWrite[]; readonly throttled: readonly number[] } {
  const done: DoneWrite[] = [];
  const throttled: number[] = [];
  let refused: unknown;
  settled.forEach((result, at) => {
    if (result.status === 'fulfilled') {
      done.push({ write: writes[at] as ItemWrite, outcome: result.value }); // one result per write
      return;
    }
    if (!(result.reason instanceof ThroughputExceededError)) throw result.reason;
    throttled.push(at);
    refused ??= result.reason;
  });
  if (throttled.length > 0 && done.length === 0) throw refused;
  return { done, throttled };
}

/** By table, in request order. */
function unprocessedItems(
  left: readonly { readonly tableName: string; readonly change: BatchChange }[],
): Readonly<Record<string, readonly UnprocessedWrite[]>> {
  const names = [...new Set(left.map(({ tableName }) => tableName))];
  return Object.fromEntries(
    names.map((name) => [
      name,
      left.flatMap(({ tableName, change }) => (tableName === name ? [unprocessedWrite(change)] : [])),
    ]),
  );
}

/** Built from the checked change: the members of the request may be gone by now. */
function unprocessedWrite(change: BatchChange): UnprocessedWrite {
  return change.kind === 'put' ? { putRequest: { item: change.item } } : { deleteRequest: { key: change.key } };
}

/** The checks that need no table. */
function checkChanges(
  request: BatchWriteItemRequest,
  limits: Limits,
): readonly { readonly tableName: string; readonly changes: readonly BatchChange[] }[] {
  let count = 0;
  return Object.entries(request.requestItems).map(([tableName, requests]) => {
    const changes = requests.map(({ putRequest, deleteRequest }): BatchChange => {
      count += 1;
      if (count > limits.batchWriteCountMax) {
        throw new ValidationException('Too many items requested for the BatchWriteItem call');
      }
      if (putRequest !== undefined && deleteRequest === undefined) {
        return { kind: 'put', item: incomingItem(putRequest.item) };
      }
      if (deleteRequest !== undefined && putRequest === undefined) {
        return { kind: 'delete', key: checkAttributeMap(deleteRequest.key) };
      }
      // The service's own text for a request with neither part or with both.
      throw new ValidationException(
        'Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes',
      );
    });
    return { tableName, changes };
  });
}

function planWrites(table: Table, changes: readonly BatchChange[], limits: Limits): readonly ItemWrite[] {
  const seen = new Set<string>();
  return changes.map((change) => {
    const planned = planWrite(table, change, limits);
    const name = planned.key.storeKey.toString('latin1');
    if (seen.has(name)) throw new ValidationException('Provided list of item keys contains duplicates');
    seen.add(name);
    return { table, ...planned, condition: undefined, returnOldOnFailure: false, keepBefore: false };
  });
}

function planWrite(table: Table, change: BatchChange, limits: Limits): { key: ItemKey; change: ItemChange } {
  if (change.kind === 'delete') return { key: itemKeyOfKey(table, change.key), change: { kind: 'delete' } };
  // In a batch the service gives less detail about a key that is missing or of the wrong type.
  return planPut(table, change.item, limits, keyMismatch);
}
