import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { openMemoryStore } from '../../storage/memory/memory-store.ts';
import { MemoryBuckets } from '../../transfer/buckets/testing/memory-buckets.ts';
import { cancelBulkOperation } from '../operations/cancel-bulk-operation.ts';
import { deleteTable } from '../operations/delete-table.ts';
import { describeBulkOperation } from '../operations/describe-bulk-operation.ts';
import { listBulkOperations } from '../operations/list-bulk-operations.ts';
import { putItem } from '../operations/put-item.ts';
import { scan } from '../operations/scan.ts';
import { startBulkPutItems, type StartBulkPutItemsRequest } from '../operations/start-bulk-put-items.ts';
import { updateTable } from '../operations/update-table.ts';
import { resumeBackgroundWork } from '../jobs/background-work.ts';
import { refusal, validation } from '../testing/refusal.ts';
import { index, keys, strings } from '../testing/table-requests.ts';
import { compositeKey, createdTable, inconsistencies } from '../testing/test-engine.ts';
import { testContext, type TestServices, testServices, type TestServicesOptions } from '../testing/test-services.ts';
import type { BulkOperationDescription } from './describe-bulk-record.ts';
import { leaseMs } from './load-lease.ts';

function request(changes: Partial<StartBulkPutItemsRequest> = {}): StartBulkPutItemsRequest {
  return {
    clientToken: 'token',
    tableName: 'Table',
    inputS3Configuration: { s3Bucket: 'data', s3KeyPrefix: 'in/', inputFormat: 'DYNAMODB_JSON' },
    outputS3Configuration: {
      s3Bucket: 'out',
      s3KeyPrefix: 'reports',
      outputType: ['ERROR', 'CONDITION_CHECK_FAILURE'],
    },
    ...changes,
  };
}

function lines(from: number, to: number): string {
  let text = '';
  for (let at = from; at < to; at += 1) {
    text += `{"Item":{"pk":{"S":"p${at % 5}"},"sk":{"S":"${String(at).padStart(4, '0')}"},"g":{"S":"g${at % 3}"}}}\n`;
  }
  return text;
}

async function open(objects: MemoryBuckets, options: TestServicesOptions = {}): Promise<TestServices> {
  const services = testServices({ objects, ...options });
  await createdTable(services, {
    tableName: 'Table',
    ...compositeKey,
    attributeDefinitions: strings('pk', 'sk', 'g'),
    globalSecondaryIndexes: [index('byG', 'g', 'sk')],
    localSecondaryIndexes: [index('local', 'pk', 'g')],
  });
  return services;
}

async function started(services: TestServices, changes: Partial<StartBulkPutItemsRequest> = {}): Promise<string> {
  const { bulkOperationDescription } = await startBulkPutItems(services, request(changes), testContext);
  return bulkOperationDescription.bulkOperationArn;
}

async function described(services: TestServices, bulkOperationArn: string): Promise<BulkOperationDescription> {
  return (await describeBulkOperation(services, { bulkOperationArn }, testContext)).bulkOperationDescription;
}

async function countOf(services: TestServices): Promise<number> {
  return (await scan(services, { tableName: 'Table', select: 'COUNT' }, testContext)).count;
}

/** The lines of the reports, by folder, and the summary. */
function reportOf(objects: MemoryBuckets): Readonly<Record<string, readonly Record<string, unknown>[]>> {
  const found = [...(objects.buckets.get('out') ?? [])].map(([key, bytes]) => {
    const text = key.endsWith('.gz') ? gunzipSync(bytes).toString('utf8') : bytes.toString('utf8');
    const records = text.split('\n').filter((line) => line !== '');
    return [
      key.replace(/AWSDynamoDB\/[^/]+/, 'ID'),
      records.map((line) => JSON.parse(line) as Record<string, unknown>),
    ];
  });
  return Object.fromEntries(found) as Record<string, Record<string, unknown>[]>;
}

