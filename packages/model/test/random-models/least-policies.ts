import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { parsePolicy } from '../../../singlet/src/access/index.ts';
import { patternPolicy } from '../../src/check/index.ts';
import type { Model } from '../../src/model.ts';
import { drawState, Pools } from '../../src/prove/data.ts';
import { ProvingTables } from '../../src/prove/proving-tables.ts';
import { RandomSource } from '../../src/prove/random-source.ts';
import { ReadCalls } from '../../src/prove/read-call.ts';
import { storedFunctions } from '../../src/prove/stored-functions.ts';
import { WriteCalls } from '../../src/prove/write-call.ts';
import { nextTablePrefix } from './prove-script.ts';
import { type Command, inputOf, type PolicedDatabase, sessionWith, shown, textOf } from './tenant-crossings.ts';

/*
 * The least policy of each pattern of a model, which names the patterns that it allows besides. What a pattern sends must be allowed by its
 * policy and by those that name it. By the policy of another pattern, at least one of the requests of each call must be denied, unless the policy
 * says that it allows some calls.
 */

/** What was compared for one model. */
export interface PolicyComparison {
  /** Calls whose requests must all be allowed. */
  readonly allowed: number;
  /** Calls of which a request must be denied. */
  readonly denied: number;
  readonly wrong: readonly string[];
}

const callsOfPattern = 3;
/** Patterns whose policy is compared. */
const policiesTried = 6;

/** One call of a pattern, with its requests. */
interface Call {
  readonly pattern: string;
  readonly input: unknown;
  readonly sent: readonly Command[];
  /** Whether it succeeded. */
  readonly isDone: boolean;
}

type Named = Pick<ReturnType<typeof patternPolicy>, 'policy' | 'alsoAllowed' | 'partlyAllowed'>;

/** Compares the policies of some patterns of a model that `check` accepts. */
export async function comparePolicies(
  model: Model,
  database: PolicedDatabase,
  seed: number,
  policyOf: typeof patternPolicy = patternPolicy,
): Promise<PolicyComparison> {
  const random = new RandomSource(seed);
  const now = Date.UTC(2024, 2, 1, 12);
  const tables = new ProvingTables(model, database.client, nextTablePrefix());
  const found = { allowed: 0, denied: 0, wrong: [] as string[] };
  await tables.create();
  try {
    const pools = new Pools(model, random.fork(1), now);
    const state = await tables.store(drawState(model, pools, random.fork(2), 16));
    const writes = new WriteCalls(model, pools, random.fork(3));
    const reads = new ReadCalls(model, pools, state, random.fork(4));
    let sent: Command[] = [];
    const client = {
      send: async (command: Command): Promise<unknown> => {
        sent.push(command);
        return database.client.send(command as never);
      },
    } as unknown as DynamoDBClient; // The toolkit only calls `send` of a client.
    const functions = storedFunctions(model, {
      client,
      tables: tables.names,
      now: () => now,
      random: () => 0.5,
      pause: async () => undefined,
    });
    const calls: Call[] = [];
    for (const [pattern, need] of Object.entries(model.patterns))
      for (let call = 0; call < callsOfPattern; call += 1) {
        const input =
          need.reads === undefined ? writes.draw(pattern, need, state)?.input : inputOf(reads, pattern, need);
        if (input === undefined) continue;
        sent = [];
        const isDone = await functions[pattern]!(input).then(
          () => true,
          () => false,
        );
        if (sent.length > 0) calls.push({ pattern, input, sent, isDone });
      }
    for (const chosen of random.some(Object.keys(model.patterns), policiesTried)) {
      const { policy, alsoAllowed, partlyAllowed }: Named = policyOf(model, [chosen], { tables: tables.names });
      const caller = sessionWith([parsePolicy(JSON.stringify(policy), 'identity')]);
      for (const call of calls) {
        if (partlyAllowed.includes(call.pattern)) continue;
        const isAllowed = call.pattern === chosen || alsoAllowed.includes(call.pattern);
        // A call that a rule refuses may end before the request that would be denied.
        if (!isAllowed && !call.isDone) continue;
        const denied: Command[] = [];
        for (const command of call.sent) if (await database.isDenied(caller, command)) denied.push(command);
        found[isAllowed ? 'allowed' : 'denied'] += 1;
        const what = `${call.pattern}(${shown(call.input)}) by the policy of ${chosen}`;
        const [first] = denied;
        if (isAllowed && first !== undefined) found.wrong.push(`denied: ${what}: ${textOf(first)}`);
        if (!isAllowed && first === undefined)
          found.wrong.push(`allowed: ${what}: ${call.sent.map(textOf).join('; ')}`);
      }
    }
  } finally {
    await tables.remove();
  }
  return found;
}
