import { messageContaining } from '../matchers.ts';
import type { Row } from '../row.ts';
import { row } from '../row.ts';
import { blackSwan, castAway, moviesAndActors, toyStoryAllen, toyStoryHanks } from '../fixtures.ts';
import { CAPTURED_2026, docs, DYNALITE, MOTO } from '../sources.ts';
import {
  batchWrite,
  cancelled,
  check,
  get,
  items,
  put,
  putAction,
  putRequest,
  query,
  remove,
  scan,
  transactWrite,
  update,
  updateAction,
  validationReason,
} from '../steps.ts';
import { table } from '../tables.ts';
import { BOOL, L, N, S } from '../values.ts';
import type { WireItem, WireValue } from '../values.ts';

const GSI = docs('Global secondary indexes');
const simple = table('pk:S', { gsis: { gsi1: 'a:S' } });
const sorted = table('pk:S', { gsis: { gsi1: 'a:S / b:N' } });
const key = { pk: S('x') };

const mismatch = (name: string, expected: string, actual: string, index = 'gsi1'): string =>
  `One or more parameter values were invalid: Type mismatch for Index Key ${name} Expected: ${expected} Actual: ${actual} IndexName: ${index}`;
const EMPTY_INDEX_KEY =
  'One or more parameter values are not valid. A value specified for a secondary index key is not supported. The AttributeValue for a key attribute cannot contain an empty string value. IndexName: gsi1, IndexKey: a';
const EMPTY_INDEX_KEY_UPDATE =
  'One or more parameter values are not valid. The update expression attempted to update a secondary index key to a value that is not supported. The AttributeValue for a key attribute cannot contain an empty string value.';

const inIndex = (value: string, ...found: readonly WireItem[]) =>
  query('a = :a', { ':a': S(value) }, { IndexName: 'gsi1' }).gives(items(...found));
const inSorted = (value: string, ...found: readonly WireItem[]) =>
  query('a = :a', { ':a': S(value) }, { IndexName: 'gsi1', ProjectionExpression: 'pk' }).gives(items(...found));

/** What an index with a given projection returns of an item. */
function projection(id: string, spec: string, projected: WireItem): Row {
  return row(`index-global/projects-${id}`, 'DB-068 DB-067', docs('Attribute projections'), {
    table: table('pk:S / sk:S', { gsis: { gsi1: spec } }),
    items: [{ pk: S('x'), sk: S('y'), a: S('v'), b: N(1), c: N(2), d: L(N(3)) }],
    steps: [inIndex('v', projected)],
  });
}

/** A value that is not allowed in a key attribute of an index, through every way to write it. */
function wrongType(type: string, value: WireValue): Row {
  return row(`index-global/key-may-not-be-${type}`, 'DB-070 DB-037', `${DYNALITE}; ${CAPTURED_2026}`, {
    table: simple,
    steps: [
      put({ ...key, a: value }).invalid(mismatch('a', 'S', type)),
      update(key, 'SET a = :a', { ExpressionAttributeValues: { ':a': value } }).invalid(mismatch('a', 'S', type)),
      batchWrite([putRequest({ ...key, a: value })]).invalid(mismatch('a', 'S', type)),
      transactWrite([putAction({ ...key, a: value })]).answers(cancelled(validationReason(mismatch('a', 'S', type)))),
      transactWrite([updateAction(key, 'SET a = :a', { ExpressionAttributeValues: { ':a': value } })]).answers(
        cancelled(validationReason(mismatch('a', 'S', type))),
      ),
      get(key).gives({}),
    ],
  });
}

