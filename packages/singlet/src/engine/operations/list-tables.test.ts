import { expect, test } from 'vitest';
import { onDemandTable } from '../testing/table-requests.ts';
import { testContext, type TestServices, testServices } from '../testing/test-services.ts';
import { createTable } from './create-table.ts';
import { describeEndpoints } from './describe-endpoints.ts';
import { describeLimits } from './describe-limits.ts';
import { listTables } from './list-tables.ts';

async function withTables(...tableNames: readonly string[]): Promise<TestServices> {
  const services = testServices();
  for (const tableName of tableNames) await createTable(services, onDemandTable({ tableName }), testContext);
  return services;
}

test('DB-136 tables are listed by name, in byte order', async () => {
  const services = await withTables('b.2', 'abc', 'ABC', 'b-1', 'b_3', 'abcd');
  expect(await listTables(services, {}, testContext)).toEqual({
    tableNames: ['ABC', 'abc', 'abcd', 'b-1', 'b.2', 'b_3'],
  });
});

test('DB-136 a page ends with a name only when there are more', async () => {
  const services = await withTables('one', 'two', 'xyz');
  expect(await listTables(services, { limit: 2 }, testContext)).toEqual({
    tableNames: ['one', 'two'],
    lastEvaluatedTableName: 'two',
  });
  expect(await listTables(services, { limit: 3 }, testContext)).toEqual({ tableNames: ['one', 'two', 'xyz'] });
  expect(await listTables(services, { limit: 2, exclusiveStartTableName: 'two' }, testContext)).toEqual({
    tableNames: ['xyz'],
  });
});

test('DB-136 the start need not exist, and a name that continues it is not passed over', async () => {
  const services = await withTables('abc', 'abcd', 'abd');
  const listed = await listTables(services, { exclusiveStartTableName: 'abc' }, testContext);
  expect(listed.tableNames).toEqual(['abcd', 'abd']);
  const between = await listTables(services, { exclusiveStartTableName: 'abcc' }, testContext);
  expect(between.tableNames).toEqual(['abcd', 'abd']);
});

test('DB-136 without a limit a page has 100 names', async () => {
  const names = Array.from({ length: 101 }, (_, at) => `table-${String(at).padStart(3, '0')}`);
  const services = await withTables(...names);
  expect(await listTables(services, {}, testContext)).toEqual({
    tableNames: names.slice(0, 100),
    lastEvaluatedTableName: 'table-099',
  });
});

test('DB-139 limits and endpoints', async () => {
  const services = testServices({ limits: { tableCapacityUnitsMax: 7, accountCapacityUnitsMax: 9 } });
  expect(await describeLimits(services)).toEqual({
    accountMaxReadCapacityUnits: 9,
    accountMaxWriteCapacityUnits: 9,
    tableMaxReadCapacityUnits: 7,
    tableMaxWriteCapacityUnits: 7,
  });
  const context = { accountId: '1', region: 'eu-central-1' };
  expect(await describeEndpoints(services, {}, { ...context, host: '10.0.0.7:8000' })).toEqual({
    endpoints: [{ address: '10.0.0.7:8000', cachePeriodInMinutes: 1440 }],
  });
  expect(await describeEndpoints(services, {}, context)).toEqual({
    endpoints: [{ address: 'localhost', cachePeriodInMinutes: 1440 }],
  });
});
