import { describe, expect, test } from 'vitest';
import { createTable } from '../operations/create-table.ts';
import { describeTable } from '../operations/describe-table.ts';
import { putItem } from '../operations/put-item.ts';
import { restoreTableFromBackup } from '../operations/restore-table-from-backup.ts';
import { restoreTableToPointInTime } from '../operations/restore-table-to-point-in-time.ts';
import { updateTimeToLive } from '../operations/update-time-to-live.ts';
import type { TableDescription } from '../catalog/table-description.ts';
import { backup, enableRecovery } from '../testing/backup-requests.ts';
import { refusal } from '../testing/refusal.ts';
import { index, keys, strings, units } from '../testing/table-requests.ts';
import { inconsistencies } from '../testing/test-engine.ts';
import { byTenant, vectorIndex, vectorOf, vectorTable } from '../testing/vector-tables.ts';
import { testContext, type TestServices, testServices } from '../testing/test-services.ts';
import type { RestoreOverrides } from './restored-table.ts';

const gsi = { ...index('gsi', 'g'), provisionedThroughput: units(5, 5) };
const lsi = { ...index('lsi', 'pk', 'l'), projection: { projectionType: 'KEYS_ONLY' } as const };
const onDemandGsi = { ...index('gsi', 'g') };

/** Two tables with all settings that a restore takes over and all that it does not. */
async function open(): Promise<TestServices> {
  const services = testServices();
  const common = {
    keySchema: keys('pk', 'sk'),
    attributeDefinitions: strings('pk', 'sk', 'g', 'l'),
    localSecondaryIndexes: [lsi],
    sseSpecification: { enabled: true },
    tags: [{ key: 'team', value: 'a' }],
    tableClass: 'STANDARD_INFREQUENT_ACCESS',
    deletionProtectionEnabled: true,
    streamSpecification: { streamEnabled: true, streamViewType: 'KEYS_ONLY' },
  } as const;
  await createTable(
    services,
    { ...common, tableName: 'provisioned', globalSecondaryIndexes: [gsi], provisionedThroughput: units(6, 7) },
    testContext,
  );
  await createTable(
    services,
    {
      ...common,
      tableName: 'on-demand',
      globalSecondaryIndexes: [onDemandGsi],
      billingMode: 'PAY_PER_REQUEST',
      onDemandThroughput: { maxReadRequestUnits: 100, maxWriteRequestUnits: 50 },
    },
    testContext,
  );
  for (const tableName of ['provisioned', 'on-demand']) {
    for (let n = 0; n < 5; n += 1) {
      const item = { pk: { S: 'p' }, sk: { S: `${n}` }, g: { S: 'g' }, ...(n > 2 && { l: { S: `${n}` } }) };
      await putItem(services, { tableName, item }, testContext);
    }
    const timeToLiveSpecification = { enabled: true, attributeName: 'expires' };
    await updateTimeToLive(services, { tableName, timeToLiveSpecification }, testContext);
    await enableRecovery(services, tableName);
  }
  return services;
}

async function restored(
  services: TestServices,
  source: string,
  overrides: RestoreOverrides,
): Promise<TableDescription> {
  const backupArn = await backup(services, source);
  await services.tasks.settle();
  await restoreTableFromBackup(services, { backupArn, targetTableName: 'target', ...overrides }, testContext);
  await services.tasks.settle();
  expect(await inconsistencies(services, 'target')).toEqual([]);
  return (await describeTable(services, { tableName: 'target' }, testContext)).table;
}

