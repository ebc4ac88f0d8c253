import type { IndexLayout, TableLayout } from '../keys/layout.ts';
import { type Draft, type DraftAttribute, type DraftEntity, type DraftKey, identifier, unused } from './draft.ts';
import type { Field, Shape } from './shape.ts';
import { withUsualPatterns } from './usual-patterns.ts';

/** The part of a dynamodb-onetable schema that says how items are stored. */
export interface OnetableSchema {
  /** The table's keys and indexes, by name. */
  readonly indexes: { readonly [name: string]: OnetableIndex };
  /** The models, each with its fields by name. */
  readonly models: { readonly [name: string]: { readonly [field: string]: OnetableField } };
  /** Settings for all models: the type attribute, separators, timestamps. */
  readonly params?: {
    readonly typeField?: string;
    readonly isoDates?: boolean;
    readonly timestamps?: boolean | string;
    readonly createdField?: string;
    readonly updatedField?: string;
    readonly separator?: string;
  };
}

interface OnetableIndex {
  readonly hash?: string;
  readonly sort?: string;
  readonly project?: string | readonly string[];
  readonly type?: string;
}

interface OnetableField {
  readonly type?: unknown;
  readonly value?: unknown;
  readonly map?: string;
  readonly required?: boolean;
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly unique?: boolean;
  readonly scope?: string;
  readonly ttl?: boolean;
  readonly generate?: unknown;
  readonly encode?: unknown;
  readonly crypt?: boolean;
  readonly isoDates?: boolean;
  readonly schema?: { readonly [field: string]: OnetableField };
  readonly items?: OnetableField;
  readonly validate?: unknown;
}

/** How a OneTable schema becomes a draft. */
export interface OnetableOptions {
  /** Name of the model. */
  readonly name?: string;
  /** Name of the table, which onetable's schemas do not contain. */
  readonly table?: string;
}

/** A model that reads and writes the items of onetable's models, with the same keys and the type in the same attribute. */
export function draftFromOnetable(schema: OnetableSchema, options: OnetableOptions = {}): Draft {
  const stored = options.table ?? 'Table';
  const table = identifier(stored, 'Type');
  const { primary = {} } = schema.indexes;
  const indexes = Object.entries(schema.indexes).filter(([name]) => name !== 'primary');
  const layout: TableLayout = {
    // A table has one or two key attributes.
    key: keyFields(primary) as unknown as TableLayout['key'],
    ...(indexes.length > 0 && {
      indexes: Object.fromEntries(indexes.map(([name, index]) => [name, indexLayout(index, primary)])),
    }),
    type: schema.params?.typeField ?? '_type',
    ...(schema.params?.separator !== undefined &&
      schema.params.separator !== '#' && { separator: schema.params.separator }),
  };
  const names = new Set<string>();
  const draft: Draft = {
    name: options.name ?? 'imported',
    notes: [
      `Read from a onetable schema with the models ${Object.keys(schema.models).join(', ')}.`,
      ...(stored === table ? [] : [`The table is called ${stored}: connect with tables: { ${table}: … }.`]),
    ],
    tables: { [table]: layout },
    entities: Object.entries(schema.models).map(([model, fields]) => entityOf(model, fields, schema, table, names)),
    patterns: [],
  };
  return withUsualPatterns(draft);
}

function keyFields({ hash, sort }: OnetableIndex): string[] {
  return [hash, sort].filter((field) => field !== undefined);
}

function isLocal({ hash, type }: OnetableIndex, primary: OnetableIndex): boolean {
  return type === 'local' || hash === undefined || hash === primary.hash;
}

function indexLayout(index: OnetableIndex, primary: OnetableIndex): IndexLayout {
  const { hash = '', sort, project = 'all' } = index;
  const projected = project === 'keys' ? 'KEYS_ONLY' : Array.isArray(project) ? (project as readonly string[]) : 'ALL';
  const rest = projected === 'ALL' ? {} : { project: projected as 'KEYS_ONLY' };
  if (isLocal(index, primary)) return { local: sort ?? '', ...rest };
  if (projected === 'ALL') return sort === undefined ? [hash] : [hash, sort];
  return { partition: [hash], ...(sort !== undefined && { sort: [sort] }), ...rest };
}

interface Source {
  readonly model: string;
  readonly fields: { readonly [field: string]: OnetableField };
  readonly schema: OnetableSchema;
}

function entityOf(
  model: string,
  own: Source['fields'],
  schema: OnetableSchema,
  table: string,
  names: Set<string>,
): DraftEntity {
  const name = unused(identifier(model, 'Type'), names);
  names.add(name);
  const fields = { ...own, ...timestamps(schema.params) };
  const source: Source = { model, fields, schema };
  const keyNames = new Set(Object.values(schema.indexes).flatMap(keyFields));
  const type = schema.params?.typeField ?? '_type';
  const kept = Object.entries(fields).filter(
    ([field, { value, encode }]) =>
      field !== type && !(keyNames.has(field) && (value !== undefined || encode !== undefined)),
  );
  const expires = kept.find(([, { ttl }]) => ttl === true)?.[0];
  const unique = kept.filter(([, field]) => field.unique === true && field.scope === undefined).map(([field]) => field);
  const { primary = {} } = schema.indexes;
  const indexes = Object.entries(schema.indexes).filter(([index]) => index !== 'primary');
  const scoped = kept.filter(([, { scope }]) => scope !== undefined);
  return {
    name,
    type: model,
    attributes: kept.map(([field, definition]) => attributeOf(field, definition, schema)),
    keys: [
      keyOf(table, keyFields(primary), source),
      ...indexes
        .map(([index, layout]) =>
          keyOf(index, isLocal(layout, primary) ? keyFields(layout).slice(-1) : keyFields(layout), source),
        )
        .filter(({ forms }) => !forms.some(({ templates }) => templates.includes(''))),
    ],
    ...((expires !== undefined || unique.length > 0) && {
      rules: { ...(unique.length > 0 && { unique }), ...(expires !== undefined && { expires }) },
    }),
    ...(unique.length > 0 && {
      unique: Object.fromEntries(unique.map((field) => [field, guardOf(model, field, primary)])),
    }),
    notes: [
      ...(unique.length > 0
        ? [
            'Guards that onetable wrote do not name their owner: write each item once with this model before you change its unique attributes.',
          ]
        : []),
      ...scoped.map(([field, { scope = '' }]) => `${field} is unique within ${scope}: not carried over.`),
    ],
  };
}

