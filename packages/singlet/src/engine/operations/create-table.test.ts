import { describe, expect, test } from 'vitest';
import { index, keys, onDemandTable, provisionedTable, strings, units } from '../testing/table-requests.ts';
import { testContext, testServices, testStartMs } from '../testing/test-services.ts';
import type { KeySchemaElement } from '../catalog/table-description.ts';
import { createTable } from './create-table.ts';
import type { CreateTableRequest } from '../schema/create-table-request.ts';
import { describeTable } from './describe-table.ts';
import { listTables } from './list-tables.ts';

const prefix = 'One or more parameter values were invalid: ';

async function refusal(request: CreateTableRequest): Promise<string> {
  const error: unknown = await createTable(testServices(), request, testContext).catch((cause: unknown) => cause);
  expect(error).toBeInstanceOf(Error);
  return `${(error as Error).name}: ${(error as Error).message}`;
}

describe('what CreateTable refuses, in the order in which the service looks', () => {
  const both = strings('a', 'b');
  const composite = { attributeDefinitions: both, keySchema: keys('a', 'b') };
  const numbered = (count: number) => Array.from({ length: count }, (_, at) => index(`idx${at}`, 'a', 'b'));
  const include = (...nonKeyAttributes: string[]) => ({ projectionType: 'INCLUDE', nonKeyAttributes }) as const;

  const rows: readonly (readonly [string, CreateTableRequest, string])[] = [
    [
      'DB-103 units in on-demand mode, before everything else',
      onDemandTable({ provisionedThroughput: units(1, 1), keySchema: keys('missing') }),
      `${prefix}Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST`,
    ],
    [
      'DB-102 no units in provisioned mode',
      provisionedTable({ provisionedThroughput: undefined }),
      `${prefix}ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is PROVISIONED`,
    ],
    [
      'DB-106 read units out of bounds',
      provisionedTable({
        provisionedThroughput: units(1_000_000_000_001, 1_000_000_000_001),
        attributeDefinitions: [],
      }),
      'Given value 1000000000001 for ReadCapacityUnits is out of bounds',
    ],
    [
      'DB-106 write units out of bounds',
      provisionedTable({
        provisionedThroughput: units(1_000_000_000_000, 1_000_000_000_001),
        attributeDefinitions: [],
      }),
      'Given value 1000000000001 for WriteCapacityUnits is out of bounds',
    ],
    [
      'DB-053 an attribute defined twice',
      onDemandTable({ attributeDefinitions: strings('PK', 'PK') }),
      'Attribute Name is duplicated: PK',
    ],
    [
      'DB-053 fewer definitions than keys',
      onDemandTable({ attributeDefinitions: strings('b'), keySchema: keys('a', 'b') }),
      'Invalid KeySchema: Some index key attribute have no definition',
    ],
    [
      'DB-053 a key without definition',
      onDemandTable({ attributeDefinitions: strings('b'), keySchema: keys('a') }),
      `${prefix}Some index key attributes are not defined in AttributeDefinitions. Keys: [a], AttributeDefinitions: [b]`,
    ],
    [
      'DB-046 one attribute for both keys',
      onDemandTable({ attributeDefinitions: both, keySchema: [keys('a')[0]!, keys('a')[0]!] }),
      'Both the Hash Key and the Range Key element in the KeySchema have the same name',
    ],
    [
      'DB-044 RANGE first',
      onDemandTable({ attributeDefinitions: both, keySchema: keys('a', 'b').toReversed() }),
      'Invalid KeySchema: The first KeySchemaElement is not a HASH key type',
    ],
    [
      'DB-044 two HASH',
      onDemandTable({ attributeDefinitions: both, keySchema: [...keys('a'), ...keys('b')] }),
      'Invalid KeySchema: The second KeySchemaElement is not a RANGE key type',
    ],
    [
      'DB-053 a definition too many, without indexes',
      onDemandTable({ attributeDefinitions: strings('PK', 'x') }),
      `${prefix}Number of attributes in KeySchema does not exactly match number of attributes defined in AttributeDefinitions`,
    ],
    [
      'DB-058 an empty list of local indexes',
      onDemandTable({ attributeDefinitions: both, keySchema: keys('a'), localSecondaryIndexes: [] }),
      `${prefix}List of LocalSecondaryIndexes is empty`,
    ],
    [
      'DB-059 an empty list of global indexes',
      onDemandTable({ attributeDefinitions: both, keySchema: keys('a'), globalSecondaryIndexes: [] }),
      `${prefix}List of GlobalSecondaryIndexes is empty`,
    ],
    [
      'DB-058 a local index on a table without sort key',
      onDemandTable({ attributeDefinitions: both, keySchema: keys('a'), localSecondaryIndexes: [index('lsi', 'c')] }),
      `${prefix}Table KeySchema does not have a range key, which is required when specifying a LocalSecondaryIndex`,
    ],
    [
      'DB-053 a definition too many, with indexes, hides what else is wrong with them',
      onDemandTable({
        attributeDefinitions: strings('id', 'user', 'created'),
        keySchema: keys('id'),
        globalSecondaryIndexes: [{ ...index('gsi', 'user'), projection: {} }],
      }),
      `${prefix}Some AttributeDefinitions are not used. AttributeDefinitions: [id, user, created], keys used: [id, user]`,
    ],
    [
      'DB-053 an index key without definition',
      onDemandTable({ ...composite, localSecondaryIndexes: [index('lsi', 'a', 'c')] }),
      `${prefix}Some index key attributes are not defined in AttributeDefinitions. Keys: [a, c], AttributeDefinitions: [a, b]`,
    ],
    [
      'DB-057 a local index without sort key',
      onDemandTable({ ...composite, localSecondaryIndexes: [index('lsi', 'b')] }),
      `${prefix}Index KeySchema does not have a range key for index: lsi`,
    ],
    [
      'DB-057 a local index with another partition key',
      onDemandTable({ ...composite, localSecondaryIndexes: [index('lsi', 'b', 'a')] }),
      `${prefix}Index KeySchema does not have the same leading hash key as table KeySchema for index: lsi. index hash key: b, table hash key: a`,
    ],
    [
      'DB-068 no projection type',
      onDemandTable({ ...composite, localSecondaryIndexes: [{ ...index('lsi', 'a', 'b'), projection: {} }] }),
      `${prefix}Unknown ProjectionType: null`,
    ],
    [
      'DB-068 attributes named, and all projected',
      onDemandTable({
        ...composite,
        globalSecondaryIndexes: [
          { ...index('gsi', 'a', 'b'), projection: { projectionType: 'ALL', nonKeyAttributes: ['x'] } },
        ],
      }),
      `${prefix}ProjectionType is ALL, but NonKeyAttributes is specified`,
    ],
    [
      'DB-068 INCLUDE of nothing',
      onDemandTable({
        ...composite,
        globalSecondaryIndexes: [{ ...index('gsi', 'a', 'b'), projection: { projectionType: 'INCLUDE' } }],
      }),
      `${prefix}ProjectionType is INCLUDE, but NonKeyAttributes is not specified`,
    ],
    [
      'DB-068 an attribute projected twice',
      onDemandTable({
        ...composite,
        globalSecondaryIndexes: [{ ...index('gsi', 'a', 'b'), projection: include('x', 'x') }],
      }),
      `${prefix}Duplicate element in NonKeyAttributes: x`,
    ],
    [
      'DB-112 one name for two indexes',
      onDemandTable({
        ...composite,
        localSecondaryIndexes: [index('same', 'a', 'b')],
        globalSecondaryIndexes: [index('same', 'a', 'b')],
      }),
      `${prefix}Duplicate index name: same`,
    ],
    [
      'DB-073 six local indexes',
      onDemandTable({ ...composite, localSecondaryIndexes: numbered(6) }),
      `${prefix}Number of LocalSecondaryIndexes exceeds per-table limit of 5`,
    ],
    [
      'DB-073 twenty-one global indexes',
      onDemandTable({ ...composite, globalSecondaryIndexes: numbered(21) }),
      `${prefix}GlobalSecondaryIndex count exceeds the per-table limit of 20`,
    ],
    [
      'DB-068 101 projected attributes',
      onDemandTable({
        ...composite,
        globalSecondaryIndexes: numbered(6).map((each, at) => ({
          ...each,
          projection: include(...Array.from({ length: at < 5 ? 20 : 1 }, (_, n) => `x${n}`)),
        })),
      }),
      `${prefix}Number of NonKeyAttributes in all secondary indexes exceeds per-table limit of 100`,
    ],
    [
      'DB-062 units for an index in on-demand mode',
      onDemandTable({
        ...composite,
        globalSecondaryIndexes: [{ ...index('gsi', 'b'), provisionedThroughput: units(1, 1) }],
      }),
      `${prefix}ProvisionedThroughput should not be specified for index: gsi when BillingMode is PAY_PER_REQUEST`,
    ],
    [
      'DB-062 no units for an index in provisioned mode',
      provisionedTable({ ...composite, globalSecondaryIndexes: [index('gsi', 'b')] }),
      `${prefix}ProvisionedThroughput is not specified for index: gsi`,
    ],
    [
      'DB-253 a stream without view type',
      onDemandTable({ streamSpecification: { streamEnabled: true } }),
      `${prefix}Table is being created with a stream enabled, UpdateViewType is required`,
    ],
    [
      'DB-253 no stream, with view type',
      onDemandTable({ streamSpecification: { streamEnabled: false, streamViewType: 'KEYS_ONLY' } }),
      `${prefix}Table is being created with a stream disabled, UpdateViewType should not be specified`,
    ],
    [
      'DB-135 a key without KMS',
      onDemandTable({ sseSpecification: { enabled: true, kmsMasterKeyId: 'alias/mine' } }),
      `${prefix}SSEType KMS is required if KMSMasterKeyId is specified`,
    ],
    [
      'DB-135 an encryption type that is switched off',
      onDemandTable({ sseSpecification: { enabled: false, sseType: 'KMS' } }),
      `${prefix}SSEType can not be specified if Enabled is false`,
    ],
    [
      'DB-139 a reserved tag',
      onDemandTable({ tags: [{ key: 'aws:x', value: '' }] }),
      'Tag Key cannot be prefixed with aws:, Key: aws:x',
    ],
    [
      'DB-139 a tag given twice',
      onDemandTable({
        tags: [
          { key: 'x', value: '1' },
          { key: 'x', value: '2' },
        ],
      }),
      'Duplicate Tag Keys provided as input: Duplicate Tag Key found x',
    ],
    [
      'DB-105 an on-demand maximum in provisioned mode',
      provisionedTable({ onDemandThroughput: { maxReadRequestUnits: 1 } }),
      `${prefix}MaxReadRequestUnits for OnDemandThroughput cannot be specified when the table BillingMode is PROVISIONED`,
    ],
    [
      'DB-105 an on-demand maximum of nothing',
      onDemandTable({ onDemandThroughput: { maxReadRequestUnits: 10, maxWriteRequestUnits: 0 } }),
      `${prefix}Requested MaxWriteRequestUnits for OnDemandThroughput for table is outside of valid range`,
    ],
    [
      'DB-105 an on-demand maximum taken away before it was given',
      onDemandTable({ onDemandThroughput: { maxReadRequestUnits: -1 } }),
      `${prefix}Requested MaxReadRequestUnits for OnDemandThroughput for table is outside of valid range`,
    ],
    [
      'DB-105 less warm throughput than on-demand mode starts with',
      onDemandTable({ warmThroughput: { readUnitsPerSecond: 11_999 } }),
      `${prefix}Requested ReadUnitsPerSecond for WarmThroughput for table is lower than initial throughput for OnDemand. See: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/on-demand-capacity-mode.html#on-demand-capacity-mode-initial`,
    ],
    [
      'DB-105 less warm throughput than provisioned',
      provisionedTable({ warmThroughput: { writeUnitsPerSecond: 4 } }),
      `${prefix}Requested WriteUnitsPerSecond for WarmThroughput for table is lower than WriteCapacityUnits of ProvisionedThroughput`,
    ],
  ];

  test.each(rows)('%s', async (_name, request, message) => {
    expect(await refusal(request)).toBe(`ValidationException: ${message}`);
  });

  test('DB-106 units above the quota of a table, and of an index', async () => {
    expect(await refusal(provisionedTable({ provisionedThroughput: units(1, 40_001) }))).toBe(
      'LimitExceededException: The requested WriteCapacityUnits, 40001, is above the per table maximum for the account in us-east-1. Per table maximum: 40000. Refer to the Amazon DynamoDB Developer Guide for current limits and how to request higher limits.',
    );
    const indexes = [{ ...index('gsi', 'b'), provisionedThroughput: units(40_001, 1) }];
    expect(await refusal(provisionedTable({ ...composite, globalSecondaryIndexes: indexes }))).toBe(
      'LimitExceededException: The requested ReadCapacityUnits for index gsi, 40001, is above the per index maximum for the account in us-east-1. Per index maximum: 40000. Refer to the Amazon DynamoDB Developer Guide for current limits and how to request higher limits.',
    );
  });
});

