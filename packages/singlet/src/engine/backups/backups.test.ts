import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { SeededRandom } from '../../randomness/seeded-random.ts';
import { spaceStart, space } from '../layout/spaces.ts';
import { createTable } from '../operations/create-table.ts';
import { deleteBackup } from '../operations/delete-backup.ts';
import { deleteItem } from '../operations/delete-item.ts';
import { deleteTable } from '../operations/delete-table.ts';
import { describeBackup } from '../operations/describe-backup.ts';
import { describeContinuousBackups } from '../operations/describe-continuous-backups.ts';
import { describeTable } from '../operations/describe-table.ts';
import { listBackups, type ListBackupsRequest } from '../operations/list-backups.ts';
import { putItem } from '../operations/put-item.ts';
import { restoreTableFromBackup } from '../operations/restore-table-from-backup.ts';
import { transactWriteItems } from '../operations/transact-write-items.ts';
import { updateContinuousBackups } from '../operations/update-continuous-backups.ts';
import { updateItem } from '../operations/update-item.ts';
import { resumeBackgroundWork } from '../jobs/background-work.ts';
import { backup, enableRecovery, itemsOf, restoreTo } from '../testing/backup-requests.ts';
import { openTables, refusal } from '../testing/refusal.ts';
import { inconsistencies, presentTable } from '../testing/test-engine.ts';
import { onDemandTable } from '../testing/table-requests.ts';
import { testContext, type TestServices, testServices, testStartMs } from '../testing/test-services.ts';
import { decodeBackupRecord } from './backup-record.ts';
import { tendBackups } from './backup-upkeep.ts';

const dayMs = 24 * 3_600_000;

async function put(services: TestServices, pk: string, more: object = {}): Promise<void> {
  await putItem(services, { tableName: 'plain', item: { pk: { S: pk }, ...more } }, testContext);
}

async function restore(services: TestServices, backupArn: string, targetTableName: string): Promise<void> {
  await restoreTableFromBackup(services, { backupArn, targetTableName }, testContext);
}

async function entriesOf(
  services: TestServices,
  spaceId: number,
): Promise<readonly { readonly key: Buffer; readonly value: Buffer }[]> {
  const entries: { readonly key: Buffer; readonly value: Buffer }[] = [];
  await services.store.range({ from: spaceStart(spaceId), to: spaceStart(spaceId + 1) }, (key, value) => {
    entries.push({ key: Buffer.from(key), value: Buffer.from(value) });
    return true;
  });
  return entries;
}

async function entryCount(services: TestServices, from: number, to: number): Promise<number> {
  let count = 0;
  await services.store.range({ from: spaceStart(from), to: spaceStart(to) }, () => {
    count += 1;
    return true;
  });
  return count;
}

