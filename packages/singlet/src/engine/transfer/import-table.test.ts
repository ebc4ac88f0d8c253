import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { Store } from '../../storage/store.ts';
import { openMemoryStore } from '../../storage/memory/memory-store.ts';
import { BucketError } from '../../transfer/buckets/bucket.ts';
import { MemoryBuckets } from '../../transfer/buckets/testing/memory-buckets.ts';
import { describeImport } from '../operations/describe-import.ts';
import { describeTable } from '../operations/describe-table.ts';
import { importTable, type ImportTableRequest } from '../operations/import-table.ts';
import { createTable } from '../operations/create-table.ts';
import { deleteTable } from '../operations/delete-table.ts';
import { listImports } from '../operations/list-imports.ts';
import { scan } from '../operations/scan.ts';
import { resumeBackgroundWork } from '../jobs/background-work.ts';
import { index, keys, onDemandTable } from '../testing/table-requests.ts';
import { refusal, validation } from '../testing/refusal.ts';
import { inconsistencies, mapOf } from '../testing/test-engine.ts';
import { testContext, type TestServices, testServices, type TestServicesOptions } from '../testing/test-services.ts';
import type { ImportTableDescription } from './describe-import-record.ts';
import { leaseMs } from './load-lease.ts';

const buckets = (): MemoryBuckets => new MemoryBuckets('data');

function request(changes: Partial<ImportTableRequest> = {}): ImportTableRequest {
  return {
    clientToken: 'token',
    s3BucketSource: { s3Bucket: 'data', s3KeyPrefix: 'in/' },
    inputFormat: 'DYNAMODB_JSON',
    tableCreationParameters: {
      tableName: 'Imported',
      keySchema: keys('p', 'c'),
      attributeDefinitions: [
        { attributeName: 'p', attributeType: 'S' },
        { attributeName: 'c', attributeType: 'N' },
      ],
      billingMode: 'PAY_PER_REQUEST',
    },
    ...changes,
  };
}

function lines(from: number, to: number): string {
  let text = '';
  for (let at = from; at < to; at += 1) {
    text += `${JSON.stringify({ Item: { p: { S: `p${at % 7}` }, c: { N: String(at) }, v: { S: 'x'.repeat(20) } } })}\n`;
  }
  return text;
}

async function described(services: TestServices, importArn: string): Promise<ImportTableDescription> {
  return (await describeImport(services, { importArn }, testContext)).importTableDescription;
}

/** Starts an import and waits for its end. */
async function imported(
  services: TestServices,
  changes: Partial<ImportTableRequest> = {},
): Promise<ImportTableDescription> {
  const { importTableDescription } = await importTable(services, request(changes), testContext);
  await services.tasks.settle();
  return described(services, importTableDescription.importArn);
}

