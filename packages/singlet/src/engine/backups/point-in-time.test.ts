import { describe, expect, test } from 'vitest';
import type { AttributeMap } from '../../values/attribute-value.ts';
import { SeededRandom } from '../../randomness/seeded-random.ts';
import { spaceStart } from '../layout/spaces.ts';
import { deleteItem } from '../operations/delete-item.ts';
import { deleteTable } from '../operations/delete-table.ts';
import { putItem } from '../operations/put-item.ts';
import { transactWriteItems } from '../operations/transact-write-items.ts';
import { updateItem } from '../operations/update-item.ts';
import { updateTimeToLive } from '../operations/update-time-to-live.ts';
import { backup, disableRecovery, enableRecovery, itemsOf, restoreTo } from '../testing/backup-requests.ts';
import { openTables, refusal } from '../testing/refusal.ts';
import { createdTable, inconsistencies, presentTable } from '../testing/test-engine.ts';
import { testContext, type TestServices, testServices } from '../testing/test-services.ts';
import { sweepExpiredItems } from '../ttl/sweep-expired-items.ts';
import { tendBackups } from './backup-upkeep.ts';

type State = ReadonlyMap<string, AttributeMap>;

const keyOf = (n: number): AttributeMap => ({ pk: { S: `p${n % 5}` }, sk: { S: `s${n % 3}` } });

/** Writes at random to the table `indexed`: several writes in a millisecond, then a pause. */
class RandomWriter {
  readonly #services: TestServices;
  readonly #random: SeededRandom;
  #serial = 0;

  constructor(services: TestServices, random: SeededRandom) {
    this.#services = services;
    this.#random = random;
  }

