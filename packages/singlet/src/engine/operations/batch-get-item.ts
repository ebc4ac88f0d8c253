import type { AttributeMap } from '../../values/attribute-value.ts';
import { readCapacityUnits } from '../../values/capacity-units.ts';
import { checkAttributeMap } from '../../values/check-attribute-value.ts';
import type { Store } from '../../storage/store.ts';
import { ThroughputExceededError, ValidationException } from '../../values/service-error.ts';
import { checkExpressionParameters, compileExpressions, type Projection } from '../../expressions/index.ts';
import type { CapacityModel } from '../capacity/capacity-model.ts';
import { readConsumedCapacity } from '../capacity/read-capacity.ts';
import type { RequestContext } from '../environment.ts';
import { itemDecoder, itemKeeper } from '../layout/item-codec.ts';
import { type ItemKey, itemKeyOfKey } from '../catalog/item-key.ts';
import { canonicalKey } from '../items/canonical-key.ts';
import type { EngineServices } from '../services.ts';
import { checkFence } from '../catalog/catalog.ts';
import type { Table } from '../catalog/table.ts';
import { checkKeysAreScalars } from '../items/check-update.ts';
import type { UncheckedAttributeMap } from '../../values/attribute-value.ts';
import type { ConsumedCapacity, ReturnConsumedCapacity } from '../capacity/consumed-capacity.ts';
import type { ItemOutput } from '../layout/stored-item.ts';

export interface KeysAndAttributes {
  readonly keys: readonly UncheckedAttributeMap[];
  readonly consistentRead?: boolean | undefined;
  readonly projectionExpression?: string | undefined;
  readonly expressionAttributeNames?: Readonly<Record<string, string>> | undefined;
  /** Legacy. */
  readonly attributesToGet?: readonly string[] | undefined;
}

export interface BatchGetItemRequest {
  /** By table name. */
  readonly requestItems: Readonly<Record<string, KeysAndAttributes>>;
  readonly returnConsumedCapacity?: ReturnConsumedCapacity | undefined;
}

export interface BatchGetItemResult {
  readonly responses: Readonly<Record<string, readonly ItemOutput[]>>;
  readonly unprocessedKeys: Readonly<Record<string, KeysAndAttributes>>;
  readonly consumedCapacity?: readonly ConsumedCapacity[];
}

interface TableReads {
  readonly tableName: string;
  readonly request: KeysAndAttributes;
  readonly keys: readonly AttributeMap[];
  readonly projection: Projection | undefined;
}

/**
 * Reads up to a hundred items of one or several tables. Missing items are left out. Items that do not fit into 16 MB, or
 * are throttled, are returned as unprocessed.
 *
 * @throws {ValidationException} if the request is invalid.
 * @throws {ThroughputExceededError} if all reads are throttled.
 * @see DynamoDB API Reference, BatchGetItem; conformance/batch-get
 */
