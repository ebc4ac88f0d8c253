import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  compositeTable,
  hashTable,
  indexedTable,
  type Item,
  N,
  numberTable,
  openPartiqlClient,
  type PartiqlClient,
  S,
  sortedTable,
} from '../partiql/testing/partiql-client.ts';

/* Observed behaviour of the service, September and October 2026: statements and their answers. */

let client: PartiqlClient;
beforeAll(async () => {
  client = await openPartiqlClient();
  await client.table('Hash', hashTable);
  await client.table('Number', numberTable);
  await client.table('Composite', compositeTable);
  await client.table('Sorted', sortedTable);
  await client.table('Indexed', indexedTable);
});
afterAll(() => client.db.close());

const notWellFormed = "ValidationException: Statement wasn't well formed, can't be processed: ";
const invalid = (message: string): string => `ValidationException: ${message}`;

/** The position of a token in a statement of one line. */
function at(statement: string, token: string, from = 0): string {
  const index = statement.indexOf(token, from);
  expect(index).toBeGreaterThanOrEqual(0);
  return `1:${index + 1}:${token.length}`;
}

describe('statements that cannot be read', () => {
  const leftover = `${notWellFormed}Unexpected token after expression`;
  const term = `${notWellFormed}Unexpected term`;
  const aliasing = invalid('Aliasing is not supported');
  const noTable = `${notWellFormed}Expected identifier for simple path`;
  const noKey = invalid('Where clause does not contain a mandatory equality on all key attributes');
  const overflow = 'Number overflow. Attempting to store a number with magnitude larger than supported range';
  const underflow = 'Number underflow. Attempting to store a number with magnitude smaller than supported range';

  it.each([
    ['SELECT * FROM "Number" WHERE pk = 1 foo', leftover],
    ['SELECT * FROM "Number" WHERE pk = 1 e5', leftover],
    [`INSERT INTO "Number" VALUE {'pk': 970001} foo`, leftover],
    ['UPDATE "Number" SET a = 9 WHERE pk = 970002 foo', leftover],
    ['DELETE FROM "Number" WHERE pk = 970003 foo', leftover],
    ['SELECT * FROM "Number" WHERE pk = 1)', leftover],
    ['DELETE FROM "Number" WHERE pk = 970004 ORDER BY pk', leftover],
    ['SELECT * FROM "Number" ORDER BY pk WHERE pk = 1', leftover],
    ['SELECT * FROM "Number" WHERE pk = 1e2147483648', notWellFormed],
    ['SELECT * FROM "Number" WHERE pk = 1e99999999999', notWellFormed],
    ['SELECT * FROM "Number" WHERE pk = 1.5e-2147483647', notWellFormed],
    ['SELECT * FROM "Number" WHERE pk = 1 # note', notWellFormed],
    ['SELECT * FROM "Number" WHERE pk = 1 /* note', notWellFormed],
    ['SELECT * FROM "Number', notWellFormed],
    [`SELECT * FROM "Hash" t WHERE pk = 'x'`, aliasing],
    [`SELECT * FROM "Hash" AS t WHERE pk = 'x'`, aliasing],
    [`UPDATE "Hash" t SET a = 3 WHERE pk = 'x'`, aliasing],
    [`DELETE FROM "Hash" t WHERE pk = 'x'`, aliasing],
    [`SELECT a AS b FROM "Hash" WHERE pk = 'x'`, aliasing],
    [`INSERT INTO "Hash" t VALUE {'pk': 'x'}`, leftover],
    ['SELECT * FROM "Number" WHERE pk = 1e126', invalid(`${overflow} under root`)],
    ['SELECT * FROM "Number" WHERE pk = 1e-131', invalid(`${underflow} under root`)],
    [
      'SELECT * FROM "Number" WHERE pk = 123456789012345678901234567890123456789',
      invalid('Attempting to store more than 38 significant digits in a Number under root'),
    ],
    [`INSERT INTO "Number" VALUE {'pk': 1e126}`, invalid(`${overflow} under root`)],
    ['UPDATE "Number" SET a = 1e-131 WHERE pk = 970005', invalid(`${underflow} under root`)],
    [`INSERT INTO "Number" VALUE {'pk': 970006, 'm': {'x': 1e126}}`, invalid(`${overflow} under root.x`)],
    [`INSERT INTO "Number" VALUE {'pk': 970007, 'l': [1, 1e126]}`, invalid(`${overflow} under root[1]`)],
    ['SELECT * FROM "Hash" WHERE', term],
    ['SELECT * FROM "Hash" WHERE;', term],
    ['SELECT * FROM "Hash" WHERE   ', term],
    ['SELECT pk FROM "Hash" WHERE', term],
    ['UPDATE "Hash" SET a = 1 WHERE', term],
    ['DELETE FROM "Hash" WHERE', term],
    ['SELECT * FROM "Hash" WHERE NOT', term],
    ['SELECT * FROM "Hash" WHERE (', term],
    ['SELECT * FROM "Hash-never-created" WHERE', term],
    [
      `SELECT * FROM "Hash" WHERE pk = 'p1' AND`,
      `${notWellFormed}Missing right-hand side expression of infix operator`,
    ],
    [`SELECT * FROM "Hash" WHERE pk = 'p1' OR`, `${notWellFormed}Missing right-hand side expression of infix operator`],
    ['SELECT * FROM "Hash" WHERE ORDER BY pk', `${notWellFormed}Unexpected keyword`],
    ['x IS INT4', invalid('Unsupported operation: IsType')],
    ['x IS INT8', invalid('Unsupported operation: IsType')],
    ['x IS DOUBLE PRECISION', invalid('Unsupported operation: IsType')],
    ['x IS CHARACTER VARYING', invalid('Unsupported operation: IsType')],
    [`SELECT * FROM "Hash" WHERE pk = 'a' AND x IS FOO`, `${notWellFormed}Expected type name`],
    ['SELECT * FROM "Hash" WHERE IS NULL', `${notWellFormed}Unexpected operator`],
    ['SELECT * FROM "Hash" WHERE pk = LIKE', `${notWellFormed}Unexpected operator`],
    ['DELETE FROM', noTable],
    ['DELETE FROM   ', noTable],
    ['DELETE FROM;', noTable],
    [`DELETE FROM WHERE pk = 'a'`, noTable],
    ['SELECT * FROM', term],
    ['FROM "Hash" SET c = 1', noKey],
    ['FROM "Hash" REMOVE a', noKey],
    ['FROM "Hash" WHERE a = 1 SET c = 1', noKey],
    [`FROM "Hash" SET c = 1 WHERE pk = 'x'`, leftover],
    [`FROM "Hash" SET c = 1 WHERE pk = 'x' SET d = 2`, leftover],
    [`SLECT * FROM "Hash" WHERE pk = 'x'`, `${notWellFormed}Expected data manipulation`],
    ['UPDATE Payment-suffix SET active = true WHERE id = 1', `${notWellFormed}Expected data manipulation`],
    [`SELECT * FROM "Hash" WHERE attribute_exists(m.inner)`, `${notWellFormed}Invalid path dot component`],
    ['SELECT pk FROM Hash LIMIT 5', invalid('Unsupported clause: LIMIT at 1:27:1')],
    [`SELECT pk FROM Hash WHERE pk = 'a'; SELECT pk FROM Hash`, expect.stringContaining('Unexpected token')],
    [`FROM "Hash-never-created" WHERE pk = 'x' SET c = 1`, 'ResourceNotFoundException: Requested resource not found'],
    [`SELECT * FROM "" WHERE pk = 'p'`, invalid('Path component cannot be an empty string')],
    [`SELECT * FROM "Indexed"."" WHERE pk = 'p'`, invalid('Path component cannot be an empty string')],
    [
      `SELECT * FROM "Indexed"."gsi"."x" WHERE pk = 'p'`,
      invalid('A path may contain at most 2 components in the FROM clause'),
    ],
    [`SELECT s, s FROM "Hash" WHERE pk = 'a'`, invalid('Duplicate identifiers in select clause: s')],
    [`SELECT * FROM "Hash" WHERE pk = ?`, invalid("Number of parameters in request and statement don't match.")],
  ])('%s', async (statement, expected) => {
    expect(await client.problem(statement)).toEqual(expected);
  });
});

