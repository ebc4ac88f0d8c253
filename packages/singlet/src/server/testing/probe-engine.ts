import type {
  BulkOperationDescription,
  CapacityReport,
  Engine,
  BackupDescription,
  ContinuousBackupsDescription,
  ExportDescription,
  ImportTableDescription,
  RequestContext,
  TableDescription,
} from '../../engine/index.ts';
import type { ActionName, ResultOf } from '../operations/operation.ts';

/** What the probe was asked. */
export interface ProbeCall {
  readonly action: ActionName;
  readonly request: unknown;
  readonly context: RequestContext;
}

/** An engine that holds no data: it takes note of the requests that reach it and answers what it was told to. */
export interface ProbeEngine extends Engine {
  readonly calls: ProbeCall[];
  /** Answers by action, changeable while tests run. A function is called: it may throw. */
  readonly answers: { [A in ActionName]: ResultOf<A> | (() => ResultOf<A> | Promise<ResultOf<A>>) };
}

const table: TableDescription = {
  tableName: 'probe',
  tableStatus: 'ACTIVE',
  provisionedThroughput: { numberOfDecreasesToday: 0, readCapacityUnits: 0, writeCapacityUnits: 0 },
  tableSizeBytes: 0,
  itemCount: 0,
  tableArn: 'arn:aws:dynamodb:us-east-1:000000000000:table/probe',
  tableId: '00000000-0000-0000-0000-000000000000',
  deletionProtectionEnabled: false,
};

/** The actions of the global tables of 2017 have no answers but errors. Here they have an empty one. */
const legacy = undefined as never;

const autoScaling = {
  tableAutoScalingDescription: { tableName: 'probe', tableStatus: 'ACTIVE', replicas: [] },
} as const;
const noThroughput = {
  unitsPerSecond: 0,
  bucketUnits: 0,
  bucketUnitsMax: 0,
  consumedUnitsPerSecond: 0,
  consumedUnits: 0,
  throttledCount: 0,
};

const capacity: CapacityReport = {
  tableName: 'probe',
  tableArn: table.tableArn,
  billingMode: 'PAY_PER_REQUEST',
  isThrottled: false,
  atEpochMs: 0,
  table: {
    itemCount: 0,
    sizeBytes: 0,
    readLimit: 'AccountLimitExceeded',
    writeLimit: 'AccountLimitExceeded',
    reads: noThroughput,
    writes: noThroughput,
    partitions: [],
  },
  globalSecondaryIndexes: {},
};

const tableImport: ImportTableDescription = {
  importArn: `${table.tableArn}/import/01658528578619-c4d4e311`,
  importStatus: 'IN_PROGRESS',
  tableArn: table.tableArn,
  tableId: table.tableId,
  clientToken: 'token',
  s3BucketSource: { s3Bucket: 'bucket' },
  errorCount: 0,
  cloudWatchLogGroupArn: 'arn:aws:logs:us-east-1:000000000000:log-group:/aws-dynamodb/imports:*',
  inputFormat: 'DYNAMODB_JSON',
  inputCompressionType: 'NONE',
  tableCreationParameters: { tableName: 'probe' },
  startTime: 0,
  processedItemCount: 0,
  importedItemCount: 0,
};

const bulkOperation: BulkOperationDescription = {
  bulkOperationArn: `${table.tableArn}/bulk-operation/01658528578619-c4d4e311`,
  bulkOperationStatus: 'IN_PROGRESS',
  tableDetails: [],
  clientToken: 'token',
  inputS3Configuration: { s3Bucket: 'bucket', inputFormat: 'ION' },
  outputS3Configuration: { s3Bucket: 'bucket', outputType: ['ERROR'] },
  startTime: 0,
  processedItemCount: 0,
  processedInputBytes: 0,
  bulkOperationUsage: [],
  failedItemCount: 0,
  performanceTier: 'STANDARD',
};

