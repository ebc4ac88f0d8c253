import { z } from 'zod';
import type { Model } from '../../src/model.ts';
import { model } from '../../src/model.ts';
import { codec } from '../../src/entities/codec.ts';
import { entity } from '../../src/entities/entity.ts';
import { sourceText } from '../../src/prove/index.ts';
import type { StandardSchema } from '../../src/schema/standard-schema.ts';

/** A schema as data. */
export interface AttributeScript {
  readonly type:
    | 'text'
    | 'pattern'
    | 'int'
    | 'number'
    | 'bigint'
    | 'bool'
    | 'enum'
    | 'literals'
    | 'date'
    | 'datetime'
    | 'ksuid'
    | 'ulid'
    | 'set'
    | 'map'
    | 'list'
    | 'record'
    | 'object'
    | 'union'
    | 'unknown'
    | 'bytes';
  /** Minimum number or length. */
  readonly min?: number;
  /** Maximum number, or of elements. */
  readonly max?: number;
  readonly multipleOf?: number;
  readonly pattern?: string;
  /** Flags of the pattern, which no description of the schema has. */
  readonly flags?: string;
  /** A function that replaces the text after its checks. */
  readonly after?: 'upper' | 'trim';
  readonly values?: readonly (string | number)[];
  /** A format that zod names: `email`. */
  readonly format?: 'email' | 'url' | 'uuid';
  /** What a list, set or record has; texts if absent. The names of a record are those of `values`, if there are any. */
  readonly of?: AttributeScript;
  /** Schemas, one of which a value of a union meets. */
  readonly options?: readonly AttributeScript[];
  /** What an object has. */
  readonly fields?: { readonly [name: string]: AttributeScript };
  /** Digits of the fraction of a second. */
  readonly precision?: number;
  readonly offset?: boolean;
  readonly local?: boolean;
  readonly lower?: boolean;
  readonly coerce?: boolean;
  readonly nullable?: boolean;
  readonly optional?: boolean;
  readonly default?: unknown;
  /** A value in the place of one that the checks refuse. */
  readonly catch?: string | number;
  /** What only the metadata says, by which no value is checked. */
  readonly meta?: object;
  /** The application's form of the stored value: a `Date`, or an object that holds it. */
  readonly codec?: 'date' | 'box';
}

/** A model as JSON, which is drawn, shrunk, and kept in the corpus. */
export interface ModelScript {
  readonly entities: {
    readonly [name: string]: {
      readonly attributes: { readonly [name: string]: AttributeScript };
      readonly rules?: object;
    };
  };
  readonly relationships?: readonly (readonly unknown[])[];
  readonly patterns: { readonly [name: string]: object };
  readonly procedures?: { readonly [name: string]: object };
  readonly tables: { readonly [name: string]: object };
  readonly keys: { readonly [entity: string]: object };
  /** Stored names, types and keys of guards, by entity. */
  readonly storage?: { readonly [entity: string]: object };
  readonly served: { readonly [pattern: string]: unknown };
  /** Schemas of inputs that are not attributes, by pattern, or by pattern and part: `order.lines`. */
  readonly takes?: { readonly [pattern: string]: { readonly [input: string]: AttributeScript } };
}

/** The model of a script. */
export function modelOf(script: ModelScript): Model {
  const entities = Object.fromEntries(
    Object.entries(script.entities).map(([name, { attributes, rules }]) => [
      name,
      entity(schemasOf(attributes), rulesOf(rules ?? {})),
    ]),
  );
  const patterns = Object.fromEntries(
    Object.entries(script.patterns).map(([name, need]) => {
      const parts = Object.entries((need as { readonly transacts?: object }).transacts ?? {}).map(
        ([part, write]: [string, object]) => [part, withTakes(write, script.takes?.[`${name}.${part}`])],
      );
      const whole = parts.length === 0 ? need : { ...need, transacts: Object.fromEntries(parts) };
      return [name, withTakes(whole, script.takes?.[name])];
    }),
  );
  // A script has the arguments of the sections as JSON. The compiler cannot check them; `resolve` and `check` do.
  return model('random')
    .entities(entities)
    .relationships((script.relationships ?? []) as never)
    .patterns(patterns as never, (script.procedures ?? {}) as never)
    .tables(script.tables as never)
    .keys(script.keys as never, script.storage ?? {})
    .served(script.served as never);
}

function withTakes(need: object, takes: { readonly [input: string]: AttributeScript } | undefined): object {
  return takes === undefined ? need : { ...need, takes: schemasOf(takes) };
}

/** A computed attribute of a script is the first character of its sources, or none of empty ones. */
function rulesOf({ computed, ...rules }: { readonly computed?: Readonly<Record<string, readonly string[]>> }): object {
  if (computed === undefined) return rules;
  return {
    ...rules,
    computed: Object.fromEntries(Object.entries(computed).map(([name, from]) => [name, { from, as: firstCharacter }])),
  };
}

function firstCharacter(values: object): string | undefined {
  return Array.from(Object.values(values).join(''))[0];
}

