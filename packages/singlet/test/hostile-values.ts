import * as fc from 'fast-check';
import type { Json } from './hostile-database.ts';

/** Names that every object inherits, or that have a meaning in some system. */
export const oddNames: readonly string[] = [
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'valueOf',
  'toJSON',
  'then',
  'length',
  '',
  ' ',
  '#',
  ':',
  '#n',
  ':v',
  'a.b',
  'a[0]',
  'size',
  'SET',
  '\u0000',
  '\uD800',
  'é',
  '🎈',
  'x'.repeat(256),
];

/** Attributes of the existing items. */
export const knownNames: readonly string[] = [
  'pk',
  'sk',
  'rank',
  'owner',
  'photo',
  'tag',
  'a',
  'n',
  'list',
  'map',
  'set',
  'numbers',
  'bytes',
  'none',
  'yes',
];

export const attributeName: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...knownNames) },
  { weight: 2, arbitrary: fc.constantFrom(...oddNames) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 5 }) },
);

const text = fc.oneof(
  fc.constantFrom('', 'a', 'b', 'c', 'p', 'x', 'v', 't', 'text', 'deep', '\uD800', '\uDC00x', '\u0000', '\uFFFF', '🎈'),
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.constant('long'.repeat(300)),
);

const decimal = fc.oneof(
  fc.constantFrom(
    '0',
    '1',
    '-1',
    '2',
    '10',
    '42',
    '1.0',
    '1e2',
    '-0',
    '0.1',
    '9'.repeat(38),
    `1${'0'.repeat(125)}`,
    '1e-130',
  ),
  fc.integer({ min: -20, max: 20 }).map(String),
  fc.integer().map((thousandths) => String(thousandths / 1000)),
);

const noDecimal = fc.constantFrom(
  '',
  ' 1',
  'one',
  'NaN',
  'Infinity',
  '0x1',
  '1e',
  '.',
  '1e126',
  '1e-131',
  '9'.repeat(39),
  '1e99999999999',
);

const base64 = fc.oneof(
  fc.constantFrom('', 'AA==', 'AAEC', 'AQ=='),
  fc.uint8Array({ maxLength: 8 }).map((bytes) => Buffer.from(bytes).toString('base64')),
);

/** Valid attribute values. */
export const attributeValue: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    { weight: 4, arbitrary: fc.record({ S: text }) },
    { weight: 4, arbitrary: fc.record({ N: decimal }) },
    { weight: 2, arbitrary: fc.record({ B: base64 }) },
    fc.record({ BOOL: fc.boolean() }),
    fc.record({ NULL: fc.constant(true) }),
    fc.record({ SS: fc.uniqueArray(fc.constantFrom('a', 'b', '', '__proto__'), { minLength: 1, maxLength: 3 }) }),
    fc.record({ NS: fc.uniqueArray(fc.constantFrom('1', '2', '3e1'), { minLength: 1, maxLength: 3 }) }),
    fc.record({ BS: fc.uniqueArray(fc.constantFrom('AA==', 'AQ=='), { minLength: 1, maxLength: 2 }) }),
    fc.record({ L: fc.array(tie('value'), { maxLength: 3 }) }),
    fc.record({ M: fc.dictionary(attributeName, tie('value'), { maxKeys: 3 }) }),
  ),
})).value;

/** Invalid attribute values. */
const wrongAttributeValue: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom<Json>(
    {},
    null,
    [],
    'a',
    1,
    { S: null },
    { S: 1 },
    { S: 'a', N: '1' },
    { N: 1 },
    { N: null },
    { B: '====' },
    { B: 'é' },
    { B: [] },
    { BOOL: 'true' },
    { NULL: false },
    { NULL: null },
    { SS: [] },
    { SS: null },
    { SS: [null] },
    { SS: ['a', 'a'] },
    { NS: ['1', '1.0'] },
    { NS: ['one'] },
    { BS: ['AA', 'AA=='] },
    { L: null },
    { L: [null] },
    { L: {} },
    { M: null },
    { M: [] },
    { M: { a: null } },
    { M: { '': { S: 'a' } } },
    { X: 'a' },
    { s: 'a' },
  ),
  noDecimal.map((N) => ({ N })),
  fc.integer({ min: 28, max: 40 }).map((levels) => nested(levels, (inner) => ({ L: [inner] }))),
  fc.integer({ min: 28, max: 40 }).map((levels) => nested(levels, (inner) => ({ M: { a: inner } }))),
  fc.constant(nested(400, (inner) => ({ L: [inner] }))),
);

/** Any value in place of any other. */
export const strangeValue: fc.Arbitrary<Json> = fc.oneof(
  { weight: 3, arbitrary: wrongAttributeValue },
  { weight: 3, arbitrary: attributeValue },
  {
    weight: 3,
    arbitrary: fc.constantFrom<Json>(
      null,
      true,
      false,
      0,
      -1,
      1,
      1.5,
      101,
      2 ** 31,
      2 ** 53,
      1e308,
      '',
      'true',
      '1',
      'Simple',
      '__proto__',
      'byOwner',
      'NONE',
      'ALL_OLD',
      'arn:',
      'arn:aws:dynamodb:us-east-1:000000000000:table/Simple',
      'arn:aws:dynamodb:eu-west-1:999999999999:table/__proto__',
      'x'.repeat(2049),
      [],
      {},
      [null],
      [[]],
      [{}],
      { '': '' },
    ),
  },
  { weight: 1, arbitrary: fc.constantFrom(...oddNames) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
);

/** A value nested at this depth. */
export function nested(levels: number, wrap: (inner: Json) => Json): Json {
  let value: Json = { S: 'x' };
  for (let level = 0; level < levels; level += 1) value = wrap(value);
  return value;
}
