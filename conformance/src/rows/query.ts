import { anything, messageContaining, partial } from '../matchers.ts';
import type { JsonObject, Row } from '../row.ts';
import { row } from '../row.ts';
import {
  blackSwan,
  castAway,
  moviesAndActors,
  organisations,
  sensorReading,
  sensorReadings,
  toyStoryAllen,
  toyStoryHanks,
} from '../fixtures.ts';
import { CAPTURED_2026, docs, DYNALITE, MOTO, OUTSIDE_2026 } from '../sources.ts';
import { check, items, put, query, remove, scan } from '../steps.ts';
import { hashTable, rangeTable, table } from '../tables.ts';
import { N, S } from '../values.ts';
import type { WireItem } from '../values.ts';

const QUERY = docs('API_Query');
const six = ['1', '2', '3', '4', '5', '6'].map((sk) => ({ pk: S('x'), sk: S(sk), a: N(sk), b: S('b') }));
const p = { ':p': S('x') };
const hanks = { ':a': S('Tom Hanks') };

/** Puts 1,440 readings, twenty-five at a time. */
const loadReadings = check('a day of readings', async ({ succeed }) => {
  for (let start = 0; start < sensorReadings.items.length; start += 25) {
    const requests = sensorReadings.items.slice(start, start + 25).map((item) => ({ PutRequest: { Item: item } }));
    await succeed('BatchWriteItem', { RequestItems: { $T: requests } });
  }
});

/** Reads all pages of a query and returns the items and the number of pages. */
async function readAll(
  succeed: (action: string, input: JsonObject) => Promise<JsonObject>,
  input: JsonObject,
): Promise<{ found: readonly WireItem[]; pages: number }> {
  const found: WireItem[] = [];
  let pages = 0;
  let start: unknown;
  do {
    const page = await succeed('Query', { ...input, ...(start === undefined ? {} : { ExclusiveStartKey: start }) });
    found.push(...(page['Items'] as readonly WireItem[]));
    start = page['LastEvaluatedKey'];
    pages++;
  } while (start !== undefined && pages < 1000);
  return { found, pages };
}

function refused(
  id: string,
  covers: string,
  source: string,
  more: JsonObject,
  message: Parameters<ReturnType<typeof query>['invalid']>[0],
): Row {
  return row(`query/${id}`, covers, source, {
    table: table('pk:S / sk:S', { gsis: { gsi1: 'a:S' } }),
    steps: [query('pk = :p', p, more).invalid(message)],
  });
}