describe('what is restored', () => {
  test.each(['provisioned', 'on-demand'])(
    'keys, indexes, throughput and encryption; nothing else (%s)',
    async (source) => {
      const services = await open();
      const { table } = await describeTable(services, { tableName: source }, testContext);
      const again = await restored(services, source, {});
      for (const member of ['keySchema', 'attributeDefinitions', 'sseDescription', 'onDemandThroughput'] as const) {
        expect(again[member]).toEqual(table[member]);
      }
      const { readCapacityUnits, writeCapacityUnits } = table.provisionedThroughput;
      expect(again.provisionedThroughput).toMatchObject({ readCapacityUnits, writeCapacityUnits });
      expect(again.billingModeSummary?.billingMode).toBe(table.billingModeSummary?.billingMode);
      const shape = ({
        indexName,
        itemCount,
        indexSizeBytes,
      }: NonNullable<TableDescription['localSecondaryIndexes']>[0]) => [indexName, itemCount, indexSizeBytes];
      expect(again.globalSecondaryIndexes?.map(shape)).toEqual(table.globalSecondaryIndexes?.map(shape));
      expect(again.localSecondaryIndexes?.map(shape)).toEqual(table.localSecondaryIndexes?.map(shape));
      expect(again.deletionProtectionEnabled).toBe(false);
      for (const member of ['streamSpecification', 'latestStreamArn', 'tableClassSummary'] as const) {
        expect(again).not.toHaveProperty(member);
      }
      const { record } = (await services.catalog.load(testContext, 'target'))!;
      expect([record.tags, record.timeToLive, record.changeLog]).toEqual([[], undefined, undefined]);
    },
  );

  test('indexes are left out with empty lists, and may have other names', async () => {
    const without = await restored(await open(), 'provisioned', {
      globalSecondaryIndexOverride: [],
      localSecondaryIndexOverride: [],
    });
    expect([without.globalSecondaryIndexes, without.localSecondaryIndexes]).toEqual([undefined, undefined]);
    expect(without.attributeDefinitions?.map(({ attributeName }) => attributeName)).toEqual(['pk', 'sk']);
    const renamed = await restored(await open(), 'provisioned', {
      globalSecondaryIndexOverride: [{ ...gsi, indexName: 'gsi-new', provisionedThroughput: units(8, 8) }],
      localSecondaryIndexOverride: [{ ...lsi, indexName: 'lsi-new' }],
    });
    expect(renamed.globalSecondaryIndexes).toMatchObject([
      { indexName: 'gsi-new', itemCount: 5, provisionedThroughput: { readCapacityUnits: 8 } },
    ]);
    expect(renamed.localSecondaryIndexes).toMatchObject([{ indexName: 'lsi-new', itemCount: 2 }]);
    expect(renamed.provisionedThroughput).toMatchObject({ readCapacityUnits: 6, writeCapacityUnits: 7 });
  });

  test('vector indexes are chosen and renamed, too', async () => {
    const searched = { ...vectorIndex({ indexName: 'searched' }), ...byTenant };
    const source = async (): Promise<TestServices> => {
      const services = testServices();
      await createTable(services, vectorTable([vectorIndex(), searched], 'tenant', 'kind'), testContext);
      const item = { PK: { S: 'a' }, v: vectorOf(1, 2, 3), tenant: { S: 't' }, kind: { S: 'k' } };
      await putItem(services, { tableName: 'Table', item }, testContext);
      return services;
    };
    const all = await restored(await source(), 'Table', {});
    expect(all.vectorIndexes?.map(({ indexName }) => indexName)).toEqual(['vectors', 'searched']);
    const none = await restored(await source(), 'Table', { vectorIndexOverride: [] });
    expect([none.vectorIndexes, none.attributeDefinitions]).toEqual([
      undefined,
      [{ attributeName: 'PK', attributeType: 'S' }],
    ]);
    const renamed = await restored(await source(), 'Table', {
      vectorIndexOverride: [{ ...searched, indexName: 'again', searchSchema: byTenant.searchSchema?.toReversed() }],
    });
    expect(renamed.vectorIndexes).toMatchObject([{ indexName: 'again', itemCount: 1 }]);
    const other = { vectorIndexOverride: [vectorIndex({ dimensions: 4 })] };
    expect(await refusal(restored(await source(), 'Table', other))).toBe(
      'ValidationException: Invalid Request: Index vectors does not match a secondary index that existed in the source table and cannot be created during the restore operation',
    );
  });

  test('throughput and billing mode as overridden', async () => {
    const more = await restored(await open(), 'provisioned', { provisionedThroughputOverride: units(9, 9) });
    expect(more.provisionedThroughput).toMatchObject({ readCapacityUnits: 9 });
    expect(more.globalSecondaryIndexes).toMatchObject([{ provisionedThroughput: { readCapacityUnits: 5 } }]);
    const onDemand = await restored(await open(), 'provisioned', {
      billingModeOverride: 'PAY_PER_REQUEST',
      onDemandThroughputOverride: { maxReadRequestUnits: 50, maxWriteRequestUnits: 50 },
    });
    expect(onDemand).toMatchObject({
      billingModeSummary: { billingMode: 'PAY_PER_REQUEST' },
      provisionedThroughput: { readCapacityUnits: 0 },
      onDemandThroughput: { maxReadRequestUnits: 50 },
      globalSecondaryIndexes: [{ provisionedThroughput: { readCapacityUnits: 0 } }],
    });
    const provisioned = await restored(await open(), 'on-demand', {
      billingModeOverride: 'PROVISIONED',
      provisionedThroughputOverride: units(3, 3),
      globalSecondaryIndexOverride: [gsi],
      sseSpecificationOverride: { enabled: false },
    });
    expect(provisioned).toMatchObject({ provisionedThroughput: { readCapacityUnits: 3 } });
    expect([provisioned.onDemandThroughput, provisioned.sseDescription]).toEqual([undefined, undefined]);
  });
});

