import type {
  GlobalSecondaryIndexInput,
  GlobalSecondaryIndexUpdate,
  UpdateTableRequest,
  UpdateTableResult,
  VectorIndexUpdate,
} from '../../engine/index.ts';
import { boolean, enumeration, list, required, result, type Shape, structure } from '../shapes/shape.ts';
import { defineOperation, type Operation } from './operation.ts';
import { globalTableWitnessUpdates, replicaUpdates } from './replica-members.ts';
import { managedTableNameParameter, nameParameter } from './request-parameters.ts';
import { tableDescription } from './table-description.ts';
import {
  attributeDefinitions,
  billingMode,
  globalIndexKeySchema,
  globalTableSettingsReplicationMode,
  onDemandThroughput,
  projection,
  provisionedThroughput,
  sseSpecification,
  streamSpecification,
  tableClassParameter,
  warmThroughput,
} from './table-members.ts';
import { vectorIndex } from './vector-index-members.ts';

const indexUpdate: Shape<GlobalSecondaryIndexUpdate> = structure<GlobalSecondaryIndexUpdate>(
  'GlobalSecondaryIndexUpdate',
  {
    update: structure<NonNullable<GlobalSecondaryIndexUpdate['update']>>('UpdateGlobalSecondaryIndexAction', {
      indexName: required(nameParameter),
      provisionedThroughput,
      onDemandThroughput,
      warmThroughput,
    }),
    create: structure<GlobalSecondaryIndexInput>('CreateGlobalSecondaryIndexAction', {
      projection: required(projection),
      indexName: required(nameParameter),
      provisionedThroughput,
      keySchema: required(globalIndexKeySchema),
      onDemandThroughput,
      warmThroughput,
    }),
    delete: structure<NonNullable<GlobalSecondaryIndexUpdate['delete']>>('DeleteGlobalSecondaryIndexAction', {
      indexName: required(nameParameter),
    }),
  },
);

const vectorIndexUpdate: Shape<VectorIndexUpdate> = structure<VectorIndexUpdate>('VectorIndexUpdate', {
  create: vectorIndex('CreateVectorIndexAction'),
  delete: structure<NonNullable<VectorIndexUpdate['delete']>>('DeleteVectorIndexAction', {
    indexName: required(nameParameter),
  }),
});

/** @see DynamoDB API Reference, UpdateTable */
export const updateTable: Operation = defineOperation('UpdateTable', {
  input: structure<UpdateTableRequest>('UpdateTableInput', {
    tableName: managedTableNameParameter,
    provisionedThroughput,
    billingMode,
    globalSecondaryIndexUpdates: list(indexUpdate),
    vectorIndexUpdates: list(vectorIndexUpdate),
    attributeDefinitions,
    onDemandThroughput,
    warmThroughput,
    streamSpecification,
    sseSpecification,
    tableClass: tableClassParameter,
    deletionProtectionEnabled: boolean,
    replicaUpdates,
    multiRegionConsistency: enumeration(['EVENTUAL', 'STRONG']),
    globalTableWitnessUpdates,
    globalTableSettingsReplicationMode,
    disassociationProtectionEnabled: boolean,
  }),
  output: result<UpdateTableResult>({ tableDescription }),
});
