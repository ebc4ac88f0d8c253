import { describe, expect, test } from 'vitest';
import { SeededRandom } from '../../randomness/seeded-random.ts';
import type { AttributeMap } from '../../values/attribute-value.ts';
import { ResourceNotFoundException, ValidationException } from '../../values/service-error.ts';
import { deleteItem } from '../operations/delete-item.ts';
import { putItem } from '../operations/put-item.ts';
import { transactWriteItems } from '../operations/transact-write-items.ts';
import { updateItem } from '../operations/update-item.ts';
import { tendStreams } from '../streams/stream-upkeep.ts';
import { disableRecovery, enableRecovery, itemsOf } from '../testing/backup-requests.ts';
import { compositeKey, createdTable } from '../testing/test-engine.ts';
import { testContext, type TestServices, testServices } from '../testing/test-services.ts';
import { type ItemChange, itemHistory } from './item-history.ts';

const tableName = 'items';
const hourMs = 3_600_000;
const keys: readonly AttributeMap[] = Array.from({ length: 12 }, (_, n) => ({
  pk: { S: `p${n % 5}` },
  sk: { S: `s${n % 3}` },
}));

async function opened(streamViewType?: 'NEW_AND_OLD_IMAGES' | 'NEW_IMAGE'): Promise<TestServices> {
  const services = testServices();
  await createdTable(services, {
    tableName,
    ...compositeKey,
    ...(streamViewType && { streamSpecification: { streamEnabled: true, streamViewType } }),
  });
  return services;
}

type State = Pick<ItemChange, 'atEpochMs' | 'before' | 'after'>;

/** Writes at random, and keeps what each write changed, by the text of the key. */
class Writer {
  readonly changes = new Map<string, State[]>();
  readonly #services: TestServices;
  readonly #random: SeededRandom;
  #serial = 0;

  constructor(services: TestServices, seed: number) {
    this.#services = services;
    this.#random = new SeededRandom(seed);
  }

  async write(): Promise<void> {
    const before = await itemsOf(this.#services, tableName);
    await this.#writeOnce();
    const after = await itemsOf(this.#services, tableName);
    for (const id of new Set([...before.keys(), ...after.keys()])) {
      const atEpochMs = this.#services.clock.nowMs();
      const change = { atEpochMs, before: before.get(id) ?? null, after: after.get(id) ?? null };
      if (JSON.stringify(change.before) === JSON.stringify(change.after)) continue;
      this.changes.set(id, [change, ...(this.changes.get(id) ?? [])]);
    }
    if (this.#random.next() < 0.5) this.#services.clock.advance(this.#random.integer(1, 900));
  }

  async #writeOnce(): Promise<void> {
    const key = keys[this.#random.integer(0, keys.length - 1)] as AttributeMap; // in range
    const n = { N: String((this.#serial += 1)) };
    const dice = this.#random.next();
    if (dice < 0.4) await putItem(this.#services, { tableName, item: { ...key, n } }, testContext);
    else if (dice < 0.6) {
      const update = { updateExpression: 'ADD n :n', expressionAttributeValues: { ':n': { N: '1' } } };
      await updateItem(this.#services, { tableName, key, ...update }, testContext);
    } else if (dice < 0.8) await deleteItem(this.#services, { tableName, key }, testContext);
    else {
      const transactItems = keys.slice(0, 5).map((each) => ({ put: { tableName, item: { ...each, n } } }));
      await transactWriteItems(this.#services, { transactItems }, testContext);
    }
  }
}

async function expectHistories(services: TestServices, writer: Writer, source: string): Promise<void> {
  for (const key of keys) {
    const history = await itemHistory(services, { tableName, key }, testContext);
    expect(history).toMatchObject({ source, isComplete: true });
    const expected = writer.changes.get(JSON.stringify([key['pk'], key['sk']])) ?? [];
    expect(history.changes.map(({ atEpochMs, before, after }) => ({ atEpochMs, before, after }))).toEqual(expected);
    expect(history.changes.map(({ eventName }) => eventName)).toEqual(
      expected.map(({ before, after }) => (before === null ? 'INSERT' : after === null ? 'REMOVE' : 'MODIFY')),
    );
    expect(new Set(history.changes.map(({ id }) => id)).size).toBe(expected.length);
  }
}

describe('the history of an item', () => {
  test.each([1, 2, 3])('is what was written, from the log of recovery (history %i)', async (seed) => {
    const services = await opened();
    await enableRecovery(services, tableName);
    const writer = new Writer(services, seed);
    for (let n = 0; n < 200; n += 1) await writer.write();
    await expectHistories(services, writer, 'recovery');
  });

  test.each([1, 2, 3])(
    'is what was written, from the stream, over shards that were replaced (history %i)',
    async (seed) => {
      const services = await opened('NEW_AND_OLD_IMAGES');
      const writer = new Writer(services, seed);
      for (let n = 0; n < 200; n += 1) {
        await writer.write();
        if (n % 40 !== 39) continue;
        services.clock.advance(4.5 * hourMs);
        await tendStreams(services);
      }
      await expectHistories(services, writer, 'stream');
    },
  );

  test('ends where the source begins: what is older is not in it', async () => {
    const services = await opened('NEW_AND_OLD_IMAGES');
    const [key = {}] = keys;
    const put = (n: string): Promise<unknown> =>
      Promise.resolve(putItem(services, { tableName, item: { ...key, n: { N: n } } }, testContext));
    const states = async (): Promise<readonly unknown[]> =>
      (await itemHistory(services, { tableName, key }, testContext)).changes.map(({ after }) => after?.['n']);
    await put('1');
    services.clock.advance(25 * hourMs);
    await put('2');
    expect(await states()).toEqual([{ N: '2' }]);
    await enableRecovery(services, tableName, 1);
    expect(await states()).toEqual([]);
    await put('3');
    services.clock.advance(25 * hourMs);
    await put('4');
    expect(await states()).toEqual([{ N: '4' }]);
    await disableRecovery(services, tableName);
    expect(await states()).toEqual([{ N: '4' }]); // the stream again
  });

  test('says that there is none without a source, and that it is not all of it beyond its limits', async () => {
    const none = await opened('NEW_IMAGE');
    const [key = {}] = keys;
    await putItem(none, { tableName, item: key }, testContext);
    const nothing = { source: null, sinceEpochMs: null, changes: [], isComplete: true };
    expect(await itemHistory(none, { tableName, key }, testContext)).toEqual(nothing);
    for (const isRecovery of [false, true]) {
      const services = await opened('NEW_AND_OLD_IMAGES');
      if (isRecovery) await enableRecovery(services, tableName);
      for (let n = 0; n <= 200; n += 1)
        await putItem(services, { tableName, item: { ...key, n: { N: String(n) } } }, testContext);
      const history = await itemHistory(services, { tableName, key }, testContext);
      expect(history.isComplete).toBe(false);
      expect(history.changes).toHaveLength(200);
      expect(history.changes[0]?.after?.['n']).toEqual({ N: '200' });
    }
  });

  test('refuses a table that is not there, and a key that is not of its schema', async () => {
    const services = await opened();
    const of = (name: string, key: AttributeMap): Promise<unknown> =>
      itemHistory(services, { tableName: name, key }, testContext);
    await expect(of('absent', {})).rejects.toThrow(ResourceNotFoundException);
    await expect(of(tableName, { pk: { S: 'a' } })).rejects.toThrow(ValidationException);
    await expect(of(tableName, { pk: { N: '1' }, sk: { S: 'a' } })).rejects.toThrow(ValidationException);
  });
});
