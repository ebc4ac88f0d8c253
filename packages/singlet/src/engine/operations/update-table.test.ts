import { describe, expect, test } from 'vitest';
import { index, keys, onDemandTable, provisionedTable, strings, units } from '../testing/table-requests.ts';
import {
  testContext,
  type TestServices,
  testServices,
  type TestServicesOptions,
  testStartMs,
} from '../testing/test-services.ts';
import type { TableDescription } from '../catalog/table-description.ts';
import { createTable } from './create-table.ts';
import type { CreateTableRequest } from '../schema/create-table-request.ts';
import { deleteTable } from './delete-table.ts';
import { describeTable } from './describe-table.ts';
import { updateTable, type UpdateTableRequest } from './update-table.ts';

const prefix = 'One or more parameter values were invalid: ';
const inUse = 'ResourceInUseException: Attempt to change a resource which is still in use: ';
const hourMs = 3_600_000;

type Change = Omit<UpdateTableRequest, 'tableName'>;

async function withTable(request: CreateTableRequest, options: TestServicesOptions = {}): Promise<TestServices> {
  const services = testServices(options);
  await createTable(services, request, testContext);
  services.clock.advance(options.lifecycleDelayMs ?? 0);
  return services;
}

async function update(services: TestServices, change: Change): Promise<TableDescription> {
  const { tableDescription } = await updateTable(services, { tableName: 'Table', ...change }, testContext);
  return tableDescription;
}

async function refusal(services: TestServices, change: Change): Promise<string> {
  const error: unknown = await update(services, change).catch((cause: unknown) => cause);
  expect(error).toBeInstanceOf(Error);
  return `${(error as Error).name}: ${(error as Error).message}`;
}

async function described(services: TestServices): Promise<TableDescription> {
  return (await describeTable(services, { tableName: 'Table' }, testContext)).table;
}

const create = (indexName: string, hash = 'a', more: object = {}): Change => ({
  attributeDefinitions: strings(hash),
  globalSecondaryIndexUpdates: [{ create: { ...index(indexName, hash), ...more } }],
});

const remove = (...indexNames: string[]): Change => ({
  globalSecondaryIndexUpdates: indexNames.map((indexName) => ({ delete: { indexName } })),
});

