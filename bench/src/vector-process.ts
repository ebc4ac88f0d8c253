import type { Database } from 'singlet';
import { BenchError } from './bench-error.ts';
import { createRandom, type Random } from './random.ts';
import { importCreateDatabase } from './singlet-target.ts';
import { percentile } from './statistics.ts';
import type { VectorLatency, VectorSize } from './vectors.ts';
import { answerCalls, reportProgress } from './worker-calls.ts';

/** A worker that fills a table with vectors and searches for the nearest, exactly and with the approximate index. */
export interface VectorCalls {
  readonly [name: string]: (argument: never) => Promise<unknown>;
  readonly measure: (argument: {
    readonly directory: string;
    readonly itemCount: number;
    readonly dimensions: number;
    readonly queryCount: number;
  }) => Promise<VectorSize>;
}

const TableName = 'Vectors';
const IndexName = 'nearest';
const topK = 10;
const batchItems = 25;
const batchesInFlight = 16;

/** Vectors cluster around this many centres, as text embeddings do. Uniform vectors would have no close neighbours. */
const centreCount = 100;

type Numbers = readonly { readonly N: string }[];

class Vectors {
  readonly #random: Random;
  readonly #centres: readonly (readonly number[])[];
  readonly #dimensions: number;

  constructor(dimensions: number) {
    this.#dimensions = dimensions;
    this.#random = createRandom(1);
    this.#centres = Array.from({ length: centreCount }, () => this.#noise(1));
  }

  next(): Numbers {
    const centre = this.#centres[this.#random(centreCount)] ?? [];
    return this.#noise(0.5).map((number, at) => ({ N: (number + (centre[at] ?? 0)).toFixed(4) }));
  }

  #noise(size: number): readonly number[] {
    return Array.from({ length: this.#dimensions }, () => (this.#random(2 ** 31) / 2 ** 30 - 1) * size);
  }
}

const calls: VectorCalls = {
  measure: async ({ directory, itemCount, dimensions, queryCount }) => {
    const createDatabase = await importCreateDatabase();
    let built = (): void => undefined;
    const whenBuilt = new Promise<void>((resolve) => (built = resolve));
    const exact = await createDatabase({ directory, limits: { vectorExactSearchCountMax: Infinity } });
    const approximate = await createDatabase({
      directory,
      limits: { vectorExactSearchCountMax: 0 },
      log: ({ event }) => {
        if (event === 'vector graph built') built();
      },
    });
    try {
      const vectors = new Vectors(dimensions);
      const loadSeconds = await seconds(() => load(exact, vectors, itemCount, dimensions));
      const queries = Array.from({ length: queryCount }, () => vectors.next());
      reportProgress(`exact searches of ${itemCount} items`);
      const wanted = await ask(exact, queries);
      reportProgress(`building the approximate index of ${itemCount} items`);
      const buildSeconds = await seconds(async () => {
        await nearest(approximate, queries[0] ?? []);
        await whenBuilt;
      });
      reportProgress(`approximate searches of ${itemCount} items`);
      const found = await ask(approximate, queries);
      const shares = wanted.names.map((names, at) => {
        const among = new Set(found.names[at]);
        return names.filter((name) => among.has(name)).length / topK;
      });
      return {
        itemCount,
        dimensions,
        loadSeconds,
        buildSeconds,
        exact: wanted.latency,
        approximate: found.latency,
        recallAt10: shares.reduce((sum, share) => sum + share, 0) / shares.length,
      };
    } finally {
      await approximate.close();
      await exact.close();
    }
  },
};

async function load(database: Database, vectors: Vectors, itemCount: number, dimensions: number): Promise<void> {
  await database.request('CreateTable', {
    TableName,
    AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
    BillingMode: 'PAY_PER_REQUEST',
    VectorIndexes: [
      {
        IndexName,
        VectorAttribute: { AttributeName: 'embedding' },
        Projection: { ProjectionType: 'KEYS_ONLY' },
        Dimensions: dimensions,
        DistanceFunction: 'COSINE',
      },
    ],
  });
  let first = 0;
  const work = async (): Promise<void> => {
    while (first < itemCount) {
      const from = first;
      first += batchItems;
      if (from % 5000 === 0) reportProgress(`loaded ${from} of ${itemCount}`);
      const puts = Array.from({ length: Math.min(batchItems, itemCount - from) }, (_, at) => ({
        PutRequest: { Item: { pk: { S: `item-${from + at}` }, embedding: { L: vectors.next() } } },
      }));
      await database.request('BatchWriteItem', { RequestItems: { [TableName]: puts } });
    }
  };
  await Promise.all(Array.from({ length: batchesInFlight }, work));
}

async function ask(
  database: Database,
  queries: readonly Numbers[],
): Promise<{ readonly names: readonly (readonly string[])[]; readonly latency: VectorLatency }> {
  const names: (readonly string[])[] = [];
  const timesMs: number[] = [];
  for (const query of queries) {
    const startMs = performance.now();
    names.push(await nearest(database, query));
    timesMs.push(performance.now() - startMs);
  }
  timesMs.sort((a, b) => a - b);
  return { names, latency: { p50Ms: percentile(timesMs, 0.5), p99Ms: percentile(timesMs, 0.99) } };
}

async function nearest(database: Database, SearchVector: Numbers): Promise<readonly string[]> {
  const answer = (await database.request('SearchVectors', { TableName, IndexName, SearchVector, TopK: topK })) as {
    readonly SearchResults: readonly { readonly Item: { readonly pk: { readonly S: string } } }[];
  };
  const names = answer.SearchResults.map(({ Item }) => Item.pk.S);
  if (names.length !== topK) throw new BenchError('wrong-answer', `SearchVectors answered ${names.length} items.`);
  return names;
}

async function seconds(work: () => Promise<void>): Promise<number> {
  const startMs = performance.now();
  await work();
  return (performance.now() - startMs) / 1000;
}

answerCalls(calls);
