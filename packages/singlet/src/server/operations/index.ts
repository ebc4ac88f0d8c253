import { batchExecuteStatement } from './batch-execute-statement.ts';
import { batchGetItem } from './batch-get-item.ts';
import { batchWriteItem } from './batch-write-item.ts';
import { createBackup } from './create-backup.ts';
import { createTable } from './create-table.ts';
import { deleteBackup } from './delete-backup.ts';
import { deleteItem } from './delete-item.ts';
import { deleteTable } from './delete-table.ts';
import { describeBackup } from './describe-backup.ts';
import { describeContinuousBackups } from './describe-continuous-backups.ts';
import { describeEndpoints } from './describe-endpoints.ts';
import { describeExport } from './describe-export.ts';
import { describeLimits } from './describe-limits.ts';
import { describeStream } from './describe-stream.ts';
import { describeTable } from './describe-table.ts';
import { describeTimeToLive } from './describe-time-to-live.ts';
import { executeStatement } from './execute-statement.ts';
import { executeTransaction } from './execute-transaction.ts';
import { exportTableToPointInTime } from './export-table-to-point-in-time.ts';
import { getItem } from './get-item.ts';
import { getRecords } from './get-records.ts';
import { getShardIterator } from './get-shard-iterator.ts';
import { listBackups } from './list-backups.ts';
import { listExports } from './list-exports.ts';
import { listStreams } from './list-streams.ts';
import { listTables } from './list-tables.ts';
import { listTagsOfResource } from './list-tags-of-resource.ts';
import type { ActionName, Operation } from './operation.ts';
import { putItem } from './put-item.ts';
import { query } from './query.ts';
import { restoreTableFromBackup } from './restore-table-from-backup.ts';
import { restoreTableToPointInTime } from './restore-table-to-point-in-time.ts';
import { scan } from './scan.ts';
import { tagResource } from './tag-resource.ts';
import { transactGetItems } from './transact-get-items.ts';
import { transactWriteItems } from './transact-write-items.ts';
import { untagResource } from './untag-resource.ts';
import { updateContinuousBackups } from './update-continuous-backups.ts';
import { updateItem } from './update-item.ts';
import { updateTable } from './update-table.ts';
import { updateTimeToLive } from './update-time-to-live.ts';

/** Every action of the engine; the type makes sure that none is missing. */
const operations: { readonly [A in ActionName]: Operation } = {
  BatchExecuteStatement: batchExecuteStatement,
  BatchGetItem: batchGetItem,
  BatchWriteItem: batchWriteItem,
  CreateBackup: createBackup,
  CreateTable: createTable,
  DeleteBackup: deleteBackup,
  DeleteItem: deleteItem,
  DeleteTable: deleteTable,
  DescribeBackup: describeBackup,
  DescribeContinuousBackups: describeContinuousBackups,
  DescribeEndpoints: describeEndpoints,
  DescribeExport: describeExport,
  DescribeLimits: describeLimits,
  DescribeStream: describeStream,
  DescribeTable: describeTable,
  DescribeTimeToLive: describeTimeToLive,
  ExecuteStatement: executeStatement,
  ExecuteTransaction: executeTransaction,
  ExportTableToPointInTime: exportTableToPointInTime,
  GetItem: getItem,
  GetRecords: getRecords,
  GetShardIterator: getShardIterator,
  ListBackups: listBackups,
  ListExports: listExports,
  ListStreams: listStreams,
  ListTables: listTables,
  ListTagsOfResource: listTagsOfResource,
  PutItem: putItem,
  Query: query,
  RestoreTableFromBackup: restoreTableFromBackup,
  RestoreTableToPointInTime: restoreTableToPointInTime,
  Scan: scan,
  TagResource: tagResource,
  TransactGetItems: transactGetItems,
  TransactWriteItems: transactWriteItems,
  UntagResource: untagResource,
  UpdateContinuousBackups: updateContinuousBackups,
  UpdateItem: updateItem,
  UpdateTable: updateTable,
  UpdateTimeToLive: updateTimeToLive,
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

/** The value of the `X-Amz-Target` header that asks for an action. */
export function targetOf(action: string): string {
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
