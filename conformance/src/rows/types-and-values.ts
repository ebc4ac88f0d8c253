import { matching, messageContaining, oneOf } from '../matchers.ts';
import type { Row } from '../row.ts';
import { row } from '../row.ts';
import { ALTERNATOR, CAPTURED_2026, docs, DYNALITE } from '../sources.ts';
import { check, error, get, put, response, update } from '../steps.ts';
import { binaryRangeTable, hashTable } from '../tables.ts';
import { B, BOOL, BS, L, M, N, nestedList, nestedMap, NS, NULL, S, SS } from '../values.ts';
import type { WireItem, WireValue } from '../values.ts';

const DATA_TYPES = docs('Naming rules and data types');

const everyType: WireItem = {
  pk: S('every-type'),
  string: S('Zürich'),
  number: N('-12.5'),
  binary: B([0, 127, 128, 255]),
  boolean: BOOL(false),
  null: NULL,
  list: L(S('a'), N(1), M({ x: NULL }), L()),
  map: M({ a: S('x'), 'b.c': M({ d: BOOL(true) }) }),
  strings: SS('a', 'b', 'ü'),
  numbers: NS(1, -2, '3.5'),
  binaries: BS([0], [255, 1]),
};

const INVALID = 'One or more parameter values were invalid:';
const NOT_ONE_TYPE =
  'Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes';
const EMPTY_VALUE = 'Supplied AttributeValue is empty, must contain exactly one of the supported datatypes';
const TOO_DEEP =
  'Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit';

/** A put that must be refused because of the value of attribute `a`. Nothing is stored. */
function refused(
  id: string,
  covers: string,
  source: string,
  value: unknown,
  message: Parameters<typeof error>[1],
): Row {
  return row(`types/${id}`, covers, source, {
    table: hashTable,
    steps: [
      put({ pk: S('x'), a: value as WireValue }).answers(error('ValidationException', message)),
      get({ pk: S('x') }).gives({}),
    ],
  });
}

/** A value that is stored and read back unchanged, or as `stored`. */
function stores(id: string, covers: string, source: string, value: WireValue, stored: WireValue = value): Row {
  return row(`types/${id}`, covers, source, {
    table: hashTable,
    steps: [put({ pk: S('x'), a: value }).gives({}), get({ pk: S('x') }).gives({ Item: { pk: S('x'), a: stored } })],
  });
}

/** A body that does not have the JSON types of the API. */
function malformed(id: string, value: unknown, message: Parameters<typeof error>[1]): Row {
  return row(`types/serialization-${id}`, 'DB-280 DB-025', DYNALITE, {
    table: hashTable,
    steps: [put({ pk: S('x'), a: value as WireValue }).answers(error('SerializationException', message))],
  });
}