describe('overrides that cannot be', () => {
  const unknown = (name: string): string =>
    `Index ${name} does not match a secondary index that existed in the source table and cannot be created during the restore operation`;

  test.each<[string, RestoreOverrides, string]>([
    [
      'on-demand',
      { provisionedThroughputOverride: units(1, 1) },
      'Cannot override ProvisionedThroughput unless BillingMode is PROVISIONED',
    ],
    [
      'provisioned',
      { billingModeOverride: 'PAY_PER_REQUEST', provisionedThroughputOverride: units(1, 1) },
      'Cannot override ProvisionedThroughput if BillingMode is overridden to PAY_PER_REQUEST',
    ],
    [
      'on-demand',
      { billingModeOverride: 'PROVISIONED' },
      'Must override ProvisionedThroughput if BillingMode is overridden to PROVISIONED',
    ],
    [
      'provisioned',
      { onDemandThroughputOverride: { maxReadRequestUnits: 1 } },
      'Cannot override MaxReadRequestUnits for OnDemandThroughput unless BillingModeOverride is PAY_PER_REQUEST',
    ],
    [
      'on-demand',
      { billingModeOverride: 'PROVISIONED', provisionedThroughputOverride: units(1, 1) },
      'Must specify provisioned throughput for index gsi',
    ],
    [
      'provisioned',
      { globalSecondaryIndexOverride: [onDemandGsi] },
      'Must specify provisioned throughput for index gsi',
    ],
    [
      'provisioned',
      { billingModeOverride: 'PAY_PER_REQUEST', globalSecondaryIndexOverride: [gsi] },
      'Cannot override ProvisionedThroughput if BillingMode is overridden to PAY_PER_REQUEST for index gsi',
    ],
    ['on-demand', { globalSecondaryIndexOverride: [index('other', 'l')] }, unknown('other')],
    ['on-demand', { globalSecondaryIndexOverride: [{ ...onDemandGsi, projection: lsi.projection }] }, unknown('gsi')],
    ['on-demand', { localSecondaryIndexOverride: [index('lsi', 'pk', 'l')] }, unknown('lsi')],
  ])('%s %j', async (source, overrides, text) => {
    const services = await open();
    const backupArn = await backup(services, source);
    await services.tasks.settle();
    const target = { targetTableName: 'target', ...overrides };
    const expected = `ValidationException: Invalid Request: ${text}`;
    expect(await refusal(restoreTableFromBackup(services, { backupArn, ...target }, testContext))).toBe(expected);
    const latest = { sourceTableName: source, useLatestRestorableTime: true };
    expect(await refusal(restoreTableToPointInTime(services, { ...latest, ...target }, testContext))).toBe(expected);
    expect(await services.catalog.load(testContext, 'target')).toBeUndefined();
  });
});

describe('requests for a point in time that cannot be', () => {
  const arn = 'arn:aws:dynamodb:us-east-1:000000000000:table/on-demand';
  const invalid = (text: string): string => `ValidationException: Invalid Request: ${text}`;

  test.each<[object, string]>([
    [
      { sourceTableName: 'on-demand', sourceTableArn: arn, useLatestRestorableTime: true },
      invalid('Must provide exactly one of: sourceTableArn, sourceTableName'),
    ],
    [
      { useLatestRestorableTime: true },
      "ValidationException: The parameter 'TableName' is required but was not present in the request",
    ],
    [
      { sourceTableName: 'on-demand' },
      invalid('Either one of RestoreDateTime or UseLatestRestorableTime must be specified, but not both'),
    ],
    [
      { sourceTableName: 'on-demand', useLatestRestorableTime: false },
      invalid('Either one of RestoreDateTime or UseLatestRestorableTime must be specified, but not both'),
    ],
    [
      { sourceTableArn: 'on-demand', useLatestRestorableTime: true },
      'ValidationException: One or more parameter values were invalid: sourceTableArn is not a valid ARN',
    ],
    [
      { sourceTableArn: arn.replace('000000000000', '111111111111'), useLatestRestorableTime: true },
      "ValidationException: This action is only supported by accounts that match the resource owner's account",
    ],
    [
      { sourceTableArn: arn.replace('us-east-1', 'eu-west-1'), useLatestRestorableTime: true },
      invalid('sseSpecificationOverride must be provided for cross-region restores'),
    ],
    [{ sourceTableName: 'nowhere', useLatestRestorableTime: true }, 'TableNotFoundException: Table not found: nowhere'],
    [
      { sourceTableName: 'on-demand', useLatestRestorableTime: true, targetTableName: 'on-demand' },
      'TableAlreadyExistsException: Table already exists: on-demand',
    ],
    [
      { sourceTableName: 'on-demand', useLatestRestorableTime: true, targetTableName: 'provisioned' },
      'TableAlreadyExistsException: Table already exists: provisioned',
    ],
    [{ sourceTableArn: arn, useLatestRestorableTime: true }, 'done'],
  ])('%j', async (request, expected) => {
    const restoring = restoreTableToPointInTime(await open(), { targetTableName: 'target', ...request }, testContext);
    expect(await refusal(restoring)).toBe(expected);
  });

  test('a time and the latest one', async () => {
    const request = { sourceTableName: 'on-demand', useLatestRestorableTime: true, restoreDateTime: 1 };
    const restoring = restoreTableToPointInTime(await open(), { targetTableName: 'target', ...request }, testContext);
    expect(await refusal(restoring)).toMatch(
      invalid(
        'Both RestoreDateTime and UseLatestRestorableTime cannot be set for point-in-time restore request. Pleas',
      ),
    );
  });
});
