import { absent, anyString, messageContaining, partial } from '../matchers.ts';
import type { JsonObject, Row } from '../row.ts';
import { row } from '../row.ts';
import { ALTERNATOR, assumed, CAPTURED_2026, docs, MOTO, OUTSIDE_2026 } from '../sources.ts';
import { call, check, createTable, describeTable, items, put, query, scan, update } from '../steps.ts';
import type { Call } from '../steps.ts';
import { table } from '../tables.ts';
import { B, N, S } from '../values.ts';
import type { WireItem } from '../values.ts';

const MULTI = docs('Multi-attribute keys in global secondary indexes');

/** One partition attribute and four sort attributes. */
const tournament = table('pk:S', { gsis: { gsi1: 'h:S / a:S b:S c:S d:S' } });
const entry = (pk: string, a: string, b: string, c: string | undefined, d: string): WireItem => ({
  pk: S(pk),
  h: S('o1'),
  a: S(a),
  b: S(b),
  ...(c === undefined ? {} : { c: S(c) }),
  d: S(d),
});
const entries = [
  entry('p1', 'T', 'live', 'b', 'r1'),
  entry('p2', 'T', 'live', 'a', 'r2'),
  entry('p3', 'T', 'live', 'a', 'r1'),
  entry('p4', 'T', 'draft', 'c', 'r1'),
  entry('p5', 'F', 'live', 'a', 'r0'),
  entry('p6', 'T', 'live', undefined, 'r1'),
];
const allValues: Readonly<Record<string, WireItem[string]>> = {
  ':h': S('o1'),
  ':a': S('T'),
  ':b': S('live'),
  ':c': S('a'),
  ':d': S('r'),
  ':x': S('r1'),
};
const valuesOf = (condition: string): WireItem =>
  Object.fromEntries(Object.entries(allValues).filter(([name]) => condition.includes(name)));

/** A query of the tournament index and the table keys that it finds, in order. */
function finds(id: string, condition: string, more: JsonObject, ...found: readonly string[]): Row {
  return row(`index-multi/${id}`, 'DB-076', CAPTURED_2026, {
    table: tournament,
    items: entries,
    steps: [
      query(condition, valuesOf(condition), { IndexName: 'gsi1', ProjectionExpression: 'pk', ...more }).gives(
        items(...found.map((pk) => ({ pk: S(pk) }))),
      ),
    ],
  });
}

function refused(
  id: string,
  source: string,
  condition: string,
  message: Parameters<ReturnType<typeof query>['invalid']>[0],
): Row {
  return row(`index-multi/${id}`, 'DB-076', source, {
    table: tournament,
    steps: [query(condition, valuesOf(condition), { IndexName: 'gsi1' }).invalid(message)],
  });
}

function refusedSchema(id: string, spec: string): Row {
  return row(`index-multi/${id}`, 'DB-076', ALTERNATOR, {
    steps: [createTable(table('pk:S', { gsis: { gsi1: spec } })).invalid(anyString)],
  });
}

/** Adds an index to a table without one, with UpdateTable. */
function createLater(spec: string): Call {
  const { AttributeDefinitions, GlobalSecondaryIndexes } = table('pk:S', { gsis: { gsi1: spec } });
  const [index] = GlobalSecondaryIndexes as readonly JsonObject[];
  return call('UpdateTable', {
    TableName: '$T',
    AttributeDefinitions,
    GlobalSecondaryIndexUpdates: [{ Create: index }],
  });
}

/** A table with an attribute definition that no key uses. */
function withDefinition(AttributeName: string, request: JsonObject): JsonObject {
  const definitions = request['AttributeDefinitions'] as readonly JsonObject[];
  return { ...request, AttributeDefinitions: [...definitions, { AttributeName, AttributeType: 'S' }] };
}

const gap = (missing: string, present: string): string =>
  `RANGE key attributes ${missing} must have equality conditions specified in the query because a condition is present on key attribute ${present}`;

