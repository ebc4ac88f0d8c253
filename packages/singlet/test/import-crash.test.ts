/**
 * Repeatedly kills a server that imports, until the import is finished. Each item must be present, and counted once.
 * Indexes and counts must agree, and requests must be answered while it continues.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Catalog } from '../src/engine/catalog/catalog.ts';
import { findInconsistencies } from '../src/engine/testing/consistency.ts';
import { createDatabase } from '../src/index.ts';
import { openLmdbStore } from '../src/storage/lmdb/lmdb-store.ts';
import { SingletProcess } from './singlet-process.ts';
import { wireResult } from './wire-call.ts';

const fileCount = 5;
const itemsPerFile = 3000;
const kills = 2;

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'singlet-import-'));
  mkdirSync(join(directory, 'buckets/data/in'), { recursive: true });
  for (let file = 0; file < fileCount; file += 1) {
    const lines = Array.from({ length: itemsPerFile }, (_, at) => {
      const number = file * itemsPerFile + at;
      return JSON.stringify({
        Item: { pk: { S: `p${number % 97}` }, n: { N: String(number) }, owner: { S: `o${at % 7}` } },
      });
    });
    // One bad item in each file.
    lines.splice(1000, 0, '{"Item":{"pk":{"S":"no number"}}}');
    writeFileSync(join(directory, `buckets/data/in/${file}.json.gz`), gzipSync(lines.join('\n')));
  }
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

test('DB-139 an import survives kill -9, wherever it strikes', async () => {
  const data = join(directory, 'db');
  const buckets = join(directory, 'buckets');
  const serve = (): SingletProcess =>
    new SingletProcess(['serve', '--port', '0', '--data', data, '--buckets', buckets, '--log-level', 'error']);
  let server = serve();
  const { ImportTableDescription: begun } = (await wireResult(await server.ready(), 'ImportTable', {
    ClientToken: 'token',
    S3BucketSource: { S3Bucket: 'data', S3KeyPrefix: 'in/' },
    InputFormat: 'DYNAMODB_JSON',
    InputCompressionType: 'GZIP',
    TableCreationParameters: {
      TableName: 'Imported',
      AttributeDefinitions: [
        { AttributeName: 'pk', AttributeType: 'S' },
        { AttributeName: 'n', AttributeType: 'N' },
        { AttributeName: 'owner', AttributeType: 'S' },
      ],
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'n', KeyType: 'RANGE' },
      ],
      BillingMode: 'PAY_PER_REQUEST',
      GlobalSecondaryIndexes: [
        {
          IndexName: 'byOwner',
          KeySchema: [{ AttributeName: 'owner', KeyType: 'HASH' }],
          Projection: { ProjectionType: 'ALL' },
        },
      ],
    },
  })) as { ImportTableDescription: { ImportArn: string } };
  const describe = async (url: string): Promise<Record<string, unknown>> => {
    const answer = await wireResult(url, 'DescribeImport', { ImportArn: begun.ImportArn });
    return (answer as { ImportTableDescription: Record<string, unknown> }).ImportTableDescription;
  };
  let processed = 0;
  for (let kill = 0; kill < kills; kill += 1) {
    const url = await server.ready();
    // Some way after the last kill.
    for (;;) {
      const { ProcessedItemCount, ImportStatus } = await describe(url);
      if (Number(ProcessedItemCount) > processed || ImportStatus !== 'IN_PROGRESS') break;
      await delay(5);
    }
    await server.end('SIGKILL');
    server = serve();
    const { ProcessedItemCount } = await describe(await server.ready());
    expect(Number(ProcessedItemCount)).toBeGreaterThanOrEqual(processed);
    processed = Number(ProcessedItemCount);
  }
  await server.end('SIGTERM');

  // In this process, whose clock can be moved beyond the lease of the killed process.
  const clock = { nowMs: () => Date.now() + 60_000 };
  const database = await createDatabase({ directory: data, buckets, clock });
  const status = async (): Promise<Record<string, unknown>> => {
    const answer = await database.request('DescribeImport', { ImportArn: begun.ImportArn });
    return (answer as { ImportTableDescription: Record<string, unknown> }).ImportTableDescription;
  };
  while ((await status())['ImportStatus'] === 'IN_PROGRESS') await delay(5);
  expect(await status()).toMatchObject({
    ImportStatus: 'FAILED',
    FailureCode: 'ItemValidationError',
    ProcessedItemCount: fileCount * (itemsPerFile + 1),
    ImportedItemCount: fileCount * itemsPerFile,
    ErrorCount: fileCount,
  });
  expect(await database.request('DescribeTable', { TableName: 'Imported' })).toMatchObject({
    Table: { TableStatus: 'ACTIVE', ItemCount: fileCount * itemsPerFile },
  });
  await database.close();
  const store = await openLmdbStore({ directory: data });
  const context = { accountId: '000000000000', region: 'us-east-1' };
  const table = await new Catalog(store, clock).load(context, 'Imported');
  expect(table && (await findInconsistencies(store, table))).toEqual([]);
  await store.close();
});
