import type { BatchWriteItemRequest, BatchWriteItemResult, WriteRequest } from '../../engine/index.ts';
import type { UncheckedAttributeMap } from '../../values/attribute-value.ts';
import { type Constraint, lengthAtLeast, lengthAtMost } from '../shapes/constraint.ts';
import {
  answerByTable,
  attributeMap,
  list,
  mapByTable,
  required,
  result,
  type Shape,
  structure,
} from '../shapes/shape.ts';
import { consumedCapacity, itemCollectionMetricsByTable } from './answer-members.ts';
import { onlyTable } from './batch-get-item.ts';
import { defineOperation, type Operation } from './operation.ts';
import {
  keyParameter,
  returnConsumedCapacityParameter,
  returnItemCollectionMetricsParameter,
  tableNameKeyConstraints,
} from './request-parameters.ts';

/** Puts and deletes of one batch, all tables together, and of one table. */
const writeRequestsMax = 25;

const notEmpty: Constraint = {
  ...lengthAtLeast(1),
  text: 'The requestItems parameter is required for BatchWriteItem',
  wording: 'verbatim',
  alone: 'plain',
};

const writeRequest: Shape<WriteRequest> = structure<WriteRequest>(
  'WriteRequest',
  {
    deleteRequest: structure<{ readonly key: UncheckedAttributeMap }>('DeleteRequest', { key: keyParameter }),
    putRequest: structure<{ readonly item: UncheckedAttributeMap }>(
      'PutRequest',
      { item: required(attributeMap) },
      { printed: ['Item', 'WorkloadProfileName'] },
    ),
  },
  { printed: ['PutRequest', 'DeleteRequest'] },
);

/** @see DynamoDB API Reference, BatchWriteItem */
export const batchWriteItem: Operation = defineOperation<'BatchWriteItem'>({
  action: 'BatchWriteItem',
  input: structure<BatchWriteItemRequest>('BatchWriteItemInput', {
    returnConsumedCapacity: returnConsumedCapacityParameter,
    returnItemCollectionMetrics: returnItemCollectionMetricsParameter,
    requestItems: required(
      mapByTable(
        list(writeRequest),
        {
          keyConstraints: tableNameKeyConstraints,
          valueConstraints: [lengthAtMost(writeRequestsMax), lengthAtLeast(1)],
          echo: 'java',
          badKeys: 'last',
          join: (first, second) => [...first, ...second],
        },
        notEmpty,
        lengthAtMost(writeRequestsMax),
      ),
    ),
  }),
  output: result<BatchWriteItemResult>({
    unprocessedItems: answerByTable(list(writeRequest)),
    itemCollectionMetrics: itemCollectionMetricsByTable,
    consumedCapacity: list(consumedCapacity),
  }),
  run: (engine, request, context) => engine.batchWriteItem(request, context),
  table: (request) => onlyTable(request.requestItems),
});
