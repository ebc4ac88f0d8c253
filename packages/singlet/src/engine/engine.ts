import type { Awaitable } from '../values/awaitable.ts';
import type { RequestContext } from './environment.ts';
import type {
  BatchExecuteStatementRequest,
  BatchExecuteStatementResult,
} from './operations/batch-execute-statement.ts';
import type { BatchGetItemRequest, BatchGetItemResult } from './operations/batch-get-item.ts';
import type { BatchWriteItemRequest, BatchWriteItemResult } from './operations/batch-write-item.ts';
import type { CapacityReport } from './operations/capacity-report.ts';
import type { ContributorInsightsReport } from './operations/contributor-insights-report.ts';
import type { CancelBulkOperationRequest, CancelBulkOperationResult } from './operations/cancel-bulk-operation.ts';
import type { CreateBackupRequest, CreateBackupResult } from './operations/create-backup.ts';
import type { CreateTableRequest, CreateTableResult } from './operations/create-table.ts';
import type { DeleteBackupRequest, DeleteBackupResult } from './operations/delete-backup.ts';
import type { DeleteItemRequest } from './operations/delete-item.ts';
import type { DeleteResourcePolicyRequest, DeleteResourcePolicyResult } from './operations/delete-resource-policy.ts';
import type { DeleteTableRequest, DeleteTableResult } from './operations/delete-table.ts';
import type {
  DescribeContributorInsightsRequest,
  DescribeContributorInsightsResult,
} from './operations/describe-contributor-insights.ts';
import type {
  DescribeKinesisStreamingDestinationRequest,
  DescribeKinesisStreamingDestinationResult,
} from './operations/describe-kinesis-streaming-destination.ts';
import type {
  DescribeBulkOperationRequest,
  DescribeBulkOperationResult,
} from './operations/describe-bulk-operation.ts';
import type { DescribeEndpointsResult } from './operations/describe-endpoints.ts';
import type { DescribeImportRequest, DescribeImportResult } from './operations/describe-import.ts';
import type { DescribeBackupRequest, DescribeBackupResult } from './operations/describe-backup.ts';
import type {
  DescribeContinuousBackupsRequest,
  DescribeContinuousBackupsResult,
} from './operations/describe-continuous-backups.ts';
import type { DescribeExportRequest, DescribeExportResult } from './operations/describe-export.ts';
import type { DescribeLimitsResult } from './operations/describe-limits.ts';
import type { DescribeStreamRequest, DescribeStreamResult } from './operations/describe-stream.ts';
import type { DescribeTableRequest, DescribeTableResult } from './operations/describe-table.ts';
import type { DescribeTimeToLiveRequest, DescribeTimeToLiveResult } from './operations/describe-time-to-live.ts';
import type {
  KinesisStreamingDestinationRequest,
  KinesisStreamingDestinationResult,
} from './operations/enable-kinesis-streaming-destination.ts';
import type { ExecuteStatementRequest, ExecuteStatementResult } from './operations/execute-statement.ts';
import type { ExecuteTransactionRequest, ExecuteTransactionResult } from './operations/execute-transaction.ts';
import type { ExplainStatementRequest, ExplainStatementResult } from './operations/explain-statement.ts';
import type {
  ExportTableToPointInTimeRequest,
  ExportTableToPointInTimeResult,
} from './operations/export-table-to-point-in-time.ts';
import type { GetItemRequest, GetItemResult } from './operations/get-item.ts';
import type { GetRecordsRequest, GetRecordsResult } from './operations/get-records.ts';
import type { GetResourcePolicyRequest, GetResourcePolicyResult } from './operations/get-resource-policy.ts';
import type { GetShardIteratorRequest, GetShardIteratorResult } from './operations/get-shard-iterator.ts';
import type {
  CreateGlobalTableRequest,
  GlobalTableNameRequest,
  ListGlobalTablesRequest,
  ListGlobalTablesResult,
  UpdateGlobalTableRequest,
} from './operations/legacy-global-tables.ts';
import type {
  ListContributorInsightsRequest,
  ListContributorInsightsResult,
} from './operations/list-contributor-insights.ts';
import type { ImportTableRequest, ImportTableResult } from './operations/import-table.ts';
import type { ListBulkOperationsRequest, ListBulkOperationsResult } from './operations/list-bulk-operations.ts';
import type { ListImportsRequest, ListImportsResult } from './operations/list-imports.ts';
import type { ListBackupsRequest, ListBackupsResult } from './operations/list-backups.ts';
import type { ListExportsRequest, ListExportsResult } from './operations/list-exports.ts';
import type { ListStreamsRequest, ListStreamsResult } from './operations/list-streams.ts';
import type { ListTablesRequest, ListTablesResult } from './operations/list-tables.ts';
import type { ListTagsOfResourceRequest, ListTagsOfResourceResult } from './operations/list-tags-of-resource.ts';
import type { PutItemRequest, WriteItemResult } from './operations/put-item.ts';
import type { PutResourcePolicyRequest, PutResourcePolicyResult } from './operations/put-resource-policy.ts';
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
import type {
  DescribeTableReplicaAutoScalingRequest,
  TableAutoScalingResult,
  UpdateTableReplicaAutoScalingRequest,
} from './operations/table-replica-auto-scaling.ts';
import type { SearchVectorsRequest, SearchVectorsResult } from './operations/search-vectors.ts';
import type { StartBulkPutItemsRequest, StartBulkPutItemsResult } from './operations/start-bulk-put-items.ts';
import type { TagResourceRequest } from './operations/tag-resource.ts';
import type { TransactGetItemsRequest, TransactGetItemsResult } from './operations/transact-get-items.ts';
import type { TransactWriteItemsRequest, TransactWriteItemsResult } from './operations/transact-write-items.ts';
import type { UntagResourceRequest } from './operations/untag-resource.ts';
import type {
  UpdateContributorInsightsRequest,
  UpdateContributorInsightsResult,
} from './operations/update-contributor-insights.ts';
import type {
  UpdateContinuousBackupsRequest,
  UpdateContinuousBackupsResult,
} from './operations/update-continuous-backups.ts';
import type { UpdateItemRequest } from './operations/update-item.ts';
import type {
  UpdateKinesisStreamingDestinationRequest,
  UpdateKinesisStreamingDestinationResult,
} from './operations/update-kinesis-streaming-destination.ts';
import type { UpdateTableRequest, UpdateTableResult } from './operations/update-table.ts';
import type { ReplicaAnswer, ReplicaMessage } from './replication/replica-message.ts';
import type { ReplicationRound, ReplicationRoute } from './replication/replicate.ts';
import type { ReplicaLag } from './replication/replication-report.ts';
import type { UpdateTimeToLiveRequest, UpdateTimeToLiveResult } from './operations/update-time-to-live.ts';

