import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { InputError } from '../../src/model-error.ts';
import type { Model } from '../../src/model.ts';
import type { Need } from '../../src/patterns/need.ts';
import { drawState, Pools, type State } from '../../src/prove/data.ts';
import { describe } from '../../src/prove/domain.ts';
import { ProvingTables } from '../../src/prove/proving-tables.ts';
import { RandomSource } from '../../src/prove/random-source.ts';
import { ReadCalls } from '../../src/prove/read-call.ts';
import { WriteCalls } from '../../src/prove/write-call.ts';
import { resolve } from '../../src/resolve/resolve.ts';
import { turnedInput } from '../../src/run/coded.ts';
import { connect } from '../../src/run/connect.ts';
import { RuleError } from '../../src/run/rule-error.ts';
import { accepts } from '../../src/schema/validated.ts';
import { type Mutation, mutationsOf } from './mutated-inputs.ts';
import { nextTablePrefix } from './prove-script.ts';
import { formOf, valueSource } from './value-source.ts';

/** What calls of a pattern showed, in the application's form of values. */
export interface PatternCalls {
  readonly pattern: string;
  /** Results of different forms. */
  readonly results: readonly unknown[];
  /** Items of different forms, of a read over all pages. */
  readonly items: readonly unknown[];
  /** Inputs of different forms that the runtime took. */
  readonly inputs: readonly unknown[];
  /** Changed inputs that the runtime refused each time. */
  readonly refused: readonly (Mutation & { readonly message: string })[];
  /** Calls that ended in an error that is neither of the input nor of a rule. */
  readonly failures: readonly string[];
}

type PatternFunction = ((input: unknown, options?: object) => Promise<unknown>) & {
  readonly each?: (input: unknown) => AsyncIterable<unknown>;
};

const states = 2;
const calls = 8;
/** Calls of each pattern whose inputs are also changed. */
const changed = 2;
const formsMax = 8;
/** Requests of one call: a walk over years of empty days is given up. */
const requestsMax = 200;
const start = Date.UTC(2024, 2, 1, 12);

/** Calls every pattern of a model as an application does, with items and inputs as `prove` draws them, and with changed inputs. */
export async function callsOf(model: Model, sender: DynamoDBClient, seed: number): Promise<PatternCalls[]> {
  const tables = new ProvingTables(model, sender, nextTablePrefix());
  const client = new BudgetedClient(sender);
  const found = Object.keys(model.patterns).map((name) => new Calls(name));
  await tables.create();
  try {
    for (let at = 0; at < states; at += 1) {
      const random = new RandomSource(seed).fork(at);
      const now = start + random.below(1000);
      const pools = new Pools(model, random.fork(1), now);
      const state = await tables.store(drawState(model, pools, random.fork(2), random.between(6, 25)));
      const functions = connect(model, {
        client: client.client,
        tables: tables.names,
        now: () => now,
        random: () => 0.5,
        pause: async () => undefined,
      }) as unknown as Readonly<Record<string, PatternFunction>>;
      const draw = drawer(model, pools, state, random.fork(3));
      for (const own of found) {
        // A connection has a function for each pattern.
        const run = functions[own.pattern] as PatternFunction;
        for (let call = 0; call < calls; call += 1) {
          const drawn = draw(own.pattern);
          if (drawn !== undefined) await makeCall(model, run, client, own, { ...drawn, call });
        }
      }
    }
  } finally {
    await tables.remove();
  }
  return found;
}

interface Drawn {
  readonly input: unknown;
  readonly options?: object;
}

async function makeCall(
  model: Model,
  run: PatternFunction,
  client: BudgetedClient,
  own: Calls,
  { input, options, call }: Drawn & { readonly call: number },
): Promise<void> {
  const need: Need = model.patterns[own.pattern] ?? {};
  client.begin();
  try {
    const result = await run(input, options);
    own.take(input, result);
    if (run.each !== undefined && need.count !== true && call === 0)
      for await (const item of run.each(input)) own.takeItem(item);
  } catch (error) {
    if (error instanceof TooManyRequests) return;
    if (error instanceof RuleError) own.takeInput(input);
    else if (!(error instanceof InputError)) own.failures.push(`${valueSource(input)}: ${String(error)}`);
    if (!(error instanceof RuleError)) return;
  }
  if (call >= changed) return;
  for (const mutation of mutationsOf(literalsOf(model), need, input)) {
    client.begin();
    try {
      await run(mutation.input);
      own.judge(mutation, undefined);
    } catch (error) {
      // Two parts that concern one item are refused whatever their types.
      if (error instanceof InputError && (error instanceof TooManyRequests || error.code === 'same-item')) continue;
      own.judge(mutation, error instanceof InputError ? error.message : undefined);
    }
  }
}