describe('DB-137 requests that cannot be, whatever the table', () => {
  const indexUpdates = [{ delete: { indexName: 'gsi' } }];
  const only = (name: string) => `${prefix}${name} modification must be the only operation in the request`;
  const everything = {
    sseSpecification: { enabled: true },
    tableClass: 'STANDARD',
    deletionProtectionEnabled: true,
    onDemandThroughput: { maxReadRequestUnits: 1 },
    warmThroughput: { readUnitsPerSecond: 1 },
  } as const;
  const { sseSpecification: _sse, ...withoutEncryption } = everything;
  const { tableClass: _class, ...withoutClass } = withoutEncryption;
  const { deletionProtectionEnabled: _protection, ...withoutProtection } = withoutClass;
  const nothing =
    'At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, GlobalSecondaryIndexUpdates, SSESpecification, ReplicaUpdates, MultiAccountReplicaReady, ReplicaTransitRoleArn, MultiRegionConsistency, DeletionProtectionEnabled, OnDemandThroughput, WarmThroughput or TableClass is required';

  const rows: readonly (readonly [string, Change, string])[] = [
    ['nothing', {}, nothing],
    ['nothing but definitions', { attributeDefinitions: strings('a') }, nothing],
    ['nothing but an empty list', { globalSecondaryIndexUpdates: [] }, nothing],
    [
      'an empty list beside something',
      { globalSecondaryIndexUpdates: [], deletionProtectionEnabled: true },
      `${prefix}List of GlobalSecondaryIndexUpdates is empty`,
    ],
    ['encryption with others', everything, only('Server-Side Encryption')],
    ['table class with others', withoutEncryption, only('TableClass')],
    ['deletion protection with others', withoutClass, only('DeletionProtection')],
    [
      'an on-demand maximum with others',
      withoutProtection,
      `${prefix}OnDemandThroughput can only be combined with BillingMode in an UpdateTable request`,
    ],
    [
      'warm throughput with others',
      { warmThroughput: { readUnitsPerSecond: 1 }, billingMode: 'PAY_PER_REQUEST' },
      `${prefix}WarmThroughput must be the only operation in the request`,
    ],
    [
      'warm throughput with a new index',
      { ...create('gsi'), warmThroughput: { readUnitsPerSecond: 1 } },
      `${prefix}Create global secondary index cannot be specified when updating WarmThroughput`,
    ],
    [
      'a stream with units',
      { streamSpecification: { streamEnabled: false }, provisionedThroughput: units(1, 1) },
      `${prefix}You cannot modify stream status while updating table IOPS`,
    ],
    [
      'an index with units',
      { globalSecondaryIndexUpdates: indexUpdates, provisionedThroughput: units(1, 1) },
      `${prefix}You cannot create or delete index while updating table IOPS`,
    ],
    [
      'an index with a stream',
      { globalSecondaryIndexUpdates: indexUpdates, streamSpecification: { streamEnabled: false } },
      `${prefix}You cannot create or delete index while changing stream status`,
    ],
    [
      'DB-104 provisioned mode without units',
      { billingMode: 'PROVISIONED' },
      `${prefix}ProvisionedThroughput must be specified when BillingMode is PROVISIONED`,
    ],
    [
      'DB-104 on-demand mode with units',
      { billingMode: 'PAY_PER_REQUEST', provisionedThroughput: units(1, 1) },
      `${prefix}ProvisionedThroughput cannot be specified when BillingMode is PAY_PER_REQUEST`,
    ],
    [
      'DB-106 units out of bounds',
      { provisionedThroughput: units(1, 1_000_000_000_001) },
      'Given value 1000000000001 for WriteCapacityUnits is out of bounds',
    ],
    [
      'an index update of nothing',
      { globalSecondaryIndexUpdates: [{}, {}, {}, {}, {}, {}] },
      `${prefix}One of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, GlobalSecondaryIndexUpdate.Delete must not be null`,
    ],
    [
      'an index update of two kinds',
      { globalSecondaryIndexUpdates: [{ delete: { indexName: 'a' }, update: { indexName: 'b' } }] },
      `${prefix}Only one global secondary index action is allowed per GlobalSecondaryIndexUpdate object`,
    ],
    [
      'two updates of one index',
      remove('abc', 'abc'),
      `${prefix}Only one global secondary index update per index is allowed simultaneously. Index: abc`,
    ],
    [
      'a stream without view type',
      { streamSpecification: { streamEnabled: true } },
      `${prefix}If stream is being enabled then UpdateViewType is required`,
    ],
    [
      'no stream, with view type',
      { streamSpecification: { streamEnabled: false, streamViewType: 'NEW_IMAGE' } },
      `${prefix}If stream is being disabled, then UpdateViewType must not be specified`,
    ],
  ];
  test.each(rows)('%s', async (_name, change, message) => {
    // This error needs no table.
    expect(await refusal(testServices(), change)).toBe(`ValidationException: ${message}`);
  });

  test('DB-275 a table that does not exist', async () => {
    expect(await refusal(testServices(), { provisionedThroughput: units(1, 1) })).toBe(
      'ResourceNotFoundException: Requested resource not found: Table: Table not found',
    );
  });
});

