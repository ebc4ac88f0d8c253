import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AttributeMap, AttributeValue } from '../../values/attribute-value.ts';
import { batchWriteItem } from '../operations/batch-write-item.ts';
import { deleteItem } from '../operations/delete-item.ts';
import { getItem } from '../operations/get-item.ts';
import { putItem } from '../operations/put-item.ts';
import { query } from '../operations/query.ts';
import { scan } from '../operations/scan.ts';
import { transactWriteItems } from '../operations/transact-write-items.ts';
import { updateItem } from '../operations/update-item.ts';
import { createdTable, inconsistencies, mapOf } from '../testing/test-engine.ts';
import { testContext, type TestServices, testServices } from '../testing/test-services.ts';

/*
 * Random histories against a plain map. After each history the items, every index, the counts and the collection sizes must
 * match the map, regardless of the order, the page size or the mixture of operations.
 */

const partitions = ['p1', 'p2', 'p3'];
const sorts = ['s1', 's2', 's3', 's4'];
const attributeNames = ['g', 'h', 'l', '__proto__', 'constructor', 'x'];

const keyArbitrary = fc.record({ pk: fc.constantFrom(...partitions), sk: fc.constantFrom(...sorts) });
const textArbitrary = fc.constantFrom('a', 'b', 'c', 'é', '\u0000', 'z'.repeat(30));
const valueArbitrary = (name: string): fc.Arbitrary<AttributeValue> =>
  name === 'l'
    ? fc.integer({ min: -3, max: 3 }).map((n) => ({ N: String(n) }))
    : name === 'x'
      ? fc.oneof(
          fc.constant({ NULL: true as const }),
          textArbitrary.map((S) => ({ L: [{ S }] })),
        )
      : textArbitrary.map((S) => ({ S }));
const attributesArbitrary = fc
  .subarray(attributeNames)
  .chain((names) =>
    fc
      .tuple(...names.map((name) => valueArbitrary(name).map((value) => [name, value] as const)))
      .map((entries) => Object.fromEntries(entries)),
  );

type Step =
  | { readonly kind: 'put' | 'update' | 'transact'; readonly key: Key; readonly attributes: AttributeMap }
  | { readonly kind: 'delete'; readonly key: Key }
  | { readonly kind: 'batch'; readonly puts: readonly { readonly key: Key; readonly attributes: AttributeMap }[] };

interface Key {
  readonly pk: string;
  readonly sk: string;
}

const stepArbitrary: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constantFrom('put' as const, 'update' as const, 'transact' as const),
    key: keyArbitrary,
    attributes: attributesArbitrary,
  }),
  fc.record({ kind: fc.constant('delete' as const), key: keyArbitrary }),
  fc.record({
    kind: fc.constant('batch' as const),
    puts: fc.uniqueArray(fc.record({ key: keyArbitrary, attributes: attributesArbitrary }), {
      maxLength: 4,
      minLength: 1,
      selector: ({ key }) => nameOf(key),
    }),
  }),
);

describe('random histories', () => {
  test('items, indexes (DB-056, DB-063, DB-066), counts (DB-140) and collections agree with a plain map', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(stepArbitrary, { maxLength: 40 }),
        fc.integer({ min: 1, max: 7 }),
        async (steps, limit) => {
          const services = testServices();
          await createModelTable(services);
          const model = new Map<string, AttributeMap>();
          for (const step of steps) await carryOut(services, model, step);
          expect(await inconsistencies(services, 'model')).toEqual([]);
          await compareReads(services, model, limit);
        },
      ),
      { numRuns: 60 },
    );
  });
});

async function createModelTable(services: TestServices): Promise<void> {
  await createdTable(services, {
    tableName: 'model',
    keySchema: [
      { attributeName: 'pk', keyType: 'HASH' },
      { attributeName: 'sk', keyType: 'RANGE' },
    ],
    attributeDefinitions: [
      { attributeName: 'pk', attributeType: 'S' },
      { attributeName: 'sk', attributeType: 'S' },
      { attributeName: 'g', attributeType: 'S' },
      { attributeName: 'h', attributeType: 'S' },
      { attributeName: 'l', attributeType: 'N' },
    ],
    localSecondaryIndexes: [
      {
        indexName: 'byL',
        keySchema: [
          { attributeName: 'pk', keyType: 'HASH' },
          { attributeName: 'l', keyType: 'RANGE' },
        ],
        projection: { projectionType: 'KEYS_ONLY' },
      },
    ],
    globalSecondaryIndexes: [
      {
        indexName: 'byG',
        keySchema: [{ attributeName: 'g', keyType: 'HASH' }],
        projection: { projectionType: 'ALL' },
      },
      {
        indexName: 'byGH',
        keySchema: [
          { attributeName: 'g', keyType: 'HASH' },
          { attributeName: 'h', keyType: 'RANGE' },
        ],
        projection: { projectionType: 'INCLUDE', nonKeyAttributes: ['constructor', 'x'] },
      },
      {
        indexName: 'inverted',
        keySchema: [
          { attributeName: 'sk', keyType: 'HASH' },
          { attributeName: 'pk', keyType: 'RANGE' },
        ],
        projection: { projectionType: 'KEYS_ONLY' },
      },
      {
        indexName: 'manyKeys',
        keySchema: [
          { attributeName: 'g', keyType: 'HASH' },
          { attributeName: 'pk', keyType: 'HASH' },
          { attributeName: 'h', keyType: 'RANGE' },
          { attributeName: 'l', keyType: 'RANGE' },
        ],
        projection: { projectionType: 'ALL' },
      },
    ],
  });
}

