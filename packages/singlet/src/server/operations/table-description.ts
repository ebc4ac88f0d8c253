import type {
  GlobalSecondaryIndexDescription,
  LocalSecondaryIndexDescription,
  ProvisionedThroughputDescription,
  ReplicaDescription,
  ReplicaIndexDescription,
  TableDescription,
  WarmThroughputDescription,
} from '../../engine/index.ts';
import { boolean, double, list, long, result, type Shape, string } from '../shapes/shape.ts';
import {
  attributeDefinitions,
  billingMode,
  keySchema,
  onDemandThroughput,
  onDemandThroughputOverride,
  projection,
  provisionedThroughputOverride,
  streamSpecification,
  tableClass,
} from './table-members.ts';
import { vectorIndexDescription } from './vector-index-members.ts';

/** The answers of the actions on tables. */

/** A string that the engine takes from a fixed set. */
function oneOfSet<V extends string>(): Shape<V> {
  return { kind: 'string', constraints: [] };
}

const provisionedThroughputDescription: Shape<ProvisionedThroughputDescription> =
  result<ProvisionedThroughputDescription>({
    lastIncreaseDateTime: double,
    lastDecreaseDateTime: double,
    numberOfDecreasesToday: long(),
    readCapacityUnits: long(),
    writeCapacityUnits: long(),
  });

const warmThroughputDescription: Shape<WarmThroughputDescription> = result<WarmThroughputDescription>({
  readUnitsPerSecond: long(),
  writeUnitsPerSecond: long(),
  status: oneOfSet<WarmThroughputDescription['status']>(),
});

const localSecondaryIndexDescription: Shape<LocalSecondaryIndexDescription> = result<LocalSecondaryIndexDescription>({
  indexName: string(),
  keySchema,
  projection,
  indexSizeBytes: long(),
  itemCount: long(),
  indexArn: string(),
});

const globalSecondaryIndexDescription: Shape<GlobalSecondaryIndexDescription> = result<GlobalSecondaryIndexDescription>(
  {
    indexName: string(),
    keySchema,
    projection,
    indexStatus: oneOfSet<GlobalSecondaryIndexDescription['indexStatus']>(),
    backfilling: boolean,
    provisionedThroughput: provisionedThroughputDescription,
    indexSizeBytes: long(),
    itemCount: long(),
    indexArn: string(),
    onDemandThroughput,
    warmThroughput: warmThroughputDescription,
  },
);

const replicaIndexDescription: Shape<ReplicaIndexDescription> = result<ReplicaIndexDescription>({
  indexName: string(),
  provisionedThroughputOverride,
  onDemandThroughputOverride,
  warmThroughput: warmThroughputDescription,
});

const replicaDescription: Shape<ReplicaDescription> = result<ReplicaDescription>({
  regionName: string(),
  replicaStatus: oneOfSet<ReplicaDescription['replicaStatus']>(),
  kmsMasterKeyId: string(),
  provisionedThroughputOverride,
  onDemandThroughputOverride,
  warmThroughput: warmThroughputDescription,
  globalSecondaryIndexes: list(replicaIndexDescription),
  replicaTableClassSummary: result<TableClassSummary>({ tableClass, lastUpdateDateTime: double }),
  globalTableSettingsReplicationMode: oneOfSet<ReplicaDescription['globalTableSettingsReplicationMode']>(),
});

type BillingModeSummary = NonNullable<TableDescription['billingModeSummary']>;
type RestoreSummary = NonNullable<TableDescription['restoreSummary']>;
type SseDescription = NonNullable<TableDescription['sseDescription']>;
type TableClassSummary = NonNullable<TableDescription['tableClassSummary']>;

export const sseDescription: Shape<SseDescription> = result<SseDescription>({
  status: oneOfSet<SseDescription['status']>(),
  sseType: oneOfSet<SseDescription['sseType']>(),
  kmsMasterKeyArn: string(),
});

export const tableDescription: Shape<TableDescription> = result<TableDescription>({
  attributeDefinitions,
  tableName: string(),
  keySchema,
  tableStatus: oneOfSet<TableDescription['tableStatus']>(),
  creationDateTime: double,
  provisionedThroughput: provisionedThroughputDescription,
  tableSizeBytes: long(),
  itemCount: long(),
  tableArn: string(),
  tableId: string(),
  billingModeSummary: result<BillingModeSummary>({
    billingMode,
    lastUpdateToPayPerRequestDateTime: double,
  }),
  localSecondaryIndexes: list(localSecondaryIndexDescription),
  globalSecondaryIndexes: list(globalSecondaryIndexDescription),
  vectorIndexes: list(vectorIndexDescription),
  streamSpecification,
  latestStreamLabel: string(),
  latestStreamArn: string(),
  restoreSummary: result<RestoreSummary>({
    sourceBackupArn: string(),
    sourceTableArn: string(),
    restoreDateTime: double,
    restoreInProgress: { kind: 'boolean' },
  }),
  sseDescription,
  tableClassSummary: result<TableClassSummary>({ tableClass, lastUpdateDateTime: double }),
  deletionProtectionEnabled: boolean,
  onDemandThroughput,
  warmThroughput: warmThroughputDescription,
  globalTableVersion: oneOfSet<NonNullable<TableDescription['globalTableVersion']>>(),
  replicas: list(replicaDescription),
  globalTableSettingsReplicationMode: oneOfSet<NonNullable<TableDescription['globalTableSettingsReplicationMode']>>(),
});