describe('DB-102 provisioned throughput', () => {
  test('the answer shows the old units, and DescribeTable the new ones once the change is over', async () => {
    const services = await withTable(provisionedTable(), { lifecycleDelayMs: 100 });
    const seconds = services.clock.nowMs() / 1000;
    const answer = await update(services, { provisionedThroughput: units(15, 5) });
    expect(answer.tableStatus).toBe('UPDATING');
    expect(answer.provisionedThroughput).toEqual({
      lastIncreaseDateTime: seconds,
      numberOfDecreasesToday: 0,
      ...units(5, 5),
    });
    expect(await described(services)).toEqual(answer);
    services.clock.advance(100);
    const after = await described(services);
    expect(after.tableStatus).toBe('ACTIVE');
    expect(after.provisionedThroughput).toEqual({
      lastIncreaseDateTime: seconds,
      numberOfDecreasesToday: 0,
      ...units(15, 5),
    });
    expect(after.warmThroughput).toEqual({ readUnitsPerSecond: 15, writeUnitsPerSecond: 5, status: 'ACTIVE' });
  });

  test('without a delay the next request sees the end', async () => {
    const services = await withTable(provisionedTable());
    expect(await update(services, { provisionedThroughput: units(6, 6) })).toMatchObject({
      tableStatus: 'UPDATING',
      provisionedThroughput: units(5, 5),
    });
    expect(await described(services)).toMatchObject({ tableStatus: 'ACTIVE', provisionedThroughput: units(6, 6) });
  });

  test('the same again changes nothing and is refused', async () => {
    const services = await withTable(provisionedTable());
    expect(await refusal(services, { provisionedThroughput: units(5, 5) })).toBe(
      'ValidationException: The provisioned throughput for the table will not change. The requested value equals the current value. Current ReadCapacityUnits provisioned for the table: 5. Requested ReadCapacityUnits: 5. Current WriteCapacityUnits provisioned for the table: 5. Requested WriteCapacityUnits: 5. Refer to the Amazon DynamoDB Developer Guide for current limits and how to request higher limits.',
    );
  });

  test('DB-106 four decreases a day, then one an hour; the count starts over with the UTC day', async () => {
    const services = await withTable(provisionedTable({ provisionedThroughput: units(100, 100) }));
    for (const read of [99, 98, 97, 96]) {
      services.clock.advance(1000);
      await update(services, { provisionedThroughput: units(read, 100) });
    }
    expect((await described(services)).provisionedThroughput.numberOfDecreasesToday).toBe(4);
    services.clock.advance(hourMs - 1);
    const text =
      'LimitExceededException: Subscriber limit exceeded: Provisioned throughput decreases are limited within a given UTC day. After the first 4 decreases, each subsequent decrease in the same UTC day can be performed at most once every 3600 seconds. Number of decreases today: 4. Last decrease at Monday, January 1, 2024 at 12:00:04 AM Coordinated Universal Time. Next decrease can be made at Monday, January 1, 2024 at 1:00:04 AM Coordinated Universal Time';
    expect(await refusal(services, { provisionedThroughput: units(95, 200) })).toBe(text);
    // An increase is unlimited, and does not count as a decrease.
    await update(services, { provisionedThroughput: units(96, 200) });
    services.clock.advance(1);
    await update(services, { provisionedThroughput: units(95, 200) });
    expect((await described(services)).provisionedThroughput.numberOfDecreasesToday).toBe(5);
    services.clock.advance(24 * hourMs);
    expect((await described(services)).provisionedThroughput.numberOfDecreasesToday).toBe(0);
    await update(services, { provisionedThroughput: units(94, 200) });
    expect((await described(services)).provisionedThroughput.numberOfDecreasesToday).toBe(1);
  });

  test('DB-106 27 decreases a day are possible, and no more', async () => {
    const services = await withTable(provisionedTable({ provisionedThroughput: units(100, 100) }));
    let decreases = 0;
    const stepMs = 10 * 60 * 1000;
    for (let ms = 0; ms < 24 * hourMs; ms += stepMs) {
      const { readCapacityUnits } = (await described(services)).provisionedThroughput;
      await update(services, { provisionedThroughput: units(readCapacityUnits - 1, 100) }).then(
        () => decreases++,
        () => undefined,
      );
      services.clock.advance(stepMs);
    }
    expect(decreases).toBe(27);
  });

  test('units of an on-demand table', async () => {
    const services = await withTable(onDemandTable());
    expect(await refusal(services, { provisionedThroughput: units(1, 1) })).toBe(
      `ValidationException: ${prefix}Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST`,
    );
  });

  test('an index has units, and a count of decreases, of its own', async () => {
    const services = await withTable(
      provisionedTable({
        attributeDefinitions: strings('PK', 'a'),
        globalSecondaryIndexes: [{ ...index('gsi', 'a'), provisionedThroughput: units(5, 5) }],
      }),
    );
    const change = {
      globalSecondaryIndexUpdates: [{ update: { indexName: 'gsi', provisionedThroughput: units(4, 9) } }],
    };
    const answer = await update(services, change);
    expect(answer.tableStatus).toBe('ACTIVE');
    expect(answer.globalSecondaryIndexes?.[0]).toMatchObject({
      indexStatus: 'UPDATING',
      provisionedThroughput: { ...units(5, 5), numberOfDecreasesToday: 0 },
    });
    const after = await described(services);
    expect(after.globalSecondaryIndexes?.[0]).toMatchObject({
      indexStatus: 'ACTIVE',
      provisionedThroughput: { ...units(4, 9), numberOfDecreasesToday: 1 },
    });
    expect(after.provisionedThroughput.numberOfDecreasesToday).toBe(0);
    expect(await refusal(services, change)).toMatch(
      /^ValidationException: The provisioned throughput for the index gsi will not change\./,
    );
  });
});

