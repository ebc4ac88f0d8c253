import {
  type AttributeMap,
  type AttributeValue,
  getAttribute,
  type UncheckedAttributeMap,
} from '../../values/attribute-value.ts';
import { checkAttributeMap } from '../../values/check-attribute-value.ts';
import {
  type CompiledExpressions,
  compileExpressions,
  type ExpressionOperation,
  type ExpressionParameters,
} from '../../expressions/index.ts';
import type { ReturnConsumedCapacity } from '../capacity/consumed-capacity.ts';
import { type ItemInput, incomingItem } from '../items/incoming-item.ts';
import type { BatchGetItemRequest } from '../operations/batch-get-item.ts';
import type { BatchWriteItemRequest, WriteRequest } from '../operations/batch-write-item.ts';
import type { ReturnValues } from '../operations/put-item.ts';
import type { PageRequest, Select } from '../operations/page-request.ts';
import type { TransactGetItemsRequest } from '../operations/transact-get-items.ts';
import type { TransactWriteItem, TransactWriteItemsRequest } from '../operations/transact-write-items.ts';
import { indexOrTable, tableResource, type Touch, type TouchedItems } from './touch.ts';

/*
 * What the actions on items touch. A request is read with the action's own parsers and checks, so a policy and the table never
 * interpret the same text differently. What they refuse, the action refuses as well.
 */

interface ItemRequest extends ExpressionParameters {
  readonly tableName: string;
  readonly returnConsumedCapacity?: ReturnConsumedCapacity | undefined;
}

interface ItemRead extends ItemRequest {
  readonly key: UncheckedAttributeMap;
}

interface ItemWriteRequest extends ItemRequest {
  readonly returnValues?: ReturnValues | undefined;
  readonly returnValuesOnConditionCheckFailure?: 'NONE' | 'ALL_OLD' | undefined;
}

/** @throws {ValidationException} for a request that the action would refuse. */
export function touchedByGet(request: ItemRead): readonly Touch[] {
  return [
    {
      permission: 'GetItem',
      resource: tableResource(request.tableName),
      items: {
        ...ofItems([checkAttributeMap(request.key, 'current')], compileExpressions(request, 'GetItem')),
        select: selectOf(request),
        returnConsumedCapacity: request.returnConsumedCapacity ?? 'NONE',
      },
    },
  ];
}

/** @throws {ValidationException} for a request that the action would refuse. */
export function touchedByPut(request: ItemWriteRequest & { readonly item: ItemInput }): readonly Touch[] {
  return [touchedByWrite('PutItem', request, itemMap(request.item), 'PutItem')];
}

/** @throws {ValidationException} for a request that the action would refuse. */
export function touchedByUpdate(request: ItemWriteRequest & ItemRead): readonly Touch[] {
  return [touchedByWrite('UpdateItem', request, checkAttributeMap(request.key), 'UpdateItem')];
}

/** @throws {ValidationException} for a request that the action would refuse. */
export function touchedByDelete(request: ItemWriteRequest & ItemRead): readonly Touch[] {
  return [touchedByWrite('DeleteItem', request, checkAttributeMap(request.key), 'DeleteItem')];
}

/** @throws {ValidationException} for a request that the action would refuse. */
export function touchedByQuery(request: ExpressionParameters & PageRequest): readonly Touch[] {
  const compiled = compileExpressions(request, 'Query');
  const terms = compiled.keyCondition?.terms ?? [];
  const valuesOf = (attributeName: string): readonly AttributeValue[] | undefined =>
    terms.find((term) => term.attributeName === attributeName && term.operator === '=')?.operands;
  const attributeNames = new Set([...terms.map(({ attributeName }) => attributeName), ...namesIn(compiled)]);
  return [touchedByPage('Query', request, { valuesOf, attributeNames })];
}

/** @throws {ValidationException} for a request that the action would refuse. */
export function touchedByScan(request: ExpressionParameters & PageRequest): readonly Touch[] {
  const attributeNames = namesIn(compileExpressions(request, 'Scan'));
  return [touchedByPage('Scan', request, { valuesOf: () => undefined, attributeNames })];
}

function touchedByPage(
  permission: 'Query' | 'Scan',
  request: PageRequest,
  items: Pick<TouchedItems, 'valuesOf' | 'attributeNames'>,
): Touch {
  return {
    permission,
    resource: indexOrTable(request.tableName, request.indexName),
    items: {
      ...items,
      select: selectOf(request),
      returnConsumedCapacity: request.returnConsumedCapacity ?? 'NONE',
    },
  };
}

/**
 * One permission for each table, for all of its keys together.
 *
 * @throws {ValidationException} for a request that the action would refuse.
 */
export function touchedByBatchGet(request: BatchGetItemRequest): readonly Touch[] {
  return Object.entries(request.requestItems).map(([tableName, reads]) => ({
    permission: 'BatchGetItem',
    resource: tableResource(tableName),
    items: {
      ...ofItems(
        reads.keys.map((key) => checkAttributeMap(key)),
        compileExpressions(reads, 'BatchGetItem'),
      ),
      select: selectOf(reads),
      returnConsumedCapacity: request.returnConsumedCapacity ?? 'NONE',
    },
  }));
}

/**
 * One permission for each table, for all of its items and keys together.
 *
 * @throws {ValidationException} for a request that the action would refuse.
 */
