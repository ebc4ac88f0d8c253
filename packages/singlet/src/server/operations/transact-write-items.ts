import type {
  TransactConditionCheck,
  TransactDelete,
  TransactPut,
  TransactUpdate,
  TransactWriteItem,
  TransactWriteItemsRequest,
  TransactWriteItemsResult,
} from '../../engine/index.ts';
import { lengthAtLeast, lengthAtMost } from '../shapes/constraint.ts';
import { itemInput, list, required, result, type Shape, string, structure } from '../shapes/shape.ts';
import { consumedCapacity, itemCollectionMetricsByTable } from './answer-members.ts';
import { defineOperation, type Operation } from './operation.ts';
import {
  expressionAttributeNamesParameter,
  expressionAttributeValuesParameter,
  expressionParameter,
  keyParameter,
  olderTableNameParameter,
  returnConsumedCapacityParameter,
  returnItemCollectionMetricsParameter,
  returnValuesOnConditionCheckFailureParameter,
} from './request-parameters.ts';

/** The members of every action of a transaction. */
const actionMembers = {
  tableName: olderTableNameParameter,
  conditionExpression: expressionParameter,
  expressionAttributeNames: expressionAttributeNamesParameter,
  expressionAttributeValues: expressionAttributeValuesParameter,
  returnValuesOnConditionCheckFailure: returnValuesOnConditionCheckFailureParameter,
} as const;

/** Assumed: the order of the four beyond Delete before Put, and that of their members, is not on record. */
const transactWriteItem: Shape<TransactWriteItem> = structure<TransactWriteItem>('TransactWriteItem', {
  conditionCheck: structure<TransactConditionCheck>('ConditionCheck', {
    key: keyParameter,
    ...actionMembers,
    conditionExpression: required(string()),
  }),
  delete: structure<TransactDelete>('Delete', { key: keyParameter, ...actionMembers }),
  put: structure<TransactPut>('Put', { item: required(itemInput), ...actionMembers }),
  update: structure<TransactUpdate>('Update', {
    key: keyParameter,
    updateExpression: required(string()),
    ...actionMembers,
  }),
});

/** @see DynamoDB API Reference, TransactWriteItems */
export const transactWriteItems: Operation = defineOperation('TransactWriteItems', {
  input: structure<TransactWriteItemsRequest>('TransactWriteItemsInput', {
    clientRequestToken: string(lengthAtLeast(1), lengthAtMost(36)),
    returnConsumedCapacity: returnConsumedCapacityParameter,
    returnItemCollectionMetrics: returnItemCollectionMetricsParameter,
    transactItems: required(list(transactWriteItem, lengthAtLeast(1), lengthAtMost(100))),
  }),
  output: result<TransactWriteItemsResult>({
    consumedCapacity: list(consumedCapacity),
    itemCollectionMetrics: itemCollectionMetricsByTable,
  }),
});