describe('DB-104 switching the billing mode', () => {
  const withIndex = provisionedTable({
    attributeDefinitions: strings('PK', 'a'),
    globalSecondaryIndexes: [{ ...index('gsi', 'a'), provisionedThroughput: units(3, 3) }],
  });

  test('to on-demand mode', async () => {
    const services = await withTable(withIndex, { lifecycleDelayMs: 100 });
    const beganAt = services.clock.nowMs() / 1000;
    const endsAt = (services.clock.nowMs() + 100) / 1000;
    const answer = await update(services, { billingMode: 'PAY_PER_REQUEST' });
    expect(answer).toMatchObject({
      tableStatus: 'UPDATING',
      billingModeSummary: { billingMode: 'PAY_PER_REQUEST' },
      provisionedThroughput: { lastDecreaseDateTime: beganAt, numberOfDecreasesToday: 0, ...units(0, 0) },
      warmThroughput: { readUnitsPerSecond: 5, writeUnitsPerSecond: 5 },
      globalSecondaryIndexes: [{ indexStatus: 'UPDATING', provisionedThroughput: units(0, 0) }],
    });
    expect(answer.billingModeSummary).not.toHaveProperty('lastUpdateToPayPerRequestDateTime');
    services.clock.advance(100);
    const after = await described(services);
    expect(after).toMatchObject({
      tableStatus: 'ACTIVE',
      billingModeSummary: { billingMode: 'PAY_PER_REQUEST', lastUpdateToPayPerRequestDateTime: endsAt },
      provisionedThroughput: { numberOfDecreasesToday: 0, ...units(0, 0) },
      warmThroughput: { readUnitsPerSecond: 12_000, writeUnitsPerSecond: 4000, status: 'ACTIVE' },
    });
    expect(after.provisionedThroughput).not.toHaveProperty('lastDecreaseDateTime');
  });

  test('and back, with units for every index; the summary stays', async () => {
    const services = await withTable(withIndex);
    await update(services, { billingMode: 'PAY_PER_REQUEST' });
    const back: Change = { billingMode: 'PROVISIONED', provisionedThroughput: units(7, 8) };
    expect(await refusal(services, back)).toBe(
      `ValidationException: ${prefix}ProvisionedThroughput must be specified for index: gsi`,
    );
    const answer = await update(services, {
      ...back,
      globalSecondaryIndexUpdates: [{ update: { indexName: 'gsi', provisionedThroughput: units(1, 2) } }],
    });
    expect(answer.tableStatus).toBe('UPDATING');
    expect(await described(services)).toMatchObject({
      tableStatus: 'ACTIVE',
      billingModeSummary: { billingMode: 'PROVISIONED', lastUpdateToPayPerRequestDateTime: testStartMs / 1000 },
      provisionedThroughput: units(7, 8),
      warmThroughput: { readUnitsPerSecond: 12_000, writeUnitsPerSecond: 4000 },
      globalSecondaryIndexes: [{ indexStatus: 'ACTIVE', provisionedThroughput: units(1, 2) }],
    });
  });

  test('the fifth switch to on-demand mode within 24 hours is refused', async () => {
    const services = await withTable(provisionedTable());
    const toOnDemand: Change = { billingMode: 'PAY_PER_REQUEST' };
    for (let count = 0; count < 4; count++) {
      await update(services, toOnDemand);
      await update(services, { billingMode: 'PROVISIONED', provisionedThroughput: units(1, 1) });
      services.clock.advance(hourMs);
    }
    expect(await refusal(services, toOnDemand)).toBe(
      'LimitExceededException: Subscriber limit exceeded: Update to PayPerRequest mode are limited to 4 times in 1 day(s). Last update at Mon Jan 01 03:00:00 UTC 2024. Next update can be made at Tue Jan 02 00:00:00 UTC 2024',
    );
    services.clock.advance(20 * hourMs);
    expect((await update(services, toOnDemand)).tableStatus).toBe('UPDATING');
  });

  test('the mode that is on is answered like a change, and changes nothing', async () => {
    const services = await withTable(onDemandTable());
    const before = await described(services);
    expect((await update(services, { billingMode: 'PAY_PER_REQUEST' })).tableStatus).toBe('UPDATING');
    expect(await described(services)).toEqual(before);
  });
});

