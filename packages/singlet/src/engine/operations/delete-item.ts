import type { Awaitable } from '../../values/awaitable.ts';
import { checkAttributeMap } from '../../values/check-attribute-value.ts';
import { checkExpressionParameters, compileExpressions } from '../../expressions/index.ts';
import type { RequestContext } from '../environment.ts';
import { itemKeyOfKey } from '../catalog/item-key.ts';
import type { EngineServices } from '../services.ts';
import { checkReturnValues } from './put-item.ts';
import type { WriteItemResult } from './write-one-item.ts';
import { enveloped } from './validation-envelope.ts';
import { writeOneItem } from './write-one-item.ts';
import type { UncheckedAttributeMap } from '../../values/attribute-value.ts';
import type { ReturnConsumedCapacity, ReturnItemCollectionMetrics } from '../capacity/consumed-capacity.ts';
import type { ConditionParameters } from './condition-parameters.ts';
import type { ReturnValues } from './put-item.ts';

export interface DeleteItemRequest extends ConditionParameters {
  readonly tableName: string;
  readonly key: UncheckedAttributeMap;
  readonly returnValues?: ReturnValues | undefined;
  readonly returnConsumedCapacity?: ReturnConsumedCapacity | undefined;
  readonly returnItemCollectionMetrics?: ReturnItemCollectionMetrics | undefined;
}

/**
 * Deletes an item. Deleting a missing item succeeds, unless a condition fails.
 *
 * @throws {ValidationException} if the request is invalid.
 * @throws {ConditionalCheckFailedException} if the condition is false; nothing is deleted.
 * @see DynamoDB API Reference, DeleteItem; conformance/delete-item
 */
export function deleteItem(
  services: EngineServices,
  request: DeleteItemRequest,
  context: RequestContext,
): Awaitable<WriteItemResult> {
  const { key, condition } = enveloped(() => {
    checkExpressionParameters(request, 'DeleteItem');
    const checkedKey = checkAttributeMap(request.key, 'current');
    checkReturnValues(request.returnValues);
    return { key: checkedKey, ...compileExpressions(request, 'DeleteItem') };
  });
  return writeOneItem(
    services,
    context,
    request,
    (table) => ({
      table,
      key: itemKeyOfKey(table, key),
      change: { kind: 'delete' },
      condition,
      returnOldOnFailure: request.returnValuesOnConditionCheckFailure === 'ALL_OLD',
      keepBefore: request.returnValues === 'ALL_OLD',
    }),
    (outcome) => outcome.before,
  );
}
