import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Model } from '@singlet/model';
import { prove } from '@singlet/model/prove';
import { createDatabase } from 'singlet';
import { expect, test } from 'vitest';

/** Walks of one request for each day since 2020, which take a minute. */
const slow = ['dealsForCache', 'latestDeals', 'latestDealsOfBrand', 'latestDealsOfCategory'];
/** Every system's reads and writes against the oracle of the toolkit. */
const systems = [
  'access-control',
  'additive-manufacturing',
  'big-time-deals',
  'blog',
  'dating-app',
  'e-commerce',
  'github',
  'github-migrations',
  'job-scheduler',
  'lesson-shop',
  'session-store',
  'support-desk',
  'tenants',
];

test.each(systems)('%s answers as declared', async (name) => {
  const models = await modelsOf(name);
  expect(models.size).toBeGreaterThan(0);
  await withClient(async (client) => {
    for (const model of models) {
      const patterns = Object.keys(model.patterns).filter((pattern) => !slow.includes(pattern));
      const { counterexamples } = await prove(model, { client, runs: 2, calls: 4, patterns });
      expect(counterexamples.map(({ pattern, message }) => `${pattern}: ${message}`)).toEqual([]);
    }
  });
});

test.each(systems)('writes of %s keep the rules', (name) =>
  withClient(async (client) => {
    for (const model of await modelsOf(name)) {
      const { wrongWrites } = await prove(model, { client, runs: 3, patterns: [], writes: true });
      expect(wrongWrites).toBeUndefined();
    }
  }),
);

async function modelsOf(name: string): Promise<ReadonlySet<Model>> {
  const exported = Object.values((await import(`./${name}/model.ts`)) as Readonly<Record<string, unknown>>);
  return new Set(exported.filter(isModel));
}

async function withClient(body: (client: DynamoDBClient) => Promise<void>): Promise<void> {
  const database = await createDatabase();
  const client = new DynamoDBClient(database.clientConfig());
  try {
    await body(client);
  } finally {
    client.destroy();
    await database.close();
  }
}

function isModel(value: unknown): value is Model {
  return typeof value === 'object' && value !== null && 'served' in value && 'patterns' in value;
}
