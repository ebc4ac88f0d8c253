import {
  type ActionName,
  actionNames,
  methodOf,
  type ResultOf,
  type BulkOperationDescription,
  type CapacityReport,
  type Engine,
  type EngineActions,
  type BackupDescription,
  type ContinuousBackupsDescription,
  type ExportDescription,
  type ImportTableDescription,
  type RequestContext,
  type TableDescription,
} from '../../engine/index.ts';

/** A call that the probe received. */
export interface ProbeCall {
  readonly action: ActionName;
  readonly request: unknown;
  readonly context: RequestContext;
}

/** An engine without data: it records the requests that reach it and returns prepared answers. */
export interface ProbeEngine extends Engine {
  readonly calls: ProbeCall[];
  /** Answers by action, which may change while tests run. A function is called: it may throw. */
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

/** The actions of the global tables of 2017 have no answers but errors. Here their answers are empty. */
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
    GetWeather: { forecast: {}, acted: {} },
    SetWeather: { forecast: {}, acted: {} },
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
    // The entry of an action is its result or a function that returns it, as `answers` declares.
    return (typeof prepared === 'function' ? await (prepared as () => unknown)() : prepared) as ResultOf<A>;
  }

  return {
    calls,
    answers: all,
    ...methods(answer),
    tableAccessFacts: () => undefined,
    streamPolicy: () => Promise.resolve(undefined),
    capacityReport: ({ tableName }) => Promise.resolve({ ...capacity, tableName }),
    contributorInsightsReport: ({ tableName }) =>
      Promise.resolve({ tableName, contributorInsightsStatus: 'DISABLED', atEpochMs: 0, rules: [] }),
    throttlingReport: () => Promise.resolve({ atEpochMs: 0, resources: [] }),
    takeConsumption: () => [],
    addConsumption: () => Promise.resolve(),
    beginBackgroundWork: () => Promise.resolve(),
    sweepExpiredItems: () => Promise.resolve(0),
    replicate: () => Promise.resolve({ sentItemCount: 0, isSettled: true }),
    replicationReport: () => Promise.resolve([]),
    scrub: () => Promise.resolve(),
    scrubReport: () => undefined,
    autoScaling: () => Promise.reject(new TypeError('a probe scales nothing')),
    scaleThroughput: () => Promise.resolve(0),
    inspection: () => Promise.reject(new TypeError('a probe shows nothing')),
    receiveReplicaMessage: () => Promise.resolve({ kind: 'written', outcome: 'unknown' }),
    close: () => Promise.resolve(),
  };
}

type Answer = <A extends ActionName>(action: A, request: unknown, context: RequestContext) => Promise<ResultOf<A>>;

function methods(answer: Answer): EngineActions {
  return Object.fromEntries(
    actionNames.map((action) => [
      methodOf(action),
      (request: unknown, context: RequestContext) => answer(action, request, context),
    ]),
  ) as unknown as EngineActions; // one for each action
}
