import * as fc from 'fast-check';
import type { Json } from './hostile-database.ts';
import { attributeName, attributeValue, knownNames, oddNames } from './hostile-values.ts';

const placeholderWords = [
  'a',
  'b',
  'n',
  'v',
  '0',
  'list',
  'map',
  'set',
  'owner',
  '__proto__',
  'constructor',
  'toString',
];

const namePlaceholder = fc.constantFrom(...placeholderWords).map((word) => `#${word}`);
const valuePlaceholder = fc.constantFrom(...placeholderWords).map((word) => `:${word}`);

const keywords = 'SET REMOVE ADD DELETE set AND OR NOT BETWEEN IN and';
const signs = '= <> < <= > >= + - ( ) [ ] . , ; [0] [1] [99999999999] [-1]';
const functions =
  'attribute_exists attribute_not_exists attribute_type begins_with contains size if_not_exists list_append Size unknown';
const words = 'a pk sk list map set owner 0 1 - "a" \'a\' é 🎈 __proto__ constructor toString';

const token = fc.oneof(
  fc.constantFrom(...[keywords, signs, functions, words].join(' ').split(' ')),
  namePlaceholder,
  valuePlaceholder,
  fc.constantFrom('#', ':', '#-', ':é', '##a', '::a', '\u0000', '\n', '\t'),
);

/** Keywords of the expression languages in any order. */
const tokenSoup: fc.Arbitrary<string> = fc
  .tuple(fc.array(token, { maxLength: 25 }), fc.constantFrom(' ', ' ', ' ', ''))
  .map(([tokens, between]) => tokens.join(between));

/** Names that are not reserved words. */
const plainName = fc.constantFrom('a', 'n', 'tag', 'numbers', 'bytes', 'yes', 'fresh', 'toString');

const step = fc.oneof(
  fc.constantFrom('[0]', '[1]', '[2]', '[7]'),
  plainName.map((name) => `.${name}`),
  namePlaceholder.map((name) => `.${name}`),
);

const path: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: plainName },
  { weight: 3, arbitrary: namePlaceholder },
  { weight: 1, arbitrary: fc.constantFrom('pk', 'sk', 'photo') },
  {
    weight: 3,
    arbitrary: fc
      .tuple(fc.constantFrom('#list', '#map', '#map', 'a'), fc.array(step, { minLength: 1, maxLength: 3 }))
      .map(([first, steps]) => [first, ...steps].join('')),
  },
);

/** Usually a placeholder for a value of the required type (see {@link valueFor}), otherwise of any type. */
const typed = (...types: readonly string[]): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 12, arbitrary: fc.constantFrom(...types).map((type) => `:${type}`) },
    { weight: 1, arbitrary: valuePlaceholder },
  );

const scalar: fc.Arbitrary<string> = fc.oneof(
  path,
  typed('text', 'number', 'blob'),
  path.map((each) => `size(${each})`),
);

const equalitySign = fc.constantFrom('=', '<>');
const comparator = fc.constantFrom('=', '<>', '<', '<=', '>', '>=');

const simpleCondition: fc.Arbitrary<string> = fc.oneof(
  fc.tuple(scalar, comparator, scalar).map((parts) => parts.join(' ')),
  fc.tuple(path, equalitySign, valuePlaceholder).map((parts) => parts.join(' ')),
  fc.tuple(scalar, typed('low'), typed('high')).map(([value, low, high]) => `${value} BETWEEN ${low} AND ${high}`),
  fc.tuple(path, path, path).map(([value, low, high]) => `${value} BETWEEN ${low} AND ${high}`),
  fc
    .tuple(scalar, fc.array(scalar, { minLength: 1, maxLength: 4 }))
    .map(([value, list]) => `${value} IN (${list.join()})`),
  path.map((each) => `attribute_exists(${each})`),
  path.map((each) => `attribute_not_exists(${each})`),
  fc.tuple(path, typed('type')).map(([each, type]) => `attribute_type(${each}, ${type})`),
  fc.tuple(path, fc.oneof(path, typed('text', 'blob'))).map(([each, start]) => `begins_with(${each}, ${start})`),
  fc.tuple(path, fc.oneof(scalar, valuePlaceholder)).map(([each, part]) => `contains(${each}, ${part})`),
);

