import { domainOf } from '../keys/domain.ts';
import { ksuid, ulid } from '../keys/ids.ts';
import type { StandardSchema } from '../schema/standard-schema.ts';
import { yielded } from '../schema/validated.ts';

/** The inputs of sample values: the same numbers give the same values. */
export interface SampleSource {
  /** Counts up from 0 and distinguishes one sample from the next. */
  readonly index: number;
  /** The time of this sample, in milliseconds since 1970. */
  readonly at: number;
  /** From 0 (inclusive) to 1 (exclusive). */
  readonly random: () => number;
}

/**
 * A value that a schema accepts, as a sample of the attribute of that name.
 *
 * Standard Schema has no description, so values are tried: the choices of an enumeration if the library exposes them, then
 * what the name suggests, then one of each kind.
 *
 * @param encoders - names of the encoders that keys apply to the attribute. They may require an id or a time.
 * @returns undefined if none is accepted, and now and then for an optional attribute.
 */
export function sampleValue(
  name: string,
  schema: StandardSchema,
  source: SampleSource,
  encoders: readonly string[] = [],
): unknown {
  const accepted = (value: unknown): unknown => yielded(schema, value);
  const choices = choicesOf(schema);
  if (choices.length > 0) return accepted(choices[Math.floor(source.random() * choices.length)]);
  for (const candidate of [...encoded(source, encoders), ...candidates(name, schema, source)]) {
    const value = accepted(candidate);
    if (value !== undefined) return value;
  }
  return undefined;
}

function* candidates(name: string, schema: StandardSchema, source: SampleSource): Generator {
  const { index, at, random } = source;
  const id = idSource(source);
  const serial = String(index + 1).padStart(4, '0');
  const iso = new Date(at).toISOString();
  const seconds = Math.floor(at / 1000);
  const plain = `${iso.slice(0, 19)}Z`;
  if (/mail/i.test(name)) yield `${person(index)}@example.com`;
  if (/^(is|has)[A-Z]|unread|active|enabled|featured|paid/.test(name)) yield* [false, true];
  if (/(expires|ttl|epoch)/i.test(name)) yield seconds + 86_400;
  if (/(At|On|Time|Date|Timestamp|Day)$|^(at|time|date|timestamp|when|day)$/.test(name))
    yield* [iso, plain, iso.slice(0, 10), seconds];
  if (/(amount|price|total|cost|score|rating|salary)/i.test(name)) yield Math.round(random() * 20_000) / 100;
  if (/(count|number|quantity|size|version|age|likes|stars|forks)/i.test(name)) yield index + 1;
  if (/url|link|image|photo|avatar/i.test(name)) yield `https://example.com/${name}/${serial}`;
  if (/(user|owner|login|handle|author|agent|member)(name)?$/i.test(name)) yield person(index);
  if (/name$/i.test(name)) yield `${name.slice(0, 1).toUpperCase()}${name.slice(1)} ${index + 1}`;
  if (/(title|subject|body|text|description|note|comment|message|content)$/i.test(name)) yield words(index);
  if (/city/i.test(name)) yield ['Rotterdam', 'Lyon', 'Porto', 'Graz'][index % 4];
  if (/country/i.test(name)) yield ['NL', 'FR', 'PT', 'AT'][index % 4];
  if (/id$/i.test(name))
    yield* [
      `${name.replace(/id$/i, '').toLowerCase().slice(0, 6)}${serial}`,
      ksuid(id),
      ulid({ at, random: id.random.subarray(0, 10) }),
    ];
  yield* [
    `${name}${serial}`,
    `${name.toLowerCase()}${serial}`,
    serial,
    index + 1,
    ...within(schema, index),
    1.5,
    false,
    true,
  ];
  yield* [
    iso,
    plain,
    iso.slice(0, 10),
    seconds,
    at,
    `00000000-0000-4000-8000-${serial.padStart(12, '0')}`,
    ksuid(id),
    ulid({ at, random: id.random.subarray(0, 10) }),
  ];
  yield* [
    `${person(index)}@example.com`,
    `https://example.com/${serial}`,
    // Numbers in text, of a fixed width.
    ...[1, 2, 3, 5, 6, 7, 8, 9, 10, 12].map((width) => String(index + 1).padStart(width, '0')),
    'a',
    'A',
    '1',
    new Set(['one', 'two']),
    new Uint8Array([index % 256]),
  ];
  yield* [[], {}, ['one', 'two'], [1, 2], null];
}

/** A number within the bounds of a schema, one after the other, and the first again after the last. */
function within(schema: StandardSchema, index: number): number[] {
  const { number } = domainOf(schema);
  const first = Math.ceil(number?.least ?? Number.NaN);
  if (number === undefined || !Number.isSafeInteger(first) || number.most < first) return [];
  return [first + (index % (Math.floor(number.most - first) + 1))];
}

/** What the encoders of a key require. */
function* encoded(source: SampleSource, encoders: readonly string[]): Generator {
  if (encoders.includes('ksuid')) yield ksuid(idSource(source));
  if (encoders.includes('ulid')) yield ulid({ at: source.at, random: idSource(source).random.subarray(0, 10) });
  if (encoders.includes('epoch')) yield Math.floor(source.at / 1000);
  if (encoders.some((encoder) => times.has(encoder))) yield* [new Date(source.at).toISOString(), source.at];
}

const times = new Set(['utc', 'seconds', 'inverseTime', 'second', 'hour', 'day', 'week', 'month', 'year', 'date']);

function idSource({ at, random }: SampleSource): { readonly at: number; readonly random: Uint8Array } {
  return { at, random: Uint8Array.from({ length: 16 }, () => Math.floor(random() * 256)) };
}

/** The values of an enumeration, if zod, valibot or arktype expose them. */
export function choicesOf(schema: unknown, depth = 0): readonly unknown[] {
  if (typeof schema !== 'object' && typeof schema !== 'function') return [];
  if (schema === null || depth > 5) return [];
  const { options, wrapped, unwrap, json } = schema as Readonly<Record<string, unknown>>;
  if (Array.isArray(options) && options.every((option) => typeof option !== 'object'))
    return options as readonly unknown[];
  if (wrapped !== undefined) return choicesOf(wrapped, depth + 1);
  if (typeof unwrap === 'function') return choicesOf((unwrap as () => unknown).call(schema), depth + 1);
  if (Array.isArray(json))
    return json.flatMap((branch: unknown) =>
      (branch as { unit?: unknown }).unit === undefined ? [] : [(branch as { unit: unknown }).unit],
    );
  return [];
}

const people = ['alex', 'bea', 'chris', 'dana', 'eli', 'fay', 'gus', 'hana'];

function person(index: number): string {
  const name = people[index % people.length] ?? 'alex';
  return index < people.length ? name : `${name}${Math.floor(index / people.length) + 1}`;
}

const phrases = [
  'Arrived a day early',
  'Does not start on Mondays',
  'Better than expected',
  'Please call back',
  'Works since the update',
];

function words(index: number): string {
  return phrases[index % phrases.length] ?? '';
}
