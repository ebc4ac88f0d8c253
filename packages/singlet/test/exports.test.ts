import {
  CreateTableCommand,
  DescribeExportCommand,
  DynamoDBClient,
  type ExportDescription,
  ExportTableToPointInTimeCommand,
  ListExportsCommand,
  UpdateContinuousBackupsCommand,
} from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDatabase, type Database, type DatabaseServer, serve } from '../src/index.ts';

const TableName = 'Orders';

let buckets: string;
let database: Database;
let server: DatabaseServer;
let client: DynamoDBClient;
let items: DynamoDBDocumentClient;
let TableArn: string | undefined;
let nowMs = Date.parse('2026-01-01T00:00:00Z');

beforeAll(async () => {
  buckets = await mkdtemp(join(tmpdir(), 'singlet-exports-'));
  await mkdir(join(buckets, 'lake'));
  database = await createDatabase({ clock: { nowMs: () => nowMs }, buckets });
  server = await serve(database, { port: 0 });
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  client = new DynamoDBClient({ endpoint: server.url, region: 'us-east-1', credentials });
  items = DynamoDBDocumentClient.from(client);
  const { TableDescription } = await client.send(
    new CreateTableCommand({
      TableName,
      AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
      BillingMode: 'PAY_PER_REQUEST',
    }),
  );
  TableArn = TableDescription?.TableArn;
  const PointInTimeRecoverySpecification = { PointInTimeRecoveryEnabled: true };
  await client.send(new UpdateContinuousBackupsCommand({ TableName, PointInTimeRecoverySpecification }));
});

afterAll(async () => {
  client.destroy();
  await server.close();
  await database.close();
  await rm(buckets, { recursive: true });
});

async function finished(ExportArn: string | undefined): Promise<ExportDescription> {
  for (;;) {
    const { ExportDescription: described } = await client.send(new DescribeExportCommand({ ExportArn }));
    if (described !== undefined && described.ExportStatus !== 'IN_PROGRESS') return described;
    await turn();
  }
}

async function rowsOf({ ExportManifest = '' }: ExportDescription): Promise<readonly unknown[]> {
  const read = (key: string): Promise<Buffer> => readFile(join(buckets, 'lake', key));
  const { manifestFilesS3Key } = JSON.parse((await read(ExportManifest)).toString()) as { manifestFilesS3Key: string };
  const rows: unknown[] = [];
  for (const line of (await read(manifestFilesS3Key)).toString().trimEnd().split('\n')) {
    const { dataFileS3Key } = JSON.parse(line) as { readonly dataFileS3Key: string };
    const text = gunzipSync(await read(dataFileS3Key)).toString();
    rows.push(...text.split('\n').flatMap((row) => (row === '' ? [] : [JSON.parse(row) as unknown])));
  }
  return rows;
}

test('DB-010 DB-165 everything in a table goes to files in a bucket, and then what is changed', async () => {
  await items.send(new PutCommand({ TableName, Item: { pk: 'a', bytes: new Uint8Array([98, 97, 114]) } }));
  const full = await client.send(
    new ExportTableToPointInTimeCommand({ TableArn, S3Bucket: 'lake', S3Prefix: 'day-1' }),
  );
  expect(full.ExportDescription).toMatchObject({ ExportStatus: 'IN_PROGRESS', ExportTime: new Date(nowMs) });
  const first = await finished(full.ExportDescription?.ExportArn);
  expect(first).toMatchObject({ ExportStatus: 'COMPLETED', ItemCount: 1, ExportFormat: 'DYNAMODB_JSON' });
  expect(await rowsOf(first)).toEqual([{ Item: { pk: { S: 'a' }, bytes: { B: 'YmFy' } } }]);

  const from = new Date(nowMs + 1000);
  nowMs += 60_000;
  await items.send(new PutCommand({ TableName, Item: { pk: 'b', n: 1 } }));
  nowMs += 3_600_000;
  const changes = await client.send(
    new ExportTableToPointInTimeCommand({
      TableArn,
      S3Bucket: 'lake',
      ExportType: 'INCREMENTAL_EXPORT',
      IncrementalExportSpecification: { ExportFromTime: from, ExportViewType: 'NEW_IMAGE' },
    }),
  );
  const second = await finished(changes.ExportDescription?.ExportArn);
  const image = { pk: { S: 'b' }, n: { N: '1' } };
  const Metadata = { WriteTimestampMicros: { N: '1767225660000000' } };
  expect(await rowsOf(second)).toEqual([{ Metadata, Keys: { pk: { S: 'b' } }, NewImage: image }]);

  const { ExportSummaries } = await client.send(new ListExportsCommand({ TableArn }));
  expect(ExportSummaries?.map(({ ExportArn }) => ExportArn)).toEqual([second.ExportArn, first.ExportArn]);
});

test('DB-010 the other way to everything is a scan', async () => {
  const { Items = [] } = await items.send(new ScanCommand({ TableName }));
  expect(Items.map(({ pk }) => String(pk)).toSorted()).toEqual(['a', 'b']);
});

test('a bucket that is not there shows in the description', async () => {
  const { ExportDescription: begun } = await client.send(
    new ExportTableToPointInTimeCommand({ TableArn, S3Bucket: 'nowhere' }),
  );
  expect(await finished(begun?.ExportArn)).toMatchObject({ ExportStatus: 'FAILED', FailureCode: 'S3NoSuchBucket' });
});
