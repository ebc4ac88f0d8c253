import type { SameEncoder } from '../entities/entity.ts';
import type { IndexLayout, TableLayout } from '../keys/layout.ts';
import { type Draft, type DraftAttribute, type DraftEntity, type DraftKey, identifier, unused } from './draft.ts';
import type { Field, Shape } from './shape.ts';
import { withUsualPatterns } from './usual-patterns.ts';

/** The part of an electrodb schema that says how items are stored. Its functions cannot be converted. */
export interface ElectrodbSchema {
  /** The names of entity and service, and the version. */
  readonly model: { readonly entity: string; readonly service: string; readonly version?: string };
  /** The table's name, if the schema has it. */
  readonly table?: string;
  /** The attributes, by name. */
  readonly attributes: { readonly [name: string]: ElectrodbAttribute };
  /** The keys, by the name of the access pattern. */
  readonly indexes: { readonly [accessPattern: string]: ElectrodbIndex };
}

interface ElectrodbAttribute {
  readonly type: string | readonly string[];
  readonly field?: string;
  readonly label?: string;
  readonly required?: boolean;
  readonly default?: unknown;
  readonly get?: unknown;
  readonly set?: unknown;
  readonly validate?: unknown;
  readonly padding?: { readonly length: number; readonly char: string };
  readonly items?: ElectrodbAttribute | string | readonly string[];
  readonly properties?: { readonly [name: string]: ElectrodbAttribute };
}

interface ElectrodbKey {
  readonly field?: string;
  readonly composite?: readonly string[];
  readonly facets?: readonly string[] | string;
  readonly template?: string;
  readonly casing?: string;
  readonly cast?: string;
}

interface ElectrodbIndex {
  readonly index?: string;
  readonly collection?: string | readonly string[];
  readonly type?: string;
  readonly scope?: string;
  readonly condition?: unknown;
  readonly pk: ElectrodbKey;
  readonly sk?: ElectrodbKey;
}

/** How ElectroDB schemas become a draft. */
export interface ElectrodbOptions {
  /** Name of the model; by default that of the service. */
  readonly name?: string;
  /** Name of the table, for schemas that do not say it. */
  readonly table?: string;
}

/**
 * A model that reads and writes the items of electrodb entities in one table. It uses the same keys, and the type in `__edb_e__`,
 * so that both libraries can be used side by side.
 */
export function draftFromElectrodb(schemas: readonly ElectrodbSchema[], options: ElectrodbOptions = {}): Draft {
  const [first] = schemas;
  const table = identifier(options.table ?? first?.table ?? first?.model.service ?? 'Table', 'Type');
  const notes = [
    `Read from the electrodb ${schemas.length === 1 ? 'entity' : 'entities'} ${schemas.map(({ model }) => model.entity).join(', ')}.`,
  ];
  const stored = options.table ?? first?.table;
  if (stored !== undefined && stored !== table)
    notes.push(`The table is called ${stored}: connect with tables: { ${table}: … }.`);
  const names = new Set<string>();
  const draft: Draft = {
    name: options.name ?? first?.model.service ?? 'imported',
    notes,
    tables: { [table]: layoutOf(schemas) },
    entities: schemas.map((schema) => entityOf(schema, table, names)),
    patterns: [],
  };
  return withUsualPatterns(draft);
}

function layoutOf(schemas: readonly ElectrodbSchema[]): TableLayout {
  const indexes: Record<string, IndexLayout> = {};
  let key: readonly string[] = ['pk', 'sk'];
  for (const { indexes: own } of schemas) {
    for (const index of Object.values(own)) {
      const fields = [index.pk, ...(index.sk === undefined ? [] : [index.sk])].map(fieldOf);
      if (index.index === undefined) key = fields;
      // electrodb's indexes have one or two key attributes.
      else indexes[index.index] = fields as unknown as IndexLayout;
    }
  }
  const [[partition = '']] = [key];
  for (const [name, layout] of Object.entries(indexes)) {
    const [own, sort] = layout as readonly string[];
    if (own === partition && sort !== undefined) indexes[name] = { local: sort };
  }
  return {
    key: key as unknown as TableLayout['key'],
    ...(Object.keys(indexes).length > 0 && { indexes }),
    type: '__edb_e__',
  };
}

function fieldOf({ field = '', cast }: ElectrodbKey): string {
  return cast === 'number' ? `${field}:N` : field;
}

function entityOf(schema: ElectrodbSchema, table: string, names: Set<string>): DraftEntity {
  const { entity, version = '1' } = schema.model;
  const name = unused(identifier(entity, 'Type'), names);
  names.add(name);
  const attributes = Object.entries(schema.attributes).map(([attribute, definition]) =>
    attributeOf(attribute, definition),
  );
  const entries = Object.entries(schema.indexes).sort(
    ([, a], [, b]) => Number(a.index !== undefined) - Number(b.index !== undefined),
  );
  const local = new Set(
    entries.flatMap(([, { index, pk }]) =>
      index !== undefined && pk.field === entries[0]?.[1].pk.field ? [index] : [],
    ),
  );
  const keys = entries.map(([pattern, index]) => keyOf(pattern, index, schema, index.index ?? table, local));
  const same = sameIn(keys);
  return {
    name,
    type: entity,
    ...(Object.keys(same).length > 0 && { rules: { same } }),
    attributes: [
      ...attributes,
      {
        name: 'edbVersion',
        stored: '__edb_v__',
        shape: { kind: 'literal', value: version },
        optional: false,
        fallback: version,
        notes: ['electrodb takes items for its own by this'],
      },
    ],
    keys,
    notes: [],
  };
}