describe('DB-076 multi-attribute keys of global indexes', () => {
  const names = ['h1', 'h2', 'h3', 'h4', 'h5', 'r1', 'r2', 'r3', 'r4', 'r5'];
  const schema = (hashes: readonly string[], ranges: readonly string[]) => [
    ...hashes.flatMap((name) => keys(name)),
    ...ranges.map((attributeName) => ({ attributeName, keyType: 'RANGE' }) as const),
  ];
  const table = (keySchema: readonly KeySchemaElement[]) =>
    onDemandTable({
      attributeDefinitions: strings('PK', ...new Set(keySchema.map((element) => element.attributeName))),
      globalSecondaryIndexes: [{ indexName: 'gsi', keySchema, projection: { projectionType: 'ALL' } }],
    });

  test('up to four of each are accepted and described in their order', async () => {
    const keySchema = schema(names.slice(0, 4), names.slice(5, 9));
    const { tableDescription } = await createTable(testServices(), table(keySchema), testContext);
    expect(tableDescription.globalSecondaryIndexes?.[0]?.keySchema).toEqual(keySchema);
  });

  const rows: readonly (readonly [string, readonly KeySchemaElement[], string])[] = [
    [
      'five HASH',
      schema(names.slice(0, 5), []),
      `${prefix}The KeySchema exceeds the maximum allowed number of HASH key attributes`,
    ],
    [
      'five RANGE',
      schema(['h1'], names.slice(5)),
      `${prefix}The KeySchema exceeds the maximum allowed number of RANGE key attributes`,
    ],
    [
      'HASH after RANGE',
      [...schema(['h1'], ['r1']), ...schema(['h2'], [])],
      `${prefix}All HASH key attributes must precede RANGE key attributes in the KeySchema`,
    ],
    ['a name twice', schema(['h1', 'h2'], ['h1']), 'The KeySchema contains multiple key attributes with the same name'],
    ['RANGE first', schema([], ['r1', 'r2']), 'Invalid KeySchema: The first KeySchemaElement is not a HASH key type'],
  ];
  test.each(rows)('%s', async (_name, keySchema, message) => {
    expect(await refusal(table(keySchema))).toBe(`ValidationException: ${message}`);
  });
});

