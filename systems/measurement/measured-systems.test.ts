import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { check } from '@singlet/model/check';
import { describe, expect, test } from 'vitest';
import { SeededRandom } from '../demo/seeded-random.ts';
import { openEmbeddedDatabase } from '../testing/databases.ts';
import { drawn } from '../testing/drawn.ts';
import { measuredSystems } from './measured-systems.ts';
import { observeRequests } from './observe-requests.ts';
import { patternIdOf } from './pattern-calls.ts';

/** The divisor of the usual data set's size for the one in which each call is made once. */
const SMALLER = 50;

// A run draws half of the systems.
describe.each(drawn('measured systems', [...measuredSystems], 2))(
  '%s',
  (_, { model, scales, load, open, unmeasured = {} }) => {
    test('each access pattern has a call that does what it is for, or a reason why it has none', async () => {
      const database = await openEmbeddedDatabase();
      const client = new DynamoDBClient(database.clientConfig);
      try {
        const scale = scales.usual / SMALLER;
        let items = 0;
        await load({ client, scale, onItems: (count) => (items += count) });
        expect(items).toBeGreaterThan(0);
        const operations: string[] = [];
        observeRequests(client, ({ operation }) => operations.push(operation));
        const calls = await open({ client, scale, random: new SeededRandom(1) });

        const { patterns, procedures } = check(model);
        const declared = [...patterns, ...procedures].flatMap(({ id }) => id ?? []);
        const known = [...Object.keys(calls).map(patternIdOf), ...Object.keys(unmeasured)];
        expect(new Set(known)).toEqual(new Set(declared));
        expect(Object.keys(calls).filter((name) => patternIdOf(name) in unmeasured)).toEqual([]);

        for (const [name, prepare] of Object.entries(calls)) {
          const call = await prepare();
          operations.length = 0;
          await call().catch((error: unknown) => expect.fail(`${name}: ${String(error)}`));
          expect(operations, name).not.toEqual([]);
        }
      } finally {
        client.destroy();
        await database.close();
      }
    });
  },
);
