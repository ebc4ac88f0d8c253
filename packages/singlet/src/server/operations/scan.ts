import type { ScanRequest } from '../../engine/index.ts';
import { valueAtLeast, valueAtMost } from '../shapes/constraint.ts';
import { attributeMap, integer, structure } from '../shapes/shape.ts';
import { conditionsParameter, olderConditionalOperatorParameter } from './legacy-conditions.ts';
import { defineOperation, type Operation } from './operation.ts';
import { pageResult } from './page-result.ts';
import {
  attributesToGetParameter,
  consistentReadParameter,
  expressionAttributeNamesParameter,
  expressionAttributeValuesParameter,
  expressionParameter,
  nameParameter,
  olderTableNameParameter,
  returnConsumedCapacityParameter,
  selectParameter,
} from './request-parameters.ts';

/** Most segments of a parallel scan. */
const totalSegmentsMax = 1_000_000;

/** @see DynamoDB API Reference, Scan */
export const scan: Operation = defineOperation('Scan', {
  input: structure<ScanRequest>('ScanInput', {
    select: selectParameter,
    indexName: nameParameter,
    totalSegments: integer(valueAtLeast(1), valueAtMost(totalSegmentsMax)),
    returnConsumedCapacity: returnConsumedCapacityParameter,
    tableName: olderTableNameParameter,
    conditionalOperator: olderConditionalOperatorParameter,
    scanFilter: conditionsParameter,
    segment: integer(valueAtLeast(0), valueAtMost(totalSegmentsMax - 1)),
    limit: integer(valueAtLeast(1)),
    attributesToGet: attributesToGetParameter,
    exclusiveStartKey: attributeMap,
    filterExpression: expressionParameter,
    projectionExpression: expressionParameter,
    expressionAttributeValues: expressionAttributeValuesParameter,
    expressionAttributeNames: expressionAttributeNamesParameter,
    consistentRead: consistentReadParameter,
  }),
  output: pageResult,
});