describe('what CreateTable answers', () => {
  test('DB-135 a provisioned table with both kinds of indexes', async () => {
    const services = testServices();
    const request = provisionedTable({
      tableName: 'Movies',
      attributeDefinitions: strings('Movie', 'Actor', 'Year'),
      keySchema: keys('Actor', 'Movie'),
      localSecondaryIndexes: [index('ByYear', 'Actor', 'Year')],
      globalSecondaryIndexes: [
        {
          indexName: 'MoviesIndex',
          keySchema: keys('Movie', 'Actor'),
          projection: { projectionType: 'INCLUDE', nonKeyAttributes: ['b', 'a'] },
          provisionedThroughput: units(3, 2),
        },
      ],
    });
    const { tableDescription } = await createTable(services, request, testContext);
    const arn = 'arn:aws:dynamodb:us-east-1:000000000000:table/Movies';
    expect(tableDescription).toEqual({
      attributeDefinitions: strings('Actor', 'Movie', 'Year'),
      tableName: 'Movies',
      keySchema: keys('Actor', 'Movie'),
      tableStatus: 'CREATING',
      creationDateTime: testStartMs / 1000,
      provisionedThroughput: { numberOfDecreasesToday: 0, ...units(5, 5) },
      tableSizeBytes: 0,
      itemCount: 0,
      tableArn: arn,
      tableId: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/) as string,
      deletionProtectionEnabled: false,
      localSecondaryIndexes: [
        {
          indexName: 'ByYear',
          keySchema: keys('Actor', 'Year'),
          projection: { projectionType: 'ALL' },
          indexSizeBytes: 0,
          itemCount: 0,
          indexArn: `${arn}/index/ByYear`,
        },
      ],
      globalSecondaryIndexes: [
        {
          indexName: 'MoviesIndex',
          keySchema: keys('Movie', 'Actor'),
          projection: { projectionType: 'INCLUDE', nonKeyAttributes: ['a', 'b'] },
          indexStatus: 'CREATING',
          provisionedThroughput: { numberOfDecreasesToday: 0, ...units(3, 2) },
          indexSizeBytes: 0,
          itemCount: 0,
          indexArn: `${arn}/index/MoviesIndex`,
        },
      ],
    });
    const { table } = await describeTable(services, { tableName: 'Movies' }, testContext);
    expect(table).toEqual({
      ...tableDescription,
      tableStatus: 'ACTIVE',
      warmThroughput: { readUnitsPerSecond: 5, writeUnitsPerSecond: 5, status: 'ACTIVE' },
      globalSecondaryIndexes: [
        {
          ...tableDescription.globalSecondaryIndexes![0],
          indexStatus: 'ACTIVE',
          warmThroughput: { readUnitsPerSecond: 3, writeUnitsPerSecond: 2, status: 'ACTIVE' },
        },
      ],
    });
  });

  test('DB-103 DB-105 an on-demand table with everything that can be asked for', async () => {
    const services = testServices();
    const request = onDemandTable({
      streamSpecification: { streamEnabled: true, streamViewType: 'NEW_AND_OLD_IMAGES' },
      sseSpecification: { enabled: true, sseType: 'KMS', kmsMasterKeyId: 'alias/mine' },
      tags: [{ key: 'team', value: 'blue' }],
      tableClass: 'STANDARD_INFREQUENT_ACCESS',
      deletionProtectionEnabled: true,
      onDemandThroughput: { maxReadRequestUnits: 100 },
      warmThroughput: { writeUnitsPerSecond: 5000 },
      resourcePolicy:
        '{ "Version": "2012-10-17", "Statement": { "Effect": "Allow", "Principal": { "AWS": "111122223333" }, "Action": ["dynamodb:GetItem"], "Resource": "*" } }',
    });
    const { tableDescription } = await createTable(services, request, testContext);
    expect(tableDescription).toMatchObject({
      billingModeSummary: { billingMode: 'PAY_PER_REQUEST' },
      provisionedThroughput: { numberOfDecreasesToday: 0, ...units(0, 0) },
      streamSpecification: { streamEnabled: true, streamViewType: 'NEW_AND_OLD_IMAGES' },
      latestStreamLabel: '2024-01-01T00:00:00.000',
      latestStreamArn: 'arn:aws:dynamodb:us-east-1:000000000000:table/Table/stream/2024-01-01T00:00:00.000',
      sseDescription: {
        status: 'ENABLED',
        sseType: 'KMS',
        kmsMasterKeyArn: expect.stringMatching(/^arn:aws:kms:us-east-1:000000000000:key\/[0-9a-f-]{36}$/) as string,
      },
      tableClassSummary: { tableClass: 'STANDARD_INFREQUENT_ACCESS' },
      deletionProtectionEnabled: true,
      onDemandThroughput: { maxReadRequestUnits: 100 },
      warmThroughput: { readUnitsPerSecond: 12_000, writeUnitsPerSecond: 5000, status: 'ACTIVE' },
    });
    expect(tableDescription.billingModeSummary).not.toHaveProperty('lastUpdateToPayPerRequestDateTime');
    const { table } = await describeTable(services, { tableName: 'Table' }, testContext);
    expect(table.billingModeSummary?.lastUpdateToPayPerRequestDateTime).toBe(testStartMs / 1000);
    const stored = await services.catalog.load(testContext, 'Table');
    expect(stored?.record.resourcePolicy).toEqual({
      revisionId: String(testStartMs),
      policy:
        '{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":{"AWS":"arn:aws:iam::111122223333:root"},"Action":"dynamodb:GetItem","Resource":"*"}]}',
    });
  });

  test('DB-135 no stream and no encryption of its own leave no trace', async () => {
    const request = onDemandTable({
      streamSpecification: { streamEnabled: false },
      sseSpecification: { enabled: false },
    });
    const { tableDescription } = await createTable(testServices(), request, testContext);
    expect(tableDescription).not.toHaveProperty('streamSpecification');
    expect(tableDescription).not.toHaveProperty('latestStreamArn');
    expect(tableDescription).not.toHaveProperty('sseDescription');
    expect(tableDescription).not.toHaveProperty('tableClassSummary');
  });
});