export const typesAndValuesRows: readonly Row[] = [
  row('types/round-trip-of-all-ten', 'DB-022 DB-024', DATA_TYPES, {
    table: hashTable,
    steps: [put(everyType).gives({}), get({ pk: S('every-type') }).gives({ Item: everyType })],
  }),
  row('types/item-with-only-its-key', 'DB-023', DATA_TYPES, {
    table: hashTable,
    steps: [put({ pk: S('x') }).gives({}), get({ pk: S('x') }).gives({ Item: { pk: S('x') } })],
  }),
  row('types/items-of-one-table-share-nothing-but-the-key', 'DB-021 DB-012', docs('Core components'), {
    table: hashTable,
    items: [
      { pk: S('USER#1'), Name: S('Alex'), Age: N(31) },
      { pk: S('ORDER#1'), Total: N('9.99'), Age: S('three days') },
    ],
    steps: [
      get({ pk: S('USER#1') }).gives({ Item: { pk: S('USER#1'), Name: S('Alex'), Age: N(31) } }),
      get({ pk: S('ORDER#1') }).gives({ Item: { pk: S('ORDER#1'), Total: N('9.99'), Age: S('three days') } }),
    ],
  }),
  row('types/attribute-names-are-data', 'DB-023', DATA_TYPES, {
    table: hashTable,
    steps: [
      check('names that JavaScript knows', async ({ send, expect }) => {
        const item = '{"pk":{"S":"x"},"__proto__":{"S":"p"},"constructor":{"S":"c"},"toString":{"N":"1"},"":{"S":"e"}}';
        const named = item.replace(',"":{"S":"e"}', '');
        const answer = await send('PutItem', `{"TableName":"$T","Item":${named}}`);
        expect('status', answer.status, 200);
        const read = await send('GetItem', { TableName: '$T', Key: { pk: S('x') }, ConsistentRead: true });
        const text = Buffer.from(read.rawBody).toString('utf8');
        for (const name of ['__proto__', 'constructor', 'toString']) expect(name, text.includes(`"${name}":{`), true);
      }),
    ],
  }),

  refused('two-type-tags', 'DB-025', DYNALITE, { S: '1', N: '1' }, NOT_ONE_TYPE),
  refused('no-type-tag', 'DB-025', DYNALITE, {}, EMPTY_VALUE),
  refused('unknown-type-tag', 'DB-025', DYNALITE, { X: '1' }, EMPTY_VALUE),
  refused('no-type-tag-inside-a-map', 'DB-025', DYNALITE, { M: { b: {} } }, EMPTY_VALUE),
  refused('two-type-tags-inside-a-list', 'DB-025', DYNALITE, { L: [{ S: 'a', BOOL: true }] }, NOT_ONE_TYPE),

  row(
    'types/equal-looking-values-of-different-types-differ',
    'DB-026',
    docs('Comparison operator and function reference'),
    {
      table: hashTable,
      items: [{ pk: S('x'), a: S('1565954664') }],
      steps: [
        put(
          { pk: S('x') },
          { ConditionExpression: 'a = :n', ExpressionAttributeValues: { ':n': N('1565954664') } },
        ).conditionFails(),
        put(
          { pk: S('x') },
          { ConditionExpression: 'a = :s', ExpressionAttributeValues: { ':s': S('1565954664') } },
        ).gives({}),
      ],
    },
  ),
  row('types/add-works-on-numbers-and-sets', 'DB-027 DB-244', docs('Update expressions'), {
    table: hashTable,
    items: [{ pk: S('x'), n: N(1), s: SS('a') }],
    steps: [
      update({ pk: S('x') }, 'ADD n :n, s :s', {
        ExpressionAttributeValues: { ':n': N(2), ':s': SS('b') },
        ReturnValues: 'ALL_NEW',
      }).gives({ Attributes: { pk: S('x'), n: N(3), s: SS('a', 'b') } }),
    ],
  }),
  row('types/add-on-a-string-attribute', 'DB-027', DYNALITE, {
    table: hashTable,
    items: [{ pk: S('x'), a: S('text') }],
    steps: [
      update({ pk: S('x') }, 'ADD a :n', { ExpressionAttributeValues: { ':n': N(1) } }).invalid(
        'An operand in the update expression has an incorrect data type',
      ),
      get({ pk: S('x') }).gives({ Item: { pk: S('x'), a: S('text') } }),
    ],
  }),

  stores('empty-string', 'DB-028', docs('Naming rules and data types'), S('')),
  stores('empty-strings-inside-documents', 'DB-028', DATA_TYPES, M({ a: S(''), b: L(S('')) })),
  stores('empty-string-in-a-set', 'DB-028', DATA_TYPES, SS('', 'a')),
  stores('string-beyond-the-basic-plane', 'DB-028', DATA_TYPES, S('a😃\u0000z')),
  stores('empty-binary', 'DB-030', DATA_TYPES, B([])),
  row('types/binary-sorts-by-unsigned-bytes', 'DB-030 DB-051', DATA_TYPES, {
    table: binaryRangeTable,
    items: [[0x80], [0xff], [0], [0x7f], [0x7f, 0]].map((bytes) => ({ pk: S('x'), sk: B(bytes) })),
    steps: [
      check('order', async ({ succeed, expect }) => {
        const page = await succeed('Query', {
          TableName: '$T',
          KeyConditionExpression: 'pk = :p',
          ExpressionAttributeValues: { ':p': S('x') },
          ConsistentRead: true,
        });
        const found = (page['Items'] as { sk: WireValue }[]).map((item) => item.sk);
        expect('sort keys', found, [B([0]), B([0x7f]), B([0x7f, 0]), B([0x80]), B([0xff])]);
      }),
    ],
  }),
  stores('both-booleans', 'DB-031', DATA_TYPES, L(BOOL(true), BOOL(false))),
  row('types/null-false', 'DB-031', `${DYNALITE}; accepted as true since June 2026 (${CAPTURED_2026})`, {
    table: hashTable,
    steps: [
      put({ pk: S('x'), a: { NULL: false } }).answers(
        error('ValidationException', `${INVALID} Null attribute value types must have the value of true`),
        response({}),
      ),
    ],
  }),

  stores('list-keeps-order', 'DB-032', DATA_TYPES, L(S('b'), N(1), M({ a: S('x') }), S('a'), S('b'))),
  stores('empty-list', 'DB-032', DATA_TYPES, L()),
  stores('empty-map', 'DB-033', DATA_TYPES, M({})),
  row('types/map-value-is-reached-by-path', 'DB-033', docs('Referring to item attributes'), {
    table: hashTable,
    items: [{ pk: S('x'), PaymentPlan: M({ Type: S('Monthly'), Amount: N(50) }) }],
    steps: [
      get({ pk: S('x') }, { ProjectionExpression: 'PaymentPlan.Amount' }).gives({
        Item: { PaymentPlan: M({ Amount: N(50) }) },
      }),
    ],
  }),
  row('types/adding-an-element-twice-leaves-one', 'DB-034', DATA_TYPES, {
    table: hashTable,
    items: [{ pk: S('x'), reactions: SS('heart') }],
    steps: [1, 2].map(() =>
      update({ pk: S('x') }, 'ADD reactions :r', {
        ExpressionAttributeValues: { ':r': SS('smile') },
        ReturnValues: 'ALL_NEW',
      }).gives({ Attributes: { pk: S('x'), reactions: SS('heart', 'smile') } }),
    ),
  }),

  refused('empty-string-set', 'DB-035 DB-248', DYNALITE, SS(), `${INVALID} An string set  may not be empty`),
  refused('empty-number-set', 'DB-035', DYNALITE, NS(), `${INVALID} An number set  may not be empty`),
  refused('empty-binary-set', 'DB-035', DYNALITE, BS(), `${INVALID} Binary sets should not be empty`),
  refused('empty-set-inside-a-list', 'DB-035', DYNALITE, L(SS()), `${INVALID} An string set  may not be empty`),
  refused(
    'duplicate-in-a-string-set',
    'DB-035',
    `${DYNALITE}; quoted since 2026`,
    SS('a', 'b', 'a'),
    oneOf(
      `${INVALID} Input collection [a, b, a] contains duplicates.`,
      messageContaining('Input collection ["a", "b", "a"] contains duplicates'),
    ),
  ),
  refused(
    'duplicate-in-a-number-set',
    'DB-035',
    DYNALITE,
    NS('1', '1.0'),
    messageContaining('Input collection contains duplicates'),
  ),
  refused(
    'duplicate-in-a-binary-set',
    'DB-035',
    DYNALITE,
    BS('a', 'a'),
    oneOf(
      `${INVALID} Input collection [YQ==, YQ==]of type BS contains duplicates.`,
      matching(/Input collection \[.*\] ?of type BS contains duplicates/),
    ),
  ),

  stores('thirty-one-maps', 'DB-036', CAPTURED_2026, nestedMap(31)),
  stores('thirty-one-lists', 'DB-036', CAPTURED_2026, nestedList(31)),
  refused('thirty-two-maps', 'DB-036', CAPTURED_2026, nestedMap(32), TOO_DEEP),
  refused('thirty-two-lists', 'DB-036', CAPTURED_2026, nestedList(32), TOO_DEEP),
  row('types/update-may-not-nest-too-deep', 'DB-036', CAPTURED_2026, {
    table: hashTable,
    items: [{ pk: S('x'), a: nestedMap(30, M({})) }],
    steps: [
      update({ pk: S('x') }, `SET a${'.n'.repeat(30)}.deep = :v`, {
        ExpressionAttributeValues: { ':v': M({ x: S('leaf') }) },
      }).invalid(messageContaining('Nesting Levels have exceeded supported limits')),
    ],
  }),

  malformed('number-for-a-string', { S: 1 }, 'NUMBER_VALUE cannot be converted to String'),
  malformed('fraction-for-a-string', { S: 1.5 }, 'DECIMAL_VALUE cannot be converted to String'),
  malformed('true-for-a-string', { S: true }, 'TRUE_VALUE cannot be converted to String'),
  malformed('false-for-a-string', { N: false }, 'FALSE_VALUE cannot be converted to String'),
  malformed('list-for-a-string', { S: [] }, 'Unrecognized collection type class java.lang.String'),
  malformed('object-for-a-string', { S: {} }, 'Start of structure or map found where not expected'),
  malformed('number-for-a-number', { N: 123 }, 'NUMBER_VALUE cannot be converted to String'),
  malformed('number-inside-a-map', { M: { b: { N: 5 } } }, 'NUMBER_VALUE cannot be converted to String'),
  malformed('number-for-a-boolean', { BOOL: 1 }, 'NUMBER_VALUE cannot be converted to Boolean'),
  malformed('text-for-a-boolean', { BOOL: 'maybe' }, 'Unexpected token received from parser'),
  malformed('text-for-a-list', { L: 'a' }, 'Unexpected field type'),
  malformed('object-for-a-list', { SS: {} }, 'Start of structure or map found where not expected'),
  malformed('text-for-a-map', { M: 'a' }, 'Unexpected field type'),
  malformed(
    'list-for-a-map',
    { M: [] },
    'Unrecognized collection type java.util.Map<java.lang.String, com.amazonaws.dynamodb.v20120810.AttributeValue>',
  ),
  malformed('text-for-a-value', 'text', 'Unexpected value type in payload'),
  malformed(
    'list-for-a-value',
    [],
    'Unrecognized collection type class com.amazonaws.dynamodb.v20120810.AttributeValue',
  ),
  malformed('number-for-binary', { B: 1 }, 'only base-64-encoded strings are convertible to bytes'),
  malformed(
    'binary-of-a-wrong-length',
    { B: 'YWI' },
    'Base64 encoded length is expected a multiple of 4 bytes but found: 3',
  ),
  malformed(
    'binary-with-a-wrong-last-character',
    { B: 'YWJ=' },
    messageContaining('Invalid last non-pad Base64 character dectected'),
  ),
  row('types/true-written-as-text', 'DB-025', DYNALITE, {
    table: hashTable,
    steps: [
      put({ pk: S('x'), a: { BOOL: 'true' }, b: { BOOL: 'no' } }).gives({}),
      get({ pk: S('x') }).gives({ Item: { pk: S('x'), a: BOOL(true), b: BOOL(false) } }),
    ],
  }),
  row('types/members-given-as-null-are-not-there', 'DB-025', DYNALITE, {
    table: hashTable,
    steps: [
      put({ pk: S('x'), a: { S: 'a', N: null } }, { ReturnValues: null }).gives({}),
      get({ pk: S('x') }).gives({ Item: { pk: S('x'), a: S('a') } }),
    ],
  }),
  row('types/set-in-an-item-has-no-order', 'DB-034 DB-231', ALTERNATOR, {
    table: hashTable,
    items: [{ pk: S('x'), a: SS('b', 'a') }],
    steps: [
      put({ pk: S('x') }, { ConditionExpression: 'a = :s', ExpressionAttributeValues: { ':s': SS('a', 'b') } }).gives(
        {},
      ),
    ],
  }),
];