/**
 * The database without a wire: one method per API action, typed. Every method throws only `DynamoError`s for what the
 * service documents; anything else is a storage failure or a bug. Those that are called most answer, or throw, at once if they can.
 */
export interface Engine {
  batchExecuteStatement(
    request: BatchExecuteStatementRequest,
    context: RequestContext,
  ): Promise<BatchExecuteStatementResult>;
  batchGetItem(request: BatchGetItemRequest, context: RequestContext): Promise<BatchGetItemResult>;
  batchWriteItem(request: BatchWriteItemRequest, context: RequestContext): Promise<BatchWriteItemResult>;
  cancelBulkOperation(request: CancelBulkOperationRequest, context: RequestContext): Promise<CancelBulkOperationResult>;
  createBackup(request: CreateBackupRequest, context: RequestContext): Promise<CreateBackupResult>;
  createTable(request: CreateTableRequest, context: RequestContext): Promise<CreateTableResult>;
  deleteBackup(request: DeleteBackupRequest, context: RequestContext): Promise<DeleteBackupResult>;
  deleteItem(request: DeleteItemRequest, context: RequestContext): Awaitable<WriteItemResult>;
  deleteResourcePolicy(
    request: DeleteResourcePolicyRequest,
    context: RequestContext,
  ): Promise<DeleteResourcePolicyResult>;
  deleteTable(request: DeleteTableRequest, context: RequestContext): Promise<DeleteTableResult>;
  describeContributorInsights(
    request: DescribeContributorInsightsRequest,
    context: RequestContext,
  ): Promise<DescribeContributorInsightsResult>;
  describeEndpoints(request: object, context: RequestContext): Promise<DescribeEndpointsResult>;
  describeKinesisStreamingDestination(
    request: DescribeKinesisStreamingDestinationRequest,
    context: RequestContext,
  ): Promise<DescribeKinesisStreamingDestinationResult>;
  describeBulkOperation(
    request: DescribeBulkOperationRequest,
    context: RequestContext,
  ): Promise<DescribeBulkOperationResult>;
  describeEndpoints(request: object, context: RequestContext): Promise<DescribeEndpointsResult>;
  describeImport(request: DescribeImportRequest, context: RequestContext): Promise<DescribeImportResult>;
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
  disableKinesisStreamingDestination(
    request: KinesisStreamingDestinationRequest,
    context: RequestContext,
  ): Promise<KinesisStreamingDestinationResult>;
  enableKinesisStreamingDestination(
    request: KinesisStreamingDestinationRequest,
    context: RequestContext,
  ): Promise<KinesisStreamingDestinationResult>;
  executeStatement(request: ExecuteStatementRequest, context: RequestContext): Promise<ExecuteStatementResult>;
  executeTransaction(request: ExecuteTransactionRequest, context: RequestContext): Promise<ExecuteTransactionResult>;
  /** Not an action of the service: what a PartiQL statement would do. */
  explainStatement(request: ExplainStatementRequest, context: RequestContext): Promise<ExplainStatementResult>;
  exportTableToPointInTime(
    request: ExportTableToPointInTimeRequest,
    context: RequestContext,
  ): Promise<ExportTableToPointInTimeResult>;
  getItem(request: GetItemRequest, context: RequestContext): Awaitable<GetItemResult>;
  getRecords(request: GetRecordsRequest, context: RequestContext): Promise<GetRecordsResult>;
  getResourcePolicy(request: GetResourcePolicyRequest, context: RequestContext): Promise<GetResourcePolicyResult>;
  getShardIterator(request: GetShardIteratorRequest, context: RequestContext): Promise<GetShardIteratorResult>;
  listContributorInsights(
    request: ListContributorInsightsRequest,
    context: RequestContext,
  ): Promise<ListContributorInsightsResult>;
  importTable(request: ImportTableRequest, context: RequestContext): Promise<ImportTableResult>;
  listBulkOperations(request: ListBulkOperationsRequest, context: RequestContext): Promise<ListBulkOperationsResult>;
  listImports(request: ListImportsRequest, context: RequestContext): Promise<ListImportsResult>;
  listBackups(request: ListBackupsRequest, context: RequestContext): Promise<ListBackupsResult>;
  listExports(request: ListExportsRequest, context: RequestContext): Promise<ListExportsResult>;
  listStreams(request: ListStreamsRequest, context: RequestContext): Promise<ListStreamsResult>;
  listTables(request: ListTablesRequest, context: RequestContext): Promise<ListTablesResult>;
  listTagsOfResource(request: ListTagsOfResourceRequest, context: RequestContext): Promise<ListTagsOfResourceResult>;
  putItem(request: PutItemRequest, context: RequestContext): Awaitable<WriteItemResult>;
  putResourcePolicy(request: PutResourcePolicyRequest, context: RequestContext): Promise<PutResourcePolicyResult>;
  query(request: QueryRequest, context: RequestContext): Awaitable<PageResult>;
  restoreTableFromBackup(
    request: RestoreTableFromBackupRequest,
    context: RequestContext,
  ): Promise<RestoreTableFromBackupResult>;
  restoreTableToPointInTime(
    request: RestoreTableToPointInTimeRequest,
    context: RequestContext,
  ): Promise<RestoreTableToPointInTimeResult>;
  scan(request: ScanRequest, context: RequestContext): Awaitable<PageResult>;
  searchVectors(request: SearchVectorsRequest, context: RequestContext): Promise<SearchVectorsResult>;
  startBulkPutItems(request: StartBulkPutItemsRequest, context: RequestContext): Promise<StartBulkPutItemsResult>;
  tagResource(request: TagResourceRequest, context: RequestContext): Promise<void>;
  transactGetItems(request: TransactGetItemsRequest, context: RequestContext): Promise<TransactGetItemsResult>;
  transactWriteItems(request: TransactWriteItemsRequest, context: RequestContext): Awaitable<TransactWriteItemsResult>;
  untagResource(request: UntagResourceRequest, context: RequestContext): Promise<void>;
  updateContributorInsights(
    request: UpdateContributorInsightsRequest,
    context: RequestContext,
  ): Promise<UpdateContributorInsightsResult>;
  updateContinuousBackups(
    request: UpdateContinuousBackupsRequest,
    context: RequestContext,
  ): Promise<UpdateContinuousBackupsResult>;
  updateItem(request: UpdateItemRequest, context: RequestContext): Awaitable<WriteItemResult>;
  updateKinesisStreamingDestination(
    request: UpdateKinesisStreamingDestinationRequest,
    context: RequestContext,
  ): Promise<UpdateKinesisStreamingDestinationResult>;
  updateTable(request: UpdateTableRequest, context: RequestContext): Promise<UpdateTableResult>;
  updateTimeToLive(request: UpdateTimeToLiveRequest, context: RequestContext): Promise<UpdateTimeToLiveResult>;
  createGlobalTable(request: CreateGlobalTableRequest, context: RequestContext): Promise<never>;
  describeGlobalTable(request: GlobalTableNameRequest, context: RequestContext): Promise<never>;
  describeGlobalTableSettings(request: GlobalTableNameRequest, context: RequestContext): Promise<never>;
  describeTableReplicaAutoScaling(
    request: DescribeTableReplicaAutoScalingRequest,
    context: RequestContext,
  ): Promise<TableAutoScalingResult>;
  listGlobalTables(request: ListGlobalTablesRequest, context: RequestContext): Promise<ListGlobalTablesResult>;
  updateGlobalTable(request: UpdateGlobalTableRequest, context: RequestContext): Promise<never>;
  updateGlobalTableSettings(request: GlobalTableNameRequest, context: RequestContext): Promise<never>;
  updateTableReplicaAutoScaling(
    request: UpdateTableReplicaAutoScalingRequest,
    context: RequestContext,
  ): Promise<TableAutoScalingResult>;
  /**
   * Not an action of the API: what a table and its global indexes consume and may consume, as a whole and by partition.
   *
   * @throws {ResourceNotFoundException}
   */
  capacityReport(request: { readonly tableName: string }, context: RequestContext): Promise<CapacityReport>;
  /**
   * Not an action of the API: the most accessed and most throttled keys of a table or global index.
   *
   * @throws {ResourceNotFoundException}
   */
  contributorInsightsReport(
    request: { readonly tableName: string; readonly indexName?: string | undefined },
    context: RequestContext,
  ): Promise<ContributorInsightsReport>;
  /**
   * Not an action of the API: begins what an engine does by itself, if it was opened without, or has not come to it yet. That is to
   * finish what was left unfinished, to delete expired items, to look after streams and backups, to replicate and to deliver
   * changes. One that has begun looks, once more, for work that another engine has left unfinished.
   */
  beginBackgroundWork(): Promise<void>;
  /**
   * Not an action of the API: removes every item that has expired by now, in all tables of all accounts.
   *
   * @returns how many items this call has removed.
   */
  sweepExpiredItems(): Promise<number>;
  /**
   * Not an action of the API: sends, once, what other regions are owed by now, and does what else there is to do for global
   * tables. What is written meanwhile, or makes for further sending, is left to the next time.
   *
   * @param route - only for some tables, from a region, or to one.
   * @returns how many items were sent, and whether there was nothing left to do.
   */
  replicate(route?: ReplicationRoute): Promise<ReplicationRound>;
  /** Not an action of the API: what other regions are owed, by table and region. */
  replicationReport(): Promise<readonly ReplicaLag[]>;
  /** Not an action of the API: answers a replica that another server has. */
  receiveReplicaMessage(message: ReplicaMessage): Promise<ReplicaAnswer>;
  /** Stops background work and waits for what is running. Does not close the store. */
  close(): Promise<void>;
}