export function touchedByBatchWrite(request: BatchWriteItemRequest): readonly Touch[] {
  return Object.entries(request.requestItems).map(([tableName, writes]) => ({
    permission: 'BatchWriteItem',
    resource: tableResource(tableName),
    items: {
      ...ofItems(writes.flatMap(writtenItems)),
      returnConsumedCapacity: request.returnConsumedCapacity ?? 'NONE',
    },
  }));
}

function writtenItems({ putRequest, deleteRequest }: WriteRequest): readonly AttributeMap[] {
  return [
    ...(putRequest === undefined ? [] : [itemMap(putRequest.item)]),
    ...(deleteRequest === undefined ? [] : [checkAttributeMap(deleteRequest.key)]),
  ];
}

/**
 * A GetItem for each part: TransactGetItems itself is not an IAM action.
 *
 * @throws {ValidationException} for a request that the action would refuse.
 */
export function touchedByTransactGet(request: TransactGetItemsRequest): readonly Touch[] {
  const { returnConsumedCapacity } = request;
  return request.transactItems
    .flatMap(({ get }) => touchedByGet({ ...get, returnConsumedCapacity }))
    .map((touch) => within('TransactGetItems', touch));
}

/**
 * The permission of each part, by its kind: TransactWriteItems itself is not an IAM action.
 *
 * @throws {ValidationException} for a request that the action would refuse.
 */
export function touchedByTransactWrite(request: TransactWriteItemsRequest): readonly Touch[] {
  const { returnConsumedCapacity } = request;
  return request.transactItems
    .flatMap((part) => touchedByPart(part, { returnConsumedCapacity }))
    .map((touch) => within('TransactWriteItems', touch));
}

function touchedByPart(
  { put, update, delete: remove, conditionCheck }: TransactWriteItem,
  shared: Pick<ItemRequest, 'returnConsumedCapacity'>,
): readonly Touch[] {
  return [
    ...(put === undefined ? [] : [touchedByWrite('PutItem', { ...put, ...shared }, itemMap(put.item), 'TransactPut')]),
    ...(update === undefined
      ? []
      : [touchedByWrite('UpdateItem', { ...update, ...shared }, checkAttributeMap(update.key), 'TransactUpdate')]),
    ...(remove === undefined
      ? []
      : [touchedByWrite('DeleteItem', { ...remove, ...shared }, checkAttributeMap(remove.key), 'TransactDelete')]),
    ...(conditionCheck === undefined
      ? []
      : [
          touchedByWrite(
            'ConditionCheckItem',
            { ...conditionCheck, ...shared },
            checkAttributeMap(conditionCheck.key),
            'TransactConditionCheck',
          ),
        ]),
  ];
}

function touchedByWrite(
  permission: string,
  request: ItemWriteRequest,
  item: AttributeMap,
  operation: ExpressionOperation,
): Touch {
  return {
    permission,
    resource: tableResource(request.tableName),
    items: {
      ...ofItems([item], compileExpressions(request, operation)),
      returnValues: returnValuesOf(request),
      returnConsumedCapacity: request.returnConsumedCapacity ?? 'NONE',
    },
  };
}

function within(enclosingOperation: NonNullable<TouchedItems['enclosingOperation']>, touch: Touch): Touch {
  return touch.items === undefined ? touch : { ...touch, items: { ...touch.items, enclosingOperation } };
}

/** The values and attributes that whole items or keys name. Values count only if every item or key has the attribute. */
function ofItems(
  items: readonly AttributeMap[],
  compiled?: CompiledExpressions,
): Pick<TouchedItems, 'valuesOf' | 'attributeNames'> {
  return {
    valuesOf(attributeName) {
      const values = items.flatMap((item) => getAttribute(item, attributeName) ?? []);
      return values.length === items.length ? values : undefined;
    },
    attributeNames: new Set([...items.flatMap((item) => Object.keys(item)), ...namesIn(compiled)]),
  };
}

function namesIn(compiled: CompiledExpressions | undefined): ReadonlySet<string> {
  if (compiled === undefined) return new Set();
  const { condition, filter, update, projection } = compiled;
  return new Set([
    ...(condition?.attributeNames ?? []),
    ...(filter?.attributeNames ?? []),
    ...(update?.attributeNames ?? []),
    ...(projection?.attributeNames ?? []),
  ]);
}

function itemMap(item: ItemInput): AttributeMap {
  return incomingItem(item).toMap();
}

/**
 * The value that `dynamodb:Select` has on reads. Assumed for a request without Select: a projection requests specific
 * attributes, an index without a projection the attributes that it has.
 */
function selectOf(request: {
  readonly select?: Select | undefined;
  readonly indexName?: string | undefined;
  readonly projectionExpression?: string | undefined;
  readonly attributesToGet?: readonly string[] | undefined;
}): Select {
  if (request.select !== undefined) return request.select;
  if (request.projectionExpression !== undefined || request.attributesToGet !== undefined) return 'SPECIFIC_ATTRIBUTES';
  return request.indexName === undefined ? 'ALL_ATTRIBUTES' : 'ALL_PROJECTED_ATTRIBUTES';
}

/** Assumed: a write that may return the whole item on failure counts as one that requests it. */
function returnValuesOf({
  returnValues = 'NONE',
  returnValuesOnConditionCheckFailure,
}: ItemWriteRequest): ReturnValues {
  return returnValues === 'NONE' && returnValuesOnConditionCheckFailure === 'ALL_OLD' ? 'ALL_OLD' : returnValues;
}
