import type {
  BackupDescription,
  ContinuousBackupsDescription,
  Engine,
  ExportDescription,
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
    CreateBackup: { backupDetails: backup.backupDetails },
    CreateTable: { tableDescription: table },
    DeleteBackup: { backupDescription: backup },
    DeleteItem: {},
    DeleteTable: { tableDescription: table },
    DescribeBackup: { backupDescription: backup },
    DescribeContinuousBackups: { continuousBackupsDescription: continuousBackups },
    DescribeEndpoints: { endpoints: [{ address: 'localhost', cachePeriodInMinutes: 1440 }] },
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
    DescribeTable: { table },
    DescribeTimeToLive: { timeToLiveDescription: { timeToLiveStatus: 'DISABLED' } },
    ExecuteStatement: { items: [] },
    ExecuteTransaction: { responses: [] },
    ExportTableToPointInTime: { exportDescription: exported },
    GetItem: {},
    GetRecords: { records: [] },
    GetShardIterator: { shardIterator: 'iterator' },
    ListBackups: { backupSummaries: [] },
    ListExports: { exportSummaries: [] },
    ListStreams: { streams: [] },
    ListTables: { tableNames: [] },
    ListTagsOfResource: { tags: [] },
    PutItem: {},
    Query: { items: [], count: 0, scannedCount: 0 },
    RestoreTableFromBackup: { tableDescription: table },
    RestoreTableToPointInTime: { tableDescription: table },
    Scan: { items: [], count: 0, scannedCount: 0 },
    TagResource: undefined,
    TransactGetItems: { responses: [] },
    TransactWriteItems: {},
    UntagResource: undefined,
    UpdateContinuousBackups: { continuousBackupsDescription: continuousBackups },
    UpdateItem: {},
    UpdateTable: { tableDescription: table },
    UpdateTimeToLive: { timeToLiveSpecification: { enabled: true, attributeName: 'expires' } },
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
    createBackup: (request, context) => answer('CreateBackup', request, context),
    createTable: (request, context) => answer('CreateTable', request, context),
    deleteBackup: (request, context) => answer('DeleteBackup', request, context),
    deleteItem: (request, context) => answer('DeleteItem', request, context),
    deleteTable: (request, context) => answer('DeleteTable', request, context),
    describeBackup: (request, context) => answer('DescribeBackup', request, context),
    describeContinuousBackups: (request, context) => answer('DescribeContinuousBackups', request, context),
    describeEndpoints: (request, context) => answer('DescribeEndpoints', request, context),
    describeExport: (request, context) => answer('DescribeExport', request, context),
    describeLimits: (request, context) => answer('DescribeLimits', request, context),
    describeStream: (request, context) => answer('DescribeStream', request, context),
    describeTable: (request, context) => answer('DescribeTable', request, context),
    describeTimeToLive: (request, context) => answer('DescribeTimeToLive', request, context),
    executeStatement: (request, context) => answer('ExecuteStatement', request, context),
    executeTransaction: (request, context) => answer('ExecuteTransaction', request, context),
    exportTableToPointInTime: (request, context) => answer('ExportTableToPointInTime', request, context),
    getItem: (request, context) => answer('GetItem', request, context),
    getRecords: (request, context) => answer('GetRecords', request, context),
    getShardIterator: (request, context) => answer('GetShardIterator', request, context),
    listBackups: (request, context) => answer('ListBackups', request, context),
    listExports: (request, context) => answer('ListExports', request, context),
    listStreams: (request, context) => answer('ListStreams', request, context),
    listTables: (request, context) => answer('ListTables', request, context),
    listTagsOfResource: (request, context) => answer('ListTagsOfResource', request, context),
    putItem: (request, context) => answer('PutItem', request, context),
    query: (request, context) => answer('Query', request, context),
    restoreTableFromBackup: (request, context) => answer('RestoreTableFromBackup', request, context),
    restoreTableToPointInTime: (request, context) => answer('RestoreTableToPointInTime', request, context),
    scan: (request, context) => answer('Scan', request, context),
    tagResource: (request, context) => answer('TagResource', request, context),
    transactGetItems: (request, context) => answer('TransactGetItems', request, context),
    transactWriteItems: (request, context) => answer('TransactWriteItems', request, context),
    untagResource: (request, context) => answer('UntagResource', request, context),
    updateContinuousBackups: (request, context) => answer('UpdateContinuousBackups', request, context),
    updateItem: (request, context) => answer('UpdateItem', request, context),
    updateTable: (request, context) => answer('UpdateTable', request, context),
    updateTimeToLive: (request, context) => answer('UpdateTimeToLive', request, context),
    sweepExpiredItems: () => Promise.resolve(0),
    close: () => Promise.resolve(),
  };
}
