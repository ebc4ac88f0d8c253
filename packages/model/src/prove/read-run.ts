import { BatchGetItemCommand, type DynamoDBClient, QueryCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { InputError } from '../model-error.ts';
import type { Model } from '../model.ts';
import type { Need } from '../patterns/need.ts';
import type { ConnectOptions } from '../run/connect.ts';
import { UnexpectedItemError } from '../run/rule-error.ts';
import type { State } from './data.ts';
import { isTimeSchema } from './domain.ts';
import {
  type Difference,
  differenceOf,
  expectedRead,
  type ExpectedRead,
  type GivenPage,
  itemText,
  targetsOf,
  type Unit,
  type Values,
  type World,
} from './oracle/index.ts';
import type { ReadCall } from './read-call.ts';
import { type PatternFunction, storedFunctions } from './stored-functions.ts';

/** Maximum pages of one read: there are fewer items. A walk may have any number of empty pages. */
const pagesMax = 300;
/** Maximum requests of one call: a walk over years of empty days is given up. */
const requestsMax = 1000;

/** The outcome of a call with a wrong answer. */
export interface WrongRead {
  /** How the answer differs. */
  readonly difference: Difference;
  /** The correct answer, an item per line. */
  readonly expected: readonly string[];
  /** The actual answer, an item per line. */
  readonly got: readonly string[];
}

/** Runs the reads of a model and compares each answer with the oracle's. */
export class ReadRunner {
  readonly #model: Model;
  readonly #functions: Readonly<Record<string, PatternFunction>>;
  readonly #now: () => number;
  readonly #client: BudgetedClient;
  readonly #times = new Map<string, boolean>();

  constructor(
    model: Model,
    options: Required<Pick<ConnectOptions, 'tables' | 'now' | 'random'>> & { readonly client: DynamoDBClient },
  ) {
    this.#model = model;
    this.#now = options.now;
    const client = new BudgetedClient(options.client);
    this.#client = client;
    this.#functions = storedFunctions(model, {
      ...options,
      client: client.client,
      pause: async () => undefined,
    });
  }

  /** The fault of the answer to a call; undefined if it is correct. */
  async run(call: ReadCall, state: State): Promise<WrongRead | undefined> {
    const need = this.#model.patterns[call.pattern];
    const run = this.#functions[call.pattern];
    if (need === undefined || run === undefined)
      throw new InputError('unknown-pattern', call.pattern, 'is not in the model');
    const world: World = {
      entities: this.#model.entities,
      items: state,
      now: this.#now(),
      isTime: (entity, attribute) => this.#isTime(entity, attribute),
      ...windowOf(this.#model, call.pattern),
    };
    const expected = call.inputs.map((input) => expectedRead(need, world, input));
    this.#client.begin(call.most);
    try {
      if (need.unproven !== undefined)
        return await unprovenDifference(run, need, call, expectedRead(itemsOf(need), world, {}));
      if (need.each === true) return eachDifference(expected, (await run(call.inputs)) as (Values | undefined)[]);
      const [input = {}] = call.inputs;
      if (need.count === true) return countDifference(expected, await run(input));
      const pages = await pagesOf(run, need, input, call.limit);
      const [wanted] = expected;
      if (wanted === undefined) return undefined;
      if (pages === undefined)
        return {
          difference: { kind: 'endless', message: `no end after ${pagesMax} pages` },
          expected: shownExpected(wanted),
          got: [],
        };
      const limit = call.limit ?? need.limit;
      const difference = differenceOf(wanted, pages, limit);
      return difference === undefined
        ? undefined
        : { difference, expected: shownExpected(wanted), got: shownPages(pages) };
    } catch (error) {
      if (error instanceof OverBudget) return undefined;
      return failureOf(error, need, call, expected);
    }
  }

  #isTime(entity: string, attribute: string): boolean {
    const key = `${entity}.${attribute}`;
    const known = this.#times.get(key);
    if (known !== undefined) return known;
    const schema = this.#model.entities[entity]?.attributes[attribute];
    const time = schema !== undefined && isTimeSchema(schema);
    this.#times.set(key, time);
    return time;
  }
}

