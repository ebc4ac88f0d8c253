import type { GetItemRequest, GetItemResult } from '../../engine/index.ts';
import { item, result, structure } from '../shapes/shape.ts';
import { consumedCapacity } from './answer-members.ts';
import { defineOperation, type Operation } from './operation.ts';
import {
  attributesToGetParameter,
  consistentReadParameter,
  expressionAttributeNamesParameter,
  expressionParameter,
  keyParameter,
  returnConsumedCapacityParameter,
  tableNameParameter,
} from './request-parameters.ts';

/** @see DynamoDB API Reference, GetItem */
export const getItem: Operation = defineOperation('GetItem', {
  input: structure<GetItemRequest>('GetItemInput', {
    returnConsumedCapacity: returnConsumedCapacityParameter,
    attributesToGet: attributesToGetParameter,
    tableName: tableNameParameter,
    key: keyParameter,
    consistentRead: consistentReadParameter,
    projectionExpression: expressionParameter,
    expressionAttributeNames: expressionAttributeNamesParameter,
  }),
  output: result<GetItemResult>({ item, consumedCapacity }),
});
