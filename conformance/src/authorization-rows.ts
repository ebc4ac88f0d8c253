import type { JsonObject } from './row.ts';
import { assumed, docs } from './sources.ts';

/*
 * Which permission on which resource each action requires. Unlike the other rows these need an endpoint whose callers have policies:
 * `authorization.test.ts` sends each request as a user with no permissions, with all that its row names, with each of them missing, and unsigned.
 */

/** What a request requires. */
export interface AuthorizationRow {
  readonly action: string;
  readonly input: JsonObject;
  /** All permissions, in the order in which they are checked: `GetItem on table/Music`. `*`: on no single resource. */
  readonly asks: readonly string[];
  /** The source of the fact. */
  readonly source: string;
}

/** The account of the callers, and the region. */
export const authorizationAccount = '111122223333';
export const authorizationRegion = 'us-east-1';

const REFERENCE = docs('Service Authorization Reference, "Actions, resources, and condition keys for Amazon DynamoDB"');
const TRANSACTIONS = `${REFERENCE}; "Using IAM with DynamoDB transactions"`;
const STATEMENTS = `${REFERENCE}; "IAM security policies with PartiQL for DynamoDB"`;
const BULK = assumed('the reference has no row for bulk operations: the permission is named as the action is');
const OWN = assumed('an action of Singlet, which the service does not have');

const arn = (resource: string): string => `arn:aws:dynamodb:${authorizationRegion}:${authorizationAccount}:${resource}`;

const TableName = 'Music';
const ResourceArn = arn('table/Music');
const StreamArn = arn('table/Music/stream/2026-01-01T00:00:00.000');
const key = { pk: { S: 'a' } };
const onTable = { TableName };
const onGlobalTable = { GlobalTableName: TableName };
const globalTableArn = `arn:aws:dynamodb::${authorizationAccount}:global-table/Music`;
/** Further permissions for a table that is filled from a backup or becomes a replica: "API operations" of the reference. */
const FILLED = ['BatchWriteItem', 'DeleteItem', 'GetItem', 'PutItem', 'Query', 'Scan', 'UpdateItem'];
const s3 = { S3Bucket: 'bucket' };
const keySchema = {
  AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
  KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
  BillingMode: 'PAY_PER_REQUEST',
};

function row(
  action: string,
  input: JsonObject,
  asks: string | readonly string[],
  source: string = REFERENCE,
): AuthorizationRow {
  return { action, input, asks: typeof asks === 'string' ? [asks] : asks, source };
}

/** An action that requires the permission of its own name on the table that it names. */
const table = (action: string, input: JsonObject = onTable, source?: string): AuthorizationRow =>
  row(action, input, `${action} on table/Music`, source);

/** An action that requires the permission of its own name on no single resource. */
const account = (action: string, input: JsonObject = {}, source?: string): AuthorizationRow =>
  row(action, input, `${action} on *`, source);

const kinesis = { TableName, StreamArn: 'arn:aws:kinesis:us-east-1:111122223333:stream/changes' };
const statement = { Statement: `SELECT * FROM "Music" WHERE pk = 'a'` };
const insert = { Statement: `INSERT INTO "Music" VALUE {'pk': 'b'}` };
const update = { Statement: `UPDATE "Music" SET n = 1 WHERE pk = 'c'` };
const remove = { Statement: `DELETE FROM "Music" WHERE pk = 'd'` };
const query = { TableName, KeyConditionExpression: 'pk = :p', ExpressionAttributeValues: { ':p': { S: 'a' } } };

