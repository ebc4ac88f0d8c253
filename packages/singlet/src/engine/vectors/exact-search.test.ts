import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AttributeMap } from '../../values/attribute-value.ts';
import { deleteItem } from '../operations/delete-item.ts';
import { putItem } from '../operations/put-item.ts';
import { transactWriteItems } from '../operations/transact-write-items.ts';
import { updateItem } from '../operations/update-item.ts';
import type { VectorDistanceFunction } from '../catalog/table-description.ts';
import { createdTable, inconsistencies, mapOf } from '../testing/test-engine.ts';
import { testContext, type TestServices, testServices } from '../testing/test-services.ts';
import {
  byTenant,
  found,
  nameOf,
  scoreByDefinition,
  search,
  vectorIndex,
  vectorOf,
  vectorTable,
} from '../testing/vector-tables.ts';

const tableName = 'Table';

/** An item in the oracle. */
interface Known {
  readonly tenant: string | undefined;
  readonly kind: string | undefined;
  readonly vector: readonly number[] | undefined;
}

interface Change {
  readonly name: string;
  readonly how: 'put' | 'update' | 'transact' | 'delete';
  readonly known: Known;
}

const element = fc.oneof(fc.integer({ min: -3, max: 3 }), fc.float({ min: -10, max: 10, noNaN: true }));
const vector = fc.array(element, { minLength: 3, maxLength: 3 });
const label = fc.constantFrom('x', 'y', undefined);
const change: fc.Arbitrary<Change> = fc.record({
  name: fc.constantFrom(...Array.from({ length: 12 }, (_, at) => `item-${at}`)),
  how: fc.constantFrom<Change['how']>('put', 'put', 'update', 'transact', 'delete'),
  known: fc.record({ tenant: label, kind: label, vector: fc.option(vector, { nil: undefined, freq: 6 }) }),
});

async function apply(services: TestServices, { name, how, known }: Change): Promise<void> {
  const key = { PK: { S: name } };
  const item: AttributeMap = {
    ...key,
    ...(known.tenant !== undefined && { tenant: { S: known.tenant } }),
    ...(known.kind !== undefined && { kind: { S: known.kind } }),
    ...(known.vector !== undefined && { v: vectorOf(...known.vector) }),
  };
  switch (how) {
    case 'put':
      await putItem(services, { tableName, item }, testContext);
      break;
    case 'transact':
      await transactWriteItems(services, { transactItems: [{ put: { tableName, item } }] }, testContext);
      break;
    case 'delete':
      await deleteItem(services, { tableName, key }, testContext);
      break;
    case 'update': {
      const set = (['tenant', 'kind', 'v'] as const).filter((attribute) => item[attribute] !== undefined);
      const removed = (['tenant', 'kind', 'v'] as const).filter((attribute) => item[attribute] === undefined);
      await updateItem(
        services,
        {
          tableName,
          key,
          updateExpression: [
            set.length > 0 ? `SET ${set.map((attribute) => `${attribute} = :${attribute}`).join(', ')}` : '',
            removed.length > 0 ? `REMOVE ${removed.join(', ')}` : '',
          ].join(' '),
          ...(set.length > 0 && {
            expressionAttributeValues: Object.fromEntries(set.map((attribute) => [`:${attribute}`, item[attribute]!])),
          }),
        },
        testContext,
      );
    }
  }
}

/** The scores that the search must return, the best first. */
function expectedScores(
  items: ReadonlyMap<string, Known>,
  distanceFunction: VectorDistanceFunction,
  query: readonly number[],
  passes: (known: Known) => boolean,
): readonly number[] {
  const scores = [...items.values()].flatMap((known) =>
    known.vector !== undefined && passes(known) ? [scoreByDefinition(distanceFunction, query, known.vector)] : [],
  );
  return scores.sort((a, b) => (distanceFunction === 'DOT_PRODUCT' ? b - a : a - b));
}

