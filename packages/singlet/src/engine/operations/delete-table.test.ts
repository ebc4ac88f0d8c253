import { describe, expect, test } from 'vitest';
import { index, onDemandTable, strings } from '../testing/table-requests.ts';
import { testContext, testServices, testStartMs } from '../testing/test-services.ts';
import { createTable } from './create-table.ts';
import { deleteTable } from './delete-table.ts';
import { describeTable } from './describe-table.ts';
import { listTables } from './list-tables.ts';
import { updateTable } from './update-table.ts';

const request = { tableName: 'Table' };
const inUse = 'Attempt to change a resource which is still in use: ';
const notFound = 'Requested resource not found: Table: Table not found';

function error(name: string, message: string): unknown {
  return expect.objectContaining({ name, message });
}

describe('DB-136 DeleteTable', () => {
  test('answers little more than the name, and then the table is gone', async () => {
    const services = testServices();
    await createTable(
      services,
      onDemandTable({ attributeDefinitions: strings('PK', 'a'), globalSecondaryIndexes: [index('gsi', 'a')] }),
      testContext,
    );
    const { tableDescription } = await deleteTable(services, request, testContext);
    expect(tableDescription).toEqual({
      tableName: 'Table',
      tableStatus: 'DELETING',
      provisionedThroughput: { numberOfDecreasesToday: 0, readCapacityUnits: 0, writeCapacityUnits: 0 },
      tableSizeBytes: 0,
      itemCount: 0,
      tableArn: 'arn:aws:dynamodb:us-east-1:000000000000:table/Table',
      tableId: expect.any(String) as string,
      deletionProtectionEnabled: false,
      billingModeSummary: {
        billingMode: 'PAY_PER_REQUEST',
        lastUpdateToPayPerRequestDateTime: testStartMs / 1000,
      },
    });
    await expect(describeTable(services, request, testContext)).rejects.toThrow(
      error('ResourceNotFoundException', notFound),
    );
    await expect(deleteTable(services, request, testContext)).rejects.toThrow(
      error('ResourceNotFoundException', notFound),
    );
    expect(await listTables(services, {}, testContext)).toEqual({ tableNames: [] });
  });

  test('takes its time when it is told to: the table is listed as DELETING and its name is taken', async () => {
    const services = testServices({ lifecycleDelayMs: 500, tasks: 'held' });
    await createTable(services, onDemandTable(), testContext);
    await expect(deleteTable(services, request, testContext)).rejects.toThrow(
      error('ResourceInUseException', `${inUse}Table is being created: Table`),
    );
    services.clock.advance(500);
    const { tableDescription } = await deleteTable(services, request, testContext);
    expect((await describeTable(services, request, testContext)).table).toEqual(tableDescription);
    expect((await listTables(services, {}, testContext)).tableNames).toEqual(['Table']);
    await expect(deleteTable(services, request, testContext)).rejects.toThrow(
      error('ResourceInUseException', `${inUse}Table is being deleted: Table`),
    );
    await expect(createTable(services, onDemandTable(), testContext)).rejects.toThrow(
      error('ResourceInUseException', 'Table already exists: Table'),
    );
    services.clock.advance(500);
    expect((await listTables(services, {}, testContext)).tableNames).toEqual([]);
    const again = await createTable(services, onDemandTable(), testContext);
    expect(again.tableDescription.tableId).not.toBe(tableDescription.tableId);
  });

  test('is refused for a protected table', async () => {
    const services = testServices();
    await createTable(services, onDemandTable({ deletionProtectionEnabled: true }), testContext);
    await expect(deleteTable(services, request, testContext)).rejects.toThrow(
      error(
        'ValidationException',
        'Resource cannot be deleted as it is currently protected against deletion. Disable deletion protection first.',
      ),
    );
    await updateTable(services, { ...request, deletionProtectionEnabled: false }, testContext);
    await deleteTable(services, request, testContext);
  });

  test('is refused while the table or an index of it changes', async () => {
    const services = testServices({ lifecycleDelayMs: 500, tasks: 'held' });
    await createTable(services, onDemandTable(), testContext);
    services.clock.advance(500);
    const streamSpecification = { streamEnabled: true, streamViewType: 'KEYS_ONLY' } as const;
    await updateTable(services, { ...request, streamSpecification }, testContext);
    await expect(deleteTable(services, request, testContext)).rejects.toThrow(
      error('ResourceInUseException', `${inUse}Table: Table is in the process of being updated.`),
    );
    services.clock.advance(500);
    const created = {
      attributeDefinitions: strings('a'),
      globalSecondaryIndexUpdates: [{ create: index('gsi', 'a') }],
    };
    await updateTable(services, { ...request, ...created }, testContext);
    services.clock.advance(500);
    await expect(deleteTable(services, request, testContext)).rejects.toThrow(
      error(
        'ResourceInUseException',
        `${inUse}Cannot delete table while indexes are being created, updated, or deleted.`,
      ),
    );
    await services.tasks.run();
    await deleteTable(services, request, testContext);
  });

  test('DB-123 gives back what the table took of the quotas', async () => {
    const services = testServices({ limits: { tableCountMax: 1 } });
    for (let round = 0; round < 3; round++) {
      await createTable(services, onDemandTable(), testContext);
      await deleteTable(services, request, testContext);
    }
  });
});
