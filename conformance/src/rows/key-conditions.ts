import { anyString, messageContaining, oneOf } from '../matchers.ts';
import type { Matcher } from '../matchers.ts';
import type { JsonObject, Row } from '../row.ts';
import { row } from '../row.ts';
import { customerOrders } from '../fixtures.ts';
import { ALTERNATOR, CAPTURED_2026, docs, DYNALITE, MOTO } from '../sources.ts';
import { check, items, query } from '../steps.ts';
import { binaryRangeTable, numberRangeTable, rangeTable, table } from '../tables.ts';
import { B, BOOL, N, S } from '../values.ts';
import type { WireItem } from '../values.ts';

const KEY_CONDITIONS = docs('Key condition expressions for the Query operation');
const letters = ['a', 'ab', 'abc', 'b', 'ba', 'c'];
const stringItems = letters.map((sk) => ({ pk: S('x'), sk: S(sk) }));
const other = { pk: S('y'), sk: S('a') };

/** A sort key condition over the letters, and the items it finds. */
function finds(id: string, condition: string, values: WireItem, ...found: readonly string[]): Row {
  return row(`key-condition/${id}`, 'DB-204 DB-083 DB-153', KEY_CONDITIONS, {
    table: rangeTable,
    items: [...stringItems, other],
    steps: [
      query(`pk = :p AND ${condition}`, { ':p': S('x'), ...values }).gives(
        items(...found.map((sk) => ({ pk: S('x'), sk: S(sk) }))),
      ),
    ],
  });
}

function refused(
  id: string,
  covers: string,
  source: string,
  condition: string,
  values: WireItem,
  message: string | Matcher,
  more: JsonObject = {},
): Row {
  return row(`key-condition/${id}`, covers, source, {
    table: rangeTable,
    steps: [query(condition, values, more).invalid(message)],
  });
}

/** The error of a key condition. Newer answers put a heading before it. */
const problem = (text: string): Matcher => oneOf(text, `Invalid KeyConditionExpression: ${text}`);
const invalidOperator = (name: string): Matcher => problem(`Invalid operator used in KeyConditionExpression: ${name}`);
const pk = { ':p': S('x') };