/** Advances the time until no work runs any more. */
async function settledWithTime(services: TestServices): Promise<void> {
  const state = { isSettled: false };
  const settled = services.tasks.settle().then(() => (state.isSettled = true));
  while (!state.isSettled) {
    services.clock.advance(60_000);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await settled;
}

async function itemsOf(services: TestServices, tableName = 'Imported'): Promise<readonly unknown[]> {
  const items: unknown[] = [];
  let exclusiveStartKey;
  do {
    const page = await scan(services, { tableName, exclusiveStartKey }, testContext);
    items.push(...(page.items ?? []).map((item) => mapOf(item)));
    exclusiveStartKey = page.lastEvaluatedKey;
  } while (exclusiveStartKey !== undefined);
  return items;
}

function openServices(objects: MemoryBuckets, options: TestServicesOptions = {}): TestServices {
  return testServices({ objects, ...options });
}

describe('ImportTable (DB-139)', () => {
  test('the answer shows an import under way, and the table being created', async () => {
    const objects = buckets();
    objects.put('data', 'in/a.json', lines(0, 3));
    const services = openServices(objects, { tasks: 'held' });
    const { importTableDescription } = await importTable(services, request(), testContext);
    expect(importTableDescription).toEqual({
      importArn: expect.stringMatching(
        /^arn:aws:dynamodb:us-east-1:000000000000:table\/Imported\/import\/01704067200000-[0-9a-f]{8}$/,
      ),
      importStatus: 'IN_PROGRESS',
      tableArn: 'arn:aws:dynamodb:us-east-1:000000000000:table/Imported',
      tableId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      clientToken: 'token',
      s3BucketSource: { s3Bucket: 'data', s3KeyPrefix: 'in/' },
      errorCount: 0,
      cloudWatchLogGroupArn: 'arn:aws:logs:us-east-1:000000000000:log-group:/aws-dynamodb/imports:*',
      inputFormat: 'DYNAMODB_JSON',
      inputCompressionType: 'NONE',
      tableCreationParameters: request().tableCreationParameters,
      startTime: 1_704_067_200,
      processedItemCount: 0,
      importedItemCount: 0,
    });
    const { table } = await describeTable(services, { tableName: 'Imported' }, testContext);
    expect(table).toMatchObject({ tableStatus: 'CREATING', tableId: importTableDescription.tableId });
    expect(await refusal(deleteTable(services, { tableName: 'Imported' }, testContext))).toContain('ResourceInUse');
    expect(await refusal(() => scan(services, { tableName: 'Imported' }, testContext))).toContain('ResourceNotFound');

    await services.tasks.run();
    expect(await described(services, importTableDescription.importArn)).toEqual({
      ...importTableDescription,
      importStatus: 'COMPLETED',
      endTime: 1_704_067_200,
      processedSizeBytes: lines(0, 3).length,
      processedItemCount: 3,
      importedItemCount: 3,
    });
    expect((await describeTable(services, { tableName: 'Imported' }, testContext)).table).toMatchObject({
      tableStatus: 'ACTIVE',
      itemCount: 3,
      tableId: importTableDescription.tableId,
    });
  });

  test('all objects under the prefix are read, of any compression, with their indexes', async () => {
    const objects = buckets();
    objects.put('data', 'in/1.json.gz', gzipSync(lines(0, 120)));
    objects.put('data', 'in/2/3.json.gz', gzipSync(lines(120, 400)));
    objects.put('data', 'in/empty.json.gz', '');
    objects.put('data', 'other/4.json.gz', gzipSync(lines(400, 500)));
    const services = openServices(objects);
    const done = await imported(services, {
      inputCompressionType: 'GZIP',
      tableCreationParameters: {
        ...request().tableCreationParameters,
        attributeDefinitions: [
          ...(request().tableCreationParameters.attributeDefinitions ?? []),
          { attributeName: 'v', attributeType: 'S' },
        ],
        globalSecondaryIndexes: [index('byV', 'v', 'c')],
      },
    });
    expect(done).toMatchObject({
      importStatus: 'COMPLETED',
      processedItemCount: 400,
      importedItemCount: 400,
      errorCount: 0,
    });
    expect(done.processedSizeBytes).toBe(lines(0, 400).length);
    expect(await itemsOf(services)).toHaveLength(400);
    expect(await inconsistencies(services, 'Imported')).toEqual([]);
  });

  test('CSV and Ion', async () => {
    const objects = buckets();
    objects.put('data', 'in/1.csv', 'p;c;note\na;1;one\nb;2;"two; too"\n');
    const services = openServices(objects);
    await imported(services, { inputFormat: 'CSV', inputFormatOptions: { csv: { delimiter: ';' } } });
    const expected = [
      { p: { S: 'a' }, c: { N: '1' }, note: { S: 'one' } },
      { p: { S: 'b' }, c: { N: '2' }, note: { S: 'two; too' } },
    ];
    expect((await itemsOf(services)).toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))).toEqual(
      expected,
    );
    objects.put('data', 'ion/1.ion', '$ion_1_0 {Item:{p:"a",c:1.,s:$dynamodb_SS::["x"]}}');
    await imported(services, {
      clientToken: 'another',
      inputFormat: 'ION',
      s3BucketSource: { s3Bucket: 'data', s3KeyPrefix: 'ion/' },
      tableCreationParameters: { ...request().tableCreationParameters, tableName: 'FromIon' },
    });
    expect(await itemsOf(services, 'FromIon')).toEqual([{ p: { S: 'a' }, c: { N: '1' }, s: { SS: ['x'] } }]);
  });

  test('items with the same key overwrite each other, and all of them count', async () => {
    const objects = buckets();
    const line = (c: number, v: string): string => `{"Item":{"p":{"S":"dup"},"c":{"N":"${c}"},"v":{"S":"${v}"}}}\n`;
    objects.put('data', 'in/a', line(1, 'first') + line(2, 'first') + line(1, 'second') + line(2, 'second'));
    const services = openServices(objects);
    expect(await imported(services)).toMatchObject({
      importStatus: 'COMPLETED',
      processedItemCount: 4,
      importedItemCount: 4,
      errorCount: 0,
    });
    expect(await itemsOf(services)).toEqual([
      { p: { S: 'dup' }, c: { N: '1' }, v: { S: 'second' } },
      { p: { S: 'dup' }, c: { N: '2' }, v: { S: 'second' } },
    ]);
    expect(await inconsistencies(services, 'Imported')).toEqual([]);
  });

  test('an import with a bad item has failed, and keeps its table with everything else', async () => {
    const objects = buckets();
    objects.put('data', 'in/0', lines(0, 2));
    const bad = [
      '{"NotAnItem": {"p": {"S": "x"}, "c": {"N": "1"}}}',
      '{"Item": {"c": {"N": "1"}}}',
      '{"Item": {"p": {"S": "x"}}}',
      '{"Item": {"p": {"S": "x"}, "c": {"S": "1"}}}',
      '{"Item": ',
      '{"Item": {"p": {"S": "x"}, "c": {"N": "1"}, "": {"S": "v"}}}',
    ];
    for (const [at, line] of bad.entries()) objects.put('data', `in/${at + 1}`, line);
    const services = openServices(objects);
    expect(await imported(services)).toMatchObject({
      importStatus: 'FAILED',
      failureCode: 'ItemValidationError',
      failureMessage: expect.stringContaining('failed validation checks'),
      processedItemCount: 8,
      importedItemCount: 2,
      errorCount: 6,
    });
    expect(await itemsOf(services)).toHaveLength(2);
    expect((await describeTable(services, { tableName: 'Imported' }, testContext)).table.tableStatus).toBe('ACTIVE');
    expect(services.logged.filter(({ event }) => event === 'item-not-loaded')).toMatchObject([
      { object: 'in/1', line: 1, reason: 'ValidationException: there is no "Item" in it' },
      { object: 'in/2', line: 1, reason: expect.stringContaining('Missing the key p in the item') },
      { object: 'in/3', line: 1, reason: expect.stringContaining('Missing the key c in the item') },
      { object: 'in/4', line: 1, reason: expect.stringContaining('Type mismatch for key c') },
      { object: 'in/5', line: 1, reason: expect.stringContaining('not JSON') },
      { object: 'in/6', line: 1, reason: expect.stringContaining('Empty attribute name') },
    ]);
  });

  test('a line that is not an item ends the reading of its object, and of no other', async () => {
    const objects = buckets();
    objects.put('data', 'in/1', `${lines(0, 60)}oops\n${lines(60, 70)}`);
    objects.put('data', 'in/2', lines(100, 110));
    const services = openServices(objects);
    expect(await imported(services)).toMatchObject({ processedItemCount: 71, importedItemCount: 70, errorCount: 1 });
  });

  test('without its bucket an import fails, and there is no table', async () => {
    const services = openServices(buckets());
    const failed = await imported(services, { s3BucketSource: { s3Bucket: 'elsewhere' } });
    expect(failed).toMatchObject({
      importStatus: 'FAILED',
      failureCode: 'S3NoSuchBucket',
      failureMessage: 'There is no bucket elsewhere.',
      processedItemCount: 0,
      errorCount: 0,
    });
    expect(failed).not.toHaveProperty('processedSizeBytes');
    expect(await refusal(describeTable(services, { tableName: 'Imported' }, testContext))).toContain(
      'ResourceNotFound',
    );
    await createTable(services, onDemandTable({ tableName: 'Imported' }), testContext);
  });

  test('a prefix without objects makes an empty table', async () => {
    const services = openServices(buckets());
    const done = await imported(services);
    expect(done).toMatchObject({ importStatus: 'COMPLETED', processedItemCount: 0 });
    expect(done).not.toHaveProperty('processedSizeBytes');
    expect(await itemsOf(services)).toEqual([]);
  });

  test('objects and concurrent imports are bounded', async () => {
    const objects = buckets();
    for (let at = 0; at < 4; at += 1) objects.put('data', `in/${at}`, lines(at, at + 1));
    const services = openServices(objects, { limits: { loadObjectCountMax: 3 } });
    expect(await imported(services)).toMatchObject({
      importStatus: 'FAILED',
      failureCode: 'S3ObjectCountExceeded',
      importedItemCount: 0,
    });
    const few = openServices(objects, { limits: { loadCountMax: 1 }, tasks: 'held' });
    await importTable(few, request(), testContext);
    const second = request({
      clientToken: 'second',
      tableCreationParameters: { ...request().tableCreationParameters, tableName: 'Second' },
    });
    expect(await refusal(importTable(few, second, testContext))).toBe(
      'LimitExceededException: Subscriber limit exceeded: Only 1 simultaneous import table operations are allowed per account',
    );
  });

  test('the client token gives the import that it began, and belongs to one table', async () => {
    const objects = buckets();
    objects.put('data', 'in/a', lines(0, 1));
    const services = openServices(objects, { tasks: 'held' });
    const { importTableDescription: first } = await importTable(services, request(), testContext);
    const changed = request({
      inputFormat: 'CSV',
      s3BucketSource: { s3Bucket: 'other' },
      inputCompressionType: 'GZIP',
    });
    expect((await importTable(services, changed, testContext)).importTableDescription).toEqual(first);
    const other = request({ tableCreationParameters: { ...request().tableCreationParameters, tableName: 'Other' } });
    const conflict = 'ImportConflictException: Duplicate request detected with conflicting parameters';
    expect(await refusal(importTable(services, other, testContext))).toBe(conflict);
    expect(await refusal(importTable(services, request({ clientToken: 'x' }), testContext))).toBe(
      'ResourceInUseException: Attempt to change a resource which is still in use: Table is being created: Imported',
    );
    await services.tasks.run();
    expect(await refusal(importTable(services, request(), testContext))).toBe(
      'ResourceInUseException: Table already exists: Imported',
    );
    services.clock.advance(8 * 3_600_000 - 1);
    expect(await refusal(importTable(services, other, testContext))).toBe(conflict);
    services.clock.advance(1);
    expect((await importTable(services, other, testContext)).importTableDescription.importStatus).toBe('IN_PROGRESS');
  });

  test('two requests at once with one token begin one import', async () => {
    const objects = buckets();
    const services = openServices(objects, { tasks: 'held' });
    const [first, second] = await Promise.all([
      importTable(services, request(), testContext),
      importTable(services, request(), testContext),
    ]);
    expect(first).toEqual(second);
  });

  test('what makes no sense is refused', async () => {
    const services = openServices(buckets());
    expect(await refusal(importTable(testServices(), request(), testContext))).toContain(
      'This database has no buckets',
    );
    expect(
      await refusal(importTable(services, request({ inputFormatOptions: { csv: { delimiter: ',' } } }), testContext)),
    ).toContain('InputFormatOptions');
    const { importArn } = await imported(services);
    const missing = importArn.replace(/.{8}$/, '00000000');
    expect(await refusal(describeImport(services, { importArn: missing }, testContext))).toBe(
      `ImportNotFoundException: Import not found: ${missing}`,
    );
    const malformed = importArn.replace('Imported', 'x');
    expect(await refusal(describeImport(services, { importArn: malformed }, testContext))).toBe(
      validation('Invalid Import ARN'),
    );
  });
});

