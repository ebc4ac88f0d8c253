import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { test, type TestAPI } from 'vitest';
import type { Database } from '../index.ts';
import { endTest, type Seed, seedDatabase } from './seeded-database.ts';

/** The fixtures that a test of {@link databaseTest} can use. */
export interface DatabaseFixtures {
  /** The test's own database, with the contents of the seed. */
  readonly database: Database;
  /** An AWS SDK client for it, without a socket. */
  readonly client: DynamoDBClient;
}

/**
 * The `test` of vitest, with a database for each test. The seed is written once for a file; each test gets a fork.
 *
 *     const test = databaseTest({ tables: [songs], items: { Songs: [...] } });
 *     test('finds a song', async ({ client }) => { ... });
 */
export function databaseTest(seed: Seed = {}): TestAPI<DatabaseFixtures & { readonly seeded: Database }> {
  return test.extend<DatabaseFixtures & { readonly seeded: Database }>({
    seeded: [
      // eslint-disable-next-line no-empty-pattern -- vitest reads from the pattern which fixtures it needs: none
      async ({}, use) => {
        const seeded = await seedDatabase(seed);
        await use(seeded);
        await seeded.close();
      },
      { scope: 'file' },
    ],
    database: async ({ seeded }, use) => {
      const database = await seeded.fork();
      await use(database);
      await endTest(database, seed);
    },
    client: async ({ database }, use) => {
      const { DynamoDBClient: Client } = await import('@aws-sdk/client-dynamodb');
      const client = new Client(database.clientConfig());
      await use(client);
      client.destroy();
    },
  });
}
