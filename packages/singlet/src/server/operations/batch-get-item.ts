import type { BatchGetItemRequest, BatchGetItemResult, KeysAndAttributes } from '../../engine/index.ts';
import { type Constraint, lengthAtLeast, lengthAtMost, unechoed } from '../shapes/constraint.ts';
import { attributeMap, item, list, map, mapByTable, required, result, type Shape, structure } from '../shapes/shape.ts';
import { consumedCapacity } from './answer-members.ts';
import { defineOperation, type Operation } from './operation.ts';
import {
  attributesToGetParameter,
  consistentReadParameter,
  expressionAttributeNamesParameter,
  expressionParameter,
  returnConsumedCapacityParameter,
  tableNameKeyConstraints,
} from './request-parameters.ts';

const notEmpty: Constraint = {
  ...lengthAtLeast(1),
  text: 'The requestItems parameter is required for BatchGetItem',
  wording: 'verbatim',
  alone: 'plain',
};

const keysAndAttributes: Shape<KeysAndAttributes> = structure<KeysAndAttributes>('KeysAndAttributes', {
  keys: required(list(attributeMap, lengthAtLeast(1), unechoed(lengthAtMost(100)))),
  attributesToGet: attributesToGetParameter,
  consistentRead: consistentReadParameter,
  projectionExpression: expressionParameter,
  expressionAttributeNames: expressionAttributeNamesParameter,
});

/** @see DynamoDB API Reference, BatchGetItem */
export const batchGetItem: Operation = defineOperation<'BatchGetItem'>({
  action: 'BatchGetItem',
  input: structure<BatchGetItemRequest>('BatchGetItemInput', {
    returnConsumedCapacity: returnConsumedCapacityParameter,
    requestItems: required(
      mapByTable(keysAndAttributes, {
        map: [notEmpty, lengthAtMost(100)],
        key: tableNameKeyConstraints,
        value: [],
      }),
    ),
  }),
  output: result<BatchGetItemResult>({
    responses: map(list(item)),
    unprocessedKeys: map(keysAndAttributes),
    consumedCapacity: list(consumedCapacity),
  }),
  run: (engine, request, context) => engine.batchGetItem(request, context),
  table: (request) => onlyTable(request.requestItems),
});

/** The table of a batch that is about one table. */
export function onlyTable(byTable: Readonly<Record<string, unknown>>): string | undefined {
  const names = Object.keys(byTable);
  return names.length === 1 ? names[0] : undefined;
}
