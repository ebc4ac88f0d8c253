import type { CreateTableRequest, CreateTableResult } from '../../engine/index.ts';
import { boolean, list, result, string, structure } from '../shapes/shape.ts';
import { defineOperation, type Operation } from './operation.ts';
import { managedTableNameParameter } from './request-parameters.ts';
import { tableDescription } from './table-description.ts';
import {
  attributeDefinitions,
  billingMode,
  globalSecondaryIndex,
  globalTableSettingsReplicationMode,
  keySchema,
  localSecondaryIndex,
  onDemandThroughput,
  provisionedThroughput,
  sseSpecification,
  streamSpecification,
  tableClassParameter,
  tags,
  warmThroughput,
} from './table-members.ts';
import { vectorIndex } from './vector-index-members.ts';

/**
 * Attribute definitions and key schema may be absent here. Since tables can be made from others, the service's model does not
 * require them any more, and the operation itself refuses when it needs them.
 *
 * @see DynamoDB API Reference, CreateTable
 */
export const createTable: Operation = defineOperation('CreateTable', {
  input: structure<CreateTableRequest>('CreateTableInput', {
    attributeDefinitions,
    tableName: managedTableNameParameter,
    billingMode,
    provisionedThroughput,
    keySchema,
    globalSecondaryIndexes: list(globalSecondaryIndex),
    localSecondaryIndexes: list(localSecondaryIndex),
    vectorIndexes: list(vectorIndex('VectorIndex')),
    onDemandThroughput,
    warmThroughput,
    streamSpecification,
    sseSpecification,
    tags,
    tableClass: tableClassParameter,
    deletionProtectionEnabled: boolean,
    resourcePolicy: string(),
    globalTableSourceArn: string(),
    globalTableSettingsReplicationMode,
  }),
  output: result<CreateTableResult>({ tableDescription }),
});