describe('ListImports (DB-139)', () => {
  test('pages from the latest to the oldest, of one table or of all, and forgets after 90 days', async () => {
    const services = openServices(buckets());
    const arns: string[] = [];
    for (const tableName of ['One', 'Two', 'Three']) {
      services.clock.advance(1000);
      const tableCreationParameters = { ...request().tableCreationParameters, tableName };
      arns.unshift((await imported(services, { clientToken: tableName, tableCreationParameters })).importArn);
    }
    const first = await listImports(services, { pageSize: 2 }, testContext);
    expect(first.importSummaryList.map(({ importArn }) => importArn)).toEqual(arns.slice(0, 2));
    expect(first.nextToken).toMatch(/^([0-9a-f]{16})+$/);
    const second = await listImports(services, { pageSize: 2, nextToken: first.nextToken }, testContext);
    expect(second.importSummaryList.map(({ importArn }) => importArn)).toEqual(arns.slice(2));
    expect(second.nextToken).toBeUndefined();
    const tableArn = 'arn:aws:dynamodb:us-east-1:000000000000:table/Two';
    const [only, ...none] = (await listImports(services, { tableArn }, testContext)).importSummaryList;
    expect(none).toEqual([]);
    expect(only).toEqual({
      importArn: arns[1],
      importStatus: 'COMPLETED',
      tableArn,
      s3BucketSource: { s3Bucket: 'data', s3KeyPrefix: 'in/' },
      cloudWatchLogGroupArn: expect.stringContaining('log-group'),
      inputFormat: 'DYNAMODB_JSON',
      startTime: 1_704_067_202,
      endTime: 1_704_067_202,
    });
    expect(await refusal(listImports(services, { nextToken: '0'.repeat(112) }, testContext))).toBe(
      validation('Invalid NextToken'),
    );
    services.clock.advance(90 * 86_400_000);
    expect((await listImports(services, {}, testContext)).importSummaryList).toHaveLength(1);
    services.clock.advance(86_400_000);
    await imported(services, {
      clientToken: 'new',
      tableCreationParameters: { ...request().tableCreationParameters, tableName: 'New' },
    });
    expect((await listImports(services, {}, testContext)).importSummaryList).toHaveLength(1);
    expect(await refusal(describeImport(services, { importArn: arns[0] ?? '' }, testContext))).toContain(
      'ImportNotFound',
    );
  });
});

