import type { RandomSource } from '../../src/prove/random-source.ts';
import { family } from './family.ts';
import { type AttributeScript, modelOf, type ModelScript } from './model-script.ts';
import { refusals } from './prove-script.ts';
import { randomModel } from './random-model.ts';
import { randomWriteModel, withServed } from './random-write-model.ts';

/** What becomes of the items of one entity of the new version. */
export interface Becoming {
  /** The entity's name in the old version. */
  readonly was: string;
  /** Old names of attributes, by the new ones, if they differ. */
  readonly renamed: { readonly [attribute: string]: string };
  /** What items get that lack a required attribute. */
  readonly given: { readonly [attribute: string]: string | number };
  /** Attributes that become text. */
  readonly asText: readonly string[];
  /** Attributes that are the first character of another one. */
  readonly computed: { readonly [attribute: string]: string };
}

/** Two versions of a model, and what the items of the first become in the second. */
export interface MigrationScript {
  readonly before: ModelScript;
  readonly after: ModelScript;
  /** The changes, by name. */
  readonly edits: readonly string[];
  /** By the entity's name in the new version. Items of other entities stay what they are. */
  readonly becoming: { readonly [entity: string]: Becoming };
}

type Json = Record<string, unknown>;
type Attributes = Record<string, AttributeScript>;

/** The version that is being changed, and what its items become. */
class Draft {
  entities: Record<string, { attributes: Attributes; rules: Json }>;
  relationships: unknown[][];
  patterns: Record<string, Json>;
  tables: Record<string, Json>;
  keys: Record<string, Json>;
  storage: Record<string, Json>;
  served: Json;
  takes: Json;
  becoming: Record<
    string,
    {
      was: string;
      renamed: Record<string, string>;
      given: Record<string, string | number>;
      asText: string[];
      computed: Record<string, string>;
    }
  >;

  constructor(script: ModelScript) {
    const copy = JSON.parse(JSON.stringify(script)) as Json;
    this.entities = copy['entities'] as Draft['entities'];
    for (const each of Object.values(this.entities)) each.rules ??= {};
    this.relationships = (copy['relationships'] ?? []) as unknown[][];
    this.patterns = copy['patterns'] as Draft['patterns'];
    this.tables = copy['tables'] as Draft['tables'];
    this.keys = copy['keys'] as Draft['keys'];
    this.storage = (copy['storage'] ?? {}) as Draft['storage'];
    this.served = copy['served'] as Json;
    this.takes = (copy['takes'] ?? {}) as Json;
    this.becoming = Object.fromEntries(
      Object.keys(this.entities).map((name) => [name, { was: name, renamed: {}, given: {}, asText: [], computed: {} }]),
    );
  }

  script(): ModelScript {
    const { entities, relationships, patterns, tables, keys, storage, served, takes } = this;
    return { entities, relationships, patterns, tables, keys, storage, served, takes } as ModelScript;
  }

  /** The table of an entity, and its key there. */
  tableOf(entity: string): string {
    return Object.keys(this.keys[entity] ?? {}).find((place) => this.tables[place] !== undefined) ?? '';
  }

  /** Places besides the table in which an entity has a key. */
  indexesOf(entity: string): string[] {
    return Object.keys(this.keys[entity] ?? {}).filter((place) => this.tables[place] === undefined);
  }

  storageOf(entity: string): Json {
    return (this.storage[entity] ??= {});
  }

