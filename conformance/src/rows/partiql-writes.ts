import { matching, unordered } from '../matchers.ts';
import type { Row } from '../row.ts';
import { row } from '../row.ts';
import { docs } from '../sources.ts';
import { get } from '../steps.ts';
import { hashTable, rangeTable } from '../tables.ts';
import { L, M, N, NS, nestedMap, S, SS } from '../values.ts';
import type { WireItem } from '../values.ts';
import { execute, executeWith, found, PARTIQL_2026, PARTIQL_FLOCI_2026 } from './partiql-notation.ts';

const key = { pk: S('x') };
const wrongType = 'An operand in the update expression has an incorrect data type';

/** What RETURNING answers after actions on an item. */
function returning(
  id: string,
  before: WireItem,
  actions: string,
  answers: Readonly<Record<string, WireItem | undefined>>,
): Row {
  return row(`partiql-writes/returning-${id}`, 'DB-139', PARTIQL_2026, {
    tables: Object.fromEntries(Object.keys(answers).map((_, at) => ['TUV'.charAt(at), hashTable])),
    itemsOf: Object.fromEntries(Object.keys(answers).map((_, at) => ['TUV'.charAt(at), [{ ...key, ...before }]])),
    steps: Object.entries(answers).map(([clause, item], at) =>
      execute(`UPDATE "$${'TUV'.charAt(at)}" ${actions} WHERE pk = 'x' RETURNING ${clause} *`).gives(
        found(...(item === undefined ? [] : [item])),
      ),
    ),
  });
}

const tags = { tags: L(S('a'), S('b'), S('c')) };

