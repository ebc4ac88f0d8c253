/** The engine's entry: what the server and the composition root may use. */
export type { Clock, EngineEnvironment, EngineLogEvent, Random, RequestContext, Tasks } from './environment.ts';
export {
  type ActionAtStart,
  type ActionName,
  type ActionRow,
  type EngineActions,
  methodOf,
  type RequestOf,
  type ResultOf,
} from './actions/action.ts';
export { space, spaceStart, storeKey } from './layout/spaces.ts';
export { actionNames, actionTable, isActionName } from './actions/action-table.ts';
export type { ScrubReport } from './doctor/scrub-report.ts';
export { scrubIntervalMs } from './background/scrub-interval.ts';
export { loadDeferredEngine } from './load-deferred-engine.ts';
export type { Touch, TouchedResource } from './actions/touch.ts';
export { RefusedStatement } from './operations/refused-statement.ts';
export type { KeyNames, TableAccessFacts } from './operations/access-facts.ts';
export type { ItemInput } from './items/incoming-item.ts';
export { type ItemOutput, StoredItem } from './layout/stored-item.ts';
export type {
  Capacity,
  ConsumedCapacity,
  ReturnConsumedCapacity,
  ReturnItemCollectionMetrics,
  VectorCapacity,
} from './capacity/consumed-capacity.ts';
export type { ItemCollectionMetrics } from './capacity/item-collection-metrics.ts';
export { deniedAcrossAccounts } from './catalog/access-denied.ts';
export type * from './catalog/table-description.ts';
export type {
  BatchExecuteStatementRequest,
  BatchExecuteStatementResult,
  BatchStatementError,
  BatchStatementRequest,
  BatchStatementResponse,
} from './operations/batch-execute-statement.ts';
export type { BatchGetItemRequest, BatchGetItemResult, KeysAndAttributes } from './operations/batch-get-item.ts';
export type {
  BatchWriteItemRequest,
  BatchWriteItemResult,
  UnprocessedWrite,
  WriteRequest,
} from './operations/batch-write-item.ts';
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
  CapacityReport,
  PartitionReport,
  ResourceCapacityReport,
  ThroughputReport,
} from './operations/capacity-report.ts';
export type { ContributorInsightsReport } from './operations/contributor-insights-report.ts';
export type { ConsumptionNote } from './capacity/shared-consumption.ts';
export type { Contributor, RuleReport } from './capacity/key-insights.ts';
export type { QueryTerm } from './inspection/query-terms.ts';
export type { HeatReport, HeatRequest } from './inspection/heat-report.ts';
export type { ThrottledResourceReport, ThrottlingReport } from './operations/throttling-report.ts';
export type { Throttle } from './capacity/capacity-model.ts';
export type {
  CreateTableResult,
  GlobalSecondaryIndexInput,
  LocalSecondaryIndexInput,
} from './operations/create-table.ts';
export type { CreateTableRequest } from './schema/create-table-request.ts';
export type { DeleteItemRequest } from './operations/delete-item.ts';
export type { DeleteResourcePolicyRequest, DeleteResourcePolicyResult } from './operations/delete-resource-policy.ts';
export type { DeleteTableRequest, DeleteTableResult } from './operations/delete-table.ts';
export type {
  DescribeContributorInsightsRequest,
  DescribeContributorInsightsResult,
} from './operations/describe-contributor-insights.ts';
export type { DescribeEndpointsResult } from './operations/describe-endpoints.ts';
export type {
  DescribeKinesisStreamingDestinationRequest,
  DescribeKinesisStreamingDestinationResult,
  KinesisDataStreamDestination,
} from './operations/describe-kinesis-streaming-destination.ts';
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
export type {
  KinesisStreamingConfiguration,
  KinesisStreamingDestinationRequest,
  KinesisStreamingDestinationResult,
} from './operations/enable-kinesis-streaming-destination.ts';
export type { ExecuteStatementRequest, ExecuteStatementResult } from './operations/execute-statement.ts';
export type {
  ExecuteTransactionRequest,
  ExecuteTransactionResult,
  TransactStatement,
} from './operations/execute-transaction.ts';
export type {
  ExplainedKeyCondition,
  ExplainedOperation,
  ExplainStatementRequest,
  ExplainStatementResult,
} from './operations/explain-statement.ts';
export type { GetItemRequest, GetItemResult } from './operations/get-item.ts';
export type { GetRecordsRequest, GetRecordsResult, StreamEvent } from './operations/get-records.ts';
export type { GetResourcePolicyRequest, GetResourcePolicyResult } from './operations/get-resource-policy.ts';
export type { GetShardIteratorRequest, GetShardIteratorResult } from './operations/get-shard-iterator.ts';
export type {
  ContributorInsightsSummary,
  ListContributorInsightsRequest,
  ListContributorInsightsResult,
} from './operations/list-contributor-insights.ts';
export type { ListStreamsRequest, ListStreamsResult, StreamSummary } from './operations/list-streams.ts';
export type { ListTablesRequest, ListTablesResult } from './operations/list-tables.ts';
export type { ListTagsOfResourceRequest, ListTagsOfResourceResult } from './operations/list-tags-of-resource.ts';
export type { PutItemRequest, ReturnValues } from './operations/put-item.ts';
export type { WriteItemResult } from './operations/write-one-item.ts';
export type { PutResourcePolicyRequest, PutResourcePolicyResult } from './operations/put-resource-policy.ts';
export type { QueryRequest } from './operations/query.ts';
export type { PageResult, Select } from './operations/page-request.ts';
export type { ScanRequest } from './operations/scan.ts';
export type { SearchResultItem, SearchVectorsRequest, SearchVectorsResult } from './operations/search-vectors.ts';
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
export type {
  UpdateContributorInsightsRequest,
  UpdateContributorInsightsResult,
} from './operations/update-contributor-insights.ts';
export type { UpdateItemRequest } from './operations/update-item.ts';
export type {
  GlobalSecondaryIndexUpdate,
  UpdateTableRequest,
  UpdateTableResult,
  VectorIndexUpdate,
} from './operations/update-table.ts';
export type {
  TimeToLiveSpecification,
  UpdateTimeToLiveRequest,
  UpdateTimeToLiveResult,
} from './operations/update-time-to-live.ts';
export type { GlobalTableWitnessUpdate, ReplicaUpdate } from './schema/table-update.ts';
export type {
  CreateGlobalTableRequest,
  GlobalTableNameRequest,
  ListGlobalTablesRequest,
  ListGlobalTablesResult,
  UpdateGlobalTableRequest,
} from './operations/legacy-global-tables.ts';
export type {
  AutoScalingSettings,
  AutoScalingSettingsUpdate,
  DescribeTableReplicaAutoScalingRequest,
  ReplicaAutoScalingDescription,
  ReplicaAutoScalingUpdate,
  TableAutoScalingDescription,
  TableAutoScalingResult,
  UpdateTableReplicaAutoScalingRequest,
} from './operations/table-replica-auto-scaling.ts';
export {
  type ReplicaAnswer,
  type ReplicaLink,
  type ReplicaMessage,
  type ReplicatedChange,
  ReplicaUnreachableError,
} from './replication/replica-message.ts';
export { knownRegions } from './replication/known-regions.ts';
export type { ReplicationRound, ReplicationRoute } from './replication/replicate.ts';
export type { ReplicaLag } from './replication/replication-report.ts';
export type {
  UpdateKinesisStreamingDestinationRequest,
  UpdateKinesisStreamingDestinationResult,
} from './operations/update-kinesis-streaming-destination.ts';
export type { ChangeSink, SinkOutcome, SinkRecord } from './kinesis/change-sink.ts';
export { samePolicy } from './policies/same-policy.ts';
export type { CancelBulkOperationRequest, CancelBulkOperationResult } from './operations/cancel-bulk-operation.ts';
export type {
  DescribeBulkOperationRequest,
  DescribeBulkOperationResult,
} from './operations/describe-bulk-operation.ts';
export type { DescribeImportRequest, DescribeImportResult } from './operations/describe-import.ts';
export type { ImportTableRequest, ImportTableResult } from './operations/import-table.ts';
export type { ListBulkOperationsRequest, ListBulkOperationsResult } from './operations/list-bulk-operations.ts';
export type { ListImportsRequest, ListImportsResult } from './operations/list-imports.ts';
export type { StartBulkPutItemsRequest, StartBulkPutItemsResult } from './operations/start-bulk-put-items.ts';
export type {
  ImportSummary,
  ImportTableDescription,
  InputFormatOptions,
  CsvOptions,
  S3BucketSource,
  TableCreationParameters,
} from './transfer/describe-import-record.ts';
export type {
  BulkOperationBytes,
  BulkOperationDescription,
  BulkOperationSummary,
  BulkOperationUsage,
  InputS3Configuration,
  OutputS3Configuration,
} from './transfer/describe-bulk-record.ts';
export type { DescribeExportRequest, DescribeExportResult } from './operations/describe-export.ts';
export type {
  ExportDescription,
  ExportTableToPointInTimeRequest,
  ExportTableToPointInTimeResult,
  IncrementalExportSpecification,
} from './operations/export-table-to-point-in-time.ts';
export type { ExportSummary, ListExportsRequest, ListExportsResult } from './operations/list-exports.ts';
export type { FilterSpecification } from './backups/export-filter.ts';
export type { RestoreOverrides } from './backups/restored-table.ts';
export {
  type AutoScaling,
  alarmsOf,
  type DeleteScalingPolicyRequest,
  type DescribeScalableTargetsRequest,
  type DescribeScalingActivitiesRequest,
  type DescribeScalingPoliciesRequest,
  policyArn,
  type PutScalingPolicyRequest,
  type RegisterScalableTargetRequest,
  targetArn,
} from './scaling/auto-scaling.ts';
export { scalableDimensions, type ScalableReference, scalableResourceOf } from './scaling/scalable-resource.ts';
export type {
  ActivityRecord,
  PolicyRecord,
  ScalingRecord,
  SuspendedState,
  TargetTracking,
} from './scaling/scaling-record.ts';
export { createEngine } from './create-engine.ts';
export type { Engine } from './engine.ts';
export type { ReadCall } from './inspection/explain-read.ts';
export type { TableGauges } from './inspection/table-gauges.ts';
export type { WriteCall } from './inspection/preview-write.ts';
export type { CreateVectorGraph, VectorGraph } from './vectors/vector-graph.ts';
export { checkForecast, namedSettings } from './weather/weather-settings.ts';
export type {
  NamedSettings,
  WeatherChoice,
  WeatherForecast,
  WeatherName,
  WeatherSettings,
} from './weather/weather-settings.ts';
export type { WeatherKind, WeatherReport } from './weather/weather.ts';
export type { SetWeatherRequest } from './operations/weather.ts';
