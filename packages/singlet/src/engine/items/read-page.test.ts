import { describe, expect, test } from 'vitest';
import type { AttributeMap, AttributeValue } from '../../values/attribute-value.ts';
import { switchInvariants } from '../../values/invariants.ts';
import type { Store } from '../../storage/store.ts';
import { openMemoryStore } from '../../storage/memory/memory-store.ts';
import { batchGetItem } from '../operations/batch-get-item.ts';
import { deleteItem } from '../operations/delete-item.ts';
import { putItem } from '../operations/put-item.ts';
import { query, type QueryRequest } from '../operations/query.ts';
import type { PageResult } from '../operations/page-request.ts';
import { scan } from '../operations/scan.ts';
import { createdTable, mapOf, rankedKey } from '../testing/test-engine.ts';
import { testContext, type TestServices, testServices, type TestServicesOptions } from '../testing/test-services.ts';

const tableName = 'pages';

async function openTable(options: TestServicesOptions = {}): Promise<TestServices> {
  const services = testServices(options);
  await createdTable(services, { tableName, ...rankedKey });
  return services;
}

async function fill(services: TestServices, count: number, bytes: number): Promise<void> {
  for (let at = 0; at < count; at++) {
    const item: AttributeMap = {
      pk: { S: 'p' },
      sk: { S: String(at).padStart(4, '0') },
      rank: { N: String(count - at) },
      filler: { S: 'x'.repeat(bytes) },
    };
    await putItem(services, { tableName, item }, testContext);
  }
}

const wholeCollection: QueryRequest = {
  tableName,
  keyConditionExpression: 'pk = :pk',
  expressionAttributeValues: { ':pk': { S: 'p' } },
};

async function pagesOf(services: TestServices, request: QueryRequest): Promise<readonly PageResult[]> {
  const pages: PageResult[] = [];
  for (let startKey: AttributeMap | undefined, more = true; more; more = startKey !== undefined) {
    const page = await query(services, { ...request, exclusiveStartKey: startKey }, testContext);
    pages.push(page);
    startKey = page.lastEvaluatedKey;
  }
  return pages;
}

const sortKeys = (pages: readonly PageResult[]): readonly string[] =>
  pages.flatMap(({ items = [] }) => items.map((item) => stringOf(mapOf(item)?.sk)));

describe('pages', () => {
  test('DB-115 DB-155 end after 1 MB, counted before the filter', async () => {
    const services = await openTable({ limits: { queryPageBytesMax: 10_000 } });
    await fill(services, 30, 985);
    const pages = await pagesOf(services, wholeCollection);
    expect(pages.map(({ count }) => count)).toEqual([10, 10, 10, 0]);
    expect(sortKeys(pages)).toEqual(Array.from({ length: 30 }, (_, at) => String(at).padStart(4, '0')));

    const filtered = await pagesOf(services, {
      ...wholeCollection,
      filterExpression: 'filler = :never',
      expressionAttributeValues: { ':pk': { S: 'p' }, ':never': { S: '' } },
    });
    expect(filtered.map(({ count, scannedCount }) => [count, scannedCount])).toEqual([
      [0, 10],
      [0, 10],
      [0, 10],
      [0, 0],
    ]);
  });

  test('DB-157 P-55 a limit that is met exactly gives a key, and an empty page after it', async () => {
    const services = await openTable();
    await fill(services, 4, 1);
    const pages = await pagesOf(services, { ...wholeCollection, limit: 2 });
    expect(pages.map(({ count }) => count)).toEqual([2, 2, 0]);
  });

  test('DB-161 DB-162 a start key need not exist any more, and inserts between pages do no harm', async () => {
    const services = await openTable();
    await fill(services, 4, 1);
    const first = await query(services, { ...wholeCollection, limit: 2 }, testContext);
    await deleteItem(services, { tableName, key: { pk: { S: 'p' }, sk: { S: '0001' } } }, testContext);
    await putItem(services, { tableName, item: { pk: { S: 'p' }, sk: { S: '0000a' } } }, testContext);
    await putItem(services, { tableName, item: { pk: { S: 'p' }, sk: { S: '0002a' } } }, testContext);
    const second = await query(
      services,
      { ...wholeCollection, exclusiveStartKey: first.lastEvaluatedKey },
      testContext,
    );
    expect(sortKeys([second])).toEqual(['0002', '0002a', '0003']);
  });

  test('DB-069 a local index fetches what it does not hold, at the price of the items', async () => {
    const services = await openTable();
    await fill(services, 100, 5_000);
    const request: QueryRequest = {
      ...wholeCollection,
      indexName: 'byRank',
      returnConsumedCapacity: 'INDEXES',
      limit: 70,
    };
    const keysOnly = await query(services, request, testContext);
    expect(Object.keys(mapOf(keysOnly.items?.[0]) ?? {}).toSorted()).toEqual(['pk', 'rank', 'sk']);
    expect(keysOnly.consumedCapacity).toMatchObject({ capacityUnits: 0.5, table: { capacityUnits: 0 } });

    const whole = await query(services, { ...request, select: 'ALL_ATTRIBUTES' }, testContext);
    expect(sortKeys([whole])[0]).toBe('0099');
    expect(whole.count).toBe(70);
    // Every item is read by itself: 70 items of just over 4 KB at one unit each.
    expect(whole.consumedCapacity).toMatchObject({
      capacityUnits: 70.5,
      table: { capacityUnits: 70 },
      localSecondaryIndexes: { byRank: { capacityUnits: 0.5 } },
    });

    const backwards = await pagesOf(services, {
      ...request,
      select: 'ALL_ATTRIBUTES',
      scanIndexForward: false,
      limit: 30,
    });
    expect(sortKeys(backwards)).toEqual(Array.from({ length: 100 }, (_, at) => String(at).padStart(4, '0')));
  });

  test('a fetch through a local index stays within the page size', async () => {
    const services = await openTable({ limits: { queryPageBytesMax: 10_000 } });
    await fill(services, 10, 3_000);
    const pages = await pagesOf(services, { ...wholeCollection, indexName: 'byRank', select: 'ALL_ATTRIBUTES' });
    expect(Math.max(...pages.map(({ count }) => count))).toBeLessThanOrEqual(4);
    expect(sortKeys(pages)).toHaveLength(10);
  });

  test('DB-149 BatchGetItem answers what fits and names the rest', async () => {
    const services = await openTable({ limits: { batchBytesMax: 20_000 } });
    await fill(services, 30, 985);
    const keys = Array.from({ length: 30 }, (_, at) => ({ pk: { S: 'p' }, sk: { S: String(at).padStart(4, '0') } }));
    const { responses, unprocessedKeys } = await batchGetItem(
      services,
      { requestItems: { [tableName]: { keys, consistentRead: true } } },
      testContext,
    );
    expect(responses[tableName]).toHaveLength(19);
    expect(unprocessedKeys[tableName]).toEqual({ keys: keys.slice(19), consistentRead: true });
  });

  test('DB-167 a thousand segments are disjoint and complete', async () => {
    const services = await openTable();
    for (let at = 0; at < 50; at++) {
      await putItem(services, { tableName, item: { pk: { S: `p${at}` }, sk: { S: 's' } } }, testContext);
    }
    const found: string[] = [];
    for (let segment = 0; segment < 1_000; segment++) {
      const page = await scan(services, { tableName, segment, totalSegments: 1_000 }, testContext);
      found.push(...(page.items ?? []).map((item) => stringOf(mapOf(item)?.pk)));
    }
    expect(found.toSorted()).toEqual(Array.from({ length: 50 }, (_, at) => `p${at}`).toSorted());
  });
});