export const globalIndexRows: readonly Row[] = [
  row('index-global/same-items-under-another-key', 'DB-056 DB-057', GSI, {
    table: moviesAndActors.table,
    items: moviesAndActors.items,
    steps: [
      query('Movie = :m', { ':m': S('Toy Story') }, { IndexName: 'gsiMovies' }).gives(
        items(toyStoryAllen, toyStoryHanks),
      ),
      query(
        'Movie = :m AND Actor = :a',
        { ':m': S('Toy Story'), ':a': S('Tom Hanks') },
        { IndexName: 'gsiMovies' },
      ).gives(items(toyStoryHanks)),
      query('Movie = :m', { ':m': S('Black Swan') }, { IndexName: 'gsiMovies' }).gives(items(blackSwan)),
      query(
        'Movie = :m',
        { ':m': S('Cast Away') },
        {
          IndexName: 'gsiMovies',
          ProjectionExpression: '#r',
          ExpressionAttributeNames: { '#r': 'Role' },
        },
      ).gives(items({ Role: castAway['Role'] ?? {} })),
    ],
  }),
  row('index-global/partition-key-only', 'DB-057 DB-064', GSI, {
    table: simple,
    items: [
      { pk: S('1'), a: S('v') },
      { pk: S('2'), a: S('v') },
    ],
    steps: [
      query('a = :a', { ':a': S('v') }, { IndexName: 'gsi1', Select: 'COUNT' }).gives({ Count: 2, ScannedCount: 2 }),
    ],
  }),
  row('index-global/sparse', 'DB-063', GSI, {
    table: table('pk:S', { gsis: { gsi1: 'GSI1PK:S / GSI1SK:S' } }),
    items: [
      { pk: S('1'), GSI1PK: S('p'), GSI1SK: S('1') },
      { pk: S('2'), GSI1PK: S('p') },
      { pk: S('3'), GSI1SK: S('3') },
      { pk: S('4'), GSI1PK: S('p'), GSI1SK: S('4') },
      { pk: S('5') },
    ],
    steps: [
      scan({ IndexName: 'gsi1', Select: 'COUNT' }).gives({ Count: 2, ScannedCount: 2 }),
      update({ pk: S('1') }, 'REMOVE GSI1PK').gives({}),
      scan({ IndexName: 'gsi1' }).gives(items({ pk: S('4'), GSI1PK: S('p'), GSI1SK: S('4') })),
      update({ pk: S('2') }, 'SET GSI1SK = :s', { ExpressionAttributeValues: { ':s': S('2') } }).gives({}),
      query('GSI1PK = :p', { ':p': S('p') }, { IndexName: 'gsi1', ProjectionExpression: 'pk' }).gives(
        items({ pk: S('2') }, { pk: S('4') }),
      ),
    ],
  }),
  row('index-global/keys-need-not-be-unique', 'DB-064', GSI, {
    table: table('pk:S / sk:S', { gsis: { gsi1: 'org:S / role:S' } }),
    items: ['a', 'b', 'c'].map((user) => ({ pk: S('ORG#1'), sk: S(user), org: S('ORG#1'), role: S('Admin') })),
    steps: [
      query(
        'org = :o AND #r = :r',
        { ':o': S('ORG#1'), ':r': S('Admin') },
        { IndexName: 'gsi1', ExpressionAttributeNames: { '#r': 'role' }, Select: 'COUNT' },
      ).gives({
        Count: 3,
        ScannedCount: 3,
      }),
    ],
  }),
  row('index-global/follows-every-write', 'DB-066 DB-056', GSI, {
    table: sorted,
    steps: [
      put({ ...key, a: S('v'), b: N(1) }).gives({}),
      inIndex('v', { ...key, a: S('v'), b: N(1) }),
      update(key, 'SET b = :b, c = :c', { ExpressionAttributeValues: { ':b': N(2), ':c': N(9) } }).gives({}),
      inIndex('v', { ...key, a: S('v'), b: N(2), c: N(9) }),
      put({ ...key, a: S('w'), b: N(2) }).gives({}),
      inIndex('v'),
      inIndex('w', { ...key, a: S('w'), b: N(2) }),
      remove(key).gives({}),
      inIndex('w'),
      transactWrite([putAction({ ...key, a: S('t'), b: N(1) }), putAction({ pk: S('y'), a: S('t'), b: N(0) })]).gives(
        {},
      ),
      inSorted('t', { pk: S('y') }, key),
    ],
  }),
  row('index-global/item-moves-when-its-key-changes', 'DB-066', GSI, {
    table: sorted,
    items: [
      { pk: S('1'), a: S('v'), b: N(1) },
      { pk: S('2'), a: S('v'), b: N(2) },
      { pk: S('3'), a: S('v'), b: N(3) },
    ],
    steps: [
      inSorted('v', { pk: S('1') }, { pk: S('2') }, { pk: S('3') }),
      update({ pk: S('1') }, 'SET b = :b', { ExpressionAttributeValues: { ':b': N('2.5') } }).gives({}),
      inSorted('v', { pk: S('2') }, { pk: S('1') }, { pk: S('3') }),
      query(
        'a = :a',
        { ':a': S('v') },
        { IndexName: 'gsi1', ScanIndexForward: false, Limit: 1, ProjectionExpression: 'pk' },
      ).givesPartly({ Items: [{ pk: S('3') }] }),
    ],
  }),
  row('index-global/overloaded', 'DB-071', docs('Overloading global secondary indexes'), {
    table: table('PK:S / SK:S', { gsis: { gsi1: 'GSI1PK:S / GSI1SK:S' } }),
    items: [
      { PK: S('ORG#A'), SK: S('ORG#A'), GSI1PK: S('ORGANIZATIONS'), GSI1SK: S('A') },
      { PK: S('ORG#B'), SK: S('ORG#B'), GSI1PK: S('ORGANIZATIONS'), GSI1SK: S('B') },
      { PK: S('ORG#A'), SK: S('USER#u'), GSI1PK: S('ORG#A'), GSI1SK: S('Admin#u') },
    ],
    steps: [
      query('GSI1PK = :p', { ':p': S('ORGANIZATIONS') }, { IndexName: 'gsi1', ProjectionExpression: 'GSI1SK' }).gives(
        items({ GSI1SK: S('A') }, { GSI1SK: S('B') }),
      ),
      query(
        'GSI1PK = :p AND begins_with(GSI1SK, :r)',
        { ':p': S('ORG#A'), ':r': S('Admin#') },
        { IndexName: 'gsi1', ProjectionExpression: 'SK' },
      ).gives(items({ SK: S('USER#u') })),
    ],
  }),
  projection('all', 'a:S', { pk: S('x'), sk: S('y'), a: S('v'), b: N(1), c: N(2), d: L(N(3)) }),
  projection('keys-only', 'a:S / b:N | KEYS_ONLY', { pk: S('x'), sk: S('y'), a: S('v'), b: N(1) }),
  projection('included-attributes', 'a:S | INCLUDE c,nowhere', { pk: S('x'), sk: S('y'), a: S('v'), c: N(2) }),
  row('index-global/narrow-projection-makes-pages-shorter', 'DB-067', docs('Attribute projections'), {
    table: table('Actor:S / Movie:S', { gsis: { gsi1: 'Movie:S / Actor:S | INCLUDE Role' } }),
    items: [1, 2, 3, 4].map((n) => ({
      Actor: S(`actor-${n}`),
      Movie: S('Toy Story'),
      Role: S(`role-${n}`),
      CoverImage: S('x'.repeat(350_000)),
    })),
    steps: [
      query('Movie = :m', { ':m': S('Toy Story') }, { IndexName: 'gsi1' }).gives(
        items(...[1, 2, 3, 4].map((n) => ({ Actor: S(`actor-${n}`), Movie: S('Toy Story'), Role: S(`role-${n}`) }))),
      ),
      check('the table needs several pages', async ({ succeed, expect }) => {
        const page = await succeed('Scan', { TableName: '$T', ConsistentRead: true });
        expect('more to come', page['LastEvaluatedKey'] !== undefined, true);
      }),
    ],
  }),
  row('index-global/attributes-that-are-not-projected', 'DB-069', `${MOTO}; ${GSI}`, {
    table: table('pk:S', { gsis: { gsi1: 'a:S | KEYS_ONLY' } }),
    items: [{ ...key, a: S('v'), b: N(1) }],
    steps: [
      query('a = :a', { ':a': S('v') }, { IndexName: 'gsi1', Select: 'ALL_ATTRIBUTES' }).invalid(
        'One or more parameter values were invalid: Select type ALL_ATTRIBUTES is not supported for global secondary index gsi1 because its projection type is not ALL',
      ),
      query('a = :a', { ':a': S('v') }, { IndexName: 'gsi1', ProjectionExpression: 'b' }).invalid(
        messageContaining('b'),
      ),
    ],
  }),
  wrongType('N', N(1)),
  wrongType('BOOL', BOOL(true)),
  wrongType('L', L(S('x'))),
  row('index-global/key-may-not-be-empty', 'DB-070 DB-028', CAPTURED_2026, {
    table: simple,
    steps: [
      put({ ...key, a: S('') }).invalid(EMPTY_INDEX_KEY),
      batchWrite([putRequest({ ...key, a: S('') })]).invalid(EMPTY_INDEX_KEY),
      transactWrite([putAction({ ...key, a: S('') })]).invalid(EMPTY_INDEX_KEY),
      update(key, 'SET a = :a', { ExpressionAttributeValues: { ':a': S('') } }).invalid(EMPTY_INDEX_KEY_UPDATE),
      transactWrite([updateAction(key, 'SET a = :a', { ExpressionAttributeValues: { ':a': S('') } })]).invalid(
        EMPTY_INDEX_KEY_UPDATE,
      ),
      get(key).gives({}),
    ],
  }),
  row('index-global/key-may-be-absent', 'DB-070 DB-063', GSI, {
    table: sorted,
    steps: [
      put({ ...key, b: N(1) }).gives({}),
      put({ ...key, a: S('v') }).gives({}),
      scan({ IndexName: 'gsi1' }).gives(items()),
      get(key).gives({ Item: { ...key, a: S('v') } }),
    ],
  }),
  row('index-global/type-computed-by-an-update', 'DB-070', DYNALITE, {
    table: simple,
    items: [{ ...key, n: N(1) }],
    steps: [
      update(key, 'SET a = n').invalid(
        'The update expression attempted to update the secondary index key to unsupported type',
      ),
      update(key, 'SET a = if_not_exists(nowhere, n)').invalid(
        'The update expression attempted to update the secondary index key to unsupported type',
      ),
      get(key).gives({ Item: { ...key, n: N(1) } }),
    ],
  }),
  row('index-global/long-keys', 'DB-070 DB-052', CAPTURED_2026, {
    table: table('pk:S', { gsis: { gsi1: 'a:S / b:S' } }),
    steps: [
      put({ ...key, a: S('x'.repeat(2049)), b: S('y') }).invalid(
        'One or more parameter values were invalid: Size limit exceeded for Index Key a Actual Size: 2049 bytes Max Size: 2048 bytes IndexName: gsi1',
      ),
      put({ ...key, a: S('x'), b: S('y'.repeat(1025)) }).invalid(
        'One or more parameter values were invalid: Size limit exceeded for Index Key b Actual Size: 1025 bytes Max Size: 1024 bytes IndexName: gsi1',
      ),
      put({ ...key, a: S('x'.repeat(2048)), b: S('y'.repeat(1024)) }).gives({}),
    ],
  }),
  row('index-global/page-keys', 'DB-075 DB-155', GSI, {
    table: table('pk:S / sk:S', { gsis: { gsi1: 'a:S / b:S' } }),
    items: ['1', '2', '3'].map((sk) => ({ pk: S('x'), sk: S(sk), a: S('v'), b: S('same') })),
    steps: [
      query('a = :a', { ':a': S('v') }, { IndexName: 'gsi1', Select: 'COUNT' }).gives({ Count: 3, ScannedCount: 3 }),
      check('each item once, one a page', async ({ succeed, expect }) => {
        const seen: string[] = [];
        let start: unknown;
        do {
          const page = await succeed('Query', {
            TableName: '$T',
            IndexName: 'gsi1',
            KeyConditionExpression: 'a = :a AND b = :b',
            ExpressionAttributeValues: { ':a': S('v'), ':b': S('same') },
            Limit: 1,
            ...(start === undefined ? {} : { ExclusiveStartKey: start }),
          });
          const [item] = page['Items'] as WireItem[];
          if (item !== undefined) seen.push(String(item['sk']?.['S']));
          start = page['LastEvaluatedKey'];
          if (start !== undefined)
            expect('members of the key', Object.keys(start as object).toSorted(), ['a', 'b', 'pk', 'sk']);
        } while (start !== undefined && seen.length < 10);
        expect('items', seen.toSorted(), ['1', '2', '3']);
      }),
    ],
  }),
  row('index-global/table-key-as-an-index-key', 'DB-057', GSI, {
    table: table('pk:S / sk:S', { gsis: { gsi1: 'sk:S / pk:S' } }),
    items: [
      { pk: S('1'), sk: S('s') },
      { pk: S('2'), sk: S('s') },
    ],
    steps: [
      query('sk = :s', { ':s': S('s') }, { IndexName: 'gsi1' }).gives(
        items({ pk: S('1'), sk: S('s') }, { pk: S('2'), sk: S('s') }),
      ),
      query('sk = :s', { ':s': S('s') }, { IndexName: 'gsi1', Limit: 1 }).givesPartly({
        LastEvaluatedKey: { pk: S('1'), sk: S('s') },
      }),
    ],
  }),
  row('index-global/removing-the-key-with-a-condition', 'DB-243 DB-063', GSI, {
    table: simple,
    items: [{ ...key, a: S('v') }],
    steps: [
      update(key, 'REMOVE a', { ConditionExpression: 'a = :a', ExpressionAttributeValues: { ':a': S('v') } }).gives({}),
      inIndex('v'),
      get(key).gives({ Item: key }),
    ],
  }),
];