  /** The attributes that an entity's primary key is made of. */
  keyAttributes(entity: string): string[] {
    const text = JSON.stringify(this.keys[entity]?.[this.tableOf(entity)] ?? []);
    return [...text.matchAll(/\{(\w+)/g)].map(([, name = '']) => name);
  }

  /** Rewrites everything but the schemas as JSON text. */
  rewrite(change: (text: string) => string): void {
    const again = <T>(section: T): T => JSON.parse(change(JSON.stringify(section))) as T;
    this.relationships = again(this.relationships);
    this.patterns = again(this.patterns);
    this.keys = again(this.keys);
    this.storage = again(this.storage);
    this.served = again(this.served);
    this.takes = again(this.takes);
    for (const each of Object.values(this.entities)) each.rules = again(each.rules);
  }

  dropPatterns(isDropped: (need: string, served: string) => boolean): void {
    for (const name of Object.keys(this.patterns)) {
      if (!isDropped(JSON.stringify(this.patterns[name]), JSON.stringify(this.served[name] ?? ''))) continue;
      delete this.patterns[name];
      delete this.served[name];
      delete this.takes[name];
    }
  }
}

type Edit = (draft: Draft, random: RandomSource) => boolean;

const anyEntity = ({ entities }: Draft, random: RandomSource): string => random.pick(Object.keys(entities));
const anyAttribute = (draft: Draft, entity: string, random: RandomSource): string =>
  random.pick(Object.keys(draft.entities[entity]?.attributes ?? { none: 0 }));

/** Changes of a model, by name. Each returns whether it found something to change. */
const edits: Readonly<Record<string, Edit>> = {
  'add an optional attribute': (draft, random) => {
    const { attributes } = draft.entities[anyEntity(draft, random)] ?? {};
    if (attributes === undefined || attributes['extra'] !== undefined) return false;
    attributes['extra'] = random.pick<AttributeScript>([
      { type: 'text', optional: true },
      { type: 'int', default: 7 },
      { type: 'enum', values: ['p', 'q'], default: 'p' },
    ]);
    return true;
  },
  'add a required attribute': (draft, random) => {
    const entity = anyEntity(draft, random);
    const { attributes } = draft.entities[entity] ?? {};
    if (attributes === undefined || attributes['must'] !== undefined) return false;
    attributes['must'] = random.pick<AttributeScript>([{ type: 'text' }, { type: 'int' }]);
    given(draft, entity, 'must', attributes['must'].type === 'int' ? 3 : 'given');
    return true;
  },
  'remove an attribute': (draft, random) => {
    const entity = anyEntity(draft, random);
    const name = anyAttribute(draft, entity, random);
    if (draft.keyAttributes(entity).includes(name)) return false;
    const quoted = `"${name}"`;
    draft.dropPatterns((need) => need.includes(quoted) || need.includes(`"${name} `));
    delete draft.entities[entity]?.attributes[name];
    for (const index of draft.indexesOf(entity))
      if (uses(draft.keys[entity]?.[index], name)) removeKey(draft, entity, index);
    const rules = draft.entities[entity]?.rules ?? {};
    for (const [rule, value] of Object.entries(rules))
      if (JSON.stringify(value).includes(quoted)) removeRule(draft, entity, rule);
    return true;
  },
  'rename an attribute, stored as before': (draft, random) => rename(draft, random, true),
  'rename an attribute, stored as its name': (draft, random) => rename(draft, random, false),
  'store an attribute under another name': (draft, random) => {
    const entity = anyEntity(draft, random);
    const name = anyAttribute(draft, entity, random);
    const storage = draft.storageOf(entity);
    storage['stored'] = { ...(storage['stored'] as Json), [name]: `${name}_${random.below(3)}` };
    return true;
  },
  'store two attributes under each other’s names': (draft, random) => {
    const entity = anyEntity(draft, random);
    const [a, b] = random.some(Object.keys(draft.entities[entity]?.attributes ?? {}), 2);
    if (a === undefined || b === undefined) return false;
    const storage = draft.storageOf(entity);
    storage['stored'] = { ...(storage['stored'] as Json), [a]: b, [b]: a };
    return true;
  },
  'require an attribute': (draft, random) => {
    const entity = anyEntity(draft, random);
    const { attributes = {} } = draft.entities[entity] ?? {};
    const name = random.pick(Object.keys(attributes));
    const schema = attributes[name];
    if (schema === undefined || (schema.optional !== true && schema.default === undefined) || name === 'initial')
      return false;
    const value = valueFor(schema);
    if (value === undefined) return false;
    const { optional: _, default: __, ...rest } = schema;
    attributes[name] = rest;
    given(draft, entity, name, value);
    return true;
  },
  'make an attribute optional': (draft, random) => {
    const entity = anyEntity(draft, random);
    const { attributes = {} } = draft.entities[entity] ?? {};
    const name = random.pick(Object.keys(attributes));
    const { default: _, ...rest } = attributes[name] ?? { type: 'text' };
    attributes[name] = { ...rest, optional: true };
    return true;
  },
  'change a default': (draft, random) => {
    const entity = anyEntity(draft, random);
    const { attributes = {} } = draft.entities[entity] ?? {};
    const name = random.pick(Object.keys(attributes));
    const schema = attributes[name];
    const value = schema === undefined ? undefined : valueFor(schema, 1);
    if (schema === undefined || value === undefined || value === schema.default) return false;
    const { optional: _, ...rest } = schema;
    attributes[name] = { ...rest, default: value };
    const { computed = {} } = draft.entities[entity]?.rules ?? {};
    for (const [to, from] of Object.entries(computed as Record<string, string[]>))
      if (from.length === 1 && from[0] === name) becoming(draft, entity).computed[to] = name;
    return true;
  },
  'make a number text': (draft, random) => {
    const entity = anyEntity(draft, random);
    const { attributes = {} } = draft.entities[entity] ?? {};
    const numbers = Object.keys(attributes).filter(
      (each) =>
        ['int', 'number'].includes(attributes[each]?.type ?? '') &&
        attributes[each]?.codec === undefined &&
        draft.entities[entity]?.rules['lock'] !== each,
    );
    if (numbers.length === 0) return false;
    const name = random.pick(numbers);
    const { optional } = attributes[name] ?? {};
    attributes[name] = { type: 'text', ...(optional === true && { optional }) };
    becoming(draft, entity).asText.push(name);
    return true;
  },
  'widen a schema': (draft, random) => {
    const { attributes = {} } = draft.entities[anyEntity(draft, random)] ?? {};
    const name = random.pick(Object.keys(attributes));
    const schema = attributes[name];
    if (schema?.type === 'enum') attributes[name] = { ...schema, values: [...(schema.values ?? []), 'MORE'] };
    else if (schema?.max !== undefined) attributes[name] = { ...schema, max: schema.max * 10 + 9 };
    else return false;
    return true;
  },
  'change the text of a primary key': (draft, random) => {
    const entity = anyEntity(draft, random);
    return changeTemplates(draft, entity, draft.tableOf(entity), random);
  },
  'change the text of an index key': (draft, random) => {
    const entity = anyEntity(draft, random);
    const indexes = draft.indexesOf(entity);
    return indexes.length > 0 && changeTemplates(draft, entity, random.pick(indexes), random);
  },
  'change the prefix of all keys': (draft, random) => {
    const [from, to] = [random.pick(['A#', 'P#', 'H#', 'C#', 'I#']), random.pick(['Z#', 'X#'])];
    const before = JSON.stringify(draft.keys);
    draft.keys = JSON.parse(before.replaceAll(`"${from}`, `"${to}`)) as Draft['keys'];
    return JSON.stringify(draft.keys) !== before;
  },
  'give a key a condition': (draft, random) => {
    const entity = anyEntity(draft, random);
    const indexes = draft.indexesOf(entity);
    if (indexes.length === 0) return false;
    const index = random.pick(indexes);
    const key = draft.keys[entity]?.[index];
    const name = anyAttribute(draft, entity, random);
    if (!Array.isArray(key) || typeof key[0] !== 'string') return false;
    draft.dropPatterns((_, served) => served.includes(`"${index}"`));
    Object.assign(draft.keys[entity] ?? {}, { [index]: { when: { [name]: { exists: true } }, key } });
    return true;
  },
  'add an index': (draft, random) => {
    const entity = anyEntity(draft, random);
    const table = draft.tables[draft.tableOf(entity)];
    const indexes = (table?.['indexes'] ?? {}) as Json;
    if (table === undefined || indexes['Added'] !== undefined) return false;
    const name = anyAttribute(draft, entity, random);
    const [own = 'h'] = draft.keyAttributes(entity);
    const [identity] = draft.keyAttributes(entity).slice(-1);
    const plain = random.chance(0.2);
    table['indexes'] = {
      ...indexes,
      Added: plain ? { partition: [name], sort: [identity ?? own] } : ['Added1', 'Added2'],
    };
    const key = plain ? [`{${name}}`, `{${identity ?? own}}`] : [`ADD#{${name}}`, `{${identity ?? own}}`];
    Object.assign(draft.keys[entity] ?? {}, {
      Added: random.chance(0.25) ? { when: { [anyAttribute(draft, entity, random)]: { exists: true } }, key } : key,
    });
    if (draft.patterns['added'] === undefined) {
      draft.patterns['added'] = { reads: [entity], by: [name] };
      draft.served['added'] = { query: 'Added' };
    }
    return true;
  },
  'take an entity out of an index': (draft, random) => {
    const entity = anyEntity(draft, random);
    const indexes = draft.indexesOf(entity);
    if (indexes.length === 0) return false;
    removeKey(draft, entity, random.pick(indexes));
    return true;
  },
  'remove an index': (draft, random) => {
    const found = anyIndex(draft, random);
    if (found === undefined) return false;
    removeIndex(draft, found.table, found.index);
    return true;
  },
  'give an index another name': (draft, random) => {
    const found = anyIndex(draft, random);
    if (found === undefined) return false;
    const { table, index } = found;
    const indexes = draft.tables[table]?.['indexes'] as Json;
    draft.tables[table] = {
      ...draft.tables[table],
      indexes: Object.fromEntries(
        Object.entries(indexes).map(([name, layout]) => [name === index ? 'Other' : name, layout]),
      ),
    };
    draft.rewrite((text) => text.replaceAll(`"${index}"`, '"Other"'));
    // One of its entities does not come along.
    if (random.chance(0.5)) removeKey(draft, anyEntity(draft, random), 'Other');
    return true;
  },
  'change what an index holds': (draft, random) => {
    const found = anyIndex(draft, random);
    if (found === undefined) return false;
    const indexes = draft.tables[found.table]?.['indexes'] as Json;
    const layout = indexes[found.index];
    const [partition, sort] = Array.isArray(layout) ? (layout as string[]) : [];
    if (partition === undefined) return false;
    indexes[found.index] = {
      partition: [partition],
      ...(sort !== undefined && { sort: [sort] }),
      project: 'KEYS_ONLY',
    };
    return true;
  },
  'rename an entity, with its type': (draft, random) => {
    const entity = anyEntity(draft, random);
    const { type = entity } = draft.storageOf(entity) as { type?: string };
    if (!renameEntity(draft, entity, `${entity}2`)) return false;
    draft.storageOf(`${entity}2`)['type'] = type;
    return true;
  },
  'change the type of an entity': (draft, random) => {
    draft.storageOf(anyEntity(draft, random))['type'] = random.pick(['T', 'U', 'Migration']);
    return true;
  },
  'exchange the types of two entities': (draft, random) => {
    const [a, b] = random.some(Object.keys(draft.entities), 2);
    if (a === undefined || b === undefined) return false;
    const types = [a, b].map((name) => (draft.storageOf(name)['type'] ?? name) as string);
    draft.storageOf(a)['type'] = types[1];
    draft.storageOf(b)['type'] = types[0];
    return true;
  },
  'add an entity': (draft, random) => {
    const table = random.pick(Object.keys(draft.tables));
    const { key = [] } = (draft.tables[table] ?? {}) as { readonly key?: readonly unknown[] };
    if (draft.entities['New'] !== undefined || key.length < 2) return false;
    draft.entities['New'] = { attributes: { k: { type: 'pattern', pattern: '^[a-z]$' } }, rules: {} };
    draft.keys['New'] = { [table]: ['NEW/{k}', 'NEW'] };
    draft.patterns['oneNew'] = { reads: 'New', by: ['k'] };
    draft.served['oneNew'] = 'GetItem';
    return true;
  },
  'remove an entity': (draft, random) => {
    const entity = anyEntity(draft, random);
    if (Object.keys(draft.entities).length < 2) return false;
    const quoted = `"${entity}"`;
    draft.dropPatterns((need) => need.includes(quoted));
    draft.relationships = draft.relationships.filter((each) => !JSON.stringify(each).includes(quoted));
    delete draft.entities[entity];
    delete draft.keys[entity];
    delete draft.storage[entity];
    delete draft.becoming[entity];
    return true;
  },
  'rename a table': (draft, random) => {
    const table = random.pick(Object.keys(draft.tables));
    if (draft.tables['Renamed'] !== undefined) return false;
    draft.tables = Object.fromEntries(
      Object.entries(draft.tables).map(([name, layout]) => [name === table ? 'Renamed' : name, layout]),
    );
    draft.rewrite((text) => text.replaceAll(`"${table}"`, '"Renamed"'));
    return true;
  },
  'move an entity to a table of its own': (draft, random) => {
    const entity = anyEntity(draft, random);
    const table = draft.tableOf(entity);
    if (draft.tables['Own'] !== undefined || draft.indexesOf(entity).length > 0) return false;
    draft.tables['Own'] = {
      ...draft.tables[table],
      ...(random.chance(0.5) && { key: ['OwnPK', 'OwnSK'] }),
      ...(random.chance(0.3) && { type: 'Kind' }),
      indexes: {},
    };
    draft.keys[entity] = { Own: draft.keys[entity]?.[table] };
    for (const name of Object.keys(draft.patterns))
      if (
        JSON.stringify(draft.patterns[name]).includes(`"${entity}"`) &&
        JSON.stringify(draft.served[name]).includes(`"${table}"`)
      )
        draft.served[name] = JSON.parse(JSON.stringify(draft.served[name]).replaceAll(`"${table}"`, '"Own"'));
    return true;
  },
  'change a separator': (draft, random) => {
    const layout = draft.tables[random.pick(Object.keys(draft.tables))];
    if (layout === undefined) return false;
    const old = (layout['separator'] ?? '#') as string;
    const next = random.pick(['#', '|', '~', '/']);
    if (old === next) return false;
    layout['separator'] = next;
    if (random.chance(0.7)) draft.keys = JSON.parse(JSON.stringify(draft.keys).replaceAll(old, next)) as Draft['keys'];
    return true;
  },
  'change a table': (draft, random) => {
    const layout = draft.tables[random.pick(Object.keys(draft.tables))];
    if (layout === undefined) return false;
    Object.assign(
      layout,
      random.pick<Json>([{ key: ['K1', 'K2'] }, { type: 'Kind' }, { stream: 'NEW_IMAGE' }, { key: ['PK', 'SK2'] }]),
    );
    return true;
  },
  'add a unique attribute': (draft, random) => {
    const entity = anyEntity(draft, random);
    const { rules = {} } = draft.entities[entity] ?? {};
    const unique = (rules['unique'] ?? []) as string[];
    const name = anyAttribute(draft, entity, random);
    if (unique.includes(name)) return false;
    rules['unique'] = [...unique, name];
    return true;
  },
  'remove a unique attribute': (draft, random) => {
    const { rules = {} } = draft.entities[anyEntity(draft, random)] ?? {};
    if (rules['unique'] === undefined) return false;
    delete rules['unique'];
    return true;
  },
  'change the guards of a unique attribute': (draft, random) => {
    const entity = anyEntity(draft, random);
    const [unique] = (draft.entities[entity]?.rules['unique'] ?? []) as string[];
    if (unique === undefined) return false;
    const name = random.chance(0.5) ? unique : anyAttribute(draft, entity, random);
    draft.storageOf(entity)['unique'] = {
      [unique]: {
        key: [`G#{${unique}}${name === unique ? '' : `#{${name}}`}`, 'G'],
        ...(random.chance(0.5) && { type: 'Guard' }),
      },
    };
    return true;
  },
  'add a count': (draft, random) =>
    changeRelation(draft, random, (rules, parent) => {
      if (rules['count'] !== undefined) return false;
      parent['counted'] = random.pick<AttributeScript>([
        { type: 'int', default: 0 },
        { type: 'int', optional: true },
      ]);
      rules['count'] = 'counted';
      return true;
    }),
  'remove a count or a sum': (draft, random) =>
    changeRelation(draft, random, (rules) => {
      if (rules['count'] === undefined && rules['sum'] === undefined) return false;
      delete rules[random.chance(0.5) && rules['count'] !== undefined ? 'count' : 'sum'];
      return true;
    }),
  'count in another attribute': (draft, random) =>
    changeRelation(draft, random, (rules, parent) => {
      if (rules['count'] === undefined) return false;
      parent['counted'] = { type: 'int', default: 0 };
      rules['count'] = 'counted';
      return true;
    }),
  'add a sum': (draft, random) =>
    changeRelation(draft, random, (rules, parent) => {
      parent['summed'] = { type: 'int', default: 0 };
      rules['sum'] = { ...(rules['sum'] as Json), summed: random.pick(['n', 'm', 'stock']) };
      return true;
    }),
  'sum another attribute': (draft, random) =>
    changeRelation(draft, random, (rules) => {
      const [tally] = Object.keys(rules['sum'] ?? {});
      if (tally === undefined) return false;
      rules['sum'] = { [tally]: random.pick(['n', 'm', 'stock', 'grade']) };
      return true;
    }),
  'require a parent': (draft, random) =>
    changeRelation(draft, random, (rules) => {
      rules['required'] = rules['required'] !== true;
      return true;
    }),
  'add a lock': (draft, random) => {
    const { attributes, rules } = draft.entities[anyEntity(draft, random)] ?? {};
    if (attributes === undefined || rules === undefined || rules['lock'] !== undefined) return false;
    attributes['revision'] = { type: 'int' };
    rules['lock'] = 'revision';
    draft.dropPatterns((need) => need.includes('orCreates') || need.includes('"puts"'));
    return true;
  },
  'remove a rule': (draft, random) => {
    const entity = anyEntity(draft, random);
    const { rules = {} } = draft.entities[entity] ?? {};
    const names = Object.keys(rules).filter((name) => name !== 'unique' && rules[name] !== 'revision');
    if (names.length === 0) return false;
    removeRule(draft, entity, random.pick(names));
    return true;
  },
  'let items expire': (draft, random) => {
    const { attributes, rules } = draft.entities[anyEntity(draft, random)] ?? {};
    if (attributes === undefined || rules === undefined || rules['expires'] !== undefined) return false;
    const numbers = Object.keys(attributes).filter(
      (name) => attributes[name]?.type === 'int' && attributes[name].optional === true,
    );
    if (numbers.length > 0 && random.chance(0.7)) rules['expires'] = random.pick(numbers);
    else {
      attributes['ends'] = { type: 'int', optional: true };
      rules['expires'] = 'ends';
    }
    return true;
  },
  'compute an attribute': (draft, random) => {
    const entity = anyEntity(draft, random);
    const { attributes, rules } = draft.entities[entity] ?? {};
    if (attributes === undefined || rules === undefined || rules['computed'] !== undefined) return false;
    const from = anyAttribute(draft, entity, random);
    attributes['initial'] = { type: 'text', optional: true };
    rules['computed'] = { initial: [from] };
    becoming(draft, entity).computed = { initial: from };
    return true;
  },
  'keep copies': (draft, random) => {
    const entity = anyEntity(draft, random);
    const { rules } = draft.entities[entity] ?? {};
    if (rules === undefined || rules['copies'] !== undefined) return false;
    rules['copies'] = 2;
    const table = draft.tableOf(entity);
    const key = draft.keys[entity]?.[table] as string[] | undefined;
    if (typeof key?.[0] !== 'string') return false;
    Object.assign(draft.keys[entity] ?? {}, { [table]: [`${key[0]}#{copy}`, ...key.slice(1)] });
    return true;
  },
};

/** Changes that every item has to follow while others write it are drawn more often. */
const frequent = [
  'change the text of an index key',
  'change the prefix of all keys',
  'give a key a condition',
  'change a default',
  'add a count',
  'count in another attribute',
  'store an attribute under another name',
];
const editNames = [...Object.keys(edits), ...frequent, ...frequent, ...frequent];

/** How often a pair is drawn again because `check` refuses one of its versions. */
const redrawnMost = 4;

/** Draws a model and changes it at random, in one to three ways. `check` accepts most of the pairs. */
export function randomMigration(random: RandomSource): MigrationScript {
  let drawn = drawnPair(random.fork(0));
  for (let again = 1; again <= redrawnMost && !isAccepted(drawn); again += 1) drawn = drawnPair(random.fork(again));
  return drawn;
}

function isAccepted({ before, after }: MigrationScript): boolean {
  return [before, after].every((script) => refusals(modelOf(script)).length === 0);
}

function drawnPair(random: RandomSource): MigrationScript {
  const kind = random.next();
  const before = kind < 0.3 ? family : kind < 0.7 ? randomWriteModel(random.fork(1)) : randomModel(random.fork(1));
  const draft = new Draft(before);
  const made: string[] = [];
  const wanted = random.pick([1, 1, 2, 2, 3]);
  for (let tries = 0; tries < 20 && made.length < wanted; tries += 1) {
    const name = random.pick(editNames);
    if (edits[name]?.(draft, random.fork(tries + 2)) === true) made.push(name);
  }
  return { before, after: servedAgain(draft.script()), edits: made, becoming: draft.becoming };
}

/** Writes take other operations once the rules are others. */
export function servedAgain(script: ModelScript): ModelScript {
  const names = Object.keys(script.patterns);
  const isRead = (name: string): boolean => 'reads' in (script.patterns[name] ?? {});
  const only = <T>(
    section: { readonly [name: string]: T } | undefined,
    keep: (name: string) => boolean,
  ): Record<string, T> => Object.fromEntries(Object.entries(section ?? {}).filter(([name]) => keep(name)));
  if (names.every(isRead)) return script;
  const isWrite = (name: string): boolean => !isRead(name);
  const writes = withServed({
    ...script,
    patterns: only(script.patterns, isWrite),
    served: {},
    takes: only(script.takes, isWrite),
  });
  return {
    ...script,
    patterns: { ...only(script.patterns, isRead), ...writes.patterns },
    served: { ...only(script.served, isRead), ...writes.served },
    takes: { ...only(script.takes, isRead), ...writes.takes },
  };
}

function becoming(draft: Draft, entity: string): Draft['becoming'][string] {
  return (draft.becoming[entity] ??= { was: entity, renamed: {}, given: {}, asText: [], computed: {} });
}

function given(draft: Draft, entity: string, attribute: string, value: string | number): void {
  becoming(draft, entity).given[attribute] = value;
}

function valueFor({ type, values, min, codec, meta, pattern }: AttributeScript, at = 0): string | number | undefined {
  if (codec !== undefined || meta !== undefined) return undefined;
  if (type === 'enum') return values?.at(-1 - at) ?? values?.[0];
  if (type === 'int' || type === 'number') return (min ?? 0) + at;
  if (type === 'text' && (min ?? 0) <= 3) return `abc${at === 0 ? '' : at}`.slice(0, 3 + at);
  return type === 'pattern' && pattern === '^[a-z]{1,2}$' ? 'zz' : undefined;
}

function rename(draft: Draft, random: RandomSource, keepStored: boolean): boolean {
  const entity = anyEntity(draft, random);
  const { attributes } = draft.entities[entity] ?? {};
  const name = anyAttribute(draft, entity, random);
  if (attributes === undefined || name.endsWith('New')) return false;
  const next = `${name}New`;
  // Other entities have attributes of the same name, which patterns and relationships name together.
  for (const [each, { attributes: theirs }] of Object.entries(draft.entities)) {
    if (theirs[name] === undefined) continue;
    draft.entities[each] = {
      attributes: Object.fromEntries(
        Object.entries(theirs).map(([old, schema]) => [old === name ? next : old, schema]),
      ),
      rules: draft.entities[each]?.rules ?? {},
    };
    const { renamed, given: values, asText, computed } = becoming(draft, each);
    for (const [attribute, from] of Object.entries(computed)) {
      delete computed[attribute];
      computed[attribute === name ? next : attribute] = from === name ? next : from;
    }
    renamed[next] = renamed[name] ?? name;
    if (values[name] !== undefined) values[next] = values[name];
    if (asText.includes(name)) asText.push(next);
    const storage = draft.storageOf(each);
    const { [name]: stored, ...rest } = (storage['stored'] ?? {}) as Record<string, string>;
    storage['stored'] = {
      ...rest,
      ...(keepStored ? { [next]: stored ?? name } : stored === undefined ? {} : { [next]: stored }),
    };
  }
  const stored = Object.fromEntries(Object.entries(draft.storage).map(([each, { stored: names }]) => [each, names]));
  draft.rewrite((text) =>
    text
      .replaceAll(`"${name}"`, `"${next}"`)
      .replaceAll(`{${name}}`, `{${next}}`)
      .replaceAll(`{${name}:`, `{${next}:`)
      .replaceAll(`"${name} `, `"${next} `)
      .replaceAll(`.${name}"`, `.${next}"`),
  );
  for (const [each, names] of Object.entries(stored)) if (names !== undefined) draft.storageOf(each)['stored'] = names;
  return true;
}

function uses(key: unknown, name: string): boolean {
  const text = JSON.stringify(key ?? '');
  return text.includes(`{${name}}`) || text.includes(`{${name}:`) || text.includes(`"${name}"`);
}

function removeKey(draft: Draft, entity: string, index: string): void {
  if (draft.keys[entity]?.[index] === undefined) return;
  delete draft.keys[entity]?.[index];
  draft.dropPatterns((need, served) => served.includes(`"${index}"`) && need.includes(`"${entity}"`));
}

function anyIndex(
  { tables }: Draft,
  random: RandomSource,
): { readonly table: string; readonly index: string } | undefined {
  const all = Object.entries(tables).flatMap(([table, { indexes = {} }]) =>
    Object.keys(indexes as Json).map((index) => ({ table, index })),
  );
  return all.length === 0 ? undefined : random.pick(all);
}

function removeIndex(draft: Draft, table: string, index: string): void {
  for (const entity of Object.keys(draft.keys)) removeKey(draft, entity, index);
  const { indexes: all = {}, ...layout } = draft.tables[table] as { indexes?: Json };
  const { [index]: _, ...indexes } = all;
  draft.tables[table] = { ...layout, indexes };
  draft.dropPatterns((_need, served) => served.includes(`"${index}"`));
}

/** Another text around the variables of a key, or another form of one of them. */
function changeTemplates(draft: Draft, entity: string, place: string, random: RandomSource): boolean {
  const key = JSON.stringify(draft.keys[entity]?.[place] ?? []);
  const templates = [...key.matchAll(/"([^"]*\{\w[^"]*)"/g)].map(([, template = '']) => template);
  if (templates.length === 0) return false;
  const template = random.pick(templates);
  const { attributes = {} } = draft.entities[entity] ?? {};
  const changed = random.pick<() => string>([
    () => `N${template}`,
    () => template.replace(/^[A-Z]+/, 'OTHER'),
    () =>
      template.replace(
        /\{(\w+)\}/,
        (_, name: string) => `{${name}:${attributes[name]?.type === 'int' ? '05' : 'escape'}}`,
      ),
    () => template.replace(/\{(\w+):\w+\}/, '{$1}'),
    () => template.replace(/\{(\w+)\}/, '{$1:upper}'),
  ])();
  if (changed === template) return false;
  Object.assign(draft.keys[entity] ?? {}, {
    [place]: JSON.parse(key.replaceAll(`"${template}"`, `"${changed}"`)) as unknown,
  });
  return true;
}

function renameEntity(draft: Draft, name: string, next: string): boolean {
  if (draft.entities[next] !== undefined) return false;
  const moved = <T>(section: Record<string, T>): Record<string, T> =>
    Object.fromEntries(Object.entries(section).map(([each, value]) => [each === name ? next : each, value]));
  draft.entities = moved(draft.entities);
  draft.becoming = moved(draft.becoming);
  const types = Object.entries(draft.storage).map(([each, { type }]) => [each === name ? next : each, type] as const);
  draft.rewrite((text) => text.replaceAll(`"${name}"`, `"${next}"`).replaceAll(`"${name}.`, `"${next}.`));
  // A stored type stays, although it may be the old name: another entity may have it.
  for (const [each, type] of types) if (type !== undefined) draft.storageOf(each)['type'] = type;
  return true;
}

/** Items get no value that a rule no longer computes. */
function removeRule(draft: Draft, entity: string, rule: string): void {
  delete draft.entities[entity]?.rules[rule];
  if (rule === 'computed') becoming(draft, entity).computed = {};
}

function changeRelation(
  draft: Draft,
  random: RandomSource,
  change: (rules: Json, parent: Attributes) => boolean,
): boolean {
  if (draft.relationships.length === 0) return false;
  const relation = random.pick(draft.relationships);
  const [parent] = relation as [string];
  const rules = { ...(relation[3] as Json | undefined) };
  const { attributes } = draft.entities[parent] ?? {};
  if (attributes === undefined || !change(rules, attributes)) return false;
  relation[3] = rules;
  return true;
}
