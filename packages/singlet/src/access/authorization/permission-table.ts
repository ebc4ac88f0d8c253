/**
 * The permissions that requests need, without their prefix, and which of them the policy of a table or stream can grant.
 *
 * @see DynamoDB Developer Guide, "DynamoDB API operations supported by resource-based policies"
 */

/** The resource that a permission applies to. */
export type PermissionResource =
  'table' | 'index' | 'stream' | 'backup' | 'export' | 'import' | 'bulk-operation' | 'global-table' | 'account';

export interface PermissionRow {
  readonly on: readonly PermissionResource[];
  /** Whether the policy of the table or stream is consulted. `across-accounts`: also for principals of other accounts. */
  readonly resourcePolicy: 'no' | 'own-account' | 'across-accounts';
}

const table: PermissionRow = { on: ['table'], resourcePolicy: 'own-account' };
const tableOrIndex: PermissionRow = { on: ['table', 'index'], resourcePolicy: 'own-account' };
const sharedTable: PermissionRow = { on: ['table'], resourcePolicy: 'across-accounts' };
const sharedTableOrIndex: PermissionRow = { on: ['table', 'index'], resourcePolicy: 'across-accounts' };
const sharedStream: PermissionRow = { on: ['stream'], resourcePolicy: 'across-accounts' };
const sharedTableOrStream: PermissionRow = { on: ['table', 'stream'], resourcePolicy: 'across-accounts' };
const tableOrStream: PermissionRow = { on: ['table', 'stream'], resourcePolicy: 'own-account' };
const account: PermissionRow = { on: ['account'], resourcePolicy: 'no' };
const unshared = (...on: readonly PermissionResource[]): PermissionRow => ({ on, resourcePolicy: 'no' });

export const permissionTable: ReadonlyMap<string, PermissionRow> = new Map<string, PermissionRow>([
  ['AssociateTableReplica', table],
  ['BatchGetItem', sharedTable],
  ['BatchWriteItem', sharedTable],
  // Assumed: bulk operations, which appear in none of the service's lists.
  ['CancelBulkOperation', unshared('table', 'bulk-operation')],
  ['ConditionCheckItem', sharedTable],
  ['CreateBackup', table],
  ['CreateGlobalTable', unshared('global-table', 'table')],
  ['CreateGlobalTableWitness', table],
  ['CreateTable', unshared('table')],
  ['CreateTableReplica', table],
  ['DeleteBackup', unshared('backup')],
  ['DeleteGlobalTableWitness', table],
  ['DeleteItem', sharedTable],
  ['DeleteResourcePolicy', tableOrStream],
  ['DeleteTable', sharedTable],
  ['DeleteTableReplica', table],
  ['DescribeBackup', unshared('backup')],
  ['DescribeBulkOperation', unshared('table', 'bulk-operation')],
  ['DescribeContinuousBackups', table],
  ['DescribeContributorInsights', tableOrIndex],
  ['DescribeEndpoints', account],
  ['DescribeExport', unshared('export')],
  ['DescribeGlobalTable', unshared('global-table')],
  ['DescribeGlobalTableSettings', unshared('global-table')],
  ['DescribeImport', unshared('import')],
  ['DescribeKinesisStreamingDestination', table],
  ['DescribeLimits', account],
  ['DescribeStream', sharedStream],
  ['DescribeTable', sharedTable],
  ['DescribeTableReplicaAutoScaling', table],
  ['DescribeTimeToLive', table],
  ['DisableKinesisStreamingDestination', table],
  ['EnableKinesisStreamingDestination', table],
  ['ExportTableToPointInTime', table],
  ['GetItem', sharedTable],
  ['GetRecords', sharedStream],
  ['GetResourcePolicy', tableOrStream],
  ['GetShardIterator', sharedStream],
  ['GetWeather', account],
  ['ImportTable', unshared('table')],
  ['ListBackups', account],
  ['ListBulkOperations', account],
  ['ListContributorInsights', account],
  ['ListExports', unshared('table', 'account')],
  ['ListGlobalTables', account],
  ['ListImports', unshared('table', 'account')],
  ['ListStreams', account],
  ['ListTables', account],
  ['ListTagsOfResource', sharedTableOrStream],
  ['PartiQLDelete', table],
  ['PartiQLInsert', table],
  ['PartiQLSelect', tableOrIndex],
  ['PartiQLUpdate', table],
  ['PutItem', sharedTable],
  ['PutResourcePolicy', tableOrStream],
  ['Query', sharedTableOrIndex],
  ['RestoreTableFromBackup', unshared('backup', 'table')],
  ['RestoreTableToPointInTime', table],
  ['Scan', sharedTableOrIndex],
  ['SearchVectors', unshared('table', 'index')],
  ['SetWeather', account],
  ['StartBulkPutItems', unshared('table')],
  ['TagResource', sharedTableOrStream],
  ['UntagResource', sharedTableOrStream],
  ['UpdateContinuousBackups', table],
  ['UpdateContributorInsights', tableOrIndex],
  ['UpdateGlobalTable', unshared('global-table', 'table')],
  ['UpdateGlobalTableSettings', unshared('global-table', 'table')],
  ['UpdateItem', sharedTable],
  ['UpdateKinesisStreamingDestination', table],
  ['UpdateTable', sharedTable],
  ['UpdateTableReplicaAutoScaling', table],
  ['UpdateTimeToLive', table],
]);