/** The unit of a walk, and whether a number is the seconds of a time, by the key that is walked: only keys say so. */
function windowOf(
  { served, patterns, keys }: Model,
  pattern: string,
): { readonly windowUnit?: Unit; readonly windowInSeconds?: boolean } {
  const { walk } = Object(served[pattern]) as { readonly walk?: { readonly unit: Unit } };
  const { window } = patterns[pattern] as Need;
  if (walk === undefined || window === undefined) return {};
  return { windowUnit: walk.unit, windowInSeconds: JSON.stringify(keys).includes(`{${window.of}:epoch:`) };
}

class OverBudget extends InputError {}

/** A client that counts requests, stops a call that sends too many, and may have each read only a few items. */
class BudgetedClient {
  readonly client: DynamoDBClient;
  #sent = 0;
  #most: number | undefined;

  constructor(client: DynamoDBClient) {
    const send = async (command: Parameters<DynamoDBClient['send']>[0]): Promise<unknown> => {
      this.#sent += 1;
      if (this.#sent > requestsMax) throw new OverBudget('too-many-requests', 'prove', 'takes too many requests');
      return this.#most === undefined ? client.send(command) : sendForFew(client, command, this.#most);
    };
    // The toolkit only calls `send` on a client.
    this.client = { send } as unknown as DynamoDBClient;
  }

  begin(most: number | undefined): void {
    this.#sent = 0;
    this.#most = most;
  }
}

/** The answer to a request that reads no more than a few items, as one does whose items are large. */
async function sendForFew(
  client: DynamoDBClient,
  command: Parameters<DynamoDBClient['send']>[0],
  most: number,
): Promise<unknown> {
  if (command instanceof QueryCommand || command instanceof ScanCommand) {
    const Limit = Math.min(command.input.Limit ?? most, most);
    return command instanceof QueryCommand
      ? client.send(new QueryCommand({ ...command.input, Limit }))
      : client.send(new ScanCommand({ ...command.input, Limit }));
  }
  if (!(command instanceof BatchGetItemCommand)) return client.send(command);
  const asked = Object.entries(command.input.RequestItems ?? {});
  const parts = asked.map(([table, { Keys = [], ...rest }]) => ({
    now: [table, { ...rest, Keys: Keys.slice(0, most) }] as const,
    later: [table, { ...rest, Keys: Keys.slice(most) }] as const,
  }));
  const answer = await client.send(
    new BatchGetItemCommand({ RequestItems: Object.fromEntries(parts.map(({ now }) => now)) }),
  );
  const later = parts.map((part) => part.later).filter(([, { Keys }]) => Keys.length > 0);
  return { ...answer, UnprocessedKeys: Object.fromEntries(later) };
}

/** All pages of a read; undefined if they do not end. */
async function pagesOf(
  run: PatternFunction,
  need: Need,
  input: Values,
  limit: number | undefined,
): Promise<GivenPage[] | undefined> {
  const targets = targetsOf(need);
  const pages: GivenPage[] = [];
  let cursor: unknown;
  do {
    if (need.window === undefined && pages.length === pagesMax) return undefined;
    const answer = await run(input, { ...(limit !== undefined && { limit }), ...(cursor !== undefined && { cursor }) });
    const [only] = targets;
    if (only?.name === undefined && only?.many === false)
      return [{ parts: new Map([[undefined, answer === undefined ? [] : [answer as Values]]]), more: false }];
    const page = answer as Readonly<Record<string, unknown>>;
    const partOf = (name: string | undefined): readonly Values[] => {
      const part = name === undefined ? page['items'] : page[name];
      if (part === undefined) return [];
      return Array.isArray(part) ? (part as Values[]) : [part as Values];
    };
    ({ cursor } = page);
    pages.push({ parts: new Map(targets.map(({ name }) => [name, partOf(name)])), more: cursor !== undefined });
  } while (cursor !== undefined);
  return pages;
}

/**
 * What holds for a read that is not proven: its items are stored and have not expired, each comes once, in pages within the limit, and the
 * read ends. Its keys determine which of them it returns.
 */
async function unprovenDifference(
  run: PatternFunction,
  need: Need,
  { inputs, limit }: ReadCall,
  all: ExpectedRead,
): Promise<WrongRead | undefined> {
  const wrong = (difference: Difference, got: readonly string[]): WrongRead => ({
    difference,
    expected: shownExpected(all),
    got,
  });
  if (need.each === true || need.count === true) {
    await run(need.each === true ? inputs : (inputs[0] ?? {}));
    return undefined;
  }
  const pages = await pagesOf(run, need, inputs[0] ?? {}, limit);
  if (pages === undefined) return wrong({ kind: 'endless', message: `no end after ${pagesMax} pages` }, []);
  const returned = new Set(pages.flatMap(({ parts }) => [...parts.values()].flat().map((item) => itemText(item))));
  const parts = all.parts.map((part) => ({
    ...part,
    items: part.items.filter((item) => returned.has(itemText(item, all.attributes))),
  }));
  const difference = differenceOf({ ...all, parts }, pages, limit ?? need.limit);
  const isFault = difference !== undefined && !['lost item', 'misplaced parent'].includes(difference.kind);
  return isFault ? wrong(difference, shownPages(pages)) : undefined;
}

/** A read of all items of its entities. */
function itemsOf({ reads, limit, attributes, expired }: Need): Need {
  return {
    ...(reads !== undefined && { reads }),
    ...(limit !== undefined && { limit }),
    ...(attributes !== undefined && { attributes }),
    ...(expired !== undefined && { expired }),
  };
}

/** A count is the number of the items that belong in the answer. */
function countDifference([wanted]: readonly ExpectedRead[], got: unknown): WrongRead | undefined {
  const count = wanted?.parts.reduce((sum, { items }) => sum + items.length, 0);
  if (wanted === undefined || got === count) return undefined;
  const kind = Number(got) > Number(count) ? 'foreign item' : 'lost item';
  const message = `counted ${String(got)} items instead of ${String(count)}`;
  return { difference: { kind, message }, expected: shownExpected(wanted), got: [String(got)] };
}

/** Reads of several inputs: each answer must be that of its input. */
function eachDifference(
  expected: readonly ExpectedRead[],
  answers: readonly (Values | undefined)[],
): WrongRead | undefined {
  const shown = {
    expected: expected.flatMap(shownExpected),
    got: answers.map((answer) => (answer === undefined ? 'nothing' : itemText(answer))),
  };
  if (answers.length !== expected.length)
    return {
      difference: { kind: 'failure', message: `${answers.length} answers to ${expected.length} inputs` },
      ...shown,
    };
  for (const [i, wanted] of expected.entries()) {
    const answer = answers[i];
    const difference = differenceOf(
      wanted,
      [{ parts: new Map([[undefined, answer === undefined ? [] : [answer]]]), more: false }],
      undefined,
    );
    if (difference !== undefined) return { difference, ...shown };
  }
  return undefined;
}

/**
 * No item has a value that no key can hold. Rejecting the value is a correct answer if no item is to be found. A bound of a range is
 * never rejected. Text that has no form in UTF-8 may always be.
 */
function failureOf(
  error: unknown,
  need: Need,
  { inputs }: ReadCall,
  expected: readonly ExpectedRead[],
): WrongRead | undefined {
  const ranged =
    need.range !== undefined &&
    inputs.some((input) => input[need.range ?? ''] !== undefined) &&
    (!(error instanceof InputError) || error.path.split('.').at(-1) === need.range || !error.path.includes('.'));
  const isEmpty = ({ parts }: ExpectedRead): boolean => parts.every(({ items }) => items.length === 0);
  // A list of inputs is rejected as a whole because of one that no item can have.
  const empty = need.each === true ? expected.some(isEmpty) : expected.every(isEmpty);
  if (error instanceof InputError && ((empty && !ranged) || !isWellFormed(inputs))) return undefined;
  // Its keys may select items of other entities.
  if (need.unproven !== undefined && (error instanceof InputError || error instanceof UnexpectedItemError))
    return undefined;
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return { difference: { kind: 'failure', message }, expected: expected.flatMap(shownExpected), got: [message] };
}

/** Whether no text in a value has half of a surrogate pair. */
function isWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return true;
  const within = value instanceof Set ? [...value] : [...Object.keys(value), ...Object.values(value)];
  return within.every(isWellFormed);
}

function shownExpected({ parts, attributes }: ExpectedRead): string[] {
  return parts.flatMap(({ name, items }) =>
    items.map((item) => `${name === undefined ? '' : `${name}: `}${itemText(item, attributes)}`),
  );
}

function shownPages(pages: readonly GivenPage[]): string[] {
  return pages.flatMap(({ parts }, i) =>
    [...parts].flatMap(([name, items]) =>
      items.map(
        (item) =>
          `${pages.length > 1 ? `page ${i + 1}: ` : ''}${name === undefined ? '' : `${name}: `}${itemText(item)}`,
      ),
    ),
  );
}
