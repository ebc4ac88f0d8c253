import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Model } from '@singlet/model';
import { prove } from '@singlet/model/prove';
import { createDatabase } from 'singlet';
import { expect, test } from 'vitest';

/**
 * Every system's reads against the oracle of the toolkit. Patterns with known differences are listed with the reason, so that the list
 * can only become shorter.
 */
const NO_PARENT = 'where the one of the collection is missing, its first page has one item more than the limit';
const NO_TIME = 'an item that lacks the attribute of the index key is in no list';
const LATE_PARENT = 'the one of the collection comes with the last page';
const SECONDS = 'times with an offset or fractions of a second do not sort by the second of the key';
const WALK = 'a walk of one request for each day takes too long here';
const systems: readonly { readonly name: string; readonly differ: Readonly<Record<string, string>> }[] = [
  {
    name: 'access-control',
    differ: { userAggregate: NO_PARENT, lapsedJobs: NO_TIME, deadJobs: NO_TIME, dueJobs: NO_TIME },
  },
  { name: 'additive-manufacturing', differ: { order: LATE_PARENT, orderFromHeader: NO_PARENT } },
  {
    name: 'big-time-deals',
    differ: { dealsForCache: WALK, latestDeals: WALK, latestDealsOfBrand: WALK, latestDealsOfCategory: WALK },
  },
  {
    name: 'blog',
    differ: {
      postsOfUser: SECONDS,
      postsOfUserBetween: SECONDS,
      profileWithPosts: SECONDS,
      repliesToPost: SECONDS,
      reply: SECONDS,
    },
  },
  { name: 'dating-app', differ: {} },
  { name: 'e-commerce', differ: { orderWithItems: NO_PARENT, customerWithOrders: NO_PARENT } },
  { name: 'github', differ: { stargazersOfRepo: NO_PARENT, reposOfUser: NO_PARENT, reposOfOrganization: NO_PARENT } },
  {
    name: 'github-migrations',
    differ: {
      accountWithApps: 'an app has a name of its own, beside that of its account, which the input may mean as well',
      stargazersOfRepo: NO_PARENT,
      reposOfUser: NO_PARENT,
      reposOfOrganization: NO_PARENT,
    },
  },
  { name: 'job-scheduler', differ: { jobsInWindow: NO_TIME, nextJob: NO_TIME, dueJobs: NO_TIME } },
  { name: 'lesson-shop', differ: {} },
  { name: 'session-store', differ: {} },
  { name: 'tenants', differ: { project: NO_PARENT } },
  { name: 'support-desk', differ: { openTicketsOfAgent: NO_TIME, ticketsAssignedOn: NO_TIME } },
];

test.each(systems)('$name answers as declared', async ({ name, differ }) => {
  const models = await modelsOf(name);
  expect(models.size).toBeGreaterThan(0);
  const known = [...models].flatMap((model) => Object.keys(model.patterns));
  expect(known).toEqual(expect.arrayContaining(Object.keys(differ)));
  await withClient(async (client) => {
    for (const model of models) {
      const patterns = Object.keys(model.patterns).filter((pattern) => differ[pattern] === undefined);
      const { counterexamples } = await prove(model, { client, runs: 2, calls: 4, patterns });
      expect(counterexamples.map(({ pattern, message }) => `${pattern}: ${message}`)).toEqual([]);
    }
  });
});

test.each(systems)('writes of $name keep the rules', ({ name }) =>
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