/** At least one row for every action. */
export const authorizationRows: readonly AuthorizationRow[] = [
  // Items
  table('GetItem', { TableName, Key: key }),
  table('PutItem', { TableName, Item: key }),
  table('UpdateItem', { TableName, Key: key }),
  table('DeleteItem', { TableName, Key: key }),
  table('Query', query),
  row('Query', { ...query, IndexName: 'byYear' }, 'Query on table/Music/index/byYear'),
  table('Scan'),
  row('Scan', { TableName, IndexName: 'byYear' }, 'Scan on table/Music/index/byYear'),
  row('SearchVectors', { TableName, IndexName: 'sound', SearchVector: [{ N: '1' }], TopK: 1 }, [
    'SearchVectors on table/Music/index/sound',
    'SearchVectors on table/Music',
  ]),
  row('BatchGetItem', { RequestItems: { Music: { Keys: [key] }, Films: { Keys: [key] } } }, [
    'BatchGetItem on table/Music',
    'BatchGetItem on table/Films',
  ]),
  row(
    'BatchWriteItem',
    { RequestItems: { Music: [{ PutRequest: { Item: key } }], Films: [{ DeleteRequest: { Key: key } }] } },
    ['BatchWriteItem on table/Music', 'BatchWriteItem on table/Films'],
  ),
  row(
    'TransactGetItems',
    { TransactItems: [{ Get: { TableName, Key: key } }, { Get: { TableName: 'Films', Key: key } }] },
    ['GetItem on table/Music', 'GetItem on table/Films'],
    TRANSACTIONS,
  ),
  row(
    'TransactWriteItems',
    {
      TransactItems: [
        { Put: { TableName, Item: key } },
        { Update: { TableName: 'Films', Key: key, UpdateExpression: 'REMOVE n' } },
        { Delete: { TableName: 'Books', Key: key } },
        { ConditionCheck: { TableName: 'Plays', Key: key, ConditionExpression: 'attribute_exists(pk)' } },
      ],
    },
    [
      'PutItem on table/Music',
      'UpdateItem on table/Films',
      'DeleteItem on table/Books',
      'ConditionCheckItem on table/Plays',
    ],
    TRANSACTIONS,
  ),

  // PartiQL
  row('ExecuteStatement', statement, 'PartiQLSelect on table/Music', STATEMENTS),
  row(
    'ExecuteStatement',
    { Statement: `SELECT * FROM "Music"."byYear" WHERE pk = 'a'` },
    'PartiQLSelect on table/Music/index/byYear',
    STATEMENTS,
  ),
  row('ExecuteStatement', insert, 'PartiQLInsert on table/Music', STATEMENTS),
  row('ExecuteStatement', update, 'PartiQLUpdate on table/Music', STATEMENTS),
  row('ExecuteStatement', remove, 'PartiQLDelete on table/Music', STATEMENTS),
  row('BatchExecuteStatement', { Statements: [insert] }, 'PartiQLInsert on table/Music', STATEMENTS),
  row(
    'ExecuteTransaction',
    { TransactStatements: [insert, update, remove] },
    ['PartiQLInsert on table/Music', 'PartiQLUpdate on table/Music', 'PartiQLDelete on table/Music'],
    STATEMENTS,
  ),
  row('ExplainStatement', statement, 'PartiQLSelect on table/Music', OWN),

  // Tables
  table('CreateTable', { TableName, ...keySchema }),
  row('CreateTable', { TableName, ...keySchema, Tags: [{ Key: 'stage', Value: 'test' }] }, [
    'CreateTable on table/Music',
    'TagResource on table/Music',
  ]),
  table('DescribeTable'),
  table('UpdateTable', { TableName, BillingMode: 'PAY_PER_REQUEST' }),
  table('DeleteTable'),
  account('ListTables'),
  account('DescribeLimits'),
  account('DescribeEndpoints'),
  table('DescribeTimeToLive'),
  table('UpdateTimeToLive', { TableName, TimeToLiveSpecification: { AttributeName: 'ttl', Enabled: true } }),
  table('TagResource', { ResourceArn, Tags: [{ Key: 'stage', Value: 'test' }] }),
  table('UntagResource', { ResourceArn, TagKeys: ['stage'] }),
  table('ListTagsOfResource', { ResourceArn }),
  table('PutResourcePolicy', { ResourceArn, Policy: '{"Version":"2012-10-17","Statement":[]}' }),
  table('GetResourcePolicy', { ResourceArn }),
  table('DeleteResourcePolicy', { ResourceArn }),
  table('DescribeContributorInsights'),
  row(
    'DescribeContributorInsights',
    { TableName, IndexName: 'byYear' },
    'DescribeContributorInsights on table/Music/index/byYear',
  ),
  table('UpdateContributorInsights', { TableName, ContributorInsightsAction: 'ENABLE' }),
  account('ListContributorInsights'),
  table('DescribeKinesisStreamingDestination'),
  table('EnableKinesisStreamingDestination', kinesis),
  table('DisableKinesisStreamingDestination', kinesis),
  table('UpdateKinesisStreamingDestination', {
    ...kinesis,
    UpdateKinesisStreamingConfiguration: { ApproximateCreationDateTimePrecision: 'MICROSECOND' },
  }),
  table('DescribeTableReplicaAutoScaling'),
  table('UpdateTableReplicaAutoScaling'),

  // Streams
  account('ListStreams'),
  row('DescribeStream', { StreamArn }, 'DescribeStream on table/Music/stream/2026-01-01T00:00:00.000'),
  row(
    'GetShardIterator',
    { StreamArn, ShardId: 'shardId-00000001767225600000-00000000', ShardIteratorType: 'TRIM_HORIZON' },
    'GetShardIterator on table/Music/stream/2026-01-01T00:00:00.000',
  ),
  row('GetRecords', { ShardIterator: `${StreamArn}|1|x` }, 'GetRecords on table/Music/stream/2026-01-01T00:00:00.000'),

  // Backups, exports, imports
  table('DescribeContinuousBackups'),
  table('UpdateContinuousBackups', {
    TableName,
    PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
  }),
  table('CreateBackup', { TableName, BackupName: 'before' }),
  account('ListBackups'),
  row(
    'DescribeBackup',
    { BackupArn: arn('table/Music/backup/01767225600000-ab12cd34') },
    'DescribeBackup on table/Music/backup/01767225600000-ab12cd34',
  ),
  row(
    'DeleteBackup',
    { BackupArn: arn('table/Music/backup/01767225600000-ab12cd34') },
    'DeleteBackup on table/Music/backup/01767225600000-ab12cd34',
  ),
  row(
    'RestoreTableFromBackup',
    { TargetTableName: 'Again', BackupArn: arn('table/Music/backup/01767225600000-ab12cd34') },
    [
      'RestoreTableFromBackup on table/Music/backup/01767225600000-ab12cd34',
      'RestoreTableFromBackup on table/Again',
      ...FILLED.map((permission) => `${permission} on table/Again`),
    ],
  ),
  row(
    'RestoreTableToPointInTime',
    { SourceTableName: 'Music', TargetTableName: 'Again', UseLatestRestorableTime: true },
    [
      'RestoreTableToPointInTime on table/Music',
      'RestoreTableToPointInTime on table/Again',
      ...FILLED.map((permission) => `${permission} on table/Again`),
      'AssociateTableReplica on table/Again',
      'CreateTableReplica on table/Again',
    ],
  ),
  table('ExportTableToPointInTime', { TableArn: ResourceArn, ...s3 }),
  row(
    'DescribeExport',
    { ExportArn: arn('table/Music/export/01767225600000-ab12cd34') },
    'DescribeExport on table/Music/export/01767225600000-ab12cd34',
  ),
  account('ListExports'),
  row('ListExports', { TableArn: ResourceArn }, 'ListExports on table/Music'),
  table('ImportTable', {
    ClientToken: 'token',
    S3BucketSource: s3,
    InputFormat: 'ION',
    TableCreationParameters: { TableName, ...keySchema },
  }),
  row(
    'DescribeImport',
    { ImportArn: arn('table/Music/import/01767225600000-ab12cd34') },
    'DescribeImport on table/Music/import/01767225600000-ab12cd34',
  ),
  account('ListImports'),
  row(
    'StartBulkPutItems',
    {
      TableName,
      ClientToken: 'token',
      InputS3Configuration: { ...s3, InputFormat: 'ION' },
      OutputS3Configuration: { ...s3, OutputType: ['ERROR'] },
    },
    'StartBulkPutItems on table/Music',
    BULK,
  ),
  row(
    'DescribeBulkOperation',
    { BulkOperationArn: arn('table/Music/bulk-operation/01767225600000-ab12cd34') },
    'DescribeBulkOperation on table/Music',
    BULK,
  ),
  row(
    'CancelBulkOperation',
    { BulkOperationArn: arn('table/Music/bulk-operation/01767225600000-ab12cd34') },
    'CancelBulkOperation on table/Music',
    BULK,
  ),
  account('ListBulkOperations', {}, BULK),

  // Global tables
  account('ListGlobalTables'),
  row('DescribeGlobalTable', onGlobalTable, `DescribeGlobalTable on ${globalTableArn}`),
  row('DescribeGlobalTableSettings', onGlobalTable, `DescribeGlobalTableSettings on ${globalTableArn}`),
  row('CreateGlobalTable', { ...onGlobalTable, ReplicationGroup: [{ RegionName: 'eu-west-1' }] }, [
    `CreateGlobalTable on ${globalTableArn}`,
    'CreateGlobalTable on table/Music',
  ]),
  row('UpdateGlobalTable', { ...onGlobalTable, ReplicaUpdates: [{ Delete: { RegionName: 'eu-west-1' } }] }, [
    `UpdateGlobalTable on ${globalTableArn}`,
    'UpdateGlobalTable on table/Music',
  ]),
  row('UpdateGlobalTableSettings', onGlobalTable, [
    `UpdateGlobalTableSettings on ${globalTableArn}`,
    'UpdateGlobalTableSettings on table/Music',
  ]),
  row('UpdateTable', { TableName, ReplicaUpdates: [{ Create: { RegionName: 'eu-west-1' } }] }, [
    'UpdateTable on table/Music',
    ...FILLED.map((permission) => `${permission} on table/Music`),
    'CreateTable on table/Music',
    'CreateTableReplica on table/Music',
    'TagResource on table/Music',
  ]),

  // Weather
  account('GetWeather', {}, OWN),
  account('SetWeather', {}, OWN),
];