export async function batchGetItem(
  services: EngineServices,
  request: BatchGetItemRequest,
  context: RequestContext,
): Promise<BatchGetItemResult> {
  const { limits } = services;
  const reads = checkReads(request, limits.batchGetKeyCountMax);
  const tableNames = reads.map(({ tableName }) => tableName);
  return services.catalog.withTables(context, tableNames, async (tables) => {
    const itemKeys = reads.map(({ keys, projection }, at) => {
      const table = tables[at];
      if (table === undefined) return [];
      if (projection !== undefined) checkKeysAreScalars(table, projection.paths);
      return keys.map((key) => itemKeyOfKey(table, key));
    });
    const admitted = admitKeys(services.capacity, tables, itemKeys);
    const storeKeys: Buffer[] = tables.map((table) => table.fenceKey);
    const places = itemKeys.map((keys) =>
      keys.map((key) => (admitted.has(key) ? storeKeys.push(key.storeKey) - 1 : undefined)),
    );
    const consumed: (() => void)[] = [];
    const [decode, keep] = [itemDecoder(services.store), itemKeeper(services.store)];
    const result = await readsOfAll(services, reads).read(storeKeys, (values): BatchGetItemResult => {
      tables.forEach((table, at) => checkFence(table, values[at]));
      let sizeBytes = 0;
      const perTable = reads.map((read, at) => {
        const consistency = read.request.consistentRead === true ? 'strong' : 'eventual';
        const items: ItemOutput[] = [];
        const unprocessed: KeysAndAttributes['keys'][number][] = [];
        let units = 0;
        for (const [keyAt, place] of (places[at] ?? []).entries()) {
          const value = place === undefined ? undefined : values[place];
          const item = value && decode(storeKeys[place as number] as Buffer, value);
          if (place === undefined || sizeBytes + (item?.sizeBytes ?? 0) > limits.batchBytesMax) {
            const key = read.request.keys[keyAt];
            if (key !== undefined) unprocessed.push(key);
            continue;
          }
          sizeBytes += item?.sizeBytes ?? 0;
          const itemUnits = readCapacityUnits(item?.sizeBytes ?? 0, consistency);
          units += itemUnits;
          consumed.push(() => {
            const [table, itemKey] = [tables[at], itemKeys[at]?.[keyAt]];
            if (table !== undefined && itemKey !== undefined) services.capacity.consumeRead(table, itemKey, itemUnits);
          });
          if (item === undefined) continue;
          items.push(read.projection === undefined ? keep(item) : read.projection.project(item));
        }
        return { ...read, items, unprocessed, units };
      });
      const consumedCapacity = perTable.flatMap(({ units }, at) => {
        const table = tables[at];
        return (table && readConsumedCapacity(table, { tableUnits: units }, request.returnConsumedCapacity)) ?? [];
      });
      return {
        responses: Object.fromEntries(perTable.map(({ tableName, items }) => [tableName, items])),
        unprocessedKeys: Object.fromEntries(
          perTable
            .filter(({ unprocessed }) => unprocessed.length > 0)
            .map(({ tableName, request: tableRequest, unprocessed }) => [
              tableName,
              { ...tableRequest, keys: unprocessed },
            ]),
        ),
        ...(consumedCapacity.length > 0 && { consumedCapacity }),
      };
    });
    for (const consume of consumed) consume();
    return result;
  });
}

/** All tables are read from one snapshot, so a single one with strong consistency decides for all. */
function readsOfAll(
  { store, weather, replicaReads = store }: EngineServices,
  reads: readonly TableReads[],
): Pick<Store, 'read'> {
  const isStrong = weather !== undefined || reads.some(({ request }) => request.consistentRead === true);
  return isStrong ? store : replicaReads;
}

/**
 * The keys that are admitted. The others are returned as unprocessed.
 *
 * @throws {ThroughputExceededError} if none is admitted.
 */
function admitKeys(
  capacity: CapacityModel,
  tables: readonly Table[],
  keysByTable: readonly (readonly ItemKey[])[],
): ReadonlySet<ItemKey> {
  const admitted = new Set<ItemKey>();
  let refused: ThroughputExceededError | undefined;
  keysByTable.forEach((keys, at) => {
    for (const key of keys) {
      try {
        capacity.admitRead(tables[at] as Table, key); // one table for each list of keys
        admitted.add(key);
      } catch (error) {
        if (!(error instanceof ThroughputExceededError)) throw error;
        refused ??= error;
      }
    }
  });
  if (refused !== undefined && admitted.size === 0) throw refused;
  return admitted;
}

function checkReads(request: BatchGetItemRequest, keyCountMax: number): readonly TableReads[] {
  let keyCount = 0;
  const reads = Object.entries(request.requestItems).map(([tableName, tableRequest]) => {
    checkExpressionParameters(tableRequest, 'BatchGetItem');
    const { projection } = compileExpressions(tableRequest, 'BatchGetItem');
    const seen = new Set<string>();
    const keys = tableRequest.keys.map((unchecked) => {
      const key = checkAttributeMap(unchecked, 'current');
      const text = canonicalKey(key);
      if (seen.has(text)) throw new ValidationException('Provided list of item keys contains duplicates');
      seen.add(text);
      keyCount += 1;
      if (keyCount > keyCountMax) {
        throw new ValidationException('Too many items requested for the BatchGetItem call');
      }
      return key;
    });
    return { tableName, request: tableRequest, keys, projection };
  });
  checkNotMixed(reads);
  return reads;
}

/** Expressions and legacy parameters may not be mixed across tables either. Assumed: the text is that for one table. */
function checkNotMixed(reads: readonly TableReads[]): void {
  const attributesToGet = reads.find(({ request }) => request.attributesToGet !== undefined);
  const projection = reads.find(({ request }) => request.projectionExpression !== undefined);
  if (attributesToGet === undefined || projection === undefined) return;
  checkExpressionParameters({ ...attributesToGet.request, ...projection.request }, 'BatchGetItem');
}
