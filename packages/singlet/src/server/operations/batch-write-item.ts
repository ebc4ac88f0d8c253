import type {
  BatchWriteItemRequest,
  BatchWriteItemResult,
  ItemInput,
  UnprocessedWrite,
  WriteRequest,
} from '../../engine/index.ts';
import type { UncheckedAttributeMap } from '../../values/attribute-value.ts';
import { type Constraint, lengthAtLeast, lengthAtMost } from '../shapes/constraint.ts';
import {
  answerByTable,
  attributes,
  item,
  itemInput,
  list,
  mapByTable,
  required,
  result,
  type Shape,
  structure,
} from '../shapes/shape.ts';
import { consumedCapacity, itemCollectionMetricsByTable } from './answer-members.ts';
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
    putRequest: structure<{ readonly item: ItemInput }>(
      'PutRequest',
      { item: required(itemInput) },
      { printed: ['Item', 'WorkloadProfileName'] },
    ),
  },
  { printed: ['PutRequest', 'DeleteRequest'] },
);

const unprocessedWrite: Shape<UnprocessedWrite> = result<UnprocessedWrite>({
  deleteRequest: result<NonNullable<UnprocessedWrite['deleteRequest']>>({ key: attributes }),
  putRequest: result<NonNullable<UnprocessedWrite['putRequest']>>({ item }),
});

/** @see DynamoDB API Reference, BatchWriteItem */
export const batchWriteItem: Operation = defineOperation('BatchWriteItem', {
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
    unprocessedItems: answerByTable(list(unprocessedWrite)),
    itemCollectionMetrics: itemCollectionMetricsByTable,
    consumedCapacity: list(consumedCapacity),
  }),
});
