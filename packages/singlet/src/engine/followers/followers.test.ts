import { describe, expect, test } from 'vitest';
import { ValidationException } from '../../values/service-error.ts';
import { DecidedChange, WriteDraft } from '../items/decided-change.ts';
import { encodeItem } from '../layout/item-codec.ts';
import { itemKeyOfItem } from '../catalog/item-key.ts';
import type { ItemWrite } from './item-write.ts';
import { ItemWritePlan } from '../items/item-write-plan.ts';
import { decodeStatistics } from '../catalog/statistics.ts';
import type { Table } from '../catalog/table.ts';
import { compositeKey, createdTable } from '../testing/test-engine.ts';
import { testContext, type TestServices, testServices } from '../testing/test-services.ts';
import { updateContinuousBackups } from '../operations/update-continuous-backups.ts';
import { presentTable } from '../testing/test-engine.ts';
import { momentOfEntry } from './recovery/recovery-log.ts';
import { followersOf } from './followers-of.ts';
import type { FollowedChange, ItemFollower } from './item-follower.ts';

const tableOf = (services: TestServices, more: object = {}): Promise<Table> =>
  createdTable(services, { tableName: 'items', ...compositeKey, ...more });

const putOf = (table: Table, sk: string): ItemWrite => {
  const item = { pk: { S: 'p' }, sk: { S: sk } };
  return {
    table,
    key: itemKeyOfItem(table, item),
    change: { kind: 'put', item: encodeItem(item) },
    condition: undefined,
    returnOldOnFailure: false,
    keepBefore: false,
  };
};

const refuse = (error: unknown): never => {
  throw error;
};

describe('the followers of a table', () => {
  test('are compiled once, and a plain table has none but its statistics', async () => {
    const table = await tableOf(testServices());
    expect(followersOf(table)).toBe(followersOf(table));
    expect(followersOf(table).all).toHaveLength(1);
    expect(followersOf(table).checking).toHaveLength(0);
    expect(followersOf(table).lookingAhead).toHaveLength(0);
  });

  test('read and write a shared key once for all writes of a decision', async () => {
    const services = testServices();
    const table = await tableOf(services);
    const plan = new ItemWritePlan([putOf(table, 'a'), putOf(table, 'b'), putOf(table, 'c')], services, 1);
    expect(plan.keys).toHaveLength(5); // fence, statistics, three items
    const writes = await services.store.write(plan.keys, (values) => {
      const decided = plan.decide(values, refuse);
      return { writes: decided.writes, answer: decided.writes };
    });
    expect(writes).toHaveLength(4);
    const statistics = writes.find(({ key }) => key === plan.keys[1]);
    const counts = decodeStatistics(statistics?.value).get(table.record.itemSpace);
    expect(counts?.itemCount).toBe(3);
  });

  test('a decision may run again: it writes the same', async () => {
    const services = testServices();
    const table = await tableOf(services, {
      streamSpecification: { streamEnabled: true, streamViewType: 'NEW_AND_OLD_IMAGES' },
    });
    const plan = new ItemWritePlan([putOf(table, 'a'), putOf(table, 'b')], services, 1);
    const [first, second] = await services.store.read(plan.keys, (values) => [
      plan.decide(values, refuse).writes,
      plan.decide(values, refuse).writes,
    ]);
    expect(first).toEqual(second);
  });

  test('log all that a transaction replaces at one moment, after what any of its buckets has seen', async () => {
    const services = testServices();
    await tableOf(services);
    const request = { tableName: 'items', pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true } };
    await updateContinuousBackups(services, request, testContext);
    const table = await presentTable(services, 'items');
    const moments = async (sortKeys: readonly string[], partition: string): Promise<readonly number[]> => {
      const writes = sortKeys.map((sk, at) => {
        const item = { pk: { S: `${partition}${at}` }, sk: { S: sk } };
        return {
          ...putOf(table, sk),
          key: itemKeyOfItem(table, item),
          change: { kind: 'put', item: encodeItem(item) },
        };
      }) as ItemWrite[];
      const plan = new ItemWritePlan(writes, services, services.clock.nowMs());
      const written = await services.store.write(plan.keys, (values) => {
        const decided = plan.decide(values, refuse);
        return { writes: decided.writes, answer: decided.writes };
      });
      const logSpace = table.record.changeLog?.space;
      return written
        .filter(({ key, value }) => Buffer.from(key).readUInt32BE(0) === logSpace && value?.length === 0)
        .map(({ key }) => momentOfEntry(key));
    };
    const first = await moments(['a', 'b', 'c', 'd', 'e', 'f'], 'x');
    expect(first).toHaveLength(6);
    expect(new Set(first).size).toBe(1);
    const second = await moments(['a', 'b', 'c', 'd', 'e', 'f'], 'y');
    expect(new Set(second).size).toBe(1);
    expect(second[0]).toBe((first[0] ?? 0) + 1); // the clock has not advanced
  });
});

