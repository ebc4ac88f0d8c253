import { describe, expect, it } from 'vitest';
import { batchGetItem } from '../operations/batch-get-item.ts';
import { contributorInsightsReport } from '../operations/contributor-insights-report.ts';
import { createTable } from '../operations/create-table.ts';
import { deleteTable } from '../operations/delete-table.ts';
import { describeContributorInsights } from '../operations/describe-contributor-insights.ts';
import { getItem } from '../operations/get-item.ts';
import { listContributorInsights } from '../operations/list-contributor-insights.ts';
import { putItem } from '../operations/put-item.ts';
import { query } from '../operations/query.ts';
import { scan } from '../operations/scan.ts';
import {
  updateContributorInsights,
  type UpdateContributorInsightsRequest,
} from '../operations/update-contributor-insights.ts';
import { updateTable } from '../operations/update-table.ts';
import { refusal } from '../testing/refusal.ts';
import { index, keys, onDemandTable, strings, units } from '../testing/table-requests.ts';
import { testContext, type TestServices, testServices, testStartMs } from '../testing/test-services.ts';
import { ThrottledTable } from '../testing/throttled-table.ts';

const orders = onDemandTable({
  tableName: 'Orders',
  keySchema: keys('PK', 'SK'),
  attributeDefinitions: strings('PK', 'SK', 'city', 'sort'),
  localSecondaryIndexes: [index('bySort', 'PK', 'sort')],
  globalSecondaryIndexes: [index('byCity', 'city')],
});

async function open(options: Parameters<typeof testServices>[0] = {}): Promise<TestServices> {
  const services = testServices(options);
  await createTable(services, orders, testContext);
  services.clock.advance(60_000); // if there is a delay, the table is ACTIVE afterwards
  return services;
}

type Change = Partial<UpdateContributorInsightsRequest>;

const enable = (services: TestServices, change: Change = {}): ReturnType<typeof updateContributorInsights> =>
  updateContributorInsights(
    services,
    { tableName: 'Orders', contributorInsightsAction: 'ENABLE', ...change },
    testContext,
  );
const disable = (services: TestServices, change: Change = {}): ReturnType<typeof updateContributorInsights> =>
  enable(services, { contributorInsightsAction: 'DISABLE', ...change });
const describeThem = (services: TestServices, indexName?: string): ReturnType<typeof describeContributorInsights> =>
  describeContributorInsights(services, { tableName: 'Orders', indexName }, testContext);
const report = (services: TestServices, indexName?: string): ReturnType<typeof contributorInsightsReport> =>
  contributorInsightsReport(services, { tableName: 'Orders', indexName }, testContext);

