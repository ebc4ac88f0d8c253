import { describe, expect, test } from 'vitest';
import { batchWriteItem } from '../operations/batch-write-item.ts';
import { deleteItem } from '../operations/delete-item.ts';
import { putItem } from '../operations/put-item.ts';
import { updateItem } from '../operations/update-item.ts';
import { bruteForceGraphs } from '../testing/brute-force-graphs.ts';
import { createdTable } from '../testing/test-engine.ts';
import { testContext, type TestServices, testServices, type TestServicesOptions } from '../testing/test-services.ts';
import { byTenant, found, vectorIndex, vectorOf, vectorTable } from '../testing/vector-tables.ts';
import { journalBucketChanges, journalBucketCount } from '../followers/vectors/vector-journal.ts';

const tableName = 'Table';
const exactMax = 20;
const itemCount = 60;

const named = (at: number): string => `item-${String(at).padStart(4, '0')}`;

interface GraphTest {
  readonly services: TestServices;
  readonly graphs: ReturnType<typeof bruteForceGraphs>;
}

function servicesWithGraphs(options: TestServicesOptions = {}): GraphTest {
  const graphs = bruteForceGraphs();
  const services = testServices({
    ...options,
    limits: { vectorExactSearchCountMax: exactMax, ...options.limits },
    loadVectorGraphs: graphs.load,
  });
  return { services, graphs };
}

async function putAll(services: TestServices, from: number, to: number): Promise<void> {
  for (let at = from; at < to; at += 25) {
    const count = Math.min(25, to - at);
    const puts = Array.from({ length: count }, (_, offset) => {
      const number = at + offset;
      const tenant = number % 3 === 0 ? 'small' : 'large';
      return {
        putRequest: {
          item: {
            PK: { S: named(number) },
            v: vectorOf(number, 0, 0),
            tenant: { S: tenant },
            kind: { S: `kind-${number % 10}` },
          },
        },
      };
    });
    await batchWriteItem(services, { requestItems: { [tableName]: puts } }, testContext);
  }
}

/** A table with more entries than an exact search should compare, and the graph that a first search has caused. */
async function withGraph(options: TestServicesOptions = {}): Promise<GraphTest> {
  const started = servicesWithGraphs(options);
  await createdTable(started.services, vectorTable([vectorIndex()]));
  await putAll(started.services, 0, itemCount);
  await found(started.services, [0, 0, 0]);
  await started.services.tasks.settle();
  return started;
}

const closest = (services: TestServices, number: number): Promise<readonly string[]> =>
  found(services, [number, 0, 0], { topK: 2, projectionExpression: 'PK' });