function guardOf(
  model: string,
  field: string,
  primary: OnetableIndex,
): { readonly key: string[]; readonly type: string } {
  const key = `_unique#${model}#${field}#{${field}}`;
  return { key: primary.sort === undefined ? [key] : [key, '_unique#'], type: '_Unique' };
}

function timestamps(params: OnetableSchema['params']): { [field: string]: OnetableField } {
  const { timestamps: kept, createdField = 'created', updatedField = 'updated' } = params ?? {};
  return {
    ...((kept === true || kept === 'create') && { [createdField]: { type: Date } }),
    ...((kept === true || kept === 'update') && { [updatedField]: { type: Date } }),
  };
}

function attributeOf(name: string, field: OnetableField, schema: OnetableSchema): DraftAttribute {
  const { map, required, default: fallback, ttl } = field;
  const constant = typeof fallback === 'string' || typeof fallback === 'number' || typeof fallback === 'boolean';
  const notes = [
    ...(ttl === true ? ['seconds since 1970'] : []),
    ...(field.generate === undefined ? [] : [`onetable made it up (${shown(field.generate)}): give a value`]),
    ...(field.value === undefined ? [] : [`onetable computed it: ${shown(field.value)}`]),
    ...(field.encode === undefined ? [] : ['onetable kept it inside another attribute: it is not stored by itself']),
    ...(field.crypt === true ? ['onetable stored it encrypted: this model reads what is stored'] : []),
    ...(map?.includes('.') === true ? [`onetable packed it into ${map}: it is not read from there`] : []),
    ...(field.validate === undefined ? [] : [`onetable validated it by ${shown(field.validate)}`]),
  ];
  return {
    name,
    ...(map !== undefined && !map.includes('.') && map !== name && { stored: map }),
    shape: shapeOf(field, schema.params?.isoDates === true),
    optional: required !== true && !constant,
    ...(constant && { fallback }),
    ...(notes.length > 0 && { notes }),
  };
}

/** Data of a schema for a comment. Functions are named as such. */
function shown(value: unknown): string {
  if (typeof value === 'string' || value instanceof RegExp) return String(value);
  return typeof value === 'function' ? 'by a function' : (JSON.stringify(value) ?? '');
}

function shapeOf(field: OnetableField, isoDates: boolean): Shape {
  const { type, schema, items } = field;
  if (field.enum !== undefined && field.enum.length > 0) return { kind: 'enum', values: field.enum };
  if (field.ttl === true) return { kind: 'number' };
  switch (typeof type === 'function' ? type.name.toLowerCase() : String(type)) {
    case 'string':
      return { kind: 'string' };
    case 'number':
      return { kind: 'number' };
    case 'boolean':
      return { kind: 'boolean' };
    case 'date':
      return { kind: (field.isoDates ?? isoDates) ? 'string' : 'number' };
    case 'set':
      return { kind: 'set', of: { kind: 'string' } };
    case 'array':
      return { kind: 'list', of: items === undefined ? { kind: 'unknown' } : shapeOf(items, isoDates) };
    case 'buffer':
    case 'arraybuffer':
    case 'binary':
      return { kind: 'string' };
    case 'object':
      return schema === undefined ? { kind: 'record', of: { kind: 'unknown' } } : objectOf(schema, isoDates);
    default:
      return { kind: 'unknown' };
  }
}

function objectOf(schema: NonNullable<OnetableField['schema']>, isoDates: boolean): Shape {
  const fields = Object.entries(schema).map(([name, member]): [string, Field] => [
    name,
    { shape: shapeOf(member, isoDates), optional: member.required !== true },
  ]);
  return { kind: 'object', fields: Object.fromEntries(fields) };
}

/** An empty template means that the model has no value for that key attribute, and so is not in the index. */
function keyOf(place: string, keys: readonly string[], source: Source): DraftKey {
  const notes: string[] = [];
  const templates = keys.map((key) => {
    const field = source.fields[key];
    if (field === undefined) return '';
    if (typeof field.value !== 'string') {
      if (field.value !== undefined || field.encode !== undefined)
        notes.push(`${key} was made by code: the template is to be written here`);
      return `{${key}}`;
    }
    return templateOf(field.value, source);
  });
  return { place, forms: [{ templates }], notes };
}

/** `user#${email}` as `user#{email}`; `${version:6}` as `{version:06}`; `${_type}` is the model's name. */
function templateOf(value: string, { model, fields, schema }: Source): string {
  return value.replaceAll(/\$\{(.*?)\}/g, (_match, inside: string) => {
    const [name = '', length, pad = '0'] = inside.split(':');
    if (name === (schema.params?.typeField ?? '_type')) return model;
    const { type } = fields[name] ?? {};
    const number = type === Number || type === 'number' || type === Date || type === 'date';
    return length !== undefined && pad === '0' && number ? `{${name}:0${length}}` : `{${name}}`;
  });
}
