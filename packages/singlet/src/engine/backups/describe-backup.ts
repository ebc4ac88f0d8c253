import { decodeStatistics } from '../catalog/statistics.ts';
import type { Store, StoreValue } from '../../storage/store.ts';
import { describeEncryption } from '../schema/encryption.ts';
import type {
  BillingMode,
  KeySchemaElement,
  OnDemandThroughput,
  Projection,
  ProvisionedThroughput,
  StreamSpecification,
  TableDescription,
} from '../catalog/table-description.ts';
import type { GlobalIndexRecord, LocalIndexRecord, TableRecord } from '../catalog/table-record.ts';
import { arnOfBackup, type BackupRecord } from './backup-record.ts';

/** The answers of the actions on backups. Date-times are seconds since 1970, with fractions. */

export type BackupStatus = 'CREATING' | 'AVAILABLE' | 'DELETED';

export interface BackupDetails {
  readonly backupArn: string;
  readonly backupName: string;
  readonly backupSizeBytes: number;
  readonly backupStatus: BackupStatus;
  readonly backupType: 'USER' | 'SYSTEM';
  readonly backupCreationDateTime: number;
  readonly backupExpiryDateTime?: number;
}

export interface BackupSummary extends BackupDetails {
  readonly tableName: string;
  readonly tableId: string;
  readonly tableArn: string;
}

export interface LocalSecondaryIndexInfo {
  readonly indexName: string;
  readonly keySchema: readonly KeySchemaElement[];
  readonly projection: Projection;
}

export interface GlobalSecondaryIndexInfo extends LocalSecondaryIndexInfo {
  readonly provisionedThroughput: ProvisionedThroughput;
  readonly onDemandThroughput?: OnDemandThroughput;
}

export interface SourceTableDetails {
  readonly tableName: string;
  readonly tableId: string;
  readonly tableArn: string;
  readonly tableSizeBytes: number;
  readonly keySchema: readonly KeySchemaElement[];
  readonly tableCreationDateTime: number;
  readonly provisionedThroughput: ProvisionedThroughput;
  readonly onDemandThroughput?: OnDemandThroughput;
  readonly itemCount: number;
  readonly billingMode: BillingMode;
}

/** Only the features that the table has are present. */
export interface SourceTableFeatureDetails {
  readonly localSecondaryIndexes?: readonly LocalSecondaryIndexInfo[];
  readonly globalSecondaryIndexes?: readonly GlobalSecondaryIndexInfo[];
  readonly streamDescription?: StreamSpecification;
  readonly timeToLiveDescription?: { readonly timeToLiveStatus: 'ENABLED'; readonly attributeName: string };
  readonly sseDescription?: NonNullable<TableDescription['sseDescription']>;
}

export interface BackupDescription {
  readonly backupDetails: BackupDetails;
  readonly sourceTableDetails: SourceTableDetails;
  readonly sourceTableFeatureDetails: SourceTableFeatureDetails;
}

export function describeBackupRecord(
  backup: BackupRecord,
  store: Pick<Store, 'manifest'>,
  status: BackupStatus = backup.status,
): BackupDescription {
  return {
    backupDetails: backupDetails(backup, status),
    sourceTableDetails: sourceTableDetails(backup),
    // The service omits all features of a deleted table.
    sourceTableFeatureDetails: backup.type === 'SYSTEM' ? {} : sourceTableFeatureDetails(backup.table, store),
  };
}

export function backupDetails(backup: BackupRecord, status: BackupStatus = backup.status): BackupDetails {
  return {
    backupArn: arnOfBackup(backup),
    backupName: backup.backupName,
    backupSizeBytes: backup.sizeBytes,
    backupStatus: status,
    backupType: backup.type,
    backupCreationDateTime: backup.createdAtMs / 1000,
    ...(backup.expiresAtMs !== undefined && { backupExpiryDateTime: backup.expiresAtMs / 1000 }),
  };
}

export function backupSummary(backup: BackupRecord): BackupSummary {
  const { tableName, tableId } = backup.table;
  return { tableName, tableId, tableArn: tableArnOf(backup.table), ...backupDetails(backup) };
}

export function tableArnOf({ accountId, region, tableName }: TableRecord): string {
  return `arn:aws:dynamodb:${region}:${accountId}:table/${tableName}`;
}

/** The contents of a table, by its statistics. */
export function statisticsOf(
  { itemSpace }: TableRecord,
  buckets: readonly StoreValue[],
): { readonly itemCount: number; readonly sizeBytes: number } {
  const total = { itemCount: 0, sizeBytes: 0 };
  for (const bucket of buckets) {
    const found = decodeStatistics(bucket).get(itemSpace);
    total.itemCount += found?.itemCount ?? 0;
    total.sizeBytes += found?.sizeBytes ?? 0;
  }
  return total;
}

function sourceTableDetails({ table, sizeBytes, itemCount }: BackupRecord): SourceTableDetails {
  return {
    tableName: table.tableName,
    tableId: table.tableId,
    tableArn: tableArnOf(table),
    tableSizeBytes: sizeBytes,
    keySchema: table.keySchema,
    tableCreationDateTime: table.createdAtMs / 1000,
    provisionedThroughput: unitsOf(table),
    ...(table.onDemandThroughput !== undefined && { onDemandThroughput: table.onDemandThroughput }),
    itemCount,
    billingMode: table.billingMode,
  };
}

function sourceTableFeatureDetails(table: TableRecord, store: Pick<Store, 'manifest'>): SourceTableFeatureDetails {
  const { localIndexes, streamSpecification, timeToLive } = table;
  const globalIndexes = table.globalIndexes.filter(({ phase }) => phase === undefined);
  const sseDescription = describeEncryption(table, store);
  const isExpiring = timeToLive !== undefined && timeToLive.phase?.kind !== 'disabling';
  return {
    ...(localIndexes.length > 0 && { localSecondaryIndexes: localIndexes.map(localIndexInfo) }),
    ...(globalIndexes.length > 0 && { globalSecondaryIndexes: globalIndexes.map(globalIndexInfo) }),
    ...(streamSpecification?.streamEnabled === true && { streamDescription: streamSpecification }),
    ...(isExpiring && {
      timeToLiveDescription: { timeToLiveStatus: 'ENABLED', attributeName: timeToLive.attributeName },
    }),
    ...(sseDescription !== undefined && { sseDescription }),
  };
}

function localIndexInfo({ indexName, keySchema, projection }: LocalIndexRecord): LocalSecondaryIndexInfo {
  return { indexName, keySchema, projection };
}

function globalIndexInfo(index: GlobalIndexRecord): GlobalSecondaryIndexInfo {
  return {
    ...localIndexInfo(index),
    provisionedThroughput: unitsOf(index),
    ...(index.onDemandThroughput !== undefined && { onDemandThroughput: index.onDemandThroughput }),
  };
}

function unitsOf({ throughput }: TableRecord | GlobalIndexRecord): ProvisionedThroughput {
  const { readCapacityUnits, writeCapacityUnits } = throughput;
  return { readCapacityUnits, writeCapacityUnits };
}