describe('a backup', () => {
  test('DB-016 holds the table as it was: a hundred items changed since are in the restored table as they were', async () => {
    const services = await openTables();
    for (let n = 0; n < 150; n += 1) {
      const item = { pk: { S: `p${n % 10}` }, sk: { S: `s${n}` }, score: { S: `${n % 4}` }, v: { N: '1' } };
      await putItem(services, { tableName: 'indexed', item }, testContext);
    }
    const before = await itemsOf(services, 'indexed');
    const arn = await backup(services, 'indexed');
    for (let n = 0; n < 100; n += 1) {
      const key = { pk: { S: `p${n % 10}` }, sk: { S: `s${n}` } };
      if (n % 3 === 0) await deleteItem(services, { tableName: 'indexed', key }, testContext);
      else await putItem(services, { tableName: 'indexed', item: { ...key, v: { N: '2' } } }, testContext);
    }
    await services.tasks.settle();
    await restore(services, arn, 'again');
    await services.tasks.settle();
    expect(await itemsOf(services, 'again')).toEqual(before);
    expect(await inconsistencies(services, 'again')).toEqual([]);
    const { backupDescription } = await describeBackup(services, { backupArn: arn }, testContext);
    expect(backupDescription.backupDetails).toMatchObject({ backupStatus: 'AVAILABLE', backupType: 'USER' });
    expect(backupDescription.sourceTableDetails).toMatchObject({ itemCount: 150, tableName: 'indexed' });
  });

  test('with a value that has changed is not restored: the table never becomes ACTIVE, and the log says why', async () => {
    const services = await openTables();
    for (let n = 0; n < 3; n += 1) await put(services, `${n}`, { money: { N: '100' } });
    const arn = await backup(services, 'plain', 'damaged');
    await services.tasks.settle();
    const [stored] = await entriesOf(services, space.backups);
    const { imageSpace } = decodeBackupRecord(stored!.key, stored!.value);
    const [entry] = await entriesOf(services, imageSpace);
    const { key, value } = entry!;
    value[value.length - 5] = (value[value.length - 5] ?? 0) ^ 1;
    await services.store.write([], () => ({ answer: undefined, writes: [{ key, value }] }));
    await restore(services, arn, 'again');
    await services.tasks.settle();
    const { table } = await describeTable(services, { tableName: 'again' }, testContext);
    expect(table.tableStatus).toBe('CREATING');
    expect(await itemsOf(services, 'again')).toEqual(new Map());
    expect(inspect(services.logged)).toMatch(/A stored value is damaged .*singlet doctor/);
  });

  test('is of one moment, while money is moved between items', async () => {
    const services = await openTables();
    const random = new SeededRandom(7);
    const accounts = 230;
    for (let n = 0; n < accounts; n += 1) await put(services, `${n}`, { money: { N: '100' } });
    const transfer = async (): Promise<void> => {
      const [from, to] = [random.integer(0, 114), random.integer(115, accounts - 1)];
      const move = (n: number, sign: string): object => ({
        update: {
          tableName: 'plain',
          key: { pk: { S: `${n}` } },
          updateExpression: 'ADD money :amount',
          expressionAttributeValues: { ':amount': { N: `${sign}${random.integer(1, 9)}` } },
        },
      });
      const amount = random.integer(1, 9);
      const moves = [move(from, '-'), move(to, '')].map((action) => {
        const text = JSON.stringify(action).replace(/"N":"(-?)\d+"/, `"N":"$1${amount}"`);
        return JSON.parse(text) as { readonly update: never };
      });
      await transactWriteItems(services, { transactItems: moves }, testContext);
    };
    services.tasks.atPause = async () => {
      for (let count = 0; count < 5; count += 1) await transfer();
    };
    const arns: string[] = [];
    for (let count = 0; count < 6; count += 1) {
      // The first three run at the same time, the others one after the other.
      arns.push(await backup(services, 'plain', `backup-${count}`));
      await transfer();
      if (count >= 3) await services.tasks.settle();
    }
    await services.tasks.settle();
    services.tasks.atPause = undefined;
    for (const [at, arn] of arns.entries()) {
      await restore(services, arn, `restored-${at}`);
      await services.tasks.settle();
      const items = await itemsOf(services, `restored-${at}`);
      const sum = [...items.values()].reduce((total, item) => total + Number((item['money'] as { N: string }).N), 0);
      expect([items.size, sum]).toEqual([accounts, accounts * 100]);
      const { backupDescription } = await describeBackup(services, { backupArn: arn }, testContext);
      // The size counted from the items as written equals the size counted while they were restored.
      const { tableSizeBytes } = (await describeTable(services, { tableName: `restored-${at}` }, testContext)).table;
      expect(backupDescription.backupDetails.backupSizeBytes).toBe(tableSizeBytes);
    }
    expect((await presentTable(services, 'plain')).record.changeLog).toBeUndefined();
  });

  test.each([0, 1, 2, 3, 4, 5, 6, 7])(
    'is finished by another process when the first dies (after %i steps)',
    async (steps) => {
      const services = await openTables();
      for (let n = 0; n < 250; n += 1) await put(services, `${n}`, { v: { N: '0' } });
      const before = await itemsOf(services, 'plain');
      services.tasks.killAfterPauses(steps);
      let overwritten = 0;
      services.tasks.atPause = async () => {
        for (const n of [0, 80, 160]) await put(services, `${n + overwritten}`, { v: { N: '1' } });
        overwritten += 1;
      };
      const arn = await backup(services, 'plain');
      await services.tasks.died;
      const next = testServices({ store: services.store });
      for (let n = 0; n < 250; n += 2) await put(next, `${n}`, { v: { N: '2' } });
      resumeBackgroundWork(next);
      await next.tasks.settle();
      await restore(next, arn, 'again');
      await next.tasks.settle();
      expect(await itemsOf(next, 'again')).toEqual(before);
      expect(await entryCount(next, space.backupJobs, space.backupJobs + 1)).toBe(0);
      expect(await entryCount(next, space.purges, space.purges + 1)).toBe(0);
      expect((await presentTable(next, 'plain')).record.changeLog).toBeUndefined();
    },
  );

  test('is made once when two processes are at it', async () => {
    const services = await openTables({ tasks: 'held' });
    const other = testServices({ store: services.store });
    for (let n = 0; n < 350; n += 1) await put(services, `${n}`);
    const arn = await backup(services, 'plain');
    other.tasks.atPause = () => new Promise((resolve) => setImmediate(resolve));
    services.tasks.atPause = () => new Promise((resolve) => setImmediate(resolve));
    const running = services.tasks.run();
    resumeBackgroundWork(other);
    await Promise.all([running, other.tasks.settle()]);
    resumeBackgroundWork(other);
    await other.tasks.settle();
    await restore(other, arn, 'again');
    await other.tasks.settle();
    expect((await itemsOf(other, 'again')).size).toBe(350);
    expect(await inconsistencies(other, 'again')).toEqual([]);
    expect(services.logged.concat(other.logged).filter(({ level }) => level === 'error')).toEqual([]);
  });

  test('outlives its table, also when that is deleted before the backup is complete', async () => {
    const services = await openTables({ tasks: 'held' });
    for (let n = 0; n < 250; n += 1) await put(services, `${n}`);
    const arn = await backup(services, 'plain');
    const { record } = await presentTable(services, 'plain');
    await deleteTable(services, { tableName: 'plain' }, testContext);
    await createTable(services, onDemandTable({ tableName: 'plain' }), testContext);
    await services.tasks.run();
    await restore(services, arn, 'again');
    await services.tasks.run();
    expect((await itemsOf(services, 'again')).size).toBe(250);
    expect(await entryCount(services, record.itemSpace, record.itemSpace + 1)).toBe(0);
    expect(await entryCount(services, space.purges, space.purges + 1)).toBe(0);
  });

  test('that is deleted leaves nothing behind', async () => {
    const services = await openTables();
    for (let n = 0; n < 20; n += 1) await put(services, `${n}`);
    const last = (await presentTable(services, 'plain')).record.itemSpace;
    const arn = await backup(services, 'plain');
    await services.tasks.settle();
    const { backupDescription } = await deleteBackup(services, { backupArn: arn }, testContext);
    expect(backupDescription.backupDetails.backupStatus).toBe('DELETED');
    await services.tasks.settle();
    expect(await entryCount(services, last + 1, 0xffff_ffff)).toBe(0);
    for (const operation of [describeBackup, deleteBackup]) {
      expect(await refusal(operation(services, { backupArn: arn }, testContext))).toBe(
        `BackupNotFoundException: Backup not found: ${arn}`,
      );
    }
    expect(await refusal(restore(services, arn, 'again'))).toBe(`BackupNotFoundException: Backup not found: ${arn}`);
  });

  test('feeds one restore at a time, and is not deleted meanwhile', async () => {
    const services = await openTables({ tasks: 'held' });
    await put(services, 'a');
    const arn = await backup(services, 'plain');
    expect(await refusal(restore(services, arn, 'early'))).toBe(
      `BackupInUseException: Backup is being created: ${arn}`,
    );
    expect(await refusal(deleteBackup(services, { backupArn: arn }, testContext))).toBe(
      `BackupInUseException: Backup is being created: ${arn}`,
    );
    await services.tasks.run();
    await restore(services, arn, 'one');
    expect(await refusal(restore(services, arn, 'two'))).toBe(
      `BackupInUseException: Backup is being used to restore another table: ${arn}`,
    );
    expect(await refusal(deleteBackup(services, { backupArn: arn }, testContext))).toBe(
      `BackupInUseException: Backup is being used to restore table: ${arn}`,
    );
    expect(await refusal(restore(services, arn, 'one'))).toBe(
      `TableInUseException: Table: one is already being restored from backup: ${arn}`,
    );
    await services.tasks.run();
    await restore(services, arn, 'two');
    expect(await refusal(restore(services, arn, 'plain'))).toBe(
      'TableAlreadyExistsException: Table already exists: plain',
    );
  });

  test('cannot be made of a table that is not there, or not yet', async () => {
    const services = await openTables({ lifecycleDelayMs: 1000 });
    const missing = (name: string): string => `TableNotFoundException: Table not found: ${name}`;
    expect(await refusal(backup(services, 'nowhere'))).toBe(missing('nowhere'));
    expect(await refusal(backup(services, 'plain'))).toBe(missing('plain'));
    expect(await refusal(enableRecovery(services, 'plain'))).toBe(missing('plain'));
    expect(await refusal(restoreTo(services, { from: 'plain', to: 'a', atMs: 'latest' }))).toBe(missing('plain'));
    services.clock.advance(1000);
    await backup(services, 'plain');
    await deleteTable(services, { tableName: 'plain' }, testContext);
    expect(await refusal(backup(services, 'plain'))).toBe(missing('plain'));
    expect(await refusal(describeContinuousBackups(services, { tableName: 'plain' }, testContext))).toBe(
      missing('plain'),
    );
  });
});