describe('the life of contributor insights', () => {
  it('takes its time where changes do', async () => {
    const services = await open({ lifecycleDelayMs: 2000 });
    const since = services.clock.nowMs();
    expect(await enable(services)).toEqual({
      tableName: 'Orders',
      contributorInsightsStatus: 'ENABLING',
      contributorInsightsMode: 'ACCESSED_AND_THROTTLED_KEYS',
    });
    expect(await describeThem(services)).toMatchObject({
      contributorInsightsStatus: 'ENABLING',
      lastUpdateDateTime: since / 1000,
    });
    services.clock.advance(2000);
    expect(await describeThem(services)).toEqual({
      tableName: 'Orders',
      contributorInsightsStatus: 'ENABLED',
      contributorInsightsMode: 'ACCESSED_AND_THROTTLED_KEYS',
      lastUpdateDateTime: since / 1000 + 2,
      contributorInsightsRuleList: ['PKC', 'SKC', 'PKT', 'SKT'].map(
        (rule) => `DynamoDBContributorInsights-${rule}-Orders-${since}`,
      ),
    });
    expect((await disable(services)).contributorInsightsStatus).toBe('DISABLING');
    expect((await describeThem(services)).contributorInsightsStatus).toBe('DISABLING');
    services.clock.advance(2000);
    expect(await describeThem(services)).toEqual({
      tableName: 'Orders',
      contributorInsightsStatus: 'DISABLED',
      contributorInsightsMode: 'ACCESSED_AND_THROTTLED_KEYS',
      lastUpdateDateTime: since / 1000 + 4,
    });
  });

  it('fails beyond the rules that an account has, and recovers when some are given back', async () => {
    const services = await open({ limits: { contributorInsightsRuleCountMax: 5 } });
    await enable(services); // four rules
    expect((await enable(services, { indexName: 'byCity' })).contributorInsightsStatus).toBe('ENABLING');
    expect(await describeThem(services, 'byCity')).toEqual({
      tableName: 'Orders',
      indexName: 'byCity',
      contributorInsightsStatus: 'FAILED',
      contributorInsightsMode: 'ACCESSED_AND_THROTTLED_KEYS',
      lastUpdateDateTime: services.clock.nowMs() / 1000,
      failureException: {
        exceptionName: 'LimitExceededException',
        exceptionDescription: expect.stringContaining('rule limit reached') as string,
      },
    });
    await enable(services, { contributorInsightsMode: 'THROTTLED_KEYS' }); // two rules
    await enable(services, { indexName: 'byCity' });
    expect((await describeThem(services, 'byCity')).contributorInsightsStatus).toBe('ENABLED');
    // The rules of a deleted table are free again.
    await deleteTable(services, { tableName: 'Orders' }, testContext);
    await createTable(services, orders, testContext);
    await enable(services);
    expect((await describeThem(services)).contributorInsightsStatus).toBe('ENABLED');
  });

  it('is refused while an index is being created, and for one that is none', async () => {
    const services = await open({ lifecycleDelayMs: 1000 });
    await updateTable(
      services,
      {
        tableName: 'Orders',
        attributeDefinitions: strings('zip'),
        globalSecondaryIndexUpdates: [{ create: index('byZip', 'zip') }],
      },
      testContext,
    );
    expect(await refusal(enable(services, { indexName: 'byZip' }))).toBe(
      'ValidationException: Table or Index is not in a valid state to update Key Access Insights: IndexStatus must be ACTIVE to enable ContributorInsights.',
    );
    const absent = (name: string): string =>
      `ResourceNotFoundException: Requested resource not found: Index: ${name} not found for table: Orders`;
    expect(await refusal(enable(services, { indexName: 'bySort' }))).toBe(absent('bySort'));
    expect(await refusal(describeThem(services, 'none'))).toBe(absent('none'));
    await createTable(services, { ...orders, tableName: 'Young' }, testContext);
    for (const operation of [
      enable(services, { tableName: 'Young' }),
      describeContributorInsights(services, { tableName: 'Young' }, testContext),
      listContributorInsights(services, { tableName: 'Young' }, testContext),
    ]) {
      expect(await refusal(operation)).toBe(
        'ResourceNotFoundException: Requested resource not found: Table: Young not found',
      );
    }
  });
});

describe('lists of contributor insights', () => {
  const pages = async (
    services: TestServices,
    maxResults: number,
    tableName?: string,
  ): Promise<readonly string[][]> => {
    const found: string[][] = [];
    let nextToken: string | undefined;
    do {
      const page = await listContributorInsights(services, { tableName, maxResults, nextToken }, testContext);
      found.push(page.contributorInsightsSummaries.map((one) => [one.tableName, one.indexName ?? '-'].join(' ')));
      nextToken = page.nextToken;
    } while (nextToken !== undefined);
    return found;
  };

  it('hold all that are not disabled, a table before its indexes, whatever the size of pages', async () => {
    const services = await open();
    await createTable(services, { ...orders, tableName: 'Another' }, testContext);
    await createTable(services, onDemandTable({ tableName: 'Zebra' }), testContext);
    expect(await pages(services, 100)).toEqual([[]]);
    await enable(services, { indexName: 'byCity' });
    await enable(services);
    await enable(services, { tableName: 'Zebra' });
    const all = ['Orders -', 'Orders byCity', 'Zebra -'];
    for (const size of [1, 2, 3, 5, 100]) expect((await pages(services, size)).flat()).toEqual(all);
    // Another table and its index are checked, too.
    expect(await pages(services, 1)).toEqual([[], [], ['Orders -'], ['Orders byCity'], ['Zebra -']]);
    expect(await pages(services, 1, 'Orders')).toEqual([['Orders -'], ['Orders byCity']]);
    await disable(services);
    expect(await pages(services, 1, 'Orders')).toEqual([['Orders byCity']]);
    expect(await refusal(listContributorInsights(services, { nextToken: 'x' }, testContext))).toBe(
      'ValidationException: Invalid NextToken',
    );
  });
});