/** The lines of a file that declares a script's model as `shrunk`. */
export function modelSource(script: ModelScript): string[] {
  const entities = Object.entries(script.entities).map(([name, { attributes, rules }]) => {
    const schemas = Object.entries(attributes).map(([attribute, schema]) => `${attribute}: ${schemaSource(schema)}`);
    return `    ${name}: entity({ ${schemas.join(', ')} }, ${rulesSource(rules ?? {}, attributes)}),`;
  });
  const patterns = Object.entries(script.patterns).map(([name, need]) => {
    const takes = Object.entries(script.takes?.[name] ?? {}).map(
      ([input, schema]) => `${input}: ${schemaSource(schema)}`,
    );
    const text = sourceText(need);
    return `    ${name}: ${takes.length === 0 ? text : `${text.slice(0, -2)}, takes: { ${takes.join(', ')} } }`},`;
  });
  return [
    `import { codec, entity, model } from '@singlet/model';`,
    `import { z } from 'zod';`,
    '',
    `const shrunk = model('shrunk')`,
    `  .entities({`,
    ...entities,
    `  })`,
    `  .relationships(${sourceText(script.relationships ?? [])})`,
    `  .patterns({`,
    ...patterns,
    script.procedures === undefined ? `  })` : `  }, ${sourceText(script.procedures)})`,
    `  .tables(${sourceText(script.tables)})`,
    `  .keys(${sourceText(script.keys)}${script.storage === undefined ? '' : `, ${sourceText(script.storage)}`})`,
    `  .served(${sourceText(script.served)});`,
  ];
}

/** The rules of an entity, with the functions of its computed attributes. */
function rulesSource(
  { computed, ...rules }: { readonly computed?: Readonly<Record<string, readonly string[]>> },
  attributes: ModelScript['entities'][string]['attributes'],
): string {
  if (computed === undefined) return sourceText(rules);
  const members = Object.entries(computed).map(([name, from]) => {
    const first = `Array.from(Object.values(values).join(''))[0]`;
    const value = attributes[name]?.optional === true ? first : `${first} ?? ''`;
    return `${name}: { from: ${sourceText(from)}, as: (values: object) => ${value} }`;
  });
  const others = Object.entries(rules).map(([name, value]) => `${name}: ${sourceText(value)}`);
  return `{ ${[...others, `computed: { ${members.join(', ')} }`].join(', ')} }`;
}

function schemasOf(attributes: { readonly [name: string]: AttributeScript }): Record<string, StandardSchema> {
  return Object.fromEntries(Object.entries(attributes).map(([name, script]) => [name, schemaOf(script)]));
}

function schemaOf(script: AttributeScript): StandardSchema {
  const schema = zodOf(script);
  return script.codec === undefined ? schema : codec(schema, codings[script.codec]);
}

function zodOf(script: AttributeScript): z.ZodType {
  let schema: z.ZodType = baseSchema(script);
  if (script.meta !== undefined) schema = schema.meta({ ...script.meta });
  if (script.catch !== undefined) schema = schema.catch(script.catch);
  if (script.nullable === true) schema = schema.nullable();
  if (script.default !== undefined) schema = schema.default(script.default as never);
  else if (script.optional === true) schema = schema.optional();
  return schema;
}

/** What a codec is made of. The application's form is known to its own pair of functions only. */
interface ScriptCoding {
  readonly decode: (stored: unknown) => unknown;
  readonly encode: (value: unknown) => {};
}

const codings: Readonly<Record<NonNullable<AttributeScript['codec']>, ScriptCoding>> = {
  date: { decode: (text) => new Date(String(text)), encode: (date) => (date as Date).toISOString() },
  box: { decode: (stored) => ({ stored }), encode: (box) => (box as { readonly stored: {} }).stored },
};
const codingSources = {
  date: '{ decode: (text) => new Date(text), encode: (date: Date) => date.toISOString() }',
  box: '{ decode: (stored) => ({ stored }), encode: ({ stored }) => stored }',
} as const;

