/**
 * Every limit of the service, in one place. The name says what it bounds, the end of the name is the unit, and the
 * comment names the page that states it. Sizes are binary: 1 KB is 1,024 bytes.
 *
 * Pages: [C] Developer Guide, "Constraints"; [Q] Developer Guide, "Quotas"; [A] API Reference, the action named.
 *
 * The engine receives its limits as a parameter, so that a test can reach one with a few items; {@link serviceLimits} are those of the
 * service.
 */
export interface Limits {
  // Items and attributes

  /** Size of an item, names and values; with local secondary indexes also together with its entries in them. [C] */
  readonly itemSizeBytesMax: number;
  /** UTF-8 length of an attribute name. [C] says 64 KB; the service refuses the 65,536th byte. */
  readonly attributeNameBytesMax: number;
  /** UTF-8 length of the name of an index key attribute, or of a projected attribute that is named. [C] */
  readonly keyAttributeNameBytesMax: number;
  /** Levels of a document: an attribute's value is the first, an element of it the second. [C] */
  readonly nestingDepthMax: number;
  /** UTF-8 or binary length of a partition key value; the least is 1. [C] */
  readonly partitionKeyBytesMax: number;
  /** UTF-8 or binary length of a sort key value; the least is 1. [C] */
  readonly sortKeyBytesMax: number;

  // Requests

  /** Body of an HTTP request. [A] */
  readonly requestBytesMax: number;
  /** Bytes of items evaluated for one page of Query or Scan: the item that reaches the limit is the last. [C] */
  readonly queryPageBytesMax: number;
  /** Keys in one BatchGetItem. [C] */
  readonly batchGetKeyCountMax: number;
  /** Put and delete requests in one BatchWriteItem. [C] */
  readonly batchWriteCountMax: number;
  /** Items read by one BatchGetItem, or written by one BatchWriteItem. [C] */
  readonly batchBytesMax: number;
  /** Statements in one BatchExecuteStatement. [A] */
  readonly batchStatementCountMax: number;
  /** Actions in one TransactWriteItems, TransactGetItems or ExecuteTransaction. [C] */
  readonly transactionActionCountMax: number;
  /** The items that a TransactWriteItems sends, or that a TransactGetItems reads. [C] */
  readonly transactionBytesMax: number;
  /** Length of a ClientRequestToken; the least is 1. [A] TransactWriteItems */
  readonly clientRequestTokenLengthMax: number;
  /** How long a repeated ClientRequestToken makes a transaction idempotent. [A] TransactWriteItems */
  readonly clientRequestTokenMinutes: number;
  /** TotalSegments of a parallel Scan. [A] Scan */
  readonly scanSegmentCountMax: number;
  /** Length of a PartiQL statement. [A] ExecuteStatement */
  readonly statementLengthMax: number;

  // Expressions

  /** UTF-8 length of one expression. [C] */
  readonly expressionBytesMax: number;
  /** UTF-8 length of one `#name` or `:value`, its first character included. [C] */
  readonly placeholderBytesMax: number;
  /** Total size of the names and values that a request substitutes. [C] */
  readonly expressionValuesBytesMax: number;
  /** Operators in one expression. [C] counts functions too, but the service does not. */
  readonly expressionOperatorCountMax: number;
  /** Values in one IN. [C] */
  readonly inOperandCountMax: number;

  // Tables and indexes

