/**
 * How many placements the decision of a request reads and writes, with 2^16 of them: what a store that is spread over several servers would have to
 * lock and commit together. Decision 0130 draws the conclusions.
 */
import { expect, test } from 'vitest';
import { putItem } from '../src/engine/operations/put-item.ts';
import { transactWriteItems } from '../src/engine/operations/transact-write-items.ts';
import { updateItem } from '../src/engine/operations/update-item.ts';
import { hashOf } from '../src/engine/layout/spaces.ts';
import type { CreateTableRequest } from '../src/engine/schema/create-table-request.ts';
import { enableRecovery } from '../src/engine/testing/backup-requests.ts';
import { index, keys, onDemandTable, strings } from '../src/engine/testing/table-requests.ts';
import { createdTable } from '../src/engine/testing/test-engine.ts';
import { testContext, type TestServices, testServices } from '../src/engine/testing/test-services.ts';
import { openMemoryStore } from '../src/storage/memory/memory-store.ts';
import type { Store } from '../src/storage/store.ts';

const tableName = 'Things';
const requestCount = 40;

/** What decisions have touched, by their placements. */
interface Touched {
  readonly read: Set<string>;
  readonly written: Set<string>;
}

function placementOf(key: Uint8Array): string {
  return Buffer.from(hashOf(key).subarray(0, 2)).toString('hex');
}

/** A store in memory that notes the placements of each decision. */
function noting(touched: Touched[]): Store {
  const store = openMemoryStore();
  return {
    manifest: store.manifest,
    read: (wanted, body) => store.read(wanted, body),
    range: (request, visit) => store.range(request, visit),
    write: async (wanted, decide) => {
      let written: readonly Uint8Array[] = [];
      const answer = await store.write(wanted, (values) => {
        const decision = decide(values);
        written = decision.writes.map(({ key }) => key);
        return decision;
      });
      touched.push({ read: new Set(wanted.map(placementOf)), written: new Set(written.map(placementOf)) });
      return answer;
    },
    close: () => store.close(),
  };
}

const tables: readonly (readonly [string, Partial<CreateTableRequest>])[] = [
  ['plain', {}],
  ['with a stream', { streamSpecification: { streamEnabled: true, streamViewType: 'NEW_IMAGE' } }],
  ['with a global index', { globalSecondaryIndexes: [index('byG', 'g', 'sk')] }],
  ['with recovery', {}],
];

const requests: Readonly<Record<string, (services: TestServices, at: number) => Promise<unknown>>> = {
  'put of a new item': async (services, at) => putItem(services, { tableName, item: itemOf(at) }, testContext),
  'put that replaces an item by one of the same size': async (services, at) =>
    putItem(services, { tableName, item: { ...itemOf(at), n: { N: '2' } } }, testContext),
  'update that adds to a number': async (services, at) =>
    updateItem(
      services,
      {
        tableName,
        key: keyOf(at),
        updateExpression: 'ADD n :one',
        expressionAttributeValues: { ':one': { N: '1' } },
      },
      testContext,
    ),
  'transaction of two': async (services, at) =>
    transactWriteItems(
      services,
      { transactItems: [at, (at + 1) % requestCount].map((each) => ({ put: { tableName, item: itemOf(each) } })) },
      testContext,
    ),
};

function keyOf(at: number): { readonly pk: { readonly S: string }; readonly sk: { readonly S: string } } {
  return { pk: { S: `partition ${at}` }, sk: { S: 'x' } };
}

function itemOf(
  at: number,
): ReturnType<typeof keyOf> & { readonly g: { readonly S: string }; readonly n: { readonly N: string } } {
  return { ...keyOf(at), g: { S: `group ${at}` }, n: { N: '1' } };
}

test('the placements that a write reads and writes', async () => {
  const found: Record<string, Record<string, string>> = {};
  for (const [name, changes] of tables) {
    const touched: Touched[] = [];
    const services = testServices({ store: noting(touched) });
    await createdTable(
      services,
      onDemandTable({
        tableName,
        keySchema: keys('pk', 'sk'),
        attributeDefinitions: strings('pk', 'sk', ...(changes.globalSecondaryIndexes === undefined ? [] : ['g'])),
        ...changes,
      }),
    );
    if (name === 'with recovery') await enableRecovery(services, tableName);
    found[name] = {};
    for (const [request, perform] of Object.entries(requests)) {
      touched.length = 0;
      for (let at = 0; at < requestCount; at += 1) await perform(services, at);
      const mean = (of: (each: Touched) => number): string =>
        (touched.reduce((sum, each) => sum + of(each), 0) / touched.length).toFixed(1);
      const isOnlyRead = ({ read, written }: Touched): number => [...read].filter((each) => !written.has(each)).length;
      found[name][request] = `${mean(isOnlyRead)} read, ${mean(({ written }) => written.size)} written`;
    }
    await services.store.close();
  }
  expect(found).toMatchInlineSnapshot(`
    {
      "plain": {
        "put of a new item": "1.0 read, 2.0 written",
        "put that replaces an item by one of the same size": "2.0 read, 1.0 written",
        "transaction of two": "2.0 read, 2.0 written",
        "update that adds to a number": "2.0 read, 1.0 written",
      },
      "with a global index": {
        "put of a new item": "1.0 read, 3.0 written",
        "put that replaces an item by one of the same size": "2.0 read, 2.0 written",
        "transaction of two": "2.0 read, 3.0 written",
        "update that adds to a number": "2.0 read, 2.0 written",
      },
      "with a stream": {
        "put of a new item": "1.0 read, 2.8 written",
        "put that replaces an item by one of the same size": "1.8 read, 2.0 written",
        "transaction of two": "2.4 read, 3.0 written",
        "update that adds to a number": "1.8 read, 2.0 written",
      },
      "with recovery": {
        "put of a new item": "1.0 read, 3.0 written",
        "put that replaces an item by one of the same size": "1.9 read, 2.0 written",
        "transaction of two": "2.8 read, 3.0 written",
        "update that adds to a number": "1.9 read, 2.0 written",
      },
    }
  `);
});
