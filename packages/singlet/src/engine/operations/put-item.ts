import type { Awaitable } from '../../values/awaitable.ts';
import { ValidationException } from '../../values/service-error.ts';
import { checkExpressionParameters, compileExpressions } from '../../expressions/index.ts';
import type { RequestContext } from '../environment.ts';
import type { EngineServices } from '../services.ts';
import { type ItemInput, incomingItem } from '../items/incoming-item.ts';
import { planPut } from '../items/plan-put.ts';
import { enveloped } from './validation-envelope.ts';
import { writeOneItem, type WriteItemResult } from './write-one-item.ts';
import type { ReturnConsumedCapacity, ReturnItemCollectionMetrics } from '../capacity/consumed-capacity.ts';
import type { ConditionParameters } from './condition-parameters.ts';

export interface PutItemRequest extends ConditionParameters {
  readonly tableName: string;
  readonly item: ItemInput;
  readonly returnValues?: ReturnValues | undefined;
  readonly returnConsumedCapacity?: ReturnConsumedCapacity | undefined;
  readonly returnItemCollectionMetrics?: ReturnItemCollectionMetrics | undefined;
}

export type ReturnValues = 'NONE' | 'ALL_OLD' | 'UPDATED_OLD' | 'ALL_NEW' | 'UPDATED_NEW';

/**
 * Writes a whole item, replacing any item with its key.
 *
 * @throws {ValidationException} if the request is invalid.
 * @throws {ConditionalCheckFailedException} if the condition is false; nothing is written.
 * @see DynamoDB API Reference, PutItem; conformance/put-item
 */
export function putItem(
  services: EngineServices,
  request: PutItemRequest,
  context: RequestContext,
): Awaitable<WriteItemResult> {
  const { item, condition } = enveloped(() => {
    checkExpressionParameters(request, 'PutItem');
    const checked = incomingItem(request.item, 'current');
    checkReturnValues(request.returnValues);
    return { item: checked, condition: compileExpressions(request, 'PutItem').condition };
  });
  return writeOneItem(
    services,
    context,
    request,
    (table) => {
      const { key, change } = planPut(table, item, services.limits);
      const returnOldOnFailure = request.returnValuesOnConditionCheckFailure === 'ALL_OLD';
      return { table, key, change, condition, returnOldOnFailure, keepBefore: request.returnValues === 'ALL_OLD' };
    },
    (outcome) => outcome.before,
  );
}

/** PutItem and DeleteItem can return only the old item. */
export function checkReturnValues(returnValues: ReturnValues | undefined): void {
  if (returnValues !== undefined && returnValues !== 'NONE' && returnValues !== 'ALL_OLD') {
    throw new ValidationException('ReturnValues can only be ALL_OLD or NONE');
  }
}
