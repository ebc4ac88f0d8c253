import { attributeNameOf } from '../../expressions/document-path.ts';
import type { Awaitable } from '../../values/awaitable.ts';
import { checkAttributeMap } from '../../values/check-attribute-value.ts';
import { ValidationException } from '../../values/service-error.ts';
import {
  checkExpressionParameters,
  checkKeysNotNested,
  compileExpressions,
  type DocumentPath,
  projectPaths,
  type Update,
} from '../../expressions/index.ts';
import type { RequestContext } from '../environment.ts';
import { checkUpdatedIndexKeyTypes } from '../indexes/check-index-keys.ts';
import { itemKeyOfKey } from '../items/item-key.ts';
import { type ItemWriteOutcome, updatedItemTooLarge } from '../items/item-write.ts';
import type { ItemOutput } from '../items/stored-item.ts';
import type { EngineServices } from '../services.ts';
import type { Table } from '../tables/table.ts';
import type { WriteItemResult } from './put-item.ts';
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
 * Changes the named attributes of an item and leaves the others; creates the item when there is none.
 *
 * @throws {ValidationException} for what is wrong with the request, or cannot be done to this item.
 * @throws {ConditionalCheckFailedException} when the condition is false; nothing is changed.
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
      // In none of the other ways to update an item the update itself is bounded.
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

/**
 * No update touches a key, none reaches into a key attribute of the table or an index, which can only be a scalar, and
 * none makes an index key of another type, as far as that shows without the item.
 *
 * @throws {ValidationException}
 */
export function checkUpdateTargets(table: Table, update: Update): void {
  for (const { attributeName } of table.keyAttributes) {
    if (update.targets.some((path) => attributeNameOf(path) === attributeName)) {
      throw new ValidationException(
        `One or more parameter values were invalid: Cannot update attribute ${attributeName}. This attribute is part of the key`,
      );
    }
  }
  checkKeysAreScalars(table, update.targets);
  if (table.writtenIndexes.length > 0) checkUpdatedIndexKeyTypes(table, update.staticTypes);
}

/** @throws {ValidationException} when a path goes into a key attribute of the table or an index. */
export function checkKeysAreScalars(table: Table, paths: readonly DocumentPath[]): void {
  if (paths.every((path) => path.length === 1)) return;
  const indexes = [...table.globalIndexes, ...table.localIndexes].flatMap((index) => index.keyAttributes);
  checkKeysNotNested(paths, {
    table: table.keyAttributes.map((key) => key.attributeName),
    indexes: indexes.map((key) => key.attributeName),
  });
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

/** The service answers no `Attributes` member rather than an empty one. */
function nonEmpty<T extends object>(map: T): T | undefined {
  return Object.keys(map).length === 0 ? undefined : map;
}