export const keyConditionRows: readonly Row[] = [
  finds('equal', 'sk = :s', { ':s': S('ab') }, 'ab'),
  finds('less', 'sk < :s', { ':s': S('ab') }, 'a'),
  finds('less-or-equal', 'sk <= :s', { ':s': S('ab') }, 'a', 'ab'),
  finds('greater', 'sk > :s', { ':s': S('b') }, 'ba', 'c'),
  finds('greater-or-equal', 'sk >= :s', { ':s': S('b') }, 'b', 'ba', 'c'),
  finds('between-is-inclusive', 'sk BETWEEN :a AND :b', { ':a': S('ab'), ':b': S('b') }, 'ab', 'abc', 'b'),
  finds('between-equal-bounds', 'sk BETWEEN :a AND :a', { ':a': S('ab') }, 'ab'),
  finds('begins-with', 'begins_with(sk, :s)', { ':s': S('ab') }, 'ab', 'abc'),
  finds('begins-with-nothing-found', 'begins_with(sk, :s)', { ':s': S('d') }),
  finds('operands-the-other-way-round', ':s > sk', { ':s': S('ab') }, 'a'),
  row('key-condition/partition-key-second', 'DB-209', KEY_CONDITIONS, {
    table: rangeTable,
    items: stringItems,
    steps: [
      query('(sk > :s) AND pk = :p', { ':s': S('b'), ...pk }).gives(items(...stringItems.slice(4))),
      query('(pk = :p) AND (begins_with(sk, :s))', { ':s': S('c'), ...pk }).gives(items(...stringItems.slice(5))),
      query('(pk = :p AND sk = :s)', { ':s': S('c'), ...pk }).gives(items(...stringItems.slice(5))),
      query(':p = pk', pk).gives(items(...stringItems)),
    ],
  }),
  row('key-condition/numbers', 'DB-204 DB-051', KEY_CONDITIONS, {
    table: numberRangeTable,
    items: [-10, -1, 0, '0.5', 2, 10].map((n) => ({ pk: S('x'), sk: N(n) })),
    steps: [
      query('pk = :p AND sk < :n', { ...pk, ':n': N(0) }).gives(
        items(...[-10, -1].map((n) => ({ pk: S('x'), sk: N(n) }))),
      ),
      query('pk = :p AND sk BETWEEN :a AND :b', { ...pk, ':a': N('-1.0'), ':b': N(2) }).gives(
        items(...[-1, 0, '0.5', 2].map((n) => ({ pk: S('x'), sk: N(n) }))),
      ),
      query('pk = :p AND sk >= :n', { ...pk, ':n': N('2.000') }).gives(
        items(...[2, 10].map((n) => ({ pk: S('x'), sk: N(n) }))),
      ),
    ],
  }),
  row('key-condition/binary', 'DB-204 DB-030', KEY_CONDITIONS, {
    table: binaryRangeTable,
    items: [[1], [1, 0], [1, 255], [2]].map((bytes) => ({ pk: S('x'), sk: B(bytes) })),
    steps: [
      query('pk = :p AND begins_with(sk, :b)', { ...pk, ':b': B([1]) }).gives(
        items(...[[1], [1, 0], [1, 255]].map((bytes) => ({ pk: S('x'), sk: B(bytes) }))),
      ),
      query('pk = :p AND sk > :b', { ...pk, ':b': B([1, 0]) }).gives(
        items(...[[1, 255], [2]].map((bytes) => ({ pk: S('x'), sk: B(bytes) }))),
      ),
    ],
  }),
  row('key-condition/begins-with-the-last-byte', 'DB-204', KEY_CONDITIONS, {
    table: binaryRangeTable,
    items: [[254], [255], [255, 255], [255, 255, 1]].map((bytes) => ({ pk: S('x'), sk: B(bytes) })),
    steps: [
      query('pk = :p AND begins_with(sk, :b)', { ...pk, ':b': B([255, 255]) }).gives(
        items(
          ...[
            [255, 255],
            [255, 255, 1],
          ].map((bytes) => ({ pk: S('x'), sk: B(bytes) })),
        ),
      ),
    ],
  }),
  row('key-condition/period-of-time', 'DB-210', KEY_CONDITIONS, {
    table: customerOrders.table,
    items: customerOrders.items,
    steps: [
      query('CustomerId = :c AND OrderTime BETWEEN :from AND :to', {
        ':c': S('36ab55a589e4'),
        ':from': S('2020-01-10T00:00:00'),
        ':to': S('2020-01-20T00:00:00'),
      }).gives(items(...customerOrders.items.slice(2, 4))),
    ],
  }),
  row('key-condition/every-operator-is-some-between', 'DB-208', KEY_CONDITIONS, {
    table: rangeTable,
    items: stringItems,
    steps: [
      check('same items', async ({ succeed, expect }) => {
        const find = async (condition: string, values: WireItem): Promise<unknown> => {
          const page = await succeed('Query', {
            TableName: '$T',
            ConsistentRead: true,
            KeyConditionExpression: `pk = :p AND ${condition}`,
            ExpressionAttributeValues: { ':p': S('x'), ...values },
          });
          return page['Items'];
        };
        const highest = '\u{10ffff}';
        const pairs: readonly (readonly [string, string, string, string])[] = [
          ['sk = :s', 'ab', 'ab', 'ab'],
          ['sk <= :s', 'ab', '\u0001', 'ab'],
          ['sk >= :s', 'ab', 'ab', highest],
          // The next key after "ab" is "ab" followed by the lowest character.
          ['sk > :s', 'ab', 'ab\u0000', highest],
          ['begins_with(sk, :s)', 'ab', 'ab', `ab${highest}`],
        ];
        for (const [condition, operand, low, high] of pairs) {
          const direct = await find(condition, { ':s': S(operand) });
          expect(condition, await find('sk BETWEEN :low AND :high', { ':low': S(low), ':high': S(high) }), direct);
        }
      }),
    ],
  }),

  refused(
    'partition-key-missing',
    'DB-203 DB-014',
    CAPTURED_2026,
    'sk = :s',
    { ':s': S('a') },
    'Query condition missed key schema element: pk',
  ),
  refused(
    'other-attribute',
    'DB-206',
    CAPTURED_2026,
    'attr1 = :v',
    { ':v': S('a') },
    'Query condition missed key schema element: pk',
  ),
  refused(
    'other-attribute-for-the-sort-key',
    'DB-206',
    MOTO,
    'pk = :p AND attr1 = :v',
    { ...pk, ':v': S('a') },
    'Query condition missed key schema element: sk',
  ),
  refused(
    'three-conditions',
    'DB-204',
    DYNALITE,
    'pk = :p AND sk = :p AND a = :p',
    pk,
    oneOf('Conditions can be of length 1 or 2 only', anyString),
  ),
  refused('partition-key-range', 'DB-203', MOTO, 'pk > :p', pk, 'Query key condition not supported'),
  refused('partition-key-prefix', 'DB-203', MOTO, 'begins_with(pk, :p)', pk, 'Query key condition not supported'),
  refused(
    'partition-key-twice',
    'DB-203',
    DYNALITE,
    'pk = :p AND pk = :p',
    pk,
    problem('KeyConditionExpressions must only contain one condition per key'),
  ),
  refused(
    'sort-key-twice',
    'DB-204',
    DYNALITE,
    'pk = :p AND sk > :a AND sk < :b',
    { ...pk, ':a': S('a'), ':b': S('b') },
    problem('KeyConditionExpressions must only contain one condition per key'),
  ),
  row('key-condition/simple-key-has-no-second-condition', 'DB-206', DYNALITE, {
    table: table('pk:S'),
    steps: [
      query('pk = :p AND sk = :p', pk).invalid(
        oneOf('Query key condition not supported', messageContaining('number of query conditions')),
      ),
    ],
  }),
  refused('not-equal', 'DB-205', DYNALITE, 'pk = :p AND sk <> :s', { ...pk, ':s': S('a') }, invalidOperator('<>')),
  refused('in', 'DB-205', DYNALITE, 'pk = :p AND sk IN (:s)', { ...pk, ':s': S('a') }, invalidOperator('IN')),
  refused('or', 'DB-205', DYNALITE, 'pk = :p OR sk = :s', { ...pk, ':s': S('a') }, invalidOperator('OR')),
  refused('not', 'DB-205', DYNALITE, 'pk = :p AND NOT sk = :s', { ...pk, ':s': S('a') }, invalidOperator('NOT')),
  refused(
    'contains',
    'DB-205 DB-083',
    DYNALITE,
    'pk = :p AND contains(sk, :s)',
    { ...pk, ':s': S('a') },
    invalidOperator('contains'),
  ),
  refused(
    'attribute-exists',
    'DB-205',
    DYNALITE,
    'pk = :p AND attribute_exists(sk)',
    pk,
    invalidOperator('attribute_exists'),
  ),
  refused(
    'attribute-not-exists',
    'DB-205',
    DYNALITE,
    'pk = :p AND attribute_not_exists(sk)',
    pk,
    invalidOperator('attribute_not_exists'),
  ),
  refused(
    'attribute-type',
    'DB-205',
    DYNALITE,
    'pk = :p AND attribute_type(sk, :s)',
    { ...pk, ':s': S('S') },
    invalidOperator('attribute_type'),
  ),
  refused(
    'size',
    'DB-205',
    DYNALITE,
    'pk = :p AND size(sk) = :n',
    { ...pk, ':n': N(1) },
    problem('KeyConditionExpressions cannot contain nested operations'),
  ),
  refused(
    'arithmetic',
    'DB-205',
    KEY_CONDITIONS,
    'pk = :p AND sk = :a + :b',
    { ...pk, ':a': N(1), ':b': N(2) },
    messageContaining('Invalid KeyConditionExpression: Syntax error; token: "+"'),
  ),
  refused(
    'comma-for-and',
    'DB-205',
    KEY_CONDITIONS,
    'pk = :p, sk = :s',
    { ...pk, ':s': S('a') },
    messageContaining('Invalid KeyConditionExpression: Syntax error; token: ","'),
  ),
  refused(
    'nested-path',
    'DB-205',
    DYNALITE,
    'pk = :p AND sk.a = :s',
    { ...pk, ':s': S('a') },
    problem('KeyConditionExpressions cannot have conditions on nested attributes'),
  ),
  refused(
    'two-attributes',
    'DB-205',
    DYNALITE,
    'pk = sk',
    {},
    problem('Invalid condition in KeyConditionExpression: Multiple attribute names used in one condition'),
  ),
  refused(
    'no-attribute',
    'DB-205',
    DYNALITE,
    ':p = :s',
    { ...pk, ':s': S('a') },
    problem('Invalid condition in KeyConditionExpression: No key attribute specified'),
  ),
  refused(
    'begins-with-the-wrong-way-round',
    'DB-205',
    DYNALITE,
    'pk = :p AND begins_with(:s, sk)',
    { ...pk, ':s': S('a') },
    problem(
      'Invalid condition in KeyConditionExpression: begins_with operator must have the key attribute as its first operand',
    ),
  ),
  refused(
    'begins-with-without-brackets',
    'DB-205',
    MOTO,
    'pk = :p AND begins_with sk, :s',
    { ...pk, ':s': S('a') },
    messageContaining('Invalid KeyConditionExpression: Syntax error; token: "sk"'),
  ),
  row('key-condition/begins-with-on-a-number', 'DB-205', `${DYNALITE}; ${ALTERNATOR}`, {
    table: numberRangeTable,
    steps: [
      query('pk = :p AND begins_with(sk, :n)', { ...pk, ':n': N(1) }).invalid(
        'Invalid KeyConditionExpression: Incorrect operand type for operator or function; operator or function: begins_with, operand type: N',
      ),
    ],
  }),
  refused(
    'wrong-type-for-the-partition-key',
    'DB-207',
    DYNALITE,
    'pk = :p',
    { ':p': N(1) },
    'One or more parameter values were invalid: Condition parameter type does not match schema type',
  ),
  refused(
    'wrong-type-for-the-sort-key',
    'DB-207',
    DYNALITE,
    'pk = :p AND sk > :s',
    { ...pk, ':s': N(1) },
    'One or more parameter values were invalid: Condition parameter type does not match schema type',
  ),
  refused(
    'type-that-cannot-be-a-key',
    'DB-207',
    ALTERNATOR,
    'pk = :p AND sk = :s',
    { ...pk, ':s': BOOL(true) },
    anyString,
  ),
  refused(
    'between-upside-down',
    'DB-207',
    DYNALITE,
    'pk = :p AND sk BETWEEN :a AND :b',
    { ...pk, ':a': S('b'), ':b': S('a') },
    'Invalid KeyConditionExpression: The BETWEEN operator requires upper bound to be greater than or equal to lower bound; lower bound operand: AttributeValue: {S:b}, upper bound operand: AttributeValue: {S:a}',
  ),
  refused(
    'between-of-two-types',
    'DB-207',
    DYNALITE,
    'pk = :p AND sk BETWEEN :a AND :b',
    { ...pk, ':a': S('b'), ':b': N(1) },
    'Invalid KeyConditionExpression: The BETWEEN operator requires same data type for lower and upper bounds; lower bound operand: AttributeValue: {S:b}, upper bound operand: AttributeValue: {N:1}',
  ),
  refused(
    'empty-partition-key',
    'DB-028 DB-207',
    ALTERNATOR,
    'pk = :p',
    { ':p': S('') },
    messageContaining('The AttributeValue for a key attribute cannot contain an empty string value. Key: pk'),
  ),
  refused(
    'redundant-parentheses',
    'DB-209',
    DYNALITE,
    '((pk = :p))',
    pk,
    'Invalid KeyConditionExpression: The expression has redundant parentheses;',
  ),
];