const backup: BackupDescription = {
  backupDetails: {
    backupArn: 'arn:aws:dynamodb:us-east-1:000000000000:table/probe/backup/01704067200000-00000001',
    backupName: 'backup',
    backupSizeBytes: 0,
    backupStatus: 'AVAILABLE',
    backupType: 'USER',
    backupCreationDateTime: 0,
  },
  sourceTableDetails: {
    tableName: 'probe',
    tableId: '00000000-0000-0000-0000-000000000000',
    tableArn: 'arn:aws:dynamodb:us-east-1:000000000000:table/probe',
    tableSizeBytes: 0,
    keySchema: [],
    tableCreationDateTime: 0,
    provisionedThroughput: { readCapacityUnits: 0, writeCapacityUnits: 0 },
    itemCount: 0,
    billingMode: 'PAY_PER_REQUEST',
  },
  sourceTableFeatureDetails: {},
};

const continuousBackups: ContinuousBackupsDescription = {
  continuousBackupsStatus: 'ENABLED',
  pointInTimeRecoveryDescription: { pointInTimeRecoveryStatus: 'DISABLED' },
};

const exported: ExportDescription = {
  exportArn: 'arn:aws:dynamodb:us-east-1:000000000000:table/probe/export/01704067200000-00000001',
  exportStatus: 'IN_PROGRESS',
  startTime: 0,
  tableArn: 'arn:aws:dynamodb:us-east-1:000000000000:table/probe',
  tableId: '00000000-0000-0000-0000-000000000000',
  s3Bucket: 'bucket',
  s3SseAlgorithm: 'AES256',
  exportFormat: 'DYNAMODB_JSON',
};

