import type { RandomSource } from '../../../src/prove/random-source.ts';
import type { AttributeScript } from '../model-script.ts';

export const encoders = [
  'lower',
  'upper',
  'trim',
  'slug',
  'escape',
  'lower:escape',
  'trim:lower',
  'utc',
  'seconds',
  'inverseTime',
  'second',
  'hour',
  'day',
  'week',
  'month',
  'year',
  'date',
  '01',
  '03',
  '05',
  '07',
  'inverse3',
  'inverse8',
  'tens3',
  'tens8',
  'bare',
  'ksuid:day',
  'ksuid:second',
  'ulid:day',
  'shard2',
  'shard4',
  'rest',
  'epoch:day',
  'epoch:second',
] as const;

/** Schemas of many kinds, with narrow and wide bounds. */
export const schemas: readonly AttributeScript[] = [
  { type: 'text' },
  { type: 'text', min: 1 },
  { type: 'text', min: 2, max: 2 },
  { type: 'text', max: 3 },
  { type: 'text', lower: true },
  { type: 'text', format: 'email' },
  { type: 'text', format: 'uuid' },
  { type: 'pattern', pattern: '^[a-z]{3}$' },
  { type: 'pattern', pattern: '^[a-z]{3}$', flags: 'i' },
  { type: 'pattern', pattern: '^[A-Za-z0-9._-]{1,9}$' },
  { type: 'pattern', pattern: '^[!-~]{2}$' },
  { type: 'pattern', pattern: '^[a-c]+$', after: 'upper' },
  { type: 'int', min: 0, max: 9 },
  { type: 'int', min: 0, max: 999 },
  { type: 'int', min: 1, max: 9_999_999 },
  { type: 'int', min: -9, max: 99 },
  { type: 'int' },
  { type: 'number' },
  { type: 'number', min: 0, max: 99 },
  { type: 'number', min: 0, multipleOf: 5 },
  { type: 'number', min: 0, max: 9, coerce: true },
  { type: 'bigint' },
  { type: 'bool' },
  { type: 'enum', values: ['a', 'b'] },
  { type: 'enum', values: ['OPEN', 'OPEN#', 'O'] },
  { type: 'literals', values: [1, 2, 'x'] },
  { type: 'date' },
  { type: 'datetime' },
  { type: 'datetime', precision: 0 },
  { type: 'datetime', precision: 3 },
  { type: 'datetime', precision: 3, codec: 'date' },
  { type: 'datetime', offset: true },
  { type: 'datetime', local: true },
  { type: 'ksuid' },
  { type: 'ulid' },
  { type: 'set' },
  { type: 'list' },
  { type: 'list', max: 2 },
  { type: 'map' },
  { type: 'record' },
  { type: 'object', fields: { a: { type: 'text' }, n: { type: 'int', optional: true } } },
  { type: 'union', options: [{ type: 'int' }, { type: 'text' }] },
  { type: 'bytes' },
];

/** A value that a schema probably takes. */
export function valueOf(schema: AttributeScript | undefined, random: RandomSource): string | number | boolean {
  switch (schema?.type) {
    case 'int':
    case 'number':
      return random.pick([schema.min ?? 0, schema.max ?? 1, (schema.min ?? 0) + 1, 0]);
    case 'bool':
      return random.chance(0.5);
    case 'enum':
    case 'literals':
      return schema.values === undefined || schema.values.length === 0 ? 'a' : random.pick(schema.values);
    case 'date':
      return random.pick(['2024-03-01', '2024-03-02']);
    case 'datetime':
      return schema.precision === 3
        ? random.pick(['2024-03-01T12:00:00.000Z', '2024-03-02T00:00:00.999Z'])
        : random.pick(['2024-03-01T12:00:00Z', '2024-03-02T00:00:00Z']);
    case undefined:
      return 'a';
    default:
      return random.pick(['a', 'ab', 'abc', 'A', '', 'a#', 'é']);
  }
}

/** A test of an attribute, in a condition. */
export function testOf(schema: AttributeScript | undefined, random: RandomSource): unknown {
  const value = valueOf(schema, random);
  return random.pick<() => unknown>([
    () => value,
    () => value,
    () => [value, valueOf(schema, random)],
    () => ({ exists: random.chance(0.7) }),
    () => ({ exists: true }),
    () => ({ not: value }),
    () => ({ equals: value }),
    () => ({ atLeast: value }),
    () => ({ atMost: value }),
    () => ({ above: value }),
    () => ({ below: value }),
    () => ({ atLeast: value, not: valueOf(schema, random) }),
    () => ({ begins: String(value).slice(0, 1) }),
    () => ({ contains: value }),
    () => ({ lacks: value }),
    () => ({ size: { atLeast: random.below(3) } }),
  ])();
}
