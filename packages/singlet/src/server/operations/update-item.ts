import type { LegacyAttributeUpdate, UpdateItemRequest } from '../../engine/index.ts';
import { attributeValue, enumeration, map, structure } from '../shapes/shape.ts';
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
  tableNameParameter,
  updateReturnValuesParameter,
} from './request-parameters.ts';

/** @see DynamoDB API Reference, UpdateItem */
export const updateItem: Operation = defineOperation('UpdateItem', {
  input: structure<UpdateItemRequest>(
    'UpdateItemInput',
    {
      returnConsumedCapacity: returnConsumedCapacityParameter,
      tableName: tableNameParameter,
      returnItemCollectionMetrics: returnItemCollectionMetricsParameter,
      returnValues: updateReturnValuesParameter,
      conditionalOperator: conditionalOperatorParameter,
      key: keyParameter,
      expected: expectedParameter,
      attributeUpdates: map(
        structure<LegacyAttributeUpdate>('AttributeValueUpdate', {
          // Assumed: the order of the set is not on record.
          action: enumeration(['ADD', 'PUT', 'DELETE']),
          value: attributeValue,
        }),
      ),
      conditionExpression: expressionParameter,
      updateExpression: expressionParameter,
      expressionAttributeValues: expressionAttributeValuesParameter,
      expressionAttributeNames: expressionAttributeNamesParameter,
      returnValuesOnConditionCheckFailure: returnValuesOnConditionCheckFailureParameter,
    },
    // The only action whose wording also changes when its key is missing.
    { older: (json) => !('Key' in json) || json.Key === null || isWordedOlder(json) },
  ),
  output: writeItemResult,
});