describe('an import that is cut off', () => {
  const itemCount = 430;

  function filled(): MemoryBuckets {
    const objects = buckets();
    objects.put('data', 'in/1.gz', gzipSync(lines(0, 130)));
    objects.put(
      'data',
      'in/2.gz',
      gzipSync(`${lines(130, 230)}{"Item":{"p":{"S":"no sort key"}}}\n${lines(230, 400)}`),
    );
    objects.put('data', 'in/3.gz', gzipSync(`${lines(400, itemCount)}broken\n`));
    return objects;
  }

  const whole = {
    importStatus: 'FAILED',
    processedItemCount: itemCount + 2,
    importedItemCount: itemCount,
    errorCount: 2,
  };

  async function cutOff(
    store: Store,
    objects: MemoryBuckets,
    pauses: number,
  ): Promise<{ importArn: string; died: boolean }> {
    const services = testServices({ store, objects });
    services.tasks.killAfterPauses(pauses);
    const { importTableDescription } = await importTable(
      services,
      request({ inputCompressionType: 'GZIP' }),
      testContext,
    );
    const died = await Promise.race([services.tasks.died.then(() => true), services.tasks.settle().then(() => false)]);
    return { importArn: importTableDescription.importArn, died };
  }

  test('continues where it was, wherever that is, and counts everything once', async () => {
    let deaths = 0;
    for (let pauses = 0; ; pauses += 1) {
      const [store, objects] = [openMemoryStore(), filled()];
      const { importArn, died } = await cutOff(store, objects, pauses);
      const services = testServices({ store, objects });
      resumeBackgroundWork(services);
      // The lease of the dead process has to expire.
      services.clock.advance(leaseMs);
      await services.tasks.settle();
      expect(await described(services, importArn)).toMatchObject(whole);
      expect(await inconsistencies(services, 'Imported')).toEqual([]);
      if (!died) break;
      deaths += 1;
      expect(await itemsOf(services)).toHaveLength(itemCount);
    }
    expect(deaths).toBeGreaterThan(6);
  });

  test('an engine that closes hands it over at once', async () => {
    const [store, objects] = [openMemoryStore(), filled()];
    const first = testServices({ store, objects });
    let pauses = 0;
    first.tasks.atPause = () => {
      pauses += 1;
      if (pauses === 3) first.close();
    };
    const { importTableDescription } = await importTable(first, request({ inputCompressionType: 'GZIP' }), testContext);
    await first.tasks.settle();
    expect((await described(first, importTableDescription.importArn)).importStatus).toBe('IN_PROGRESS');
    const second = testServices({ store, objects });
    resumeBackgroundWork(second);
    await second.tasks.settle();
    expect(await described(second, importTableDescription.importArn)).toMatchObject(whole);
  });

  test('two processes do not do it twice', async () => {
    const [store, objects] = [openMemoryStore(), filled()];
    const services = [testServices({ store, objects, seed: 1 }), testServices({ store, objects, seed: 2 })];
    const [one, other] = services as [TestServices, TestServices];
    const { importTableDescription } = await importTable(one, request({ inputCompressionType: 'GZIP' }), testContext);
    resumeBackgroundWork(other);
    await one.tasks.settle();
    other.clock.advance(leaseMs);
    await other.tasks.settle();
    expect(await described(one, importTableDescription.importArn)).toMatchObject(whole);
  });

  test('a bucket that fails for a while is tried again; one that keeps failing ends the import', async () => {
    const objects = filled();
    let failures = 3;
    objects.onRead = () => {
      if (failures-- > 0) throw new BucketError('io', 'in/1.gz: connection reset');
    };
    const services = openServices(objects);
    const { importTableDescription } = await importTable(
      services,
      request({ inputCompressionType: 'GZIP' }),
      testContext,
    );
    await settledWithTime(services);
    expect(await described(services, importTableDescription.importArn)).toMatchObject(whole);
    failures = Number.POSITIVE_INFINITY;
    const again = await importTable(
      services,
      request({
        clientToken: 'again',
        tableCreationParameters: { ...request().tableCreationParameters, tableName: 'Again' },
      }),
      testContext,
    );
    await settledWithTime(services);
    expect(await described(services, again.importTableDescription.importArn)).toMatchObject({
      importStatus: 'FAILED',
      failureCode: 'S3Error',
      failureMessage: 'in/1.gz: connection reset',
    });
  });
});
