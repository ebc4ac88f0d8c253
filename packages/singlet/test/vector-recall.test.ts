/**
 * The approximate index as shipped: the database with USearch, against searches that compare every item. Everything is
 * drawn from one seed and the graph is built by one thread, so the figures are the same in each run.
 */
import { afterEach, describe, expect, test } from 'vitest';
import { createDatabase, type Database } from '../src/index.ts';
import { SeededRandom } from '../src/randomness/seeded-random.ts';

const dimensions = 24;
const itemCount = 2000;
const exactMax = 500;
const queryCount = 40;
const topK = 10;

const indexes = ['COSINE', 'EUCLIDEAN', 'DOT_PRODUCT'] as const;

interface Answer {
  readonly SearchResults: readonly { readonly Item: { readonly pk: { readonly S: string } }; readonly Score: number }[];
}

let opened: Database[] = [];

afterEach(async () => {
  await Promise.all(opened.map((database) => database.close()));
  opened = [];
});

/** Vectors clustered around some centres, as text embeddings are, not uniform. */
class Vectors {
  readonly #random: SeededRandom;
  readonly #centres: readonly (readonly number[])[];

  constructor(random: SeededRandom) {
    this.#random = random;
    this.#centres = Array.from({ length: 25 }, () => this.#noise(1));
  }

  next(): readonly number[] {
    const centre = this.#centres[this.#random.integer(0, this.#centres.length - 1)] ?? [];
    return this.#noise(0.4).map((number, at) => number + (centre[at] ?? 0));
  }

  #noise(size: number): readonly number[] {
    return Array.from({ length: dimensions }, () => (this.#random.next() * 2 - 1) * size);
  }
}

const wire = (vector: readonly number[]): readonly object[] => vector.map((number) => ({ N: number.toFixed(6) }));

async function filled(limits: object, log?: (event: string) => void): Promise<Database> {
  const database = await createDatabase({ limits, ...(log && { log: ({ event }) => log(event) }) });
  opened.push(database);
  await database.request('CreateTable', {
    TableName: 'Items',
    AttributeDefinitions: [
      { AttributeName: 'pk', AttributeType: 'S' },
      { AttributeName: 'kind', AttributeType: 'S' },
    ],
    KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
    BillingMode: 'PAY_PER_REQUEST',
    VectorIndexes: indexes.map((DistanceFunction) => ({
      IndexName: DistanceFunction,
      VectorAttribute: { AttributeName: 'embedding' },
      SearchSchema: [{ AttributeName: 'kind', SearchSchemaElementType: 'INLINE_FILTER' }],
      Projection: { ProjectionType: 'KEYS_ONLY' },
      Dimensions: dimensions,
      DistanceFunction,
    })),
  });
  const vectors = new Vectors(new SeededRandom(1));
  for (let from = 0; from < itemCount; from += 25) {
    const puts = Array.from({ length: 25 }, (_, at) => ({
      PutRequest: {
        Item: {
          pk: { S: `item-${from + at}` },
          kind: { S: `kind-${(from + at) % 4}` },
          embedding: { L: wire(vectors.next()) },
        },
      },
    }));
    await database.request('BatchWriteItem', { RequestItems: { Items: puts } });
  }
  return database;
}

async function search(database: Database, IndexName: string, vector: readonly number[], more: object = {}) {
  const input = { TableName: 'Items', IndexName, SearchVector: wire(vector), TopK: topK, ...more };
  return ((await database.request('SearchVectors', input)) as Answer).SearchResults;
}

const ofKind = { SearchConditionExpression: 'kind = :k', ExpressionAttributeValues: { ':k': { S: 'kind-2' } } };

describe('the approximate index', () => {
  test('finds nine in ten of the nearest, by every distance function, and nothing that is not there', async () => {
    let built = 0;
    let allBuilt = (): void => undefined;
    const whenBuilt = new Promise<void>((resolve) => (allBuilt = resolve));
    const approximate = await filled({ vectorExactSearchCountMax: exactMax }, (event) => {
      if (event === 'vector-graph-built') built += 1;
      if (built === indexes.length) allBuilt();
    });
    const exact = await filled({});
    for (const index of indexes) await search(approximate, index, new Vectors(new SeededRandom(2)).next());
    await whenBuilt;

    // A tenth of the items is deleted, and none of them may be found again.
    for (let at = 0; at < itemCount; at += 10) {
      const input = { TableName: 'Items', Key: { pk: { S: `item-${at}` } } };
      await Promise.all([approximate.request('DeleteItem', input), exact.request('DeleteItem', input)]);
    }
    for (const index of indexes) {
      const queries = new Vectors(new SeededRandom(3));
      const recalls: number[] = [];
      for (let at = 0; at < queryCount; at += 1) {
        const query = queries.next();
        const more = at % 2 === 0 ? {} : ofKind;
        const wanted = await search(exact, index, query, more);
        const found = await search(approximate, index, query, more);
        expect(found).toHaveLength(topK);
        const names = new Set(wanted.map(({ Item }) => Item.pk.S));
        recalls.push(found.filter(({ Item }) => names.has(Item.pk.S)).length / topK);
        for (const { Item } of found) {
          const number = Number(Item.pk.S.replace('item-', ''));
          expect(number % 10).not.toBe(0);
          if (more === ofKind) expect(number % 4).toBe(2);
        }
        const scores = found.map(({ Score }) => (index === 'DOT_PRODUCT' ? -Score : Score));
        expect(scores).toEqual(scores.toSorted((a, b) => a - b));
      }
      const recall = recalls.reduce((sum, one) => sum + one, 0) / recalls.length;
      expect(recall, index).toBeGreaterThanOrEqual(0.9);
    }
  });
});
