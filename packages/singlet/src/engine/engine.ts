import type { RequestContext } from './environment.ts';
import type {
  BatchExecuteStatementRequest,
  BatchExecuteStatementResult,
} from './operations/batch-execute-statement.ts';
import type { BatchGetItemRequest, BatchGetItemResult } from './operations/batch-get-item.ts';
import type { BatchWriteItemRequest, BatchWriteItemResult } from './operations/batch-write-item.ts';
import type { CreateBackupRequest, CreateBackupResult } from './operations/create-backup.ts';
import type { CreateTableRequest, CreateTableResult } from './operations/create-table.ts';
import type { DeleteBackupRequest, DeleteBackupResult } from './operations/delete-backup.ts';
import type { DeleteItemRequest } from './operations/delete-item.ts';
import type { DeleteTableRequest, DeleteTableResult } from './operations/delete-table.ts';
import type { DescribeBackupRequest, DescribeBackupResult } from './operations/describe-backup.ts';
import type {
  DescribeContinuousBackupsRequest,
  DescribeContinuousBackupsResult,
} from './operations/describe-continuous-backups.ts';
import type { DescribeEndpointsResult } from './operations/describe-endpoints.ts';
import type { DescribeExportRequest, DescribeExportResult } from './operations/describe-export.ts';
import type { DescribeLimitsResult } from './operations/describe-limits.ts';
import type { DescribeStreamRequest, DescribeStreamResult } from './operations/describe-stream.ts';
import type { DescribeTableRequest, DescribeTableResult } from './operations/describe-table.ts';
import type { DescribeTimeToLiveRequest, DescribeTimeToLiveResult } from './operations/describe-time-to-live.ts';
import type { ExecuteStatementRequest, ExecuteStatementResult } from './operations/execute-statement.ts';
import type { ExecuteTransactionRequest, ExecuteTransactionResult } from './operations/execute-transaction.ts';
import type {
  ExportTableToPointInTimeRequest,
  ExportTableToPointInTimeResult,
} from './operations/export-table-to-point-in-time.ts';
import type { GetItemRequest, GetItemResult } from './operations/get-item.ts';
import type { GetRecordsRequest, GetRecordsResult } from './operations/get-records.ts';
import type { GetShardIteratorRequest, GetShardIteratorResult } from './operations/get-shard-iterator.ts';
import type { ListBackupsRequest, ListBackupsResult } from './operations/list-backups.ts';
import type { ListExportsRequest, ListExportsResult } from './operations/list-exports.ts';
import type { ListStreamsRequest, ListStreamsResult } from './operations/list-streams.ts';
import type { ListTablesRequest, ListTablesResult } from './operations/list-tables.ts';
import type { ListTagsOfResourceRequest, ListTagsOfResourceResult } from './operations/list-tags-of-resource.ts';
import type { PutItemRequest, WriteItemResult } from './operations/put-item.ts';
import type { PageResult, QueryRequest } from './operations/query.ts';
import type {
  RestoreTableFromBackupRequest,
  RestoreTableFromBackupResult,
} from './operations/restore-table-from-backup.ts';
import type {
  RestoreTableToPointInTimeRequest,
  RestoreTableToPointInTimeResult,
} from './operations/restore-table-to-point-in-time.ts';
import type { ScanRequest } from './operations/scan.ts';
import type { TagResourceRequest } from './operations/tag-resource.ts';
import type { TransactGetItemsRequest, TransactGetItemsResult } from './operations/transact-get-items.ts';
import type { TransactWriteItemsRequest, TransactWriteItemsResult } from './operations/transact-write-items.ts';
import type { UntagResourceRequest } from './operations/untag-resource.ts';
import type {
  UpdateContinuousBackupsRequest,
  UpdateContinuousBackupsResult,
} from './operations/update-continuous-backups.ts';
import type { UpdateItemRequest } from './operations/update-item.ts';
import type { UpdateTableRequest, UpdateTableResult } from './operations/update-table.ts';
import type { UpdateTimeToLiveRequest, UpdateTimeToLiveResult } from './operations/update-time-to-live.ts';

/**
 * The database without a wire: one method per API action, typed. Every method throws only `DynamoError`s for what the
 * service documents; anything else is a storage failure or a bug.
 */