describe('values in statements', () => {
  it.each(['7.31E6', '7.31e+6', '731e4', '73100000e-1', '7310000', '-(-7310000)', '+ 7310000', '- - 7310000'])(
    'the number %s',
    async (literal) => {
      await client.put('Number', { pk: N(7_310_000) });
      expect(await client.items(`SELECT * FROM "Number" WHERE pk = ${literal}`)).toHaveLength(1);
    },
  );

  it('numbers may begin with the point', async () => {
    await client.items(`INSERT INTO "Number" VALUE {'pk': .7325e1, 'a': -.5}`);
    expect(await client.get('Number', { pk: N('7.325') })).toEqual({ pk: N('7.325'), a: N('-0.5') });
  });

  it('every kind of literal is stored as what it is', async () => {
    await client.items(
      `INSERT INTO "Composite" VALUE {'pk':'literals', 'sk':'1', 'a':1E3, 'b':-1.5e-3, 'c':2.50, 'd':-0, 'q':'it''s here',
        'm': {'x': {'y': [1, 'two', null, true]}}, 'ns': <<1,34,4.5>>, 'ss': <<'b', 'a'>>, 'no': FALSE, 'e': [], 'f': {}}`,
    );
    expect(await client.get('Composite', { pk: S('literals'), sk: S('1') })).toEqual({
      pk: S('literals'),
      sk: S('1'),
      a: N(1000),
      b: N('-0.0015'),
      c: N('2.5'),
      d: N(0),
      q: S("it's here"),
      m: { M: { x: { M: { y: { L: [N(1), S('two'), { NULL: true }, { BOOL: true }] } } } } },
      ns: { NS: expect.arrayContaining(['1', '34', '4.5']) },
      ss: { SS: expect.arrayContaining(['a', 'b']) },
      no: { BOOL: false },
      e: { L: [] },
      f: { M: {} },
    });
  });

  const insert = (value: string): string => `INSERT INTO "Composite" VALUE {'pk':'bag', 'sk':'1', 's':${value}}`;
  it.each([
    [insert('<<>>'), 'Empty bags are not supported'],
    [insert(`<<1, 'a'>>`), 'Unsupported data type in Bag. DynamoDB only supports either numbers or strings in bags'],
    [insert(`<<'a', 'a'>>`), 'One or more parameter values were invalid: Input collection [a, a] contains duplicates.'],
    [
      insert('<<2, 2.0>>'),
      'One or more parameter values were invalid: Input collection [2, 2.0] contains duplicates! under root',
    ],
    [
      `UPDATE "Composite" SET d = ${"{'a':".repeat(32)}1${'}'.repeat(32)} WHERE pk='nested' AND sk='1'`,
      `Nesting Levels have exceeded supported limits under root${'.a'.repeat(32)}`,
    ],
    [
      `UPDATE "Composite" SET d = {'a':${'['.repeat(31)}1${']'.repeat(31)}} WHERE pk='nested' AND sk='1'`,
      `Nesting Levels have exceeded supported limits under root.a${'[0]'.repeat(31)}`,
    ],
  ])('%s', async (statement, expected) => {
    expect(await client.problem(statement)).toBe(invalid(expected));
  });

  it('31 levels around a value are accepted', async () => {
    const deep = `${"{'a':".repeat(31)}1${'}'.repeat(31)}`;
    expect(await client.problem(`INSERT INTO "Composite" VALUE {'pk':'nested','sk':'1','d':${deep}}`)).toBe('accepted');
  });

  it('parameters represent whole values, not parts of literals', async () => {
    const update = `UPDATE "Composite" SET x = [?] WHERE pk='literals' AND sk='1'`;
    expect(await client.problem(update, S('v'))).toBe(
      invalid(`Unsupported data type: Parameter under key root[0] at ${at(update, '?')}`),
    );
    const nested = `INSERT INTO "Composite" VALUE {'pk':'p','sk':'1','m':{'k':?}}`;
    expect(await client.problem(nested, S('v'))).toBe(
      invalid(`Unsupported data type: Parameter under key root.k at ${at(nested, '?')}`),
    );
    expect(await client.items(`INSERT INTO "Composite" VALUE {'pk':?,'sk':'1','n':1}`, S('params'))).toEqual([]);
    expect(await client.items(`SELECT sk FROM "Composite" WHERE pk='params' AND n IN [?, 2]`, N(1))).toHaveLength(1);
  });

  const invalidNumber = 'The parameter cannot be converted to a numeric value';
  it.each([
    [{ N: '1e99999999999' }, `${invalidNumber}: 1e99999999999`],
    [{ N: '1e2147483648' }, `${invalidNumber}: 1e2147483648`],
    [
      { N: '1e2147483647' },
      'Number underflow. Attempting to store a number with magnitude smaller than supported range',
    ],
    [{ N: '' }, invalidNumber],
    [{ L: [{ N: '1' }, { N: 'abc' }] }, `${invalidNumber}: abc`],
    [{ NS: ['1', 'abc'] }, `${invalidNumber}: abc`],
    [{ SS: ['a', 'a'] }, 'One or more parameter values were invalid: Input collection [a, a] contains duplicates.'],
    [
      { NULL: false },
      'One or more parameter values were invalid: Null attribute value types must have the value of true',
    ],
  ])('a parameter %j is refused before the statement is read', async (parameter, expected) => {
    expect(await client.problem('UPDATE "Hash" SET WHERE', parameter)).toBe(invalid(expected));
    expect(await client.problem(`SELECT * FROM "Composite" WHERE pk = ?`, parameter)).toBe(invalid(expected));
  });
});

