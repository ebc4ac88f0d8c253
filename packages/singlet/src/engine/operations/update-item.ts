import { checkUpdateTargets } from '../items/check-update.ts';
import type { Awaitable } from '../../values/awaitable.ts';
import { checkAttributeMap } from '../../values/check-attribute-value.ts';
import {
  checkExpressionParameters,
  compileExpressions,
  type DocumentPath,
  projectPaths,
} from '../../expressions/index.ts';
import type { RequestContext } from '../environment.ts';
import { itemKeyOfKey } from '../catalog/item-key.ts';
import { updatedItemTooLarge } from '../followers/item-too-large.ts';
import type { ItemWriteOutcome } from '../followers/item-write.ts';
import type { ItemOutput } from '../layout/stored-item.ts';
import type { EngineServices } from '../services.ts';
import type { WriteItemResult } from './write-one-item.ts';
import { enveloped } from './validation-envelope.ts';
import { writeOneItem } from './write-one-item.ts';
import type { ByAttribute, LegacyAttributeUpdate } from '../../expressions/index.ts';
import type { UncheckedAttributeMap } from '../../values/attribute-value.ts';
import type { ReturnConsumedCapacity, ReturnItemCollectionMetrics } from '../capacity/consumed-capacity.ts';
import type { ConditionParameters } from './condition-parameters.ts';
import type { ReturnValues } from './put-item.ts';

export interface UpdateItemRequest extends ConditionParameters {
  readonly tableName: string;
  readonly key: UncheckedAttributeMap;
  readonly updateExpression?: string | undefined;
  /** Legacy. */
  readonly attributeUpdates?: ByAttribute<LegacyAttributeUpdate> | undefined;
  readonly returnValues?: ReturnValues | undefined;
  readonly returnConsumedCapacity?: ReturnConsumedCapacity | undefined;
  readonly returnItemCollectionMetrics?: ReturnItemCollectionMetrics | undefined;
}

/**
 * Changes the named attributes of an item and leaves the others; creates the item if there is none.
 *
 * @throws {ValidationException} if the request is invalid, or cannot be applied to this item.
 * @throws {ConditionalCheckFailedException} if the condition is false; nothing is changed.
 * @see DynamoDB API Reference, UpdateItem; conformance/update-item
 */
export function updateItem(
  services: EngineServices,
  request: UpdateItemRequest,
  context: RequestContext,
): Awaitable<WriteItemResult> {
  const { key, condition, update } = enveloped(() => {
    checkExpressionParameters(request, 'UpdateItem');
    const checkedKey = checkAttributeMap(request.key, 'current');
    const compiled = compileExpressions(request, 'UpdateItem');
    return { key: checkedKey, condition: compiled.condition, update: compiled.update };
  });
  const { returnValues } = request;
  return writeOneItem(
    services,
    context,
    request,
    (table) => {
      const itemKey = itemKeyOfKey(table, key);
      if (update !== undefined) checkUpdateTargets(table, update);
      // No other way to update an item limits the size of the update itself.
      if (request.updateExpression !== undefined && update !== undefined) {
        if (update.statementSizeBytes() > services.limits.itemSizeBytesMax) throw updatedItemTooLarge();
      }
      return {
        table,
        key: itemKey,
        change: { kind: 'update', update },
        condition,
        returnOldOnFailure: request.returnValuesOnConditionCheckFailure === 'ALL_OLD',
        keepBefore: returnValues === 'ALL_OLD' || returnValues === 'UPDATED_OLD',
      };
    },
    (outcome) => returnedAttributes(outcome, returnValues, update?.targets ?? []),
  );
}

function returnedAttributes(
  { before, after }: ItemWriteOutcome,
  returnValues: UpdateItemRequest['returnValues'],
  targets: readonly DocumentPath[],
): ItemOutput | undefined {
  switch (returnValues) {
    case 'ALL_OLD':
      return before;
    case 'ALL_NEW':
      return after;
    case 'UPDATED_OLD':
      return before && nonEmpty(projectPaths(before, targets));
    case 'UPDATED_NEW':
      return after && nonEmpty(projectPaths(after, targets));
    case 'NONE':
    case undefined:
      return undefined;
  }
}

/** The service omits `Attributes` rather than answering an empty one. */
function nonEmpty<T extends object>(map: T): T | undefined {
  return Object.keys(map).length === 0 ? undefined : map;
}