const condition: fc.Arbitrary<string> = fc.letrec<{ condition: string }>((tie) => ({
  condition: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    simpleCondition,
    fc.tuple(tie('condition'), tie('condition')).map(([left, right]) => `${left} AND ${right}`),
    fc.tuple(tie('condition'), tie('condition')).map(([left, right]) => `(${left} OR ${right})`),
    tie('condition').map((inner) => `NOT ${inner}`),
  ),
})).condition;

const ifMissing = (fallback: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.tuple(path, fallback).map(([each, value]) => `if_not_exists(${each}, ${value})`);

const numberTerm: fc.Arbitrary<string> = fc.oneof(path, typed('number'), ifMissing(typed('number')));
const listTerm: fc.Arbitrary<string> = fc.oneof(path, typed('list'), ifMissing(typed('list')));

const updateValue: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: valuePlaceholder },
  { weight: 2, arbitrary: path },
  { weight: 1, arbitrary: ifMissing(valuePlaceholder) },
  { weight: 1, arbitrary: fc.tuple(numberTerm, fc.constantFrom('+', '-'), numberTerm).map((parts) => parts.join(' ')) },
  { weight: 1, arbitrary: fc.tuple(listTerm, listTerm).map(([one, other]) => `list_append(${one}, ${other})`) },
);

const clauses = fc.tuple(
  fc
    .array(
      fc.tuple(path, updateValue).map((parts) => parts.join(' = ')),
      { maxLength: 2 },
    )
    .map(clause('SET')),
  fc.array(path, { maxLength: 1 }).map(clause('REMOVE')),
  fc
    .array(
      fc.tuple(path, typed('number', 'set')).map((parts) => parts.join(' ')),
      { maxLength: 1 },
    )
    .map(clause('ADD')),
  fc
    .array(
      fc.tuple(path, typed('set')).map((parts) => parts.join(' ')),
      { maxLength: 1 },
    )
    .map(clause('DELETE')),
);

const update: fc.Arbitrary<string> = clauses.map((parts) => parts.filter((part) => part !== '').join(' '));

const projection: fc.Arbitrary<string> = fc
  .array(path, { minLength: 1, maxLength: 4 })
  .map((paths) => paths.join(', '));

/** Of a table or index with this partition key, and perhaps this sort key, which is a number. */
export function keyConditionText(partitionKey: string, sortKey: string | undefined): fc.Arbitrary<string> {
  const sort = sortKey ?? 'sk';
  const sortCondition = fc.oneof(
    fc.tuple(comparator, typed('number')).map(([operator, value]) => ` AND ${sort} ${operator} ${value}`),
    fc.tuple(typed('low'), typed('high')).map(([low, high]) => ` AND ${sort} BETWEEN ${low} AND ${high}`),
    typed('text').map((value) => ` AND begins_with(${sort}, ${value})`),
  );
  const rest = fc.oneof(
    { weight: 2, arbitrary: fc.constant('') },
    { weight: sortKey === undefined ? 1 : 6, arbitrary: sortCondition },
  );
  const type = partitionKey === 'photo' ? typed('blob') : typed('text');
  return sometimesSoup(fc.tuple(type, rest).map(([value, more]) => `${partitionKey} = ${value}${more}`));
}

function sometimesSoup(sensible: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc.oneof({ weight: 8, arbitrary: sensible }, { weight: 1, arbitrary: tokenSoup });
}

export const conditionText: fc.Arbitrary<string> = sometimesSoup(condition);
export const updateText: fc.Arbitrary<string> = sometimesSoup(update);
export const projectionText: fc.Arbitrary<string> = sometimesSoup(projection);