  /** Length of the name of a table or index. [C] */
  readonly tableNameLengthMin: number;
  /** Most characters of a table's name. */
  readonly tableNameLengthMax: number;
  /** Tables of an account in a region. [Q] */
  readonly tableCountMax: number;
  /** Tables that are being created, changed or deleted at one time. [Q] */
  readonly tableOperationCountMax: number;
  /** Table names in one answer of ListTables. [A] */
  readonly listTablesCountMax: number;
  /** Local secondary indexes of a table. [Q] */
  readonly localIndexCountMax: number;
  /** Global secondary indexes of a table. [Q] */
  readonly globalIndexCountMax: number;
  /** Global secondary indexes that one UpdateTable creates or deletes. [A] UpdateTable */
  readonly globalIndexChangeCountMax: number;
  /** Vector indexes of a table. [Q] */
  readonly vectorIndexCountMax: number;
  /** Numbers in a vector; the least is 1. [Q] */
  readonly vectorDimensionsMax: number;
  /** Inline filters of a vector index. [Q] */
  readonly vectorInlineFilterCountMax: number;
  /** Results of a vector search; the least is 1. [Q] */
  readonly vectorTopKMax: number;
  /** Items in one answer of SearchVectors. Developer Guide, "Vector search: requirements and limitations" */
  readonly vectorSearchBytesMax: number;
  /** Minimum size for which a write to a vector index, or a search, is metered. Recorded from the service. */
  readonly vectorRequestBytesMin: number;
  /**
   * Most entries that a search usually compares one by one. With more, an approximate graph is built, which then serves the
   * searches. Not a limit of the service.
   */
  readonly vectorExactSearchCountMax: number;
  /** Estimated memory of all approximate graphs of a process. Not a limit of the service. */
  readonly vectorGraphBytesMax: number;
  /** Attributes that all projections of a table name together. [C] */
  readonly projectedAttributeCountMax: number;
  /** Attributes that one projection names. [A] Projection */
  readonly projectedAttributePerIndexCountMax: number;
  /** Partition key attributes, and sort key attributes, of a global secondary index. [A] CreateTable */
  readonly globalIndexKeyAttributeCountMax: number;
  /** Total size of the items with one partition key and their entries in local secondary indexes. [C] */
  readonly itemCollectionBytesMax: number;
  /** Overhead of each index entry, in addition to what is projected. Developer Guide, "Storage considerations for GSIs" */
  readonly indexEntryOverheadBytes: number;
  /** Tags of a resource. [A] TagResource */
  readonly tagCountMax: number;
  /** Length of the key of a tag; the least is 1. [A] Tag */
  readonly tagKeyLengthMax: number;
  /** Length of the value of a tag. [A] Tag */
  readonly tagValueLengthMax: number;

  // Throughput

  /** What one read capacity unit reads, strongly consistently, in one second. [C] */
  readonly readCapacityUnitBytes: number;
  /** What one write capacity unit writes in one second. [C] */
  readonly writeCapacityUnitBytes: number;
  /** Per second and partition. Developer Guide, "Designing partition keys" */
  readonly partitionReadCapacityUnitsMax: number;
  /** Write units that one partition takes per second. */
  readonly partitionWriteCapacityUnitsMax: number;
  /** Data of a partition before it splits. */
  readonly partitionBytesMax: number;
  /** Consecutive seconds that a partition runs at its limit before it splits. Assumed: the service publishes no figure. */
  readonly partitionHeatSeconds: number;
  /** Partitions that are distinguished in one table or index. Not a limit of the service; beyond it nothing splits. */
  readonly partitionCountMax: number;
  /** Read units, and likewise write units, that a table may be given. [Q] */
  readonly tableCapacityUnitsMax: number;
  /** Read units, and likewise write units, that all tables of an account in a region may be given. [Q] */
  readonly accountCapacityUnitsMax: number;
  /** What a new on-demand table serves at once. Developer Guide, "On-demand capacity mode" */
  readonly onDemandReadCapacityUnitsInitial: number;
  /** Write units per second that a new on-demand table takes. */
  readonly onDemandWriteCapacityUnitsInitial: number;
  /** Seconds of unused provisioned capacity that may be spent in a burst. */
  readonly burstSecondsMax: number;
  /** Decreases of provisioned throughput in the first hour of a UTC day that has any; after that, one per hour. [Q] */
  readonly throughputDecreaseInFirstHourCountMax: number;
  /** Switches of a table from provisioned to on-demand mode in 24 hours. [C] */
  readonly billingModeSwitchPerDayCountMax: number;
  /** Rules of contributor insights that all tables and indexes of an account in a region have. CloudWatch quota. */
  readonly contributorInsightsRuleCountMax: number;
  /** Entries evaluated for one answer of ListContributorInsights. [A] */
  readonly listContributorInsightsCountMax: number;
  /** Keys that one rule counts at a time. Not a limit of the service, whose sketches are its own. */
  readonly contributorKeyCountMax: number;
  /** How long keys are counted before counting starts over; reports cover the current and the previous period. */
  readonly contributorWindowMinutes: number;

  // Streams, time to live, backups