describe('a restored table', () => {
  test('is CREATING until it is complete, says where it comes from, and can be read then', async () => {
    const services = await openTables({ tasks: 'held' });
    for (let n = 0; n < 250; n += 1) await put(services, `${n}`);
    const arn = await backup(services, 'plain');
    await services.tasks.run();
    const { tableDescription } = await restoreTableFromBackup(
      services,
      { backupArn: arn, targetTableName: 'again' },
      testContext,
    );
    const restoreSummary = {
      sourceBackupArn: arn,
      sourceTableArn: 'arn:aws:dynamodb:us-east-1:000000000000:table/plain',
      restoreDateTime: testStartMs / 1000,
      restoreInProgress: true,
    };
    expect(tableDescription).toMatchObject({ tableStatus: 'CREATING', restoreSummary });
    services.clock.advance(dayMs);
    const during = await describeTable(services, { tableName: 'again' }, testContext);
    expect(during.table).toMatchObject({ tableStatus: 'CREATING', restoreSummary });
    const other = testServices({ store: services.store });
    const writing = async (writer: TestServices): Promise<string> =>
      refusal(() => putItem(writer, { tableName: 'again', item: { pk: { S: '0' } } }, testContext));
    for (const writer of [services, other]) expect(await writing(writer)).toMatch('ResourceNotFoundException');
    expect(await refusal(deleteTable(services, { tableName: 'again' }, testContext))).toMatch('ResourceInUseException');
    await services.tasks.run();
    const after = await describeTable(services, { tableName: 'again' }, testContext);
    expect(after.table).toMatchObject({ tableStatus: 'ACTIVE', itemCount: 250 });
    expect(after.table).not.toHaveProperty('restoreSummary');
    for (const writer of [other, services]) expect(await writing(writer)).toBe('done');
  });

  test.each([0, 1, 2])('is completed by another process when the first dies (after %i steps)', async (steps) => {
    const services = await openTables();
    for (let n = 0; n < 350; n += 1) {
      const item = { pk: { S: `p${n % 10}` }, sk: { S: `s${n}` }, score: { S: `${n % 4}` } };
      await putItem(services, { tableName: 'indexed', item }, testContext);
    }
    const arn = await backup(services, 'indexed');
    await services.tasks.settle();
    services.tasks.killAfterPauses(steps);
    await restore(services, arn, 'again');
    await services.tasks.died;
    const next = testServices({ store: services.store });
    resumeBackgroundWork(next);
    await next.tasks.settle();
    expect(await itemsOf(next, 'again')).toEqual(await itemsOf(next, 'indexed'));
    expect(await inconsistencies(next, 'again')).toEqual([]);
    expect((await describeTable(next, { tableName: 'again' }, testContext)).table.tableStatus).toBe('ACTIVE');
    await deleteBackup(next, { backupArn: arn }, testContext);
  });

  test('to a point in time is completed by another process, too', async () => {
    const services = await openTables();
    for (let n = 0; n < 250; n += 1) await put(services, `${n}`);
    await enableRecovery(services, 'plain');
    for (let steps = 0; steps < 8; steps += 1) {
      const current = testServices({ store: services.store, nowMs: services.clock.nowMs() });
      await put(current, `more ${steps}`);
      const expected = await itemsOf(current, 'plain');
      current.tasks.killAfterPauses(steps);
      await restoreTo(current, { from: 'plain', to: `restored-${steps}`, atMs: 'latest' });
      await put(current, 'later', { v: { N: `${steps}` } });
      // The later processes crash near the end, or not at all.
      await Promise.race([current.tasks.died, current.tasks.settle()]);
      const next = testServices({ store: services.store, nowMs: services.clock.nowMs() });
      resumeBackgroundWork(next);
      await next.tasks.settle();
      expect(await itemsOf(next, `restored-${steps}`)).toEqual(expected);
      expect(await inconsistencies(next, `restored-${steps}`)).toEqual([]);
    }
    expect(await entryCount(services, space.backupJobs, space.backupJobs + 1)).toBe(0);
    expect((await presentTable(services, 'plain')).record.changeLog?.readers).toEqual([]);
  });

  test('counts against the quotas of tables and of restores', async () => {
    const services = await openTables({ tasks: 'held', limits: { restoreCountMax: 1, tableCountMax: 4 } });
    const arns = [await backup(services, 'plain'), await backup(services, 'plain')] as const;
    await services.tasks.run();
    await restore(services, arns[0], 'one');
    expect(await refusal(restore(services, arns[1], 'two'))).toMatch(
      'LimitExceededException: Only 1 restore operations',
    );
    await services.tasks.run();
    await restore(services, arns[1], 'two');
    await services.tasks.run();
    expect(await refusal(restore(services, arns[1], 'three'))).toMatch('LimitExceededException: Subscriber limit');
  });
});

