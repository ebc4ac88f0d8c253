/** The engine's entry: what the server and the composition root may use. */
export type { Clock, EngineEnvironment, EngineLogEvent, Random, RequestContext, Tasks } from './environment.ts';
export { type ItemOutput, StoredItem } from './items/stored-item.ts';
export type {
  Capacity,
  ConsumedCapacity,
  ReturnConsumedCapacity,
  ReturnItemCollectionMetrics,
} from './capacity/consumed-capacity.ts';
export type { ItemCollectionMetrics } from './capacity/item-collection-metrics.ts';
export type * from './tables/table-description.ts';
export type {
  BatchExecuteStatementRequest,
  BatchExecuteStatementResult,
  BatchStatementError,
  BatchStatementRequest,
  BatchStatementResponse,
} from './operations/batch-execute-statement.ts';
export type { BatchGetItemRequest, BatchGetItemResult, KeysAndAttributes } from './operations/batch-get-item.ts';
export type { BatchWriteItemRequest, BatchWriteItemResult, WriteRequest } from './operations/batch-write-item.ts';
export type { BackupDetails, CreateBackupRequest, CreateBackupResult } from './operations/create-backup.ts';
export type { DeleteBackupRequest, DeleteBackupResult } from './operations/delete-backup.ts';
export type { BackupDescription, DescribeBackupRequest, DescribeBackupResult } from './operations/describe-backup.ts';
export type {
  ContinuousBackupsDescription,
  DescribeContinuousBackupsRequest,
  DescribeContinuousBackupsResult,
} from './operations/describe-continuous-backups.ts';
export type { BackupSummary, ListBackupsRequest, ListBackupsResult } from './operations/list-backups.ts';
export type {
  RestoreTableFromBackupRequest,
  RestoreTableFromBackupResult,
} from './operations/restore-table-from-backup.ts';
export type {
  RestoreTableToPointInTimeRequest,
  RestoreTableToPointInTimeResult,
} from './operations/restore-table-to-point-in-time.ts';
export type {
  PointInTimeRecoverySpecification,
  UpdateContinuousBackupsRequest,
  UpdateContinuousBackupsResult,
} from './operations/update-continuous-backups.ts';
export type {
  LegacyAttributeUpdate,
  LegacyComparisonOperator,
  LegacyCondition,
  LegacyExpectation,
} from '../expressions/index.ts';
export type {
  CreateTableRequest,
  CreateTableResult,
  GlobalSecondaryIndexInput,
  LocalSecondaryIndexInput,
} from './operations/create-table.ts';
export type { DeleteItemRequest } from './operations/delete-item.ts';
export type { DeleteTableRequest, DeleteTableResult } from './operations/delete-table.ts';
export type { DescribeEndpointsResult } from './operations/describe-endpoints.ts';
export type { DescribeLimitsResult } from './operations/describe-limits.ts';
export type {
  DescribeStreamRequest,
  DescribeStreamResult,
  ShardDescription,
  ShardFilter,
  StreamDescription,
} from './operations/describe-stream.ts';
export type { DescribeTableRequest, DescribeTableResult } from './operations/describe-table.ts';
export type {
  DescribeTimeToLiveRequest,
  DescribeTimeToLiveResult,
  TimeToLiveDescription,
} from './operations/describe-time-to-live.ts';
export type { ExecuteStatementRequest, ExecuteStatementResult } from './operations/execute-statement.ts';
export type {
  ExecuteTransactionRequest,
  ExecuteTransactionResult,
  TransactStatement,
} from './operations/execute-transaction.ts';
export type { GetItemRequest, GetItemResult } from './operations/get-item.ts';
export type { GetRecordsRequest, GetRecordsResult, StreamEvent } from './operations/get-records.ts';
export type { GetShardIteratorRequest, GetShardIteratorResult } from './operations/get-shard-iterator.ts';
export type { ListStreamsRequest, ListStreamsResult, StreamSummary } from './operations/list-streams.ts';
export type { ListTablesRequest, ListTablesResult } from './operations/list-tables.ts';
export type { ListTagsOfResourceRequest, ListTagsOfResourceResult } from './operations/list-tags-of-resource.ts';
export type { PutItemRequest, ReturnValues, WriteItemResult } from './operations/put-item.ts';
export type { PageResult, QueryRequest, Select } from './operations/query.ts';
export type { ScanRequest } from './operations/scan.ts';
export type { TagResourceRequest } from './operations/tag-resource.ts';
export type { TransactGet, TransactGetItemsRequest, TransactGetItemsResult } from './operations/transact-get-items.ts';
export type {
  TransactConditionCheck,
  TransactDelete,
  TransactPut,
  TransactUpdate,
  TransactWriteItem,
  TransactWriteItemsRequest,
  TransactWriteItemsResult,
} from './operations/transact-write-items.ts';
export type { UntagResourceRequest } from './operations/untag-resource.ts';
export type { UpdateItemRequest } from './operations/update-item.ts';
export type { GlobalSecondaryIndexUpdate, UpdateTableRequest, UpdateTableResult } from './operations/update-table.ts';
export type {
  TimeToLiveSpecification,
  UpdateTimeToLiveRequest,
  UpdateTimeToLiveResult,
} from './operations/update-time-to-live.ts';
export type { DescribeExportRequest, DescribeExportResult } from './operations/describe-export.ts';
export type {
  ExportDescription,
  ExportTableToPointInTimeRequest,
  ExportTableToPointInTimeResult,
  IncrementalExportSpecification,
} from './operations/export-table-to-point-in-time.ts';
export type { ExportSummary, ListExportsRequest, ListExportsResult } from './operations/list-exports.ts';
export type { RestoreOverrides } from './backups/restored-table.ts';
export { createEngine } from './create-engine.ts';
export type { Engine } from './engine.ts';
