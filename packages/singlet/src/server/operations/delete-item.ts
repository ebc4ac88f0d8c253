import type { DeleteItemRequest } from '../../engine/index.ts';
import { structure } from '../shapes/shape.ts';
import { writeItemResult } from './answer-members.ts';
import { conditionalOperatorParameter, expectedParameter } from './legacy-conditions.ts';
import { defineOperation, type Operation } from './operation.ts';
import {
  expressionAttributeNamesParameter,
  expressionAttributeValuesParameter,
  expressionParameter,
  isWordedOlder,
  keyParameter,
  returnConsumedCapacityParameter,
  returnItemCollectionMetricsParameter,
  returnValuesOnConditionCheckFailureParameter,
  returnValuesParameter,
  tableNameParameter,
} from './request-parameters.ts';

/** @see DynamoDB API Reference, DeleteItem */
export const deleteItem: Operation = defineOperation('DeleteItem', {
  input: structure<DeleteItemRequest>(
    'DeleteItemInput',
    {
      returnConsumedCapacity: returnConsumedCapacityParameter,
      tableName: tableNameParameter,
      returnValues: returnValuesParameter,
      returnItemCollectionMetrics: returnItemCollectionMetricsParameter,
      key: keyParameter,
      conditionalOperator: conditionalOperatorParameter,
      expected: expectedParameter,
      conditionExpression: expressionParameter,
      expressionAttributeValues: expressionAttributeValuesParameter,
      expressionAttributeNames: expressionAttributeNamesParameter,
      returnValuesOnConditionCheckFailure: returnValuesOnConditionCheckFailureParameter,
    },
    { older: isWordedOlder },
  ),
  output: writeItemResult,
});
