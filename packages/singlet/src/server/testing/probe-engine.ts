import type {
  BulkOperationDescription,
  Engine,
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

export function createProbeEngine(answers: Partial<ProbeEngine['answers']> = {}): ProbeEngine {
  const calls: ProbeCall[] = [];
  const all: ProbeEngine['answers'] = {
    BatchExecuteStatement: { responses: [] },
    BatchGetItem: { responses: {}, unprocessedKeys: {} },
    BatchWriteItem: { unprocessedItems: {} },
    CancelBulkOperation: { bulkOperationArn: 'arn', bulkOperationStatus: 'CANCELLING' },
    CreateTable: { tableDescription: table },
    DeleteItem: {},
    DeleteTable: { tableDescription: table },
    DescribeBulkOperation: { bulkOperationDescription: bulkOperation },
    DescribeEndpoints: { endpoints: [{ address: 'localhost', cachePeriodInMinutes: 1440 }] },
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
    ExecuteStatement: { items: [] },
    ExecuteTransaction: { responses: [] },
    GetItem: {},
    GetRecords: { records: [] },
    GetShardIterator: { shardIterator: 'iterator' },
    ImportTable: { importTableDescription: tableImport },
    ListBulkOperations: { bulkOperationsSummaryList: [] },
    ListImports: { importSummaryList: [] },
    ListStreams: { streams: [] },
    ListTables: { tableNames: [] },
    ListTagsOfResource: { tags: [] },
    PutItem: {},
    Query: { items: [], count: 0, scannedCount: 0 },
    Scan: { items: [], count: 0, scannedCount: 0 },
    StartBulkPutItems: { bulkOperationDescription: bulkOperation },
    TagResource: undefined,
    TransactGetItems: { responses: [] },
    TransactWriteItems: {},
    UntagResource: undefined,
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
    cancelBulkOperation: (request, context) => answer('CancelBulkOperation', request, context),
    createTable: (request, context) => answer('CreateTable', request, context),
    deleteItem: (request, context) => answer('DeleteItem', request, context),
    deleteTable: (request, context) => answer('DeleteTable', request, context),
    describeBulkOperation: (request, context) => answer('DescribeBulkOperation', request, context),
    describeEndpoints: (request, context) => answer('DescribeEndpoints', request, context),
    describeImport: (request, context) => answer('DescribeImport', request, context),
    describeLimits: (request, context) => answer('DescribeLimits', request, context),
    describeStream: (request, context) => answer('DescribeStream', request, context),
    describeTable: (request, context) => answer('DescribeTable', request, context),
    describeTimeToLive: (request, context) => answer('DescribeTimeToLive', request, context),
    executeStatement: (request, context) => answer('ExecuteStatement', request, context),
    executeTransaction: (request, context) => answer('ExecuteTransaction', request, context),
    getItem: (request, context) => answer('GetItem', request, context),
    getRecords: (request, context) => answer('GetRecords', request, context),
    getShardIterator: (request, context) => answer('GetShardIterator', request, context),
    importTable: (request, context) => answer('ImportTable', request, context),
    listBulkOperations: (request, context) => answer('ListBulkOperations', request, context),
    listImports: (request, context) => answer('ListImports', request, context),
    listStreams: (request, context) => answer('ListStreams', request, context),
    listTables: (request, context) => answer('ListTables', request, context),
    listTagsOfResource: (request, context) => answer('ListTagsOfResource', request, context),
    putItem: (request, context) => answer('PutItem', request, context),
    query: (request, context) => answer('Query', request, context),
    scan: (request, context) => answer('Scan', request, context),
    startBulkPutItems: (request, context) => answer('StartBulkPutItems', request, context),
    tagResource: (request, context) => answer('TagResource', request, context),
    transactGetItems: (request, context) => answer('TransactGetItems', request, context),
    transactWriteItems: (request, context) => answer('TransactWriteItems', request, context),
    untagResource: (request, context) => answer('UntagResource', request, context),
    updateItem: (request, context) => answer('UpdateItem', request, context),
    updateTable: (request, context) => answer('UpdateTable', request, context),
    updateTimeToLive: (request, context) => answer('UpdateTimeToLive', request, context),
    sweepExpiredItems: () => Promise.resolve(0),
    close: () => Promise.resolve(),
  };
}