describe('SELECT', () => {
  beforeAll(async () => {
    await client.put(
      'Hash',
      {
        pk: S('item'),
        ss: { SS: ['a', 'b', 'c'] },
        s: S('str'),
        m: { M: { sub: S('x'), k: { L: [S('c')] } } },
        l: { L: [S('a'), S('b')] },
        nul: { NULL: true },
        flag: { BOOL: true },
        n: N(5),
      },
      { pk: S('other'), n: N(7) },
    );
  });

  const matching = (condition: string, ...parameters: readonly object[]): Promise<readonly Item[]> =>
    client.items(`SELECT pk FROM "Hash" WHERE pk = 'item' AND ${condition}`, ...parameters);

  it.each([
    ['attribute_exists(ss)', 1],
    ['attribute_exists(nope)', 0],
    ['attribute_not_exists(nope)', 1],
    ['NOT attribute_exists(nope)', 1],
    ['ATTRIBUTE_EXISTS(ss)', 1],
    ['(attribute_exists(nope) OR attribute_exists(ss))', 1],
    ['attribute_exists("ss")', 1],
    ['attribute_exists(m.sub)', 1],
    ['attribute_exists(m.nope)', 0],
    ['attribute_exists(l[1])', 1],
    ['size(s) = 3', 1],
    ['size(s) = 4', 0],
    ["attribute_type(ss, 'SS')", 1],
    ["attribute_type(ss, 'S')", 0],
    ['nul IS NULL', 1],
    ['s IS NULL', 0],
    ['s IS NOT NULL', 1],
    ['nul IS NOT NULL', 0],
    ['absent IS NULL', 0],
    ['absent IS NOT NULL', 1],
    ['absent IS MISSING', 1],
    ['s IS MISSING', 0],
    ['s IS NOT MISSING', 1],
    ['flag IS BOOL', 1],
    ['s IS STRING', 1],
    ['s IS BOOL', 0],
    ['m IS TUPLE', 1],
    ["contains(ss, 'a')", 1],
    ["begins_with(s, 'st')", 1],
    ["NOT begins_with(s, 'st')", 0],
    ['n BETWEEN - 2 AND +5', 1],
    ['n NOT BETWEEN 1 AND 4', 1],
    ['n IN [1, 5]', 1],
    ['n IN (1, 5)', 1],
    ['n NOT IN [1, 5]', 0],
    ['n != 4', 1],
    ['n>-5', 1],
    // Conditions can be compared as booleans.
    ['attribute_exists(nope) = false', 1],
    ['true = attribute_exists(n)', 1],
    ['attribute_exists(n) <> 1', 1],
    ["contains(nope, 'z') = false", 1],
    ['(n BETWEEN 0 AND 5) = true', 1],
    ["(n = 4 OR s = 'x') = false", 1],
    ['attribute_exists(nope) IN [true, false]', 1],
    ['attribute_exists(n) = attribute_exists(flag)', 1],
    ['attribute_exists(n) = flag', 1],
    ['attribute_exists(n) = 1', 0],
    ['NOT attribute_exists(n) = true', 0],
    ['(attribute_exists(n) = true) = false', 0],
    ['attribute_exists(n) = s', 0],
  ])('WHERE %s', async (condition, count) => {
    expect(await matching(condition)).toHaveLength(count);
  });

  it.each([
    [{ SS: ['c', 'a', 'b'] }, 'ss', true],
    [{ SS: ['a', 'b', 'd'] }, 'ss', false],
    [{ L: [S('a'), S('b')] }, 'l', true],
    [{ L: [S('b'), S('a')] }, 'l', false],
    [{ NULL: true }, 'nul', true],
  ])('compares documents: %j', async (value, name, equal) => {
    expect(await matching(`${name} = ?`, value)).toHaveLength(equal ? 1 : 0);
    expect(await matching(`${name} <> ?`, value)).toHaveLength(equal ? 0 : 1);
  });

  const operandType = (operator: string, type: string): string =>
    invalid(
      `Incorrect operand type for operator or function; operator or function: ${operator}, operand type: ${type}`,
    );
  const where = (condition: string): string => `SELECT * FROM "Hash" WHERE pk = 'item' AND ${condition}`;
  it.each<[statement: string, expected: string, parameter?: object]>([
    [where('val < ?'), operandType('<', 'BOOL'), { BOOL: true }],
    [where('val BETWEEN ? AND 5'), operandType('BETWEEN', 'BOOL'), { BOOL: true }],
    [where('val >= ?'), operandType('>=', 'SS'), { SS: ['a'] }],
    [where('attribute_exists(n) > false'), operandType('>', 'BOOL')],
    [where('attribute_type(l, 1)'), operandType('attribute_type', 'N')],
    [
      where("attribute_exists('ss')"),
      invalid('Operator or function requires a document path; operator or function: attribute_exists'),
    ],
    [
      where('attribute_exists(?)'),
      invalid('Operator or function requires a document path; operator or function: attribute_exists'),
      S('ss'),
    ],
    [
      where('attribute_exists()'),
      invalid(
        'Incorrect number of operands for operator or function; operator or function: attribute_exists, number of operands: 0',
      ),
    ],
    [
      where('attribute_exists(ss, ns)'),
      invalid(
        'Incorrect number of operands for operator or function; operator or function: attribute_exists, number of operands: 2',
      ),
    ],
    [where('EXISTS(ss)'), invalid(`Unrecognized function: exists at ${at(where('EXISTS(ss)'), 'EXISTS')}`)],
    [
      where("set_add(ss, <<'x'>>) = ss"),
      invalid(`Unrecognized function: set_add at ${at(where("set_add(ss, <<'x'>>) = ss"), 'set_add')}`),
    ],
    [
      where("attribute_type(n, 'X')"),
      invalid('Invalid attribute type name found; type: X, valid types: {N,BS,L,B,NULL,M,S,SS,NS,BOOL}'),
    ],
    [
      where(`n IN [${'1,'.repeat(100)}1]`),
      invalid('The IN operator is provided with too many operands; number of operands: 101'),
    ],
    [`SELECT attribute_exists(ss) FROM "Hash" WHERE pk = 'item'`, invalid('Unexpected path component at 1:8:16')],
    [`SELECT COUNT(*) FROM "Hash"`, invalid('Unexpected path component at 1:8:5')],
    [
      `SELECT l[-1] FROM "Hash" WHERE pk='item'`,
      invalid('List index is not within the allowable range; index: [-1] at 1:11:1'),
    ],
    [
      `SELECT l[2147483648] FROM "Hash" WHERE pk='item'`,
      invalid('List index is not within the allowable range; index: [2147483648] at 1:10:10'),
    ],
    [
      'SELECT pk FROM Hash WHERE pk = 1',
      invalid("Key attribute's data type should match its data type in table's schema: Key pk"),
    ],
    [
      'SELECT pk FROM Hash WHERE pk = true',
      invalid('The key attribute pk must be of type S, N or B, and is of type BOOL'),
    ],
  ])('%s', async (statement, expected, parameter) => {
    const parameters = parameter === undefined ? [] : [parameter];
    expect(await client.problem(statement, ...parameters)).toBe(expected);
  });

  it.each([
    ['SELECT m.sub FROM', { sub: S('x') }],
    ['SELECT m.k[0], l[-0] FROM', { 'k[0]': S('c'), 'l[0]': S('a') }],
    ['SELECT "m.sub", n FROM', { n: N(5) }],
    ['SELECT absent FROM', {}],
    ['select n -- the number\n/* of\nit */ from', { n: N(5) }],
    ["SELECT m['sub'] FROM", { sub: S('x') }],
  ])('%s', async (select, expected) => {
    expect(await client.items(`${select} Hash WHERE pk = 'item';`)).toEqual([expected]);
  });

  it('reads without a key condition are scans with a filter', async () => {
    expect(await client.items(`SELECT pk FROM "Hash" WHERE attribute_exists(m.sub)`)).toEqual([{ pk: S('item') }]);
    expect(await client.items(`SELECT pk FROM Hash WHERE pk > 'it' AND n > 6`)).toEqual([{ pk: S('other') }]);
    expect(await client.problem('SELECT * FROM "Hash" WHERE pk > 1')).toBe('accepted');
  });

  it('a missing item is not an item', async () => {
    expect((await client.answer(`SELECT * FROM "Hash" WHERE pk = 'absent'`)).Items).toEqual([]);
  });
});