function baseSchema({ type, min, max, pattern, values = [], ...rest }: AttributeScript): z.ZodType {
  switch (type) {
    case 'text':
    case 'pattern': {
      if (rest.format !== undefined) return formats[rest.format]();
      let text = z.string();
      if (min !== undefined) text = text.min(min);
      if (max !== undefined) text = text.max(max);
      if (pattern !== undefined) text = text.regex(new RegExp(pattern, rest.flags));
      if (rest.after !== undefined) text = rest.after === 'upper' ? text.toUpperCase() : text.trim();
      return rest.lower === true ? text.toLowerCase() : text;
    }
    case 'int':
    case 'number': {
      let number = rest.coerce === true ? z.coerce.number() : z.number();
      if (type === 'int') number = number.int();
      if (min !== undefined) number = number.min(min);
      if (rest.multipleOf !== undefined) number = number.multipleOf(rest.multipleOf);
      return max === undefined ? number : number.max(max);
    }
    case 'bigint':
      return z.bigint();
    case 'bool':
      return z.boolean();
    case 'enum':
      return z.enum(values as readonly string[] as [string, ...string[]]);
    case 'literals':
      return z.union(values.map((value) => z.literal(value)) as never);
    case 'date':
      return z.iso.date();
    case 'datetime':
      return z.iso.datetime(timeOptions(rest));
    case 'ksuid':
      return z.ksuid();
    case 'ulid':
      return z.ulid();
    case 'set': {
      const set = z.set(zodOf(rest.of ?? { type: 'text' }));
      const filled = rest.of === undefined ? set.min(1) : set;
      return max === undefined ? filled : filled.max(max);
    }
    case 'map':
      return z.object({ vip: z.boolean(), level: z.number().optional() });
    case 'list':
      return max === undefined
        ? z.array(zodOf(rest.of ?? { type: 'text' }))
        : z.array(zodOf(rest.of ?? { type: 'text' })).max(max);
    case 'record':
      return z.record(
        values.length === 0 ? z.string() : z.enum(values as [string, ...string[]]),
        zodOf(rest.of ?? { type: 'text' }),
      );
    case 'union':
      return z.union((rest.options ?? []).map(zodOf) as never);
    case 'unknown':
      return z.unknown();
    case 'object':
      return z.object(Object.fromEntries(Object.entries(rest.fields ?? {}).map(([name, of]) => [name, zodOf(of)])));
    case 'bytes':
      return z.instanceof(Uint8Array);
  }
}

const formats = { email: () => z.email(), url: () => z.url(), uuid: () => z.uuid() } as const;

function timeOptions({ precision, offset, local }: Omit<AttributeScript, 'type'>): object {
  return {
    ...(precision !== undefined && { precision }),
    ...(offset !== undefined && { offset }),
    ...(local !== undefined && { local }),
  };
}

function schemaSource(script: AttributeScript): string {
  const meta = script.meta === undefined ? '' : `.meta(${sourceText(script.meta)})`;
  const caught = script.catch === undefined ? '' : `.catch(${sourceText(script.catch)})`;
  const end = `${meta}${caught}${script.nullable === true ? '.nullable()' : ''}${
    script.default !== undefined
      ? `.default(${sourceText(script.default)})`
      : script.optional === true
        ? '.optional()'
        : ''
  }`;
  const source = `${baseSource(script)}${end}`;
  return script.codec === undefined ? source : `codec(${source}, ${codingSources[script.codec]})`;
}

function baseSource({ type, min, max, pattern, values = [], ...rest }: AttributeScript): string {
  const bounds = `${min === undefined ? '' : `.min(${min})`}${max === undefined ? '' : `.max(${max})`}`;
  switch (type) {
    case 'text':
    case 'pattern':
      return [
        rest.format === undefined ? `z.string()${bounds}` : `z.${rest.format}()`,
        pattern === undefined ? '' : `.regex(new RegExp(${sourceText(pattern)}, ${sourceText(rest.flags ?? '')}))`,
        rest.after === undefined ? '' : rest.after === 'upper' ? '.toUpperCase()' : '.trim()',
        rest.lower === true ? '.toLowerCase()' : '',
      ].join('');
    case 'int':
    case 'number':
      return `${rest.coerce === true ? 'z.coerce.number()' : 'z.number()'}${type === 'int' ? '.int()' : ''}${bounds}${rest.multipleOf === undefined ? '' : `.multipleOf(${rest.multipleOf})`}`;
    case 'enum':
      return `z.enum(${sourceText(values)})`;
    case 'literals':
      return `z.union([${values.map((value) => `z.literal(${sourceText(value)})`).join(', ')}])`;
    case 'datetime': {
      const options = timeOptions(rest);
      return `z.iso.datetime(${Object.keys(options).length === 0 ? '' : sourceText(options)})`;
    }
    case 'set':
      return rest.of === undefined ? `${sources.set}${bounds}` : `z.set(${schemaSource(rest.of)})${bounds}`;
    case 'list':
      return `z.array(${schemaSource(rest.of ?? { type: 'text' })})${bounds}`;
    case 'record': {
      const names = values.length === 0 ? 'z.string()' : `z.enum(${sourceText(values)})`;
      return `z.record(${names}, ${schemaSource(rest.of ?? { type: 'text' })})`;
    }
    case 'union':
      return `z.union([${(rest.options ?? []).map(schemaSource).join(', ')}])`;
    case 'object':
      return `z.object({ ${Object.entries(rest.fields ?? {})
        .map(([name, of]) => `${name}: ${schemaSource(of)}`)
        .join(', ')} })`;
    default:
      return sources[type];
  }
}

const sources = {
  bigint: 'z.bigint()',
  bool: 'z.boolean()',
  date: 'z.iso.date()',
  ksuid: 'z.ksuid()',
  ulid: 'z.ulid()',
  set: 'z.set(z.string()).min(1)',
  map: 'z.object({ vip: z.boolean(), level: z.number().optional() })',
  unknown: 'z.unknown()',
  bytes: 'z.instanceof(Uint8Array)',
} as const;
