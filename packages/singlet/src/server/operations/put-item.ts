import type { PutItemRequest } from '../../engine/index.ts';
import { itemInput, required, structure } from '../shapes/shape.ts';
import { writeItemResult } from './answer-members.ts';
import { conditionalOperatorParameter, expectedParameter } from './legacy-conditions.ts';
import { defineOperation, type Operation } from './operation.ts';
import {
  expressionAttributeNamesParameter,
  expressionAttributeValuesParameter,
  expressionParameter,
  isWordedOlder,
  returnConsumedCapacityParameter,
  returnItemCollectionMetricsParameter,
  returnValuesOnConditionCheckFailureParameter,
  returnValuesParameter,
  tableNameParameter,
} from './request-parameters.ts';

/** @see DynamoDB API Reference, PutItem */
export const putItem: Operation = defineOperation('PutItem', {
  input: structure<PutItemRequest>(
    'PutItemInput',
    {
      returnConsumedCapacity: returnConsumedCapacityParameter,
      tableName: tableNameParameter,
      item: required(itemInput),
      conditionalOperator: conditionalOperatorParameter,
      expected: expectedParameter,
      returnValues: returnValuesParameter,
      returnItemCollectionMetrics: returnItemCollectionMetricsParameter,
      conditionExpression: expressionParameter,
      expressionAttributeValues: expressionAttributeValuesParameter,
      expressionAttributeNames: expressionAttributeNamesParameter,
      returnValuesOnConditionCheckFailure: returnValuesOnConditionCheckFailureParameter,
    },
    { older: isWordedOlder },
  ),
  output: writeItemResult,
});