  /** How long a stream keeps its records. Developer Guide, "Change data capture for DynamoDB Streams" */
  readonly streamRetentionHours: number;
  /** Records in one answer of GetRecords. [A] GetRecords */
  readonly streamRecordsCountMax: number;
  /** Records in one answer of GetRecords, in bytes. [A] GetRecords */
  readonly streamRecordsBytesMax: number;
  /** How long a shard iterator can be used. [A] GetShardIterator */
  readonly shardIteratorMinutes: number;
  /** Recommended maximum of processes that read from one shard at one time. [Q] */
  readonly shardReaderCountMax: number;
  /** How old an open shard gets before its children take over. The service does so after about four hours. */
  readonly streamShardMinutes: number;
  /** Open shards of a new stream: one for each partition of a new on-demand table. */
  readonly streamShardCountInitial: number;
  /** Open shards that a stream grows to by splitting. The service has no such limit; here more of them have no use. */
  readonly streamShardCountMax: number;
  /** One in this many shards splits in two at the end of its time, so that consumers see splits. Not a limit of the service. */
  readonly streamShardSplitInterval: number;
  /** Shards in one answer of DescribeStream, and streams in one of ListStreams. [A] */
  readonly listStreamsCountMax: number;
  /** Items that expired longer ago than this are not deleted. Developer Guide, "Time to live" */
  readonly timeToLiveAgeYearsMax: number;
  /** Wait between two changes of a table's time to live setting. [A] UpdateTimeToLive */
  readonly timeToLiveChangeMinutes: number;

  // Kinesis streaming destinations

  /** How long a disabled or failed destination is still described. The service shows them for a while. */
  readonly kinesisDestinationHours: number;
  /** Most destinations of a table that are described. The service is not known to have such a limit. */
  readonly kinesisDestinationCountMax: number;

  // Resource-based policies

  /** UTF-8 length of a policy document, blanks included. Developer Guide, "Resource-based policy considerations" */
  readonly resourcePolicyBytesMax: number;
  /** How soon after a change a policy may be changed again. Developer Guide, "Resource-based policy considerations" */
  readonly resourcePolicyChangeSeconds: number;
  /** How far back a table can be restored. Developer Guide, "Point-in-time recovery" */
  readonly pointInTimeRecoveryDaysMax: number;
  /** Minimum time that the deletion of an item from a table with replicas is remembered. Ours: the service does not say. */
  readonly replicaTombstoneHours: number;
  /** Most items pending for a region that are counted. Ours. */
  readonly replicaReportItemCountMax: number;

  // Imports and bulk operations

  /** Imports, and bulk operations, of an account in a region that run at one time. Developer Guide, "Import format quotas" */
  readonly loadCountMax: number;
  /** Objects that one import or bulk operation reads. Developer Guide, "Import format quotas" */
  readonly loadObjectCountMax: number;
  /** Text of one item in a file. Not a limit of the service on record; no item that can be stored needs a tenth of it. */
  readonly loadRecordBytesMax: number;
  /** How long a repeated client token makes an import or bulk operation idempotent. [A] ImportTable */
  readonly loadTokenHours: number;
  /** How long an import or bulk operation is listed after its end. [A] ListImports */
  readonly loadHistoryDays: number;
  /** Imports in one answer of ListImports. [A] ListImports */
  readonly listImportsCountMax: number;
  /** Size of an object that a bulk operation reads. Developer Guide, "Best practices for bulk put items" */
  readonly bulkObjectBytesMax: number;
  /** How long the backup is kept that is made when a table with point-in-time recovery is deleted. [A] BackupDetails */
  readonly systemBackupDays: number;
  /** Backups in one answer of ListBackups. [A] */
  readonly listBackupsCountMax: number;
  /** Restores of an account in a region that run at one time. [A] RestoreTableFromBackup */
  readonly restoreCountMax: number;
  /** Exports of an account in a region that run at one time. [Q] */
  readonly exportCountMax: number;
  /** The shortest and the longest time that an incremental export covers. Developer Guide, "Exporting table data" */
  readonly incrementalExportMinutesMin: number;
  /** Longest period of an incremental export, minutes. */
  readonly incrementalExportMinutesMax: number;
  /** How long a repeated ClientToken makes an export idempotent. [A] ExportTableToPointInTime */
  readonly exportTokenHours: number;
  /** How long exports are listed. Developer Guide, "Exporting table data" */
  readonly exportHistoryDays: number;
  /** Exports in one answer of ListExports. [A] */
  readonly listExportsCountMax: number;
  /** Text in one file of an export, before it is compressed. Not a limit of the service: it has a file for each partition. */
  readonly exportFileBytes: number;
  /** Backups, restores and exports of one table that are being prepared at one time. The service states no such limit. */
  readonly changeLogReaderCountMax: number;
}

const kilobyte = 1024;
const megabyte = 1024 * kilobyte;
const gigabyte = 1024 * megabyte;