  async write(): Promise<void> {
    const key = keyOf(this.#random.integer(0, 14));
    const dice = this.#random.next();
    this.#serial += 1;
    const n = { N: `${this.#serial}` };
    const score = { S: `${this.#random.integer(0, 3)}` };
    const tableName = 'indexed';
    if (dice < 0.4) {
      await putItem(this.#services, { tableName, item: { ...key, n, ...(dice < 0.3 && { score }) } }, testContext);
    } else if (dice < 0.6) {
      const update = { updateExpression: 'ADD n :n', expressionAttributeValues: { ':n': { N: '1' } } };
      await updateItem(this.#services, { tableName, key, ...update }, testContext);
    } else if (dice < 0.8) {
      await deleteItem(this.#services, { tableName, key }, testContext);
    } else {
      const keys = [0, 1, 2].map((offset) => keyOf(this.#serial + offset * 4));
      const transactItems = keys.map((other) => ({ put: { tableName, item: { ...other, n, score } } }));
      await transactWriteItems(this.#services, { transactItems }, testContext);
    }
  }
}

describe('restoring to a point in time', () => {
  test.each([1, 2, 3, 4])(
    'DB-016 gives what the table held then, whatever was written since (history %i)',
    async (seed) => {
      const random = new SeededRandom(seed);
      const services = await openTables();
      const writer = new RandomWriter(services, random);
      for (let count = 0; count < 20; count += 1) await writer.write();
      services.clock.advance(500);
      await enableRecovery(services, 'indexed');
      const states = new Map<number, State>();
      for (let moment = 0; moment < 30; moment += 1) {
        for (let count = random.integer(0, 4); count > 0; count -= 1) await writer.write();
        states.set(services.clock.nowMs(), await itemsOf(services, 'indexed'));
        services.clock.advance(random.integer(1, 3) * 400);
        // Backups taken meanwhile neither affect the log nor are affected by it.
        if (moment % 10 === 5) await backup(services, 'indexed');
      }
      let count = 0;
      for (const [atMs, state] of states) {
        count += 1;
        await restoreTo(services, { from: 'indexed', to: `restored-${count}`, atMs });
        if (count % 3 === 0) await writer.write();
        await services.tasks.settle();
        expect(await itemsOf(services, `restored-${count}`)).toEqual(state);
        expect(await inconsistencies(services, `restored-${count}`)).toEqual([]);
      }
      expect(await inconsistencies(services, 'indexed')).toEqual([]);
    },
  );

  test('DB-016 to a time between two writes, exactly the first is present', async () => {
    const services = await openTables();
    await enableRecovery(services, 'plain');
    services.clock.advance(1000);
    await putItem(services, { tableName: 'plain', item: { pk: { S: 'first' } } }, testContext);
    services.clock.advance(1000);
    const between = services.clock.nowMs();
    services.clock.advance(1000);
    await putItem(services, { tableName: 'plain', item: { pk: { S: 'second' } } }, testContext);
    await restoreTo(services, { from: 'plain', to: 'between', atMs: between });
    await services.tasks.settle();
    expect([...(await itemsOf(services, 'between')).values()]).toEqual([{ pk: { S: 'first' } }]);
  });

  test('what is written while the table is restored is not in it, wherever the walk is', async () => {
    const services = await openTables();
    for (let n = 0; n < 250; n += 1) {
      await putItem(services, { tableName: 'plain', item: { pk: { S: `${n}` }, v: { N: '0' } } }, testContext);
    }
    services.clock.advance(1000);
    await enableRecovery(services, 'plain');
    const before = await itemsOf(services, 'plain');
    services.clock.advance(1000);
    const atMs = services.clock.nowMs();
    services.clock.advance(1000);
    let n = 0;
    services.tasks.atPause = async () => {
      // Each step changes one existing item, removes one, and adds one.
      n += 1;
      await putItem(services, { tableName: 'plain', item: { pk: { S: `${n}` }, v: { N: '1' } } }, testContext);
      await deleteItem(services, { tableName: 'plain', key: { pk: { S: `${249 - n}` } } }, testContext);
      await putItem(services, { tableName: 'plain', item: { pk: { S: `new ${n}` } } }, testContext);
    };
    await restoreTo(services, { from: 'plain', to: 'then', atMs });
    await services.tasks.settle();
    services.tasks.atPause = undefined;
    expect(n).toBeGreaterThan(3);
    expect(await itemsOf(services, 'then')).toEqual(before);
    expect(await inconsistencies(services, 'then')).toEqual([]);
  });

  test('a process whose clock is behind cannot write into what has been restored', async () => {
    const services = await openTables();
    const late = testServices({ store: services.store, nowMs: services.clock.nowMs() - 60_000 });
    await enableRecovery(services, 'plain');
    services.clock.advance(10_000);
    await putItem(services, { tableName: 'plain', item: { pk: { S: 'a' } } }, testContext);
    const atMs = services.clock.nowMs();
    await restoreTo(services, { from: 'plain', to: 'one', atMs });
    await putItem(late, { tableName: 'plain', item: { pk: { S: 'b' } } }, testContext);
    await restoreTo(services, { from: 'plain', to: 'two', atMs });
    await services.tasks.settle();
    expect(await itemsOf(services, 'two')).toEqual(await itemsOf(services, 'one'));
    expect((await itemsOf(services, 'two')).size).toBe(1);
  });

  test('the latest time holds everything that has been committed', async () => {
    const services = await openTables();
    await enableRecovery(services, 'plain');
    await putItem(services, { tableName: 'plain', item: { pk: { S: 'a' } } }, testContext);
    await restoreTo(services, { from: 'plain', to: 'latest', atMs: 'latest' });
    await putItem(services, { tableName: 'plain', item: { pk: { S: 'b' } } }, testContext);
    await services.tasks.settle();
    expect([...(await itemsOf(services, 'latest')).keys()]).toEqual(['[{"S":"a"},null]']);
  });

  test('what the service itself has deleted can be had back', async () => {
    const services = await openTables();
    const timeToLiveSpecification = { enabled: true, attributeName: 'expires' };
    await updateTimeToLive(services, { tableName: 'plain', timeToLiveSpecification }, testContext);
    await enableRecovery(services, 'plain');
    const expires = { N: `${services.clock.nowMs() / 1000 + 5}` };
    await putItem(services, { tableName: 'plain', item: { pk: { S: 'a' }, expires } }, testContext);
    const atMs = services.clock.nowMs();
    services.clock.advance(10_000);
    expect(await sweepExpiredItems(services)).toBe(1);
    await restoreTo(services, { from: 'plain', to: 'unswept', atMs });
    await restoreTo(services, { from: 'plain', to: 'swept', atMs: services.clock.nowMs() });
    await services.tasks.settle();
    expect([...(await itemsOf(services, 'unswept')).values()]).toEqual([{ pk: { S: 'a' }, expires }]);
    expect((await itemsOf(services, 'swept')).size).toBe(0);
  });

  test('only times within the window can be had', async () => {
    const services = await openTables();
    const start = services.clock.nowMs();
    const restoring = (to: string, atMs: number): Promise<string> =>
      refusal(restoreTo(services, { from: 'plain', to, atMs }));
    expect(await restoring('too-early', start)).toBe(
      "PointInTimeRecoveryUnavailableException: Point in time recovery is not enabled for table 'plain'",
    );
    services.clock.advance(5500);
    await enableRecovery(services, 'plain', 1);
    expect(await restoring('before', start)).toBe(
      "InvalidRestoreTimeException: RestoreDateTime '2024-01-01T00:00:00Z' must be within EarliestRestorableDateTime '2024-01-01T00:00:05Z' and LatestRestorableDateTime '2024-01-01T00:00:05Z'",
    );
    expect(await restoring('first-second', start + 5000)).toBe('done');
    expect(await restoring('future', start + 6000)).toMatch('InvalidRestoreTimeException');
    services.clock.advance(25 * 3_600_000);
    expect(await restoring('forgotten', start + 6000)).toMatch('InvalidRestoreTimeException');
    // A longer period does not bring back history that has been trimmed.
    await enableRecovery(services, 'plain', 35);
    expect(await restoring('still-forgotten', start + 6000)).toMatch('InvalidRestoreTimeException');
    await disableRecovery(services, 'plain');
    expect(await restoring('off', services.clock.nowMs())).toMatch('PointInTimeRecoveryUnavailableException');
  });

  test('the log is trimmed to the period, and not below what a restore needs', async () => {
    const services = await openTables({ tasks: 'held' });
    await enableRecovery(services, 'plain', 1);
    const states = new Map<number, State>();
    for (let hour = 0; hour < 60; hour += 1) {
      await putItem(
        services,
        { tableName: 'plain', item: { pk: { S: `${hour % 7}` }, h: { N: `${hour}` } } },
        testContext,
      );
      states.set(services.clock.nowMs(), await itemsOf(services, 'plain'));
      services.clock.advance(3_600_000);
      if (hour % 4 === 0) await tendBackups(services);
    }
    const first = services.clock.nowMs() - 24 * 3_600_000;
    await restoreTo(services, { from: 'plain', to: 'held', atMs: first });
    services.clock.advance(20 * 3_600_000);
    await tendBackups(services);
    const logged = await logEntryCount(services, 'plain');
    expect(logged).toBeLessThanOrEqual(26);
    expect(logged).toBeGreaterThanOrEqual(23);
    await services.tasks.run();
    expect(await itemsOf(services, 'held')).toEqual(states.get(first));
    await tendBackups(services);
    expect(await logEntryCount(services, 'plain')).toBeLessThan(logged);
  });

  test('without recovery and without a backup under way, nothing is kept', async () => {
    const services = await openTables();
    await enableRecovery(services, 'plain');
    await putItem(services, { tableName: 'plain', item: { pk: { S: 'a' } } }, testContext);
    const { changeLog } = (await presentTable(services, 'plain')).record;
    await disableRecovery(services, 'plain');
    await backup(services, 'plain');
    await services.tasks.settle();
    expect((await presentTable(services, 'plain')).record.changeLog).toBeUndefined();
    expect(await spaceEntryCount(services, changeLog!.space)).toBe(0);
  });

  test('a write that changes nothing is not logged', async () => {
    const services = await openTables();
    await enableRecovery(services, 'plain');
    for (let count = 0; count < 3; count += 1) {
      await putItem(services, { tableName: 'plain', item: { pk: { S: 'a' } } }, testContext);
      await deleteItem(services, { tableName: 'plain', key: { pk: { S: 'absent' } } }, testContext);
    }
    expect(await logEntryCount(services, 'plain')).toBe(1);
  });

  test('more changes in one millisecond than it has ticks keep their order', async () => {
    const services = await openTables();
    await enableRecovery(services, 'plain');
    for (let n = 0; n < 1100; n += 1) {
      await putItem(services, { tableName: 'plain', item: { pk: { S: 'a' }, n: { N: `${n}` } } }, testContext);
    }
    services.clock.advance(10_000);
    await restoreTo(services, { from: 'plain', to: 'after', atMs: services.clock.nowMs() - 1000 });
    await services.tasks.settle();
    expect([...(await itemsOf(services, 'after')).values()]).toEqual([{ pk: { S: 'a' }, n: { N: '1099' } }]);
  });

  test('a table of another name may be restored while the source is deleted', async () => {
    const services = await openTables({ tasks: 'held' });
    await createdTable(services, {
      tableName: 'doomed',
      keySchema: [{ attributeName: 'pk', keyType: 'HASH' }],
      attributeDefinitions: [{ attributeName: 'pk', attributeType: 'S' }],
    });
    await enableRecovery(services, 'doomed');
    await putItem(services, { tableName: 'doomed', item: { pk: { S: 'a' } } }, testContext);
    await restoreTo(services, { from: 'doomed', to: 'saved', atMs: 'latest' });
    const { record } = await presentTable(services, 'doomed');
    await disableRecovery(services, 'doomed');
    await deleteTable(services, { tableName: 'doomed' }, testContext);
    await services.tasks.run();
    expect((await itemsOf(services, 'saved')).size).toBe(1);
    expect(await spaceEntryCount(services, record.itemSpace)).toBe(0);
    expect(await spaceEntryCount(services, record.changeLog!.space)).toBe(0);
  });
});

async function logEntryCount(services: TestServices, tableName: string): Promise<number> {
  const { changeLog } = (await presentTable(services, tableName)).record;
  return (await spaceEntryCount(services, changeLog!.space)) - 16; // the heads
}

async function spaceEntryCount(services: TestServices, spaceId: number): Promise<number> {
  let count = 0;
  await services.store.range({ from: spaceStart(spaceId), to: spaceStart(spaceId + 1) }, () => {
    count += 1;
    return true;
  });
  return count;
}
