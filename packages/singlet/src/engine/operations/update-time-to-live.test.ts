import { describe, expect, test } from 'vitest';
import { keys, onDemandTable, strings } from '../testing/table-requests.ts';
import { createdTable } from '../testing/test-engine.ts';
import { testContext, type TestServices, testServices } from '../testing/test-services.ts';
import { createTable } from './create-table.ts';
import { deleteTable } from './delete-table.ts';
import { describeTimeToLive } from './describe-time-to-live.ts';
import { putItem } from './put-item.ts';
import { updateTable } from './update-table.ts';
import { updateTimeToLive } from './update-time-to-live.ts';

const tableName = 'Table';
const minuteMs = 60_000;
const tooOften = 'Time to live has been modified multiple times within a fixed interval';

async function change(services: TestServices, enabled: boolean, attributeName = 'expires'): Promise<unknown> {
  return updateTimeToLive(services, { tableName, timeToLiveSpecification: { enabled, attributeName } }, testContext);
}

async function description(services: TestServices): Promise<unknown> {
  return (await describeTimeToLive(services, { tableName }, testContext)).timeToLiveDescription;
}

async function withItem(services: TestServices): Promise<void> {
  await createdTable(services, onDemandTable());
  await putItem(services, { tableName, item: { PK: { S: 'x' }, expires: { N: '5' } } }, testContext);
}

const enabled = { timeToLiveStatus: 'ENABLED', attributeName: 'expires' };
const enabling = { timeToLiveStatus: 'ENABLING', attributeName: 'expires' };
const disabling = { timeToLiveStatus: 'DISABLING', attributeName: 'expires' };
const disabled = { timeToLiveStatus: 'DISABLED' };

describe('DB-138 the status of time to live', () => {
  test('is DISABLED at first', async () => {
    const services = testServices();
    await createdTable(services, onDemandTable());
    expect(await description(services)).toEqual(disabled);
  });

  test('of a table without items is ENABLED and DISABLED at once', async () => {
    const services = testServices({ tasks: 'held' });
    await createdTable(services, onDemandTable());
    expect(await change(services, true)).toEqual({
      timeToLiveSpecification: { enabled: true, attributeName: 'expires' },
    });
    expect(await description(services)).toEqual(enabled);
    services.clock.advance(60 * minuteMs);
    expect(await change(services, false)).toEqual({
      timeToLiveSpecification: { enabled: false, attributeName: 'expires' },
    });
    expect(await description(services)).toEqual(disabled);
    expect(services.tasks.waiting).toEqual([]);
  });

  test('of a table with items follows when they have been seen to', async () => {
    const services = testServices({ tasks: 'held' });
    await withItem(services);
    await change(services, true);
    expect(await description(services)).toEqual(enabling);
    await services.tasks.run();
    expect(await description(services)).toEqual(enabled);
    services.clock.advance(60 * minuteMs);
    await change(services, false);
    expect(await description(services)).toEqual(disabling);
    await services.tasks.run();
    expect(await description(services)).toEqual(disabled);
  });

  test('takes as long as every change of a table', async () => {
    const services = testServices({ lifecycleDelayMs: 5000 });
    await createdTable(services, onDemandTable());
    services.clock.advance(5000);
    await change(services, true);
    services.clock.advance(4999);
    expect(await description(services)).toEqual(enabling);
    services.clock.advance(1);
    await services.tasks.settle();
    expect(await description(services)).toEqual(enabled);
  });

  test('is kept by other changes of the table', async () => {
    const services = testServices();
    await createdTable(services, onDemandTable());
    await change(services, true);
    await updateTable(services, { tableName, deletionProtectionEnabled: true }, testContext);
    expect(await description(services)).toEqual(enabled);
  });

  test('of a table that is created or deleted cannot be told', async () => {
    const services = testServices({ lifecycleDelayMs: 5000, tasks: 'held' });
    await createTable(services, onDemandTable(), testContext);
    await expect(description(services)).rejects.toMatchObject({
      name: 'ValidationException',
      message: 'Cannot describe time to live while table is in CREATING state: Current table state is CREATING',
    });
    services.clock.advance(5000);
    await deleteTable(services, { tableName }, testContext);
    await expect(description(services)).rejects.toMatchObject({
      name: 'ValidationException',
      message: 'Cannot describe time to live while table is in DELETING state: Current table state is DELETING',
    });
  });
});

