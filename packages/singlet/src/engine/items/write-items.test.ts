import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { AttributeMap } from '../../values/attribute-value.ts';
import type { Store } from '../../storage/store.ts';
import { openMemoryStore } from '../../storage/memory/memory-store.ts';
import { createTable } from '../operations/create-table.ts';
import { encodeItem } from '../layout/item-codec.ts';
import { planPut } from './plan-put.ts';
import { scan } from '../operations/scan.ts';
import { updateTable } from '../operations/update-table.ts';
import { index, keys, onDemandTable, strings } from '../testing/table-requests.ts';
import { inconsistencies, mapOf, presentTable } from '../testing/test-engine.ts';
import { testContext, type TestServices, testServices } from '../testing/test-services.ts';
import { StaleTableError } from '../catalog/catalog.ts';
import type { Table } from '../catalog/table.ts';
import { itemKeyOfKey } from '../catalog/item-key.ts';
import type { ItemWrite } from '../followers/item-write.ts';
import { writeItem } from './write-item.ts';
import { writeItems } from './write-items.ts';

/** A collection may hold so little that some writes are refused. */
async function open(
  options: Parameters<typeof testServices>[0] = {},
): Promise<{ readonly services: TestServices; readonly table: Table; readonly decisions: () => number }> {
  const memory = openMemoryStore();
  let decisions = 0;
  const store: Store = {
    manifest: memory.manifest,
    read: (readKeys, body) => memory.read(readKeys, body),
    range: (request, visit) => memory.range(request, visit),
    write: (readKeys, decide) => {
      decisions += 1;
      return memory.write(readKeys, decide);
    },
    close: () => memory.close(),
  };
  const services = testServices({ store, ...options, limits: { itemCollectionBytesMax: 5000, ...options.limits } });
  await createTable(
    services,
    onDemandTable({
      keySchema: keys('PK', 'SK'),
      attributeDefinitions: strings('PK', 'SK', 'sort'),
      localSecondaryIndexes: [index('bySort', 'PK', 'sort')],
      globalSecondaryIndexes: [index('all', 'sort', 'PK')],
    }),
    testContext,
  );
  const table = await presentTable(services, 'Table');
  decisions = 0;
  return { services, table, decisions: () => decisions };
}

interface Change {
  readonly pk: string;
  readonly sk: string;
  /** Undefined removes the item. */
  readonly bytes: number | undefined;
}

function writeOf(services: TestServices, table: Table, { pk, sk, bytes }: Change): ItemWrite {
  const key: AttributeMap = { PK: { S: pk }, SK: { S: sk } };
  const item: AttributeMap = { ...key, sort: { S: `s${sk}` }, data: { S: 'x'.repeat(bytes ?? 0) } };
  const planned =
    bytes === undefined
      ? { key: itemKeyOfKey(table, key), change: { kind: 'delete' as const } }
      : planPut(table, encodeItem(item), services.limits);
  return { table, ...planned, condition: undefined, returnOldOnFailure: false, keepBefore: false };
}

const toldOf = (settled: readonly PromiseSettledResult<unknown>[]): readonly string[] =>
  settled.map((result) => (result.status === 'fulfilled' ? 'done' : (result.reason as Error).name));

async function stored(services: TestServices): Promise<unknown> {
  const found = await scan(services, { tableName: 'Table' }, testContext);
  return [(found.items ?? []).map(mapOf), await inconsistencies(services, 'Table')];
}

const change = fc.record({
  pk: fc.constantFrom('a', 'b'),
  sk: fc.constantFrom('1', '2', '3', '4'),
  bytes: fc.option(fc.constantFrom(0, 300, 1000, 3000), { nil: undefined }),
});
const batch = fc.uniqueArray(change, { selector: ({ pk, sk }) => pk + sk, minLength: 1, maxLength: 6 });

test('writes of several items do what the same writes do one by one, and are refused as those are', async () => {
  let refused = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(batch, { minLength: 1, maxLength: 5 }), async (batches) => {
      const [together, apart] = [await open(), await open()];
      for (const changes of batches) {
        const told = toldOf(
          await writeItems(
            together.services,
            changes.map((each) => writeOf(together.services, together.table, each)),
          ),
        );
        const one = await Promise.allSettled(
          changes.map((each) => writeItem(apart.services, writeOf(apart.services, apart.table, each))),
        );
        expect(told).toEqual(toldOf(one));
        if (told.includes('ItemCollectionSizeLimitExceededException')) refused += 1;
      }
      expect(await stored(together.services)).toEqual(await stored(apart.services));
    }),
    { numRuns: 150 },
  );
  expect(refused).toBeGreaterThan(10);
});

test('they are one decision, unless one is refused or they are many bytes', async () => {
  const { services, table, decisions } = await open();
  const write = async (...changes: readonly Change[]): Promise<readonly string[]> =>
    toldOf(
      await writeItems(
        services,
        changes.map((each) => writeOf(services, table, each)),
      ),
    );
  const small = Array.from({ length: 25 }, (_, n) => ({ pk: `p${n}`, sk: '1', bytes: 10 }));
  expect(await write(...small)).toEqual(small.map(() => 'done'));
  expect(decisions()).toBe(1);
  expect(await write({ pk: 'a', sk: '1', bytes: 10 }, { pk: 'a', sk: '2', bytes: 4000 })).toEqual([
    'done',
    'ItemCollectionSizeLimitExceededException',
  ]);
  expect(decisions()).toBe(1 + 3);
  const roomy = await open({ limits: { itemCollectionBytesMax: 10_000_000 } });
  const large = Array.from({ length: 6 }, (_, n) => ({ pk: `p${n}`, sk: '1', bytes: 190_000 }));
  await writeItems(
    roomy.services,
    large.map((each) => writeOf(roomy.services, roomy.table, each)),
  );
  expect(roomy.decisions()).toBe(6);
});

test('of a table that has changed nothing is written, and nothing tried again here', async () => {
  const { services, table, decisions } = await open({ tasks: 'held' });
  const writes = ['1', '2'].map((sk) => writeOf(services, table, { pk: 'a', sk, bytes: 10 }));
  await updateTable(
    services,
    { tableName: 'Table', globalSecondaryIndexUpdates: [{ delete: { indexName: 'all' } }] },
    testContext,
  );
  const before = decisions();
  await expect(writeItems(services, writes)).rejects.toThrow(StaleTableError);
  expect(decisions()).toBe(before + 1);
  expect(await stored(services)).toEqual([[], []]);
});