describe('the backup of a deleted table', () => {
  test('is made when point-in-time recovery is on, and expires', async () => {
    const services = await openTables();
    for (let n = 0; n < 30; n += 1) {
      const item = { pk: { S: `p${n % 3}` }, sk: { S: `s${n}` }, score: { S: `${n}` } };
      await putItem(services, { tableName: 'indexed', item }, testContext);
    }
    await enableRecovery(services, 'indexed');
    await updateItem(
      services,
      { tableName: 'indexed', key: { pk: { S: 'p0' }, sk: { S: 's0' } }, updateExpression: 'REMOVE score' },
      testContext,
    );
    const before = await itemsOf(services, 'indexed');
    const { itemSpace } = (await presentTable(services, 'indexed')).record;
    await deleteTable(services, { tableName: 'indexed' }, testContext);
    await services.tasks.settle();
    const list = async (backupType?: ListBackupsRequest['backupType']): Promise<readonly string[]> => {
      const { backupSummaries } = await listBackups(services, { tableName: 'indexed', backupType }, testContext);
      return backupSummaries.map(({ backupArn }) => backupArn);
    };
    expect(await list()).toEqual([]);
    const [arn = ''] = await list('SYSTEM');
    expect(arn).toMatch(/table\/indexed\/backup\/\d{14}-00000000$/);
    const { backupDescription } = await describeBackup(services, { backupArn: arn }, testContext);
    expect(backupDescription).toMatchObject({
      backupDetails: {
        backupName: 'indexed$DeletedTableBackup',
        backupExpiryDateTime: (testStartMs + 35 * dayMs) / 1000,
      },
      sourceTableDetails: { itemCount: 30 },
      sourceTableFeatureDetails: {},
    });
    expect(await refusal(deleteBackup(services, { backupArn: arn }, testContext))).toBe(
      `ValidationException: Invalid Request: User is not allowed to delete the system backup with arn ${arn}. It will automatically expire on 2024-02-05T00:00:00Z`,
    );
    await restore(services, arn, 'indexed');
    await services.tasks.settle();
    expect(await itemsOf(services, 'indexed')).toEqual(before);
    expect(await inconsistencies(services, 'indexed')).toEqual([]);
    services.clock.advance(35 * dayMs);
    expect(await list('ALL')).toEqual([]);
    await tendBackups(services);
    expect(await entryCount(services, itemSpace, itemSpace + 1)).toBe(0);
    expect(await entryCount(services, space.backups, space.backups + 1)).toBe(0);
    const sizes = await entryCount(services, space.collectionSizes, space.collectionSizes + 1);
    expect(sizes).toBe(3); // those of the table that exists
    expect(await inconsistencies(services, 'indexed')).toEqual([]);
  });

  test('is not made otherwise', async () => {
    const services = await openTables();
    await deleteTable(services, { tableName: 'plain' }, testContext);
    const { backupSummaries } = await listBackups(services, { backupType: 'ALL' }, testContext);
    expect(backupSummaries).toEqual([]);
  });
});

