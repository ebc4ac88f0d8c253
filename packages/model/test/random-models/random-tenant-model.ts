import type { RandomSource } from '../../src/prove/random-source.ts';
import { type AttributeScript, type ModelScript, modelOf } from './model-script.ts';
import { randomModel } from './random-model.ts';
import { randomWriteModel, withServed } from './random-write-model.ts';

/** The attribute that identifies the tenant in the drawn models. */
const tenantAttribute = 'org';

/** Values next to each other: beginnings of one another, separators of keys, and what the language of policies gives a meaning. */
const examples = [
  ['a', 'ab', 'abc', 'A', 'Ab', 'b', 'a#', 'a#b', 'a#X', 'a|b', 'a/b', 'a~', 'a-b', 'a.b', '#', '', ' ', 'é'],
  ['*', '?', 'a*', 'a?', '${', '${*}', '${aws:PrincipalTag/org}', '$', 'a${', 'I', 'T', 'TT', '%23'],
  [0, 1, 10, 11, 100, 1.5, 15, -1],
].flat();

/**
 * Draws a model with tenants: one of the other random models, whose keys begin with the tenant, nearly always in a way that separates the
 * tenants. About half of them pass `check`.
 */
export function randomTenantModel(random: RandomSource): ModelScript {
  const writes = random.chance(0.45);
  const base = writes ? randomWriteModel(random.fork(1)) : randomModel(random.fork(1));
  const script = withTenant(base, random.fork(2));
  return writes ? withServed(script) : script;
}

type Templates = readonly string[];
type Lead = (templates: Templates, separator: string) => Templates;

/** How a key begins with the tenant. */
interface Style {
  readonly weight: number;
  readonly lead: Lead;
}

const before =
  (start: string, end: string): Lead =>
  ([first = '', ...others], separator) => [`${text(start, separator)}${text(end, separator)}${first}`, ...others];

/** The rest of the partition key is the beginning of the sort key. */
const alone =
  (partition: string): Lead =>
  ([first = '', second, ...others], separator) =>
    second === undefined
      ? [text(partition, separator)]
      : [text(partition, separator), `${first}${separator}${second}`, ...others];

/** The tenant is an attribute of the partition key. */
const ofItsOwn: Lead = (templates, separator) => [text('T#{org}', separator), ...templates];

function splitIndexes(indexes: object | undefined): object | undefined {
  if (indexes === undefined) return undefined;
  return Object.fromEntries(
    Object.entries(indexes).map(([name, index]: [string, unknown]) => {
      if (name !== 'Index') return [name, index];
      const { partition, sort, ...rest } = Array.isArray(index)
        ? { partition: index.slice(0, 1) as Templates, sort: index.slice(1) as Templates }
        : (index as { readonly partition: Templates; readonly sort: Templates });
      return [name, { ...rest, partition: ['Tenant', ...partition], sort }];
    }),
  );
}

function text(template: string, separator: string): string {
  return template.replaceAll('#', separator);
}

const styles: readonly Style[] = [
  { weight: 14, lead: before('T#', '{org}#') },
  { weight: 3, lead: before('', '{org}#') },
  { weight: 3, lead: alone('T#{org}') },
  { weight: 2, lead: alone('{org}') },
  { weight: 2, lead: before('T', '{org}#') },
  { weight: 4, lead: before('T#', '{org}') },
  { weight: 2, lead: before('T#', '{org}.') },
  { weight: 1, lead: before('T#', '{org}X') },
  { weight: 1, lead: before('TT#', '{org}#') },
  { weight: 1, lead: before('T*?$#', '{org}#') },
  { weight: 0.5, lead: before('T#', '{org:lower}#') },
  { weight: 0.5, lead: before('T#', '{org:escape}#') },
  { weight: 0.5, lead: before('T#', '{org:shard2}#{org}#') },
  { weight: 0.5, lead: (templates) => templates },
];

function leadOf(random: RandomSource): Lead {
  let left = random.next() * styles.reduce((sum, { weight }) => sum + weight, 0);
  const found = styles.find(({ weight }) => (left -= weight) < 0);
  return found === undefined ? before('T#', '{org}#') : found.lead;
}

const schemas: readonly AttributeScript[] = [
  { type: 'pattern', pattern: '^[a-z]{1,2}$' },
  { type: 'pattern', pattern: '^[^#|~/.-]*$' },
  { type: 'pattern', pattern: '^[^#|~/-]+$' },
  { type: 'pattern', pattern: '^[a-c]{3}$' },
  { type: 'text', min: 2, max: 2 },
  { type: 'text' },
  { type: 'text', lower: true },
  { type: 'enum', values: ['a', 'ab', 'A'] },
  { type: 'enum', values: ['a', 'a#b', 'b'] },
  { type: 'enum', values: ['*', 'a*', '${*}', 'b'] },
  { type: 'enum', values: ['', 'a'] },
  { type: 'int', min: 0, max: 120 },
  { type: 'int' },
  { type: 'literals', values: [1, '1', 'a'] },
  { type: 'bool' },
];

