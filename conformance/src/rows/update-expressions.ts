import { messageContaining, oneOf } from '../matchers.ts';
import type { Matcher } from '../matchers.ts';
import type { Row } from '../row.ts';
import { row } from '../row.ts';
import { ALTERNATOR, CAPTURED_2026, docs, DYNALITE, MOTO } from '../sources.ts';
import { get, update } from '../steps.ts';
import { hashTable } from '../tables.ts';
import { B, BOOL, BS, L, M, N, NS, S, SS } from '../values.ts';
import type { WireItem } from '../values.ts';

const UPDATES = docs('Update expressions');
const key = { pk: S('x') };
const TYPE_ERROR = 'An operand in the update expression has an incorrect data type';
const PATH_ERROR = 'The document path provided in the update expression is invalid for update';
const MISSING_OPERAND = 'The provided expression refers to an attribute that does not exist in the item';

type Names = Readonly<Record<string, string>>;

function apply(expression: string, values: WireItem, names?: Names) {
  return update(key, expression, {
    ...(Object.keys(values).length === 0 ? {} : { ExpressionAttributeValues: values }),
    ...(names === undefined ? {} : { ExpressionAttributeNames: names }),
  });
}

/** An update and the item before and after it (without the key). */
function changes(
  id: string,
  covers: string,
  source: string,
  before: WireItem | undefined,
  expression: string,
  values: WireItem,
  after: WireItem,
  names?: Names,
): Row {
  return row(`update-expression/${id}`, covers, source, {
    table: hashTable,
    ...(before === undefined ? {} : { items: [{ ...key, ...before }] }),
    steps: [apply(expression, values, names).gives({}), get(key).gives({ Item: { ...key, ...after } })],
  });
}

/** An update that is refused because of its text or the stored item. The item does not change. */
function refused(
  id: string,
  covers: string,
  source: string,
  before: WireItem | undefined,
  expression: string,
  values: WireItem,
  message: string | Matcher,
  names?: Names,
): Row {
  return row(`update-expression/${id}`, covers, source, {
    table: hashTable,
    ...(before === undefined ? {} : { items: [{ ...key, ...before }] }),
    steps: [
      apply(expression, values, names).invalid(message),
      get(key).gives(before === undefined ? {} : { Item: { ...key, ...before } }),
    ],
  });
}

function malformed(
  id: string,
  covers: string,
  source: string,
  expression: string,
  values: WireItem,
  message: string | Matcher,
  names?: Names,
): Row {
  const full = typeof message === 'string' ? `Invalid UpdateExpression: ${message}` : message;
  return refused(id, covers, source, undefined, expression, values, full, names);
}

const overlap = (one: string, two: string): string =>
  `Two document paths overlap with each other; must remove or rewrite one of these paths; path one: [${one}], path two: [${two}]`;
/** The older and the newer wording for ADD and DELETE with a value that is not a set (for ADD, nor a number). */
function incorrectOperator(operator: 'ADD' | 'DELETE', type: string): Matcher {
  const older = `Invalid UpdateExpression: Incorrect operand type for operator or function; operator: ${operator}, operand type: ${type}`;
  // DynamoDB's newer wording names the set of ADD for DELETE as well.
  return oneOf(
    older,
    `${older}, typeSet: ALLOWED_FOR_${operator}_OPERAND`,
    `${older}, typeSet: ALLOWED_FOR_ADD_OPERAND`,
  );
}