describe('reads by key', () => {
  beforeAll(async () => {
    await client.put(
      'Composite',
      { pk: S('ranges'), sk: S('1'), flag: S('one') },
      { pk: S('ranges'), sk: S('2'), flag: S('two') },
      { pk: S('o'), sk: S('1') },
      { pk: S('o'), sk: S('2') },
      { pk: S('o'), sk: S('3') },
      { pk: S('p'), sk: S('1') },
      { pk: S('p'), sk: S('2') },
      { pk: S('p'), sk: S('3') },
    );
    for (const sk of [1, 2, 3, 10]) await client.put('Sorted', { pk: S('x'), sk: N(sk) });
  });

  const overlapping = 'Overlapping conditions with range keys are not supported in where clause';
  const keys = async (where: string): Promise<readonly string[]> =>
    (await client.items(`SELECT pk, sk FROM "Composite" WHERE ${where}`)).map(
      (item) => `${(item['pk'] as { S: string }).S}/${(item['sk'] as { S: string }).S}`,
    );

  it.each([
    [`pk='ranges' AND (sk='1' OR sk='2')`, ['ranges/1', 'ranges/2']],
    [`pk='ranges' AND sk IN ['1','2']`, ['ranges/1', 'ranges/2']],
    [`pk='ranges' AND (sk < '1' OR sk > '1' OR sk='1')`, ['ranges/1', 'ranges/2']],
    [`pk='ranges' AND attribute_exists(pk)`, ['ranges/1', 'ranges/2']],
    [`pk='ranges' AND NOT sk='1'`, ['ranges/2']],
    [`pk='ranges' AND sk <> '1'`, ['ranges/2']],
    [`pk='ranges' AND sk > '0' AND sk <> '1'`, ['ranges/2']],
    [`pk='ranges' AND sk='1' AND sk > '0'`, ['ranges/1']],
    [`pk='ranges' AND sk='1' AND sk > '1'`, []],
    [`'ranges' = pk AND '2' <= sk`, ['ranges/2']],
    [`pk='ranges' AND flag='two'`, ['ranges/2']],
    [`pk='ranges' AND sk='1' AND flag='two'`, []],
    [`pk IN ['p', 'ranges'] AND sk = '2'`, ['p/2', 'ranges/2']],
    [`(pk='o' AND sk > '2') OR (pk='p' AND begins_with(sk, '1'))`, ['o/3', 'p/1']],
    // A branch with a negated condition on the sort key may overlap with others.
    [`pk = 'o' AND NOT sk = '1' OR pk = 'o' AND sk = '2'`, ['o/2', 'o/3']],
    [`pk = 'o' AND sk <> '1' OR pk = 'o' AND sk = '2'`, ['o/2', 'o/3']],
    [`pk = 'o' AND NOT begins_with(sk, 'x') OR pk = 'o' AND sk = '2'`, ['o/1', 'o/2', 'o/3']],
    [`pk = 'o' AND NOT sk IN ['1', '3'] OR pk = 'o' AND sk = '2'`, ['o/2']],
    [`pk = 'o' OR pk = 'o' AND NOT sk = '1'`, ['o/1', 'o/2', 'o/3']],
    [`pk = 'o' AND pk = 'p'`, []],
    [`pk = 'o' ORDER BY sk DESC`, ['o/3', 'o/2', 'o/1']],
    [`pk = 'o' ORDER BY sk`, ['o/1', 'o/2', 'o/3']],
    [`pk = 'o' ORDER BY pk ASC`, ['o/3', 'o/2', 'o/1']],
    [`pk IN ['o', 'p'] ORDER BY pk DESC, sk ASC`, ['p/1', 'p/2', 'p/3', 'o/1', 'o/2', 'o/3']],
    [`pk IN ['o', 'p'] ORDER BY pk DESC`, ['p/3', 'p/2', 'p/1', 'o/3', 'o/2', 'o/1']],
    [`pk = 'o' AND sk IN ['3', '1'] ORDER BY sk DESC`, ['o/3', 'o/1']],
  ])('WHERE %s', async (where, expected) => {
    expect(await keys(where)).toEqual(expected);
  });

  it('numbers sort as numbers', async () => {
    const items = await client.items(`SELECT sk FROM "Sorted" WHERE pk = 'x' AND sk > 1 ORDER BY sk DESC`);
    expect(items).toEqual([{ sk: N(10) }, { sk: N(3) }, { sk: N(2) }]);
  });

  const values = (count: number): string => Array.from({ length: count }, (_, index) => `'v${index}'`).join(',');
  const tooMany = 'Too many decomposed read operations for a given query.';
  it.each([
    [`pk IN ['ranges','ranges']`, overlapping],
    [`pk='ranges' OR pk='ranges'`, overlapping],
    [`pk='ranges' AND (sk > '0' OR sk < '5')`, overlapping],
    [`pk='ranges' AND (sk='1' OR flag='two')`, overlapping],
    [`(pk='ranges' AND flag='one') OR (pk='ranges' AND flag='two')`, overlapping],
    [`pk = 'a' AND x = '1' OR pk = 'a' AND sk = '2'`, overlapping],
    [`pk = 'a' AND x <> '1' OR pk = 'a' AND sk = '2'`, overlapping],
    [`pk = 1 OR pk = 'ranges'`, "Key attribute's data type should match its data type in table's schema: Key pk"],
    [
      `pk = 'ranges' AND sk IN ['1', 2]`,
      "Key attribute's data type should match its data type in table's schema: Key sk",
    ],
    [`pk IN [${values(51)}]`, tooMany],
    [`pk='ranges' AND sk IN [${values(51)}]`, tooMany],
    [`pk IN [${values(26)}] AND sk IN ['1','2']`, tooMany],
    [`pk IN [${values(50)}] AND flag IN [${values(100)}]`, undefined],
    [`pk IN [${values(51)}] OR flag='one'`, undefined],
    [`pk='ranges' OR sk='1'`, undefined],
  ])('WHERE %s: %s', async (where, expected) => {
    const problem = await client.problem(`SELECT sk FROM "Composite" WHERE ${where}`);
    expect(problem).toBe(expected === undefined ? 'accepted' : invalid(expected));
  });

  it.each([
    ['ORDER BY sk', 'Must have WHERE clause in the statement when using ORDER BY clause.'],
    [`WHERE pk = 'o' ORDER BY Total DESC`, 'Attribute Total in ORDER BY clause must be part of the primary key'],
    [
      `WHERE pk > 'a' ORDER BY sk`,
      'Must have at least one non-optional hash key condition in WHERE clause when using ORDER BY clause.',
    ],
    [
      `WHERE pk IN ['o', 'p'] ORDER BY sk DESC`,
      'Must have hash key in ORDER BY clause when more than one hash key condition specified in WHERE clause.',
    ],
  ])('%s', async (rest, expected) => {
    expect(await client.problem(`SELECT sk FROM "Composite" ${rest}`)).toBe(invalid(expected));
  });
});