async function carryOut(services: TestServices, model: Map<string, AttributeMap>, step: Step): Promise<void> {
  const tableName = 'model';
  switch (step.kind) {
    case 'put': {
      const item = itemOf(step.key, step.attributes);
      await putItem(services, { tableName, item }, testContext);
      model.set(nameOf(step.key), item);
      return;
    }
    case 'transact': {
      const item = itemOf(step.key, step.attributes);
      const others = sorts.filter((sk) => sk !== step.key.sk).map((sk) => ({ pk: step.key.pk, sk }));
      await transactWriteItems(
        services,
        {
          transactItems: [
            { put: { tableName, item } },
            ...others.slice(0, 2).map((key) => ({ delete: { tableName, key: keyOf(key) } })),
          ],
        },
        testContext,
      );
      model.set(nameOf(step.key), item);
      for (const key of others.slice(0, 2)) model.delete(nameOf(key));
      return;
    }
    case 'update': {
      const names = Object.keys(step.attributes);
      const removed = attributeNames.filter((name) => !names.includes(name)).slice(0, 2);
      const set = names.map((_, at) => `#s${at} = :s${at}`).join(', ');
      const remove = removed.map((_, at) => `#r${at}`).join(', ');
      await updateItem(
        services,
        {
          tableName,
          key: keyOf(step.key),
          updateExpression: [set && `SET ${set}`, remove && `REMOVE ${remove}`].filter(Boolean).join(' '),
          expressionAttributeNames: Object.fromEntries([
            ...names.map((name, at) => [`#s${at}`, name]),
            ...removed.map((name, at) => [`#r${at}`, name]),
          ]) as Record<string, string>,
          ...(names.length > 0 && {
            expressionAttributeValues: Object.fromEntries(
              names.map((name, at) => [`:s${at}`, step.attributes[name] as AttributeValue]),
            ),
          }),
        },
        testContext,
      );
      const before = model.get(nameOf(step.key));
      if (before === undefined && names.length === 0) return;
      const kept = Object.entries(before ?? keyOf(step.key)).filter(([name]) => !removed.includes(name));
      model.set(nameOf(step.key), Object.fromEntries([...kept, ...Object.entries(step.attributes)]));
      return;
    }
    case 'delete':
      await deleteItem(services, { tableName, key: keyOf(step.key) }, testContext);
      model.delete(nameOf(step.key));
      return;
    case 'batch':
      await batchWriteItem(
        services,
        {
          requestItems: {
            [tableName]: step.puts.map(({ key, attributes }) => ({ putRequest: { item: itemOf(key, attributes) } })),
          },
        },
        testContext,
      );
      for (const { key, attributes } of step.puts) model.set(nameOf(key), itemOf(key, attributes));
  }
}

async function compareReads(
  services: TestServices,
  model: ReadonlyMap<string, AttributeMap>,
  limit: number,
): Promise<void> {
  const tableName = 'model';
  for (const pk of partitions) {
    for (const sk of sorts) {
      const { item } = await getItem(services, { tableName, key: keyOf({ pk, sk }) }, testContext);
      expect(mapOf(item)).toEqual(model.get(nameOf({ pk, sk })));
    }
    for (const scanIndexForward of [true, false]) {
      const found = await allPages((exclusiveStartKey) =>
        query(
          services,
          {
            tableName,
            keyConditionExpression: 'pk = :pk',
            expressionAttributeValues: { ':pk': { S: pk } },
            scanIndexForward,
            limit,
            exclusiveStartKey,
          },
          testContext,
        ),
      );
      const wanted = sorts.map((sk) => model.get(nameOf({ pk, sk }))).filter((item) => item !== undefined);
      expect(found).toEqual(scanIndexForward ? wanted : wanted.toReversed());
    }
  }
  for (const indexName of [undefined, 'byL', 'byG', 'byGH', 'inverted', 'manyKeys']) {
    const whole = await allPages((exclusiveStartKey) =>
      scan(services, { tableName, indexName, exclusiveStartKey }, testContext),
    );
    const paged = await allPages((exclusiveStartKey) =>
      scan(services, { tableName, indexName, limit, exclusiveStartKey }, testContext),
    );
    expect(paged).toEqual(whole);
    const inSegments = await Promise.all(
      [0, 1, 2].map((segment) =>
        allPages((exclusiveStartKey) =>
          scan(services, { tableName, indexName, segment, totalSegments: 3, limit, exclusiveStartKey }, testContext),
        ),
      ),
    );
    expect(inSegments.flat()).toEqual(whole);
  }
}

async function allPages(
  readPage: (startKey: AttributeMap | undefined) => ReturnType<typeof query>,
): Promise<readonly (AttributeMap | undefined)[]> {
  const items: (AttributeMap | undefined)[] = [];
  let startKey: AttributeMap | undefined;
  do {
    const page = await readPage(startKey);
    items.push(...(page.items ?? []).map(mapOf));
    startKey = page.lastEvaluatedKey;
  } while (startKey !== undefined);
  return items;
}

function itemOf(key: Key, attributes: AttributeMap): AttributeMap {
  return Object.fromEntries([...Object.entries(keyOf(key)), ...Object.entries(attributes)]);
}

function keyOf({ pk, sk }: Key): AttributeMap {
  return { pk: { S: pk }, sk: { S: sk } };
}

function nameOf({ pk, sk }: Key): string {
  return `${pk}/${sk}`;
}
