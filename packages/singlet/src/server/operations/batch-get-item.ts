import type { BatchGetItemRequest, BatchGetItemResult, KeysAndAttributes } from '../../engine/index.ts';
import { lengthAtLeast, lengthAtMost, unechoed } from '../shapes/constraint.ts';
import {
  answerByTable,
  attributeMap,
  item,
  list,
  mapByTable,
  required,
  result,
  type Shape,
  structure,
} from '../shapes/shape.ts';
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

const keysAndAttributes: Shape<KeysAndAttributes> = structure<KeysAndAttributes>('KeysAndAttributes', {
  keys: required(list(attributeMap, unechoed(lengthAtLeast(1)), unechoed(lengthAtMost(100)))),
  attributesToGet: attributesToGetParameter,
  consistentRead: consistentReadParameter,
  projectionExpression: expressionParameter,
  expressionAttributeNames: expressionAttributeNamesParameter,
});

/** @see DynamoDB API Reference, BatchGetItem */
export const batchGetItem: Operation = defineOperation('BatchGetItem', {
  input: structure<BatchGetItemRequest>('BatchGetItemInput', {
    requestItems: required(
      mapByTable(
        keysAndAttributes,
        {
          keyConstraints: tableNameKeyConstraints,
          valueConstraints: [],
          echo: 'json',
          badKeys: 'with-others',
          join: withKeysOf,
        },
        unechoed(lengthAtLeast(1)),
        lengthAtMost(100),
      ),
    ),
    returnConsumedCapacity: returnConsumedCapacityParameter,
  }),
  output: result<BatchGetItemResult>({
    responses: answerByTable(list(item)),
    unprocessedKeys: answerByTable(keysAndAttributes),
    consumedCapacity: list(consumedCapacity),
  }),
});

/** The keys to read from one table; a key that is requested twice, once each way, is read once. */
function withKeysOf(first: KeysAndAttributes, second: KeysAndAttributes): KeysAndAttributes {
  const asked = new Set(first.keys.map((key) => JSON.stringify(key)));
  return { ...first, keys: [...first.keys, ...second.keys.filter((key) => !asked.has(JSON.stringify(key)))] };
}
