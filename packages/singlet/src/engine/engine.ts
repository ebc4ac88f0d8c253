import type { RequestContext } from './environment.ts';
import type {
  BatchExecuteStatementRequest,
  BatchExecuteStatementResult,
} from './operations/batch-execute-statement.ts';
import type { BatchGetItemRequest, BatchGetItemResult } from './operations/batch-get-item.ts';
import type { BatchWriteItemRequest, BatchWriteItemResult } from './operations/batch-write-item.ts';
import type { CancelBulkOperationRequest, CancelBulkOperationResult } from './operations/cancel-bulk-operation.ts';
import type { CreateTableRequest, CreateTableResult } from './operations/create-table.ts';
import type { DeleteItemRequest } from './operations/delete-item.ts';
import type { DeleteTableRequest, DeleteTableResult } from './operations/delete-table.ts';
import type {
  DescribeBulkOperationRequest,
  DescribeBulkOperationResult,
} from './operations/describe-bulk-operation.ts';
import type { DescribeEndpointsResult } from './operations/describe-endpoints.ts';
import type { DescribeImportRequest, DescribeImportResult } from './operations/describe-import.ts';
import type { DescribeLimitsResult } from './operations/describe-limits.ts';
import type { DescribeStreamRequest, DescribeStreamResult } from './operations/describe-stream.ts';
import type { DescribeTableRequest, DescribeTableResult } from './operations/describe-table.ts';
import type { DescribeTimeToLiveRequest, DescribeTimeToLiveResult } from './operations/describe-time-to-live.ts';
import type { ExecuteStatementRequest, ExecuteStatementResult } from './operations/execute-statement.ts';
import type { ExecuteTransactionRequest, ExecuteTransactionResult } from './operations/execute-transaction.ts';
import type { GetItemRequest, GetItemResult } from './operations/get-item.ts';
import type { GetRecordsRequest, GetRecordsResult } from './operations/get-records.ts';
import type { GetShardIteratorRequest, GetShardIteratorResult } from './operations/get-shard-iterator.ts';
import type { ImportTableRequest, ImportTableResult } from './operations/import-table.ts';
import type { ListBulkOperationsRequest, ListBulkOperationsResult } from './operations/list-bulk-operations.ts';
import type { ListImportsRequest, ListImportsResult } from './operations/list-imports.ts';
import type { ListStreamsRequest, ListStreamsResult } from './operations/list-streams.ts';
import type { ListTablesRequest, ListTablesResult } from './operations/list-tables.ts';
import type { ListTagsOfResourceRequest, ListTagsOfResourceResult } from './operations/list-tags-of-resource.ts';
import type { PutItemRequest, WriteItemResult } from './operations/put-item.ts';
import type { PageResult, QueryRequest } from './operations/query.ts';
import type { ScanRequest } from './operations/scan.ts';
import type { StartBulkPutItemsRequest, StartBulkPutItemsResult } from './operations/start-bulk-put-items.ts';
import type { TagResourceRequest } from './operations/tag-resource.ts';
import type { TransactGetItemsRequest, TransactGetItemsResult } from './operations/transact-get-items.ts';
import type { TransactWriteItemsRequest, TransactWriteItemsResult } from './operations/transact-write-items.ts';
import type { UntagResourceRequest } from './operations/untag-resource.ts';
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
  cancelBulkOperation(request: CancelBulkOperationRequest, context: RequestContext): Promise<CancelBulkOperationResult>;
  createTable(request: CreateTableRequest, context: RequestContext): Promise<CreateTableResult>;
  deleteItem(request: DeleteItemRequest, context: RequestContext): Promise<WriteItemResult>;
  deleteTable(request: DeleteTableRequest, context: RequestContext): Promise<DeleteTableResult>;
  describeBulkOperation(
    request: DescribeBulkOperationRequest,
    context: RequestContext,
  ): Promise<DescribeBulkOperationResult>;
  describeEndpoints(request: object, context: RequestContext): Promise<DescribeEndpointsResult>;
  describeImport(request: DescribeImportRequest, context: RequestContext): Promise<DescribeImportResult>;
  describeLimits(request: object, context: RequestContext): Promise<DescribeLimitsResult>;
  describeStream(request: DescribeStreamRequest, context: RequestContext): Promise<DescribeStreamResult>;
  describeTable(request: DescribeTableRequest, context: RequestContext): Promise<DescribeTableResult>;
  describeTimeToLive(request: DescribeTimeToLiveRequest, context: RequestContext): Promise<DescribeTimeToLiveResult>;
  executeStatement(request: ExecuteStatementRequest, context: RequestContext): Promise<ExecuteStatementResult>;
  executeTransaction(request: ExecuteTransactionRequest, context: RequestContext): Promise<ExecuteTransactionResult>;
  getItem(request: GetItemRequest, context: RequestContext): Promise<GetItemResult>;
  getRecords(request: GetRecordsRequest, context: RequestContext): Promise<GetRecordsResult>;
  getShardIterator(request: GetShardIteratorRequest, context: RequestContext): Promise<GetShardIteratorResult>;
  importTable(request: ImportTableRequest, context: RequestContext): Promise<ImportTableResult>;
  listBulkOperations(request: ListBulkOperationsRequest, context: RequestContext): Promise<ListBulkOperationsResult>;
  listImports(request: ListImportsRequest, context: RequestContext): Promise<ListImportsResult>;
  listStreams(request: ListStreamsRequest, context: RequestContext): Promise<ListStreamsResult>;
  listTables(request: ListTablesRequest, context: RequestContext): Promise<ListTablesResult>;
  listTagsOfResource(request: ListTagsOfResourceRequest, context: RequestContext): Promise<ListTagsOfResourceResult>;
  putItem(request: PutItemRequest, context: RequestContext): Promise<WriteItemResult>;
  query(request: QueryRequest, context: RequestContext): Promise<PageResult>;
  scan(request: ScanRequest, context: RequestContext): Promise<PageResult>;
  startBulkPutItems(request: StartBulkPutItemsRequest, context: RequestContext): Promise<StartBulkPutItemsResult>;
  tagResource(request: TagResourceRequest, context: RequestContext): Promise<void>;
  transactGetItems(request: TransactGetItemsRequest, context: RequestContext): Promise<TransactGetItemsResult>;
  transactWriteItems(request: TransactWriteItemsRequest, context: RequestContext): Promise<TransactWriteItemsResult>;
  untagResource(request: UntagResourceRequest, context: RequestContext): Promise<void>;
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
