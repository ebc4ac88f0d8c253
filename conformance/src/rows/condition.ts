import { matching, messageContaining } from '../matchers.ts';
import type { Matcher } from '../matchers.ts';
import type { JsonObject, Row } from '../row.ts';
import { row } from '../row.ts';
import { billingDetails } from '../fixtures.ts';
import { ALTERNATOR, CAPTURED_2026, docs, DYNALITE, OUTSIDE_2026 } from '../sources.ts';
import {
  check,
  checkAction,
  deleteAction,
  get,
  put,
  putAction,
  remove,
  transactWrite,
  update,
  updateAction,
  cancelled,
  conditionReason,
} from '../steps.ts';
import { hashTable } from '../tables.ts';
import { B, BOOL, BS, L, M, N, NS, NULL, S, SS } from '../values.ts';
import type { WireItem } from '../values.ts';

const CONDITIONS = docs('Comparison operator and function reference');
const key = { pk: S('x') };

/** The item that the conditions below are about. */
const subject: WireItem = {
  ...key,
  s: S('hello'),
  n: N(5),
  b: B([1, 2, 3]),
  t: BOOL(true),
  z: NULL,
  l: L(S('a'), N(1), M({ k: S('v') })),
  m: M({ a: M({ b: L(N(7)) }), 'x.y': N(2) }),
  ss: SS('a', 'b'),
  ns: NS(1, 2),
  bs: BS([1], [2]),
  blank: S(''),
  accented: S('né'),
};

type Test = readonly [condition: string, values?: WireItem | undefined, names?: Readonly<Record<string, string>>];

function attempt([condition, values, names]: Test) {
  const more: JsonObject = {
    ConditionExpression: condition,
    ...(values === undefined ? {} : { ExpressionAttributeValues: values }),
    ...(names === undefined ? {} : { ExpressionAttributeNames: names }),
  };
  return update(key, undefined, more);
}

/** Conditions that hold for the subject, and conditions that do not. */
function holds(
  id: string,
  covers: string,
  source: string,
  holding: readonly Test[],
  failing: readonly Test[] = [],
): Row {
  return row(`condition/${id}`, covers, source, {
    table: hashTable,
    items: [subject],
    steps: [
      ...holding.map((test) => attempt(test).gives({})),
      ...failing.map((test) => attempt(test).conditionFails()),
    ],
  });
}

/** A condition that is refused before any item is read. */
function refused(id: string, covers: string, source: string, test: Test, message: string | Matcher): Row {
  return row(`condition/${id}`, covers, source, {
    table: hashTable,
    steps: [
      attempt(test).invalid(typeof message === 'string' ? `Invalid ConditionExpression: ${message}` : message),
      get(key).gives({}),
    ],
  });
}

const incorrectType = (name: string, type: string): string =>
  `Incorrect operand type for operator or function; operator or function: ${name}, operand type: ${type}`;