describe('bulk put items (DB-139)', () => {
  test('puts the items of all objects into a table that is in use, over what is there', async () => {
    const objects = new MemoryBuckets('data', 'out');
    const inputs = [gzipSync(lines(0, 90)), gzipSync(lines(90, 130))];
    for (const [at, bytes] of inputs.entries()) objects.put('data', `in/${at}.gz`, bytes);
    const services = await open(objects, { tasks: 'immediate' });
    const old = { pk: { S: 'p1' }, sk: { S: '0001' }, old: { BOOL: true } };
    await putItem(services, { tableName: 'Table', item: old }, testContext);
    const arn = await started(services, {
      inputS3Configuration: { ...request().inputS3Configuration, inputCompressionType: 'GZIP' },
    });
    expect(arn).toMatch(
      /^arn:aws:dynamodb:us-east-1:000000000000:table\/Table\/bulk-operation\/01704067200000-[0-9a-f]{8}$/,
    );
    await services.tasks.settle();
    const totalInputBytes = inputs.reduce((sum, { length }) => sum + length, 0);
    const done = await described(services, arn);
    expect(done).toEqual({
      bulkOperationArn: arn,
      bulkOperationStatus: 'COMPLETED',
      tableDetails: [{ tableName: 'Table', tableId: expect.any(String) }],
      clientToken: 'token',
      inputS3Configuration: { ...request().inputS3Configuration, inputCompressionType: 'GZIP' },
      outputS3Configuration: request().outputS3Configuration,
      startTime: 1_704_067_200,
      endTime: 1_704_067_200,
      processedItemCount: 130,
      processedInputBytes: totalInputBytes,
      totalInputBytes,
      bulkOperationUsage: [
        {
          tableName: 'Table',
          bulkPutBytes: expect.any(Number),
          table: { bulkPutBytes: 130 * ('pkp0'.length + 'sk0000'.length + 'gg0'.length) },
          localSecondaryIndexes: { local: { bulkPutBytes: expect.any(Number) } },
          globalSecondaryIndexes: { byG: { bulkPutBytes: expect.any(Number) } },
        },
      ],
      failedItemCount: 0,
      performanceTier: 'STANDARD',
    });
    expect(await countOf(services)).toBe(130);
    expect(await inconsistencies(services, 'Table')).toEqual([]);
    expect(reportOf(objects)).toMatchObject({
      'reports/ID/error/00000000.json.gz': [],
      'reports/ID/condition-check-failure/00000000.json.gz': [],
      'reports/ID/manifest-summary.json': [{ processedItemCount: 130, failedItemCount: 0 }],
    });
  });

  test('what is not written is reported: bad items, unreadable lines, conditions that are false', async () => {
    const objects = new MemoryBuckets('data', 'out');
    const conditioned = (sk: string): string =>
      `{"Item":{"pk":{"S":"p"},"sk":{"S":"${sk}"}},"ConditionExpression":"attribute_not_exists(#k) OR #n < :n",` +
      `"ExpressionAttributeNames":{"#k":"pk","#n":"n"},"ExpressionAttributeValues":{":n":{"N":"5"}}}\n`;
    const wrong = '{"Item":{"pk":{"S":"p"},"sk":{"S":"z"}},"ConditionExpression":"oops("}\n';
    objects.put(
      'data',
      'in/1',
      `{"Item":{"pk":{"S":"no sort key"}}}\n${conditioned('there')}${conditioned('new')}${wrong}`,
    );
    objects.put('data', 'in/2', `${lines(0, 2)}not json\n${lines(2, 4)}`);
    const services = await open(objects);
    const there = { pk: { S: 'p' }, sk: { S: 'there' }, n: { N: '7' } };
    await putItem(services, { tableName: 'Table', item: there }, testContext);
    const arn = await started(services);
    await services.tasks.settle();
    expect(await described(services, arn)).toMatchObject({
      bulkOperationStatus: 'COMPLETED_WITH_ERRORS',
      processedItemCount: 7,
      failedItemCount: 3,
    });
    expect(await countOf(services)).toBe(4);
    const report = reportOf(objects);
    expect(report['reports/ID/error/00000000.json.gz']).toMatchObject([
      { Item: { pk: { S: 'no sort key' } }, ErrorCode: 'ValidationException', S3Key: 'in/1', Line: 1 },
      {
        Item: { sk: { S: 'z' } },
        ErrorMessage: expect.stringContaining('ConditionExpression'),
        S3Key: 'in/1',
        Line: 4,
      },
      { ErrorMessage: expect.stringContaining('not JSON'), S3Key: 'in/2', Line: 3 },
    ]);
    expect(report['reports/ID/condition-check-failure/00000000.json.gz']).toMatchObject([
      { Item: { sk: { S: 'there' } }, ExistingItem: there, ErrorCode: 'ConditionalCheckFailedException', Line: 2 },
    ]);
  });

  test('false conditions alone do not make it complete with errors, and unasked reports are not written', async () => {
    const objects = new MemoryBuckets('data', 'out');
    objects.put(
      'data',
      'in/1',
      '{"Item":{"pk":{"S":"p"},"sk":{"S":"s"}},"ConditionExpression":"attribute_exists(pk)"}',
    );
    const services = await open(objects);
    const outputS3Configuration = { s3Bucket: 'out', outputType: ['ERROR'] as const };
    const arn = await started(services, { outputS3Configuration });
    await services.tasks.settle();
    expect(await described(services, arn)).toMatchObject({
      bulkOperationStatus: 'COMPLETED',
      processedItemCount: 1,
      failedItemCount: 0,
    });
    expect(Object.keys(reportOf(objects))).toEqual(['ID/error/00000000.json.gz', 'ID/manifest-summary.json']);
  });

  test('can be cancelled: what was written stays, and the operation ends', async () => {
    const objects = new MemoryBuckets('data', 'out');
    objects.put('data', 'in/1', `{"Item":{"pk":{"S":"bad"}}}\n${lines(0, 300)}`);
    const services = await open(objects);
    let arn = '';
    let pauses = 0;
    services.tasks.atPause = async () => {
      pauses += 1;
      if (pauses !== 3) return;
      expect(await cancelBulkOperation(services, { bulkOperationArn: arn }, testContext)).toEqual({
        bulkOperationArn: arn,
        bulkOperationStatus: 'CANCELLING',
      });
      expect((await described(services, arn)).bulkOperationStatus).toBe('CANCELLING');
    };
    arn = await started(services);
    await services.tasks.settle();
    const cancelled = await described(services, arn);
    expect(cancelled).toMatchObject({
      bulkOperationStatus: 'CANCELLED',
      failureCode: 'OperationCancelled',
      failedItemCount: 1,
    });
    expect(cancelled.endTime).toBeDefined();
    expect(cancelled.processedItemCount).toBeLessThan(300);
    expect(await countOf(services)).toBe(cancelled.processedItemCount - 1);
    expect(reportOf(objects)['reports/ID/error/00000000.json.gz']).toHaveLength(1);
    expect(await refusal(cancelBulkOperation(services, { bulkOperationArn: arn }, testContext))).toBe(
      validation('The bulk operation is not in progress and cannot be cancelled. Status: CANCELLED'),
    );
  });

  test('an operation that no process works on is cancelled, too', async () => {
    const objects = new MemoryBuckets('data', 'out');
    objects.put('data', 'in/1', lines(0, 300));
    const store = openMemoryStore();
    const dying = await open(objects, { store });
    dying.tasks.killAfterPauses(2);
    const arn = await started(dying);
    await dying.tasks.died;
    const services = testServices({ store, objects });
    await cancelBulkOperation(services, { bulkOperationArn: arn }, testContext);
    services.clock.advance(leaseMs);
    await services.tasks.settle();
    expect((await described(services, arn)).bulkOperationStatus).toBe('CANCELLED');
  });

  test('continues where it was, and reports everything once', async () => {
    for (let pauses = 0; pauses < 12; pauses += 1) {
      const objects = new MemoryBuckets('data', 'out');
      const bad = '{"Item":{"pk":{"S":"no sort key"}}}\n';
      objects.put('data', 'in/1', bad + lines(0, 120) + bad + lines(120, 220) + bad);
      objects.put('data', 'in/2', `${lines(220, 260)}broken\n`);
      const store = openMemoryStore();
      const dying = await open(objects, { store });
      dying.tasks.killAfterPauses(pauses);
      const arn = await started(dying);
      await Promise.race([dying.tasks.died, dying.tasks.settle()]);
      const services = testServices({ store, objects });
      resumeBackgroundWork(services);
      services.clock.advance(leaseMs);
      await services.tasks.settle();
      expect(await described(services, arn)).toMatchObject({
        bulkOperationStatus: 'COMPLETED_WITH_ERRORS',
        processedItemCount: 264,
        failedItemCount: 4,
        bulkOperationUsage: [{ table: { bulkPutBytes: 260 * 13 } }],
      });
      expect(await inconsistencies(services, 'Table')).toEqual([]);
      expect(reportOf(objects)['reports/ID/error/00000000.json.gz']).toHaveLength(4);
    }
  });

  test('a table that changes meanwhile is written as it is now; one that is deleted ends the operation', async () => {
    const objects = new MemoryBuckets('data', 'out');
    objects.put('data', 'in/1', lines(0, 300));
    const services = await open(objects);
    let pauses = 0;
    services.tasks.atPause = async () => {
      pauses += 1;
      if (pauses === 2) {
        const update = { create: { indexName: 'later', keySchema: keys('g'), projection: { projectionType: 'ALL' } } };
        await updateTable(
          services,
          {
            tableName: 'Table',
            attributeDefinitions: strings('g'),
            globalSecondaryIndexUpdates: [update as never],
          },
          testContext,
        );
      }
    };
    const arn = await started(services);
    await services.tasks.settle();
    expect(await described(services, arn)).toMatchObject({ bulkOperationStatus: 'COMPLETED', processedItemCount: 300 });
    expect(await inconsistencies(services, 'Table')).toEqual([]);
    expect((await scan(services, { tableName: 'Table', indexName: 'later', select: 'COUNT' }, testContext)).count).toBe(
      300,
    );

    services.tasks.atPause = async () => {
      pauses += 1;
      if (pauses === 100) await deleteTable(services, { tableName: 'Table' }, testContext);
    };
    pauses = 98;
    const second = await started(services, { clientToken: 'second' });
    await services.tasks.settle();
    expect(await described(services, second)).toMatchObject({
      bulkOperationStatus: 'FAILED',
      failureCode: 'TableNotFound',
    });
  });

  test('writes no faster than it is allowed to', async () => {
    const objects = new MemoryBuckets('data', 'out');
    objects.put('data', 'in/1', lines(0, 200));
    const services = await open(objects);
    const arn = await started(services, { maxWriteRequestUnits: 1024 });
    const state = { isSettled: false };
    const settled = services.tasks.settle().then(() => (state.isSettled = true));
    const startedAtMs = services.clock.nowMs();
    for (let turns = 0; !state.isSettled; turns += 1) {
      if (turns % 20 === 19) services.clock.advance(10);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await settled;
    expect((await described(services, arn)).processedItemCount).toBe(200);
    // Three units an item, for the table and two indexes; the load does not wait after the last batch.
    expect(services.clock.nowMs() - startedAtMs).toBeGreaterThanOrEqual((150 * 3 * 1000) / 1024);
  });

  test('the client token, the table and the buckets are looked at', async () => {
    const objects = new MemoryBuckets('data', 'out');
    objects.put('data', 'in/1', lines(0, 3));
    const services = await open(objects, { tasks: 'held' });
    const arn = await started(services);
    expect(await started(services)).toBe(arn);
    expect(await refusal(startBulkPutItems(services, request({ maxWriteRequestUnits: 2000 }), testContext))).toContain(
      'IdempotentParameterMismatchException',
    );
    expect(await refusal(startBulkPutItems(services, request({ clientToken: 'x' }), testContext))).toBe(
      'ResourceInUseException: Attempt to change a resource which is still in use: A bulk operation on the table is in progress. Table: Table',
    );
    expect(await refusal(startBulkPutItems(services, request({ tableName: 'None' }), testContext))).toContain(
      'ResourceNotFoundException',
    );
    await services.tasks.run();
    const missing = await started(services, {
      clientToken: 'missing',
      outputS3Configuration: { s3Bucket: 'nowhere', outputType: ['ERROR'] },
    });
    await services.tasks.run();
    expect(await described(services, missing)).toMatchObject({
      bulkOperationStatus: 'FAILED',
      failureCode: 'S3NoSuchBucket',
      processedItemCount: 0,
    });
    services.clock.advance(1);
    const generated = await startBulkPutItems(services, request({ clientToken: undefined }), testContext);
    expect(generated.bulkOperationDescription.clientToken).toMatch(/^[0-9a-f-]{36}$/);
    const listed = await listBulkOperations(services, { maxResults: 1 }, testContext);
    expect(listed.bulkOperationsSummaryList).toEqual([
      {
        bulkOperationArn: generated.bulkOperationDescription.bulkOperationArn,
        bulkOperationStatus: 'IN_PROGRESS',
        startTime: 1_704_067_200.001,
      },
    ]);
    const rest = await listBulkOperations(services, { nextToken: listed.nextToken }, testContext);
    expect(rest.bulkOperationsSummaryList).toHaveLength(2);
    const unknown = arn.replace(/.{8}$/, '00000000');
    expect(await refusal(describeBulkOperation(services, { bulkOperationArn: unknown }, testContext))).toContain(
      'ResourceNotFoundException',
    );
    expect(await refusal(describeBulkOperation(services, { bulkOperationArn: `${arn}/x` }, testContext))).toBe(
      validation('Invalid BulkOperationArn'),
    );
  });
});