describe('DB-138 a change of time to live is refused', () => {
  const refusal = (message: string): object => ({ name: 'ValidationException', message });

  test('when it is so already, however soon', async () => {
    const services = testServices();
    await withItem(services);
    await expect(change(services, false)).rejects.toMatchObject(refusal('TimeToLive is already disabled'));
    await change(services, true);
    await expect(change(services, true)).rejects.toMatchObject(refusal('TimeToLive is already enabled'));
    await services.tasks.settle();
    await expect(change(services, true)).rejects.toMatchObject(refusal('TimeToLive is already enabled'));
  });

  test('when it is active on another attribute, to enable and to disable', async () => {
    const services = testServices();
    await createdTable(services, onDemandTable());
    await change(services, true);
    const other = refusal('TimeToLive is active on a different AttributeName: current AttributeName is expires');
    await expect(change(services, true, 'other')).rejects.toMatchObject(other);
    await expect(change(services, false, 'other')).rejects.toMatchObject(other);
  });

  test('a second time within the hour', async () => {
    const services = testServices();
    await withItem(services);
    await change(services, true);
    services.clock.advance(60 * minuteMs - 1);
    await expect(change(services, false)).rejects.toMatchObject(refusal(tooOften));
    services.clock.advance(1);
    await change(services, false);
    await expect(change(services, true, 'other')).rejects.toMatchObject(refusal(tooOften));
    await services.tasks.settle();
    await expect(change(services, true, 'other')).rejects.toMatchObject(refusal(tooOften));
    services.clock.advance(60 * minuteMs);
    await change(services, true, 'other');
    expect(await description(services)).toMatchObject({ attributeName: 'other' });
  });

  test('while what was disabled is still being emptied', async () => {
    const services = testServices({ tasks: 'held' });
    await withItem(services);
    await change(services, true);
    await services.tasks.run();
    services.clock.advance(60 * minuteMs);
    await change(services, false);
    services.clock.advance(60 * minuteMs);
    await expect(change(services, false)).rejects.toMatchObject(refusal('TimeToLive is already disabled'));
    await expect(change(services, true)).rejects.toMatchObject(refusal(tooOften));
    await services.tasks.run();
    await change(services, true);
  });

  test('of a table that is not there, or is being created', async () => {
    const services = testServices({ lifecycleDelayMs: 5000 });
    const missing = {
      name: 'ResourceNotFoundException',
      message: 'Requested resource not found: Table: Table not found',
    };
    await expect(change(services, true)).rejects.toMatchObject(missing);
    await expect(description(services)).rejects.toMatchObject(missing);
    await createTable(services, onDemandTable(), testContext);
    await expect(change(services, true)).rejects.toMatchObject({
      name: 'ResourceInUseException',
      message: 'Attempt to change a resource which is still in use: Table Table is being created',
    });
  });

  test('and a table that is being deleted says yes to no effect', async () => {
    const services = testServices({ lifecycleDelayMs: 5000, tasks: 'held' });
    await createdTable(services, onDemandTable());
    services.clock.advance(5000);
    await deleteTable(services, { tableName }, testContext);
    expect(await change(services, true)).toEqual({
      timeToLiveSpecification: { enabled: true, attributeName: 'expires' },
    });
    services.clock.advance(5000);
    await services.tasks.run();
    await expect(change(services, true)).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
  });
});

describe('DB-138 time to live goes by', () => {
  test.each(['PK', 'SK', '__proto__', 'a.b', 'x'.repeat(255)])('any attribute: %.20s', async (attributeName) => {
    const services = testServices();
    await createdTable(
      services,
      onDemandTable({ attributeDefinitions: strings('PK', 'SK'), keySchema: keys('PK', 'SK') }),
    );
    await change(services, true, attributeName);
    expect(await description(services)).toEqual({ timeToLiveStatus: 'ENABLED', attributeName });
  });

  test('a new table of an old name has none', async () => {
    const services = testServices();
    await createdTable(services, onDemandTable());
    await change(services, true);
    await deleteTable(services, { tableName }, testContext);
    await createdTable(services, onDemandTable());
    expect(await description(services)).toEqual(disabled);
    await change(services, true, 'other');
    expect(await description(services)).toEqual({ timeToLiveStatus: 'ENABLED', attributeName: 'other' });
  });
});
