import type { CreateTableRequest, CreateTableResult } from '../../engine/index.ts';
import { boolean, list, result, string, structure } from '../shapes/shape.ts';
import { defineOperation, type Operation } from './operation.ts';
import { managedTableNameParameter } from './request-parameters.ts';
import { tableDescription } from './table-description.ts';
import {
  attributeDefinitions,
  billingMode,
  globalSecondaryIndex,
  keySchema,
  localSecondaryIndex,
  onDemandThroughput,
  provisionedThroughput,
  sseSpecification,
  streamSpecification,
  tableClass,
  tags,
  warmThroughput,
} from './table-members.ts';
import { vectorIndex } from './vector-index-members.ts';

/**
 * Attribute definitions and key schema may be absent here: since tables can be made out of others, the model does not
 * require them any more, and the operation itself refuses when it needs them.
 *
 * @see DynamoDB API Reference, CreateTable
 */
export const createTable: Operation = defineOperation<'CreateTable'>({
  action: 'CreateTable',
  input: structure<CreateTableRequest>('CreateTableInput', {
    attributeDefinitions,
    tableName: managedTableNameParameter,
    billingMode,
    provisionedThroughput,
    keySchema,
    localSecondaryIndexes: list(localSecondaryIndex),
    globalSecondaryIndexes: list(globalSecondaryIndex),
    vectorIndexes: list(vectorIndex('VectorIndex')),
    onDemandThroughput,
    warmThroughput,
    streamSpecification,
    sseSpecification,
    tags,
    tableClass,
    deletionProtectionEnabled: boolean,
    resourcePolicy: string(),
  }),
  output: result<CreateTableResult>({ tableDescription }),
  run: (engine, request, context) => engine.createTable(request, context),
  table: (request) => request.tableName,
});