export const conditionRows: readonly Row[] = [
  row('condition/on-every-write', 'DB-221 DB-274', CONDITIONS, {
    table: hashTable,
    items: [{ ...key, n: N(1) }],
    steps: [
      put(key, { ConditionExpression: 'n = :n', ExpressionAttributeValues: { ':n': N(2) } }).conditionFails(),
      update(key, 'SET n = :n', {
        ConditionExpression: 'n = :n',
        ExpressionAttributeValues: { ':n': N(2) },
      }).conditionFails(),
      remove(key, { ConditionExpression: 'n = :n', ExpressionAttributeValues: { ':n': N(2) } }).conditionFails(),
      ...[
        putAction(key, { ConditionExpression: 'n = :n', ExpressionAttributeValues: { ':n': N(2) } }),
        updateAction(key, 'SET n = :n', { ConditionExpression: 'n = :n', ExpressionAttributeValues: { ':n': N(2) } }),
        deleteAction(key, { ConditionExpression: 'n = :n', ExpressionAttributeValues: { ':n': N(2) } }),
        checkAction(key, 'n = :n', { ExpressionAttributeValues: { ':n': N(2) } }),
      ].map((action) => transactWrite([action]).answers(cancelled(conditionReason()))),
      get(key).gives({ Item: { ...key, n: N(1) } }),
    ],
  }),
  holds(
    'any-attribute',
    'DB-222',
    CONDITIONS,
    [
      ['s = :v', { ':v': S('hello') }],
      ['pk = :v', { ':v': S('x') }],
    ],
    [['s = :v', { ':v': S('Hello') }]],
  ),

  holds(
    'equality-of-every-type',
    'DB-231',
    CONDITIONS,
    [
      ['s = :v', { ':v': S('hello') }],
      ['n = :v', { ':v': N('5.0') }],
      ['b = :v', { ':v': B([1, 2, 3]) }],
      ['t = :v', { ':v': BOOL(true) }],
      ['z = :v', { ':v': NULL }],
      ['l = :v', { ':v': L(S('a'), N(1), M({ k: S('v') })) }],
      ['m = :v', { ':v': M({ 'x.y': N(2), a: M({ b: L(N(7)) }) }) }],
      ['ss = :v', { ':v': SS('b', 'a') }],
      ['ns = :v', { ':v': NS('2.0', 1) }],
      ['bs = :v', { ':v': BS([2], [1]) }],
    ],
    [
      ['l = :v', { ':v': L(N(1), S('a'), M({ k: S('v') })) }],
      ['m = :v', { ':v': M({ a: M({ b: L(N(7)) }) }) }],
      ['ss = :v', { ':v': SS('a') }],
      ['t = :v', { ':v': BOOL(false) }],
      ['ns = :v', { ':v': NS(1, 2, 3) }],
    ],
  ),
  holds(
    'comparators',
    'DB-223 DB-231',
    CONDITIONS,
    [
      ['n < :v', { ':v': N(6) }],
      ['n <= :v', { ':v': N(5) }],
      ['n > :v', { ':v': N('4.9') }],
      ['n >= :v', { ':v': N(5) }],
      ['n <> :v', { ':v': N(6) }],
      ['s < :v', { ':v': S('hello!') }],
      ['s > :v', { ':v': S('Hello') }],
      ['b < :v', { ':v': B([1, 2, 255]) }],
      ['b > :v', { ':v': B([1, 2]) }],
      [':v > n', { ':v': N(6) }],
    ],
    [
      ['n < :v', { ':v': N(5) }],
      ['n > :v', { ':v': N(5) }],
      ['s >= :v', { ':v': S('hellp') }],
      ['n <> :v', { ':v': N('5.00') }],
      [':v < n', { ':v': N(6) }],
    ],
  ),
  holds(
    'numbers-compare-by-value-strings-by-bytes',
    'DB-231',
    CONDITIONS,
    [
      ['n < :v', { ':v': N(10) }],
      ['s < :v', { ':v': S('hé') }],
    ],
    [
      ['s < :v', { ':v': S('a') }],
      ['blank > :v', { ':v': S('a') }],
    ],
  ),
  holds(
    'missing-attributes-and-other-types',
    'DB-230',
    `${CONDITIONS}; ${ALTERNATOR}`,
    [
      ['nowhere <> :v', { ':v': N(1) }],
      ['n <> :v', { ':v': S('5') }],
      ['NOT nowhere = :v', { ':v': N(1) }],
      ['NOT n < :v', { ':v': S('5') }],
    ],
    [
      ['nowhere = :v', { ':v': N(1) }],
      ['nowhere < :v', { ':v': N(1) }],
      ['nowhere >= :v', { ':v': N(1) }],
      ['nowhere BETWEEN :v AND :w', { ':v': N(1), ':w': N(2) }],
      ['nowhere IN (:v)', { ':v': N(1) }],
      ['n = :v', { ':v': S('5') }],
      ['n < :v', { ':v': S('6') }],
      ['n >= :v', { ':v': S('5') }],
      ['n BETWEEN :v AND :w', { ':v': S('1'), ':w': S('9') }],
      ['nowhere = alsoMissing'],
    ],
  ),
  holds(
    'between-is-inclusive',
    'DB-223 DB-231',
    CONDITIONS,
    [
      ['n BETWEEN :a AND :b', { ':a': N(5), ':b': N(6) }],
      ['n BETWEEN :a AND :b', { ':a': N(4), ':b': N(5) }],
      [':v BETWEEN :a AND n', { ':v': N(3), ':a': N(1) }],
    ],
    [
      ['n BETWEEN :a AND :b', { ':a': N('5.1'), ':b': N(6) }],
      ['s BETWEEN :a AND :b', { ':a': S('i'), ':b': S('z') }],
    ],
  ),
  holds(
    'in',
    'DB-223',
    CONDITIONS,
    [
      ['n IN (:a, :b)', { ':a': N(1), ':b': N('5.0') }],
      ['s IN (:a, :b)', { ':a': N(5), ':b': S('hello') }],
      ['l[0] IN (:a)', { ':a': S('a') }],
      [':v IN (s, n)', { ':v': N(5) }],
    ],
    [
      ['n IN (:a)', { ':a': S('5') }],
      ['n IN (:a, :b)', { ':a': N(1), ':b': N(2) }],
    ],
  ),
  holds(
    'logic-and-precedence',
    'DB-223',
    CONDITIONS,
    [
      ['n = :no AND n = :no OR n = :yes', { ':no': N(0), ':yes': N(5) }],
      ['n = :yes OR n = :no AND n = :no', { ':no': N(0), ':yes': N(5) }],
      ['NOT n = :no AND n = :yes', { ':no': N(0), ':yes': N(5) }],
      ['NOT (n = :no OR n = :no)', { ':no': N(0) }],
      ['n BETWEEN :no AND :yes AND s = :s', { ':no': N(0), ':yes': N(5), ':s': S('hello') }],
      ['(n = :yes)', { ':yes': N(5) }],
    ],
    [
      ['n = :no AND (n = :no OR n = :yes)', { ':no': N(0), ':yes': N(5) }],
      ['NOT n = :yes OR n = :no', { ':no': N(0), ':yes': N(5) }],
      ['NOT (n = :yes AND s = :s)', { ':yes': N(5), ':s': S('hello') }],
    ],
  ),

  holds(
    'attribute-exists',
    'DB-224 DB-201',
    CONDITIONS,
    [
      ['attribute_exists(n)'],
      ['attribute_exists(z)'],
      ['attribute_exists(m.a.b)'],
      ['attribute_exists(l[2].k)'],
      ['attribute_exists(blank)'],
    ],
    [
      ['attribute_exists(nowhere)'],
      ['attribute_exists(m.a.c)'],
      ['attribute_exists(l[3])'],
      ['attribute_exists(n.a)'],
      ['attribute_exists(m[0])'],
    ],
  ),
  holds(
    'attribute-not-exists',
    'DB-225 DB-201',
    CONDITIONS,
    [['attribute_not_exists(nowhere)'], ['attribute_not_exists(m.a.c)'], ['attribute_not_exists(s[0])']],
    [['attribute_not_exists(pk)'], ['attribute_not_exists(z)'], ['attribute_not_exists(l[0])']],
  ),
  holds(
    'attribute-type',
    'DB-226',
    CONDITIONS,
    (
      [
        ['s', 'S'],
        ['n', 'N'],
        ['b', 'B'],
        ['t', 'BOOL'],
        ['z', 'NULL'],
        ['l', 'L'],
        ['m', 'M'],
        ['ss', 'SS'],
        ['ns', 'NS'],
        ['bs', 'BS'],
      ] as const
    ).map(([name, type]) => [`attribute_type(${name}, :t)`, { ':t': S(type) }] as const),
    [
      ['attribute_type(s, :t)', { ':t': S('N') }],
      ['attribute_type(nowhere, :t)', { ':t': S('S') }],
      ['attribute_type(ss, :t)', { ':t': S('S') }],
    ],
  ),
  refused(
    'attribute-type-unknown',
    'DB-226',
    DYNALITE,
    ['attribute_type(s, :t)', { ':t': S('STRING') }],
    matching(
      /Invalid ConditionExpression: Invalid attribute type name found; type: STRING, valid types: \{((B|NULL|SS|BOOL|L|BS|N|NS|S|M),?){10}\}$/,
    ),
  ),
  refused(
    'attribute-type-not-a-string',
    'DB-226',
    DYNALITE,
    ['attribute_type(s, :t)', { ':t': N(1) }],
    incorrectType('attribute_type', 'N'),
  ),
  holds(
    'begins-with',
    'DB-227',
    CONDITIONS,
    [
      ['begins_with(s, :p)', { ':p': S('he') }],
      ['begins_with(s, :p)', { ':p': S('') }],
      ['begins_with(b, :p)', { ':p': B([1, 2]) }],
      ['begins_with(m.a.nowhere, :p) OR begins_with(l[0], :p)', { ':p': S('a') }],
    ],
    [
      ['begins_with(s, :p)', { ':p': S('lo') }],
      ['begins_with(n, :p)', { ':p': S('5') }],
      ['begins_with(b, :p)', { ':p': B([2]) }],
      ['begins_with(s, :p)', { ':p': B('he') }],
      ['begins_with(nowhere, :p)', { ':p': S('a') }],
    ],
  ),
  refused(
    'begins-with-a-number',
    'DB-227',
    DYNALITE,
    ['begins_with(s, :p)', { ':p': N(1) }],
    incorrectType('begins_with', 'N'),
  ),
  holds(
    'contains',
    'DB-228',
    CONDITIONS,
    [
      ['contains(s, :v)', { ':v': S('ell') }],
      ['contains(ss, :v)', { ':v': S('b') }],
      ['contains(ns, :v)', { ':v': N('2.0') }],
      ['contains(bs, :v)', { ':v': B([2]) }],
      ['contains(l, :v)', { ':v': N(1) }],
      ['contains(l, :v)', { ':v': M({ k: S('v') }) }],
      ['contains(b, :v)', { ':v': B([2, 3]) }],
    ],
    [
      ['contains(s, :v)', { ':v': S('x') }],
      ['contains(ss, :v)', { ':v': S('ab') }],
      ['contains(ss, :v)', { ':v': N(1) }],
      ['contains(n, :v)', { ':v': N(5) }],
      ['contains(m, :v)', { ':v': S('a') }],
      ['contains(nowhere, :v)', { ':v': S('a') }],
    ],
  ),
  refused(
    'contains-itself',
    'DB-228',
    CAPTURED_2026,
    ['contains(#a, #a)', undefined, { '#a': 'data' }],
    'The first operand must be distinct from the remaining operands for this operator or function; operator: contains, first operand: [data]',
  ),
  refused(
    'compared-with-itself',
    'DB-223',
    DYNALITE,
    ['a = a'],
    'The first operand must be distinct from the remaining operands for this operator or function; operator: =, first operand: [a]',
  ),
  holds(
    'size',
    'DB-229',
    CONDITIONS,
    [
      ['size(s) = :v', { ':v': N(5) }],
      ['size(b) = :v', { ':v': N(3) }],
      ['size(l) = :v', { ':v': N(3) }],
      ['size(m) = :v', { ':v': N(2) }],
      ['size(ss) = :v', { ':v': N(2) }],
      ['size(blank) = :v', { ':v': N(0) }],
      ['size(l) < size(s)'],
      [':v BETWEEN :one AND size(s)', { ':v': N(3), ':one': N(1) }],
      ['size(s) IN (:v)', { ':v': N(5) }],
    ],
    [
      ['size(s) > :v', { ':v': N(5) }],
      ['size(n) > :v', { ':v': N(0) }],
      ['size(t) = :v', { ':v': N(1) }],
      ['size(z) >= :v', { ':v': N(0) }],
      ['size(nowhere) >= :v', { ':v': N(0) }],
    ],
  ),
  refused(
    'size-alone',
    'DB-229',
    DYNALITE,
    ['size(a)'],
    'The function is not allowed to be used this way in an expression; function: size',
  ),
  refused(
    'size-of-a-number-literal',
    'DB-229',
    DYNALITE,
    ['size(:n) > :n', { ':n': N(1) }],
    incorrectType('size', 'N'),
  ),
  refused(
    'literal-operand',
    'DB-193',
    CONDITIONS,
    ['size(#s) < 10', undefined, { '#s': 's' }],
    messageContaining('Invalid ConditionExpression: Syntax error; token: "10"'),
  ),
  holds(
    'type-of-a-value',
    'DB-226',
    OUTSIDE_2026,
    [['attribute_type(:v, :t)', { ':v': N(1), ':t': S('N') }]],
    [['attribute_type(:v, :t)', { ':v': N(1), ':t': S('S') }]],
  ),
  refused(
    'exists-needs-a-path',
    'DB-224',
    DYNALITE,
    ['attribute_exists(:v)', { ':v': S('a') }],
    'Operator or function requires a document path; operator or function: attribute_exists',
  ),
  refused(
    'wrong-number-of-operands',
    'DB-223',
    DYNALITE,
    ['attribute_exists(a, b)'],
    'Incorrect number of operands for operator or function; operator or function: attribute_exists, number of operands: 2',
  ),
  refused(
    'function-as-an-operand',
    'DB-223',
    DYNALITE,
    ['attribute_exists(a) = :v', { ':v': BOOL(true) }],
    'The function is not allowed to be used this way in an expression; function: attribute_exists',
  ),
  refused('unknown-function', 'DB-223', DYNALITE, ['exists(a)'], 'Invalid function name; function: exists'),
  refused(
    'ordering-of-a-value-without-order',
    'DB-231',
    ALTERNATOR,
    ['a < :v', { ':v': BOOL(true) }],
    messageContaining('Invalid ConditionExpression: Incorrect operand type for operator or function'),
  ),
  refused(
    'ordering-of-a-list',
    'DB-231',
    ALTERNATOR,
    ['a >= :v', { ':v': L(N(1)) }],
    messageContaining('Invalid ConditionExpression: Incorrect operand type for operator or function'),
  ),
  refused(
    'between-of-two-types',
    'DB-231',
    DYNALITE,
    ['a BETWEEN :a AND :b', { ':a': N(1), ':b': S('2') }],
    'The BETWEEN operator requires same data type for lower and upper bounds; lower bound operand: AttributeValue: {N:1}, upper bound operand: AttributeValue: {S:2}',
  ),
  refused(
    'between-upside-down',
    'DB-231',
    DYNALITE,
    ['a BETWEEN :a AND :b', { ':a': N(2), ':b': N(1) }],
    'The BETWEEN operator requires upper bound to be greater than or equal to lower bound; lower bound operand: AttributeValue: {N:2}, upper bound operand: AttributeValue: {N:1}',
  ),
  refused(
    'redundant-parentheses',
    'DB-223',
    CAPTURED_2026,
    ['((attribute_not_exists(pk)))'],
    'The expression has redundant parentheses;',
  ),
  refused('empty', 'DB-200', DYNALITE, [''], 'The expression can not be empty;'),
  refused(
    'in-without-operands',
    'DB-223',
    CONDITIONS,
    ['a IN ()'],
    messageContaining('Invalid ConditionExpression: Syntax error; token: ")"'),
  ),
  refused(
    'dangling-and',
    'DB-223',
    CONDITIONS,
    ['a = :v AND', { ':v': N(1) }],
    messageContaining('Invalid ConditionExpression: Syntax error; token: "<EOF>"'),
  ),

  row('condition/bounded-set', 'DB-233', CONDITIONS, {
    table: hashTable,
    steps: [
      check('ten additions succeed, the eleventh does not', async ({ send, expect }) => {
        const statuses: number[] = [];
        for (let n = 0; n < 11; n++) {
          const answer = await send('UpdateItem', {
            TableName: '$T',
            Key: key,
            UpdateExpression: 'ADD inprogress :id',
            ConditionExpression: 'attribute_not_exists(inprogress) OR size(inprogress) < :ten',
            ExpressionAttributeValues: { ':id': SS(`job-${n}`), ':ten': N(10) },
          });
          statuses.push(answer.status);
        }
        expect('statuses', statuses, [...Array<number>(10).fill(200), 400]);
      }),
    ],
  }),
  row('condition/only-an-admin-may-change-the-subscription', 'DB-234 DB-228', CONDITIONS, {
    table: billingDetails.table,
    items: billingDetails.items,
    steps: [
      ...(
        [
          ['Jeff Bezos', true],
          ['JeffBezos', false],
          ['Jeff', false],
        ] as const
      ).map(([user, allowed]) => {
        const attempted = update({ PK: S('Amazon') }, 'SET SubscriptionType = :pro', {
          ConditionExpression: 'contains(#admins, :user)',
          ExpressionAttributeNames: { '#admins': 'Admins' },
          ExpressionAttributeValues: { ':pro': S('Pro'), ':user': S(user) },
        });
        return allowed ? attempted.gives({}) : attempted.conditionFails();
      }),
      get({ PK: S('Amazon') }, { ProjectionExpression: 'SubscriptionType' }).gives({
        Item: { SubscriptionType: S('Pro') },
      }),
    ],
  }),
  row('condition/no-overdraft-however-many-try', 'DB-235', CONDITIONS, {
    table: hashTable,
    items: [{ ...key, balance: N(100) }],
    steps: [
      check('twenty withdrawals of thirty at once', async ({ send, expect }) => {
        const answers = await Promise.all(
          Array.from({ length: 20 }, () =>
            send('UpdateItem', {
              TableName: '$T',
              Key: key,
              UpdateExpression: 'SET balance = balance - :amount',
              ConditionExpression: 'balance >= :amount',
              ExpressionAttributeValues: { ':amount': N(30) },
            }),
          ),
        );
        expect('withdrawals', answers.filter((answer) => answer.status === 200).length, 3);
      }),
      get(key).gives({ Item: { ...key, balance: N(10) } }),
    ],
  }),
  row('condition/guard-of-uniqueness', 'DB-232', docs('Condition expressions'), {
    table: hashTable,
    steps: [
      put(
        { pk: S('alexdebrie') },
        { ConditionExpression: 'attribute_not_exists(#username)', ExpressionAttributeNames: { '#username': 'pk' } },
      ).gives({}),
      put(
        { pk: S('alexdebrie') },
        { ConditionExpression: 'attribute_not_exists(#username)', ExpressionAttributeNames: { '#username': 'pk' } },
      ).conditionFails(),
    ],
  }),
  row('condition/size-counts-utf-16-units-of-a-string', 'DB-229', CAPTURED_2026, {
    table: hashTable,
    items: [subject],
    steps: [
      update(key, undefined, {
        ConditionExpression: 'size(accented) = :two',
        ExpressionAttributeValues: { ':two': N(2) },
      }).gives({}),
    ],
  }),
];