function stringOf(value: AttributeValue | undefined): string {
  return value !== undefined && 'S' in value ? value.S : '';
}

/** A store as on a disk that changes one bit of a value: that of the item with this sort key. */
function damagingStore(): {
  readonly store: Store;
  damage: { readonly sortKey: string; readonly bit: number } | undefined;
} {
  const inner = openMemoryStore();
  const state: ReturnType<typeof damagingStore> = {
    damage: undefined,
    store: {
      manifest: { ...inner.manifest, readsOwnMemory: false },
      read: (keys, body) => inner.read(keys, body),
      write: (keys, decide) => inner.write(keys, decide),
      range: (request, visit) =>
        inner.range(request, (key, value) => {
          const { damage } = state;
          if (damage === undefined || !Buffer.from(key).includes(damage.sortKey)) return visit(key, value);
          const changed = Buffer.from(value);
          const at = damage.bit % (8 * changed.length);
          changed[at >> 3] = (changed[at >> 3] ?? 0) ^ (1 << (at & 7));
          return visit(key, changed);
        }),
      close: () => inner.close(),
    },
  };
  return state;
}

describe('a damaged item', () => {
  test.each([true, false])('is refused, wherever in a page it is, and named; invariants on: %s', async (isOn) => {
    const random = switchInvariants(undefined);
    if (isOn) switchInvariants(random);
    try {
      const state = damagingStore();
      const services = await openTable({ store: state.store });
      await fill(services, 30, 100);
      const requests: readonly Partial<QueryRequest>[] = [{}, { limit: 12 }, { scanIndexForward: false }];
      for (const [bit, request] of Array.from({ length: 300 }, (_, at) => [at * 7, requests[at % 3]] as const)) {
        const sortKey = String((bit * 13) % 30).padStart(4, '0');
        state.damage = undefined;
        const sound = await query(services, { ...wholeCollection, ...request }, testContext);
        state.damage = { sortKey, bit };
        const answer = Promise.resolve().then(() => query(services, { ...wholeCollection, ...request }, testContext));
        if (sortKeys([sound]).includes(sortKey))
          await expect(answer, `bit ${bit} of ${sortKey}`).rejects.toThrow(/^An item of table pages is damaged/);
        else expect(sortKeys([await answer])).toEqual(sortKeys([sound]));
      }
    } finally {
      switchInvariants(random);
    }
  });

  test('is refused if only the copy of it was damaged', async () => {
    const random = switchInvariants(undefined);
    try {
      const state = damagingStore();
      const { store } = state;
      const services = await openTable({
        store: {
          ...store,
          range: (request, visit) => {
            const result = store.range(request, visit);
            state.damage = undefined; // the second reading finds nothing
            return result;
          },
        },
      });
      await fill(services, 3, 100);
      state.damage = { sortKey: '0001', bit: 200 };
      await expect(Promise.resolve().then(() => query(services, wholeCollection, testContext))).rejects.toThrow(
        /^The data read for a page is damaged/,
      );
      expect(sortKeys([await query(services, wholeCollection, testContext)])).toHaveLength(3);
    } finally {
      switchInvariants(random);
    }
  });
});
