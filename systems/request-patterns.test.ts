import { fileURLToPath } from 'node:url';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { describe, expect, test } from 'vitest';
import type { Model } from '../packages/model/src/model.ts';
import { drawState, Pools } from '../packages/model/src/prove/data.ts';
import { ProvingTables } from '../packages/model/src/prove/proving-tables.ts';
import { RandomSource } from '../packages/model/src/prove/random-source.ts';
import { ReadCalls } from '../packages/model/src/prove/read-call.ts';
import { WriteCalls } from '../packages/model/src/prove/write-call.ts';
import { connect, ready } from '../packages/model/src/run/connect.ts';
import { ServedModels } from '../packages/singlet/src/cli/model/served-models.ts';
import { createDatabase } from '../packages/singlet/src/index.ts';
import { shop } from './e-commerce/model.ts';
import { github } from './github/model.ts';
import { sessionStore } from './session-store/model.ts';

/*
 * The request log names the pattern that a request belongs to by what the request asks for. Here the toolkit says which pattern it was.
 */

const callsMax = 3;

type PatternFunction = (input: unknown) => Promise<unknown>;

interface Logged {
  readonly last: number;
  readonly requests: readonly { readonly action: string; readonly patterns: readonly { readonly name: string }[] }[];
}

describe.each([
  ['session-store', sessionStore],
  ['e-commerce', shop],
  ['github', github],
])('requests of the patterns of %s', (folder, typed) => {
  const model = typed as unknown as Model;

  test('are recognised in the request log, most of them as those of one pattern', async () => {
    const path = fileURLToPath(new URL(`${folder}/model.ts`, import.meta.url));
    const database = await createDatabase({
      inspection: { models: new ServedModels({ paths: [path], tables: {}, database: () => database }) },
    });
    const ask = async (query: string): Promise<Logged> => {
      const url = `/_singlet/requests?${query}`;
      const { body } = await database.handle({ method: 'GET', url, headers: {}, body: Buffer.alloc(0) });
      return JSON.parse(Buffer.from(body).toString('utf8')) as Logged;
    };
    const client = new DynamoDBClient({ ...database.clientConfig(), maxAttempts: 1 });
    const random = new RandomSource(1);
    const now = Date.now();
    const pools = new Pools(model, random.fork(1), now);
    const tables = new ProvingTables(model, client, '');
    await tables.create();
    const state = await tables.store(drawState(model, pools, random.fork(2), 30));
    const sent: { readonly pattern: string; readonly operation: string; readonly isRefused: boolean }[] = [];
    const functions = (await ready(
      connect(model, {
        client,
        now: () => now,
        pause: async () => undefined,
        onRequest: ({ pattern, operation, error }) =>
          void sent.push({ pattern, operation, isRefused: error !== undefined }),
      }),
    )) as unknown as Readonly<Record<string, PatternFunction>>;
    const reads = new ReadCalls(model, pools, state, random.fork(3));
    const writes = new WriteCalls(model, pools, random.fork(4));
    let { last } = await ask('limit=1');
    const alone = new Set<string>();
    const named = new Set<string>();
    for (const [name, need] of Object.entries(model.patterns)) {
      // A pattern that reads before it writes is recognised by what it writes.
      const own = [(model.served as Record<string, unknown>)[name]].flat().at(-1);
      for (let call = 0; call < callsMax; call += 1) {
        const drawn = reads.draw(name, need);
        const read = need.each === true ? drawn?.inputs : drawn?.inputs[0];
        const input = need.reads === undefined ? writes.draw(name, need, state)?.input : read;
        if (input === undefined) continue;
        sent.length = 0;
        await functions[name]!(input).catch(() => undefined);
        const page = await ask(`after=${last}`);
        ({ last } = page);
        expect(page.requests.map(({ action }) => action)).toEqual(sent.map(({ operation }) => operation));
        for (const [at, { action, patterns }] of page.requests.entries()) {
          if (typeof own === 'string' && own !== action) continue;
          const names = patterns.map((each) => each.name);
          expect({ name, action, names }).toEqual({ name, action, names: expect.arrayContaining([name]) as string[] });
          named.add(name);
          if (names.length === 1) alone.add(name);
          expect(sent[at]?.pattern).toBe(name);
        }
      }
    }
    expect(named.size).toBeGreaterThan(Object.keys(model.patterns).length * 0.8);
    // The others differ in what a request does not show, such as a condition.
    expect(alone.size).toBeGreaterThan(named.size / 2);
    client.destroy();
    await database.close();
  });
});