describe('DB-105 on-demand maximum and warm throughput', () => {
  test('a maximum is set, merged and taken away at once', async () => {
    const services = await withTable(onDemandTable());
    await update(services, { onDemandThroughput: { maxReadRequestUnits: 10 } });
    const both = await update(services, { onDemandThroughput: { maxWriteRequestUnits: 20 } });
    expect(both.tableStatus).toBe('ACTIVE');
    expect(both.onDemandThroughput).toEqual({ maxReadRequestUnits: 10, maxWriteRequestUnits: 20 });
    const answer = await update(services, { onDemandThroughput: { maxReadRequestUnits: -1 } });
    expect(answer.onDemandThroughput).toEqual({ maxReadRequestUnits: -1, maxWriteRequestUnits: 20 });
    expect((await described(services)).onDemandThroughput).toEqual({ maxWriteRequestUnits: 20 });
    await update(services, { onDemandThroughput: { maxWriteRequestUnits: -1 } });
    expect(await described(services)).not.toHaveProperty('onDemandThroughput');
    expect(await refusal(services, { onDemandThroughput: { maxWriteRequestUnits: 40_001 } })).toBe(
      'LimitExceededException: Subscriber limit exceeded: Requested MaxWriteRequestUnits for OnDemandThroughput for table exceeds TableMaxWriteCapacityUnits of the account in region us-east-1',
    );
  });

  test('warm throughput rises while the table stays ACTIVE, and never falls', async () => {
    const services = await withTable(onDemandTable(), { lifecycleDelayMs: 100 });
    const answer = await update(services, { warmThroughput: { readUnitsPerSecond: 13_000 } });
    expect(answer.tableStatus).toBe('ACTIVE');
    expect(answer.warmThroughput).toEqual({
      readUnitsPerSecond: 12_000,
      writeUnitsPerSecond: 4000,
      status: 'UPDATING',
    });
    services.clock.advance(100);
    const raised = { readUnitsPerSecond: 13_000, writeUnitsPerSecond: 4000, status: 'ACTIVE' };
    expect((await described(services)).warmThroughput).toEqual(raised);
    expect(await refusal(services, { warmThroughput: { readUnitsPerSecond: 12_999 } })).toBe(
      `ValidationException: ${prefix}Requested ReadUnitsPerSecond for WarmThroughput for table is lower than current WarmThroughput, decreasing WarmThroughput is not supported`,
    );
  });
});

describe('DB-137 stream, protection, class, encryption', () => {
  test('DB-253 a stream is switched on, off and on again: another stream', async () => {
    const services = await withTable(onDemandTable());
    const on: Change = { streamSpecification: { streamEnabled: true, streamViewType: 'KEYS_ONLY' } };
    expect(await refusal(services, { streamSpecification: { streamEnabled: false } })).toBe(
      'ValidationException: Table has no stream to disable: TableName: Table',
    );
    const first = await update(services, on);
    expect(first).toMatchObject({ tableStatus: 'UPDATING', streamSpecification: on.streamSpecification });
    expect(await refusal(services, on)).toBe(
      'ValidationException: Table already has an enabled stream: TableName: Table',
    );
    const off = await update(services, { streamSpecification: { streamEnabled: false } });
    expect(off.streamSpecification).toEqual({ streamEnabled: false });
    const without = await described(services);
    expect(without).not.toHaveProperty('streamSpecification');
    expect(without.latestStreamArn).toBe(first.latestStreamArn);
    const second = await update(services, on);
    expect(second.latestStreamLabel).not.toBe(first.latestStreamLabel);
  });

  test('DB-136 deletion protection changes at once', async () => {
    const services = await withTable(onDemandTable());
    const answer = await update(services, { deletionProtectionEnabled: true });
    expect(answer).toMatchObject({ tableStatus: 'ACTIVE', deletionProtectionEnabled: true });
    expect((await update(services, { deletionProtectionEnabled: false })).deletionProtectionEnabled).toBe(false);
  });

  test('a table class changes twice in 30 days', async () => {
    const services = await withTable(onDemandTable(), { lifecycleDelayMs: 100 });
    const infrequent: Change = { tableClass: 'STANDARD_INFREQUENT_ACCESS' };
    expect(await update(services, infrequent)).not.toHaveProperty('tableClassSummary');
    services.clock.advance(100);
    expect((await described(services)).tableClassSummary).toEqual({
      tableClass: 'STANDARD_INFREQUENT_ACCESS',
      lastUpdateDateTime: services.clock.nowMs() / 1000,
    });
    const back = await update(services, { tableClass: 'STANDARD' });
    expect(back.tableClassSummary?.tableClass).toBe('STANDARD_INFREQUENT_ACCESS');
    services.clock.advance(100);
    expect(await refusal(services, infrequent)).toBe(
      'LimitExceededException: Subscriber limit exceeded: Updates to TableClass are limited to 2 times in 30 day(s).',
    );
    services.clock.advance(30 * 24 * hourMs);
    expect((await update(services, infrequent)).tableStatus).toBe('UPDATING');
  });

  test('encryption changes while the table stays ACTIVE', async () => {
    const services = await withTable(onDemandTable());
    expect(await refusal(services, { sseSpecification: { enabled: false } })).toBe(
      `ValidationException: ${prefix}Table is already encrypted by default`,
    );
    const answer = await update(services, { sseSpecification: { enabled: true } });
    expect(answer).toMatchObject({ tableStatus: 'ACTIVE', sseDescription: { status: 'UPDATING', sseType: 'KMS' } });
    const { sseDescription } = await described(services);
    expect(sseDescription?.status).toBe('ENABLED');
    const again = { sseType: 'KMS', kmsMasterKeyId: sseDescription?.kmsMasterKeyArn } as const;
    expect(await refusal(services, { sseSpecification: again })).toBe(
      `ValidationException: ${prefix}Table is already encrypted with given KMSMasterKeyId. Use KMSMasterKeyId parameter if you want to change Master Key`,
    );
    await update(services, { sseSpecification: { enabled: false } });
    expect(await described(services)).not.toHaveProperty('sseDescription');
  });
});