/** The limits of the service today; adjustable quotas at their default. */
export const serviceLimits: Limits = {
  itemSizeBytesMax: 400 * kilobyte,
  attributeNameBytesMax: 65_535,
  keyAttributeNameBytesMax: 255,
  nestingDepthMax: 32,
  partitionKeyBytesMax: 2048,
  sortKeyBytesMax: 1024,

  requestBytesMax: 16 * megabyte,
  queryPageBytesMax: megabyte,
  batchGetKeyCountMax: 100,
  batchWriteCountMax: 25,
  batchBytesMax: 16 * megabyte,
  batchStatementCountMax: 25,
  transactionActionCountMax: 100,
  transactionBytesMax: 4 * megabyte,
  clientRequestTokenLengthMax: 36,
  clientRequestTokenMinutes: 10,
  scanSegmentCountMax: 1_000_000,
  statementLengthMax: 8192,

  expressionBytesMax: 4 * kilobyte,
  placeholderBytesMax: 255,
  expressionValuesBytesMax: 2 * megabyte,
  expressionOperatorCountMax: 300,
  inOperandCountMax: 100,

  tableNameLengthMin: 3,
  tableNameLengthMax: 255,
  tableCountMax: 2500,
  tableOperationCountMax: 500,
  listTablesCountMax: 100,
  localIndexCountMax: 5,
  globalIndexCountMax: 20,
  globalIndexChangeCountMax: 1,
  vectorIndexCountMax: 5,
  vectorDimensionsMax: 4096,
  vectorInlineFilterCountMax: 18,
  vectorTopKMax: 100,
  vectorSearchBytesMax: 16 * megabyte,
  vectorRequestBytesMin: kilobyte,
  vectorExactSearchCountMax: 50_000,
  vectorGraphBytesMax: 2 * gigabyte,
  projectedAttributeCountMax: 100,
  projectedAttributePerIndexCountMax: 20,
  globalIndexKeyAttributeCountMax: 4,
  itemCollectionBytesMax: 10 * gigabyte,
  indexEntryOverheadBytes: 100,
  tagCountMax: 50,
  tagKeyLengthMax: 128,
  tagValueLengthMax: 256,

  readCapacityUnitBytes: 4 * kilobyte,
  writeCapacityUnitBytes: kilobyte,
  partitionReadCapacityUnitsMax: 3000,
  partitionWriteCapacityUnitsMax: 1000,
  partitionBytesMax: 10 * gigabyte,
  partitionHeatSeconds: 60,
  partitionCountMax: 1024,
  tableCapacityUnitsMax: 40_000,
  accountCapacityUnitsMax: 80_000,
  onDemandReadCapacityUnitsInitial: 12_000,
  onDemandWriteCapacityUnitsInitial: 4000,
  burstSecondsMax: 300,
  throughputDecreaseInFirstHourCountMax: 4,
  billingModeSwitchPerDayCountMax: 4,
  contributorInsightsRuleCountMax: 100,
  listContributorInsightsCountMax: 100,
  contributorKeyCountMax: 256,
  contributorWindowMinutes: 30,

  streamRetentionHours: 24,
  streamRecordsCountMax: 1000,
  streamRecordsBytesMax: megabyte,
  shardIteratorMinutes: 15,
  shardReaderCountMax: 2,
  streamShardMinutes: 240,
  streamShardCountInitial: 4,
  streamShardCountMax: 8,
  streamShardSplitInterval: 4,
  listStreamsCountMax: 100,
  timeToLiveAgeYearsMax: 5,
  timeToLiveChangeMinutes: 60,
  kinesisDestinationHours: 24,
  kinesisDestinationCountMax: 20,
  resourcePolicyBytesMax: 20 * kilobyte,
  resourcePolicyChangeSeconds: 15,
  pointInTimeRecoveryDaysMax: 35,
  replicaTombstoneHours: 24,
  replicaReportItemCountMax: 1000,

  loadCountMax: 50,
  loadObjectCountMax: 50_000,
  loadRecordBytesMax: 16 * megabyte,
  loadTokenHours: 8,
  loadHistoryDays: 90,
  listImportsCountMax: 25,
  bulkObjectBytesMax: 5 * gigabyte,
  systemBackupDays: 35,
  listBackupsCountMax: 100,
  restoreCountMax: 50,
  exportCountMax: 300,
  incrementalExportMinutesMin: 15,
  incrementalExportMinutesMax: 24 * 60,
  exportTokenHours: 8,
  exportHistoryDays: 90,
  listExportsCountMax: 25,
  exportFileBytes: 64 * megabyte,
  changeLogReaderCountMax: 500,
};
