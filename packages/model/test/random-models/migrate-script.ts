import { DeleteTableCommand, type DynamoDBClient, ScanCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { MigrationError } from '../../src/migrate/migration-error.ts';
import {
  type Migration,
  migration,
  type MigrationFunctions,
  refusals as reasons,
} from '../../src/migrate/migration.ts';
import {
  memoryCheckpoints,
  type MigrateOptions,
  type MigrationReport,
  resume,
  run,
  undo,
} from '../../src/migrate/run.ts';
import { deployOf, plan } from '../../src/migrate/plan.ts';
import type { MigrationState } from '../../src/migrate/progress.ts';
import { sameItem, sameValue } from '../../src/migrate/stored-value.ts';
import { verify } from '../../src/migrate/verify.ts';
import { RuleError } from '../../src/run/rule-error.ts';
import { connectDuring } from '../../src/migrate/connect-during.ts';
import { InputError, ModelError } from '../../src/model-error.ts';
import type { Model } from '../../src/model.ts';
import * as evaluator from '../../src/patterns/evaluate.ts';
import { drawState, identityOf, Pools, type State, uniqueWithin } from '../../src/prove/data.ts';
import { accepted } from '../../src/prove/domain.ts';
import { interleaved } from '../../src/prove/interleave.ts';
import {
  equalValues,
  expectedWrite,
  itemText,
  type Values,
  withComputed,
  type WriteWorld,
} from '../../src/prove/oracle/index.ts';
import { exactSum } from '../../src/prove/oracle/values.ts';
import { ProvingTables } from '../../src/prove/proving-tables.ts';
import { RandomSource } from '../../src/prove/random-source.ts';
import { WriteCalls } from '../../src/prove/write-call.ts';
import { storedFunctions } from '../../src/prove/stored-functions.ts';
import { ReadCalls } from '../../src/prove/read-call.ts';
import { ReadRunner } from '../../src/prove/read-run.ts';
import { childOf } from '../../src/entities/relationship.ts';
import { resolve } from '../../src/resolve/resolve.ts';
import type { EntityInfo } from '../../src/resolve/resolved.ts';
import { guardedAttributes, slotsOf } from '../../src/resolve/slots.ts';
import type { StoredItem } from '../../src/run/attribute-value.ts';
import { ItemCodec } from '../../src/run/item-codec.ts';
import { markerKey } from '../../src/run/marker.ts';
import { typeOfItem } from '../../src/run/stored-item.ts';
import { pairEntities } from '../../src/versions/pair.ts';
import { snapshot, versionOf } from '../../src/versions/snapshot.ts';
import { modelOf } from './model-script.ts';
import { nextTablePrefix, refusals } from './prove-script.ts';
import type { Becoming, MigrationScript } from './random-migration.ts';

/** The outcome of one pair of versions. */
export interface MigrationVerdict {
  /**
   * `unchecked`: `check` refuses one of the versions. `refused`: the migration refuses to begin, and wrote nothing. `stopped`: it refuses items that
   * have no form in the new version. `right`, `wrong`.
   */
  readonly verdict: 'unchecked' | 'refused' | 'stopped' | 'right' | 'wrong';
  /** What is wrong, or why it is refused. */
  readonly message: string;
}

/** Thrown for what is wrong. */
class Wrong extends Error {}

/** A process that ends at a request. */
class Killed extends Error {}

/**
 * Fills tables through the old version, migrates them while processes die and answers are lost, and compares every stored item with what the new
 * version would have stored, and every read with the oracle. Then goes back.
 */
export async function migrateScript(
  script: MigrationScript,
  client: DynamoDBClient,
  seed: number,
): Promise<MigrationVerdict> {
  const [before, after] = [modelOf(script.before), modelOf(script.after)];
  for (const each of [before, after]) {
    const codes = refusals(each);
    if (codes.length > 0) return { verdict: 'unchecked', message: codes.join() };
  }
  const paired = { ...script, becoming: pairedIn(script, before, after) };
  const trial = new Trial(paired, before, after, client, new RandomSource(seed).fork(9));
  try {
    return await trial.run();
  } catch (error) {
    if (error instanceof Wrong) return { verdict: 'wrong', message: error.message };
    const reason = error instanceof Error ? (error.stack ?? String(error)) : String(error);
    return { verdict: 'wrong', message: `failed: ${reason}` };
  } finally {
    await trial.end();
  }
}

/** Entities that differ in both name and type are two: the items of the one are deleted, and the other begins without any. */
function pairedIn({ becoming }: MigrationScript, before: Model, after: Model): MigrationScript['becoming'] {
  const { kept } = pairEntities(versionOf(snapshot(before)), versionOf(snapshot(after)));
  return Object.fromEntries(
    Object.entries(becoming).filter(([name, { was }]) =>
      kept.some((pair) => pair.after.name === name && pair.before.name === was),
    ),
  );
}

/** All items are of the future, so that none expires while it is migrated. */
const now = Date.UTC(2030, 2, 1, 12);

class Trial {
  readonly #script: MigrationScript;
  readonly #before: Model;
  readonly #after: Model;
  readonly #client: DynamoDBClient;
  readonly #random: RandomSource;
  readonly #old: ProvingTables;
  readonly #fresh: ProvingTables;
  readonly #names: Readonly<Record<string, string>>;

  constructor(script: MigrationScript, before: Model, after: Model, client: DynamoDBClient, random: RandomSource) {
    this.#script = script;
    this.#before = before;
    this.#after = after;
    this.#client = client;
    this.#random = random;
    const prefix = nextTablePrefix();
    this.#old = new ProvingTables(before, client, prefix);
    this.#fresh = new ProvingTables(after, client, nextTablePrefix());
    this.#names = {
      ...Object.fromEntries(Object.keys(after.tables).map((name) => [name, `${prefix}${name}`])),
      ...this.#old.names,
    };
  }

  async end(): Promise<void> {
    await this.#old.remove();
    await this.#fresh.remove();
    // The migration creates tables, too.
    for (const [name, TableName] of Object.entries(this.#names))
      if (this.#before.tables[name] === undefined)
        await this.#client.send(new DeleteTableCommand({ TableName })).catch((error: unknown) => {
          if ((error as Error).name !== 'ResourceNotFoundException') throw error;
        });
  }

  async run(): Promise<MigrationVerdict> {
    const versions = [snapshot(this.#before), snapshot(this.#after)] as const;
    const { functions } = plan(migration(...versions));
    const migrated = migration(...versions, functionsOf(this.#script, functions));
    const random = this.#random;
    await this.#old.create();
    const pools = new Pools(this.#before, random.fork(1), now);
    const drawn = apart(
      this.#before,
      withoutRemoved(this.#script, drawState(this.#before, pools, random.fork(2), random.between(4, 30))),
    );
    const lacking = await this.#lacking(
      await this.#old.store(withTallies(this.#before, withParents(this.#before, drawn))),
      random.fork(3),
    );
    const began = await this.#contents(this.#before);
    const why = reasons(migrated);
    if (why.length > 0) return this.#refused(migrated, began, why);

    let target = withTallies(this.#after, becomeState(this.#script, this.#after, lacking));
    await this.#fresh.create();
    const stored = await this.#fresh.store(target);
    const failures: MigrationError[] = [];
    const options: MigrateOptions = {
      client: this.#client,
      tables: this.#names,
      pause: async () => new Promise((go) => setImmediate(go)),
      random: () => 0.5,
      segments: random.between(1, 3),
      concurrency: random.between(1, 4),
      pageItems: random.pick([1, 2, 3, 5, 8, 13, 30]),
      checkpoints: memoryCheckpoints(),
      failuresMax: 1000,
      onFailure: (failure) => void failures.push(failure),
    };
    const impossible = this.#impossible(target, stored);
    const writes =
      impossible === undefined && random.fork(7).chance(0.7)
        ? this.#writer(migrated, target, random.fork(8))
        : undefined;
    if (writes === undefined) await this.#travel(migrated, options, 'run', random.fork(4));
    else {
      if (random.fork(11).chance(0.5)) {
        const client = interrupted(this.#client, random.fork(10), async (key) => writes.write(this.#client, key));
        await this.#travel(migrated, options, 'run', random.fork(4), client);
      } else {
        const results = await interleaved(this.#client, random.fork(10), [
          async (client) => void (await this.#travel(migrated, options, 'run', random.fork(4), client)),
          async (client) => writes.work(client),
        ]);
        for (const result of results) if (result.status === 'rejected') throw result.reason;
      }
      target = writes.state;
      await this.#fresh.store(target);
    }
    if (failures.length > 0) {
      const unfounded = impossible === undefined ? failures[0] : undefined;
      if (unfounded !== undefined)
        throw new Wrong(`an item is refused without need: ${unfounded.code}: ${unfounded.message}`);
      return { verdict: 'stopped', message: failures[0]?.message ?? '' };
    }
    if (impossible !== undefined)
      throw new Wrong(`an item has no form in the new version, and none is refused: ${impossible}`);
    await this.#compare();
    await this.#read(target, random.fork(5));
    // An application counts a parent's children from when it creates the parent.
    await this.#verify(migrated, writes === undefined ? [] : this.#tallies());
    const again = await run(migrated, options);
    const written = again.steps.reduce((sum, { count }) => sum + count.written, 0);
    if (written > 0) throw new Wrong(`a second run writes ${written} items`);
    await this.#compare();
    if (writes === undefined) await this.#undo(migrated, options, began);
    return { verdict: 'right', message: migrated.changes.map(({ code }) => code).join() };
  }

  /** Writes of the application while a migration runs; undefined if the oracle cannot follow them. */
  #writer(migrated: Migration, target: State, random: RandomSource): Writer | undefined {
    const { after } = this.#script;
    const told = JSON.stringify([after.entities, after.storage]);
    const isBeyond = /"(?:expires|sequence|copies|key-collision|key-not-exact)"/.test(told);
    const codes = new Set(migrated.changes.map(({ code }) => code));
    if (isBeyond || codes.has('unique-added') || codes.has('unique-changed')) return undefined;
    // A guard that a new default changes does not hold before its item is migrated.
    const { entities } = resolve(this.#after);
    const isGuardChanged = migrated.changes.some(
      ({ code, entity = '', path }) =>
        code === 'default-changed' &&
        entities
          .get(entity)
          ?.unique.flatMap(guardedAttributes)
          .some((each) => path === `entities.${entity}.${each}`),
    );
    if (isGuardChanged) return undefined;
    // Versions go up beyond the numbers that JavaScript adds to exactly.
    const isInexact = [...target].some(([name, items]) => {
      const lock = entities.get(name)?.rules.lock ?? '';
      return items.some((item) => Number(item[lock] ?? 0) > Number.MAX_SAFE_INTEGER - 1000);
    });
    if (isInexact) return undefined;
    // A function would give a value again that the application has removed, since items keep it under its old name.
    const isGivenAgain = Object.entries(this.#script.becoming).some(([name, { renamed }]) =>
      Object.keys(renamed).some((each) => after.entities[name]?.attributes[each]?.optional === true),
    );
    if (isGivenAgain) return undefined;
    try {
      return new Writer(this.#after, migrated, { tables: this.#names, state: target, random });
    } catch (error) {
      if (error instanceof MigrationError && error.code === 'not-on-access') return undefined;
      throw error;
    }
  }

  /** Nothing may be written. */
  async #refused(migrated: Migration, began: Contents, why: readonly string[]): Promise<MigrationVerdict> {
    try {
      await run(migrated, { client: this.#client, tables: this.#names });
    } catch (error) {
      if (!(error instanceof MigrationError || error instanceof ModelError)) throw error;
      const difference = differenceOf(began, await this.#contents(this.#before), () => false);
      if (difference !== undefined) throw new Wrong(`is refused after something was written: ${difference}`);
      return { verdict: 'refused', message: why.join(' ') };
    }
    throw new Wrong(`runs although ${why.join(' ')}`);
  }

  /** Some items lack what reading fills in, as older ones do. @returns the items, without those attributes. */
  async #lacking(state: State, random: RandomSource): Promise<State> {
    const { entities } = resolve(this.#before);
    const left = new Map<string, Values[]>();
    for (const [name, items] of state) {
      const entity = entities.get(name);
      if (entity === undefined) continue;
      const codec = new ItemCodec(entity, evaluator);
      const removable = [...entity.attributes.values()].filter(
        ({ fallback, stored }) => fallback !== undefined && !isKeyAttribute(entity, stored),
      );
      const kept: Values[] = [];
      for (const item of items) {
        const lacks = removable.filter(
          (each) =>
            entity.rules.copies === undefined &&
            item[each.name] !== undefined &&
            equalValues(item[each.name], each.fallback) &&
            random.chance(0.5),
        );
        kept.push(Object.fromEntries(Object.entries(item).filter(([each]) => !lacks.some((one) => one.name === each))));
        for (const { stored } of lacks)
          await this.#client.send(
            new UpdateItemCommand({
              TableName: this.#names[entity.table.name],
              Key: codec.key(item),
              UpdateExpression: 'REMOVE #a',
              ExpressionAttributeNames: { '#a': stored },
            }),
          );
      }
      left.set(name, kept);
    }
    return left;
  }

  /** Runs a migration to its end, in processes that die. */
  async #travel(
    migrated: Migration,
    options: MigrateOptions,
    way: 'run' | 'undo',
    random: RandomSource,
    through: DynamoDBClient = this.#client,
  ): Promise<MigrationReport> {
    const { checkpoints = memoryCheckpoints() } = options;
    const dies = random.chance(0.5);
    for (let life = 0; ; life += 1) {
      const left = dies && life < 400 ? random.between(0, 9) : Infinity;
      const client = mortal(through, left, random);
      const state = JSON.parse((await checkpoints.read('state')) ?? '{}') as Partial<MigrationState>;
      const begun = state.direction === way && state.endedAt === undefined;
      try {
        return await (begun ? resume : way === 'run' ? run : undo)(migrated, { ...options, client });
      } catch (error) {
        if (!(error instanceof Killed)) throw error;
      }
    }
  }

  /** Why not all items can be stored by the new version; undefined if they can. */
  #impossible(target: State, stored: State): string | undefined {
    const codecs = codecsOf(this.#after);
    const taken = new Map<string, string>();
    for (const [entity, items] of target) {
      const codec = codecs.get(entity);
      const there = stored.get(entity) ?? [];
      for (const item of items) {
        const label = `${entity} ${itemText(item)}`;
        if (codec === undefined || !there.includes(item)) return `${label} is refused`;
        try {
          const key = JSON.stringify([codec.entity.table.name, codec.key({ copy: 1, ...item })]);
          const other = taken.get(key);
          if (other !== undefined) return `${label} and ${other} have one key`;
          taken.set(key, label);
        } catch (error) {
          if (!(error instanceof InputError)) throw error;
          return `${label}: ${error.message}`;
        }
      }
      const { unique = [] } = this.#after.entities[entity]?.rules ?? {};
      for (const attribute of unique) {
        const rule = codec?.entity.unique.find((each) => each.attribute === attribute);
        if (codec === undefined || rule === undefined) continue;
        const keys = items.flatMap((item) => {
          const key = item[attribute] === undefined ? undefined : markerKey(codec, rule, item);
          return key === undefined ? [] : [JSON.stringify(key)];
        });
        if (new Set(keys).size < keys.length) return `${attribute} is not unique`;
      }
    }
    return undefined;
  }

  async #contents({ tables }: Model, names = this.#names): Promise<Contents> {
    const contents = new Map<string, StoredItem>();
    for (const table of Object.keys(tables))
      for (const item of await itemsOf(this.#client, names[table] ?? table))
        contents.set(keyOf(this.#tableIn(table), item), item);
    return contents;
  }

  #tableIn(name: string): EntityInfo['table'] | undefined {
    return resolve(this.#after).tables.get(name) ?? resolve(this.#before).tables.get(name);
  }

  /** Every item of the migrated tables, with the new version's own. */
  async #compare(): Promise<void> {
    const [got, wanted] = [await this.#contents(this.#after), await this.#contents(this.#after, this.#fresh.names)];
    const resolved = resolve(this.#after);
    const olds = resolve(this.#before);
    const left = new Set<string>();
    for (const [name, { was }] of Object.entries(this.#script.becoming))
      for (const attribute of olds.entities.get(was)?.attributes.values() ?? [])
        if (resolved.entities.get(name)?.attributes.has(attribute.name) !== true) left.add(attribute.stored);
    for (const table of olds.tables.values())
      for (const index of table.indexes)
        if (!resolved.tables.get(table.name)?.indexes.some(({ name }) => name === index.name))
          for (const { attribute } of slotsOf(index)) left.add(attribute);
    const difference = differenceOf(wanted, got, (attribute, item, found, key) => {
      const [want, have] = [item[attribute], found[attribute]];
      const entity = [...resolved.entities.values()].find(({ type, table }) =>
        table.typeAttribute === undefined ? key.startsWith(`${table.name} `) : item[table.typeAttribute]?.S === type,
      );
      const declared = [...(entity?.attributes.values() ?? [])].find(({ stored }) => stored === attribute);
      const isOut = want === undefined && declared === undefined && left.has(attribute);
      // It is part of no key unless it puts the item into an index.
      if (isOut && entity !== undefined && !isMoreIndexed(entity, item, found)) return true;
      if (entity !== undefined && isKeyAttribute(entity, attribute)) return false;
      // Reading fills in what is missing.
      if (want !== undefined && have === undefined) return declared?.fallback !== undefined;
      // How often a number was written while the children were counted.
      if (attribute.endsWith('#writes')) return true;
      // The number of a parent without children.
      if (want === undefined && have?.N === '0' && this.#isTally(attribute)) return true;
      // What the new version does not know stays, out of sight.
      return isOut;
    });
    if (difference !== undefined) throw new Wrong(difference);
    for (const table of olds.tables.keys()) {
      if (resolved.tables.has(table)) continue;
      const [stray] = await itemsOf(this.#client, this.#names[table] ?? table);
      if (stray !== undefined) throw new Wrong(`an item stays in ${table}: ${JSON.stringify(stray)}`);
    }
  }

  #isTally(attribute: string): boolean {
    return this.#after.relationships.some(([, , , rules]) => rules?.count === attribute);
  }

  async #read(target: State, random: RandomSource): Promise<void> {
    const model = this.#after;
    const pools = new Pools(model, random.fork(1), now);
    const runner = new ReadRunner(model, {
      client: this.#client,
      tables: this.#names,
      now: () => now,
      random: () => 0.5,
    });
    for (const [at, [pattern, need]] of Object.entries(model.patterns).entries()) {
      if (need.reads === undefined) continue;
      const calls = new ReadCalls(model, pools, target, random.fork(100 + at));
      for (let number = 0; number < 4; number += 1) {
        const call = calls.draw(pattern, need);
        const wrong = call === undefined ? undefined : await runner.run(call, target);
        if (wrong !== undefined)
          throw new Wrong(
            `${pattern} ${JSON.stringify(call)}: ${wrong.difference.kind}, ${wrong.difference.message}; expected ${wrong.expected.join('; ')}; got ${wrong.got.join('; ')}`,
          );
      }
    }
  }

  #tallies(): string[] {
    return this.#after.relationships.flatMap(([parent, , , rules]) =>
      rules?.count === undefined ? [] : [`${parent}.${rules.count}`],
    );
  }

  async #verify(migrated: Migration, exceptCounts: readonly string[]): Promise<void> {
    const { faults } = await verify(migrated, {
      client: this.#client,
      tables: this.#names,
      exceptCounts,
      pause: async () => undefined,
    });
    const [fault] = faults;
    if (fault !== undefined)
      throw new Wrong(`verify reports ${fault.code}: ${JSON.stringify(fault.key)} ${fault.message}`);
  }

  /** Goes back, after which everything is as it was. */
  async #undo(migrated: Migration, options: MigrateOptions, began: Contents): Promise<void> {
    try {
      await this.#travel(migrated, { ...options, failuresMax: 0 }, 'undo', this.#random.fork(6));
    } catch (error) {
      if (error instanceof MigrationError && ['function-missing', 'too-soon'].includes(error.code)) return;
      throw error;
    }
    const defaults = [this.#before, this.#after].flatMap((model) =>
      [...resolve(model).entities.values()].flatMap(({ attributes }) =>
        [...attributes.values()].flatMap(({ stored, fallback }) => (fallback === undefined ? [] : [stored])),
      ),
    );
    // What both versions know stays, with what keys and guards make of it.
    if (Object.values(this.#script.becoming).some(({ given }) => Object.keys(given).length > 0)) return;
    const kept = [...new Set(defaults)];
    const got = await this.#contents(this.#before);
    // A default that was written for its guard stays, and so does the guard, which the old version asks for as well.
    const guards = this.#guardsOf(got, kept);
    const left = new Map([...got].filter(([key]) => began.has(key) || !guards.has(key)));
    const difference = differenceOf(began, left, (_, item, found) =>
      kept.some((name) => !sameValue(item[name], found[name])),
    );
    if (difference !== undefined) throw new Wrong(`after undo: ${difference}`);
  }

  /** Keys of the guards that the old version has for its items' values of some attributes, by their stored names. */
  #guardsOf(contents: Contents, attributes: readonly string[]): Set<string> {
    const keys = new Set<string>();
    for (const codec of codecsOf(this.#before).values()) {
      const { entity } = codec;
      const rules = entity.unique.filter(({ attribute }) => attributes.includes(codec.stored(attribute)));
      for (const item of contents.values()) {
        if (typeOfItem(item, entity) !== entity.type) continue;
        for (const rule of rules) {
          const isStored = item[codec.stored(rule.attribute)] !== undefined;
          const guard = isStored ? markerKey(codec, rule, codec.decode(item)) : undefined;
          if (guard !== undefined) keys.add(keyOf(this.#tableIn(entity.table.name), guard));
        }
      }
    }
    return keys;
  }
}

/** An application that writes while its items are migrated, and what it should see. */
class Writer {
  state: State;
  readonly #model: Model;
  readonly #migrated: Migration;
  readonly #tables: Readonly<Record<string, string>>;
  readonly #random: RandomSource;
  readonly #isDual: boolean;
  readonly #calls: WriteCalls;
  readonly #codecs: ReadonlyMap<string, ItemCodec>;
  /** One write at a time, so that the oracle knows their order. */
  #last: Promise<void> = Promise.resolve();

  constructor(
    model: Model,
    migrated: Migration,
    {
      tables,
      state,
      random,
    }: { readonly tables: Readonly<Record<string, string>>; readonly state: State; readonly random: RandomSource },
  ) {
    this.#model = model;
    this.#migrated = migrated;
    this.#tables = tables;
    this.#random = random;
    this.state = state;
    this.#calls = new WriteCalls(model, new Pools(model, random.fork(1), now), random.fork(2));
    this.#codecs = codecsOf(model);
    this.#isDual = deployOf(migrated) === 'dual';
    if (this.#isDual) connectDuring(model, migrated, { client: {} as DynamoDBClient });
  }

  async work(client: DynamoDBClient): Promise<void> {
    for (let count = this.#random.between(10, 50); count > 0; count -= 1) await this.write(client);
  }

  /** One write: mostly of an item in the partition of a key, if one is given. */
  async write(client: DynamoDBClient, key?: StoredItem): Promise<void> {
    const before = this.#last;
    this.#last = (async () => {
      await before;
      await this.#write(client, this.#near(key));
    })();
    await this.#last;
  }

  /** What there is in the partition of a key, or all there is. */
  #near(key: StoredItem | undefined): State {
    if (key === undefined) return this.state;
    const near = new Map(
      [...this.state].map(([name, items]) => [name, items.filter((item) => this.#isNear(name, item, key))]),
    );
    return [...near.values()].some((items) => items.length > 0) ? near : this.state;
  }

  #isNear(entity: string, item: Values, key: StoredItem): boolean {
    try {
      const codec = this.#codecs.get(entity);
      const own = codec?.key(item) ?? {};
      const attribute = codec?.entity.table.place.partition[0]?.attribute ?? '';
      return sameValue(own[attribute], key[attribute]);
    } catch (error) {
      if (error instanceof InputError) return false;
      throw error;
    }
  }

  async #write(client: DynamoDBClient, near: State): Promise<void> {
    const model = this.#model;
    // A new parent counts from zero, and a run counts the children that were there before it: either may come last.
    const counting = this.#migrated.counts.map(({ parent }) => `"${parent.name}"`);
    const writes = Object.entries(model.patterns).filter(
      ([, need]) => need.reads === undefined && !counting.some((name) => JSON.stringify(need).includes(name)),
    );
    if (writes.length === 0) return;
    const run = storedFunctions(
      model,
      { client, tables: this.#tables, now: () => now, random: () => 0.5, pause: async () => undefined },
      this.#isDual ? (each, given) => connectDuring(each, this.#migrated, given) : undefined,
    );
    const [pattern, need] = this.#random.pick(writes);
    const call = this.#calls.draw(pattern, need, near);
    if (call === undefined) return;
    const told = `${pattern} ${JSON.stringify(call.input)}`;
    const expected = expectedWrite(need, this.#world(), call.input as Values);
    try {
      await run[pattern]?.(call.input);
    } catch (error) {
      // The table is not there yet.
      if (error instanceof InputError || (error as Error).name === 'ResourceNotFoundException') return;
      if (!(error instanceof RuleError)) throw error;
      const codes = error.failures.map(({ code }) => code);
      if (expected.kind === 'written' && !codes.includes('busy'))
        throw new Wrong(`${told} is refused: ${codes.join()}`);
      return;
    }
    if (expected.kind !== 'written')
      throw new Wrong(
        `${told} is written, and should be refused: ${expected.kind === 'refused' ? [...expected.codes].join() : ''}`,
      );
    this.state = expected.items;
  }

  #world(): WriteWorld {
    const model = this.#model;
    const { entities, relationships } = model;
    const first = new Set(
      [...resolve(model).patterns.values()].flatMap(({ plan: made }) =>
        made?.kind === 'write' ? made.writes.filter(({ readsFirst }) => readsFirst).map(({ need }) => need) : [],
      ),
    );
    return {
      entities,
      relationships,
      identity: (entity) => identityOf(model, entity),
      within: (entity, unique) => uniqueWithin(model, entity, unique),
      place: () => undefined,
      readsFirst: (need) => first.has(need),
      items: this.state,
      now,
    };
  }
}

type Contents = ReadonlyMap<string, StoredItem>;

/** The first difference between two contents, by the text of the key. */
function differenceOf(
  wanted: Contents,
  got: Contents,
  isAllowed: (attribute: string, wanted: StoredItem, got: StoredItem, key: string) => boolean,
): string | undefined {
  for (const [key, item] of wanted) {
    const have = got.get(key);
    if (have === undefined) return `lost: ${key} ${JSON.stringify(item)}`;
    if (sameItem(item, have)) continue;
    for (const name of new Set([...Object.keys(item), ...Object.keys(have)]))
      if (!sameValue(item[name], have[name]) && !isAllowed(name, item, have, key))
        return `${key}: ${name} is ${JSON.stringify(have[name])} and should be ${JSON.stringify(item[name])}`;
  }
  for (const [key, item] of got) if (!wanted.has(key)) return `stray: ${key} ${JSON.stringify(item)}`;
  return undefined;
}

async function itemsOf(client: DynamoDBClient, TableName: string): Promise<StoredItem[]> {
  const items: StoredItem[] = [];
  let ExclusiveStartKey: StoredItem | undefined;
  do {
    const page = await client.send(new ScanCommand({ TableName, ...(ExclusiveStartKey && { ExclusiveStartKey }) }));
    items.push(...(page.Items ?? []));
    ExclusiveStartKey = page.LastEvaluatedKey;
  } while (ExclusiveStartKey !== undefined);
  return items;
}

function keyOf(table: EntityInfo['table'] | undefined, item: StoredItem): string {
  const names = table === undefined ? [] : slotsOf(table.place).map(({ attribute }) => attribute);
  return `${table?.name ?? ''} ${names.map((name) => JSON.stringify(item[name])).join(' ')}`;
}

function isKeyAttribute({ table }: EntityInfo, attribute: string): boolean {
  return [table.place, ...table.indexes].some((place) => slotsOf(place).some((slot) => slot.attribute === attribute));
}

/** Whether an item is in an index in which it should not be. */
function isMoreIndexed({ table }: EntityInfo, wanted: StoredItem, found: StoredItem): boolean {
  return table.indexes.some((index) => {
    const isIn = (item: StoredItem): boolean => slotsOf(index).every(({ attribute }) => item[attribute] !== undefined);
    return isIn(found) && !isIn(wanted);
  });
}

function codecsOf(model: Model): Map<string, ItemCodec> {
  return new Map([...resolve(model).entities].map(([name, entity]) => [name, new ItemCodec(entity, evaluator)]));
}

/** A client of a process that dies after so many requests: before one is sent, or before its answer arrives. */
function mortal({ send }: DynamoDBClient, requests: number, random: RandomSource): DynamoDBClient {
  let left = requests;
  const dying = async (command: Parameters<DynamoDBClient['send']>[0]): Promise<unknown> => {
    left -= 1;
    if (left < 0) throw new Killed('before');
    if (Number.isFinite(requests) && random.chance(0.05))
      throw Object.assign(new Error('too many requests'), { name: 'ThrottlingException' });
    const answer = await send(command);
    if (left === 0 && random.chance(0.5)) throw new Killed('after');
    return answer;
  };
  return { send: dying } as unknown as DynamoDBClient;
}

/** A client before whose requests for items others write, mostly the item that is requested. */
function interrupted(
  { send }: DynamoDBClient,
  random: RandomSource,
  meanwhile: (key: StoredItem | undefined) => Promise<void>,
): DynamoDBClient {
  const sending = async (command: Parameters<DynamoDBClient['send']>[0]): Promise<unknown> => {
    const { Key, TransactItems } = command.input as {
      readonly Key?: StoredItem;
      readonly TransactItems?: readonly Readonly<Record<string, { readonly Key?: StoredItem }>>[];
    };
    const [first = {}] = TransactItems ?? [];
    const key = Key ?? Object.values(first)[0]?.Key;
    if (key !== undefined && random.chance(0.8)) await meanwhile(key);
    return send(command);
  };
  return { send: sending } as unknown as DynamoDBClient;
}

/** What the migration's file says. Nothing is computed where the plan does not ask for it. */
function functionsOf({ becoming }: MigrationScript, asked: readonly string[]): MigrationFunctions {
  const entities = Object.entries(becoming).flatMap(([name, becomes]) => {
    const { renamed, given, asText, computed } = becomes;
    if ([given, asText, renamed].every((each) => Object.keys(each).length === 0) && !asked.includes(name)) return [];
    return [
      [
        name,
        (item: Values): Values => {
          const next: Record<string, unknown> = {};
          for (const [to, from] of Object.entries(renamed))
            if (item[to] === undefined && item[from] !== undefined) next[to] = item[from];
          for (const [to, value] of Object.entries(given)) if ((next[to] ?? item[to]) === undefined) next[to] = value;
          for (const to of asText) {
            const value = next[to] ?? item[to];
            if (value !== undefined) next[to] = text(value);
          }
          for (const [to, from] of Object.entries(computed)) {
            const value = next[from] ?? item[from];
            if (value !== undefined) next[to] = Array.from(text(value))[0];
          }
          return next;
        },
      ] as const,
    ];
  });
  return { entities: Object.fromEntries(entities) };
}

/** Items of entities that the new version does not have are deleted first. */
function withoutRemoved({ becoming }: MigrationScript, state: State): State {
  const kept = new Set(Object.values(becoming).map(({ was }) => was));
  return new Map([...state].map(([name, items]) => [name, kept.has(name) ? items : []]));
}

function becomeState({ becoming, ...script }: MigrationScript, after: Model, state: State): State {
  const before = resolve(modelOf(script.before)).entities;
  return new Map(
    Object.keys(after.entities).map((name) => {
      const becomes = becoming[name];
      const items = becomes === undefined ? [] : (state.get(becomes.was) ?? []);
      const old = before.get(becomes?.was ?? '')?.attributes;
      return [name, items.map((item) => become(after, name, becomes, item, (lacking) => old?.get(lacking)?.fallback))];
    }),
  );
}

function become(
  model: Model,
  name: string,
  becomes: Becoming | undefined,
  item: Values,
  formerly: (attribute: string) => unknown,
): Values {
  const { rules = {} } = model.entities[name] ?? {};
  const next: Record<string, unknown> = {};
  for (const attribute of resolve(model).entities.get(name)?.attributes.values() ?? []) {
    const was = becomes?.renamed[attribute.name] ?? attribute.name;
    // Functions get what the old version reads, with its defaults.
    const isAsked = becomes?.asText.includes(attribute.name) === true || was !== attribute.name;
    const isNeeded = !attribute.optional;
    const old = item[was] ?? (isAsked || isNeeded ? formerly(was) : undefined) ?? becomes?.given[attribute.name];
    const value = old !== undefined && becomes?.asText.includes(attribute.name) === true ? text(old) : old;
    const filled = value ?? structuredClone(attribute.fallback) ?? (attribute.name === rules.lock ? 1 : undefined);
    if (filled !== undefined) next[attribute.name] = filled;
  }
  const computed = Object.entries(becomes?.computed ?? {}).map(
    ([to, from]) => [to, { from: [from], as: firstOf }] as const,
  );
  const schemas = model.entities[name]?.attributes ?? {};
  return withComputed(
    { computed: { ...Object.fromEntries(computed), ...rules.computed } },
    next,
    (attribute, value) => {
      const schema = schemas[attribute];
      return schema === undefined ? value : accepted(schema, value);
    },
  );
}

/** A number, or a text, as text. */
function text(value: unknown): string {
  return `${value as number | string}`;
}

function firstOf(values: object): string | undefined {
  return Array.from(Object.values(values).join(''))[0];
}

/** Children of the parents that they need. No write of the model leaves others. */
function withParents(model: Model, state: State): State {
  const next = new Map(state);
  for (const relationship of model.relationships) {
    const [parent, , , rules = {}] = relationship;
    if (rules.required !== true) continue;
    const identity = identityOf(model, parent);
    const isChild = (child: Values, item: Values): boolean =>
      identity.every((name) => equalValues(child[rules.by?.[name] ?? name], item[name]));
    const child = childOf(relationship);
    const isLoose = (item: Values): boolean => identity.some((name) => item[rules.by?.[name] ?? name] === undefined);
    const parents = next.get(parent) ?? [];
    const kept = (next.get(child) ?? []).filter((item) => isLoose(item) || parents.some((each) => isChild(item, each)));
    next.set(child, kept);
  }
  return next;
}

/** Items that have keys of their own. A model may accept that several have one. */
function apart(model: Model, state: State): State {
  const taken = new Set<string>();
  const codecs = codecsOf(model);
  return new Map(
    [...state].map(([name, items]) => [
      name,
      items.filter((item) => {
        const codec = codecs.get(name);
        try {
          const key = JSON.stringify([codec?.entity.table.name, codec?.key({ copy: 1, ...item })]);
          return !taken.has(key) && taken.add(key) !== undefined;
        } catch (error) {
          if (error instanceof InputError) return false;
          throw error;
        }
      }),
    ]),
  );
}

/** Parents with the number of their children, and the sums of their attributes. */
function withTallies(model: Model, state: State): State {
  const next = new Map(
    [...state].map(([name, items]) => [name, items.map((item): Record<string, unknown> => ({ ...item }))]),
  );
  for (const relationship of model.relationships) {
    const [parent, , , rules = {}] = relationship;
    const children = state.get(childOf(relationship)) ?? [];
    const identity = identityOf(model, parent);
    for (const item of next.get(parent) ?? []) {
      const own = children.filter((child) =>
        identity.every((name) => equalValues(child[rules.by?.[name] ?? name], item[name])),
      );
      // A parent that never had a child may lack its number.
      if (rules.count !== undefined && (own.length > 0 || item[rules.count] !== undefined))
        item[rules.count] = own.length;
      for (const [tally, of] of Object.entries(rules.sum ?? {}))
        if (own.length > 0 || item[tally] !== undefined)
          item[tally] = own.reduce<number | bigint>((sum, child) => exactSum(sum, (child[of] ?? 0) as number), 0);
    }
  }
  return next;
}