export const queryRows: readonly Row[] = [
  row('query/one-item-collection-in-order', 'DB-152 DB-077', QUERY, {
    table: moviesAndActors.table,
    items: moviesAndActors.items,
    steps: [
      query('Actor = :a', hanks).gives(items(castAway, toyStoryHanks)),
      query('Actor = :a', { ':a': S('Tim Allen') }).gives(items(toyStoryAllen)),
      query('Actor = :a', { ':a': S('Natalie Portman') }).gives(items(blackSwan)),
      query('Actor = :a', { ':a': S('Absent') }).gives(items()),
    ],
  }),
  row('query/global-and-local-index', 'DB-152 DB-056 DB-060', QUERY, {
    table: moviesAndActors.table,
    items: moviesAndActors.items,
    steps: [
      query('Movie = :m', { ':m': S('Toy Story') }, { IndexName: 'gsiMovies' }).gives(
        items(toyStoryAllen, toyStoryHanks),
      ),
      query('Actor = :a', hanks, { IndexName: 'lsiYear', ConsistentRead: true }).gives(items(toyStoryHanks, castAway)),
      query(
        'Actor = :a AND #y > :y',
        { ...hanks, ':y': N(1999) },
        { IndexName: 'lsiYear', ExpressionAttributeNames: { '#y': 'Year' } },
      ).gives(items(castAway)),
    ],
  }),
  row('query/sort-key-range', 'DB-153', QUERY, {
    table: moviesAndActors.table,
    items: moviesAndActors.items,
    steps: [
      query('Actor = :a AND Movie BETWEEN :x AND :y', { ...hanks, ':x': S('A'), ':y': S('M') }).gives(items(castAway)),
      query('Actor = :a AND Movie < :n', { ':a': S('Natalie Portman'), ':n': S('N') }).gives(items(blackSwan)),
    ],
  }),
  row('query/several-entity-types-together', 'DB-154', docs('Best practices for managing relationships'), {
    table: organisations.table,
    items: organisations.items,
    steps: [query('PK = :p', { ':p': S('ORG#BERKSHIRE') }).gives(items(...organisations.items.slice(0, 3)))],
  }),
  row('query/limit', 'DB-157 DB-155', QUERY, {
    table: rangeTable,
    items: six,
    steps: [
      query('pk = :p', p, { Limit: 5 }).gives({
        ...items(...six.slice(0, 5)),
        LastEvaluatedKey: { pk: S('x'), sk: S('5') },
      }),
      query('pk = :p', p, { Limit: 5, ExclusiveStartKey: { pk: S('x'), sk: S('5') } }).gives(items(...six.slice(5))),
      query('pk = :p', p, { Limit: 7 }).gives(items(...six)),
    ],
  }),
  row('query/limit-that-is-just-reached', 'DB-155 DB-157', DYNALITE, {
    table: rangeTable,
    items: six,
    steps: [
      // Reading stops at the limit without checking whether anything follows.
      query('pk = :p', p, { Limit: 6 }).gives({ ...items(...six), LastEvaluatedKey: { pk: S('x'), sk: S('6') } }),
      query('pk = :p', p, { Limit: 6, ExclusiveStartKey: { pk: S('x'), sk: S('6') } }).gives(items()),
    ],
  }),
  row('query/descending', 'DB-156 DB-190', QUERY, {
    table: rangeTable,
    items: six,
    steps: [
      query('pk = :p', p, { ScanIndexForward: false }).gives(items(...six.toReversed())),
      query('pk = :p AND sk < :s', { ...p, ':s': S('4') }, { ScanIndexForward: false, Limit: 2 }).gives({
        ...items(...six.slice(1, 3).toReversed()),
        LastEvaluatedKey: { pk: S('x'), sk: S('2') },
      }),
      query(
        'pk = :p AND sk < :s',
        { ...p, ':s': S('4') },
        { ScanIndexForward: false, ExclusiveStartKey: { pk: S('x'), sk: S('2') } },
      ).gives(items(...six.slice(0, 1))),
      query('pk = :p', p, { ScanIndexForward: true, Limit: 1 }).givesPartly({ Items: six.slice(0, 1) }),
    ],
  }),
  row('query/latest-readings', 'DB-156 DB-157', QUERY, {
    table: sensorReadings.table,
    steps: [
      loadReadings,
      query(
        'SensorId = :s',
        { ':s': N(14891) },
        { ScanIndexForward: false, Limit: 20, ReturnConsumedCapacity: 'TOTAL' },
      ).gives({
        ...items(...Array.from({ length: 20 }, (_, n) => sensorReading(1439 - n))),
        LastEvaluatedKey: { SensorId: N(14891), Timestamp: sensorReading(1420)['Timestamp'] },
        ConsumedCapacity: { TableName: '$T', CapacityUnits: 1 },
      }),
      query(
        'SensorId = :s AND #t BETWEEN :a AND :b',
        { ':s': N(14891), ':a': S('2020-02-15T15:47'), ':b': S('2020-02-15T15:49:59') },
        {
          ExpressionAttributeNames: { '#t': 'Timestamp' },
          ProjectionExpression: 'Temperature',
        },
      ).gives(items({ Temperature: N('67.1') }, { Temperature: N('67.4') }, { Temperature: N('67.5') })),
      query('SensorId = :s', { ':s': N(14891) }, { Select: 'COUNT' }).gives({ Count: 1440, ScannedCount: 1440 }),
    ],
  }),
  row('query/pages-of-one-megabyte', 'DB-155 DB-115', QUERY, {
    table: rangeTable,
    items: Array.from({ length: 12 }, (_, n) => ({
      pk: S('x'),
      sk: S(String(n).padStart(2, '0')),
      p: S('x'.repeat(250_000)),
    })),
    steps: [
      check('three megabytes in four pages at most', async ({ succeed, expect }) => {
        const input = {
          TableName: '$T',
          ConsistentRead: true,
          KeyConditionExpression: 'pk = :p',
          ExpressionAttributeValues: p,
        };
        for (const order of [true, false]) {
          const { found, pages } = await readAll(succeed, {
            ...input,
            ScanIndexForward: order,
            ProjectionExpression: 'sk',
          });
          const keys = Array.from({ length: 12 }, (_, n) => ({ sk: S(String(n).padStart(2, '0')) }));
          expect('items', found, order ? keys : keys.toReversed());
          expect('pages', pages >= 3 && pages <= 4, true);
        }
        const first = await succeed('Query', input);
        expect('first page', [4, 5].includes((first['Items'] as unknown[]).length), true);
      }),
    ],
  }),
  row('query/any-page-size-walks-the-same-items', 'DB-155 DB-162', QUERY, {
    table: rangeTable,
    items: [...six, { pk: S('w'), sk: S('9') }, { pk: S('y'), sk: S('0') }],
    steps: [
      check('limits one to seven, both ways', async ({ succeed, expect }) => {
        for (const order of [true, false]) {
          for (const limit of [1, 2, 3, 4, 5, 6, 7]) {
            const { found } = await readAll(succeed, {
              TableName: '$T',
              ConsistentRead: true,
              KeyConditionExpression: 'pk = :p',
              ExpressionAttributeValues: p,
              ScanIndexForward: order,
              Limit: limit,
            });
            expect(`limit ${limit}`, found, order ? six : six.toReversed());
          }
        }
      }),
    ],
  }),
  row('query/items-that-come-and-go-between-pages', 'DB-162 DB-161', QUERY, {
    table: rangeTable,
    items: six,
    steps: [
      query('pk = :p', p, { Limit: 3, Select: 'COUNT' }).gives({
        Count: 3,
        ScannedCount: 3,
        LastEvaluatedKey: { pk: S('x'), sk: S('3') },
      }),
      // The item that the key names is deleted, one is put after it and one before it.
      remove({ pk: S('x'), sk: S('3') }).gives({}),
      put({ pk: S('x'), sk: S('2.5') }).gives({}),
      put({ pk: S('x'), sk: S('4.5') }).gives({}),
      query('pk = :p', p, { ExclusiveStartKey: { pk: S('x'), sk: S('3') }, ProjectionExpression: 'sk' }).gives(
        items(...['4', '4.5', '5', '6'].map((sk) => ({ sk: S(sk) }))),
      ),
    ],
  }),
  row('query/start-key-need-not-exist', 'DB-161', QUERY, {
    table: rangeTable,
    items: six,
    steps: [query('pk = :p', p, { ExclusiveStartKey: { pk: S('x'), sk: S('4.2') } }).gives(items(...six.slice(4)))],
  }),

  row('query/select', 'DB-159 DB-158', QUERY, {
    table: rangeTable,
    items: six,
    steps: [
      query('pk = :p', p, { Select: 'COUNT' }).gives({ Count: 6, ScannedCount: 6 }),
      query('pk = :p', p, { Select: 'ALL_ATTRIBUTES' }).gives(items(...six)),
      query('pk = :p', p, { Select: 'SPECIFIC_ATTRIBUTES', ProjectionExpression: 'a' }).gives(
        items(...six.map((item) => ({ a: item.a }))),
      ),
      query('pk = :p', { ...p, ':three': N(3) }, { Select: 'COUNT', FilterExpression: 'a > :three' }).gives({
        Count: 3,
        ScannedCount: 6,
      }),
    ],
  }),
  row('query/select-on-an-index', 'DB-159 DB-069', QUERY, {
    table: table('pk:S / sk:S', { lsis: { lsi1: 'pk:S / a:N | KEYS_ONLY' }, gsis: { gsi1: 'b:S | INCLUDE a' } }),
    items: [{ ...six[0], c: S('c') }],
    steps: [
      query('pk = :p', p, { IndexName: 'lsi1' }).gives(items({ pk: S('x'), sk: S('1'), a: N(1) })),
      query('pk = :p', p, { IndexName: 'lsi1', Select: 'ALL_PROJECTED_ATTRIBUTES' }).gives(
        items({ pk: S('x'), sk: S('1'), a: N(1) }),
      ),
      query('pk = :p', p, { IndexName: 'lsi1', Select: 'ALL_ATTRIBUTES' }).gives(
        items({ pk: S('x'), sk: S('1'), a: N(1), b: S('b'), c: S('c') }),
      ),
      query('b = :b', { ':b': S('b') }, { IndexName: 'gsi1', Select: 'ALL_PROJECTED_ATTRIBUTES' }).gives(
        items({ pk: S('x'), sk: S('1'), a: N(1), b: S('b') }),
      ),
      query('b = :b', { ':b': S('b') }, { IndexName: 'gsi1', Select: 'COUNT' }).gives({ Count: 1, ScannedCount: 1 }),
    ],
  }),
  refused(
    'all-projected-attributes-of-the-table',
    'DB-159',
    MOTO,
    { Select: 'ALL_PROJECTED_ATTRIBUTES' },
    'ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName',
  ),
  refused(
    'specific-attributes-without-a-projection',
    'DB-159',
    MOTO,
    { Select: 'SPECIFIC_ATTRIBUTES' },
    'Must specify the AttributesToGet or ProjectionExpression when choosing to get SPECIFIC_ATTRIBUTES',
  ),
  refused(
    'count-with-a-projection',
    'DB-159',
    MOTO,
    { Select: 'COUNT', ProjectionExpression: 'a' },
    'Cannot specify the ProjectionExpression when choosing to get only the Count',
  ),
  refused(
    'all-attributes-with-a-projection',
    'DB-159',
    MOTO,
    { Select: 'ALL_ATTRIBUTES', ProjectionExpression: 'a' },
    'Cannot specify the ProjectionExpression when choosing to get ALL_ATTRIBUTES',
  ),
  refused(
    'unknown-select',
    'DB-159',
    MOTO,
    { Select: 'count' },
    "Value 'count' at 'select' failed to satisfy constraint: Member must satisfy enum value set: [SPECIFIC_ATTRIBUTES, COUNT, ALL_ATTRIBUTES, ALL_PROJECTED_ATTRIBUTES]",
  ),
  refused(
    'limit-of-zero',
    'DB-157',
    `${DYNALITE}; ${CAPTURED_2026}`,
    { Limit: 0 },
    messageContaining("imit' failed to satisfy constraint: Member must have value greater than or equal to 1"),
  ),
  refused(
    'missing-index',
    'DB-275',
    DYNALITE,
    { IndexName: 'gsi2' },
    'The table does not have the specified index: gsi2',
  ),
  refused(
    'neither-condition',
    'DB-203',
    DYNALITE,
    { KeyConditionExpression: undefined, ExpressionAttributeValues: undefined },
    'Either the KeyConditions or KeyConditionExpression parameter must be specified in the request.',
  ),
  row('query/consistent-read-of-a-global-index', 'DB-160 DB-061', CAPTURED_2026, {
    table: table('pk:S', { gsis: { gsi1: 'a:S' } }),
    steps: [
      query('a = :a', { ':a': S('x') }, { IndexName: 'gsi1', ConsistentRead: true }).invalid(
        'Consistent reads are not supported on global secondary indexes',
      ),
    ],
  }),
  row('query/no-partition-key', 'DB-014 DB-203', DYNALITE, {
    table: rangeTable,
    steps: [query('sk = :s', { ':s': S('a') }).invalid('Query condition missed key schema element: pk')],
  }),

  refused(
    'start-key-of-another-partition',
    'DB-161',
    DYNALITE,
    { ExclusiveStartKey: { pk: S('y'), sk: S('a') } },
    'The provided starting key is outside query boundaries based on provided conditions',
  ),
  refused(
    'incomplete-start-key',
    'DB-161',
    DYNALITE,
    { ExclusiveStartKey: { pk: S('x') } },
    'The provided starting key is invalid',
  ),
  refused(
    'start-key-with-a-further-attribute',
    'DB-161',
    DYNALITE,
    { ExclusiveStartKey: { pk: S('x'), sk: S('a'), z: S('b') } },
    'The provided starting key is invalid',
  ),
  refused(
    'start-key-of-a-wrong-type',
    'DB-161',
    DYNALITE,
    { ExclusiveStartKey: { pk: S('x'), sk: N(1) } },
    messageContaining('The provided key element does not match the schema'),
  ),
  row('query/no-start-key-without-a-sort-key', 'DB-161', OUTSIDE_2026, {
    table: hashTable,
    items: [{ pk: S('x') }],
    steps: [
      query('pk = :p', p, { ExclusiveStartKey: { pk: S('x') } }).invalid(messageContaining('ExclusiveStartKey')),
      query('pk = :p', p, { Limit: 1 }).givesPartly({ Items: [{ pk: S('x') }], Count: 1 }),
    ],
  }),
  row('query/start-key-outside-the-range', 'DB-161', DYNALITE, {
    table: rangeTable,
    items: six,
    steps: [
      query('pk = :p AND sk > :s', { ...p, ':s': S('3') }, { ExclusiveStartKey: { pk: S('x'), sk: S('2') } }).invalid(
        'The provided starting key does not match the range key predicate',
      ),
    ],
  }),
  row('query/start-key-of-an-index-needs-the-table-key', 'DB-161 DB-075', DYNALITE, {
    table: table('pk:S', { gsis: { gsi1: 'a:S / b:S' } }),
    steps: [
      query('a = :a', { ':a': S('x') }, { IndexName: 'gsi1', ExclusiveStartKey: { a: S('x'), b: S('y') } }).invalid(
        'The provided starting key is invalid',
      ),
    ],
  }),
  row('query/metrics-do-not-change-results', 'DB-191 DB-182', QUERY, {
    table: rangeTable,
    items: six,
    steps: [
      query('pk = :p', p, { ReturnConsumedCapacity: 'INDEXES' }).gives({
        ...items(...six),
        ConsumedCapacity: anything,
      }),
      query('pk = :p', p, { ConsistentRead: true, ReturnConsumedCapacity: 'NONE' }).gives(items(...six)),
      scan({ ReturnConsumedCapacity: 'TOTAL' }).gives({
        ...items(...six),
        ConsumedCapacity: partial({ TableName: '$T' }),
      }),
    ],
  }),
];
