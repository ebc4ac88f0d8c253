import { DynamoDBClient, ExecuteStatementCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, test } from 'vitest';
import type { Model } from '../packages/model/src/model.ts';
import { drawState, Pools } from '../packages/model/src/prove/data.ts';
import { ProvingTables } from '../packages/model/src/prove/proving-tables.ts';
import { RandomSource } from '../packages/model/src/prove/random-source.ts';
import { ReadCalls } from '../packages/model/src/prove/read-call.ts';
import { WriteCalls } from '../packages/model/src/prove/write-call.ts';
import { connect, ready } from '../packages/model/src/run/connect.ts';
import type { Database } from '../packages/singlet/src/index.ts';
import { endTest, seedDatabase } from '../packages/singlet/src/presets/seeded-database.ts';
import { shop } from './e-commerce/model.ts';
import { github } from './github/model.ts';
import { sessionStore } from './session-store/model.ts';
import { tenants } from './tenants/model.ts';

/** Calls of each pattern. */
const callsMax = 3;

type PatternFunction = (input: unknown) => Promise<unknown>;

/** The database as its owner uses it: `request` is not restricted to the patterns. */
function ownersClient(database: Database): DynamoDBClient {
  const send = async ({ constructor, input }: { readonly constructor: { readonly name: string }; input: object }) =>
    database.request(constructor.name.replace(/Command$/, ''), input);
  return { send } as unknown as DynamoDBClient; // nothing else of it is used
}

describe.each([
  ['session-store', sessionStore],
  ['e-commerce', shop],
  ['github', github],
  ['tenants', tenants],
])('failOnUndeclared with the model of %s', (_, typed) => {
  const model = typed as unknown as Model;
  const seed = { failOnUndeclared: model };

  test('takes every request of its patterns, and no other', async () => {
    const database = await seedDatabase(seed);
    const client = new DynamoDBClient({ ...database.clientConfig(), maxAttempts: 1 });
    const random = new RandomSource(1);
    const now = Date.now();
    const pools = new Pools(model, random.fork(1), now);
    const tables = new ProvingTables(model, ownersClient(database), '');
    await tables.create();
    const state = await tables.store(drawState(model, pools, random.fork(2), 30));
    const functions = (await ready(
      connect(model, { client, now: () => now, pause: async () => undefined }),
    )) as unknown as Readonly<Record<string, PatternFunction>>;
    const reads = new ReadCalls(model, pools, state, random.fork(3));
    const writes = new WriteCalls(model, pools, random.fork(4));
    let called = 0;
    for (const [name, need] of Object.entries(model.patterns)) {
      for (let call = 0; call < callsMax; call += 1) {
        const drawn = reads.draw(name, need);
        const read = need.each === true ? drawn?.inputs : drawn?.inputs[0];
        const input = need.reads === undefined ? writes.draw(name, need, state)?.input : read;
        if (input === undefined) continue;
        called += 1;
        await functions[name]!(input).catch((error: unknown) => {
          expect((error as Error).name, name).not.toBe('AccessDeniedException');
        });
      }
    }
    expect(called).toBeGreaterThan(Object.keys(model.patterns).length);
    const [TableName = ''] = Object.keys(model.tables);
    const undeclared = new ExecuteStatementCommand({ Statement: `SELECT * FROM "${TableName}"` });
    await expect(client.send(undeclared)).rejects.toThrow('is not authorized to perform: dynamodb:PartiQLSelect');
    client.destroy();
    await expect(endTest(database, seed)).rejects.toThrow(
      `the test sends requests that no pattern of the model sends: ExecuteStatement`,
    );
  });
});