describe('DB-136 names and lifecycle', () => {
  test('a name that is taken', async () => {
    const services = testServices({ lifecycleDelayMs: 500 });
    await createTable(services, onDemandTable(), testContext);
    const again = () => createTable(services, onDemandTable(), testContext);
    await expect(again()).rejects.toThrow(
      expect.objectContaining({
        name: 'ResourceInUseException',
        message: 'Attempt to change a resource which is still in use: Table is being created: Table',
      }),
    );
    services.clock.advance(500);
    await expect(again()).rejects.toThrow(
      expect.objectContaining({ name: 'ResourceInUseException', message: 'Table already exists: Table' }),
    );
  });

  test('a table is CREATING for as long as it is told to be, its indexes with it', async () => {
    const services = testServices({ lifecycleDelayMs: 500 });
    const request = onDemandTable({
      attributeDefinitions: strings('PK', 'a'),
      globalSecondaryIndexes: [index('gsi', 'a')],
    });
    await createTable(services, request, testContext);
    const statuses = async () => {
      const { table } = await describeTable(services, { tableName: 'Table' }, testContext);
      return [table.tableStatus, table.globalSecondaryIndexes?.[0]?.indexStatus];
    };
    services.clock.advance(499);
    expect(await statuses()).toEqual(['CREATING', 'CREATING']);
    services.clock.advance(1);
    expect(await statuses()).toEqual(['ACTIVE', 'ACTIVE']);
  });

  test('each account and region has its own tables', async () => {
    const services = testServices();
    const elsewhere = { accountId: '111111111111', region: 'eu-west-1' };
    await createTable(services, onDemandTable(), testContext);
    await createTable(services, onDemandTable(), elsewhere);
    const here = await services.catalog.load(testContext, 'Table');
    const there = await services.catalog.load(elsewhere, 'Table');
    expect(here?.record.itemSpace).not.toBe(there?.record.itemSpace);
    expect((await listTables(services, {}, elsewhere)).tableNames).toEqual(['Table']);
  });

  test('DB-123 no more tables than the quota', async () => {
    const services = testServices({ limits: { tableCountMax: 2 } });
    await createTable(services, onDemandTable({ tableName: 'one' }), testContext);
    await createTable(services, onDemandTable({ tableName: 'two' }), testContext);
    await expect(createTable(services, onDemandTable({ tableName: 'three' }), testContext)).rejects.toThrow(
      expect.objectContaining({
        name: 'LimitExceededException',
        message: 'Subscriber limit exceeded: There is a limit of 2 tables per subscriber',
      }),
    );
    expect((await listTables(services, {}, testContext)).tableNames).toEqual(['one', 'two']);
  });

  test('DB-106 no more units than the quota of the account', async () => {
    const services = testServices({ limits: { accountCapacityUnitsMax: 12 } });
    await createTable(services, provisionedTable({ tableName: 'one' }), testContext);
    const request = provisionedTable({ tableName: 'two', provisionedThroughput: units(8, 7) });
    await expect(createTable(services, request, testContext)).rejects.toThrow(
      expect.objectContaining({
        name: 'LimitExceededException',
        message:
          'This request would have caused the ReadCapacityUnits limit to be exceeded for the account in us-east-1. Current ReadCapacityUnits reserved by the account: 5. Limit: 12. Requested: 8. Refer to the Amazon DynamoDB Developer Guide for current limits and how to request higher limits.',
      }),
    );
  });

  test('of many creations at once under one name, one succeeds', async () => {
    const services = testServices();
    const attempts = await Promise.allSettled(
      Array.from({ length: 10 }, () => createTable(services, onDemandTable(), testContext)),
    );
    expect(attempts.filter((attempt) => attempt.status === 'fulfilled')).toHaveLength(1);
  });
});
