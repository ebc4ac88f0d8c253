import type { QueryRequest } from '../../engine/index.ts';
import { unechoed, valueAtLeast } from '../shapes/constraint.ts';
import { attributeMap, boolean, integer, structure } from '../shapes/shape.ts';
import { conditionsParameter, queryConditionalOperatorParameter } from './legacy-conditions.ts';
import { defineOperation, type Operation } from './operation.ts';
import { pageResult } from './page-result.ts';
import {
  attributesToGetParameter,
  consistentReadParameter,
  expressionAttributeNamesParameter,
  expressionAttributeValuesParameter,
  expressionParameter,
  nameParameter,
  returnConsumedCapacityParameter,
  selectParameter,
  tableNameParameter,
} from './request-parameters.ts';

/** @see DynamoDB API Reference, Query */
export const query: Operation = defineOperation('Query', {
  input: structure<QueryRequest>('QueryInput', {
    select: selectParameter,
    indexName: nameParameter,
    returnConsumedCapacity: returnConsumedCapacityParameter,
    queryFilter: conditionsParameter,
    tableName: tableNameParameter,
    conditionalOperator: queryConditionalOperatorParameter,
    attributesToGet: attributesToGetParameter,
    limit: integer(unechoed(valueAtLeast(1))),
    keyConditions: conditionsParameter,
    exclusiveStartKey: attributeMap,
    consistentRead: consistentReadParameter,
    scanIndexForward: boolean,
    keyConditionExpression: expressionParameter,
    filterExpression: expressionParameter,
    projectionExpression: expressionParameter,
    expressionAttributeValues: expressionAttributeValuesParameter,
    expressionAttributeNames: expressionAttributeNamesParameter,
  }),
  output: pageResult,
});