describe.each<VectorDistanceFunction>(['COSINE', 'EUCLIDEAN', 'DOT_PRODUCT'])(
  'exact search by %s',
  (distanceFunction) => {
    test('answers what comparing every item answers, whatever is written', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(change, { minLength: 1, maxLength: 40 }),
          vector,
          fc.integer({ min: 1, max: 12 }),
          async (changes, query, topK) => {
            const services = testServices();
            const indexes = [
              vectorIndex({ distanceFunction }),
              vectorIndex({ indexName: 'byTenant', distanceFunction, ...byTenant }),
            ];
            await createdTable(services, vectorTable(indexes, 'tenant', 'kind'));
            const items = new Map<string, Known>();
            for (const one of changes) {
              await apply(services, one);
              if (one.how === 'delete') items.delete(one.name);
              else items.set(one.name, one.known);
            }
            expect(await inconsistencies(services, tableName)).toEqual([]);
            const searches = [
              { more: {}, passes: () => true },
              {
                more: {
                  indexName: 'byTenant',
                  searchConditionExpression: 'tenant = :t',
                  expressionAttributeValues: { ':t': { S: 'x' } },
                },
                passes: ({ tenant }: Known) => tenant === 'x',
              },
              {
                more: {
                  indexName: 'byTenant',
                  searchConditionExpression: 'tenant = :t AND kind = :k',
                  expressionAttributeValues: { ':t': { S: 'x' }, ':k': { S: 'y' } },
                },
                passes: ({ tenant, kind }: Known) => tenant === 'x' && kind === 'y',
              },
            ];
            for (const { more, passes } of searches) {
              const { searchResults } = await search(services, query, { topK, ...more });
              const wanted = expectedScores(items, distanceFunction, query, passes).slice(0, topK);
              expect(searchResults.map(({ score }) => score)).toHaveLength(wanted.length);
              searchResults.forEach(({ item, score }, at) => {
                expect(score).toBeCloseTo(wanted[at]!, 3);
                const known = items.get(nameOf(mapOf(item)))!;
                expect(passes(known)).toBe(true);
                expect(score).toBeCloseTo(scoreByDefinition(distanceFunction, query, known.vector!), 3);
              });
              const names = searchResults.map(({ item }) => nameOf(mapOf(item)));
              expect(new Set(names).size).toBe(names.length);
            }
          },
        ),
        { numRuns: 40 },
      );
    });
  },
);

describe('exact search', () => {
  test('continues from step to step through more than one step holds', async () => {
    const services = testServices();
    await createdTable(services, vectorTable([vectorIndex()]));
    const padding = { S: 'x'.repeat(300_000) };
    for (let at = 0; at < 40; at += 1) {
      const item = { PK: { S: `item-${at}` }, v: vectorOf(at, 0, 0), padding };
      await putItem(services, { tableName, item }, testContext);
    }
    let pauses = 0;
    services.tasks.atPause = () => void (pauses += 1);
    expect(await found(services, [20, 0, 0], { topK: 3, projectionExpression: 'PK' })).toEqual([
      'item-20:0',
      expect.stringMatching(/item-(19|21):1/),
      expect.stringMatching(/item-(19|21):1/),
    ]);
    expect(pauses).toBeGreaterThan(1);
  });

  test('answers no more than fits into an answer', async () => {
    const services = testServices({ limits: { vectorSearchBytesMax: 1000 } });
    await createdTable(services, vectorTable([vectorIndex()]));
    for (let at = 0; at < 5; at += 1) {
      const item = { PK: { S: `item-${at}` }, v: vectorOf(at, 0, 0), padding: { S: 'x'.repeat(300) } };
      await putItem(services, { tableName, item }, testContext);
    }
    expect(await found(services, [0, 0, 0])).toEqual(['item-0:0', 'item-1:1', 'item-2:2']);
  });

  test('clamps what is larger than 32-bit numbers hold', async () => {
    const services = testServices();
    const largest = 3.4028234663852886e38;
    await createdTable(
      services,
      vectorTable([
        vectorIndex(),
        vectorIndex({ indexName: 'dot', distanceFunction: 'DOT_PRODUCT' }),
        vectorIndex({ indexName: 'cosine', distanceFunction: 'COSINE' }),
      ]),
    );
    await putItem(services, { tableName, item: { PK: { S: 'a' }, v: vectorOf(3e38, 3e38, 0) } }, testContext);
    const scores = async (indexName: string): Promise<readonly number[]> =>
      (await search(services, [-3e38, 3e38, 0], { indexName })).searchResults.map(({ score }) => score);
    expect(await scores('vectors')).toEqual([largest]);
    expect(await scores('dot')).toEqual([0]);
    expect(await scores('cosine')).toEqual([1]);
    expect((await search(services, [-3e38, -3e38, 0], { indexName: 'dot' })).searchResults[0]?.score).toBe(-largest);
  });
});
