import type { ItemOutput, TransactGet, TransactGetItemsRequest, TransactGetItemsResult } from '../../engine/index.ts';
import { lengthAtLeast, lengthAtMost } from '../shapes/constraint.ts';
import { item, list, required, result, structure } from '../shapes/shape.ts';
import { consumedCapacity } from './answer-members.ts';
import { defineOperation, type Operation } from './operation.ts';
import {
  expressionAttributeNamesParameter,
  expressionParameter,
  keyParameter,
  olderTableNameParameter,
  returnConsumedCapacityParameter,
} from './request-parameters.ts';

/** @see DynamoDB API Reference, TransactGetItems */
export const transactGetItems: Operation = defineOperation('TransactGetItems', {
  input: structure<TransactGetItemsRequest>('TransactGetItemsInput', {
    returnConsumedCapacity: returnConsumedCapacityParameter,
    transactItems: required(
      list(
        structure<{ readonly get: TransactGet }>('TransactGetItem', {
          get: required(
            structure<TransactGet>('Get', {
              key: keyParameter,
              tableName: olderTableNameParameter,
              projectionExpression: expressionParameter,
              expressionAttributeNames: expressionAttributeNamesParameter,
            }),
          ),
        }),
        lengthAtLeast(1),
        lengthAtMost(100),
      ),
    ),
  }),
  output: result<TransactGetItemsResult>({
    responses: list(result<{ readonly item?: ItemOutput }>({ item })),
    consumedCapacity: list(consumedCapacity),
  }),
});