describe('a follower', () => {
  const counter = (reads: number[]): ItemFollower => ({
    keyCount: 1,
    keyOf: () => Buffer.from('counter'),
    follow: (change) => {
      const count = change.read(0)?.[0] ?? 0;
      reads.push(count);
      change.replace(0, Buffer.of(count + 1));
    },
  });

  const changeOf = async (draft: WriteDraft): Promise<DecidedChange> => {
    const write = putOf(await tableOf(testServices()), 'a');
    return new DecidedChange(draft, [0, 1], write, { before: undefined, after: undefined });
  };

  const draftOf = (isShared: boolean): WriteDraft =>
    new WriteDraft({
      keys: [Buffer.from('counter'), Buffer.from('other')],
      values: [Buffer.of(7), undefined],
      lookedAhead: undefined,
      isShared,
      limits: testServices().limits,
      nowMs: 1,
      moment: 1024,
    });

  test('reads what an earlier write of the decision put under its key', async () => {
    const draft = draftOf(true);
    const reads: number[] = [];
    (await changeOf(draft)).follow([counter(reads)]);
    (await changeOf(draft)).follow([counter(reads)]);
    expect(reads).toEqual([7, 8]);
    expect(draft.finish()).toEqual([{ key: Buffer.from('counter'), value: Buffer.of(9) }]);
  });

  test('may remove what is under its key, and then there is nothing', async () => {
    const draft = draftOf(true);
    const reads: unknown[] = [];
    const remover = {
      ...counter([]),
      follow: (change: FollowedChange) => (reads.push(change.read(0)), change.replace(0, undefined)),
    };
    (await changeOf(draft)).follow([remover]);
    (await changeOf(draft)).follow([remover]);
    expect(reads).toEqual([Buffer.of(7), undefined]);
    expect(draft.finish()).toEqual([{ key: Buffer.from('counter'), value: undefined }]);
  });

  test("cannot reach another follower's keys", async () => {
    const greedy: ItemFollower = {
      keyCount: 1,
      keyOf: () => Buffer.from('counter'),
      follow: (change) => void change.read(1),
    };
    const change = await changeOf(draftOf(false));
    expect(() => change.follow([greedy])).toThrow('a follower reads its own keys');
  });

  test('looks up only what was looked at ahead of the decision: anything else makes it stale', async () => {
    const curious: ItemFollower = { keyCount: 0, follow: (change) => void change.lookUp(Buffer.from('entry')) };
    const change = await changeOf(draftOf(false));
    expect(() => change.follow([curious])).toThrow('changed while an operation was running');
  });

  test('that refuses keeps the item from being written', async () => {
    const services = testServices();
    const table = await tableOf(services);
    const refusing: ItemFollower = {
      keyCount: 0,
      follow: () => {
        throw new ValidationException('no');
      },
    };
    const draft = draftOf(false);
    const { key, ...write } = putOf(table, 'a');
    const change = new DecidedChange(draft, [], { key, ...write }, { before: undefined, after: undefined });
    expect(() => change.follow([refusing])).toThrow('no');
    expect(draft.finish()).toEqual([]);
  });
});