/** electrodb writes keys in one case, so it also finds values that are given in another. */
function sameIn(keys: readonly DraftKey[]): { readonly [attribute: string]: SameEncoder } {
  // The table's key comes first and wins: of entries with one name, the last is kept.
  const templates = keys.flatMap(({ forms }) => forms.flatMap((form) => form.templates)).toReversed();
  return Object.fromEntries(
    templates.flatMap((template) =>
      Array.from(template.matchAll(/\{(\w+):(lower|upper)\}/g), ([, name = '', encoder]) => [
        name,
        encoder as SameEncoder, // one of the two that the pattern names
      ]),
    ),
  );
}

function attributeOf(name: string, definition: ElectrodbAttribute): DraftAttribute {
  const { field = name, required, default: fallback } = definition;
  const constant = typeof fallback === 'string' || typeof fallback === 'number' || typeof fallback === 'boolean';
  const lost = (['get', 'set', 'validate'] as const).filter((part) => definition[part] !== undefined);
  const notes = [
    ...(lost.length > 0 ? [`${lost.join(', ')}: functions of electrodb, not carried over`] : []),
    ...(typeof fallback === 'function' ? ['its default is a function: give the value, or add a default here'] : []),
  ];
  return {
    name,
    ...(field !== name && { stored: field }),
    shape: shapeOf(definition),
    optional: required !== true && !constant,
    ...(constant && { fallback }),
    ...(notes.length > 0 && { notes }),
  };
}

function shapeOf(definition: ElectrodbAttribute | string | readonly string[]): Shape {
  if (typeof definition === 'string' || Array.isArray(definition)) return shapeOf({ type: definition });
  const { type, items, properties } = definition as ElectrodbAttribute;
  if (typeof type !== 'string') return { kind: 'enum', values: type };
  switch (type) {
    case 'string':
    case 'number':
    case 'boolean':
      return { kind: type };
    case 'list':
      return { kind: 'list', of: items === undefined ? { kind: 'unknown' } : shapeOf(items) };
    case 'set':
      return { kind: 'set', of: items === undefined ? { kind: 'string' } : shapeOf(items) };
    case 'map':
      return {
        kind: 'object',
        fields: Object.fromEntries(
          Object.entries(properties ?? {}).map(([name, member]): [string, Field] => [
            name,
            { shape: shapeOf(member), optional: member.required !== true },
          ]),
        ),
      };
    default:
      return { kind: 'unknown' };
  }
}

function keyOf(
  pattern: string,
  index: ElectrodbIndex,
  schema: ElectrodbSchema,
  place: string,
  local: ReadonlySet<string>,
): DraftKey {
  const { service, entity, version = '1' } = schema.model;
  const collections = [index.collection ?? []].flat();
  const clustered = index.type === 'clustered';
  const own = `${collections.length > 0 ? '#' : '$'}${entity}_${version}`;
  const sort = `${collections.map((each, i) => `${i === 0 ? '$' : '#'}${each}`).join('')}${clustered ? '' : own}`;
  const scope = index.scope === undefined ? '' : `_${index.scope}`;
  const partition =
    index.sk === undefined ? `$${service}${sort}${clustered ? own : ''}${scope}` : `$${service}${scope}`;
  const templates = [
    templateOf(index.pk, partition, '', schema),
    ...(index.sk === undefined ? [] : [templateOf(index.sk, sort, clustered ? own : '', schema)]),
  ];
  const notes = [
    `electrodb: ${pattern}`,
    ...(collections.length > 0
      ? [`in the collection ${collections.join(', ')}: entities of it may be read together, with reads: { … }`]
      : []),
    ...(typeof index.condition === 'function'
      ? ['its condition is a function of electrodb: say it here as { when: …, key: […] }']
      : []),
  ];
  return { place, forms: [{ templates: local.has(place) ? templates.slice(1) : templates }], notes };
}

/** The template of a key that electrodb builds: a prefix and `#attribute_value` for each part, or the given template. */
function templateOf(key: ElectrodbKey, prefix: string, postfix: string, schema: ElectrodbSchema): string {
  const given = key.template ?? (typeof key.facets === 'string' ? key.facets : undefined);
  const casing = key.casing === undefined || key.casing === 'default' ? 'lower' : key.casing;
  const variable = (name: string): string => `{${[name, ...encodersOf(name, casing, schema)].join(':')}}`;
  const [only, ...others] = key.composite ?? [];
  if (only !== undefined && others.length === 0 && isAttribute(key.field, only, schema)) return `{${only}}`;
  if (key.cast === 'number') return `{${only ?? ''}}`;
  if (given !== undefined)
    return given
      .split(/(\$\{[^{}]*\})/)
      .map((part) => (part.startsWith('${') ? variable(part.slice(2, -1).trim()) : cased(part, casing)))
      .join('');
  const composite = key.composite ?? (Array.isArray(key.facets) ? (key.facets as readonly string[]) : []);
  const parts = composite.map(
    (name) => `${cased(`#${schema.attributes[name]?.label ?? name}_`, casing)}${variable(name)}`,
  );
  return `${cased(prefix, casing)}${parts.join('')}${cased(postfix, casing)}`;
}

function isAttribute(field: string | undefined, name: string, { attributes }: ElectrodbSchema): boolean {
  return (attributes[name]?.field ?? name) === field;
}

function encodersOf(name: string, casing: string, { attributes }: ElectrodbSchema): string[] {
  const attribute = attributes[name];
  if (attribute?.type === 'number') {
    const { length = 0, char } = attribute.padding ?? {};
    return char === '0' && length > 0 ? [`0${length}`] : [];
  }
  return attribute?.type !== 'boolean' && (casing === 'lower' || casing === 'upper') ? [casing] : [];
}

function cased(text: string, casing: string): string {
  if (casing === 'lower') return text.toLowerCase();
  return casing === 'upper' ? text.toUpperCase() : text;
}
