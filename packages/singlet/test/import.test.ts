import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import {
  CancelBulkOperationCommand,
  DescribeBulkOperationCommand,
  DescribeImportCommand,
  DynamoDBClient,
  GetItemCommand,
  ImportConflictException,
  ImportNotFoundException,
  ImportTableCommand,
  type ImportTableCommandInput,
  ListBulkOperationsCommand,
  ListImportsCommand,
  ScanCommand,
  StartBulkPutItemsCommand,
} from '@aws-sdk/client-dynamodb';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createDatabase, type BucketLocation, type Database } from '../src/index.ts';
import { type Bucket, directoryObjectStore, type ObjectStore, s3ObjectStore } from '../src/transfer/buckets/index.ts';
import { type SmallS3, startSmallS3 } from '../src/transfer/buckets/testing/small-s3.ts';

/** Imports and bulk operations as an application sees them: through the AWS SDK, from a directory and from an S3 endpoint. */

let directory: string;
let s3: SmallS3;
let database: Database | undefined;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'singlet-import-'));
  mkdirSync(join(directory, 'data'));
  s3 = await startSmallS3(['data']);
});

afterEach(async () => {
  await database?.close();
  database = undefined;
  await s3.close();
  rmSync(directory, { recursive: true, force: true });
});

interface ImportLocation {
  readonly location: BucketLocation;
  readonly store: ObjectStore;
}

const places: readonly { readonly kind: string; readonly place: () => ImportLocation }[] = [
  { kind: 'a directory', place: () => ({ location: directory, store: directoryObjectStore(directory) }) },
  {
    kind: 'an S3 endpoint',
    place: () => {
      const config = {
        endpoint: s3.url,
        credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
        maxAttempts: 1,
      };
      return { location: { s3: config }, store: s3ObjectStore({ ...config, region: 'us-east-1' }) };
    },
  },
];

async function openClient(location: BucketLocation | undefined): Promise<DynamoDBClient> {
  database = await createDatabase({ buckets: location });
  return new DynamoDBClient({ ...database.clientConfig(), maxAttempts: 1 });
}

async function put(bucket: Bucket, key: string, content: string | Uint8Array): Promise<void> {
  await bucket.write(
    key,
    (async function* () {
      yield Buffer.from(content as string);
    })(),
  );
}

function request(changes: Partial<ImportTableCommandInput> = {}): ImportTableCommandInput {
  return {
    S3BucketSource: { S3Bucket: 'data', S3KeyPrefix: 'in/' },
    InputFormat: 'DYNAMODB_JSON',
    InputCompressionType: 'GZIP',
    TableCreationParameters: {
      TableName: 'Music',
      AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
      BillingMode: 'PAY_PER_REQUEST',
    },
    ...changes,
  };
}

function lines(count: number): string {
  return Array.from({ length: count }, (_, at) => `{"Item":{"pk":{"S":"${at}"},"n":{"N":"${at}"}}}\n`).join('');
}

