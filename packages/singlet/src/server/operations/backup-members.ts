import type { BackupDescription, BackupDetails, BackupSummary, RestoreOverrides } from '../../engine/index.ts';
import { lengthAtLeast, lengthAtMost } from '../shapes/constraint.ts';
import {
  type InputMembers,
  double,
  list,
  long,
  required,
  type RequiredMember,
  result,
  type Shape,
  string,
} from '../shapes/shape.ts';
import { nameParameter } from './request-parameters.ts';
import { sseDescription } from './table-description.ts';
import {
  billingMode,
  globalSecondaryIndex,
  keySchema,
  localSecondaryIndex,
  onDemandThroughput,
  projection,
  provisionedThroughput,
  sseSpecification,
  streamSpecification,
} from './table-members.ts';
import { vectorIndex } from './vector-index-members.ts';

/** Parameters and parts of answers that the actions on backups share. */

export const backupArn: Shape<string> = string(lengthAtLeast(37), lengthAtMost(1024));

export const backupArnParameter: RequiredMember<string> = required(backupArn);

export const targetTableNameParameter: RequiredMember<string> = required(nameParameter);

/** The settings of a restored table that may differ from its source. */
export const restoreOverrides: InputMembers<RestoreOverrides> = {
  billingModeOverride: billingMode,
  globalSecondaryIndexOverride: list(globalSecondaryIndex),
  localSecondaryIndexOverride: list(localSecondaryIndex),
  provisionedThroughputOverride: provisionedThroughput,
  onDemandThroughputOverride: onDemandThroughput,
  sseSpecificationOverride: sseSpecification,
  vectorIndexOverride: list(vectorIndex('VectorIndex')),
};

const detailMembers = {
  backupArn: string(),
  backupName: string(),
  backupSizeBytes: long(),
  backupStatus: oneOfSet<BackupDetails['backupStatus']>(),
  backupType: oneOfSet<BackupDetails['backupType']>(),
  backupCreationDateTime: double,
  backupExpiryDateTime: double,
};

export const backupDetails: Shape<BackupDetails> = result<BackupDetails>(detailMembers);

export const backupSummary: Shape<BackupSummary> = result<BackupSummary>({
  tableName: string(),
  tableId: string(),
  tableArn: string(),
  ...detailMembers,
});

type Source = BackupDescription['sourceTableDetails'];
type Features = BackupDescription['sourceTableFeatureDetails'];
type LocalIndex = NonNullable<Features['localSecondaryIndexes']>[number];
type GlobalIndex = NonNullable<Features['globalSecondaryIndexes']>[number];
type TimeToLive = NonNullable<Features['timeToLiveDescription']>;

export const backupDescription: Shape<BackupDescription> = result<BackupDescription>({
  backupDetails,
  sourceTableDetails: result<Source>({
    tableName: string(),
    tableId: string(),
    tableArn: string(),
    tableSizeBytes: long(),
    keySchema,
    tableCreationDateTime: double,
    provisionedThroughput,
    onDemandThroughput,
    itemCount: long(),
    billingMode,
  }),
  sourceTableFeatureDetails: result<Features>({
    localSecondaryIndexes: list(result<LocalIndex>({ indexName: string(), keySchema, projection })),
    globalSecondaryIndexes: list(
      result<GlobalIndex>({ indexName: string(), keySchema, projection, provisionedThroughput, onDemandThroughput }),
    ),
    streamDescription: streamSpecification,
    timeToLiveDescription: result<TimeToLive>({
      timeToLiveStatus: oneOfSet<TimeToLive['timeToLiveStatus']>(),
      attributeName: string(),
    }),
    sseDescription,
  }),
});

/** A string that the engine takes from a fixed set. */
function oneOfSet<V extends string>(): Shape<V> {
  return { kind: 'string', constraints: [] };
}