describe('DB-059 DB-073 global indexes of a live table', () => {
  test('an index is created, filled and ACTIVE; its definitions come and go with it', async () => {
    const services = await withTable(onDemandTable(), { lifecycleDelayMs: 100, tasks: 'held' });
    const redefined = { attributeDefinitions: [...strings('a'), { attributeName: 'PK', attributeType: 'N' }] } as const;
    expect(
      await refusal(services, { ...redefined, globalSecondaryIndexUpdates: [{ create: index('gsi', 'a', 'PK') }] }),
    ).toBe(
      `ValidationException: ${prefix}Attributes cannot be redefined. Please check that your attribute has the same type as previously defined. Existing schema: Schema:[SchemaElement: key{PK:S:HASH}] New schema: Schema:[SchemaElement: key{PK:N:HASH}]`,
    );
    // A definition that no key needs is ignored, and so is one that already exists.
    const answer = await update(services, {
      attributeDefinitions: strings('a', 'unused', 'PK'),
      globalSecondaryIndexUpdates: [{ create: index('gsi', 'a', 'PK') }],
    });
    expect(answer.tableStatus).toBe('UPDATING');
    expect(answer.attributeDefinitions).toEqual(strings('PK', 'a'));
    expect(answer.globalSecondaryIndexes).toMatchObject([{ indexStatus: 'CREATING', backfilling: false }]);
    services.clock.advance(100);
    const during = await described(services);
    expect(during.tableStatus).toBe('ACTIVE');
    expect(during.globalSecondaryIndexes).toMatchObject([{ indexStatus: 'CREATING', backfilling: true }]);
    await services.tasks.run();
    const after = await described(services);
    expect(after.globalSecondaryIndexes).toMatchObject([{ indexStatus: 'ACTIVE' }]);
    expect(after.globalSecondaryIndexes?.[0]).not.toHaveProperty('backfilling');

    const leaving = await update(services, remove('gsi'));
    expect(leaving.tableStatus).toBe('UPDATING');
    expect(leaving.globalSecondaryIndexes).toMatchObject([{ indexStatus: 'DELETING' }]);
    services.clock.advance(100);
    await services.tasks.run();
    const gone = await described(services);
    expect(gone).not.toHaveProperty('globalSecondaryIndexes');
    expect(gone.attributeDefinitions).toEqual(strings('PK'));
  });

  test('what cannot be created', async () => {
    const services = await withTable(
      provisionedTable({
        attributeDefinitions: strings('PK', 'SK', 'a'),
        keySchema: keys('PK', 'SK'),
        localSecondaryIndexes: [index('lsi', 'PK', 'a')],
      }),
      { limits: { globalIndexCountMax: 1 } },
    );
    const withUnits = { provisionedThroughput: units(1, 1) };
    const rows: readonly (readonly [Change, string])[] = [
      [create('lsi', 'a', withUnits), 'ValidationException: Attempting to create an index which already exists'],
      [
        { ...create('gsi', 'a', withUnits), attributeDefinitions: undefined },
        `ValidationException: ${prefix}AttributeDefinitions is not specified for index: gsi`,
      ],
      [
        { ...create('gsi', 'b', withUnits), attributeDefinitions: strings('c') },
        `ValidationException: ${prefix}Some index key attributes are not defined in AttributeDefinitions. Keys: [b], AttributeDefinitions: [PK, SK, a]`,
      ],
      [
        create('gsi', 'a', { ...withUnits, projection: {} }),
        `ValidationException: ${prefix}Unknown ProjectionType: null`,
      ],
      [
        create('gsi'),
        `ValidationException: ${prefix}Both ReadCapacityUnits and WriteCapacityUnits must be specified for index: gsi`,
      ],
    ];
    for (const [change, message] of rows) expect(await refusal(services, change)).toBe(message);
    await update(services, create('gsi', 'a', withUnits));
    await services.tasks.settle();
    expect(await refusal(services, create('gsi', 'a', withUnits))).toBe(
      'ValidationException: Attempting to create an index which already exists',
    );
    expect(await refusal(services, create('more', 'a', withUnits))).toBe(
      'LimitExceededException: Subscriber limit exceeded: Number of global secondary indexes exceeds per-table limit of 1',
    );
  });

  test('one index is created or deleted at a time', async () => {
    const services = await withTable(onDemandTable(), { tasks: 'held' });
    const oneAtATime =
      'LimitExceededException: Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously per table';
    expect(await refusal(services, remove('abc', 'abd', 'abe', 'abf', 'abg', 'abh'))).toBe(oneAtATime);
    await update(services, create('one'));
    expect(await refusal(services, create('two'))).toBe(oneAtATime);
    // The removal of an index that is being filled is allowed.
    await update(services, remove('one'));
    expect(await refusal(services, create('two'))).toBe(oneAtATime);
    await services.tasks.run();
    await update(services, create('two'));
    await services.tasks.run();
    expect((await described(services)).globalSecondaryIndexes).toMatchObject([
      { indexName: 'two', indexStatus: 'ACTIVE' },
    ]);
  });

  test('an index that is not there, or is not a global one', async () => {
    const services = await withTable(
      onDemandTable({
        attributeDefinitions: strings('PK', 'SK', 'a'),
        keySchema: keys('PK', 'SK'),
        localSecondaryIndexes: [index('lsi', 'PK', 'a')],
      }),
    );
    const change = (indexName: string, more: object = {}): Change => ({
      globalSecondaryIndexUpdates: [{ update: { indexName, ...more } }],
    });
    expect(await refusal(services, remove('ghost'))).toBe(
      'ResourceNotFoundException: Requested resource not found: Index ghost for table Table',
    );
    expect(await refusal(services, change('ghost'))).toBe(
      'ResourceNotFoundException: Requested resource not found: Index ghost for table Table',
    );
    expect(await refusal(services, remove('lsi'))).toBe(
      'ValidationException: Cannot delete an index that is not a GlobalSecondaryIndex: lsi',
    );
    expect(await refusal(services, change('ghost', { provisionedThroughput: units(1, 1_000_000_000_001) }))).toBe(
      'ValidationException: This operation cannot be performed with given input values. Please contact DynamoDB service team for more info: Action Blocked: IndexUpdate',
    );
    await update(services, create('gsi'));
    await services.tasks.settle();
    expect(await refusal(services, change('gsi'))).toBe(
      `ValidationException: ${prefix}The only Updates for index: gsi when TableThroughputMode is PAY_PER_REQUEST can be to OnDemandThroughput, WarmThroughput`,
    );
    expect(await refusal(services, change('gsi', { provisionedThroughput: units(1, 1) }))).toBe(
      `ValidationException: ${prefix}Neither ReadCapacityUnits nor WriteCapacityUnits can be specified for index: gsi when BillingMode is PAY_PER_REQUEST`,
    );
    const answer = await update(services, change('gsi', { onDemandThroughput: { maxReadRequestUnits: 7 } }));
    expect(answer.tableStatus).toBe('ACTIVE');
    expect(answer.globalSecondaryIndexes).toMatchObject([
      { indexStatus: 'UPDATING', onDemandThroughput: { maxReadRequestUnits: 7 } },
    ]);
    expect((await described(services)).globalSecondaryIndexes).toMatchObject([
      { indexStatus: 'ACTIVE', onDemandThroughput: { maxReadRequestUnits: 7 } },
    ]);
  });

  test('a new index and a billing mode go together', async () => {
    const services = await withTable(provisionedTable());
    await update(services, { ...create('gsi'), billingMode: 'PAY_PER_REQUEST' });
    await services.tasks.settle();
    expect(await described(services)).toMatchObject({
      billingModeSummary: { billingMode: 'PAY_PER_REQUEST' },
      globalSecondaryIndexes: [{ indexName: 'gsi', indexStatus: 'ACTIVE' }],
    });
  });
});