class TooManyRequests extends InputError {}

/** A client that takes a number of requests for each call. */
class BudgetedClient {
  readonly client: DynamoDBClient;
  #left = 0;

  constructor(sender: DynamoDBClient) {
    const send = async (command: Parameters<DynamoDBClient['send']>[0]): Promise<unknown> => {
      if (this.#left === 0) throw new TooManyRequests('too-many-requests', 'call', 'takes too many');
      this.#left -= 1;
      return sender.send(command);
    };
    // The toolkit only calls `send` on a client.
    this.client = { send } as unknown as DynamoDBClient;
  }

  begin(): void {
    this.#left = requestsMax;
  }
}

class Calls implements PatternCalls {
  readonly pattern: string;
  readonly results: unknown[] = [];
  readonly items: unknown[] = [];
  readonly inputs: unknown[] = [];
  readonly failures: string[] = [];
  readonly #refused = new Map<string, Mutation & { readonly message: string }>();
  readonly #taken = new Set<string>();
  readonly #forms = new Set<string>();

  constructor(pattern: string) {
    this.pattern = pattern;
  }

  get refused(): readonly (Mutation & { readonly message: string })[] {
    return [...this.#refused.values()];
  }

  take(input: unknown, result: unknown): void {
    this.takeInput(input);
    if (this.results.length < formsMax && this.#isNew('result', result)) this.results.push(result);
  }

  takeInput(input: unknown): void {
    if (this.inputs.length < formsMax && this.#isNew('input', input)) this.inputs.push(input);
  }

  takeItem(item: unknown): void {
    if (this.items.length < formsMax && this.#isNew('item', item)) this.items.push(item);
  }

  /** A change counts as refused if no input was taken with it: one value may be refused for another reason. */
  judge(mutation: Mutation, message: string | undefined): void {
    if (message === undefined) this.#taken.add(mutation.name);
    else this.#refused.set(mutation.name, { ...mutation, message });
    if (this.#taken.has(mutation.name)) this.#refused.delete(mutation.name);
  }

  #isNew(kind: string, value: unknown): boolean {
    const form = `${kind} ${formOf(value)}`;
    if (this.#forms.has(form)) return false;
    this.#forms.add(form);
    return true;
  }
}

/** The attributes and inputs that have a few values only. */
function literalsOf({ entities, patterns }: Model): ReadonlySet<string> {
  const schemas = [
    ...Object.values(entities).map(({ attributes }) => attributes),
    ...Object.values(patterns).map(({ takes = {} }) => takes),
  ].flatMap((each) => Object.entries(each));
  const open = schemas.flatMap(([name, schema]) => {
    const { enum: choices, const: only, anyOf } = describe(schema);
    return (choices ?? only ?? anyOf) === undefined || accepts(schema, 'LOST') ? [name] : [];
  });
  return new Set(schemas.map(([name]) => name).filter((name) => !open.includes(name)));
}

/** Draws inputs in the application's form. */
function drawer(
  model: Model,
  pools: Pools,
  state: State,
  random: RandomSource,
): (pattern: string) => Drawn | undefined {
  const resolved = resolve(model);
  const reads = new ReadCalls(model, pools, state, random.fork(1));
  const writes = new WriteCalls(model, pools, random.fork(2));
  return (pattern) => {
    const need: Need = model.patterns[pattern] ?? {};
    if (need.reads === undefined) {
      const write = writes.draw(pattern, need, state);
      return write && { input: turnedInput('decode', resolved, need, write.input) };
    }
    const read = reads.draw(pattern, need);
    if (read === undefined || hasUnknownBound(model, need, read.inputs)) return undefined;
    const [first] = read.inputs;
    const input = turnedInput('decode', resolved, need, need.each === true ? read.inputs : first);
    return { input, ...(read.limit !== undefined && { options: { limit: read.limit } }) };
  };
}

/** Whether a bound is a number that the schema does not take. The runtime takes any, and the type of literals has only those. */
function hasUnknownBound(model: Model, { range }: Need, inputs: readonly Readonly<Record<string, unknown>>[]): boolean {
  if (range === undefined) return false;
  const schemas = Object.values(model.entities).flatMap(({ attributes }) => attributes[range] ?? []);
  const bounds = inputs.flatMap((input) => Object.values<unknown>(Object(input[range])));
  return bounds.some((bound) => typeof bound === 'number' && !schemas.some((schema) => accepts(schema, bound)));
}