export function createProbeEngine(answers: Partial<ProbeEngine['answers']> = {}): ProbeEngine {
  const calls: ProbeCall[] = [];
  const all: ProbeEngine['answers'] = {
    BatchExecuteStatement: { responses: [] },
    BatchGetItem: { responses: {}, unprocessedKeys: {} },
    BatchWriteItem: { unprocessedItems: {} },
    CancelBulkOperation: { bulkOperationArn: 'arn', bulkOperationStatus: 'CANCELLING' },
    CreateBackup: { backupDetails: backup.backupDetails },
    CreateTable: { tableDescription: table },
    DeleteBackup: { backupDescription: backup },
    DeleteItem: {},
    DeleteResourcePolicy: {},
    DeleteTable: { tableDescription: table },
    DescribeContributorInsights: { tableName: 'probe', contributorInsightsStatus: 'DISABLED' },
    DescribeBulkOperation: { bulkOperationDescription: bulkOperation },
    DescribeEndpoints: { endpoints: [{ address: 'localhost', cachePeriodInMinutes: 1440 }] },
    DescribeKinesisStreamingDestination: { tableName: 'probe', kinesisDataStreamDestinations: [] },
    DescribeBackup: { backupDescription: backup },
    DescribeContinuousBackups: { continuousBackupsDescription: continuousBackups },
    DescribeExport: { exportDescription: exported },
    DescribeLimits: {
      accountMaxReadCapacityUnits: 80_000,
      accountMaxWriteCapacityUnits: 80_000,
      tableMaxReadCapacityUnits: 40_000,
      tableMaxWriteCapacityUnits: 40_000,
    },
    DescribeStream: {
      streamDescription: {
        streamArn: 'arn:aws:dynamodb:us-east-1:000000000000:table/probe/stream/2024-01-01T00:00:00.000',
        streamLabel: '2024-01-01T00:00:00.000',
        streamStatus: 'ENABLED',
        streamViewType: 'KEYS_ONLY',
        creationRequestDateTime: 0,
        tableName: 'probe',
        keySchema: [],
        shards: [],
      },
    },
    DescribeImport: { importTableDescription: tableImport },
    DescribeTable: { table },
    DescribeTimeToLive: { timeToLiveDescription: { timeToLiveStatus: 'DISABLED' } },
    DisableKinesisStreamingDestination: {
      tableName: 'probe',
      streamArn: 'arn',
      destinationStatus: 'DISABLING',
    },
    EnableKinesisStreamingDestination: { tableName: 'probe', streamArn: 'arn', destinationStatus: 'ENABLING' },
    ExecuteStatement: { items: [] },
    ExecuteTransaction: { responses: [] },
    ExplainStatement: { tableName: 'probe', isScan: true, operations: [] },
    ExportTableToPointInTime: { exportDescription: exported },
    GetItem: {},
    GetRecords: { records: [] },
    GetResourcePolicy: { policy: '{}', revisionId: '1' },
    GetShardIterator: { shardIterator: 'iterator' },
    ListContributorInsights: { contributorInsightsSummaries: [] },
    ImportTable: { importTableDescription: tableImport },
    ListBulkOperations: { bulkOperationsSummaryList: [] },
    ListImports: { importSummaryList: [] },
    ListBackups: { backupSummaries: [] },
    ListExports: { exportSummaries: [] },
    ListStreams: { streams: [] },
    ListTables: { tableNames: [] },
    ListTagsOfResource: { tags: [] },
    PutItem: {},
    PutResourcePolicy: { revisionId: '1' },
    Query: { items: [], count: 0, scannedCount: 0 },
    RestoreTableFromBackup: { tableDescription: table },
    RestoreTableToPointInTime: { tableDescription: table },
    Scan: { items: [], count: 0, scannedCount: 0 },
    SearchVectors: { searchResults: [] },
    StartBulkPutItems: { bulkOperationDescription: bulkOperation },
    TagResource: undefined,
    TransactGetItems: { responses: [] },
    TransactWriteItems: {},
    UntagResource: undefined,
    UpdateContributorInsights: { tableName: 'probe', contributorInsightsStatus: 'ENABLING' },
    UpdateContinuousBackups: { continuousBackupsDescription: continuousBackups },
    UpdateItem: {},
    UpdateKinesisStreamingDestination: {
      tableName: 'probe',
      streamArn: 'arn',
      destinationStatus: 'UPDATING',
      updateKinesisStreamingConfiguration: {},
    },
    UpdateTable: { tableDescription: table },
    UpdateTimeToLive: { timeToLiveSpecification: { enabled: true, attributeName: 'expires' } },
    CreateGlobalTable: legacy,
    DescribeGlobalTable: legacy,
    DescribeGlobalTableSettings: legacy,
    DescribeTableReplicaAutoScaling: autoScaling,
    ListGlobalTables: { globalTables: [] },
    UpdateGlobalTable: legacy,
    UpdateGlobalTableSettings: legacy,
    UpdateTableReplicaAutoScaling: autoScaling,
    ...answers,
  };

  async function answer<A extends ActionName>(
    action: A,
    request: unknown,
    context: RequestContext,
  ): Promise<ResultOf<A>> {
    calls.push({ action, request, context });
    const prepared: unknown = all[action];
    // What is stored under an action is its result or a function that returns it, as `answers` declares.
    return (typeof prepared === 'function' ? await (prepared as () => unknown)() : prepared) as ResultOf<A>;
  }

  return {
    calls,
    answers: all,
    batchExecuteStatement: (request, context) => answer('BatchExecuteStatement', request, context),
    batchGetItem: (request, context) => answer('BatchGetItem', request, context),
    batchWriteItem: (request, context) => answer('BatchWriteItem', request, context),
    cancelBulkOperation: (request, context) => answer('CancelBulkOperation', request, context),
    createBackup: (request, context) => answer('CreateBackup', request, context),
    createTable: (request, context) => answer('CreateTable', request, context),
    deleteBackup: (request, context) => answer('DeleteBackup', request, context),
    deleteItem: (request, context) => answer('DeleteItem', request, context),
    deleteResourcePolicy: (request, context) => answer('DeleteResourcePolicy', request, context),
    deleteTable: (request, context) => answer('DeleteTable', request, context),
    describeContributorInsights: (request, context) => answer('DescribeContributorInsights', request, context),
    describeEndpoints: (request, context) => answer('DescribeEndpoints', request, context),
    describeKinesisStreamingDestination: (request, context) =>
      answer('DescribeKinesisStreamingDestination', request, context),
    describeBulkOperation: (request, context) => answer('DescribeBulkOperation', request, context),
    describeImport: (request, context) => answer('DescribeImport', request, context),
    describeBackup: (request, context) => answer('DescribeBackup', request, context),
    describeContinuousBackups: (request, context) => answer('DescribeContinuousBackups', request, context),
    describeExport: (request, context) => answer('DescribeExport', request, context),
    describeLimits: (request, context) => answer('DescribeLimits', request, context),
    describeStream: (request, context) => answer('DescribeStream', request, context),
    describeTable: (request, context) => answer('DescribeTable', request, context),
    describeTimeToLive: (request, context) => answer('DescribeTimeToLive', request, context),
    disableKinesisStreamingDestination: (request, context) =>
      answer('DisableKinesisStreamingDestination', request, context),
    enableKinesisStreamingDestination: (request, context) =>
      answer('EnableKinesisStreamingDestination', request, context),
    executeStatement: (request, context) => answer('ExecuteStatement', request, context),
    executeTransaction: (request, context) => answer('ExecuteTransaction', request, context),
    explainStatement: (request, context) => answer('ExplainStatement', request, context),
    exportTableToPointInTime: (request, context) => answer('ExportTableToPointInTime', request, context),
    getItem: (request, context) => answer('GetItem', request, context),
    getRecords: (request, context) => answer('GetRecords', request, context),
    getResourcePolicy: (request, context) => answer('GetResourcePolicy', request, context),
    getShardIterator: (request, context) => answer('GetShardIterator', request, context),
    listContributorInsights: (request, context) => answer('ListContributorInsights', request, context),
    importTable: (request, context) => answer('ImportTable', request, context),
    listBulkOperations: (request, context) => answer('ListBulkOperations', request, context),
    listImports: (request, context) => answer('ListImports', request, context),
    listBackups: (request, context) => answer('ListBackups', request, context),
    listExports: (request, context) => answer('ListExports', request, context),
    listStreams: (request, context) => answer('ListStreams', request, context),
    listTables: (request, context) => answer('ListTables', request, context),
    listTagsOfResource: (request, context) => answer('ListTagsOfResource', request, context),
    putItem: (request, context) => answer('PutItem', request, context),
    putResourcePolicy: (request, context) => answer('PutResourcePolicy', request, context),
    query: (request, context) => answer('Query', request, context),
    restoreTableFromBackup: (request, context) => answer('RestoreTableFromBackup', request, context),
    restoreTableToPointInTime: (request, context) => answer('RestoreTableToPointInTime', request, context),
    scan: (request, context) => answer('Scan', request, context),
    searchVectors: (request, context) => answer('SearchVectors', request, context),
    startBulkPutItems: (request, context) => answer('StartBulkPutItems', request, context),
    tagResource: (request, context) => answer('TagResource', request, context),
    transactGetItems: (request, context) => answer('TransactGetItems', request, context),
    transactWriteItems: (request, context) => answer('TransactWriteItems', request, context),
    untagResource: (request, context) => answer('UntagResource', request, context),
    updateContributorInsights: (request, context) => answer('UpdateContributorInsights', request, context),
    updateContinuousBackups: (request, context) => answer('UpdateContinuousBackups', request, context),
    updateItem: (request, context) => answer('UpdateItem', request, context),
    updateKinesisStreamingDestination: (request, context) =>
      answer('UpdateKinesisStreamingDestination', request, context),
    updateTable: (request, context) => answer('UpdateTable', request, context),
    updateTimeToLive: (request, context) => answer('UpdateTimeToLive', request, context),
    createGlobalTable: (request, context) => answer('CreateGlobalTable', request, context),
    describeGlobalTable: (request, context) => answer('DescribeGlobalTable', request, context),
    describeGlobalTableSettings: (request, context) => answer('DescribeGlobalTableSettings', request, context),
    describeTableReplicaAutoScaling: (request, context) => answer('DescribeTableReplicaAutoScaling', request, context),
    listGlobalTables: (request, context) => answer('ListGlobalTables', request, context),
    updateGlobalTable: (request, context) => answer('UpdateGlobalTable', request, context),
    updateGlobalTableSettings: (request, context) => answer('UpdateGlobalTableSettings', request, context),
    updateTableReplicaAutoScaling: (request, context) => answer('UpdateTableReplicaAutoScaling', request, context),
    capacityReport: ({ tableName }) => Promise.resolve({ ...capacity, tableName }),
    contributorInsightsReport: ({ tableName }) =>
      Promise.resolve({ tableName, contributorInsightsStatus: 'DISABLED', atEpochMs: 0, rules: [] }),
    beginBackgroundWork: () => Promise.resolve(),
    sweepExpiredItems: () => Promise.resolve(0),
    replicate: () => Promise.resolve({ sentItemCount: 0, isSettled: true }),
    replicationReport: () => Promise.resolve([]),
    receiveReplicaMessage: () => Promise.resolve({ kind: 'written', outcome: 'unknown' }),
    close: () => Promise.resolve(),
  };
}