describe('the list of backups', () => {
  test('goes by table and age, a page at a time, within bounds of time', async () => {
    const services = await openTables();
    const names: string[] = [];
    for (let n = 0; n < 3; n += 1) {
      for (const tableName of ['plain', 'indexed']) await backup(services, tableName, `${tableName}-${n}`);
      names.push(`plain-${n}`);
      services.clock.advance(1001);
    }
    const list = async (request: ListBackupsRequest): Promise<readonly string[]> =>
      (await listBackups(services, request, testContext)).backupSummaries.map(({ backupName }) => backupName);
    expect(await list({ tableName: 'plain' })).toEqual(names);
    expect(await list({ tableName: 'nowhere' })).toEqual([]);
    expect((await list({})).length).toBe(6);
    const second = (testStartMs + 1001) / 1000;
    const plain = { tableName: 'plain' };
    expect(await list({ ...plain, timeRangeLowerBound: second })).toEqual(['plain-1', 'plain-2']);
    expect(await list({ ...plain, timeRangeUpperBound: second })).toEqual(['plain-0']);
    expect(await list({ ...plain, timeRangeLowerBound: second + 0.001 })).toEqual(['plain-2']);
    expect(await list({ backupType: 'AWS_BACKUP' })).toEqual([]);
    const inverted = listBackups(services, { timeRangeLowerBound: 2, timeRangeUpperBound: 1 }, testContext);
    expect(await refusal(inverted)).toBe(
      'ValidationException: One or more parameter values were invalid: Time range lower bound must be less than or equal to upper bound',
    );
    const seen: string[] = [];
    let exclusiveStartBackupArn: string | undefined;
    do {
      const page = await listBackups(services, { limit: 4, exclusiveStartBackupArn }, testContext);
      seen.push(...page.backupSummaries.map(({ backupName }) => backupName));
      exclusiveStartBackupArn = page.lastEvaluatedBackupArn;
    } while (exclusiveStartBackupArn !== undefined);
    expect(seen).toEqual(await list({}));
    // Exactly as many as requested: that was the last page.
    expect(await listBackups(services, { limit: 6 }, testContext)).not.toHaveProperty('lastEvaluatedBackupArn');
  });
});

