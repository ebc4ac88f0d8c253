import { matching, partial, unordered } from '../matchers.ts';
import type { Row } from '../row.ts';
import { row } from '../row.ts';
import { docs } from '../sources.ts';
import { check } from '../steps.ts';
import { hashTable, rangeTable, table } from '../tables.ts';
import { BOOL, L, M, N, NULL, S, SS } from '../values.ts';
import {
  execute,
  executeOnIndex,
  executeWith,
  found,
  notWellFormed,
  noKey,
  PARTIQL_2026,
  PARTIQL_FLOCI_2026,
} from './partiql-notation.ts';

/** Statements that DynamoDB refuses, with its messages. */
function refused(id: string, source: string, statements: readonly (readonly [string, string])[]): Row {
  return row(`partiql-statements/${id}`, 'DB-273', source, {
    table: hashTable,
    steps: statements.map(([statement, message]) => execute(statement).invalid(message)),
  });
}

const leftover = notWellFormed('Unexpected token after expression');
const term = notWellFormed('Unexpected term');
const rightHandSide = notWellFormed('Missing right-hand side expression of infix operator');
const noTable = notWellFormed('Expected identifier for simple path');
const aliasing = 'Aliasing is not supported';
const overflow = 'Number overflow. Attempting to store a number with magnitude larger than supported range under root';
const overlapping = 'Overlapping conditions with range keys are not supported in where clause';

const item = {
  pk: S('x'),
  ss: SS('a', 'b', 'c'),
  s: S('str'),
  n: N(1),
  m: M({ sub: S('x'), k: L(S('c')) }),
  nul: NULL,
  flag: BOOL(true),
};

/** Conditions on an item, and whether they hold. */
function conditions(id: string, source: string, cases: readonly (readonly [string, boolean])[]): Row {
  return row(`partiql-statements/${id}`, 'DB-139', source, {
    table: hashTable,
    items: [item],
    steps: cases.map(([condition, holds]) =>
      execute(`SELECT pk FROM "$T" WHERE pk = 'x' AND ${condition}`).gives(found(...(holds ? [{ pk: S('x') }] : []))),
    ),
  });
}

const keys = (pk: string, ...sks: readonly string[]) => sks.map((sk) => ({ pk: S(pk), sk: S(sk) }));
const collection = [...keys('o', '1', '2', '3'), ...keys('p', '1', '2', '3')];
const values = (count: number): string => Array.from({ length: count }, (_, index) => `'v${index}'`).join(',');