export const updateExpressionRows: readonly Row[] = [
  changes(
    'set',
    'DB-236 DB-239',
    UPDATES,
    { a: N(1) },
    'SET a = :a, b = :b',
    { ':a': S('text'), ':b': L() },
    { a: S('text'), b: L() },
  ),
  changes('remove', 'DB-236 DB-243', UPDATES, { a: N(1), b: N(2) }, 'REMOVE a, nowhere', {}, { b: N(2) }),
  changes(
    'add',
    'DB-236 DB-244',
    UPDATES,
    { n: N(1) },
    'ADD n :n, m :m, s :s',
    { ':n': N(-3), ':m': N('0.5'), ':s': SS('a') },
    { n: N(-2), m: N('0.5'), s: SS('a') },
  ),
  changes(
    'delete',
    'DB-236 DB-245',
    UPDATES,
    { s: SS('a', 'b', 'c') },
    'DELETE s :s',
    { ':s': SS('a', 'z') },
    { s: SS('b', 'c') },
  ),
  changes(
    'all-verbs-together',
    'DB-237',
    UPDATES,
    { a: N(1), c: N(1), n: N(1), s: SS('x', 'y') },
    'SET a = :a, b = :b REMOVE c ADD n :a DELETE s :s',
    { ':a': N(2), ':b': N(3), ':s': SS('x') },
    { a: N(2), b: N(3), n: N(3), s: SS('y') },
  ),
  changes(
    'verbs-in-any-order-and-case',
    'DB-237 DB-199',
    UPDATES,
    { a: N(1), n: N(1) },
    'remove a Add n :n sEt b = :n',
    { ':n': N(2) },
    { n: N(3), b: N(2) },
  ),
  changes(
    'line-breaks-and-tabs',
    'DB-199',
    DYNALITE,
    undefined,
    '\n SET\ta=:a ,\r\n b = :a ',
    { ':a': N(1) },
    { a: N(1), b: N(1) },
  ),

  changes(
    'plus-and-minus',
    'DB-240',
    UPDATES,
    { a: N(10), b: N(3) },
    'SET c = a - b, d = a + :n, e = :n - :m',
    { ':n': N('0.5'), ':m': N(2) },
    { a: N(10), b: N(3), c: N(7), d: N('10.5'), e: N('-1.5') },
  ),
  refused(
    'arithmetic-with-a-missing-attribute',
    'DB-240',
    DYNALITE,
    { a: N(1) },
    'SET a = nowhere + :n',
    { ':n': N(1) },
    MISSING_OPERAND,
  ),
  refused('arithmetic-with-a-string', 'DB-240', DYNALITE, { a: S('1') }, 'SET a = a + :n', { ':n': N(1) }, TYPE_ERROR),
  refused('copy-of-a-missing-attribute', 'DB-240', DYNALITE, { a: N(1) }, 'SET b = nowhere', {}, MISSING_OPERAND),
  malformed(
    'arithmetic-with-a-string-value',
    'DB-240',
    DYNALITE,
    'SET a = a + :s',
    { ':s': S('1') },
    'Incorrect operand type for operator or function; operator or function: +, operand type: S',
  ),
  changes(
    'if-not-exists-on-an-absent-item',
    'DB-241',
    UPDATES,
    undefined,
    'SET c = if_not_exists(c, :zero) + :one',
    { ':zero': N(0), ':one': N(1) },
    { c: N(1) },
  ),
  changes(
    'if-not-exists-keeps-what-is-there',
    'DB-241',
    UPDATES,
    { c: N(5), d: S('old') },
    'SET c = if_not_exists(c, :zero) + :one, d = if_not_exists(d, :new)',
    { ':zero': N(0), ':one': N(1), ':new': S('new') },
    { c: N(6), d: S('old') },
  ),
  changes(
    'if-not-exists-of-another-path',
    'DB-241',
    UPDATES,
    { m: M({ a: N(3) }) },
    'SET c = if_not_exists(m.a, :v), d = if_not_exists(m.b, :v)',
    { ':v': N(9) },
    { m: M({ a: N(3) }), c: N(3), d: N(9) },
  ),
  changes(
    'list-append-and-prepend',
    'DB-241',
    UPDATES,
    { l: L(N(1)), k: L(N(2)) },
    'SET l = list_append(l, :v), k = list_append(:v, k)',
    { ':v': L(S('a'), S('b')) },
    { l: L(N(1), S('a'), S('b')), k: L(S('a'), S('b'), N(2)) },
  ),
  changes(
    'list-append-to-a-list-that-may-be-missing',
    'DB-241',
    UPDATES,
    undefined,
    'SET l = list_append(if_not_exists(l, :empty), :v)',
    { ':empty': L(), ':v': L(N(1)) },
    { l: L(N(1)) },
  ),
  refused(
    'list-append-to-a-missing-list',
    'DB-241',
    DYNALITE,
    { a: N(1) },
    'SET l = list_append(l, :v)',
    { ':v': L(N(1)) },
    MISSING_OPERAND,
  ),
  refused(
    'list-append-to-a-string',
    'DB-241',
    DYNALITE,
    { l: S('text') },
    'SET l = list_append(l, :v)',
    { ':v': L(N(1)) },
    TYPE_ERROR,
  ),
  malformed(
    'list-append-of-a-string',
    'DB-241',
    MOTO,
    'SET l = list_append(l, :v)',
    { ':v': S('a') },
    'Incorrect operand type for operator or function; operator or function: list_append, operand type: S',
  ),
  malformed(
    'if-not-exists-needs-a-path',
    'DB-241',
    DYNALITE,
    'SET a = if_not_exists(:v, :v)',
    { ':v': S('a') },
    'Operator or function requires a document path; operator or function: if_not_exists',
  ),
  malformed(
    'unknown-function',
    'DB-241',
    DYNALITE,
    'SET a = append(a, :v)',
    { ':v': L() },
    'Invalid function name; function: append',
  ),
  malformed(
    'wrong-number-of-operands',
    'DB-241',
    DYNALITE,
    'SET a = if_not_exists(a)',
    {},
    'Incorrect number of operands for operator or function; operator or function: if_not_exists, number of operands: 1',
  ),

  changes(
    'nested-map-entry',
    'DB-242',
    UPDATES,
    { phone: M({ home: S('1') }) },
    'SET #phone.#mobile = :cell',
    { ':cell': S('2') },
    { phone: M({ home: S('1'), mobile: S('2') }) },
    { '#phone': 'phone', '#mobile': 'mobile' },
  ),
  changes(
    'list-element',
    'DB-242',
    UPDATES,
    { l: L(N(0), N(1), N(2)) },
    'SET l[1] = :v',
    { ':v': S('one') },
    { l: L(N(0), S('one'), N(2)) },
  ),
  changes(
    'list-element-beyond-the-end-is-appended',
    'DB-242',
    UPDATES,
    { l: L(N(0)) },
    'SET l[99] = :v',
    { ':v': N(1) },
    { l: L(N(0), N(1)) },
  ),
  changes(
    'several-elements-beyond-the-end',
    'DB-242',
    ALTERNATOR,
    { l: L(N(0)) },
    'SET l[3] = :a, l[7] = :b',
    { ':a': S('a'), ':b': S('b') },
    { l: L(N(0), S('a'), S('b')) },
  ),
  changes(
    'removed-list-element-closes-the-gap',
    'DB-242 DB-243',
    UPDATES,
    { l: L(N(0), N(1), N(2)) },
    'REMOVE l[1]',
    {},
    { l: L(N(0), N(2)) },
  ),
  changes(
    'several-removed-list-elements',
    'DB-242 DB-243',
    UPDATES,
    { l: L(N(0), N(1), N(2), N(3)) },
    'REMOVE l[0], l[2], l[9]',
    {},
    { l: L(N(1), N(3)) },
  ),
  changes(
    'removed-map-entry',
    'DB-242 DB-243',
    UPDATES,
    { m: M({ a: N(1), b: N(2) }) },
    'REMOVE m.a, m.nowhere',
    {},
    { m: M({ b: N(2) }) },
  ),
  changes(
    'deep-path',
    'DB-242 DB-197',
    UPDATES,
    { a: M({ b: L(N(0), M({ c: S('old') })) }) },
    'SET a.b[1].c = :v',
    { ':v': S('new') },
    { a: M({ b: L(N(0), M({ c: S('new') })) }) },
  ),
  refused('parent-is-missing', 'DB-242', DYNALITE, { a: N(1) }, 'SET m.b = :v', { ':v': N(1) }, PATH_ERROR),
  refused('parent-is-no-map', 'DB-242', DYNALITE, { a: S('text') }, 'SET a.b = :v', { ':v': N(1) }, PATH_ERROR),
  refused('parent-is-no-list', 'DB-242', DYNALITE, { a: M({}) }, 'SET a[0] = :v', { ':v': N(1) }, PATH_ERROR),
  refused('parent-of-what-is-removed-is-missing', 'DB-242', DYNALITE, { a: N(1) }, 'REMOVE m.b', {}, PATH_ERROR),
  refused('parent-on-an-absent-item', 'DB-242', DYNALITE, undefined, 'SET m.b = :v', { ':v': N(1) }, PATH_ERROR),

  changes('add-makes-a-number-of-nothing', 'DB-244', UPDATES, undefined, 'ADD n :n', { ':n': N(5) }, { n: N(5) }),
  changes(
    'add-to-every-kind-of-set',
    'DB-244',
    UPDATES,
    { ss: SS('a'), ns: NS(1), bs: BS([1]) },
    'ADD ss :ss, ns :ns, bs :bs',
    { ':ss': SS('a', 'b'), ':ns': NS('1.0', 2), ':bs': BS([1], [2]) },
    { ss: SS('a', 'b'), ns: NS(1, 2), bs: BS([1], [2]) },
  ),
  changes(
    'add-inside-a-map',
    'DB-244',
    ALTERNATOR,
    { m: M({ n: N(1) }) },
    'ADD m.n :one, m.s :s',
    { ':one': N(1), ':s': SS('a') },
    { m: M({ n: N(2), s: SS('a') }) },
  ),
  refused('add-a-number-to-a-list', 'DB-244', DYNALITE, { l: L(N(1)) }, 'ADD l :n', { ':n': N(1) }, TYPE_ERROR),
  refused('add-another-kind-of-set', 'DB-244', DYNALITE, { s: SS('a') }, 'ADD s :n', { ':n': NS(1) }, TYPE_ERROR),
  malformed('add-a-list', 'DB-244', DYNALITE, 'ADD l :l', { ':l': L(N(1)) }, incorrectOperator('ADD', 'LIST')),
  malformed('add-a-string', 'DB-244', DYNALITE, 'ADD s :s', { ':s': S('a') }, incorrectOperator('ADD', 'STRING')),
  malformed('add-a-boolean', 'DB-244', DYNALITE, 'ADD s :s', { ':s': BOOL(true) }, incorrectOperator('ADD', 'BOOLEAN')),
  malformed('add-binary', 'DB-244', DYNALITE, 'ADD s :s', { ':s': B('a') }, incorrectOperator('ADD', 'BINARY')),
  malformed('add-a-map', 'DB-244', DYNALITE, 'ADD s :s', { ':s': M({}) }, incorrectOperator('ADD', 'MAP')),

  changes(
    'deleting-the-last-element-removes-the-attribute',
    'DB-245 DB-248',
    UPDATES,
    { s: SS('a'), n: N(1) },
    'DELETE s :s',
    { ':s': SS('a', 'b') },
    { n: N(1) },
  ),
  changes('deleting-from-a-missing-set', 'DB-245', UPDATES, { n: N(1) }, 'DELETE s :s', { ':s': SS('a') }, { n: N(1) }),
  changes(
    'deleting-numbers-compares-values',
    'DB-245',
    UPDATES,
    { s: NS(1, 2) },
    'DELETE s :s',
    { ':s': NS('1.0') },
    { s: NS(2) },
  ),
  refused(
    'deleting-another-kind-of-set',
    'DB-245',
    DYNALITE,
    { s: SS('a') },
    'DELETE s :s',
    { ':s': NS(1) },
    TYPE_ERROR,
  ),
  malformed(
    'deleting-a-string',
    'DB-245',
    DYNALITE,
    'DELETE s :s',
    { ':s': S('a') },
    incorrectOperator('DELETE', 'STRING'),
  ),
  malformed(
    'deleting-a-number',
    'DB-245',
    DYNALITE,
    'DELETE s :s',
    { ':s': N(1) },
    incorrectOperator('DELETE', 'NUMBER'),
  ),
  malformed(
    'remove-takes-no-value',
    'DB-245 DB-243',
    UPDATES,
    'REMOVE #a :user',
    { ':user': S('a') },
    messageContaining('Invalid UpdateExpression: Syntax error; token: ":user"'),
    { '#a': 'a' },
  ),
  malformed(
    'empty-set-as-a-value',
    'DB-248 DB-035',
    DYNALITE,
    'SET s = :s',
    { ':s': SS() },
    messageContaining('One or more parameter values were invalid: An string set  may not be empty'),
  ),

  changes(
    'right-sides-read-the-old-item',
    'DB-246',
    UPDATES,
    { a: N(1), b: N(2) },
    'SET a = b, b = a',
    {},
    { a: N(2), b: N(1) },
  ),
  changes('right-sides-read-what-is-removed', 'DB-246', UPDATES, { a: N(1) }, 'SET b = a REMOVE a', {}, { b: N(1) }),
  changes(
    'indexes-are-those-of-the-old-list',
    'DB-246',
    UPDATES,
    { l: L(N(0), N(1), N(2)) },
    'SET l[2] = :v REMOVE l[0]',
    { ':v': S('two') },
    { l: L(N(1), S('two')) },
  ),

  malformed('same-path-twice', 'DB-247', MOTO, 'SET a = :v, a = :v', { ':v': N(1) }, overlap('a', 'a')),
  malformed('parent-and-child', 'DB-247', UPDATES, 'SET a = :v REMOVE a.b', { ':v': N(1) }, overlap('a', 'a, b')),
  malformed(
    'same-list-element-twice',
    'DB-247',
    DYNALITE,
    'SET a[1] = :v REMOVE a[1]',
    { ':v': N(1) },
    overlap('a, [1]', 'a, [1]'),
  ),
  malformed(
    'element-and-entry-of-one-value',
    'DB-247',
    DYNALITE,
    'SET a[1] = :v, a.b = :v',
    { ':v': N(1) },
    'Two document paths conflict with each other; must remove or rewrite one of these paths; path one: [a, [1]], path two: [a, b]',
  ),
  malformed(
    'same-attribute-under-two-names',
    'DB-247',
    UPDATES,
    'SET #a = :v, a = :v',
    { ':v': N(1) },
    overlap('a', 'a'),
    { '#a': 'a' },
  ),
  malformed(
    'verb-twice',
    'DB-237',
    MOTO,
    'SET a = :v SET b = :v',
    { ':v': N(1) },
    'The "SET" section can only be used once in an update expression;',
  ),
  malformed(
    'another-verb-twice',
    'DB-237',
    MOTO,
    'ADD x :v SET a = :v ADD y :v',
    { ':v': N(1) },
    'The "ADD" section can only be used once in an update expression;',
  ),
  malformed('empty', 'DB-200', CAPTURED_2026, '', {}, 'The expression can not be empty;'),
  malformed(
    'unknown-verb',
    'DB-236',
    CAPTURED_2026,
    'INVALID SYNTAX HERE',
    {},
    'Syntax error; token: "INVALID", near: "INVALID SYNTAX"',
  ),
  malformed(
    'trailing-comma',
    'DB-237',
    MOTO,
    'SET a = :a, b = :b,',
    { ':a': N(1), ':b': N(2) },
    'Syntax error; token: "<EOF>", near: ","',
  ),
  malformed(
    'missing-equals-sign',
    'DB-242',
    UPDATES,
    'SET #phone.#mobile :cell',
    { ':cell': S('2') },
    messageContaining('Invalid UpdateExpression: Syntax error; token: ":cell"'),
    { '#phone': 'phone', '#mobile': 'mobile' },
  ),
  malformed(
    'three-terms',
    'DB-240',
    ALTERNATOR,
    'SET a = b + c + d',
    {},
    messageContaining('Invalid UpdateExpression: Syntax error;'),
  ),
];
