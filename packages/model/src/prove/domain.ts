import { codingOf, storedSchema } from '../entities/codec.ts';
import type { StandardSchema } from '../schema/standard-schema.ts';
import { validated, yielded } from '../schema/validated.ts';
import { equalValues, valueText } from './oracle/index.ts';
import { patternText } from './pattern-texts.ts';
import type { RandomSource } from './random-source.ts';

/** What a schema says of itself, as JSON Schema. */
export interface Description {
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Description[];
  readonly oneOf?: readonly Description[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly items?: Description | boolean;
  readonly properties?: { readonly [name: string]: Description };
  readonly required?: readonly string[];
}

/** The values of an attribute that are used: the edges of its domain and neighbours of the texts that keys are made of. */
export interface Domain {
  /** The values that the schema yields, each once. */
  readonly values: readonly unknown[];
  readonly optional: boolean;
}

const descriptions = new WeakMap<StandardSchema, Description>();

/** A schema's own description; empty if its library has none, or cannot express it. */
export function describe(schema: StandardSchema): Description {
  const known = descriptions.get(schema) ?? ownDescription(storedSchema(schema));
  descriptions.set(schema, known);
  return known;
}

function ownDescription(schema: StandardSchema): Description {
  const { jsonSchema } = schema['~standard'] as {
    readonly jsonSchema?: { readonly output?: (options: object) => Description };
  };
  // What `.meta({…})` of zod adds is for readers, and no value is checked by it.
  const options = { target: 'draft-2020-12', libraryOptions: { metadata: { get: () => undefined } } };
  try {
    return jsonSchema?.output?.(options) ?? valibotDescription(schema);
  } catch {
    // Transforms, sets and big integers have no JSON Schema: values are tried.
    return {};
  }
}

/** A time or a date, according to its schema. */
export function isTimeSchema(schema: StandardSchema): boolean {
  const { format } = describe(schema);
  return format === 'date-time' || format === 'date';
}

/**
 * Adversarial values that a schema yields: its bounds, neighbours of powers of ten, texts that differ by one character below or above
 * a separator, each side of every unit of time, twins in case and in Unicode form. Values that the schema rejects are left out.
 *
 * @param hints - texts of the model's keys and conditions. Values near them are tried, too.
 */
export function domainOf(schema: StandardSchema, hints: readonly unknown[], random: RandomSource): Domain {
  const description = describe(schema);
  const values = new Map<string, unknown>();
  const take = (candidates: Iterable<unknown>): void => {
    for (const candidate of candidates) {
      const value = accepted(schema, candidate);
      if (value !== undefined) values.set(valueText(value), value);
    }
  };
  take(described(description, random));
  take(hints);
  if (isOpen(description)) take(general(hints, random));
  return { values: [...values.values()], optional: isOptional(schema) };
}

/** The schema's result for a value, in the form in which the application would have it stored; undefined if the schema rejects it. */
export function accepted(schema: StandardSchema, value: unknown): unknown {
  const result = validated(schema, value);
  if (result.issues !== undefined) return undefined;
  const coding = codingOf(schema);
  if (coding === undefined || result.value === undefined || result.value === null) return result.value;
  try {
    return yielded(schema, coding.encode(coding.decode(result.value)));
  } catch {
    // An application cannot write a value that the codec cannot encode.
    return undefined;
  }
}

/**
 * What a schema makes of some values, without results that it would refuse or change if they were given to it: those cannot be passed as inputs, nor
 * compared with what is stored.
 */
export function acceptedAsInput(schema: StandardSchema, values: readonly unknown[]): unknown[] {
  return values
    .map((value) => accepted(schema, value))
    .filter((value) => value !== undefined && equalValues(accepted(schema, value), value));
}

function isOptional(schema: StandardSchema): boolean {
  const result = validated(schema, undefined);
  return result.issues === undefined && result.value === undefined;
}

/** A description that allows more than a handful of values. */
function isOpen({ enum: choices, const: constant, anyOf, oneOf, format, type }: Description): boolean {
  if (choices !== undefined || constant !== undefined) return false;
  const alternatives = anyOf ?? oneOf;
  if (alternatives !== undefined) return alternatives.some(isOpen);
  return format === undefined && type !== 'boolean';
}

function* described(description: Description, random: RandomSource, depth = 0): Generator {
  const { anyOf, oneOf, type } = description;
  if (depth > 3) return;
  if (description.const !== undefined) yield description.const;
  yield* description.enum ?? [];
  for (const alternative of anyOf ?? oneOf ?? []) yield* described(alternative, random, depth + 1);
  for (const each of [type].flat()) {
    if (each === 'integer' || each === 'number') yield* numbers(description);
    if (each === 'string') yield* texts(description, random);
    if (each === 'boolean') yield* [true, false];
    if (each === 'null') yield null;
    if (each === 'array') yield* lists(description, random, depth);
    if (each === 'object') yield* objects(description, random, depth);
  }
}

function* numbers({ minimum: least = -1000, maximum: most = 1_000_000 }: Description): Generator {
  yield* [least, most, least + 1, most - 1, least + 0.5];
  for (let power = 1; power <= most && power < 1e15; power *= 10)
    if (power >= least) yield* [power - 1, power, power + 1];
  yield* [0, -1, 1, -9, -10, 2.5, 7];
}

function* texts({ minLength = 0, maxLength = 64, pattern, format }: Description, random: RandomSource): Generator {
  if (format === 'date-time') return void (yield* times());
  if (format === 'date') return void (yield* dates());
  if (format !== undefined) return void (yield* formats(format, random));
  if (pattern !== undefined) for (let i = 0; i < 12; i += 1) yield patternText(pattern, random);
  for (const letter of ['a', 'A', 'z', '0', '~', '!'])
    for (const length of new Set([minLength, minLength + 1, Math.min(maxLength, minLength + 3)]))
      if (length > 0 && length <= maxLength) yield letter.repeat(length);
}

function* lists({ items }: Description, random: RandomSource, depth: number): Generator {
  yield [];
  const [first, second] = typeof items === 'object' ? [...described(items, random, depth + 1)] : ['a', 'b'];
  yield* [[first], [first, second]];
}

/** Objects whose properties take their values in step, with and without the optional ones. */
function* objects({ properties = {}, required = [] }: Description, random: RandomSource, depth: number): Generator {
  const choices = Object.entries(properties).map(
    ([name, property]) => [name, [...described(property, random, depth + 1)]] as const,
  );
  for (const step of [0, 1, 2]) {
    const all = choices.map(([name, values]) => [name, values[step % Math.max(1, values.length)]] as const);
    yield Object.fromEntries(all);
    yield Object.fromEntries(all.filter(([name]) => required.includes(name)));
  }
}

/** For schemas without a description: a value of each kind, and texts that are difficult in keys. */
function* general(hints: readonly unknown[], random: RandomSource): Generator {
  yield* [
    'a',
    'b',
    'ab',
    'a!',
    'a-b',
    'A',
    'AB',
    'a b',
    'a~',
    'a.',
    'é',
    'e\u0301',
    '%23',
    'a%23',
    '\uffff',
    '\u{1f600}',
  ];
  yield* ['x#y', 'x|y', 'x/y', 'x:y', 'x~y', '#', '007', '1', '10', '9', ' a', 'a '];
  for (const hint of hints) {
    if (typeof hint !== 'string' || hint === '') continue;
    const last = hint.codePointAt(hint.length - 1) ?? 97;
    yield* [hint, hint.slice(0, -1), `${hint}a`, `${hint}!`, `${hint.slice(0, -1)}${String.fromCodePoint(last + 1)}`];
  }
  yield* [0, 1, -1, 9, 10, 99, 100, 1000, 2.5, 10_000, -10, 0n, 1n, 9n, 10n, 10n ** 20n, true, false];
  yield* [new Set(['x']), new Set(['x', 'y']), new Set([1, 2]), { vip: true }, { vip: false }, {}, ['a'], ['a', 'b']];
  yield* [Uint8Array.of(1), Uint8Array.of(1, 0), Uint8Array.of(255), null];
  yield* [...times(), ...dates()];
  yield* formats('any', random);
}

/** Each side of every unit of time, formats that do not sort as text, and unusual years. */
function* times(): Generator<string> {
  yield* ['2024-02-29T23:59:59Z', '2024-03-01T00:00:00Z', '2023-12-31T23:59:59Z', '2024-01-01T00:00:00Z'];
  yield* [
    '2024-03-01T00:00:00.000Z',
    '2024-03-01T00:00:00.500Z',
    '2024-03-01T00:59:59.999Z',
    '2024-03-01T01:00:00.000Z',
  ];
  yield* [
    '2024-03-03T23:59:59.999Z',
    '2024-03-04T00:00:00.000Z',
    '2023-12-31T23:59:59.999Z',
    '2024-01-01T00:00:00.001Z',
  ];
  yield* ['1969-12-31T23:59:59Z', '1969-12-31T23:59:59.000Z', '2286-11-20T17:46:40Z', '2286-11-20T17:46:39.999Z'];
  yield* ['2024-03-01T00:30:00+01:00', '2024-02-29T20:00:00-05:00', '2024-03-01T14:00:00+14:00'];
  yield* ['2024-03-01T00:00:00', '2024-03-01T00:00:01', '2024-03-01T00:00:00.1234567Z', '2024-03-01T00:00'];
}

function* dates(): Generator<string> {
  yield* [
    '2024-02-29',
    '2024-03-01',
    '2023-12-31',
    '2024-01-01',
    '2024-03-03',
    '2024-03-04',
    '1969-12-31',
    '2286-11-20',
  ];
}

function* formats(format: string, random: RandomSource): Generator<string> {
  const all = format === 'any';
  const character = (alphabet: string): string => random.pick(Array.from(alphabet));
  const run = (length: number, alphabet: string): string => Array.from({ length }, () => character(alphabet)).join('');
  const hex = '0123456789abcdef';
  const base32 = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
  const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  if (all || format === 'email') yield* ['a@example.com', 'A@example.com', 'ab@example.com', 'a.b@example.com'];
  if (all || format === 'uri') yield* ['https://example.com/a', 'https://example.com/A', 'https://example.com/a/b'];
  if (all || format === 'ulid')
    for (const stamp of ['01HQVYJ000', '01HQVYJ001', '01HQVZJ000', '7ZZZZZZZZZ'])
      yield* [`${stamp}${run(16, base32)}`, `${stamp}${run(16, base32)}`];
  if (all || format === 'ksuid')
    for (const stamp of ['2d', '2e', '1z', '0a']) yield* [`${stamp}${run(25, base62)}`, `${stamp}${run(25, base62)}`];
  if (all || format === 'uuid')
    for (const version of ['4', '7', '4'])
      yield `${run(8, hex)}-${run(4, hex)}-${version}${run(3, hex)}-8${run(3, hex)}-${run(12, hex)}`;
}

/** Valibot describes itself with its pipes. */
function valibotDescription(schema: StandardSchema): Description {
  if (schema['~standard'].vendor !== 'valibot') return {};
  const {
    type,
    pipe = [],
    options,
    literal,
    wrapped,
  } = schema as unknown as {
    readonly type?: string;
    readonly pipe?: readonly { readonly type: string; readonly requirement?: unknown }[];
    readonly options?: readonly unknown[];
    readonly literal?: unknown;
    readonly wrapped?: StandardSchema;
  };
  if (wrapped !== undefined) return valibotDescription(wrapped);
  if (type === 'picklist') return { enum: options ?? [] };
  if (type === 'literal') return { const: literal };
  const said = (name: string): unknown => pipe.find((step) => step.type === name)?.requirement;
  const number = (name: string): number | undefined =>
    typeof said(name) === 'number' ? (said(name) as number) : undefined;
  const format = pipe.some((step) => step.type === 'iso_date')
    ? 'date'
    : pipe.some((step) => ['iso_timestamp', 'iso_date_time'].includes(step.type))
      ? 'date-time'
      : undefined;
  const [minimum, maximum] = [number('min_value'), number('max_value')];
  const [minLength, maxLength] = [number('min_length') ?? number('length'), number('max_length') ?? number('length')];
  const pattern = said('regex');
  return {
    ...(type !== undefined && { type: pipe.some((step) => step.type === 'integer') ? 'integer' : type }),
    ...(format !== undefined && { format }),
    ...(minimum !== undefined && { minimum }),
    ...(maximum !== undefined && { maximum }),
    ...(minLength !== undefined && { minLength }),
    ...(maxLength !== undefined && { maxLength }),
    ...(pattern instanceof RegExp && { pattern: pattern.source }),
  };
}