describe('names of backups', () => {
  test('what is not a backup of the requester is refused as the service does', async () => {
    const services = await openTables();
    const arn = await backup(services, 'plain');
    const describing = (backupArn: string): Promise<string> =>
      refusal(describeBackup(services, { backupArn }, testContext));
    expect(await describing(arn)).toBe('done');
    expect(await describing('arn:aws:dynamodb:us-east-1:000000000000:table/plain')).toBe(
      'ValidationException: Invalid Backup ARN',
    );
    expect(await describing(arn.replace('000000000000', '111111111111'))).toBe(
      'AccessDeniedException: Access is denied',
    );
    const there = { ...testContext, region: 'eu-west-1' };
    expect(await refusal(describeBackup(services, { backupArn: arn }, there))).toMatch('BackupNotFoundException');
    const elsewhere = listBackups(services, { exclusiveStartBackupArn: arn }, there);
    expect(await refusal(elsewhere)).toBe(
      'ValidationException: Invalid Request: The supplied ExclusiveStartBackupArn does not match the region',
    );
  });

  test('a table is restored in another region when its encryption is said', async () => {
    const services = await openTables();
    await put(services, 'a');
    const backupArn = await backup(services, 'plain');
    await services.tasks.settle();
    const there = { ...testContext, region: 'eu-west-1' };
    const request = { backupArn, targetTableName: 'plain' };
    expect(await refusal(restoreTableFromBackup(services, request, there))).toBe(
      'ValidationException: Invalid Request: sseSpecificationOverride must be provided for cross-region restores',
    );
    await restoreTableFromBackup(services, { ...request, sseSpecificationOverride: { enabled: true } }, there);
    await services.tasks.settle();
    const { table } = await describeTable(services, { tableName: 'plain' }, there);
    expect(table).toMatchObject({ tableStatus: 'ACTIVE', itemCount: 1, sseDescription: { status: 'ENABLED' } });
  });
});