export const partiqlWriteRows: readonly Row[] = [
  row('partiql-writes/insert', 'DB-139', PARTIQL_2026, {
    table: hashTable,
    steps: [
      execute(`INSERT INTO "$T" VALUE {'pk': 'x', 'data': ?}`, S('first')).gives(found()),
      execute(`INSERT INTO "$T" VALUE {'pk': 'x', 'data': 'second'}`).fails(
        'DuplicateItemException',
        'Duplicate primary key exists in table',
      ),
      get(key).gives({ Item: { ...key, data: S('first') } }),
      execute(`DELETE FROM "$T" WHERE pk = 'x'`).gives(found()),
      execute(`DELETE FROM "$T" WHERE pk = 'x'`).gives(found()),
      execute(`INSERT INTO "$T" VALUE {'pk': 'x'}`).gives(found()),
    ],
  }),
  row('partiql-writes/literals', 'DB-139', PARTIQL_FLOCI_2026, {
    table: hashTable,
    steps: [
      execute(
        `INSERT INTO "$T" VALUE {'pk':'x', 'a':1E3, 'b':-1.5e-3, 'c':2.50, 'd':-0, 'q':'it''s', 'l':[1,'two'], 'm':{'k':'v'}, 'ns':<<1,4.5>>, 'ss':<<'s'>>}`,
      ).gives(found()),
      get(key).gives({
        Item: {
          ...key,
          a: N(1000),
          b: N('-0.0015'),
          c: N('2.5'),
          d: N(0),
          q: S("it's"),
          l: L(N(1), S('two')),
          m: M({ k: S('v') }),
          ns: NS(1, 4.5),
          ss: SS('s'),
        },
      }),
      execute(`INSERT INTO "$T" VALUE {'pk':'y', 's':<<1, 'a'>>}`).invalid(
        'Unsupported data type in Bag. DynamoDB only supports either numbers or strings in bags',
      ),
      execute(`INSERT INTO "$T" VALUE {'pk':'y', 's':<<'a', 'a'>>}`).invalid(
        'One or more parameter values were invalid: Input collection [a, a] contains duplicates.',
      ),
      execute(`INSERT INTO "$T" VALUE {'pk':'y','m':{'k':?}}`, S('v')).invalid(
        matching(/^Unsupported data type: Parameter under key root\.k at 1:\d+:1$/),
      ),
    ],
  }),
  row('partiql-writes/actions', 'DB-139', PARTIQL_FLOCI_2026, {
    table: rangeTable,
    items: [
      {
        ...key,
        sk: S('1'),
        n: N(1),
        m: M({ e: S('v') }),
        l: L(N(1), S('s')),
        ns: NS(1, 34),
        ss: SS('s1', 's2'),
        only: SS('o'),
      },
    ],
    steps: [
      execute(
        `UPDATE "$T" SET n=n + 100 SET m.added=[2020, 2.4] SET l = LIST_APPEND(l, [4]) SET ns = SET_ADD(ns, <<345>>) SET only = set_delete(only, <<'o'>>) SET fresh = set_add(fresh, <<'f'>>) WHERE pk='x' AND sk='1'`,
      ).gives(found()),
      execute(
        `UPDATE "$T" SET n=n-1 REMOVE l[1] SET ss = set_delete(ss, ?) WHERE (pk='x' AND sk='1') AND n = 101`,
        SS('s1'),
      ).gives(found()),
      get({ ...key, sk: S('1') }).gives({
        Item: {
          ...key,
          sk: S('1'),
          n: N(100),
          m: M({ e: S('v'), added: L(N(2020), N(2.4)) }),
          l: L(N(1), N(4)),
          ns: NS(1, 34, 345),
          ss: SS('s2'),
          fresh: SS('f'),
        },
      }),
    ],
  }),
  row('partiql-writes/refused-actions', 'DB-273', `${PARTIQL_2026}; ${PARTIQL_FLOCI_2026}`, {
    table: hashTable,
    items: [{ ...key, ss: SS('a'), s: S('str') }],
    steps: [
      execute(`UPDATE "$T" SET t = set_add(ss, <<'x'>>) WHERE pk = 'x'`).invalid(
        matching(/^The first argument to SET_ADD must equal the assignment value at 1:\d+:7$/),
      ),
      execute(`UPDATE "$T" SET ss = set_add(ss, 'x') WHERE pk = 'x'`).invalid(
        matching(/^The second argument to SET_ADD must be a value with type SET at 1:\d+:2$/),
      ),
      execute(`UPDATE "$T" SET ss = set_delete(ss) WHERE pk = 'x'`).invalid(
        matching(/^SET_DELETE must have exactly two arguments at 1:\d+:10$/),
      ),
      execute(`UPDATE "$T" SET ss = set_add(ss, <<1>>) WHERE pk = 'x'`).invalid(wrongType),
      execute(`UPDATE "$T" SET s = set_add(s, <<'x'>>) WHERE pk = 'x'`).invalid(wrongType),
      execute(`UPDATE "$T" SET n = 'a' + 1 WHERE pk = 'x' AND nope = 'x'`).invalid(
        'Incorrect operand type for operator or function; operator or function: +, operand type: S',
      ),
      execute(`UPDATE "$T" SET newlist[0] = 'x' WHERE pk = 'x'`).invalid(
        'The document path provided in the update expression is invalid for update',
      ),
      execute(`UPDATE "$T" SET a = 1 WHERE pk = 'x' AND pk = 'y'`).invalid(
        'Multiple conditions on same key pk. Only single item Update/Insert/Delete are supported',
      ),
      execute(`EXISTS(SELECT * FROM "$T" WHERE pk = 'x' AND a IS MISSING)`).invalid(
        'EXISTS can only be used in ExecuteTransaction write requests.',
      ),
      get(key).gives({ Item: { ...key, ss: SS('a'), s: S('str') } }),
    ],
  }),
  row('partiql-writes/conditions', 'DB-274', PARTIQL_2026, {
    table: hashTable,
    items: [{ ...key, a: N(1) }],
    steps: [
      execute(`UPDATE "$T" SET a = 9 WHERE pk = 'x' AND a = 2`).conditionFails(),
      execute(`UPDATE "$T" SET a = 9 WHERE pk = 'absent'`).conditionFails(),
      execute(`UPDATE "$T" SET a = 9 WHERE pk = 'absent' AND attribute_not_exists(pk)`).conditionFails(),
      execute(`FROM "$T" WHERE pk = 'x' AND a = 2 SET a = 9`).conditionFails(),
      execute(`DELETE FROM "$T" WHERE pk = 'x' AND a = 2`).conditionFails(),
      execute(`DELETE FROM "$T" WHERE pk = 'absent' AND a = 2`).gives(found()),
      executeWith(`UPDATE "$T" SET a = 9 WHERE pk = 'x' AND a = 2`, {
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }).conditionFails({ ...key, a: N(1) }),
      execute(`FROM "$T" WHERE pk = 'x' AND a = 1 SET c = 2 REMOVE a`).gives(found()),
      get(key).gives({ Item: { ...key, c: N(2) } }),
    ],
  }),
  row('partiql-writes/returning-of-delete', 'DB-139', PARTIQL_2026, {
    table: hashTable,
    items: [{ ...key, data: S('gone') }],
    steps: [
      ...['MODIFIED OLD *', 'ALL NEW *', 'MODIFIED NEW *'].map((clause) =>
        execute(`DELETE FROM "$T" WHERE pk = 'x' RETURNING ${clause}`).invalid(
          `Invalid returning clause: RETURNING ${clause}. Only RETURNING ALL OLD * is allowed in DELETE statements.`,
        ),
      ),
      execute(`DELETE FROM "$T" WHERE pk = 'x' RETURNING ALL OLD *`).gives({
        Items: unordered([{ ...key, data: S('gone') }]),
      }),
      execute(`DELETE FROM "$T" WHERE pk = 'x' RETURNING ALL OLD *`).gives(found()),
    ],
  }),
  returning('all', { data: S('old'), keep: S('same') }, `SET data = 'new'`, {
    'ALL OLD': { ...key, data: S('old'), keep: S('same') },
    'ALL NEW': { ...key, data: S('new'), keep: S('same') },
  }),
  returning('modified', { data: S('old'), keep: S('same') }, `SET data = 'new'`, {
    'MODIFIED OLD': { data: S('old') },
    'MODIFIED NEW': { data: S('new') },
  }),
  returning('removed', { data: S('old') }, 'REMOVE data', {
    'MODIFIED OLD': { data: S('old') },
    'MODIFIED NEW': undefined,
  }),
  returning('list-elements', tags, `SET tags[2] = 'y', tags[0] = 'x'`, {
    'MODIFIED OLD': { tags: L(S('a'), S('c')) },
    'MODIFIED NEW': { tags: L(S('x'), S('y')) },
  }),
  returning('list-shifted', tags, 'REMOVE tags[1]', {
    'MODIFIED OLD': { tags: L(S('b')) },
    'MODIFIED NEW': { tags: L(S('c')) },
  }),
  returning('appended', tags, `SET tags[9] = 'z'`, { 'MODIFIED OLD': undefined, 'MODIFIED NEW': undefined }),
  returning('nested', { p: M({ sub: S('old'), sib: S('keep') }) }, `SET p.sub = 'new'`, {
    'MODIFIED OLD': { p: M({ sub: S('old') }) },
    'MODIFIED NEW': { p: M({ sub: S('new') }) },
  }),
  row('partiql-writes/nesting', 'DB-273', PARTIQL_FLOCI_2026, {
    table: hashTable,
    items: [{ ...key, m: M({}) }],
    steps: [
      execute(`UPDATE "$T" SET m.deep = ? WHERE pk = 'x'`, nestedMap(31)).invalid(
        'Nesting Levels have exceeded supported limits',
      ),
      execute(`UPDATE "$T" SET d = ${'['.repeat(32)}1${']'.repeat(32)} WHERE pk = 'x'`).invalid(
        `Nesting Levels have exceeded supported limits under root${'[0]'.repeat(32)}`,
      ),
      execute(`UPDATE "$T" SET d = ${'['.repeat(31)}1${']'.repeat(31)} WHERE pk = 'x'`).gives(found()),
    ],
  }),
  row('partiql-writes/item-size', 'DB-139', docs('PartiQL update statements; Constraints'), {
    table: hashTable,
    steps: [
      execute(`INSERT INTO "$T" VALUE {'pk': 'x', 'a': ?}`, S('a'.repeat(409_597))).invalid(
        'Item size has exceeded the maximum allowed size',
      ),
      execute(`INSERT INTO "$T" VALUE {'pk': 'x', 'a': ?}`, S('a'.repeat(409_596))).gives(found()),
      execute(`UPDATE "$T" SET a = ? WHERE pk = 'x'`, S('a'.repeat(409_597))).invalid(
        'Item size to update has exceeded the maximum allowed size',
      ),
    ],
  }),
];