describe('pages', () => {
  const select = `SELECT sk FROM "Composite" WHERE pk IN ['o', 'p'] ORDER BY pk DESC`;

  it('a page ends at the limit, and the next continues from there', async () => {
    const first = await client.answer(select, { Limit: 2 });
    expect(first.Items).toEqual([{ sk: S('3') }, { sk: S('2') }]);
    const second = await client.answer(select, { Limit: 2, NextToken: first.NextToken, ConsistentRead: true });
    expect(second.Items).toEqual([{ sk: S('1') }, { sk: S('3') }]);
    const third = await client.answer(select, { NextToken: second.NextToken });
    expect(third.Items).toEqual([{ sk: S('2') }, { sk: S('1') }]);
    expect(third.NextToken).toBeUndefined();
  });

  it('the limit counts what is read, not what is found', async () => {
    const page = await client.answer(`SELECT sk FROM "Composite" WHERE pk = 'o' AND nope = 1`, { Limit: 2 });
    expect(page.Items).toEqual([]);
    expect(page.NextToken).toBeDefined();
    expect(page.LastEvaluatedKey).toEqual({ pk: S('o'), sk: S('2') });
  });

  it('any page size finds the same items', async () => {
    const all = await client.items(`SELECT pk, sk FROM "Composite"`);
    for (const limit of [1, 2, 3, 7]) {
      const found: Item[] = [];
      let NextToken: string | undefined;
      do {
        const page = await client.answer(`SELECT pk, sk FROM "Composite"`, {
          Limit: limit,
          ...(NextToken && { NextToken }),
        });
        found.push(...page.Items);
        ({ NextToken } = page);
      } while (NextToken !== undefined);
      expect(found).toEqual(all);
    }
  });

  it('a page of many keys reads ten of them', async () => {
    const keys = Array.from({ length: 23 }, (_, index) => ({
      pk: S(`many${String(index).padStart(2, '0')}`),
      sk: S('1'),
    }));
    await client.put('Composite', ...keys);
    const many = `SELECT * FROM "Composite" WHERE pk IN [${keys.map(({ pk }) => `'${pk.S}'`).join(',')}] AND sk = '1'`;
    const first = await client.answer(many);
    expect(first.Items).toEqual(keys.slice(0, 10));
    expect(await client.items(many)).toEqual(keys);
  });

  it('a token is good for its statement and parameters only, and for what it was made of', async () => {
    const { NextToken } = await client.answer(`SELECT * FROM "Composite" WHERE pk = ?`, {
      Parameters: [S('o')],
      Limit: 1,
    });
    const send = (statement: string, more: object): Promise<unknown> => client.answer(statement, more);
    const mismatch = 'NextToken does not match request';
    await expect(send(select, { NextToken })).rejects.toThrow(mismatch);
    await expect(send(`SELECT * FROM "Composite" WHERE pk = ?`, { Parameters: [S('p')], NextToken })).rejects.toThrow(
      mismatch,
    );
    for (const token of ['garbage', 'x'.repeat(1000), `${NextToken}A`, `A${NextToken}`]) {
      await expect(
        send(`SELECT * FROM "Composite" WHERE pk = ?`, { Parameters: [S('o')], NextToken: token }),
      ).rejects.toThrow('Invalid NextToken');
    }
    const bytes = Buffer.from(NextToken ?? '', 'base64');
    for (let index = 17; index < bytes.length; index += 1) {
      const altered = Buffer.from(bytes);
      altered[index] = (altered[index] ?? 0) ^ 1;
      await expect(
        send(`SELECT * FROM "Composite" WHERE pk = ?`, { Parameters: [S('o')], NextToken: altered.toString('base64') }),
      ).rejects.toThrow('Invalid NextToken');
    }
  });

  it('capacity counts what is read, before WHERE and columns', async () => {
    await client.put('Sorted', { pk: S('capacity'), sk: N(1), big: S('x'.repeat(9000)) });
    const answer = await client.answer(`SELECT sk FROM "Sorted" WHERE pk = 'capacity' AND nope = 1`, {
      ReturnConsumedCapacity: 'TOTAL',
      ConsistentRead: true,
    });
    expect(answer).toMatchObject({ Items: [], ConsumedCapacity: { TableName: 'Sorted', CapacityUnits: 3 } });
  });
});

