import { readCapacityUnits } from '../../values/capacity-units.ts';
import { checkAttributeMap } from '../../values/check-attribute-value.ts';
import { ValidationException } from '../../values/service-error.ts';
import { checkExpressionParameters, compileExpressions } from '../../expressions/index.ts';
import { readConsumedCapacity } from '../capacity/read-capacity.ts';
import type { RequestContext } from '../environment.ts';
import { itemDecoder, itemKeeper } from '../layout/item-codec.ts';
import { itemKeyOfKey } from '../catalog/item-key.ts';
import type { EngineServices } from '../services.ts';
import { checkFence } from '../catalog/catalog.ts';
import type { Table } from '../catalog/table.ts';
import { admitActions, checkDistinct, distinctTableNames, settleActions } from '../transactions/transaction-actions.ts';
import { checkKeysAreScalars } from '../items/check-update.ts';
import type { UncheckedAttributeMap } from '../../values/attribute-value.ts';
import type { ConsumedCapacity, ReturnConsumedCapacity } from '../capacity/consumed-capacity.ts';
import type { ItemOutput } from '../layout/stored-item.ts';

export interface TransactGet {
  readonly tableName: string;
  readonly key: UncheckedAttributeMap;
  readonly projectionExpression?: string | undefined;
  readonly expressionAttributeNames?: Readonly<Record<string, string>> | undefined;
}

export interface TransactGetItemsRequest {
  readonly transactItems: readonly { readonly get: TransactGet }[];
  readonly returnConsumedCapacity?: ReturnConsumedCapacity | undefined;
}

export interface TransactGetItemsResult {
  /** In request order; without `item` if there is none. */
  readonly responses: readonly { readonly item?: ItemOutput }[];
  readonly consumedCapacity?: readonly ConsumedCapacity[];
}

/**
 * Reads up to a hundred items of any tables from one snapshot.
 *
 * @throws {ValidationException} if the request is invalid.
 * @throws {TransactionCanceledException} if a key does not fit its table, with a reason per action.
 * @see DynamoDB API Reference, TransactGetItems; conformance/transact-get
 */
export async function transactGetItems(
  services: EngineServices,
  request: TransactGetItemsRequest,
  context: RequestContext,
): Promise<TransactGetItemsResult> {
  const gets = request.transactItems.map(({ get }) => {
    checkExpressionParameters(get, 'TransactGetItems');
    const key = checkAttributeMap(get.key);
    return { tableName: get.tableName, key, projection: compileExpressions(get, 'TransactGetItems').projection };
  });
  const tableNames = distinctTableNames(gets);
  return services.catalog.withTables(context, tableNames, async (tables) => {
    const byName = new Map(tables.map((table) => [table.tableName, table]));
    const actions = settleActions(gets, ({ tableName, key, projection }) => {
      const table = byName.get(tableName) as Table; // withTables gave one for each name
      if (projection !== undefined) checkKeysAreScalars(table, projection.paths);
      return { table, key: itemKeyOfKey(table, key), projection };
    });
    checkDistinct(actions.map(({ key }) => key));
    admitActions(actions, ({ table, key }) => services.capacity.admitRead(table, key));
    const unitsOf: number[] = [];
    const [decode, keep] = [itemDecoder(services.store), itemKeeper(services.store)];
    const storeKeys = [...tables.map((table) => table.fenceKey), ...actions.map(({ key }) => key.storeKey)];
    const result = await services.store.read(storeKeys, (values): TransactGetItemsResult => {
      tables.forEach((table, at) => checkFence(table, values[at]));
      const units = new Map<Table, number>();
      let sizeBytes = 0;
      const responses = actions.map(({ table, key, projection }, at) => {
        const value = values[tables.length + at];
        const item = value && decode(key.storeKey, value);
        sizeBytes += item?.sizeBytes ?? 0;
        const itemUnits = readCapacityUnits(item?.sizeBytes ?? 0, 'transactional');
        unitsOf[at] = itemUnits;
        units.set(table, (units.get(table) ?? 0) + itemUnits);
        if (item === undefined) return {};
        if (projection === undefined) return { item: keep(item) };
        // GetItem answers an empty item; a transaction leaves out an item of which the projection selects nothing.
        const part = projection.project(item);
        return Object.keys(part).length === 0 ? {} : { item: part };
      });
      if (sizeBytes > services.limits.transactionBytesMax) {
        throw new ValidationException('Collective item size in the transaction request exceeds the limit of 4 MB');
      }
      const consumedCapacity = tables.flatMap(
        (table) =>
          readConsumedCapacity(table, { tableUnits: units.get(table) ?? 0 }, request.returnConsumedCapacity, {
            transactional: true,
          }) ?? [],
      );
      return { responses, ...(consumedCapacity.length > 0 && { consumedCapacity }) };
    });
    actions.forEach(({ table, key }, at) => services.capacity.consumeRead(table, key, unitsOf[at] ?? 0));
    return result;
  });
}