test('continuous backups say what they are', async () => {
  const services = await openTables();
  const describing = async (): Promise<unknown> =>
    (await describeContinuousBackups(services, { tableName: 'plain' }, testContext)).continuousBackupsDescription;
  const off = {
    continuousBackupsStatus: 'ENABLED',
    pointInTimeRecoveryDescription: { pointInTimeRecoveryStatus: 'DISABLED' },
  };
  expect(await describing()).toEqual(off);
  services.clock.advance(700);
  const update = (pointInTimeRecoveryEnabled: boolean, recoveryPeriodInDays?: number): Promise<unknown> => {
    const specification = { pointInTimeRecoveryEnabled, recoveryPeriodInDays };
    return updateContinuousBackups(
      services,
      { tableName: 'plain', pointInTimeRecoverySpecification: specification },
      testContext,
    );
  };
  await update(true);
  const start = testStartMs / 1000;
  const on = (recoveryPeriodInDays: number, earliest: number, latest: number): unknown => ({
    continuousBackupsStatus: 'ENABLED',
    pointInTimeRecoveryDescription: {
      pointInTimeRecoveryStatus: 'ENABLED',
      recoveryPeriodInDays,
      earliestRestorableDateTime: earliest,
      latestRestorableDateTime: latest,
    },
  });
  expect(await describing()).toEqual(on(35, start, start));
  services.clock.advance(3 * dayMs);
  await update(true, 2);
  expect(await describing()).toEqual(on(2, start + 86_400, start + 3 * 86_400));
  expect(await refusal(update(false, 7))).toBe(
    'ValidationException: Invalid Request: Cannot specify RecoveryPeriodInDays when disabling point-in-time recovery.',
  );
  await update(false);
  await update(false);
  expect(await describing()).toEqual(off);
});
