import { type DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { InputError } from '../model-error.ts';
import type { Entities } from '../entities/entity.ts';
import type { Model, Needs } from '../model.ts';
import type { Need, WriteNeed } from '../patterns/need.ts';
import type { ConnectOptions } from '../run/connect.ts';
import { resolve } from '../resolve/resolve.ts';
import { sharesKey, slotsOf } from '../resolve/slots.ts';
import type { StoredItem } from '../run/attribute-value.ts';
import * as evaluator from '../patterns/evaluate.ts';
import { storedReader } from '../run/item-reader.ts';
import { ItemCodec } from '../run/item-codec.ts';
import { keyId } from '../run/key-id.ts';
import { RuleError } from '../run/rule-error.ts';
import { identityOf, Pools, type State, uniqueWithin } from './data.ts';
import { interleaved } from './interleave.ts';
import { brokenInvariant, type Found } from './invariants.ts';
import {
  equalValues,
  expectedWrite,
  type ExpectedWrite,
  type Returned,
  itemText,
  type Values,
  type WriteWorld,
} from './oracle/index.ts';
import { anyTablePrefix, ProvingTables } from './proving-tables.ts';
import { RandomSource } from './random-source.ts';
import { storedFunctions, transactStored } from './stored-functions.ts';
import { type WriteCall, WriteCalls } from './write-call.ts';

/** One step of a sequence of writes: one write, two concurrent ones, or the writes of a procedure in one transaction. */
export interface WriteStep {
  /** One write, or several. */
  readonly calls: readonly WriteCall[];
  /** The calls are the operations of one `transact`. Otherwise they overlap. */
  readonly together?: boolean;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Determines the order in which the requests of two writes are released. */
  readonly order: number;
}

/** How writes go wrong, the worst first. */
const writeKinds = ['broken invariant', 'wrong state', 'wrong result', 'wrong refusal', 'failure'] as const;

/** A sequence of writes that ends wrongly, reduced as far as possible. */
export interface WriteCounterexample extends WrongWrite {
  /** The steps. The last one goes wrong. */
  readonly steps: readonly WriteStep[];
  /** Reproduces the run. */
  readonly seed: number;
  /** Leads to the same example again, together with the seed. */
  readonly path: string;
}

/** The result of one write. */
type Outcome =
  | { readonly kind: 'written'; readonly returned: unknown }
  | { readonly kind: 'refused'; readonly codes: readonly string[] }
  | { readonly kind: 'bad input'; readonly code: string; readonly message: string }
  | { readonly kind: 'failed'; readonly message: string };

export interface ProveWritesOptions {
  readonly client: DynamoDBClient;
  readonly seed: number;
  readonly run: number;
  readonly tablePrefix: string;
  /** Whether a pattern is not to be called. */
  readonly isLeftOut: (pattern: string) => boolean;
  readonly isOver: () => boolean;
  /** Counts each write. */
  readonly onWrite: (pattern: string) => void;
}

const stepsMax = 40;
const second = 1000;

/**
 * One sequence of up to forty writes from the model's own patterns, some of them in concurrent pairs with interleaved requests. After
 * each step all tables are read. The stored items must keep the invariants, and must match the oracle. For two concurrent writes,
 * either order may match.
 */
export async function proveWrites(
  model: Model,
  { client, seed, run, tablePrefix, isLeftOut, isOver, onWrite }: ProveWritesOptions,
): Promise<WriteCounterexample | undefined> {
  const random = new RandomSource(seed).fork(run).fork(7);
  const start = Date.UTC(2024, 2, 1, 12) + random.below(second);
  const pools = new Pools(model, random.fork(1), start);
  const writes = Object.entries(model.patterns).filter(([name, { reads }]) => reads === undefined && !isLeftOut(name));
  if (writes.length === 0) return undefined;
  const drawn = new WriteCalls(model, pools, random.fork(2));
  const procedures = Object.values(model.procedures ?? {})
    .map(({ takes }) => writes.filter(([name]) => takes.includes(name)))
    .filter((taken) => taken.length > 1);
  const replay = new Replay(model, client, tablePrefix);
  const steps: WriteStep[] = [];
  let wrong: WrongWrite | undefined;
  try {
    await replay.begin();
    const count = random.between(1, stepsMax);
    while (steps.length < count && wrong === undefined && !isOver()) {
      const calls: WriteCall[] = [];
      const together = procedures.length > 0 && random.chance(0.25);
      if (together) calls.push(...(drawn.drawTogether(random.pick(procedures), replay.state) ?? []));
      const wanted = random.chance(0.2) ? 2 : 1;
      for (let tries = 0; tries < 10 && calls.length < wanted; tries += 1) {
        const [pattern, need] = random.pick(writes);
        const call = drawn.draw(pattern, need, replay.state);
        if (call !== undefined) calls.push(call);
      }
      if (calls.length === 0) break;
      // Time passes now and then, so that items expire.
      const now = (steps.at(-1)?.now ?? start) + (random.chance(0.3) ? second : 0);
      const order = random.below(1_000_000);
      const step: WriteStep = { calls, now, order, ...(together && calls.length > 1 && { together }) };
      steps.push(step);
      for (const { pattern } of calls) onWrite(pattern);
      wrong = await replay.take(step);
    }
  } finally {
    await replay.end();
  }
  if (wrong === undefined) return undefined;
  const smallest = await fewestSteps(steps, wrong, async (fewer) => {
    const again = new Replay(model, client, tablePrefix);
    try {
      await again.begin();
      for (const [at, step] of fewer.entries()) {
        const found = await again.take(step);
        if (found !== undefined) return at === fewer.length - 1 ? found : undefined;
      }
      return undefined;
    } finally {
      await again.end();
    }
  });
  return { ...smallest, seed, path: `${run}.writes` };
}

/** Leaves out steps, and one of two concurrent writes, while the last step still goes wrong in the same way. */
async function fewestSteps(
  found: readonly WriteStep[],
  wrong: WrongWrite,
  run: (steps: readonly WriteStep[]) => Promise<WrongWrite | undefined>,
): Promise<WrongWrite & { readonly steps: readonly WriteStep[] }> {
  let smallest = { ...wrong, steps: found };
  // A step may be needed by another one that is left out later, so this is repeated while it helps.
  for (let before: readonly WriteStep[] = []; before !== smallest.steps;) {
    before = smallest.steps;
    for (let at = before.length - 1; at >= 0; at -= 1)
      for (const steps of withLess(smallest.steps, at)) {
        const still = await run(steps);
        if (still?.kind !== wrong.kind) continue;
        smallest = { ...still, steps };
        break;
      }
  }
  return smallest;
}

/** The steps without one of them, except the last; or with one of its two writes. */
function* withLess(steps: readonly WriteStep[], at: number): Generator<readonly WriteStep[]> {
  const step = steps[at];
  if (step === undefined) return;
  if (at < steps.length - 1) yield steps.filter((_, i) => i !== at);
  if (step.calls.length > 1)
    for (const call of step.calls) yield steps.map((each, i) => (i === at ? { ...step, calls: [call] } : each));
}

/** The fault of the last step in a sequence of writes. */
export interface WrongWrite {
  /** The kind of fault. */
  readonly kind: (typeof writeKinds)[number];
  /** What happened, in a sentence. */
  readonly message: string;
}

/** A sequence of writes to replay. */
export interface ProveStepsOptions {
  /** A client of the database that answers. */
  readonly client: DynamoDBClient;
  /** The writes, in order. */
  readonly steps: readonly WriteStep[];
  /** The prefix of the table names. A new random one each time by default. */
  readonly tablePrefix?: string;
}

/**
 * Runs a sequence of writes on its own empty tables, with a check after each step. Replays a counterexample of writes.
 *
 * @returns the first fault; undefined if there is none.
 */
export async function proveSteps<D extends Entities, P extends Needs>(
  model: Model<D, P>,
  { client, steps, tablePrefix = anyTablePrefix() }: ProveStepsOptions,
): Promise<WrongWrite | undefined> {
  const replay = new Replay(model, client, tablePrefix);
  try {
    await replay.begin();
    for (const step of steps) {
      const wrong = await replay.take(step);
      if (wrong !== undefined) return wrong;
    }
    return undefined;
  } finally {
    await replay.end();
  }
}

/** A model with its own tables, and their expected contents according to the oracle. */
class Replay {
  state: State = new Map();
  readonly #model: Model;
  readonly #client: DynamoDBClient;
  readonly #tables: ProvingTables;
  readonly #codecs: ReadonlyMap<string, ItemCodec>;
  readonly #read: ReturnType<typeof storedReader>;
  readonly #readsFirst: ReadonlySet<WriteNeed>;

  constructor(model: Model, client: DynamoDBClient, tablePrefix: string) {
    this.#model = model;
    this.#client = client;
    this.#tables = new ProvingTables(model, client, tablePrefix);
    const { entities, patterns } = resolve(model);
    this.#codecs = new Map([...entities].map(([name, entity]) => [name, new ItemCodec(entity, evaluator)]));
    this.#read = storedReader(model);
    this.#readsFirst = new Set(
      [...patterns.values()].flatMap(({ plan }) =>
        plan?.kind === 'write' ? plan.writes.filter(({ readsFirst }) => readsFirst).map(({ need }) => need) : [],
      ),
    );
  }

  async begin(): Promise<void> {
    await this.#tables.create();
    this.state = new Map(Object.keys(this.#model.entities).map((name) => [name, []]));
  }

  async end(): Promise<void> {
    await this.#tables.remove();
  }

  /** Runs a step, and returns the fault after it. */
  async take(step: WriteStep): Promise<WrongWrite | undefined> {
    const before = this.state;
    const results = await interleaved(
      this.#client,
      new RandomSource(step.order),
      step.together === true
        ? [async (client) => this.#transact(step.calls, step.now, client)]
        : step.calls.map((call) => async (client) => this.#write(call, step.now, client)),
    );
    const outcomes = results.map((result): Outcome =>
      result.status === 'fulfilled' ? { kind: 'written', returned: result.value } : outcomeOf(result.reason),
    );
    const failed = outcomes.find((outcome) => outcome.kind === 'failed');
    if (failed !== undefined) return { kind: 'failure', message: failed.message };
    const found = await this.#found();
    this.state = found.state;
    const broken = brokenInvariant(this.#model, this.#codecs, found, step.now);
    if (broken !== undefined) return { kind: 'broken invariant', message: broken };
    return step.together === true
      ? this.#transactDifference(step, before, outcomes[0], found.state)
      : this.#difference(step, before, outcomes, found.state);
  }

  async #write({ pattern, input }: WriteCall, now: number, client: DynamoDBClient): Promise<unknown> {
    return storedFunctions(this.#model, this.#options(now, client))[pattern]?.(input);
  }

  async #transact(calls: readonly WriteCall[], now: number, client: DynamoDBClient): Promise<void> {
    await transactStored(this.#model, this.#options(now, client), calls);
  }

  #options(now: number, client: DynamoDBClient): ConnectOptions {
    return {
      client,
      tables: this.#tables.names,
      now: () => now,
      random: () => 0.5,
      pause: async () => undefined,
    };
  }

  async #found(): Promise<Found> {
    const state = new Map<string, Values[]>(Object.keys(this.#model.entities).map((name) => [name, []]));
    const stored: { entity: string | undefined; item: StoredItem }[] = [];
    for (const [table, TableName] of Object.entries(this.#tables.names)) {
      let ExclusiveStartKey: StoredItem | undefined;
      do {
        const page = await this.#client.send(
          new ScanCommand({ TableName, ConsistentRead: true, ...(ExclusiveStartKey && { ExclusiveStartKey }) }),
        );
        for (const item of page.Items ?? []) {
          const read = this.#readItem(item, table);
          stored.push({ entity: read?.entity.name, item });
          // The copies of an item count as one item.
          const items = state.get(read?.entity.name ?? '');
          const text = read === undefined ? '' : itemText(read.item);
          if (read !== undefined && !(items ?? []).some((other) => itemText(other) === text)) items?.push(read.item);
        }
        ExclusiveStartKey = page.LastEvaluatedKey;
      } while (ExclusiveStartKey !== undefined);
    }
    return { state, stored };
  }

  /**
   * Entities may share a type: in different tables, or in one where the model accepts it. In one table, the item is of the entity that would be
   * stored under its key. A table without types has one entity, whose keys other tables may have as well.
   */
  #readItem(item: StoredItem, table: string): ReturnType<ReturnType<typeof storedReader>> {
    const read = this.#read(item);
    if (read === undefined) return undefined;
    const { name, type } = read.entity;
    const alike = [...this.#codecs.values()].filter(
      ({ entity }) => entity.table.name === table && (entity.type === type || entity.table.typeAttribute === undefined),
    );
    const codec = alike.length > 1 ? alike.find((each) => isUnderItsKey(each, item)) : alike[0];
    if (codec === undefined) return read.entity.table.name === table ? read : undefined;
    return codec.entity.name === name ? read : { entity: codec.entity, item: codec.decode(item) };
  }

  /** Expired items count as absent, whether they are still stored or not. */
  #live(items: State, now: number): State {
    return new Map(
      [...items].map(([entity, list]) => {
        const expires = this.#model.entities[entity]?.rules.expires;
        const isLive = (item: Values): boolean =>
          expires === undefined || item[expires] === undefined || Number(item[expires]) > Math.floor(now / second);
        return [entity, list.filter(isLive)];
      }),
    );
  }

  /** Whether there is an order of the parts in which the oracle reaches the stored state, or rejects the transaction for one of the same rules. */
  #transactDifference(
    { calls, now }: WriteStep,
    before: State,
    outcome: Outcome | undefined,
    after: State,
  ): WrongWrite | undefined {
    const { patterns } = this.#model;
    const world = this.#world(before, now);
    const pattern = calls.map((call) => call.pattern).join(' + ');
    let first: WrongWrite | undefined;
    const all = calls.flatMap((call) => partsOf(patterns[call.pattern] ?? {}, call.input));
    const orders =
      all.length <= partsTogetherMax
        ? ordersOf(all)
        : ordersOf(calls).map((order) => order.flatMap((call) => partsOf(patterns[call.pattern] ?? {}, call.input)));
    for (const parts of orders) {
      const transacts = Object.fromEntries(parts.map(([need], at) => [`part${at}`, need]));
      const input = Object.fromEntries(parts.map(([, given], at) => [`part${at}`, given]));
      const expected = expectedWrite({ transacts } as Need, world, input);
      if (outcome === undefined) return undefined;
      let wrong = refusalDifference({ pattern, need: { transacts } as Need }, expected, outcome, false);
      const written = expected.kind === 'written' && outcome.kind === 'written';
      const items = written ? expected.items : withCountersOf(this.#model, before, after);
      const told = (state: State): State => withoutNumbers(this.#model, this.#live(state, now));
      wrong ??= stateDifference(told(items), told(after));
      if (wrong === undefined) return undefined;
      first ??= wrong;
    }
    return first;
  }

  /** Whether there is an order of the calls in which the oracle reaches the stored state, with the same rejections. */
  #difference(
    { calls, now }: WriteStep,
    before: State,
    outcomes: readonly Outcome[],
    after: State,
  ): WrongWrite | undefined {
    const orders =
      calls.length === 1
        ? [[0]]
        : [
            [0, 1],
            [1, 0],
          ];
    let first: WrongWrite | undefined;
    // Numbers are taken before their items are written, so two concurrent writes may have taken them alternately.
    const told = (state: State): State => (calls.length === 1 ? state : withoutNumbers(this.#model, state));
    for (const order of orders)
      for (const needs of this.#readingsOf(calls)) {
        let items: ReadonlyMap<string, readonly Values[]> = before;
        let wrong: WrongWrite | undefined;
        let wrongResult: WrongWrite | undefined;
        for (const at of order) {
          const [call, outcome, need] = [calls[at], outcomes[at], needs[at]];
          if (call === undefined || outcome === undefined || need === undefined) continue;
          const expected = expectedWrite(need, this.#world(items, now), call.input as Values);
          wrong ??= refusalDifference({ pattern: call.pattern, need }, expected, outcome, calls.length > 1);
          if (expected.kind === 'written' && outcome.kind === 'written') {
            ({ items } = expected);
            wrongResult ??= resultDifference(call.pattern, expected.returned, outcome.returned, (items) => [
              ...(told(new Map([[entityOf(need), items]])).get(entityOf(need)) ?? []),
            ]);
          }
          // A number is assigned before its item is written, and stays assigned when the write is rejected.
          else if (outcome.kind !== 'written' && this.#takesNumbers(need))
            items = withCountersOf(this.#model, items, after);
        }
        wrong ??= stateDifference(told(this.#live(items, now)), told(this.#live(after, now))) ?? wrongResult;
        if (wrong === undefined) return undefined;
        first ??= wrong;
      }
    return first;
  }

  #takesNumbers(need: Need): boolean {
    return partsOf(need, {}).some(([{ creates, puts, upserts }]) =>
      [creates, puts, upserts].flat().some((name) => {
        const entity = this.#model.entities[String(name)];
        return entity?.rules.sequence !== undefined;
      }),
    );
  }

  #world(items: State, now: number): WriteWorld {
    const model = this.#model;
    const { entities, relationships } = model;
    return {
      entities,
      relationships,
      identity: (entity) => identityOf(model, entity),
      within: (entity, unique) => uniqueWithin(model, entity, unique),
      place: (entity, item) => this.#placeOf(entity, item),
      readsFirst: (need) => this.#readsFirst.has(need),
      items,
      now,
    };
  }

  /** The key of an item, if the model accepts that it may be another item's. */
  #placeOf(entity: string, item: Values): string | undefined {
    const codec = this.#codecs.get(entity);
    if (codec === undefined) return undefined;
    const { entity: info } = codec;
    if (!sharesKey(info) && info.accepts?.['key-not-exact'] === undefined) return undefined;
    try {
      // All copies are written or none, so that the first one tells.
      return `${info.table.name} ${keyId(codec.key({ ...item, copy: 1 }))}`;
    } catch (error) {
      // A value that no key takes.
      if (error instanceof InputError) return undefined;
      throw error;
    }
  }

  /** The declarations of some calls, with the parts of each transaction in each order. */
  #readingsOf(calls: readonly WriteCall[]): readonly (readonly Need[])[] {
    return calls.reduce<readonly (readonly Need[])[]>(
      (known, { pattern }) =>
        known.flatMap((needs) => readingsOf(this.#model.patterns[pattern] ?? {}).map((need) => [...needs, need])),
      [[]],
    );
  }
}

/** Parts whose orders are all tried: of one transaction, and of each of two concurrent ones. With more, those of a pattern have the declared order. */
const partsTogetherMax = 7;
const partsOfOneMax = 5;

/** A transaction with its parts in each order, as they were declared first: what happens at once has no order. */
function readingsOf(need: Need): readonly Need[] {
  const parts = Object.entries(need.transacts ?? {});
  if (parts.length < 2 || parts.length > partsOfOneMax) return [need];
  return ordersOf(parts).map((order) => ({ ...need, transacts: Object.fromEntries(order) }));
}

function isUnderItsKey(codec: ItemCodec, item: StoredItem): boolean {
  try {
    const encoded = codec.encode(codec.parse(codec.decode(item)));
    return slotsOf(codec.entity.key).every(({ attribute }) => equalValues(encoded[attribute], item[attribute]));
  } catch (error) {
    if (error instanceof InputError) return false;
    throw error;
  }
}

/** A write, or the parts of a transaction, each with its input. */
function partsOf(need: Need, input: unknown): (readonly [WriteNeed, unknown])[] {
  if (need.transacts === undefined) return [[need, input]];
  return Object.entries(need.transacts).map(([part, write]) => [write, (input as Values)[part]]);
}

/** All orders of a few calls, or of the parts of one. */
function ordersOf<T>(few: readonly T[]): (readonly T[])[] {
  if (few.length < 2) return [few];
  return few.flatMap((each, at) => ordersOf(few.toSpliced(at, 1)).map((others) => [each, ...others]));
}

function outcomeOf(error: unknown): Outcome {
  if (error instanceof RuleError) return { kind: 'refused', codes: error.failures.map(({ code }) => code) };
  if (error instanceof InputError) return { kind: 'bad input', code: error.code, message: error.message };
  return { kind: 'failed', message: error instanceof Error ? `${error.name}: ${error.message}` : String(error) };
}

/** Whether an input was refused for what the oracle decides as well: which inputs there are, and the schemas of whole attributes. */
function isOfSchemas({ transacts, ...need }: Need, code: string): boolean {
  if (code === 'unknown-attribute') return true;
  return code === 'invalid' && [need, ...Object.values(transacts ?? {})].every(({ changes }) => changes === undefined);
}

function refusalDifference(
  { pattern, need }: { readonly pattern: string; readonly need: Need },
  expected: ExpectedWrite,
  outcome: Outcome,
  concurrent: boolean,
): WrongWrite | undefined {
  const wrong = (message: string): WrongWrite => ({ kind: 'wrong refusal', message: `${pattern}: ${message}` });
  // Values that a key rejects are rejected before any request is sent; the oracle has no keys.
  if (outcome.kind === 'bad input')
    return expected.kind !== 'bad input' && isOfSchemas(need, outcome.code)
      ? wrong(`is refused as bad input, and no schema refuses it: ${outcome.message}`)
      : undefined;
  if (expected.kind === 'bad input')
    return outcome.kind === 'written' ? wrong('is written, though a schema refuses the input') : undefined;
  if (expected.kind === 'written') {
    if (outcome.kind !== 'refused') return undefined;
    if (concurrent && outcome.codes.includes('busy')) return undefined;
    return wrong(`is refused with ${outcome.codes.join(', ')}, and no rule refuses it`);
  }
  if (outcome.kind !== 'refused')
    return wrong(`is written, and should be refused with ${[...expected.codes].join(' or ')}`);
  // A value missing from an item may be missing from its relations, too. The error names one of the rules that are broken.
  const fits = (code: string): boolean =>
    expected.codes.has(code) || ['parent-missing', 'not-unique'].includes(code) || (concurrent && code === 'busy');
  if (outcome.codes.some(fits)) return undefined;
  return wrong(`is refused with ${outcome.codes.join(', ')}, and should be with ${[...expected.codes].join(' or ')}`);
}

/** The entity that a pattern writes. */
function entityOf({ creates, puts, upserts, updates, deletes, checks }: Need): string {
  return String([creates ?? puts ?? upserts ?? updates ?? deletes ?? checks].flat()[0]);
}

/** How what a write returns differs from what it should. `told` leaves out what the order of the writes does not determine. */
function resultDifference(
  pattern: string,
  expected: Returned,
  got: unknown,
  told: (items: readonly Values[]) => readonly Values[],
): WrongWrite | undefined {
  const text = (result: unknown): string => {
    if (result === undefined) return 'nothing';
    const items = told([result].flat() as Values[]).map((item) => itemText(item));
    return Array.isArray(result) ? `[${items.join('; ')}]` : items.join('; ');
  };
  const [wanted, given] = [text(expected), text(got)];
  if (wanted === given) return undefined;
  return { kind: 'wrong result', message: `${pattern}: should return ${wanted}, and returns ${given}` };
}

function stateDifference(expected: State, got: State): WrongWrite | undefined {
  for (const [entity, items] of expected) {
    const wanted = items.map((item) => itemText(item));
    const there = (got.get(entity) ?? []).map((item) => itemText(item));
    const [missing] = remainder(wanted, there);
    const [extra] = remainder(there, wanted);
    if (missing !== undefined || extra !== undefined)
      return {
        kind: 'wrong state',
        message: `${entity}: there should be ${missing ?? 'nothing more'}, and there is ${extra ?? 'nothing'}`,
      };
  }
  return undefined;
}

/** The texts of one list that are not in another, counting repetitions. */
function remainder(texts: readonly string[], others: readonly string[]): string[] {
  const left = [...texts];
  for (const other of others) {
    const at = left.indexOf(other);
    if (at >= 0) left.splice(at, 1);
  }
  return left;
}

/** Items without the numbers that counters assigned, and without the counters. */
function withoutNumbers({ entities }: Model, state: State): State {
  const managed = new Map<string, string[]>();
  const add = (entity: string, name: string): void => void managed.set(entity, [...(managed.get(entity) ?? []), name]);
  for (const [entity, { rules }] of Object.entries(entities))
    for (const [name, source] of Object.entries(rules.sequence ?? {})) {
      const [parent = '', counter = ''] = String(source).split('.');
      add(entity, name);
      add(parent, counter);
    }
  return new Map(
    [...state].map(([entity, items]) => {
      const names = managed.get(entity) ?? [];
      return [
        entity,
        items.map((item) => Object.fromEntries(Object.entries(item).filter(([name]) => !names.includes(name)))),
      ];
    }),
  );
}

function withCountersOf(
  model: Model,
  items: ReadonlyMap<string, readonly Values[]>,
  after: State,
): ReadonlyMap<string, readonly Values[]> {
  const counters = Object.values(model.entities).flatMap(
    ({ rules }) => Object.values(rules.sequence ?? {}) as string[],
  );
  const raised = new Map(items);
  for (const source of counters) {
    const [parent = '', counter = ''] = source.split('.');
    const identity = identityOf(model, parent);
    raised.set(
      parent,
      (raised.get(parent) ?? []).map((item) => {
        const now = (after.get(parent) ?? []).find((other) => itemText(other, identity) === itemText(item, identity));
        return now === undefined ? item : { ...item, [counter]: now[counter] };
      }),
    );
  }
  return raised;
}
