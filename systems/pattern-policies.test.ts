import { randomBytes } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { describe, expect, test } from 'vitest';
import { patternPolicy } from '../packages/model/src/check/pattern-policy.ts';
import type { Model } from '../packages/model/src/model.ts';
import { drawState, Pools } from '../packages/model/src/prove/data.ts';
import { ProvingTables } from '../packages/model/src/prove/proving-tables.ts';
import { RandomSource } from '../packages/model/src/prove/random-source.ts';
import { ReadCalls } from '../packages/model/src/prove/read-call.ts';
import { WriteCalls } from '../packages/model/src/prove/write-call.ts';
import { connect, ready } from '../packages/model/src/run/connect.ts';
import { github } from './github/model.ts';
import { sessionStore } from './session-store/model.ts';
import { shop } from './e-commerce/model.ts';
import {
  attachPolicy,
  Authenticator,
  createIdentity,
  IdentityDirectory,
  type NewAccessKey,
  newAuthKeyText,
  noIdentities,
  readAuthKey,
} from '../packages/singlet/src/access/index.ts';
import { createVerifiedDatabase } from '../packages/singlet/src/database/create-database.ts';

/*
 * The least policy for each pattern of a system. Under it the pattern runs, whatever is stored, and the others are denied, except those
 * that the policy is known to allow.
 */

const accountId = '111122223333';
const callsOfChosen = 4;
/** Other patterns that are tried under each policy. */
const othersTried = 6;
/** The number of policies after which the items are stored again, because writes change them. */
const policiesPerState = 8;

interface Outcome {
  readonly chosen: string;
  readonly sent: number;
  readonly denied: number;
  /** Whether the policy must allow it; undefined if that depends on the input. */
  readonly isAllowed: boolean | undefined;
}

type PatternFunction = (input: unknown) => Promise<unknown>;

/** A model's patterns, called by a user whose only policy changes from pattern to pattern. */
class PolicedModel {
  readonly #model: Model;
  readonly #authKey = readAuthKey(newAuthKeyText(randomBytes));
  #document = noIdentities;
  #directory = new IdentityDirectory(noIdentities, this.#authKey);

  constructor(model: Model) {
    this.#model = model;
  }

  #user(name: string): NewAccessKey {
    const { document, accessKey } = createIdentity(
      this.#document,
      { accountId, kind: 'user', name },
      { authKey: this.#authKey, random: randomBytes, nowMs: Date.now() },
    );
    this.#document = document;
    return accessKey!;
  }

  #attach(name: string, policy: object): void {
    this.#document = attachPolicy(this.#document, { accountId, kind: 'user', name }, { name: 'policy', policy });
    this.#directory = new IdentityDirectory(this.#document, this.#authKey);
  }

  async run(seed: number, see: (called: string, outcome: Outcome) => void): Promise<void> {
    const adminKey = this.#user('admin');
    const userKey = this.#user('user');
    this.#attach('admin', {
      Version: '2012-10-17',
      Statement: [{ Effect: 'Allow', Action: 'dynamodb:*', Resource: '*' }],
    });
    const authenticator = new Authenticator({
      directory: () => this.#directory,
      nowMs: () => Date.now(),
      region: 'us-east-1',
    });
    const database = await createVerifiedDatabase({ backgroundWork: 'on-demand' }, { authenticator });
    const config = database.clientConfig();
    const admin = new DynamoDBClient({ ...config, credentials: adminKey });
    const user = new DynamoDBClient({ ...config, credentials: userKey, maxAttempts: 1 });
    try {
      const random = new RandomSource(seed);
      const now = Date.now();
      const tables = new ProvingTables(this.#model, admin, '');
      await tables.create();
      const pools = new Pools(this.#model, random.fork(1), now);
      const drawn = drawState(this.#model, pools, random.fork(2), 30);
      const reads = (state: typeof drawn): ReadCalls => new ReadCalls(this.#model, pools, state, random.fork(3));
      const writes = new WriteCalls(this.#model, pools, random.fork(4));
      let sent = 0;
      let denied = 0;
      const client = {
        send: async (command: Parameters<DynamoDBClient['send']>[0]): Promise<unknown> => {
          sent += 1;
          return user.send(command).catch((error: unknown) => {
            if ((error as Error).name === 'AccessDeniedException') denied += 1;
            throw error;
          });
        },
      } as unknown as DynamoDBClient; // The toolkit only calls `send` of a client.
      const functions = (await ready(
        connect(this.#model, { client, now: () => now, pause: async () => undefined }),
      )) as unknown as Readonly<Record<string, PatternFunction>>;
      const names = Object.keys(this.#model.patterns);
      let state = drawn;
      for (const [position, chosen] of names.entries()) {
        if (position % policiesPerState === 0) state = await tables.store(drawn);
        const readCalls = reads(state);
        const { policy, alsoAllowed, partlyAllowed } = patternPolicy(this.#model, [chosen], {
          account: accountId,
        });
        const isAllowed = (called: string): boolean | undefined =>
          partlyAllowed.includes(called) ? undefined : called === chosen || alsoAllowed.includes(called);
        this.#attach('user', policy);
        const others = names.filter((name) => name !== chosen);
        for (const called of [chosen, ...random.some(others, othersTried)]) {
          const need = this.#model.patterns[called]!;
          for (let call = 0; call < (called === chosen ? callsOfChosen : 1); call += 1) {
            const input =
              need.reads === undefined ? writes.draw(called, need, state)?.input : inputOf(readCalls, called, need);
            if (input === undefined) continue;
            sent = 0;
            denied = 0;
            await functions[called]!(input).catch(() => undefined);
            see(called, { chosen, sent, denied, isAllowed: isAllowed(called) });
          }
        }
      }
    } finally {
      admin.destroy();
      user.destroy();
      await database.close();
    }
  }
}

function inputOf(calls: ReadCalls, name: string, need: Model['patterns'][string]): unknown {
  const call = calls.draw(name, need);
  return need.each === true ? call?.inputs : call?.inputs[0];
}

describe.each([
  ['session-store', sessionStore],
  ['e-commerce', shop],
  ['github', github],
])('the least policies of %s', (_, typed) => {
  const model = typed as unknown as Model;

  test('allow their patterns, and deny the others', async () => {
    const wrong: string[] = [];
    const seen = { chosen: 0, all: 0, denied: 0 };
    await new PolicedModel(model).run(1, (called, { chosen, sent, denied, isAllowed }) => {
      if (sent === 0 || isAllowed === undefined) return;
      if (isAllowed !== (denied === 0)) wrong.push(`${chosen}: ${called} is ${isAllowed ? 'denied' : 'allowed'}`);
      seen[called === chosen ? 'chosen' : isAllowed ? 'all' : 'denied'] += 1;
    });
    expect(wrong).toEqual([]);
    expect(seen.chosen).toBeGreaterThan(20);
    expect(seen.denied).toBeGreaterThan(20);
  });
});