export const partiqlStatementRows: readonly Row[] = [
  refused('leftover-tokens', PARTIQL_2026, [
    [`SELECT * FROM "$T" WHERE pk = 'a' foo`, leftover],
    [`INSERT INTO "$T" VALUE {'pk': 'a'} foo`, leftover],
    [`UPDATE "$T" SET a = 9 WHERE pk = 'a' foo`, leftover],
    [`DELETE FROM "$T" WHERE pk = 'a' ORDER BY pk`, leftover],
    [`SELECT * FROM "$T" ORDER BY pk WHERE pk = 'a'`, leftover],
    [`SELECT * FROM "$T" WHERE pk = 'a')`, leftover],
    [`INSERT INTO "$T" t VALUE {'pk': 'x'}`, leftover],
    [`FROM "$T" SET c = 1 WHERE pk = 'x'`, leftover],
  ]),
  refused('unreadable-literals', PARTIQL_2026, [
    ['SELECT * FROM "$T" WHERE pk = 1e2147483648', notWellFormed()],
    ['SELECT * FROM "$T" WHERE pk = 1.5e-2147483647', notWellFormed()],
    [`SELECT * FROM "$T" WHERE pk = 'a' # note`, notWellFormed()],
    [`SELECT * FROM "$T" WHERE pk = 'a' /* note`, notWellFormed()],
    ['SELECT * FROM "$T" WHERE a = 1e126', overflow],
    [`INSERT INTO "$T" VALUE {'pk': 'a', 'm': {'x': 1e126}}`, `${overflow}.x`],
    [`INSERT INTO "$T" VALUE {'pk': 'a', 'l': [1, 1e126]}`, `${overflow}[1]`],
    [`INSERT INTO "$T" VALUE {'pk': 'a', 's': <<>>}`, 'Empty bags are not supported'],
  ]),
  refused('missing-terms', PARTIQL_2026, [
    ['SELECT * FROM "$T" WHERE', term],
    ['SELECT * FROM "$T" WHERE;', term],
    ['UPDATE "$T" SET a = 1 WHERE', term],
    ['SELECT * FROM "$T" WHERE NOT', term],
    ['SELECT * FROM "$T" WHERE (', term],
    ['SELECT * FROM "$T-never-created" WHERE', term],
    ['SELECT * FROM', term],
    [`SELECT * FROM "$T" WHERE pk = 'a' AND`, rightHandSide],
    ['SELECT * FROM "$T" WHERE ORDER BY pk', notWellFormed('Unexpected keyword')],
    ['SELECT * FROM "$T" WHERE IS NULL', notWellFormed('Unexpected operator')],
    ['SELECT * FROM "$T" WHERE pk = LIKE', notWellFormed('Unexpected operator')],
    [`SELECT * FROM "$T" WHERE pk = 'a' AND x IS FOO`, notWellFormed('Expected type name')],
    ['DELETE FROM', noTable],
    [`DELETE FROM WHERE pk = 'a'`, noTable],
    [`SLECT * FROM "$T" WHERE pk = 'a'`, notWellFormed('Expected data manipulation')],
    [`SELECT * FROM "$T" WHERE attribute_exists(m.inner)`, notWellFormed('Invalid path dot component')],
    ['x IS INT4', 'Unsupported operation: IsType'],
  ]),
  refused('aliases-and-sources', PARTIQL_2026, [
    [`SELECT * FROM "$T" t WHERE pk = 'x'`, aliasing],
    [`SELECT * FROM "$T" AS t WHERE pk = 'x'`, aliasing],
    [`UPDATE "$T" t SET a = 3 WHERE pk = 'x'`, aliasing],
    [`DELETE FROM "$T" t WHERE pk = 'x'`, aliasing],
    [`SELECT * FROM "" WHERE pk = 'p'`, 'Path component cannot be an empty string'],
    [`SELECT * FROM "$T"."" WHERE pk = 'p'`, 'Path component cannot be an empty string'],
    [`SELECT * FROM "$T"."a"."b" WHERE pk = 'p'`, 'A path may contain at most 2 components in the FROM clause'],
    [`SELECT * FROM "$T"."$T" WHERE pk = 'p'`, 'The table does not have the specified index'],
  ]),
  refused('writes-without-a-key', PARTIQL_2026, [
    ['FROM "$T" SET c = 1', noKey],
    ['FROM "$T" WHERE a = 1 SET c = 1', noKey],
    [`DELETE FROM "$T" WHERE "name" = 'alpha'`, noKey],
  ]),
  row('partiql-statements/functions-out-of-place', 'DB-273', PARTIQL_2026, {
    table: hashTable,
    steps: [
      execute(`SELECT * FROM "$T" WHERE pk = 'x' AND EXISTS(ss)`).invalid(
        matching(/^Unrecognized function: exists at 1:\d+:6$/),
      ),
      execute(`SELECT * FROM "$T" WHERE pk = 'x' AND set_add(ss, <<'x'>>) = ss`).invalid(
        matching(/^Unrecognized function: set_add at 1:\d+:7$/),
      ),
      execute(`SELECT attribute_exists(ss) FROM "$T" WHERE pk = 'x'`).invalid('Unexpected path component at 1:8:16'),
      execute(`SELECT * FROM "$T" WHERE pk = 'x' AND attribute_exists('ss')`).invalid(
        'Operator or function requires a document path; operator or function: attribute_exists',
      ),
      execute(`SELECT * FROM "$T" WHERE pk = 'x' AND attribute_exists(a, b)`).invalid(
        'Incorrect number of operands for operator or function; operator or function: attribute_exists, number of operands: 2',
      ),
      execute(`SELECT * FROM "$T" WHERE pk = 'x' AND val < ?`, BOOL(true)).invalid(
        'Incorrect operand type for operator or function; operator or function: <, operand type: BOOL',
      ),
    ],
  }),
  row('partiql-statements/parameters-are-checked-first', 'DB-273', `${PARTIQL_2026}; ${PARTIQL_FLOCI_2026}`, {
    table: hashTable,
    steps: [
      execute('UPDATE "$T" SET WHERE', SS('a', 'a')).invalid(
        'One or more parameter values were invalid: Input collection [a, a] contains duplicates.',
      ),
      execute('SELECT * FROM "$T" WHERE a = ?', N('1e99999999999')).invalid(
        'The parameter cannot be converted to a numeric value: 1e99999999999',
      ),
      execute('SELECT * FROM "$T" WHERE a = ?', N('')).invalid('The parameter cannot be converted to a numeric value'),
      execute('SELECT * FROM "$T" WHERE a = ?', N('1e2147483647')).invalid(
        'Number underflow. Attempting to store a number with magnitude smaller than supported range',
      ),
    ],
  }),
  row('partiql-statements/missing-table', 'DB-275', PARTIQL_2026, {
    table: hashTable,
    steps: [
      execute(`SELECT * FROM "$T-never-created" WHERE pk = 'x'`).fails(
        'ResourceNotFoundException',
        'Requested resource not found',
      ),
    ],
  }),
  conditions('functions-in-where', PARTIQL_2026, [
    ['attribute_exists(ss)', true],
    ['attribute_exists(nope)', false],
    ['NOT attribute_exists(nope)', true],
    ['ATTRIBUTE_EXISTS(ss)', true],
    ['(attribute_exists(nope) OR attribute_exists(ss))', true],
    ['attribute_exists(ss) = true', true],
    ['attribute_exists(m.sub)', true],
    ['size(s) = 3', true],
    ["attribute_type(ss, 'SS')", true],
    ['nul IS NULL', true],
    ['s IS NOT NULL', true],
    ['s IS NOT MISSING', true],
    ['flag IS BOOL', true],
    ['s IS STRING', true],
    ['s IS BOOL', false],
    ["NOT begins_with(s, 'st')", false],
  ]),
  conditions('conditions-compare-as-booleans', PARTIQL_FLOCI_2026, [
    ['attribute_exists(nope) = false', true],
    ['true = attribute_exists(n)', true],
    ['attribute_exists(n) <> 1', true],
    ['(n BETWEEN 0 AND 5) = true', true],
    ['attribute_exists(nope) IN [true, false]', true],
    ['attribute_exists(n) = flag', true],
    ['attribute_exists(n) = 1', false],
    ['NOT attribute_exists(n) = true', false],
    ['(attribute_exists(n) = true) = false', false],
  ]),
  row('partiql-statements/columns', 'DB-139', PARTIQL_FLOCI_2026, {
    table: hashTable,
    items: [item],
    steps: [
      execute(`SELECT m.sub FROM "$T" WHERE pk = 'x'`).gives(found({ sub: S('x') })),
      execute(`SELECT m.k[0], n FROM "$T" WHERE pk = 'x'`).gives(found({ 'k[0]': S('c'), n: N(1) })),
      execute(`SELECT m.k[-1] FROM "$T" WHERE pk='x'`).invalid(
        'List index is not within the allowable range; index: [-1] at 1:13:1',
      ),
    ],
  }),
  row('partiql-statements/comments-and-numbers', 'DB-139', PARTIQL_2026, {
    table: table('pk:N'),
    items: [{ pk: N(7310000) }],
    steps: ['7.31e6', '7.31E+6', '73100000e-1', '- - 7310000', '7310000 -- a note', '/* a note */ 7310000'].map(
      (literal) => execute(`SELECT * FROM "$T" WHERE pk = ${literal}`).gives(found({ pk: N(7310000) })),
    ),
  }),
  row('partiql-statements/reads-by-key', 'DB-014', PARTIQL_FLOCI_2026, {
    table: rangeTable,
    items: collection,
    steps: [
      execute(`SELECT sk FROM "$T" WHERE pk = 'o' AND (sk < '1' OR sk > '2' OR sk = '1')`).gives({
        Items: unordered([{ sk: S('1') }, { sk: S('3') }]),
      }),
      execute(`SELECT sk FROM "$T" WHERE pk = 'o' AND sk IN ['1', '3']`).gives({
        Items: unordered([{ sk: S('1') }, { sk: S('3') }]),
      }),
      execute(`SELECT sk FROM "$T" WHERE pk = 'o' AND sk = '1' AND sk > '0'`).gives(found({ sk: S('1') })),
      execute(`SELECT sk FROM "$T" WHERE pk = 'o' AND NOT sk = '1' OR pk = 'o' AND sk = '2'`).gives({
        Items: unordered([{ sk: S('2') }, { sk: S('3') }]),
      }),
      execute(`SELECT sk FROM "$T" WHERE pk = 'none'`).gives(found()),
    ],
  }),
  row('partiql-statements/key-conditions-that-clash', 'DB-273', `${PARTIQL_2026}; ${PARTIQL_FLOCI_2026}`, {
    table: rangeTable,
    steps: [
      ...[
        `pk IN ['a','a']`,
        `pk = 'a' OR pk = 'a'`,
        `pk = 'a' AND (sk > '0' OR sk < '5')`,
        `pk = 'a' AND x = '1' OR pk = 'a' AND sk = '2'`,
      ].map((where) => execute(`SELECT * FROM "$T" WHERE ${where}`).invalid(overlapping)),
      execute(`SELECT * FROM "$T" WHERE pk = 1 OR pk = 'a'`).invalid(
        "Key attribute's data type should match its data type in table's schema: Key pk",
      ),
      execute(`SELECT * FROM "$T" WHERE pk IN [${values(51)}]`).invalid(
        'Too many decomposed read operations for a given query.',
      ),
      execute(`SELECT * FROM "$T" WHERE pk = 'a' AND flag IN [${values(101)}]`).invalid(
        'The IN operator is provided with too many operands; number of operands: 101',
      ),
    ],
  }),
  row('partiql-statements/order-by', 'DB-139', PARTIQL_FLOCI_2026, {
    table: rangeTable,
    items: collection,
    steps: [
      execute(`SELECT pk, sk FROM "$T" WHERE pk = 'o' ORDER BY sk DESC`).gives(found(...keys('o', '3', '2', '1'))),
      execute(`SELECT pk, sk FROM "$T" WHERE pk = 'o' ORDER BY sk`).gives(found(...keys('o', '1', '2', '3'))),
      execute(`SELECT pk, sk FROM "$T" WHERE pk = 'o' ORDER BY pk ASC`).gives(found(...keys('o', '3', '2', '1'))),
      execute(`SELECT pk, sk FROM "$T" WHERE pk IN ['o', 'p'] ORDER BY pk DESC, sk ASC`).gives(
        found(...keys('p', '1', '2', '3'), ...keys('o', '1', '2', '3')),
      ),
      execute('SELECT sk FROM "$T" ORDER BY sk').invalid(
        'Must have WHERE clause in the statement when using ORDER BY clause.',
      ),
      execute(`SELECT sk FROM "$T" WHERE pk = 'o' ORDER BY Total`).invalid(
        'Attribute Total in ORDER BY clause must be part of the primary key',
      ),
      execute(`SELECT sk FROM "$T" WHERE pk > 'a' ORDER BY sk`).invalid(
        'Must have at least one non-optional hash key condition in WHERE clause when using ORDER BY clause.',
      ),
      execute(`SELECT sk FROM "$T" WHERE pk IN ['o', 'p'] ORDER BY sk DESC`).invalid(
        'Must have hash key in ORDER BY clause when more than one hash key condition specified in WHERE clause.',
      ),
    ],
  }),
  row('partiql-statements/pages', 'DB-139', PARTIQL_FLOCI_2026, {
    table: rangeTable,
    items: collection,
    steps: [
      check('a token continues with its statement only', async ({ succeed, send, expect }) => {
        const Statement = `SELECT sk FROM "$T" WHERE pk IN ['o', 'p'] ORDER BY pk DESC`;
        const pages: unknown[] = [];
        let NextToken: unknown;
        do {
          const page = await succeed('ExecuteStatement', {
            Statement,
            Limit: 2,
            ConsistentRead: true,
            ...(typeof NextToken === 'string' && { NextToken }),
          });
          pages.push(page['Items']);
          if (typeof page['NextToken'] === 'string' && pages.length === 1) {
            const other = await send('ExecuteStatement', {
              Statement: 'SELECT * FROM "$T"',
              NextToken: page['NextToken'],
            });
            expect('another statement', other.status, 400);
          }
          NextToken = page['NextToken'];
        } while (NextToken !== undefined && pages.length < 10);
        const sks = pages.flatMap((page) => (page as { sk: { S: string } }[]).map(({ sk }) => sk.S));
        expect('all items, in order', sks, ['3', '2', '1', '3', '2', '1']);
        expect('the first page', pages[0], [{ sk: S('3') }, { sk: S('2') }]);
      }),
      executeWith('SELECT * FROM "$T"', { NextToken: 'garbage' }).invalid('Invalid NextToken'),
    ],
  }),
  row('partiql-statements/indexes', 'DB-139', PARTIQL_2026, {
    table: table('pk:S / sk:S', { gsis: { gsi1: 'g:S | INCLUDE a' }, lsis: { lsi1: 'pk:S / l:S | KEYS_ONLY' } }),
    items: [{ pk: S('p'), sk: S('1'), g: S('y'), l: S('k'), a: S('one'), other: S('o') }],
    steps: [
      executeOnIndex(`SELECT sk FROM "$T"."gsi1" WHERE g = 'y'`).gives(found({ sk: S('1') })),
      executeOnIndex(`SELECT sk FROM "$T"."gsi1" WHERE pk = 'p'`).gives(found({ sk: S('1') })),
      executeOnIndex(`SELECT sk FROM "$T"."gsi1" WHERE other = 'o'`).gives(found()),
      execute(`SELECT other FROM "$T"."lsi1" WHERE pk = 'p' AND l = 'k'`).gives(found({ other: S('o') })),
      execute(`SELECT * FROM "$T"."lsi1" WHERE pk = 'p'`).gives(found({ pk: S('p'), sk: S('1'), l: S('k') })),
      executeWith(`SELECT other FROM "$T"."gsi1" WHERE g = 'y'`, {}).invalid(
        'One or more parameter values were invalid: Global secondary index gsi1 does not project [other]',
      ),
      executeWith(`SELECT pk FROM "$T"."gsi1" WHERE g = 'y' AND other = 'o'`, {}).invalid(
        'One or more parameter values were invalid: Secondary index gsi1 does not project one or more filter attributes: [other]',
      ),
      execute(`SELECT pk FROM "$T"."lsi1" WHERE pk = 'p' AND other = 'o'`).invalid(
        'One or more parameter values were invalid: Secondary index lsi1 does not project one or more filter attributes: [other]',
      ),
      executeWith(`SELECT * FROM "$T"."gsi1" WHERE g = 'y'`, { ConsistentRead: true }).invalid(
        'Strongly consistent read is not supported on Global Secondary Indexes',
      ),
      executeWith(`SELECT * FROM "$T"."gsi9" WHERE g = 'y'`, { ConsistentRead: true }).invalid(
        'The table does not have the specified index',
      ),
    ],
  }),
  row('partiql-statements/multi-attribute-index', 'DB-076', PARTIQL_2026, {
    table: table('id:S', { gsis: { gsi1: 'a:S b:S / c:S' } }),
    items: [{ id: S('i'), a: S('1'), b: S('2'), c: S('3') }],
    steps: [
      ...[`WHERE a = '1' AND b = '2'`, 'WHERE a = 5', ''].map((where) =>
        executeWith(`SELECT * FROM "$T"."gsi1" ${where}`, {}).invalid(
          'PartiQL statements cannot be executed on tables with multi-attribute HASH keys or multi-attribute RANGE keys.',
        ),
      ),
      execute(`SELECT id FROM "$T" WHERE id = 'i'`).gives(found({ id: S('i') })),
    ],
  }),
  row('partiql-statements/capacity', 'DB-139', docs('API_ExecuteStatement'), {
    table: hashTable,
    items: [item],
    steps: [
      executeWith(`SELECT pk FROM "$T" WHERE pk = 'x'`, {
        ReturnConsumedCapacity: 'TOTAL',
        ConsistentRead: true,
      }).gives({
        Items: [{ pk: S('x') }],
        ConsumedCapacity: partial({ TableName: '$T', CapacityUnits: 1 }),
      }),
    ],
  }),
];
