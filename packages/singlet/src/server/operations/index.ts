import { batchExecuteStatement } from './batch-execute-statement.ts';
import { batchGetItem } from './batch-get-item.ts';
import { batchWriteItem } from './batch-write-item.ts';
import { cancelBulkOperation } from './cancel-bulk-operation.ts';
import { createBackup } from './create-backup.ts';
import { createTable } from './create-table.ts';
import { deleteBackup } from './delete-backup.ts';
import { deleteItem } from './delete-item.ts';
import { deleteResourcePolicy } from './delete-resource-policy.ts';
import { deleteTable } from './delete-table.ts';
import { describeContributorInsights } from './describe-contributor-insights.ts';
import { describeEndpoints } from './describe-endpoints.ts';
import { describeKinesisStreamingDestination } from './describe-kinesis-streaming-destination.ts';
import { describeBulkOperation } from './describe-bulk-operation.ts';
import { describeImport } from './describe-import.ts';
import { describeBackup } from './describe-backup.ts';
import { describeContinuousBackups } from './describe-continuous-backups.ts';
import { describeExport } from './describe-export.ts';
import { describeLimits } from './describe-limits.ts';
import { describeStream } from './describe-stream.ts';
import { describeTable } from './describe-table.ts';
import { describeTimeToLive } from './describe-time-to-live.ts';
import { disableKinesisStreamingDestination } from './disable-kinesis-streaming-destination.ts';
import { enableKinesisStreamingDestination } from './enable-kinesis-streaming-destination.ts';
import { executeStatement } from './execute-statement.ts';
import { executeTransaction } from './execute-transaction.ts';
import { explainStatement } from './explain-statement.ts';
import { exportTableToPointInTime } from './export-table-to-point-in-time.ts';
import { getItem } from './get-item.ts';
import { getRecords } from './get-records.ts';
import { getResourcePolicy } from './get-resource-policy.ts';
import { getShardIterator } from './get-shard-iterator.ts';
import {
  createGlobalTable,
  describeGlobalTable,
  describeGlobalTableSettings,
  listGlobalTables,
  updateGlobalTable,
  updateGlobalTableSettings,
} from './legacy-global-tables.ts';
import { listContributorInsights } from './list-contributor-insights.ts';
import { importTable } from './import-table.ts';
import { listBulkOperations } from './list-bulk-operations.ts';
import { listImports } from './list-imports.ts';
import { listBackups } from './list-backups.ts';
import { listExports } from './list-exports.ts';
import { listStreams } from './list-streams.ts';
import { listTables } from './list-tables.ts';
import { listTagsOfResource } from './list-tags-of-resource.ts';
import type { ActionName, Operation } from './operation.ts';
import { putItem } from './put-item.ts';
import { putResourcePolicy } from './put-resource-policy.ts';
import { query } from './query.ts';
import { restoreTableFromBackup } from './restore-table-from-backup.ts';
import { restoreTableToPointInTime } from './restore-table-to-point-in-time.ts';
import { scan } from './scan.ts';
import { describeTableReplicaAutoScaling, updateTableReplicaAutoScaling } from './table-replica-auto-scaling.ts';
import { searchVectors } from './search-vectors.ts';
import { startBulkPutItems } from './start-bulk-put-items.ts';
import { tagResource } from './tag-resource.ts';
import { transactGetItems } from './transact-get-items.ts';
import { transactWriteItems } from './transact-write-items.ts';
import { untagResource } from './untag-resource.ts';
import { updateContributorInsights } from './update-contributor-insights.ts';
import { updateContinuousBackups } from './update-continuous-backups.ts';
import { updateItem } from './update-item.ts';
import { updateKinesisStreamingDestination } from './update-kinesis-streaming-destination.ts';
import { updateTable } from './update-table.ts';
import { updateTimeToLive } from './update-time-to-live.ts';