describe('indexes', () => {
  beforeAll(async () => {
    await client.put(
      'Indexed',
      { pk: S('p'), sk: S('s1'), g: S('y'), h: S('1'), l: S('k1'), a: S('one'), nonproj: S('np1') },
      { pk: S('p'), sk: S('s2'), g: S('y2'), h: S('2'), l: S('k2'), a: S('two'), nonproj: S('np2') },
    );
  });

  const doesNotProject =
    'One or more parameter values were invalid: Secondary index gsi does not project one or more filter attributes: ';
  const multi =
    'PartiQL statements cannot be executed on tables with multi-attribute HASH keys or multi-attribute RANGE keys.';
  it.each([
    [`SELECT * FROM "Indexed"."nope" WHERE pk = 'p'`, 'The table does not have the specified index'],
    [`SELECT * FROM "Indexed"."Indexed" WHERE pk = 'p'`, 'The table does not have the specified index'],
    [
      `SELECT x, z FROM "Indexed"."gsi" WHERE g = 'y'`,
      'One or more parameter values were invalid: Global secondary index gsi does not project [x, z]',
    ],
    [
      `SELECT x FROM "Indexed"."gsi"`,
      'One or more parameter values were invalid: Global secondary index gsi does not project [x]',
    ],
    [`SELECT pk FROM "Indexed"."gsi" WHERE g='y' AND NOT (nonproj='np1' OR a='x')`, `${doesNotProject}[nonproj]`],
    [`SELECT pk FROM "Indexed"."gsi" WHERE g='y' AND b='1' AND (aa='2' OR a='3')`, `${doesNotProject}[aa, b]`],
    [`SELECT pk FROM "Indexed"."gsi" WHERE g='y' AND (zz='1' OR aa='2' OR mm='3')`, `${doesNotProject}[zz, aa, mm]`],
    [`SELECT pk FROM "Indexed"."gsi" WHERE (g='y' OR g='z') AND zz='1'`, `${doesNotProject}[zz]`],
    [`SELECT pk FROM "Indexed"."gsi" WHERE (g='b' AND u1='1') OR (g='q' AND u2='1')`, `${doesNotProject}[u2]`],
    [`SELECT pk FROM "Indexed"."gsi" WHERE (g='q' AND u1='1') OR (g='b' AND u2='1')`, `${doesNotProject}[u1]`],
    [
      `SELECT pk FROM "Indexed"."gsi" WHERE (g='y' AND zz='1') OR (g='y' AND aa='1')`,
      'Overlapping conditions with range keys are not supported in where clause',
    ],
    [
      `SELECT pk FROM "Indexed"."lsi" WHERE pk = 'p' AND nonproj = 'np1'`,
      'One or more parameter values were invalid: Secondary index lsi does not project one or more filter attributes: [nonproj]',
    ],
    [`SELECT * FROM "Indexed"."multi" WHERE g = 'y'`, multi],
    [`SELECT * FROM "Indexed"."multi" WHERE g = 5`, multi],
    [`SELECT COUNT(*) FROM "Indexed"."multi"`, multi],
  ])('%s', async (statement, expected) => {
    expect(await client.problem(statement)).toBe(invalid(expected));
  });

  it.each([
    `(g='y' AND a='1') OR (g='z' AND aa='1')`,
    `g > 'a' AND zz='1'`,
    `g='y' AND (g='z' OR zz='1')`,
    `(g='y' AND zz='1') OR aa='1'`,
  ])('conditions that make no read by key, or one that is served: %s', async (where) => {
    expect(await client.problem(`SELECT pk FROM "Indexed"."gsi" WHERE ${where}`)).toBe('accepted');
  });

  it.each([
    [`SELECT sk FROM "Indexed"."gsi" WHERE g = 'y'`, ['s1']],
    [`SELECT sk FROM "Indexed"."gsi" WHERE pk = 'p' AND sk = 's1'`, ['s1']],
    [`SELECT sk FROM "Indexed"."gsi" WHERE nonproj='np1'`, []],
    [`SELECT sk FROM "Indexed"."lsi" WHERE nonproj='np1'`, []],
    [`SELECT sk FROM "Indexed"."gsi" WHERE NOT nonproj='np1'`, ['s1', 's2']],
    [`SELECT sk FROM "Indexed"."gsi" WHERE (g='y' AND nonproj='np1') OR (g='y2')`, ['s2']],
    [`SELECT sk FROM "Indexed"."lsi" WHERE pk = 'p' AND l > 'k1'`, ['s2']],
    [`SELECT sk FROM "Indexed" WHERE nonproj='np1'`, ['s1']],
  ])('%s', async (statement, expected) => {
    const items = await client.items(statement);
    expect(items.map((item) => (item['sk'] as { S: string }).S).toSorted()).toEqual(expected);
  });

  it('a local index reaches back for columns, a star does not', async () => {
    const where = `FROM "Indexed"."lsi" WHERE pk = 'p' AND l = 'k1'`;
    expect(await client.items(`SELECT nonproj ${where}`)).toEqual([{ nonproj: S('np1') }]);
    expect(await client.items(`SELECT * ${where}`)).toEqual([{ pk: S('p'), sk: S('s1'), l: S('k1') }]);
  });

  it('consistent reads', async () => {
    const ConsistentRead = true;
    await expect(client.answer(`SELECT * FROM "Indexed"."all" WHERE g = 'y'`, { ConsistentRead })).rejects.toThrow(
      'Strongly consistent read is not supported on Global Secondary Indexes',
    );
    await expect(client.answer(`SELECT * FROM "Indexed"."nope" WHERE g = 'y'`, { ConsistentRead })).rejects.toThrow(
      'The table does not have the specified index',
    );
    const local = await client.answer(`SELECT * FROM "Indexed"."lsi" WHERE pk = 'p'`, { ConsistentRead });
    expect(local.Items).toHaveLength(2);
  });
});