function withTenant(base: ModelScript, random: RandomSource): ModelScript {
  const org = random.pick(schemas);
  const usual = leadOf(random);
  const lead = (): Lead => (random.chance(0.85) ? usual : leadOf(random));
  // Two entities would have different tenants of one input, if only one of them changes its case.
  const attribute = (): AttributeScript =>
    org.lower === true || random.chance(0.75)
      ? org
      : random.chance(0.9)
        ? random.pick(schemas.filter(({ lower }) => lower !== true))
        : { ...org, optional: true };
  const entities = Object.fromEntries(
    Object.entries(base.entities).map(([name, { attributes, rules = {} }]) => {
      const schema = attribute();
      const known = (rules as { readonly examples?: object }).examples;
      const values = examples.filter((value) => isTaken(schema, value));
      return [
        name,
        {
          attributes: { [tenantAttribute]: schema, ...attributes },
          rules: { ...rules, examples: { ...known, org: values } },
        },
      ];
    }),
  );
  const isNumeric = org.type === 'int' && random.chance(0.5);
  const isOwn = !isNumeric && random.chance(0.05);
  // An index whose partition key has two attributes, the first of which is the tenant.
  const isSplit = random.chance(0.1);
  const tables = Object.fromEntries(
    Object.entries(base.tables).map(([name, table]) => {
      const { key, indexes, ...rest } = table as { readonly key: Templates; readonly indexes?: object };
      const [partition = 'PK', ...sort] = key;
      const first = isNumeric ? `${partition}:N` : isOwn ? tenantAttribute : partition;
      const places = isSplit ? splitIndexes(indexes) : indexes;
      return [name, { ...rest, key: [first, ...sort], ...(places && { indexes: places }), tenant: tenantAttribute }];
    }),
  );
  const keys = Object.fromEntries(
    Object.entries(base.keys).map(([entity, places]) => [
      entity,
      Object.fromEntries(
        Object.entries(places as Readonly<Record<string, unknown>>).map(([place, key]) => {
          if (isLocal(base, place)) return [place, key];
          if (isSplit && place === 'Index') return [place, ledKey(key, ofItsOwn, separatorOf(base, place))];
          const how = isNumeric || isOwn ? (place in base.tables ? alone('{org}') : lead()) : lead();
          return [place, ledKey(key, how, separatorOf(base, place))];
        }),
      ),
    ]),
  );
  const storage = { ...base.storage };
  for (const [entity, { rules = {} }] of Object.entries(base.entities))
    for (const unique of (rules as { readonly unique?: Templates }).unique ?? []) {
      const known: { readonly unique?: Readonly<Record<string, { readonly key: Templates }>> } | undefined =
        storage[entity];
      const same = (rules as { readonly same?: Readonly<Record<string, string>> }).same?.[unique];
      const variable = same === undefined ? `{${unique}}` : `{${unique}:${same}}`;
      const guard = known?.unique?.[unique] ?? { key: [`MAIL#${variable}`, 'MAIL'] };
      const how = isNumeric || isOwn ? alone('{org}') : lead();
      storage[entity] = {
        ...known,
        unique: {
          ...known?.unique,
          [unique]: { ...guard, key: how(guard.key, separatorOf(base, Object.keys(base.tables)[0] ?? '')) },
        },
      };
    }
  const patterns = Object.fromEntries(
    Object.entries(base.patterns).map(([name, need]) => [name, random.chance(0.98) ? byTenant(need) : need]),
  );
  const shared = random.chance(0.15);
  return {
    ...base,
    entities: shared ? { ...entities, Plan: { attributes: { plan: { type: 'text', min: 1 } } } } : entities,
    tables,
    keys: shared ? { ...keys, Plan: sharedKey(base, random) } : keys,
    storage: shared ? { ...storage, Plan: { accepts: { 'no-tenant': 'the same for all' } } } : storage,
    patterns: shared ? { ...patterns, plan: { reads: 'Plan', by: ['plan'] }, putPlan: { puts: 'Plan' } } : patterns,
    served: shared ? { ...base.served, plan: 'GetItem', putPlan: 'PutItem' } : base.served,
  };
}

function sharedKey(base: ModelScript, random: RandomSource): object {
  const [table = 'Data'] = Object.keys(base.tables);
  const partition = random.pick(['PLAN#{plan}', 'PLAN#{plan}', 'T#{plan}', 'TP#{plan}', '{plan}', 'PLAN']);
  return { [table]: [text(partition, separatorOf(base, table)), 'PLAN'] };
}

function isTaken(schema: AttributeScript, value: unknown): boolean {
  const model = modelOf({
    entities: { One: { attributes: { org: schema } } },
    patterns: {},
    tables: {},
    keys: {},
    served: {},
  });
  const result = model.entities['One']?.attributes['org']?.['~standard'].validate(value) as {
    readonly issues?: object;
  };
  return result.issues === undefined;
}

function ledKey(key: unknown, how: Lead, separator: string): unknown {
  if (!Array.isArray(key)) return ledForm(key as { readonly key: Templates }, how, separator);
  return key.every((each) => typeof each === 'string')
    ? how(key, separator)
    : key.map((each) => ledForm(each as { readonly key: Templates }, how, separator));
}

function ledForm(form: { readonly key: Templates }, how: Lead, separator: string): object {
  return { ...form, key: how(form.key, separator) };
}

function isLocal({ tables }: ModelScript, place: string): boolean {
  return Object.values(tables).some((table) => {
    const { indexes = {} } = table as { readonly indexes?: Readonly<Record<string, unknown>> };
    return Object(indexes[place]).local !== undefined;
  });
}

function separatorOf({ tables }: ModelScript, place: string): string {
  const found = Object.entries(tables).find(
    ([name, { indexes = {} }]: [string, { readonly indexes?: object }]) => name === place || place in indexes,
  );
  const { separator = '#' }: { readonly separator?: string } = found?.[1] ?? {};
  return separator;
}

function byTenant(need: object): object {
  const { by, reads, transacts, ...rest } = need as {
    readonly by?: Templates;
    readonly reads?: unknown;
    readonly transacts?: Readonly<Record<string, object>>;
  };
  return {
    ...rest,
    ...(reads !== undefined && { reads }),
    ...((by !== undefined || reads !== undefined) && { by: [tenantAttribute, ...(by ?? [])] }),
    ...(transacts && {
      transacts: Object.fromEntries(Object.entries(transacts).map(([name, part]) => [name, byTenant(part)])),
    }),
  };
}
