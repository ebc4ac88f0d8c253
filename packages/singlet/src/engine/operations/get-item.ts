import { type Awaitable, chain } from '../../values/awaitable.ts';
import { checkAttributeMap } from '../../values/check-attribute-value.ts';
import { type ReadConsistency, readCapacityUnits } from '../../values/capacity-units.ts';
import { checkExpressionParameters, compileExpressions } from '../../expressions/index.ts';
import { readConsumedCapacity } from '../capacity/read-capacity.ts';
import type { RequestContext } from '../environment.ts';
import { itemDecoder, itemKeeper } from '../layout/item-codec.ts';
import { itemKeyOfKey } from '../catalog/item-key.ts';
import type { EngineServices } from '../services.ts';
import { checkFence } from '../catalog/catalog.ts';
import { readsOf } from '../items/reads-of.ts';
import { checkKeysAreScalars } from '../items/check-update.ts';
import type { UncheckedAttributeMap } from '../../values/attribute-value.ts';
import type { ConsumedCapacity, ReturnConsumedCapacity } from '../capacity/consumed-capacity.ts';
import type { ItemOutput } from '../layout/stored-item.ts';

export interface GetItemRequest {
  readonly tableName: string;
  readonly key: UncheckedAttributeMap;
  readonly consistentRead?: boolean | undefined;
  readonly projectionExpression?: string | undefined;
  readonly expressionAttributeNames?: Readonly<Record<string, string>> | undefined;
  readonly attributesToGet?: readonly string[] | undefined;
  readonly returnConsumedCapacity?: ReturnConsumedCapacity | undefined;
}

export interface GetItemResult {
  readonly item?: ItemOutput;
  readonly consumedCapacity?: ConsumedCapacity;
}

/**
 * Reads one item by its key. A missing item is a success without `item`.
 *
 * @throws {ValidationException} if the request is invalid.
 * @see DynamoDB API Reference, GetItem; conformance/get-item
 */
export function getItem(
  services: EngineServices,
  request: GetItemRequest,
  context: RequestContext,
): Awaitable<GetItemResult> {
  checkExpressionParameters(request, 'GetItem');
  const checkedKey = checkAttributeMap(request.key, 'current');
  const { projection } = compileExpressions(request, 'GetItem');
  const consistency: ReadConsistency = request.consistentRead === true ? 'strong' : 'eventual';
  return services.catalog.withTable(context, request.tableName, (table) => {
    const key = itemKeyOfKey(table, checkedKey);
    if (projection !== undefined) checkKeysAreScalars(table, projection.paths);
    services.capacity.admitRead(table, key);
    const reads = readsOf(services, { table, isGlobalIndex: false, consistency });
    const found = reads.read(
      [table.fenceKey, key.storeKey],
      ([fence, value]): { item?: ItemOutput; sizeBytes: number } => {
        checkFence(table, fence);
        if (value === undefined) return { sizeBytes: 0 };
        const stored = itemDecoder(services.store)(key.storeKey, value);
        const item = projection === undefined ? itemKeeper(services.store)(stored) : projection.project(stored);
        return { item, sizeBytes: stored.sizeBytes };
      },
    );
    return chain(found, ({ item, sizeBytes }) => {
      const tableUnits = readCapacityUnits(sizeBytes, consistency);
      services.capacity.consumeRead(table, key, tableUnits);
      const consumedCapacity = readConsumedCapacity(table, { tableUnits }, request.returnConsumedCapacity);
      return { ...(item !== undefined && { item }), ...(consumedCapacity !== undefined && { consumedCapacity }) };
    });
  });
}