export const multiAttributeIndexRows: readonly Row[] = [
  row('index-multi/described', 'DB-076', MOTO, {
    table: table('pk:S', { gsis: { gsi1: 'a:S b:N / c:S d:N' } }),
    steps: [
      describeTable().givesPartly({
        Table: partial({
          GlobalSecondaryIndexes: [
            partial({
              KeySchema: [
                { AttributeName: 'a', KeyType: 'HASH' },
                { AttributeName: 'b', KeyType: 'HASH' },
                { AttributeName: 'c', KeyType: 'RANGE' },
                { AttributeName: 'd', KeyType: 'RANGE' },
              ],
            }),
          ],
        }),
      }),
    ],
  }),
  row('index-multi/four-and-four', 'DB-076', ALTERNATOR, {
    table: table('pk:S', { gsis: { gsi1: 'a:S b:S c:S d:S / e:N f:S g:B h:S' } }),
    items: [{ pk: S('1'), a: S('a'), b: S('b'), c: S('c'), d: S('d'), e: N(1), f: S('f'), g: B([1]), h: S('h') }],
    steps: [
      query(
        'a = :a AND b = :b AND c = :c AND d = :d AND e = :e AND f = :f AND g = :g AND h < :z',
        {
          ':a': S('a'),
          ':b': S('b'),
          ':c': S('c'),
          ':d': S('d'),
          ':e': N('1.0'),
          ':f': S('f'),
          ':g': B([1]),
          ':z': S('z'),
        },
        { IndexName: 'gsi1', ProjectionExpression: 'pk' },
      ).gives(items({ pk: S('1') })),
    ],
  }),
  finds('partition-attribute-alone', 'h = :h', {}, 'p5', 'p4', 'p3', 'p2', 'p1'),
  finds('first-sort-attribute', 'h = :h AND a = :a', {}, 'p4', 'p3', 'p2', 'p1'),
  finds('descending', 'h = :h AND a = :a', { ScanIndexForward: false }, 'p1', 'p2', 'p3', 'p4'),
  finds('two-sort-attributes', 'h = :h AND a = :a AND b = :b', {}, 'p3', 'p2', 'p1'),
  finds('three-sort-attributes', 'h = :h AND a = :a AND b = :b AND c = :c', {}, 'p3', 'p2'),
  finds('range-on-the-last-one-named', 'h = :h AND a = :a AND b = :b AND c > :c', {}, 'p1'),
  finds('range-on-the-second', 'h = :h AND a = :a AND b < :b', {}, 'p4'),
  finds('prefix-of-the-fourth', 'h = :h AND a = :a AND b = :b AND c = :c AND begins_with(d, :d)', {}, 'p3', 'p2'),
  finds('between-on-the-fourth', 'h = :h AND a = :a AND b = :b AND c = :c AND d BETWEEN :x AND :x', {}, 'p3'),
  finds('clauses-in-any-order', 'b = :b AND h = :h AND a = :a', {}, 'p3', 'p2', 'p1'),
  row('index-multi/page-keys', 'DB-076 DB-075', CAPTURED_2026, {
    table: tournament,
    items: entries,
    steps: [
      query('h = :h', valuesOf(':h'), { IndexName: 'gsi1', Select: 'COUNT' }).gives({ Count: 5, ScannedCount: 5 }),
      query('h = :h AND a = :a', valuesOf(':h :a'), { IndexName: 'gsi1', ProjectionExpression: 'pk', Limit: 2 }).gives({
        ...items({ pk: S('p4') }, { pk: S('p3') }),
        LastEvaluatedKey: entries[2],
      }),
      query('h = :h AND a = :a', valuesOf(':h :a'), {
        IndexName: 'gsi1',
        ProjectionExpression: 'pk',
        ExclusiveStartKey: entries[2],
      }).gives(items({ pk: S('p2') }, { pk: S('p1') })),
    ],
  }),
  refused('gap', CAPTURED_2026, 'h = :h AND a = :a AND c = :c', gap('b', 'c')),
  refused('range-before-the-last', CAPTURED_2026, 'h = :h AND a = :a AND b > :b AND c = :c', gap('b', 'c')),
  refused('first-sort-attribute-skipped', CAPTURED_2026, 'h = :h AND b = :b', gap('a', 'b')),
  row('index-multi/every-partition-attribute-is-needed', 'DB-076', ALTERNATOR, {
    table: table('pk:S', { gsis: { gsi1: 'a:S b:N / c:S' } }),
    items: [{ pk: S('1'), a: S('a'), b: N(1), c: S('c') }],
    steps: [
      query('a = :a', { ':a': S('a') }, { IndexName: 'gsi1' }).invalid(anyString),
      query('a = :a AND b > :b', { ':a': S('a'), ':b': N(0) }, { IndexName: 'gsi1' }).invalid(anyString),
      query(
        'a = :a AND b = :b',
        { ':a': S('a'), ':b': N('1.0') },
        { IndexName: 'gsi1', ProjectionExpression: 'pk' },
      ).gives(items({ pk: S('1') })),
    ],
  }),
  row('index-multi/sorts-numbers-by-value', 'DB-076', MOTO, {
    table: table('pk:S', { gsis: { gsi1: 'a:S / b:S c:N' } }),
    items: [
      { pk: S('10'), a: S('a'), b: S('k'), c: N(300) },
      { pk: S('20'), a: S('a'), b: S('k'), c: N(20) },
      { pk: S('30'), a: S('a'), b: S('k'), c: N(100) },
      { pk: S('40'), a: S('a'), b: S('ka'), c: N(1) },
    ],
    steps: [
      query('a = :a', { ':a': S('a') }, { IndexName: 'gsi1', ProjectionExpression: 'pk' }).gives(
        items({ pk: S('20') }, { pk: S('30') }, { pk: S('10') }, { pk: S('40') }),
      ),
      query(
        'a = :a AND b = :b AND c > :c',
        { ':a': S('a'), ':b': S('k'), ':c': N(50) },
        { IndexName: 'gsi1', ProjectionExpression: 'pk' },
      ).gives(items({ pk: S('30') }, { pk: S('10') })),
    ],
  }),
  row('index-multi/attributes-do-not-run-together', 'DB-076', MULTI, {
    table: table('pk:S', { gsis: { gsi1: 'a:S b:S / c:S' } }),
    items: [
      { pk: S('1'), a: S('ab'), b: S('c'), c: S('x') },
      { pk: S('2'), a: S('a'), b: S('bc'), c: S('x') },
    ],
    steps: [
      query(
        'a = :a AND b = :b',
        { ':a': S('ab'), ':b': S('c') },
        { IndexName: 'gsi1', ProjectionExpression: 'pk' },
      ).gives(items({ pk: S('1') })),
      query(
        'a = :a AND b = :b',
        { ':a': S('a'), ':b': S('bc') },
        { IndexName: 'gsi1', ProjectionExpression: 'pk' },
      ).gives(items({ pk: S('2') })),
    ],
  }),
  row('index-multi/sparse-and-moving', 'DB-076 DB-063 DB-066', ALTERNATOR, {
    table: table('pk:S', { gsis: { gsi1: 'a:S b:S / c:S' } }),
    items: [{ pk: S('1'), a: S('a'), c: S('c') }],
    steps: [
      scan({ IndexName: 'gsi1' }).gives(items()),
      update({ pk: S('1') }, 'SET b = :b', { ExpressionAttributeValues: { ':b': S('b') } }).gives({}),
      query('a = :a AND b = :b', { ':a': S('a'), ':b': S('b') }, { IndexName: 'gsi1' }).gives(
        items({ pk: S('1'), a: S('a'), b: S('b'), c: S('c') }),
      ),
      update({ pk: S('1') }, 'SET b = :b', { ExpressionAttributeValues: { ':b': S('B') } }).gives({}),
      query('a = :a AND b = :b', { ':a': S('a'), ':b': S('b') }, { IndexName: 'gsi1' }).gives(items()),
      update({ pk: S('1') }, 'REMOVE c').gives({}),
      scan({ IndexName: 'gsi1' }).gives(items()),
    ],
  }),
  row('index-multi/types-are-enforced', 'DB-076 DB-070', ALTERNATOR, {
    table: table('pk:S', { gsis: { gsi1: 'a:S b:N / c:S' } }),
    steps: [
      put({ pk: S('1'), a: S('a'), b: S('1'), c: S('c') }).invalid(
        messageContaining('Type mismatch for Index Key b Expected: N Actual: S IndexName: gsi1'),
      ),
      put({ pk: S('1'), a: S(''), b: N(1), c: S('c') }).invalid(
        messageContaining('cannot contain an empty string value. IndexName: gsi1, IndexKey: a'),
      ),
    ],
  }),
  row('index-multi/filter-may-not-name-its-keys', 'DB-076 DB-212', ALTERNATOR, {
    table: tournament,
    steps: [
      query('h = :h', { ...valuesOf(':h'), ':v': S('x') }, { IndexName: 'gsi1', FilterExpression: 'c = :v' }).invalid(
        messageContaining('Filter Expression can only contain non-primary key attributes: Primary key attribute: c'),
      ),
    ],
  }),
  row('index-multi/legacy-key-conditions', 'DB-076 DB-147', MOTO, {
    table: table('pk:S', { gsis: { gsi1: 'a:S / b:S c:N' } }),
    items: [1, 2, 3].map((n) => ({ pk: S(String(n)), a: S('a'), b: S('b'), c: N(n) })),
    steps: [
      call(
        'Query',
        {
          TableName: '$T',
          IndexName: 'gsi1',
          AttributesToGet: ['pk'],
          KeyConditions: {
            a: { ComparisonOperator: 'EQ', AttributeValueList: [S('a')] },
            b: { ComparisonOperator: 'EQ', AttributeValueList: [S('b')] },
            c: { ComparisonOperator: 'GT', AttributeValueList: [N(1)] },
          },
        },
        { eventually: true },
      ).gives(items({ pk: S('2') }, { pk: S('3') })),
    ],
  }),
  refusedSchema('five-partition-attributes', 'a:S b:S c:S d:S e:S'),
  refusedSchema('five-sort-attributes', 'a:S / b:S c:S d:S e:S f:S'),
  refusedSchema('no-partition-attribute', '/ a:S b:S'),
  refusedSchema('one-attribute-twice', 'a:S / b:S a:S'),
  row('index-multi/created-later', 'DB-076 DB-059', ALTERNATOR, {
    table: table('pk:S'),
    items: [
      { pk: S('1'), a: S('a'), b: N(2) },
      { pk: S('2'), a: S('a') },
    ],
    steps: [
      call('UpdateTable', {
        TableName: '$T',
        AttributeDefinitions: [
          { AttributeName: 'pk', AttributeType: 'S' },
          { AttributeName: 'a', AttributeType: 'S' },
          { AttributeName: 'b', AttributeType: 'N' },
        ],
        GlobalSecondaryIndexUpdates: [
          {
            Create: {
              IndexName: 'gsi1',
              KeySchema: [
                { AttributeName: 'a', KeyType: 'HASH' },
                { AttributeName: 'b', KeyType: 'HASH' },
              ],
              Projection: { ProjectionType: 'KEYS_ONLY' },
            },
          },
        ],
      }).succeeds(),
      describeTable({ eventually: true }).givesPartly({
        Table: partial({ TableStatus: 'ACTIVE', GlobalSecondaryIndexes: [partial({ IndexStatus: 'ACTIVE' })] }),
      }),
      query('a = :a AND b = :b', { ':a': S('a'), ':b': N(2) }, { IndexName: 'gsi1' }).gives(
        items({ pk: S('1'), a: S('a'), b: N(2) }),
      ),
    ],
  }),
  row('index-multi/four-and-four-created-later', 'DB-076 DB-059', OUTSIDE_2026, {
    table: table('pk:S'),
    items: [{ pk: S('1'), a: S('a'), b: S('b'), c: S('c'), d: S('d'), e: N(1), f: S('f'), g: B([1]), h: S('h') }],
    steps: [
      createLater('a:S b:S c:S d:S / e:N f:S g:B h:S').succeeds(),
      describeTable({ eventually: true }).givesPartly({
        Table: partial({ TableStatus: 'ACTIVE', GlobalSecondaryIndexes: [partial({ IndexStatus: 'ACTIVE' })] }),
      }),
      query(
        'a = :a AND b = :b AND c = :c AND d = :d AND e = :e',
        { ':a': S('a'), ':b': S('b'), ':c': S('c'), ':d': S('d'), ':e': N(1) },
        { IndexName: 'gsi1', ProjectionExpression: 'pk' },
      ).gives(items({ pk: S('1') })),
    ],
  }),
  row(
    'index-multi/schemas-refused-later',
    'DB-076 DB-059',
    `${ALTERNATOR}; ${assumed('as CreateTable refuses them')}`,
    {
      table: table('pk:S'),
      steps: [
        createLater('a:S b:S c:S d:S e:S').invalid(anyString),
        createLater('a:S / b:S c:S d:S e:S f:S').invalid(anyString),
        createLater('/ a:S b:S').invalid(anyString),
        createLater('a:S / b:S a:S').invalid(messageContaining('multiple key attributes with the same name')),
        describeTable().givesPartly({ Table: partial({ TableStatus: 'ACTIVE', GlobalSecondaryIndexes: absent }) }),
      ],
    },
  ),
  row('index-multi/one-attribute-twice-beside-an-unused-definition', 'DB-076 DB-053', OUTSIDE_2026, {
    steps: [
      createTable(withDefinition('z', table('pk:S', { gsis: { gsi1: 'a:S / b:S a:S' } }))).invalid(
        'The KeySchema contains multiple key attributes with the same name',
      ),
      createTable(withDefinition('z', table('pk:S', { gsis: { gsi1: 'a:S / a:S' } }))).invalid(
        'Both the Hash Key and the Range Key element in the KeySchema have the same name',
      ),
    ],
  }),
  row('index-multi/tie-broken-by-the-table-key', 'DB-076 DB-075', MULTI, {
    table: tournament,
    items: ['z', 'y', 'x'].map((pk) => entry(pk, 'T', 'live', 'a', 'r1')),
    steps: [
      query('h = :h', valuesOf(':h'), { IndexName: 'gsi1', Select: 'COUNT' }).gives({ Count: 3, ScannedCount: 3 }),
      check('one a page', async ({ succeed, expect }) => {
        const seen: string[] = [];
        let start: unknown;
        do {
          const page = await succeed('Query', {
            TableName: '$T',
            IndexName: 'gsi1',
            KeyConditionExpression: 'h = :h AND a = :a AND b = :b AND c = :c AND d = :x',
            ExpressionAttributeValues: valuesOf(':h :a :b :c :x'),
            Limit: 1,
            ...(start === undefined ? {} : { ExclusiveStartKey: start }),
          });
          for (const item of page['Items'] as WireItem[]) seen.push(String(item['pk']?.['S']));
          start = page['LastEvaluatedKey'];
        } while (start !== undefined && seen.length < 10);
        expect('items', seen.toSorted(), ['x', 'y', 'z']);
      }),
    ],
  }),
];