/** An expression, or text that resembles one. */
export const anyExpression: fc.Arbitrary<string> = fc.oneof(
  condition,
  update,
  projection,
  keyConditionText('pk', 'sk'),
  tokenSoup,
  fc.string({ unit: 'binary', maxLength: 20 }),
);

/**
 * Names and values for the placeholders in these expressions: usually all of them and no others, so that the request gets
 * as far as the items.
 */
export function placeholdersFor(expressions: readonly string[]): fc.Arbitrary<Readonly<Record<string, Json>>> {
  const used = expressions.join(' ').match(/[#:][A-Za-z0-9_]+/g) ?? [];
  const names = [...new Set(used.filter((each) => each.startsWith('#')))];
  const values = [...new Set(used.filter((each) => each.startsWith(':')))];
  const noise = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<Readonly<Record<string, T>>> =>
    fc.oneof(
      { weight: 15, arbitrary: fc.constant({}) },
      { weight: 1, arbitrary: fc.dictionary(fc.constantFrom('#x', ':x', ...oddNames), value, { maxKeys: 1 }) },
    );
  return fc
    .record({
      ExpressionAttributeNames: merged(record(names, nameFor), noise(attributeName)),
      ExpressionAttributeValues: merged(record(values, valueFor), noise(attributeValue)),
    })
    .map((parameters) =>
      Object.fromEntries(Object.entries(parameters).filter(([, entries]) => Object.keys(entries).length > 0)),
    );
}

/** `#list` is usually the attribute `list`. */
function nameFor(placeholder: string): fc.Arbitrary<string> {
  const name = placeholder.slice(1);
  const others = attributeName.filter((each) => each !== '');
  if (!knownNames.includes(name) && name !== '__proto__') return others;
  return fc.oneof({ weight: 9, arbitrary: fc.constant(name) }, { weight: 1, arbitrary: others });
}

/** The value of a placeholder whose name determines its type. */
function valueFor(placeholder: string): fc.Arbitrary<Json> {
  const values: Readonly<Record<string, readonly Json[]>> = {
    text: [{ S: 'a' }, { S: 'x' }, { S: 'text' }, { S: '' }],
    number: [{ N: '1' }, { N: '42' }, { N: '-1.5' }, { N: '1e125' }],
    blob: [{ B: 'AAEC' }, { B: '' }],
    low: [{ N: '0' }, { N: '1' }],
    high: [{ N: '2' }, { N: '1e9' }],
    type: ['S', 'N', 'SS', 'M', 'L', 'NULL', 'BOOL'].map((S) => ({ S })),
    list: [{ L: [] }, { L: [{ S: 'x' }, { M: {} }] }],
    set: [{ SS: ['a'] }, { NS: ['1', '7'] }, { BS: ['AA=='] }],
  };
  const word = placeholder.slice(1);
  return Object.hasOwn(values, word) ? fc.constantFrom(...(values[word] ?? [])) : attributeValue;
}

function record<T>(
  keys: readonly string[],
  valueFor: (key: string) => fc.Arbitrary<T>,
): fc.Arbitrary<Readonly<Record<string, T>>> {
  return fc
    .tuple(...keys.map((key) => valueFor(key)))
    .map((values) => Object.fromEntries(keys.map((key, at) => [key, values[at] as T])));
}

function merged<T>(
  one: fc.Arbitrary<Readonly<Record<string, T>>>,
  other: fc.Arbitrary<Readonly<Record<string, T>>>,
): fc.Arbitrary<Readonly<Record<string, T>>> {
  return fc.tuple(one, other).map((records) => Object.fromEntries(records.flatMap((each) => Object.entries(each))));
}

function clause(keyword: string): (parts: readonly string[]) => string {
  return (parts) => (parts.length === 0 ? '' : `${keyword} ${parts.join(', ')}`);
}