export interface Engine {
  batchExecuteStatement(
    request: BatchExecuteStatementRequest,
    context: RequestContext,
  ): Promise<BatchExecuteStatementResult>;
  batchGetItem(request: BatchGetItemRequest, context: RequestContext): Promise<BatchGetItemResult>;
  batchWriteItem(request: BatchWriteItemRequest, context: RequestContext): Promise<BatchWriteItemResult>;
  createBackup(request: CreateBackupRequest, context: RequestContext): Promise<CreateBackupResult>;
  createTable(request: CreateTableRequest, context: RequestContext): Promise<CreateTableResult>;
  deleteBackup(request: DeleteBackupRequest, context: RequestContext): Promise<DeleteBackupResult>;
  deleteItem(request: DeleteItemRequest, context: RequestContext): Promise<WriteItemResult>;
  deleteTable(request: DeleteTableRequest, context: RequestContext): Promise<DeleteTableResult>;
  describeBackup(request: DescribeBackupRequest, context: RequestContext): Promise<DescribeBackupResult>;
  describeContinuousBackups(
    request: DescribeContinuousBackupsRequest,
    context: RequestContext,
  ): Promise<DescribeContinuousBackupsResult>;
  describeEndpoints(request: object, context: RequestContext): Promise<DescribeEndpointsResult>;
  describeExport(request: DescribeExportRequest, context: RequestContext): Promise<DescribeExportResult>;
  describeLimits(request: object, context: RequestContext): Promise<DescribeLimitsResult>;
  describeStream(request: DescribeStreamRequest, context: RequestContext): Promise<DescribeStreamResult>;
  describeTable(request: DescribeTableRequest, context: RequestContext): Promise<DescribeTableResult>;
  describeTimeToLive(request: DescribeTimeToLiveRequest, context: RequestContext): Promise<DescribeTimeToLiveResult>;
  executeStatement(request: ExecuteStatementRequest, context: RequestContext): Promise<ExecuteStatementResult>;
  executeTransaction(request: ExecuteTransactionRequest, context: RequestContext): Promise<ExecuteTransactionResult>;
  exportTableToPointInTime(
    request: ExportTableToPointInTimeRequest,
    context: RequestContext,
  ): Promise<ExportTableToPointInTimeResult>;
  getItem(request: GetItemRequest, context: RequestContext): Promise<GetItemResult>;
  getRecords(request: GetRecordsRequest, context: RequestContext): Promise<GetRecordsResult>;
  getShardIterator(request: GetShardIteratorRequest, context: RequestContext): Promise<GetShardIteratorResult>;
  listBackups(request: ListBackupsRequest, context: RequestContext): Promise<ListBackupsResult>;
  listExports(request: ListExportsRequest, context: RequestContext): Promise<ListExportsResult>;
  listStreams(request: ListStreamsRequest, context: RequestContext): Promise<ListStreamsResult>;
  listTables(request: ListTablesRequest, context: RequestContext): Promise<ListTablesResult>;
  listTagsOfResource(request: ListTagsOfResourceRequest, context: RequestContext): Promise<ListTagsOfResourceResult>;
  putItem(request: PutItemRequest, context: RequestContext): Promise<WriteItemResult>;
  query(request: QueryRequest, context: RequestContext): Promise<PageResult>;
  restoreTableFromBackup(
    request: RestoreTableFromBackupRequest,
    context: RequestContext,
  ): Promise<RestoreTableFromBackupResult>;
  restoreTableToPointInTime(
    request: RestoreTableToPointInTimeRequest,
    context: RequestContext,
  ): Promise<RestoreTableToPointInTimeResult>;
  scan(request: ScanRequest, context: RequestContext): Promise<PageResult>;
  tagResource(request: TagResourceRequest, context: RequestContext): Promise<void>;
  transactGetItems(request: TransactGetItemsRequest, context: RequestContext): Promise<TransactGetItemsResult>;
  transactWriteItems(request: TransactWriteItemsRequest, context: RequestContext): Promise<TransactWriteItemsResult>;
  untagResource(request: UntagResourceRequest, context: RequestContext): Promise<void>;
  updateContinuousBackups(
    request: UpdateContinuousBackupsRequest,
    context: RequestContext,
  ): Promise<UpdateContinuousBackupsResult>;
  updateItem(request: UpdateItemRequest, context: RequestContext): Promise<WriteItemResult>;
  updateTable(request: UpdateTableRequest, context: RequestContext): Promise<UpdateTableResult>;
  updateTimeToLive(request: UpdateTimeToLiveRequest, context: RequestContext): Promise<UpdateTimeToLiveResult>;
  /**
   * Not an action of the API: removes every item that has expired by now, in all tables of all accounts.
   *
   * @returns how many items this call has removed.
   */
  sweepExpiredItems(): Promise<number>;
  /** Stops background work and waits for what is running. Does not close the store. */
  close(): Promise<void>;
}