describe('approximate graphs', () => {
  test('are built when an exact search has compared too many entries, and asked from then on', async () => {
    const { services, graphs } = servicesWithGraphs();
    await createdTable(services, vectorTable([vectorIndex()]));
    await putAll(services, 0, exactMax);
    await closest(services, 3.1);
    await services.tasks.settle();
    expect(graphs.made).toHaveLength(0);
    await putAll(services, exactMax, itemCount);
    expect(await closest(services, 3.1)).toEqual([`${named(3)}:0.1`, `${named(4)}:0.9`]);
    await services.tasks.settle();
    expect(graphs.made.map((graph) => graph.vectors.size)).toEqual([itemCount]);
    expect(await closest(services, 3.1)).toEqual([`${named(3)}:0.1`, `${named(4)}:0.9`]);
    expect(graphs.made[0]?.searchCount).toBe(1);
    expect(services.logged).toMatchObject([{ event: 'vector-graph-built', entryCount: itemCount }]);
  });

  test('know every write before the next search', async () => {
    const { services, graphs } = await withGraph();
    await putItem(services, { tableName, item: { PK: { S: 'new' }, v: vectorOf(5.05, 0, 0) } }, testContext);
    expect(await closest(services, 5.05)).toEqual(['new:0', `${named(5)}:0.05`]);
    await updateItem(
      services,
      {
        tableName,
        key: { PK: { S: 'new' } },
        updateExpression: 'SET v[0] = :n',
        expressionAttributeValues: { ':n': { N: '9.05' } },
      },
      testContext,
    );
    expect(await closest(services, 5.05)).toEqual([`${named(5)}:0.05`, `${named(6)}:0.95`]);
    expect(await closest(services, 9.05)).toEqual(['new:0', `${named(9)}:0.05`]);
    await deleteItem(services, { tableName, key: { PK: { S: 'new' } } }, testContext);
    expect(await closest(services, 9.05)).toEqual([`${named(9)}:0.05`, `${named(10)}:0.95`]);
    expect(graphs.made.map((graph) => graph.searchCount)).toEqual([4]);
  });

  test('know what other processes write', async () => {
    const here = await withGraph();
    const there = servicesWithGraphs({ store: here.services.store, seed: 2 });
    await closest(there.services, 1);
    await there.services.tasks.settle();
    await putItem(there.services, { tableName, item: { PK: { S: 'theirs' }, v: vectorOf(7.05, 0, 0) } }, testContext);
    expect(await closest(here.services, 7.05)).toEqual(['theirs:0', `${named(7)}:0.05`]);
    await deleteItem(here.services, { tableName, key: { PK: { S: 'theirs' } } }, testContext);
    expect(await closest(there.services, 7.05)).toEqual([`${named(7)}:0.05`, `${named(8)}:0.95`]);
    expect([...here.graphs.made, ...there.graphs.made].map((graph) => graph.searchCount)).toEqual([1, 1]);
  });

  test('are built while others write', async () => {
    const { services, graphs } = servicesWithGraphs();
    await createdTable(services, vectorTable([vectorIndex({ dimensions: 3 })]));
    await putAll(services, 0, 200);
    let round = 0;
    services.tasks.atPause = async () => {
      round += 1;
      if (round > 20) return;
      const position = ((round * 37) % 200) + 0.5;
      await putItem(
        services,
        { tableName, item: { PK: { S: `w-${round}` }, v: vectorOf(position, 0, 0) } },
        testContext,
      );
      await deleteItem(services, { tableName, key: { PK: { S: named((round * 53) % 200) } } }, testContext);
      await putItem(
        services,
        { tableName, item: { PK: { S: named((round * 71) % 200) }, v: vectorOf(-round, 0, 0) } },
        testContext,
      );
    };
    await closest(services, 1);
    await services.tasks.settle();
    services.tasks.atPause = undefined;
    expect(round).toBeGreaterThan(2);
    const approximate = await found(services, [50, 0, 0], { topK: 100 });
    expect(graphs.made[0]?.searchCount).toBe(1);
    const exact = testServices({ store: services.store });
    expect(approximate).toEqual(await found(exact, [50, 0, 0], { topK: 100 }));
  });

  test('serve the part of an index that is large, and leave the rest to exact searches', async () => {
    const { services, graphs } = servicesWithGraphs();
    await createdTable(services, vectorTable([vectorIndex(byTenant)], 'tenant', 'kind'));
    await putAll(services, 0, itemCount);
    const ofTenant = (tenant: string): Promise<readonly string[]> =>
      found(services, [10, 0, 0], {
        topK: 2,
        searchConditionExpression: 'tenant = :t',
        expressionAttributeValues: { ':t': { S: tenant } },
        projectionExpression: 'PK',
      });
    for (let times = 0; times < 2; times += 1) {
      expect(await ofTenant('large')).toEqual([`${named(10)}:0`, `${named(11)}:1`]);
      expect(await ofTenant('small')).toEqual([`${named(9)}:1`, `${named(12)}:2`]);
      await services.tasks.settle();
    }
    expect(graphs.made.map((graph) => [graph.vectors.size, graph.searchCount])).toEqual([[40, 1]]);
    // An item that moves to another partition is no longer in the graph of the first.
    const item = { PK: { S: named(10) }, v: vectorOf(10, 0, 0), tenant: { S: 'small' } };
    await putItem(services, { tableName, item }, testContext);
    expect(await ofTenant('large')).toEqual([`${named(11)}:1`, `${named(8)}:2`]);
    expect(await ofTenant('small')).toEqual([`${named(10)}:0`, `${named(9)}:1`]);
  });

  test('are given up for an exact search when filters leave too few of their candidates', async () => {
    const { services, graphs } = servicesWithGraphs();
    const { searchSchema = [] } = byTenant;
    await createdTable(services, vectorTable([vectorIndex({ searchSchema: searchSchema.slice(1) })], 'kind'));
    await putAll(services, 0, 300);
    const ofKind = (kind: string): Promise<readonly string[]> =>
      found(services, [0, 0, 0], {
        topK: 3,
        searchConditionExpression: 'kind = :k',
        expressionAttributeValues: { ':k': { S: kind } },
        projectionExpression: 'PK',
      });
    await ofKind('kind-1');
    await services.tasks.settle();
    expect(await ofKind('kind-1')).toEqual([`${named(1)}:1`, `${named(11)}:11`, `${named(21)}:21`]);
    expect(graphs.made[0]?.searchCount).toBe(1);
    const item = { PK: { S: 'rare' }, v: vectorOf(500, 0, 0), kind: { S: 'rare' } };
    await putItem(services, { tableName, item }, testContext);
    expect(await ofKind('rare')).toEqual(['rare:500']);
    expect(await ofKind('none')).toEqual([]);
    expect(graphs.made[0]?.searchCount).toBeGreaterThan(3);
  });

  test('take in what has changed after the search that saw it', async () => {
    const { services, graphs } = await withGraph();
    await putAll(services, itemCount, itemCount + 150);
    let sizeAtPause: number | undefined;
    services.tasks.atPause = () => void (sizeAtPause ??= graphs.made[0]?.vectors.size);
    expect(await closest(services, 200)).toEqual([`${named(200)}:0`, expect.stringMatching(/item-0(199|201):1/)]);
    expect(graphs.made[0]?.searchCount).toBe(1);
    await services.tasks.settle();
    expect(sizeAtPause).toBeLessThan(itemCount + 150);
    expect(graphs.made[0]?.vectors.size).toBe(itemCount + 150);
  });

  test('that the journal has left behind are rebuilt', async () => {
    const { services, graphs } = await withGraph();
    const item = { PK: { S: 'busy' }, v: vectorOf(0, 0, 0) };
    for (let at = 0; at <= journalBucketChanges; at += 1) {
      const v = vectorOf(at / 10_000, 0, 0);
      await putItem(services, { tableName, item: { ...item, v } }, testContext);
    }
    for (let times = 0; times < 2; times += 1) {
      expect((await closest(services, -1))[0]).toBe(`${named(0)}:1`);
      await services.tasks.settle();
    }
    expect((await closest(services, -1))[0]).toBe(`${named(0)}:1`);
    expect(graphs.made.map((graph) => [graph.vectors.size, graph.searchCount > 0])).toEqual([
      [itemCount, false],
      [itemCount + 1, true],
    ]);
    expect(journalBucketCount * journalBucketChanges).toBeGreaterThan(itemCount);
  });

  test('are rebuilt when much of what they hold is out of date, and asked until then', async () => {
    const { services, graphs } = await withGraph();
    for (let at = 0; at < itemCount / 2; at += 1) {
      await putItem(services, { tableName, item: { PK: { S: named(at) }, v: vectorOf(-at, 0, 0) } }, testContext);
    }
    expect(await closest(services, -7.1)).toEqual([`${named(7)}:0.1`, `${named(8)}:0.9`]);
    expect(graphs.made[0]?.searchCount).toBe(1);
    await services.tasks.settle();
    expect(await closest(services, -7.1)).toEqual([`${named(7)}:0.1`, `${named(8)}:0.9`]);
    expect(graphs.made.map((graph) => [graph.vectors.size, graph.searchCount])).toEqual([
      [1.5 * itemCount, 1],
      [itemCount, 1],
    ]);
  });

  test('are dropped when there is not much left to search', async () => {
    const { services, graphs } = await withGraph();
    for (let at = exactMax / 2; at < itemCount; at += 1) {
      await deleteItem(services, { tableName, key: { PK: { S: named(at) } } }, testContext);
    }
    await closest(services, 1);
    await closest(services, 1);
    await services.tasks.settle();
    const searchCount = graphs.made[0]?.searchCount;
    expect(await closest(services, 1)).toEqual([`${named(1)}:0`, expect.stringMatching(/item-000(0|2):1/)]);
    expect(graphs.made[0]?.searchCount).toBe(searchCount);
    expect(graphs.made).toHaveLength(1);
  });

  test('take no more memory than they may: the one not used for longest goes', async () => {
    const { services, graphs } = servicesWithGraphs({ limits: { vectorGraphBytesMax: 1.5 * itemCount * 706 } });
    await createdTable(services, vectorTable([vectorIndex(), vectorIndex({ indexName: 'second' })]));
    await putAll(services, 0, itemCount);
    for (const indexName of ['vectors', 'second', 'second', 'vectors']) {
      await found(services, [1, 0, 0], { indexName });
      await services.tasks.settle();
    }
    expect(graphs.made.map((graph) => graph.searchCount)).toEqual([0, 1, 0]);
  });

  test('that do not fit into memory at all are not built, and searches stay exact', async () => {
    const { services, graphs } = await withGraph({ limits: { vectorGraphBytesMax: 1000 } });
    expect(await closest(services, 3.1)).toEqual([`${named(3)}:0.1`, `${named(4)}:0.9`]);
    await services.tasks.settle();
    expect(graphs.made.map((graph) => graph.searchCount)).toEqual([0]);
    expect(services.logged).toMatchObject([{ level: 'warn', event: 'vector-searches-stay-exact' }]);
  });

  test('are not built where there is no library for them', async () => {
    const services = testServices({
      limits: { vectorExactSearchCountMax: exactMax },
      loadVectorGraphs: () => Promise.resolve(undefined),
    });
    await createdTable(services, vectorTable([vectorIndex()]));
    await putAll(services, 0, itemCount);
    for (let times = 0; times < 3; times += 1) {
      expect(await closest(services, 3.1)).toEqual([`${named(3)}:0.1`, `${named(4)}:0.9`]);
      await services.tasks.settle();
    }
    expect(services.logged).toMatchObject([{ level: 'warn', event: 'vector-searches-stay-exact' }]);
  });

  test('stop being built when the engine closes', async () => {
    const { services, graphs } = servicesWithGraphs();
    await createdTable(services, vectorTable([vectorIndex()]));
    await putAll(services, 0, 300);
    services.tasks.atPause = () => services.close();
    await closest(services, 1);
    await services.tasks.settle();
    expect(graphs.made[0]?.vectors.size).toBeLessThan(300);
    expect(services.logged).toEqual([]);
  });
});