describe('INSERT, UPDATE, DELETE', () => {
  const key = (pk: string): Item => ({ pk: S(pk) });

  it('INSERT makes an item, and only where there is none', async () => {
    const insert = `INSERT INTO "Hash" VALUE {'pk': 'new', 'data': ?}`;
    expect((await client.answer(insert, { Parameters: [S('first')] })).Items).toEqual([]);
    expect(await client.problem(insert, S('second'))).toBe(
      'DuplicateItemException: Duplicate primary key exists in table',
    );
    expect(await client.get('Hash', key('new'))).toEqual({ ...key('new'), data: S('first') });
    await client.items(`DELETE FROM "Hash" WHERE pk = 'new'`);
    expect(await client.problem(insert, S('third'))).toBe('accepted');
  });

  it('UPDATE with a false condition, or of no item, changes nothing', async () => {
    await client.put('Hash', { ...key('u'), a: N(1) });
    const failed = 'ConditionalCheckFailedException: The conditional request failed';
    expect(await client.problem(`UPDATE "Hash" SET a = 9 WHERE pk = 'u' AND a = 2`)).toBe(failed);
    expect(await client.problem(`UPDATE "Hash" SET a = 9 WHERE pk = 'absent'`)).toBe(failed);
    expect(await client.problem(`UPDATE "Hash" SET a = 9 WHERE pk = 'absent' AND attribute_not_exists(pk)`)).toBe(
      failed,
    );
    expect(await client.get('Hash', key('u'))).toEqual({ ...key('u'), a: N(1) });
    expect(await client.get('Hash', key('absent'))).toBeUndefined();
    await expect(
      client.answer(`UPDATE "Hash" SET a = 9 WHERE pk = 'u' AND a = 2`, {
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
    ).rejects.toMatchObject({ item: { ...key('u'), a: N(1) } });
  });

  it('DELETE of no item is a success, whatever the condition', async () => {
    await client.put('Hash', { ...key('d'), a: N(1) });
    expect(await client.problem(`DELETE FROM "Hash" WHERE pk = 'd' AND a = 2`)).toBe(
      'ConditionalCheckFailedException: The conditional request failed',
    );
    expect(await client.problem(`DELETE FROM "Hash" WHERE pk = 'absent' AND a = 2`)).toBe('accepted');
    expect((await client.answer(`DELETE FROM "Hash" WHERE pk = 'd' RETURNING ALL OLD *`)).Items).toEqual([
      { ...key('d'), a: N(1) },
    ]);
    expect((await client.answer(`DELETE FROM "Hash" WHERE pk = 'd' RETURNING ALL OLD *`)).Items).toEqual([]);
  });

  it('SET and REMOVE with all that they can say', async () => {
    await client.put('Composite', {
      pk: S('dt'),
      sk: S('1'),
      NumberType: N(1),
      MapType: { M: { entry: S('value') } },
      ListType: { L: [N(1), S('stringval')] },
      NumberSetType: { NS: ['1', '34'] },
      StringSetType: { SS: ['s1', 's2'] },
    });
    await client.items(
      `UPDATE "Composite" SET NumberType=NumberType + 100 SET MapType.NewMapEntry=[2020, 'stringvalue', 2.4]
         SET ListType = LIST_APPEND(ListType, [4, <<'string1', 'string2'>>])
         SET NumberSetType= SET_ADD(NumberSetType, <<345, 48.4>>) SET StringSetType = SET_ADD(StringSetType, <<'s3'>>)
         WHERE pk='dt' AND sk='1'`,
    );
    await client.items(
      `UPDATE "Composite" SET NumberType=NumberType - - 1, Copy = MapType.entry REMOVE ListType[1] REMOVE MapType.NewMapEntry
         SET NumberSetType = SET_DELETE( NumberSetType, <<345>>) SET StringSetType = SET_DELETE( StringSetType, ?)
         WHERE (pk='dt' AND sk='1') AND NumberType = 101`,
      { SS: ['s1', 's2', 's3'] },
    );
    expect(await client.get('Composite', { pk: S('dt'), sk: S('1') })).toEqual({
      pk: S('dt'),
      sk: S('1'),
      NumberType: N(102),
      Copy: S('value'),
      MapType: { M: { entry: S('value') } },
      ListType: { L: [N(1), N(4), { SS: expect.arrayContaining(['string1', 'string2']) }] },
      NumberSetType: { NS: expect.arrayContaining(['1', '34', '48.4']) },
    });
  });

  it('FROM … WHERE … SET is an UPDATE', async () => {
    await client.put('Hash', { ...key('ff'), a: N(1), b: S('bee') });
    const answer = await client.answer(`from "Hash" where pk = 'ff' AND a = 1 set c = 2 REMOVE b RETURNING ALL NEW *`);
    expect(answer.Items).toEqual([{ ...key('ff'), a: N(1), c: N(2) }]);
  });

  it.each([
    ["SET data = 'new'", 'ALL OLD', { data: S('old'), keep: S('same') }],
    ["SET data = 'new'", 'ALL NEW', { data: S('new'), keep: S('same') }],
    ["SET data = 'new'", 'MODIFIED OLD', { data: S('old') }],
    ["SET data = 'new'", 'MODIFIED NEW', { data: S('new') }],
    ['REMOVE data', 'MODIFIED OLD', { data: S('old') }],
    ['REMOVE data', 'MODIFIED NEW', undefined],
    ['SET fresh = 1', 'MODIFIED OLD', undefined],
    [`SET tags[2] = 'y', tags[0] = 'x'`, 'MODIFIED NEW', { tags: { L: [S('x'), S('y')] } }],
    [`SET tags[2] = 'y', tags[0] = 'x'`, 'MODIFIED OLD', { tags: { L: [S('a'), S('c')] } }],
    [`SET tags[9] = 'z'`, 'MODIFIED NEW', undefined],
    ['REMOVE tags[1]', 'MODIFIED NEW', { tags: { L: [S('c')] } }],
    [`SET profile.sub = 'new'`, 'MODIFIED NEW', { profile: { M: { sub: S('new') } } }],
  ])('%s RETURNING %s *', async (actions, returning, expected) => {
    await client.put('Hash', {
      ...key('r'),
      data: S('old'),
      keep: S('same'),
      ...(actions.includes('tags') && { tags: { L: [S('a'), S('b'), S('c')] } }),
      ...(actions.includes('profile') && { profile: { M: { sub: S('old'), sib: S('keep') } } }),
    });
    const { Items } = await client.answer(`UPDATE "Hash" ${actions} WHERE pk = 'r' RETURNING ${returning} *`);
    const whole = returning.startsWith('ALL') ? key('r') : {};
    expect(Items).toEqual(expected === undefined ? [] : [{ ...whole, ...expected }]);
  });

  const noKey = 'Where clause does not contain a mandatory equality on all key attributes';
  const update = (set: string): string => `UPDATE "Hash" SET ${set} WHERE pk = 'sets'`;
  const deleteReturning = (clause: string): [string, string] => [
    `DELETE FROM "Hash" WHERE pk = 'x' RETURNING ${clause}`,
    `Invalid returning clause: RETURNING ${clause}. Only RETURNING ALL OLD * is allowed in DELETE statements.`,
  ];
  const wrongType = 'An operand in the update expression has an incorrect data type';
  it.each<[string, string]>([
    deleteReturning('MODIFIED OLD *'),
    deleteReturning('ALL NEW *'),
    deleteReturning('MODIFIED NEW *'),
    [`DELETE FROM "Hash" WHERE "name" = 'alpha'`, noKey],
    [`DELETE FROM "Hash"`, noKey],
    [`UPDATE "Composite" SET a = 1 WHERE pk = 'x'`, noKey],
    [`UPDATE "Composite" SET a = 1 WHERE pk IN ['x'] AND sk = '1'`, noKey],
    [
      `UPDATE "Composite" SET a = 1 WHERE pk = 'x' AND sk = '1' AND pk = 'y'`,
      'Multiple conditions on same key pk. Only single item Update/Insert/Delete are supported',
    ],
    [
      `UPDATE "Hash" SET newlist[0] = 'x' WHERE pk = 'sets'`,
      'The document path provided in the update expression is invalid for update',
    ],
    [
      `UPDATE "Hash" SET pk = 'x' WHERE pk = 'sets'`,
      'One or more parameter values were invalid: Cannot update attribute pk. This attribute is part of the key',
    ],
    [
      update("t = set_add(ss, <<'x'>>)"),
      `The first argument to SET_ADD must equal the assignment value at ${at(update("t = set_add(ss, <<'x'>>)"), 'set_add')}`,
    ],
    [
      update("ss = set_add(<<'a'>>, <<'b'>>)"),
      `The first argument to SET_ADD must equal the assignment value at ${at(update("ss = set_add(<<'a'>>, <<'b'>>)"), 'set_add')}`,
    ],
    [
      update("ss = set_add(ss, 'x')"),
      `The second argument to SET_ADD must be a value with type SET at ${at(update("ss = set_add(ss, 'x')"), 'ss', 30)}`,
    ],
    [
      update("ss = set_delete(ss, ['x'])"),
      `The second argument to SET_DELETE must be a value with type SET at ${at(update("ss = set_delete(ss, ['x'])"), 'ss', 30)}`,
    ],
    [
      update('ss = set_add(ss)'),
      `SET_ADD must have exactly two arguments at ${at(update('ss = set_add(ss)'), 'set_add')}`,
    ],
    [
      update("ss = set_add(ss, <<'x'>>, <<'y'>>)"),
      `SET_ADD must have exactly two arguments at ${at(update("ss = set_add(ss, <<'x'>>, <<'y'>>)"), 'set_add')}`,
    ],
    [update('ss = set_add(ss, <<1>>)'), wrongType],
    [update("s = set_add(s, <<'x'>>)"), wrongType],
    [update('ss = set_delete(ss, <<1>>)'), wrongType],
    [
      update("ss = set_add(ss, <<'x', 'x'>>)"),
      'One or more parameter values were invalid: Input collection [x, x] contains duplicates.',
    ],
    [update('ss = set_add(ss, <<>>)'), 'Empty bags are not supported'],
    [
      update('n = list_append(n, [1])'),
      'The provided expression refers to an attribute that does not exist in the item',
    ],
    [
      update("n = 'a' + 1") + " AND nope = 'x'",
      'Incorrect operand type for operator or function; operator or function: +, operand type: S',
    ],
    [
      update('n = n - null'),
      'Incorrect operand type for operator or function; operator or function: -, operand type: NULL',
    ],
    [update('n = n--1'), noKey],
    [
      `INSERT INTO "Hash" VALUE {'pk': 'x', 'ss': set_add(<<'a'>>, <<'b'>>)}`,
      `Unsupported data type: set_add under key root at ${at(`INSERT INTO "Hash" VALUE {'pk': 'x', 'ss': set_add(<<'a'>>, <<'b'>>)}`, 'set_add')}`,
    ],
    [`INSERT INTO "Composite" VALUE {'pk': 'x'}`, 'The item lacks the key attribute sk'],
    [
      `UPDATE "Composite" SET a = 1 WHERE pk = 'x' AND sk = 1`,
      "Key attribute's data type should match its data type in table's schema: Key sk",
    ],
    [
      `EXISTS(SELECT * FROM "Hash" WHERE pk = 'x' AND a IS MISSING)`,
      'EXISTS can only be used in ExecuteTransaction write requests.',
    ],
  ])('%s', async (statement, expected) => {
    await client.put('Hash', { ...key('sets'), ss: { SS: ['a', 'b'] }, s: S('str') });
    expect(await client.problem(statement)).toBe(invalid(expected));
  });

  it('places are lines and columns', async () => {
    const statement = `UPDATE "Hash"\nSET BandMembers = set_add(BandMembers, 'x')\nWHERE pk='sets'`;
    expect(await client.problem(statement)).toBe(
      invalid('The second argument to SET_ADD must be a value with type SET at 2:27:11'),
    );
  });

  it('an item may not get too deep, or too large', async () => {
    await client.put('Hash', { ...key('deep'), m: { M: {} } });
    let value: object = S('x');
    for (let level = 0; level < 31; level += 1) value = { M: { a: value } };
    expect(await client.problem(`UPDATE "Hash" SET m.deep = ? WHERE pk='deep'`, value)).toBe(
      invalid('Nesting Levels have exceeded supported limits'),
    );
    const large = S('x'.repeat(409_600));
    expect(await client.problem(`INSERT INTO "Hash" VALUE {'pk':'large','a':?}`, large)).toBe(
      invalid('Item size has exceeded the maximum allowed size'),
    );
    expect(await client.problem(`UPDATE "Hash" SET a = ? WHERE pk='deep'`, large)).toBe(
      invalid('Item size to update has exceeded the maximum allowed size'),
    );
  });
});