/** Every action of the engine; the type makes sure that none is missing. */
const operations: { readonly [A in ActionName]: Operation } = {
  BatchExecuteStatement: batchExecuteStatement,
  BatchGetItem: batchGetItem,
  BatchWriteItem: batchWriteItem,
  CancelBulkOperation: cancelBulkOperation,
  CreateBackup: createBackup,
  CreateTable: createTable,
  DeleteBackup: deleteBackup,
  DeleteItem: deleteItem,
  DeleteResourcePolicy: deleteResourcePolicy,
  DeleteTable: deleteTable,
  DescribeContributorInsights: describeContributorInsights,
  DescribeEndpoints: describeEndpoints,
  DescribeKinesisStreamingDestination: describeKinesisStreamingDestination,
  DescribeBulkOperation: describeBulkOperation,
  DescribeImport: describeImport,
  DescribeBackup: describeBackup,
  DescribeContinuousBackups: describeContinuousBackups,
  DescribeExport: describeExport,
  DescribeLimits: describeLimits,
  DescribeStream: describeStream,
  DescribeTable: describeTable,
  DescribeTimeToLive: describeTimeToLive,
  DisableKinesisStreamingDestination: disableKinesisStreamingDestination,
  EnableKinesisStreamingDestination: enableKinesisStreamingDestination,
  ExecuteStatement: executeStatement,
  ExecuteTransaction: executeTransaction,
  ExplainStatement: explainStatement,
  ExportTableToPointInTime: exportTableToPointInTime,
  GetItem: getItem,
  GetRecords: getRecords,
  GetResourcePolicy: getResourcePolicy,
  GetShardIterator: getShardIterator,
  ListContributorInsights: listContributorInsights,
  ImportTable: importTable,
  ListBulkOperations: listBulkOperations,
  ListImports: listImports,
  ListBackups: listBackups,
  ListExports: listExports,
  ListStreams: listStreams,
  ListTables: listTables,
  ListTagsOfResource: listTagsOfResource,
  PutItem: putItem,
  PutResourcePolicy: putResourcePolicy,
  Query: query,
  RestoreTableFromBackup: restoreTableFromBackup,
  RestoreTableToPointInTime: restoreTableToPointInTime,
  Scan: scan,
  SearchVectors: searchVectors,
  StartBulkPutItems: startBulkPutItems,
  TagResource: tagResource,
  TransactGetItems: transactGetItems,
  TransactWriteItems: transactWriteItems,
  UntagResource: untagResource,
  UpdateContributorInsights: updateContributorInsights,
  UpdateContinuousBackups: updateContinuousBackups,
  UpdateItem: updateItem,
  UpdateKinesisStreamingDestination: updateKinesisStreamingDestination,
  UpdateTable: updateTable,
  UpdateTimeToLive: updateTimeToLive,
  CreateGlobalTable: createGlobalTable,
  DescribeGlobalTable: describeGlobalTable,
  DescribeGlobalTableSettings: describeGlobalTableSettings,
  DescribeTableReplicaAutoScaling: describeTableReplicaAutoScaling,
  ListGlobalTables: listGlobalTables,
  UpdateGlobalTable: updateGlobalTable,
  UpdateGlobalTableSettings: updateGlobalTableSettings,
  UpdateTableReplicaAutoScaling: updateTableReplicaAutoScaling,
};

const apiVersion = 'DynamoDB_20120810';
const streamsApiVersion = 'DynamoDBStreams_20120810';

/** The actions of the API for streams. All others belong to the API for tables and items. */
const streamActions: ReadonlySet<string> = new Set<ActionName>([
  'DescribeStream',
  'GetRecords',
  'GetShardIterator',
  'ListStreams',
]);

/** Our own API: what the service has no action for. */
const ownApiVersion = 'Singlet_20261120';

const ownActions: ReadonlySet<string> = new Set<ActionName>(['ExplainStatement']);

/** The value of the `X-Amz-Target` header that asks for an action. */
export function targetOf(action: string): string {
  if (ownActions.has(action)) return `${ownApiVersion}.${action}`;
  return `${streamActions.has(action) ? streamsApiVersion : apiVersion}.${action}`;
}

/** Operations by the value of the `X-Amz-Target` header. */
export const operationsByTarget: ReadonlyMap<string, Operation> = new Map(
  Object.entries(operations).map(([action, operation]) => [targetOf(action), operation]),
);

/** The operation of an action by its name, `GetItem`; undefined for a name that is none. */
export function operationOfAction(action: string): Operation | undefined {
  return operationsByAction.get(action);
}

const operationsByAction: ReadonlyMap<string, Operation> = new Map(Object.entries(operations));