describe.each(places)('DB-139 items from $kind', ({ place }) => {
  test('ImportTable makes a table of them', async () => {
    const { location, store } = place();
    const bucket = await store.open('data');
    await put(bucket, 'in/a.json.gz', gzipSync(lines(150)));
    const client = await openClient(location);
    const { ImportTableDescription: begun } = await client.send(new ImportTableCommand(request()));
    expect(begun).toMatchObject({ ImportStatus: 'IN_PROGRESS', StartTime: expect.any(Date), ProcessedItemCount: 0 });
    const { ImportArn } = begun!;
    let described;
    do {
      await delay(2);
      described = (await client.send(new DescribeImportCommand({ ImportArn }))).ImportTableDescription!;
    } while (described.ImportStatus === 'IN_PROGRESS');
    expect(described).toMatchObject({
      ImportStatus: 'COMPLETED',
      ImportedItemCount: 150,
      ProcessedSizeBytes: lines(150).length,
    });
    expect((await client.send(new ScanCommand({ TableName: 'Music', Select: 'COUNT' }))).Count).toBe(150);
    const { ImportSummaryList } = await client.send(new ListImportsCommand({ TableArn: begun!.TableArn }));
    expect(ImportSummaryList).toMatchObject([{ ImportArn, ImportStatus: 'COMPLETED', EndTime: expect.any(Date) }]);
  });

  test('StartBulkPutItems puts them into a table that is there, and reports what it did not put', async () => {
    const { location, store } = place();
    const bucket = await store.open('data');
    await put(bucket, 'in/a.json', `${lines(60)}{"Item":{"nokey":{"S":"x"}}}\n`);
    const client = await openClient(location);
    const { TableCreationParameters } = request();
    await database!.request('CreateTable', TableCreationParameters!);
    const { BulkOperationDescription: begun } = await client.send(
      new StartBulkPutItemsCommand({
        TableName: 'Music',
        InputS3Configuration: { S3Bucket: 'data', S3KeyPrefix: 'in/', InputFormat: 'DYNAMODB_JSON' },
        OutputS3Configuration: { S3Bucket: 'data', S3KeyPrefix: 'out', OutputType: ['ERROR'] },
      }),
    );
    const { BulkOperationArn } = begun!;
    let described;
    do {
      await delay(2);
      described = (await client.send(new DescribeBulkOperationCommand({ BulkOperationArn }))).BulkOperationDescription!;
    } while (described.BulkOperationStatus === 'IN_PROGRESS');
    expect(described).toMatchObject({
      BulkOperationStatus: 'COMPLETED_WITH_ERRORS',
      ProcessedItemCount: 61,
      FailedItemCount: 1,
      BulkOperationUsage: [{ TableName: 'Music', Table: { BulkPutBytes: expect.any(Number) } }],
    });
    expect((await client.send(new GetItemCommand({ TableName: 'Music', Key: { pk: { S: '59' } } }))).Item).toEqual({
      pk: { S: '59' },
      n: { N: '59' },
    });
    const keys: string[] = [];
    for await (const { key } of bucket.list('out/')) keys.push(key);
    const id = BulkOperationArn!.split('/').at(-1);
    expect(keys).toEqual([
      `out/AWSDynamoDB/${id}/error/00000000.json.gz`,
      `out/AWSDynamoDB/${id}/manifest-summary.json`,
    ]);
    const parts: Uint8Array[] = [];
    for await (const part of await bucket.read(keys[0]!)) parts.push(part);
    expect(JSON.parse(gunzipSync(Buffer.concat(parts)).toString('utf8'))).toMatchObject({
      Line: 61,
      S3Key: 'in/a.json',
    });
    const { BulkOperationsSummaryList } = await client.send(new ListBulkOperationsCommand({}));
    expect(BulkOperationsSummaryList).toMatchObject([{ BulkOperationArn, StartTime: expect.any(Date) }]);
    await expect(client.send(new CancelBulkOperationCommand({ BulkOperationArn }))).rejects.toThrow(
      /cannot be cancelled/,
    );
  });
});

test('DB-139 errors are those that the SDK knows', async () => {
  const client = await openClient(directory);
  await client.send(new ImportTableCommand(request({ ClientToken: 'same' })));
  const other = { ...request().TableCreationParameters!, TableName: 'Other' };
  const conflict = client.send(
    new ImportTableCommand(request({ ClientToken: 'same', TableCreationParameters: other })),
  );
  await expect(conflict).rejects.toBeInstanceOf(ImportConflictException);
  const ImportArn = 'arn:aws:dynamodb:us-east-1:000000000000:table/Music/import/01658528578619-c4d4e311';
  await expect(client.send(new DescribeImportCommand({ ImportArn }))).rejects.toBeInstanceOf(ImportNotFoundException);
});

test('without buckets, imports are refused in a sentence that says what to do', async () => {
  const client = await openClient(undefined);
  await expect(client.send(new ImportTableCommand(request()))).rejects.toThrow(/start it with --buckets DIRECTORY/);
});