describe('DB-136 while something else is going on', () => {
  const delayed = { lifecycleDelayMs: 1000, tasks: 'held' } as const;
  const iops: Change = { provisionedThroughput: units(9, 9) };
  const streamOn: Change = { streamSpecification: { streamEnabled: true, streamViewType: 'KEYS_ONLY' } };
  const tableClass: Change = { tableClass: 'STANDARD_INFREQUENT_ACCESS' };
  const protection: Change = { deletionProtectionEnabled: true };
  const withUnits = { provisionedThroughput: units(1, 1) };

  test('creation and deletion of the table refuse everything', async () => {
    const services = testServices(delayed);
    await createTable(services, provisionedTable(), testContext);
    for (const change of [iops, streamOn, protection]) {
      expect(await refusal(services, change)).toBe(`${inUse}Table is being created: Table`);
    }
    services.clock.advance(1000);
    await deleteTable(services, { tableName: 'Table' }, testContext);
    expect(await refusal(services, protection)).toBe(`${inUse}Table is being deleted: Table`);
  });

  const label = '2024-01-01T00:00:01.000';
  const rows: readonly (readonly [string, Change, readonly (readonly [Change, string])[]])[] = [
    [
      'a throughput change',
      { provisionedThroughput: units(6, 6) },
      [
        [iops, 'Table IOPS are currently being updated. Table: Table'],
        [{ billingMode: 'PAY_PER_REQUEST' }, 'Table IOPS are currently being updated. Table: Table'],
        [streamOn, "Can't enable or disable stream while table IOPS are being updated. Table: Table"],
        [
          create('gsi', 'a', withUnits),
          "Can't create or delete index while table IOPS are being updated. Table: Table",
        ],
      ],
    ],
    [
      'a stream change',
      streamOn,
      [
        [
          iops,
          `Can't change table IOPS when stream status is being updated. Table: Table Stream: ${label} Operation: ENABLE`,
        ],
        [
          { streamSpecification: { streamEnabled: false } },
          `A stream status change is currently in progress. Table: Table Stream: ${label} Operation: ENABLE`,
        ],
      ],
    ],
    [
      'a change of the table class',
      tableClass,
      [
        [
          { tableClass: 'STANDARD' },
          "Can't update table class when a table class update is in progress. Table: Table TableClassUpdateInProgress: STANDARD_INFREQUENT_ACCESS",
        ],
      ],
    ],
    [
      'the first phase of a new index',
      create('gsi', 'a', withUnits),
      [
        [iops, "Can't change table IOPS when an index is being created. Table: Table Indexes: [gsi]"],
        [streamOn, "Can't change stream status when an index is being created. Table: Table Indexes: [gsi]"],
        [
          remove('gsi'),
          'Index creation is in resource allocation phase. Retry deletion during backfilling phase or when the index is active. Table: Table Index: gsi',
        ],
        [
          { globalSecondaryIndexUpdates: [{ update: { indexName: 'gsi', provisionedThroughput: units(2, 2) } }] },
          'Index is being created but is not backfilling yet.  Table: Table Index: gsi',
        ],
      ],
    ],
  ];
  test.each(rows)('%s', async (_name, first, refused) => {
    const services = await withTable(provisionedTable(), delayed);
    await update(services, first);
    for (const [change, message] of refused) expect(await refusal(services, change)).toBe(inUse + message);
    expect((await update(services, protection)).deletionProtectionEnabled).toBe(true);
  });

  test('an index that is being deleted', async () => {
    const services = await withTable(
      provisionedTable({
        attributeDefinitions: strings('PK', 'a'),
        globalSecondaryIndexes: [{ ...index('gsi', 'a'), ...withUnits }],
      }),
      { tasks: 'held' },
    );
    await update(services, remove('gsi'));
    expect(await refusal(services, iops)).toBe(
      `${inUse}Can't change table IOPS when an index is being deleted. Table: Table Indexes: [gsi]`,
    );
    expect(await refusal(services, remove('gsi'))).toBe(`${inUse}Index is being deleted.  Table: Table Index: gsi`);
    await services.tasks.run();
    await update(services, iops);
  });

  test('an index that is being updated', async () => {
    const services = await withTable(
      provisionedTable({
        attributeDefinitions: strings('PK', 'a'),
        globalSecondaryIndexes: [{ ...index('gsi', 'a'), ...withUnits }],
      }),
      delayed,
    );
    const change = (read: number): Change => ({
      globalSecondaryIndexUpdates: [{ update: { indexName: 'gsi', provisionedThroughput: units(read, 1) } }],
    });
    await update(services, change(2));
    expect(await refusal(services, change(3))).toBe(`${inUse}Index is being updated.  Table: Table Index: gsi`);
    services.clock.advance(1000);
    await update(services, change(3));
  });
});

test('of many changes at once none is lost', async () => {
  const services = await withTable(onDemandTable());
  await Promise.all([
    update(services, { onDemandThroughput: { maxReadRequestUnits: 1 } }),
    update(services, { onDemandThroughput: { maxWriteRequestUnits: 2 } }),
    update(services, { deletionProtectionEnabled: true }),
  ]);
  expect(await described(services)).toMatchObject({
    onDemandThroughput: { maxReadRequestUnits: 1, maxWriteRequestUnits: 2 },
    deletionProtectionEnabled: true,
  });
});
