/**
 * How fast a table is filled: by ImportTable from a directory that represents a bucket, and by BatchWriteItem in process with
 * several concurrent batches. Also how long a GetItem of another table takes meanwhile, compared with its usual time.
 *
 *     node --import tsx bench/src/load-table.ts [--count 100000] [--value 200] [--concurrency 8]
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { createDatabase, type Database } from 'singlet';

const { values: flags } = parseArgs({
  options: {
    count: { type: 'string', default: '100000' },
    value: { type: 'string', default: '200' },
    concurrency: { type: 'string', default: '8' },
  },
});
const count = Number(flags.count);
const value = 'x'.repeat(Number(flags.value));
const concurrency = Number(flags.concurrency);
const itemsPerFile = 20_000;

function itemOf(number: number): object {
  return { pk: { S: `p${number % 1009}` }, sk: { S: String(number) }, value: { S: value } };
}

function tableOf(TableName: string): object {
  return {
    TableName,
    AttributeDefinitions: ['pk', 'sk'].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
    KeySchema: [
      { AttributeName: 'pk', KeyType: 'HASH' },
      { AttributeName: 'sk', KeyType: 'RANGE' },
    ],
    BillingMode: 'PAY_PER_REQUEST',
  };
}

/** Reads one item repeatedly until stopped. @returns the time within which 99 of 100 answers came, in ms. */
function watchGets(database: Database): () => Promise<number> {
  const state = { isStopped: false };
  const times: number[] = [];
  const work = (async () => {
    while (!state.isStopped) {
      const startMs = performance.now();
      await database.request('GetItem', { TableName: 'Other', Key: { pk: { S: 'p1' }, sk: { S: '1' } } });
      times.push(performance.now() - startMs);
      await delay(1);
    }
  })();
  return async () => {
    state.isStopped = true;
    await work;
    return times.sort((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? 0;
  };
}

async function importAll(database: Database): Promise<void> {
  const { TableName: _name, ...rest } = tableOf('Imported') as { TableName: string };
  const { ImportTableDescription: begun } = (await database.request('ImportTable', {
    ClientToken: 'bench',
    S3BucketSource: { S3Bucket: 'data' },
    InputFormat: 'DYNAMODB_JSON',
    InputCompressionType: 'GZIP',
    TableCreationParameters: { TableName: 'Imported', ...rest },
  })) as { ImportTableDescription: { ImportArn: string } };
  for (;;) {
    const { ImportTableDescription: now } = (await database.request('DescribeImport', begun)) as {
      ImportTableDescription: { ImportStatus: string };
    };
    if (now.ImportStatus === 'COMPLETED') return;
    if (now.ImportStatus !== 'IN_PROGRESS') throw new RangeError(`the import is ${now.ImportStatus}`);
    await delay(20);
  }
}

async function writeAll(database: Database): Promise<void> {
  await database.request('CreateTable', tableOf('Written'));
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < count) {
      const from = next;
      next += 25;
      const requests = [];
      for (let at = from; at < Math.min(next, count); at += 1) requests.push({ PutRequest: { Item: itemOf(at) } });
      await database.request('BatchWriteItem', { RequestItems: { Written: requests } });
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
}

async function measure(name: string, database: Database, work: () => Promise<void>): Promise<void> {
  const stop = watchGets(database);
  const startMs = performance.now();
  await work();
  const seconds = (performance.now() - startMs) / 1000;
  const p99 = await stop();
  console.log(`  ${name.padEnd(44)} ${Math.round(count / seconds)} items/s, GetItem p99 ${p99.toFixed(2)} ms`);
}

const directory = mkdtempSync(join(tmpdir(), 'singlet-load-'));
try {
  mkdirSync(join(directory, 'buckets/data'), { recursive: true });
  for (let from = 0; from < count; from += itemsPerFile) {
    let lines = '';
    for (let at = from; at < Math.min(from + itemsPerFile, count); at += 1)
      lines += `${JSON.stringify({ Item: itemOf(at) })}\n`;
    writeFileSync(join(directory, `buckets/data/${String(from).padStart(9, '0')}.json.gz`), gzipSync(lines));
  }
  for (const kind of ['memory', 'disk'] as const) {
    const database = await createDatabase({
      buckets: join(directory, 'buckets'),
      ...(kind === 'disk' && { directory: join(directory, 'data') }),
    });
    await database.request('CreateTable', tableOf('Other'));
    await database.request('PutItem', { TableName: 'Other', Item: itemOf(1) });
    console.log(`${count} items of about ${value.length + 20} bytes, ${kind}`);
    const stop = watchGets(database);
    await delay(1000);
    console.log(`  ${'GetItem alone'.padEnd(44)} p99 ${(await stop()).toFixed(2)} ms`);
    await measure('ImportTable', database, () => importAll(database));
    await measure(`BatchWriteItem, ${concurrency} at a time`, database, () => writeAll(database));
    await database.close();
  }
} finally {
  rmSync(directory, { recursive: true, force: true });
}