describe('what is counted', () => {
  const item = (pk: string, sk: string): { PK: { S: string }; SK: { S: string }; city: { S: string } } => ({
    PK: { S: pk },
    SK: { S: sk },
    city: { S: 'Bern' },
  });
  const put = async (services: TestServices, pk: string, sk: string): Promise<void> => {
    await putItem(services, { tableName: 'Orders', item: item(pk, sk) }, testContext);
  };
  const read = async (services: TestServices, pk: string, sk: string): Promise<void> => {
    const key = { PK: { S: pk }, SK: { S: sk } };
    await getItem(services, { tableName: 'Orders', key, consistentRead: true }, testContext);
  };

  it('nothing while they are off', async () => {
    const services = await open();
    await put(services, 'a', '1');
    expect(await report(services)).toEqual({
      tableName: 'Orders',
      contributorInsightsStatus: 'DISABLED',
      atEpochMs: testStartMs + 60_000,
      rules: [],
    });
    await enable(services);
    expect((await report(services)).rules.map(({ totalWeight }) => totalWeight)).toEqual([0, 0, 0, 0]);
    await put(services, 'a', '1');
    await disable(services);
    expect((await report(services)).rules).toEqual([]);
  });

  it('units of reads once and of writes three times, by partition key and by whole key', async () => {
    const services = await open();
    await enable(services);
    await put(services, 'a', '1');
    await put(services, 'a', '2');
    await read(services, 'b', '1');
    await batchGetItem(
      services,
      { requestItems: { Orders: { keys: [{ PK: { S: 'b' }, SK: { S: '1' } }] } } },
      testContext,
    );
    const { rules } = await report(services);
    const [byPartition, byKey] = rules;
    expect(byPartition).toMatchObject({
      rule: 'PKC',
      totalWeight: 7.5,
      contributors: [
        { key: { PK: { S: 'a' } }, weight: 6, error: 0, reads: 0, writes: 2, heat: 2 / 1000 },
        { key: { PK: { S: 'b' } }, weight: 1.5, error: 0, reads: 1.5, writes: 0, heat: 1.5 / 3000 },
      ],
    });
    services.clock.advance(20_000);
    expect((await report(services)).rules[0]?.contributors[0]?.heat).toBe(2 / 20 / 1000);
    expect(byKey?.contributors).toMatchObject([
      { key: { PK: { S: 'a' }, SK: { S: '1' } }, weight: 3, error: 0 },
      { key: { PK: { S: 'a' }, SK: { S: '2' } }, weight: 3, error: 0 },
      { key: { PK: { S: 'b' }, SK: { S: '1' } }, weight: 1.5, error: 0 },
    ]);
  });

  it('queries by their partition key, scans not at all; indexes by their own keys', async () => {
    const services = await open();
    await put(services, 'a', '1');
    await enable(services);
    await enable(services, { indexName: 'byCity' });
    const page = { tableName: 'Orders', expressionAttributeValues: { ':v': { S: 'a' } } };
    await query(services, { ...page, keyConditionExpression: 'PK = :v' }, testContext);
    await query(services, { ...page, keyConditionExpression: 'PK = :v', indexName: 'bySort' }, testContext);
    const inBern = { expressionAttributeValues: { ':v': { S: 'Bern' } }, keyConditionExpression: 'city = :v' };
    await query(services, { tableName: 'Orders', indexName: 'byCity', ...inBern }, testContext);
    await scan(services, { tableName: 'Orders' }, testContext);
    const ofTable = (await report(services)).rules;
    expect(ofTable.find(({ rule }) => rule === 'PKC')?.contributors).toMatchObject([
      { key: { PK: { S: 'a' } }, weight: 0.5, error: 0 },
    ]);
    expect(ofTable.find(({ rule }) => rule === 'SKC')?.contributors).toEqual([]);
    await put(services, 'b', '1');
    const ofIndex = await report(services, 'byCity');
    expect(ofIndex).toMatchObject({ indexName: 'byCity', contributorInsightsStatus: 'ENABLED' });
    expect(ofIndex.rules.map(({ rule, contributors }) => [rule, contributors])).toMatchObject([
      ['PKC', [{ key: { city: { S: 'Bern' } }, weight: 3.5, error: 0 }]],
      ['PKT', []],
    ]);
  });

  it('what is throttled, in either mode', async () => {
    const table = await ThrottledTable.open({ writes: 2, reads: 2 });
    const update = (mode: 'THROTTLED_KEYS' | 'ACCESSED_AND_THROTTLED_KEYS'): Promise<unknown> =>
      updateContributorInsights(
        table.services,
        { tableName: 'Table', contributorInsightsAction: 'ENABLE', contributorInsightsMode: mode },
        testContext,
      );
    await update('THROTTLED_KEYS');
    await table.count(5, () => table.put('hot', 'item'));
    await table.count(3, () => table.get('cold', 'item'));
    const { rules } = await contributorInsightsReport(table.services, { tableName: 'Table' }, testContext);
    expect(rules.map(({ rule }) => rule)).toEqual(['PKT', 'SKT']);
    expect(rules.map(({ contributors }) => contributors)).toEqual([
      [
        { key: { PK: { S: 'hot' } }, weight: 3, error: 0, reads: 0, writes: 3 },
        { key: { PK: { S: 'cold' } }, weight: 1, error: 0, reads: 1, writes: 0 },
      ],
      [
        { key: { PK: { S: 'hot' }, SK: { S: 'item' } }, weight: 3, error: 0, reads: 0, writes: 3 },
        { key: { PK: { S: 'cold' }, SK: { S: 'item' } }, weight: 1, error: 0, reads: 1, writes: 0 },
      ],
    ]);
  });

  it('in bounded memory', async () => {
    const services = await open({ limits: { contributorKeyCountMax: 10 } });
    await enable(services);
    for (let n = 0; n < 100; n += 1) {
      await read(services, `seldom${n}`, '1');
      await read(services, 'often', '1');
    }
    const byPartition = (await report(services)).rules[0];
    expect(byPartition?.contributors).toHaveLength(10);
    expect(byPartition?.contributors[0]?.key).toEqual({ PK: { S: 'often' } });
  });
});

it('survive a change of the table', async () => {
  const services = testServices();
  await createTable(
    services,
    {
      ...orders,
      globalSecondaryIndexes: undefined,
      attributeDefinitions: strings('PK', 'SK', 'sort'),
      billingMode: 'PROVISIONED',
      provisionedThroughput: units(5, 5),
    },
    testContext,
  );
  await enable(services);
  await getItem(services, { tableName: 'Orders', key: { PK: { S: 'a' }, SK: { S: '1' } } }, testContext);
  await updateTable(services, { tableName: 'Orders', provisionedThroughput: units(6, 6) }, testContext);
  await getItem(services, { tableName: 'Orders', key: { PK: { S: 'a' }, SK: { S: '1' } } }, testContext);
  expect((await report(services)).rules[0]?.totalWeight).toBe(1);
});
