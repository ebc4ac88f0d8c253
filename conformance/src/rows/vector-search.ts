import { absent, anyNumber, atLeast, closeTo, matching, partial, unordered } from '../matchers.ts';
import type { JsonObject, Row } from '../row.ts';
import { row } from '../row.ts';
import { assumed, CAPTURED_2026, docs, DYNOXIDE, EXTENDDB } from '../sources.ts';
import type { Call } from '../steps.ts';
import {
  batchWrite,
  call,
  cancelled,
  check,
  get,
  put,
  putAction,
  putRequest,
  remove,
  transactWrite,
  update,
  validationReason,
} from '../steps.ts';
import { table } from '../tables.ts';
import { B, L, N, S } from '../values.ts';
import type { WireItem, WireValue } from '../values.ts';

const GUIDE = docs('Creating and searching vector indexes');

const vector = (...numbers: readonly (number | string)[]): WireValue => L(...numbers.map((number) => N(number)));

/** A vector index on `embedding`, changed as given. */
function vectorIndex(name: string, more: JsonObject = {}): JsonObject {
  return {
    IndexName: name,
    VectorAttribute: { AttributeName: 'embedding' },
    Dimensions: 3,
    DistanceFunction: 'COSINE',
    Projection: { ProjectionType: 'ALL' },
    ...more,
  };
}

const byTenant = {
  SearchSchema: [
    { AttributeName: 'tenant', SearchSchemaElementType: 'HASH' },
    { AttributeName: 'category', SearchSchemaElementType: 'INLINE_FILTER' },
  ],
};

function vectorTable(indexes: readonly JsonObject[], key = 'pk:S', attributes: readonly string[] = []): JsonObject {
  const plain = table(key, { more: { VectorIndexes: indexes } });
  const defined = plain['AttributeDefinitions'] as readonly JsonObject[];
  const further = attributes.map((name) => ({ AttributeName: name, AttributeType: 'S' }));
  return { ...plain, AttributeDefinitions: [...defined, ...further] };
}

const plainTable = vectorTable([vectorIndex('vix')]);
const tenantTable = vectorTable([vectorIndex('plain'), vectorIndex('schema', byTenant)], 'pk:S', [
  'tenant',
  'category',
]);

/** Searches see a write after a moment, as queries of global indexes do. */
function search(index: string, numbers: readonly (number | string)[], more: JsonObject = {}): Call {
  const input = {
    TableName: '$T',
    IndexName: index,
    SearchVector: numbers.map((number) => N(number)),
    TopK: 10,
    ...more,
  };
  return call('SearchVectors', input, { eventually: true });
}

const searchWithoutTable = { IndexName: 'vix', SearchVector: [N(1)], TopK: 1 };
const wholeSearch = { TableName: 'NotThere', ...searchWithoutTable };

function results(...found: readonly (readonly [item: WireItem, score: unknown])[]): JsonObject {
  return { SearchResults: found.map(([Item, Score]) => ({ Item, Score })) };
}

const invalidParameter = (detail: string): string => `One or more parameter values were invalid: ${detail}`;
const ofTenant = (tenant: string): JsonObject => ({
  SearchConditionExpression: 'tenant = :t',
  ExpressionAttributeValues: { ':t': S(tenant) },
});

/** A number of 20 bytes. */
const wide = '12345678901234567890123456789012345678';

/** A unit vector, an orthogonal one, an opposite one, and one between. */
const four: readonly WireItem[] = [
  { pk: S('a'), embedding: vector(1, 0, 0) },
  { pk: S('b'), embedding: vector(0, 1, 0) },
  { pk: S('c'), embedding: vector(-1, 0, 0) },
  { pk: S('d'), embedding: vector('0.6', '0.8', 0) },
];

function ranking(distanceFunction: string, ...expected: readonly (readonly [pk: string, score: unknown])[]): Row {
  return row(`vector-search/ranks-by-${distanceFunction.toLowerCase()}`, 'DB-056', `${GUIDE}; ${CAPTURED_2026}`, {
    table: vectorTable([vectorIndex('vix', { DistanceFunction: distanceFunction })]),
    items: four,
    steps: [
      search('vix', [1, 0, 0]).gives(results(...expected.map(([pk, score]) => [{ pk: S(pk) }, score] as const))),
      search('vix', [1, 0, 0], { TopK: 2 }).gives(
        results(...expected.slice(0, 2).map(([pk, score]) => [{ pk: S(pk) }, score] as const)),
      ),
    ],
  });
}

function refusedIndex(id: string, definition: JsonObject, message: string, source = CAPTURED_2026): Row {
  return row(`vector-index/refuses-${id}`, 'DB-053 DB-073', source, {
    steps: [call('CreateTable', { TableName: '$T', ...definition }).invalid(message)],
  });
}

/** A value that a vector index does not accept, through every way to write it. */
function refusedItem(id: string, item: WireItem, message: string): Row {
  return row(`vector-index/refuses-item-${id}`, 'DB-070', CAPTURED_2026, {
    table: tenantTable,
    steps: [
      put({ pk: S('x'), ...item }).invalid(message),
      batchWrite([putRequest({ pk: S('x'), ...item })]).invalid(message),
      transactWrite([putAction({ pk: S('x'), ...item })]).answers(cancelled(validationReason(message))),
      get({ pk: S('x') }).gives({}),
    ],
  });
}

const refusedVector = (id: string, embedding: WireValue, problem: string): Row =>
  refusedItem(`vector-${id}`, { embedding }, `One or more parameter values were invalid. ${problem} IndexName: plain`);

function refusedSearch(id: string, input: JsonObject, message: unknown, source = CAPTURED_2026): Row {
  const { SearchVector = [N(1), N(0), N(0)], ...more } = input;
  return row(`vector-search/refuses-${id}`, 'DB-135', source, {
    table: tenantTable,
    steps: [
      call('SearchVectors', { TableName: '$T', IndexName: 'plain', TopK: 1, SearchVector, ...more }).invalid(
        message as string,
      ),
    ],
  });
}

const described = {
  IndexName: 'vix',
  VectorAttribute: { AttributeName: 'embedding' },
  Dimensions: 3,
  DistanceFunction: 'COSINE',
  Projection: { ProjectionType: 'ALL' },
  IndexArn: matching(/:table\/.*\/index\/vix$/),
};

const searched = (AttributeName: string, SearchSchemaElementType: 'HASH' | 'INLINE_FILTER'): JsonObject => ({
  AttributeName,
  SearchSchemaElementType,
});
const nineteen = Array.from({ length: 19 }, (_, at) => `filter-${at}`);

const addGlobalIndex = (IndexName: string, AttributeName: string): Call =>
  call('UpdateTable', {
    TableName: '$T',
    AttributeDefinitions: [{ AttributeName, AttributeType: 'S' }],
    GlobalSecondaryIndexUpdates: [
      {
        Create: {
          IndexName,
          KeySchema: [{ AttributeName, KeyType: 'HASH' }],
          Projection: { ProjectionType: 'ALL' },
        },
      },
    ],
  });

const addIndex = (index: JsonObject, more: JsonObject = {}): Call =>
  call('UpdateTable', { TableName: '$T', VectorIndexUpdates: [{ Create: index }], ...more });

export const vectorSearchRows: readonly Row[] = [
  ranking('COSINE', ['a', 0], ['d', closeTo(0.4, 1e-6)], ['b', 1], ['c', 2]),
  ranking('EUCLIDEAN', ['a', 0], ['d', closeTo(Math.sqrt(0.8), 1e-6)], ['b', closeTo(Math.SQRT2, 1e-6)], ['c', 2]),
  ranking('DOT_PRODUCT', ['a', 1], ['d', closeTo(0.6, 1e-6)], ['b', 0], ['c', -1]),
  row('vector-search/cosine-ignores-length-and-knows-no-zero', 'DB-056', CAPTURED_2026, {
    table: plainTable,
    items: [
      { pk: S('long'), embedding: vector(100, 0, 0) },
      { pk: S('zero'), embedding: vector(0, 0, 0) },
    ],
    steps: [search('vix', [1, 0, 0]).gives(results([{ pk: S('long') }, 0], [{ pk: S('zero') }, 1]))],
  }),
  row('vector-search/shows-the-vector-only-when-asked', 'DB-067', `${GUIDE}; ${CAPTURED_2026}`, {
    table: plainTable,
    items: [{ pk: S('a'), label: S('one'), embedding: vector('0.1', 16777217, 1) }],
    steps: [
      search('vix', [1, 0, 0]).givesPartly({
        SearchResults: [{ Item: { pk: S('a'), label: S('one') }, Score: anyNumber }],
      }),
      // The index keeps 32-bit numbers, and the item keeps the numbers as written.
      search('vix', [1, 0, 0], { ProjectionExpression: 'pk, embedding' }).givesPartly({
        SearchResults: [{ Item: { pk: S('a'), embedding: L(N('0.1'), N('16777216.0'), N('1.0')) }, Score: anyNumber }],
      }),
      get({ pk: S('a') }, { ProjectionExpression: 'embedding' }).gives({
        Item: { embedding: vector('0.1', 16777217, 1) },
      }),
    ],
  }),
  row('vector-search/shows-what-the-index-holds', 'DB-068', GUIDE, {
    table: vectorTable([
      vectorIndex('keys', { Projection: { ProjectionType: 'KEYS_ONLY' } }),
      vectorIndex('some', { Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['b'] } }),
    ]),
    items: [{ pk: S('x'), a: S('1'), b: S('2'), embedding: vector(1, 0, 0) }],
    steps: [
      search('keys', [1, 0, 0]).gives(results([{ pk: S('x') }, 0])),
      search('some', [1, 0, 0]).gives(results([{ pk: S('x'), b: S('2') }, 0])),
      // Missing attributes are ignored silently.
      search('some', [1, 0, 0], { ProjectionExpression: 'a, b' }).gives(results([{ b: S('2') }, 0])),
    ],
  }),
  row('vector-search/narrowed-by-partition-and-filter', 'DB-056 DB-063', GUIDE, {
    table: tenantTable,
    items: [
      { pk: S('a'), tenant: S('t1'), category: S('c1'), embedding: vector(1, 0, 0) },
      { pk: S('b'), tenant: S('t1'), category: S('c2'), embedding: vector(0, 1, 0) },
      { pk: S('c'), tenant: S('t2'), category: S('c1'), embedding: vector(1, 0, 0) },
      { pk: S('d'), tenant: S('t1'), embedding: vector(0, 0, 1) },
      { pk: S('e'), category: S('c1'), embedding: vector(1, 0, 0) },
    ],
    steps: [
      search('schema', [1, 0, 0], { ...ofTenant('t1'), ProjectionExpression: 'pk' }).gives({
        SearchResults: unordered([
          { Item: { pk: S('a') }, Score: 0 },
          { Item: { pk: S('b') }, Score: 1 },
          { Item: { pk: S('d') }, Score: 1 },
        ]),
      }),
      search('schema', [1, 0, 0], {
        SearchConditionExpression: '#t = :t AND :c = category',
        ExpressionAttributeNames: { '#t': 'tenant' },
        ExpressionAttributeValues: { ':t': S('t1'), ':c': S('c2') },
        ProjectionExpression: 'pk',
      }).gives(results([{ pk: S('b') }, 1])),
      search('schema', [1, 0, 0], ofTenant('absent')).gives({ SearchResults: [] }),
      search('plain', [1, 0, 0]).givesPartly({
        SearchResults: [partial({}), partial({}), partial({}), partial({}), partial({})],
      }),
    ],
  }),
  row('vector-search/follows-writes', 'DB-063 DB-066', `${GUIDE}; ${CAPTURED_2026}`, {
    table: tenantTable,
    items: [{ pk: S('x'), tenant: S('t1'), embedding: vector(1, 0, 0) }],
    steps: [
      search('schema', [1, 0, 0], { ...ofTenant('t1'), ProjectionExpression: 'pk' }).gives(
        results([{ pk: S('x') }, 0]),
      ),
      update({ pk: S('x') }, 'SET embedding[0] = :n', { ExpressionAttributeValues: { ':n': N(-1) } }).succeeds(),
      search('schema', [1, 0, 0], { ...ofTenant('t1'), ProjectionExpression: 'pk' }).gives(
        results([{ pk: S('x') }, 2]),
      ),
      update({ pk: S('x') }, 'SET tenant = :t', { ExpressionAttributeValues: { ':t': S('t2') } }).succeeds(),
      search('schema', [1, 0, 0], ofTenant('t1')).gives({ SearchResults: [] }),
      search('schema', [1, 0, 0], { ...ofTenant('t2'), ProjectionExpression: 'pk' }).gives(
        results([{ pk: S('x') }, 2]),
      ),
      // Without its partition key attribute an item leaves this index, but not the other.
      update({ pk: S('x') }, 'REMOVE tenant').succeeds(),
      search('schema', [1, 0, 0], ofTenant('t2')).gives({ SearchResults: [] }),
      search('plain', [1, 0, 0], { ProjectionExpression: 'pk' }).gives(results([{ pk: S('x') }, 2])),
      update({ pk: S('x') }, 'REMOVE embedding').succeeds(),
      search('plain', [1, 0, 0]).gives({ SearchResults: [] }),
      put({ pk: S('x'), embedding: vector(1, 0, 0) }).succeeds(),
      search('plain', [1, 0, 0]).gives(results([{ pk: S('x') }, 0])),
      remove({ pk: S('x') }).succeeds(),
      search('plain', [1, 0, 0]).gives({ SearchResults: [] }),
    ],
  }),
  row('vector-search/consumed-capacity', 'DB-095', CAPTURED_2026, {
    table: plainTable,
    items: [{ pk: S('a'), embedding: vector(1, 0, 0) }],
    steps: [
      search('vix', [1, 0, 0], { ReturnConsumedCapacity: 'TOTAL' }).givesPartly({
        ConsumedCapacity: { VectorSearchRequestBytes: atLeast(1) },
      }),
      search('vix', [1, 0, 0], { ReturnConsumedCapacity: 'INDEXES' }).givesPartly({
        ConsumedCapacity: { VectorSearchRequestBytes: atLeast(1) },
      }),
      search('vix', [1, 0, 0], { ReturnConsumedCapacity: 'NONE' }).givesPartly({ ConsumedCapacity: absent }),
    ],
  }),
  row('vector-index/write-capacity', 'DB-074', CAPTURED_2026, {
    table: vectorTable([
      vectorIndex('all'),
      vectorIndex('keys', { Projection: { ProjectionType: 'KEYS_ONLY' } }),
      vectorIndex('six', { VectorAttribute: { AttributeName: 'sixdimvec' }, Dimensions: 6 }),
    ]),
    steps: [
      // The entry's size with four bytes for each number, and at least 1,024, for each index separately.
      put(
        { pk: S('3a'), embedding: vector(1, 0, 0), blob: S('x'.repeat(1500)) },
        { ReturnConsumedCapacity: 'INDEXES' },
      ).gives({
        ConsumedCapacity: {
          TableName: '$T',
          CapacityUnits: 2,
          Table: { CapacityUnits: 2 },
          VectorIndexes: {
            all: { VectorWriteRequestBytes: 2 + 2 + 9 + 4 * 3 + 4 + 1500 },
            keys: { VectorWriteRequestBytes: 1024 },
          },
        },
      }),
      put(
        { pk: S('6b'), sixdimvec: vector(1, 0, 0, 0, 1, 0), blob: S('x'.repeat(1500)) },
        { ReturnConsumedCapacity: 'INDEXES' },
      ).givesPartly({
        ConsumedCapacity: partial({
          VectorIndexes: { six: { VectorWriteRequestBytes: 2 + 2 + 9 + 4 * 6 + 4 + 1500 } },
        }),
      }),
      // Only changes of the entry are metered for an index.
      put(
        { pk: S('3a'), embedding: vector(1, 0, 0), blob: S('y'.repeat(1500)) },
        { ReturnConsumedCapacity: 'INDEXES' },
      ).givesPartly({
        ConsumedCapacity: partial({ VectorIndexes: { all: { VectorWriteRequestBytes: 1529 } } }),
      }),
      put(
        { pk: S('3a'), embedding: vector('1.0', 0, 0), blob: S('y'.repeat(1500)) },
        { ReturnConsumedCapacity: 'INDEXES' },
      ).gives({ ConsumedCapacity: { TableName: '$T', CapacityUnits: 2, Table: { CapacityUnits: 2 } } }),
      put({ pk: S('n'), label: S('no vector') }, { ReturnConsumedCapacity: 'INDEXES' }).gives({
        ConsumedCapacity: { TableName: '$T', CapacityUnits: 1, Table: { CapacityUnits: 1 } },
      }),
      put({ pk: S('t'), embedding: vector(0, 1, 0) }, { ReturnConsumedCapacity: 'TOTAL' }).gives({
        ConsumedCapacity: { TableName: '$T', CapacityUnits: 1 },
      }),
    ],
  }),
  row('vector-index/a-write-counts-four-bytes-a-number', 'DB-096 DB-095', CAPTURED_2026, {
    table: plainTable,
    steps: [
      // 1,024 bytes with the vector at twelve. Counted by its numbers, the item has fifty more.
      put(
        { pk: S('a3'), embedding: vector(wide, wide, wide), pad: S('x'.repeat(1024 - 4 - 9 - 12 - 3)) },
        { ReturnConsumedCapacity: 'TOTAL' },
      ).gives({ ConsumedCapacity: { TableName: '$T', CapacityUnits: 1 } }),
      put(
        { pk: S('b3'), embedding: vector(wide, wide, wide), pad: S('x'.repeat(1025 - 4 - 9 - 12 - 3)) },
        { ReturnConsumedCapacity: 'TOTAL' },
      ).gives({ ConsumedCapacity: { TableName: '$T', CapacityUnits: 2 } }),
      // A read counts the numbers as stored.
      put({ pk: S('r3'), embedding: vector(wide, wide, wide), pad: S('x'.repeat(4096 - 4 - 9 - 12 - 3)) }).succeeds(),
      get({ pk: S('r3') }, { ReturnConsumedCapacity: 'TOTAL' }).givesPartly({
        ConsumedCapacity: { TableName: '$T', CapacityUnits: 2 },
      }),
    ],
  }),

  refusedVector('of-another-size', vector(1, 0), 'Invalid size for parameter embedding, Expected: 3, Actual: 2'),
  refusedVector(
    'with-a-text',
    L(N(1), S('oops'), N(0)),
    'Invalid type for parameter embedding[1], Expected: 32-bit floating point number, Actual: S.',
  ),
  refusedVector(
    'that-is-no-list',
    S('not-a-vector'),
    'Invalid type for parameter embedding, Expected: 32-bit floating point number list',
  ),
  refusedVector(
    'out-of-range',
    vector('1E+39', 0, 0),
    'Invalid value for parameter embedding[0], Value: 1E+39 is outside valid range [-3.4028235E38, 3.4028235E38].',
  ),
  refusedItem(
    'with-another-type-of-partition-key',
    { tenant: N(1), embedding: vector(1, 0, 0) },
    "One or more parameter values were invalid. Attribute 'tenant' type mismatch. Expected: S, Actual: N. IndexName: schema",
  ),
  refusedItem(
    'with-another-type-of-filter',
    { category: N(1), embedding: vector(1, 0, 0) },
    "One or more parameter values were invalid. Attribute 'category' type mismatch. Expected: S, Actual: N. IndexName: schema",
  ),
  row('vector-index/refuses-an-empty-partition-key', 'DB-070', CAPTURED_2026, {
    table: tenantTable,
    items: [{ pk: S('x'), embedding: vector(1, 0, 0) }],
    steps: [
      put({ pk: S('x'), tenant: S(''), embedding: vector(1, 0, 0) }).invalid(
        'One or more parameter values are not valid. A value specified for a secondary index key is not supported. The AttributeValue for a key attribute cannot contain an empty string value. IndexName: schema, IndexKey: tenant',
      ),
      update({ pk: S('x') }, 'SET tenant = :t', { ExpressionAttributeValues: { ':t': S('') } }).invalid(
        'One or more parameter values are not valid. The update expression attempted to update a secondary index key to a value that is not supported. The AttributeValue for a key attribute cannot contain an empty string value.',
      ),
      get({ pk: S('x') }).gives({ Item: { pk: S('x'), embedding: vector(1, 0, 0) } }),
    ],
  }),
  row('vector-index/refuses-an-update-to-no-vector', 'DB-070', assumed('as for items that are put'), {
    table: plainTable,
    items: [{ pk: S('x'), embedding: vector(1, 0, 0) }],
    steps: [
      update({ pk: S('x') }, 'SET embedding = :v', { ExpressionAttributeValues: { ':v': vector(1) } }).invalid(
        'One or more parameter values were invalid. Invalid size for parameter embedding, Expected: 3, Actual: 1 IndexName: vix',
      ),
      update({ pk: S('x') }, 'SET a = :v', { ExpressionAttributeValues: { ':v': N(1) } }).succeeds(),
    ],
  }),

  refusedSearch(
    'too-many-results',
    { TopK: 101 },
    "Provided TopK value '101' is out of valid range. The value must be between 1 and 100 inclusive",
  ),
  refusedSearch('no-results', { TopK: 0 }, matching(/greater than or equal to 1/)),
  refusedSearch(
    'search-without-partition-key',
    { IndexName: 'schema' },
    'SearchConditionExpression must be provided when SearchSchema has a HASH key',
  ),
  refusedSearch(
    'comparators-on-the-partition-key',
    { IndexName: 'schema', SearchConditionExpression: 'tenant < :t', ExpressionAttributeValues: { ':t': S('t') } },
    'Invalid SearchConditionExpression: Invalid comparator used in SearchConditionExpression',
  ),
  refusedSearch(
    'comparators-on-a-filter',
    {
      IndexName: 'schema',
      SearchConditionExpression: 'tenant = :t AND category < :c',
      ExpressionAttributeValues: { ':t': S('t'), ':c': S('c') },
    },
    'Invalid SearchConditionExpression: Invalid comparator used in SearchConditionExpression',
  ),
  refusedSearch(
    'between',
    {
      IndexName: 'schema',
      SearchConditionExpression: 'tenant = :t AND category BETWEEN :a AND :b',
      ExpressionAttributeValues: { ':t': S('t'), ':a': S('a'), ':b': S('b') },
    },
    'Invalid SearchConditionExpression: Invalid operator used in SearchConditionExpression',
    'recorded: measurements published with a comparison of vector stores, August 2026',
  ),
  refusedSearch(
    'another-size-of-vector',
    { SearchVector: [N(1), N(0)] },
    'Input search vector dimension 2 does not match vector index dimension 3',
  ),
  refusedSearch(
    'attributes-outside-the-schema',
    { SearchConditionExpression: 'tenant = :t', ExpressionAttributeValues: { ':t': S('t') } },
    'SearchConditionExpression must not contain any attributes that is not in SearchSchema. Invalid attribute: tenant',
  ),
  refusedSearch(
    'a-list-as-vector',
    { SearchVector: [L(N(1), N(0), N(0))] },
    'Search vector contains invalid values. All values in the search vector must be a 32-bit floating-point number attribute',
  ),
  refusedSearch(
    'a-number-out-of-range',
    { SearchVector: [N('1E+39'), N(0), N(0)] },
    'Search vector contains invalid values. All values in the search vector must be a 32-bit floating-point number attribute',
  ),
  refusedSearch(
    'another-type-of-partition-key',
    { IndexName: 'schema', SearchConditionExpression: 'tenant = :t', ExpressionAttributeValues: { ':t': N(1) } },
    "Type of 'tenant' attribute in SearchConditionExpression (N) does not match type in search schema (S)",
  ),
  refusedSearch(
    'an-empty-partition-key',
    { IndexName: 'schema', SearchConditionExpression: 'tenant = :t', ExpressionAttributeValues: { ':t': S('') } },
    'One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty string value. Key: tenant',
  ),
  refusedSearch(
    'an-index-that-is-not-there',
    { IndexName: 'no-such-index' },
    'The table does not have the specified index: no-such-index',
  ),
  refusedSearch('a-short-index-name', { IndexName: 'ab' }, matching(/IndexName.*length greater than or equal to 3/)),
  refusedSearch('an-empty-vector', { SearchVector: [] }, matching(/SearchVector.*length greater than or equal to 1/)),
  row('vector-search/needs-a-table', 'DB-274', CAPTURED_2026, {
    steps: [
      call('SearchVectors', { TableName: '$T', IndexName: 'vix', SearchVector: [N(1)], TopK: 1 }).fails(
        'ResourceNotFoundException',
        'Requested resource not found',
      ),
    ],
  }),
  row('vector-index/read-by-searches-only', 'DB-065', `${EXTENDDB}; ${CAPTURED_2026}`, {
    table: plainTable,
    items: [{ pk: S('a'), embedding: vector(1, 0, 0) }],
    steps: [
      call('Query', {
        TableName: '$T',
        IndexName: 'vix',
        KeyConditionExpression: 'pk = :a',
        ExpressionAttributeValues: { ':a': S('a') },
      }).invalid('Query operation not supported on this index type.'),
      call('Scan', { TableName: '$T', IndexName: 'vix' }).invalid('Scan operation not supported on this index type'),
      call('Scan', { TableName: '$T', IndexName: 'vix', ConsistentRead: true }).invalid(
        'Consistent reads are not supported on global secondary indexes',
      ),
      call('ExecuteStatement', { Statement: 'SELECT * FROM "$T"."vix"' }).invalid(
        'Scan operation not supported on this index type',
      ),
      call('ExecuteStatement', { Statement: `SELECT * FROM "$T" WHERE pk = 'a'` }).gives({
        Items: [{ pk: S('a'), embedding: vector(1, 0, 0) }],
      }),
    ],
  }),

  row('vector-index/described', 'DB-056', CAPTURED_2026, {
    table: tenantTable,
    items: [{ pk: S('a'), embedding: vector(1, 0, 0) }],
    steps: [
      call('DescribeTable', { TableName: '$T' }).givesPartly({
        Table: partial({
          AttributeDefinitions: unordered([
            { AttributeName: 'pk', AttributeType: 'S' },
            { AttributeName: 'tenant', AttributeType: 'S' },
            { AttributeName: 'category', AttributeType: 'S' },
          ]),
          VectorIndexes: unordered([
            {
              ...described,
              IndexName: 'plain',
              IndexArn: matching(/\/index\/plain$/),
              IndexStatus: 'ACTIVE',
              ItemCount: anyNumber,
              IndexSizeBytes: anyNumber,
            },
            {
              ...described,
              ...byTenant,
              IndexName: 'schema',
              IndexArn: matching(/\/index\/schema$/),
              IndexStatus: 'ACTIVE',
              ItemCount: 0,
              IndexSizeBytes: 0,
            },
          ]),
        }),
      }),
    ],
  }),
  refusedIndex(
    'a-provisioned-table',
    table('pk:S', { throughput: [5, 5], more: { VectorIndexes: [vectorIndex('vix')] } }),
    invalidParameter('Vector indexes are only supported for PAY_PER_REQUEST tables'),
  ),
  refusedIndex(
    'search-attributes-without-definition',
    vectorTable([vectorIndex('vix', { SearchSchema: [{ AttributeName: 'tenant', SearchSchemaElementType: 'HASH' }] })]),
    invalidParameter('One element in SearchSchema is not defined in attribute definitions'),
  ),
  refusedIndex(
    'too-many-dimensions',
    vectorTable([vectorIndex('vix', { Dimensions: 4097 })]),
    invalidParameter('Number of dimensions must be between 1 and 4096 inclusive.'),
  ),
  refusedIndex(
    'too-many-indexes',
    vectorTable(Array.from({ length: 6 }, (_, at) => vectorIndex(`vix-${at}`))),
    invalidParameter('VectorIndex count exceeds the per-table limit of 5'),
  ),
  refusedIndex(
    'two-sizes-of-one-attribute',
    vectorTable([vectorIndex('vix'), vectorIndex('vix2', { Dimensions: 4 })]),
    invalidParameter(
      "Conflicting attribute definition for 'embedding'. All VectorIndexes on the same vector attribute must use the same dimensions.",
    ),
  ),
  refusedIndex(
    'a-vector-attribute-with-definition',
    vectorTable([vectorIndex('vix')], 'pk:S', ['embedding']),
    invalidParameter(
      "Conflicting attribute definition for 'embedding'. An attribute cannot be defined in AttributeDefinitions when used as a VectorAttribute.",
    ),
    EXTENDDB,
  ),
  refusedIndex(
    'two-of-one-name',
    vectorTable([vectorIndex('vix'), vectorIndex('vix')]),
    invalidParameter('Duplicate index name: vix'),
    DYNOXIDE,
  ),
  refusedIndex(
    'the-name-of-another-index',
    table('pk:S', { gsis: { vix: 'a:S' }, more: { VectorIndexes: [vectorIndex('vix')] } }),
    invalidParameter('Duplicate index name: vix'),
    DYNOXIDE,
  ),
  refusedIndex('none-in-the-list', vectorTable([]), invalidParameter('List of VectorIndexes is empty'), DYNOXIDE),
  refusedIndex(
    'far-too-many-dimensions',
    vectorTable([vectorIndex('vix', { Dimensions: 4_294_967_296 })]),
    invalidParameter('Number of dimensions must be between 1 and 4096 inclusive.'),
    DYNOXIDE,
  ),
  refusedIndex(
    'two-partition-keys',
    vectorTable([vectorIndex('vix', { SearchSchema: [searched('a', 'HASH'), searched('b', 'HASH')] })], 'pk:S', [
      'a',
      'b',
    ]),
    invalidParameter(
      "Value '2' at 'SearchSchema' failed to satisfy constraint: Member must have HASH count less than or equal to 1",
    ),
    `${DYNOXIDE}; ${EXTENDDB}`,
  ),
  refusedIndex(
    'nineteen-filters',
    vectorTable(
      [vectorIndex('vix', { SearchSchema: nineteen.map((name) => searched(name, 'INLINE_FILTER')) })],
      'pk:S',
      nineteen,
    ),
    invalidParameter(
      "Value '19' at 'SearchSchema' failed to satisfy constraint: Member must have INLINE_FILTER count less than or equal to 18",
    ),
    EXTENDDB,
  ),
  refusedIndex(
    'one-attribute-searched-twice',
    vectorTable(
      [vectorIndex('vix', { SearchSchema: [searched('a', 'HASH'), searched('a', 'INLINE_FILTER')] })],
      'pk:S',
      ['a'],
    ),
    invalidParameter('SearchSchema contains a duplicate AttributeName'),
    DYNOXIDE,
  ),
  refusedIndex(
    'an-unknown-distance-function',
    vectorTable([vectorIndex('vix', { DistanceFunction: 'MANHATTAN' })]),
    "1 validation error detected: Value 'MANHATTAN' at 'vectorIndexes.1.member.distanceFunction' failed to satisfy constraint: Member must satisfy enum value set: [DOT_PRODUCT, COSINE, EUCLIDEAN]",
    EXTENDDB,
  ),
  row('vector-index/cuts-off-a-fraction-of-dimensions', 'DB-056', DYNOXIDE, {
    table: vectorTable([vectorIndex('vix', { Dimensions: 3.5 })]),
    steps: [
      call('DescribeTable', { TableName: '$T' }).givesPartly({
        Table: partial({ VectorIndexes: [partial({ Dimensions: 3 })] }),
      }),
    ],
  }),
  row('vector-index/one-change-at-a-time', 'DB-059 DB-073', DYNOXIDE, {
    table: vectorTable([vectorIndex('vix')]),
    steps: [
      call('UpdateTable', {
        TableName: '$T',
        VectorIndexUpdates: [{ Delete: { IndexName: 'vix' } }, { Create: vectorIndex('two') }],
      }).fails(
        'LimitExceededException',
        'Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously per table',
      ),
      call('UpdateTable', {
        TableName: '$T',
        VectorIndexUpdates: [{ Delete: { IndexName: 'vix' }, Create: vectorIndex('two') }],
      }).invalid(invalidParameter('Only one vector index action is allowed per VectorIndexUpdate object')),
      call('DescribeTable', { TableName: '$T' }).givesPartly({
        Table: partial({
          TableStatus: 'ACTIVE',
          VectorIndexes: [partial({ IndexName: 'vix', IndexStatus: 'ACTIVE' })],
        }),
      }),
    ],
  }),
  row('vector-index/excludes-other-indexes-of-its-name-and-attribute', 'DB-059', DYNOXIDE, {
    table: vectorTable([vectorIndex('vix')]),
    steps: [
      addGlobalIndex('vix', 'a').invalid('Attempting to create an index which already exists'),
      addGlobalIndex('gsi', 'embedding').invalid(
        invalidParameter(
          'Attributes cannot be redefined. Please check that your attribute has the same type as previously defined. Existing schema: VectorIndexSchema:[VectorAttribute: key{embedding:L:3}] New schema: Schema:[SchemaElement: key{embedding:S:HASH}]',
        ),
      ),
    ],
  }),
  row('vector-index/accepts-4096-dimensions', 'DB-056', CAPTURED_2026, {
    table: vectorTable([vectorIndex('vix', { Dimensions: 4096 })]),
    steps: [
      call('DescribeTable', { TableName: '$T' }).givesPartly({
        Table: partial({ VectorIndexes: [partial({ Dimensions: 4096, IndexStatus: 'ACTIVE' })] }),
      }),
    ],
  }),
  row('vector-index/added-and-deleted', 'DB-059 DB-073', CAPTURED_2026, {
    table: table('pk:S'),
    items: [
      { pk: S('a'), embedding: vector(1, 0, 0) },
      { pk: S('b'), embedding: vector(0, 1, 0) },
      { pk: S('c'), embedding: S('no vector, from before the index') },
    ],
    steps: [
      addIndex(vectorIndex('vix', byTenant)).invalid(
        invalidParameter('One element in SearchSchema is not defined in attribute definitions'),
      ),
      addIndex(vectorIndex('vix', { VectorAttribute: { AttributeName: 'pk' } })).invalid(
        invalidParameter(
          'Attributes cannot be redefined. Please check that your attribute has the same type as previously defined. Existing schema: Schema:[SchemaElement: key{pk:S:HASH}] New schema: VectorIndexSchema:[VectorAttribute: key{pk:L:3}]',
        ),
      ),
      call('UpdateTable', {
        TableName: '$T',
        VectorIndexUpdates: [{ Create: vectorIndex('one') }, { Create: vectorIndex('two') }],
      }).fails(
        'LimitExceededException',
        'Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously per table',
      ),
      addIndex(vectorIndex('vix')).givesPartly({
        TableDescription: partial({
          TableStatus: 'UPDATING',
          VectorIndexes: [
            { ...described, IndexStatus: 'CREATING', Backfilling: false, ItemCount: 0, IndexSizeBytes: 0 },
          ],
        }),
      }),
      // An index that answers is ready.
      search('vix', [1, 0, 0], { ProjectionExpression: 'pk' }).gives(results([{ pk: S('a') }, 0], [{ pk: S('b') }, 1])),
      call('DescribeTable', { TableName: '$T' }, { eventually: true }).givesPartly({
        Table: partial({
          VectorIndexes: [{ ...described, IndexStatus: 'ACTIVE', ItemCount: anyNumber, IndexSizeBytes: anyNumber }],
        }),
      }),
      addIndex(vectorIndex('vix')).invalid('Attempting to create an index which already exists'),
      call('UpdateTable', {
        TableName: '$T',
        BillingMode: 'PROVISIONED',
        ProvisionedThroughput: { ReadCapacityUnits: 1, WriteCapacityUnits: 1 },
      }).invalid(invalidParameter('Vector indexes are only supported for PAY_PER_REQUEST tables')),
      call('UpdateTable', { TableName: '$T', VectorIndexUpdates: [{ Delete: { IndexName: 'vix' } }] }).givesPartly({
        TableDescription: partial({ VectorIndexes: [partial({ IndexName: 'vix', IndexStatus: 'DELETING' })] }),
      }),
      call('DescribeTable', { TableName: '$T' }, { eventually: true }).givesPartly({
        Table: partial({ TableStatus: 'ACTIVE', VectorIndexes: absent }),
      }),
      search('vix', [1, 0, 0]).invalid('The table does not have the specified index: vix'),
    ],
  }),
  row('vector-index/no-more-than-five', 'DB-073', EXTENDDB, {
    table: vectorTable(Array.from({ length: 5 }, (_, at) => vectorIndex(`vix-${at}`))),
    steps: [
      addIndex(vectorIndex('vix-5')).fails(
        'LimitExceededException',
        'Subscriber limit exceeded: Number of vector secondary indexes exceeds per-table limit of 5',
      ),
    ],
  }),
  row('vector-search/as-many-as-are-wanted', 'DB-056', CAPTURED_2026, {
    table: plainTable,
    steps: [
      check('a hundred and twenty items, of which the nearest are answered', async ({ succeed, expect }) => {
        for (let batch = 0; batch < 120; batch += 20) {
          await succeed('BatchWriteItem', {
            RequestItems: {
              $T: Array.from({ length: 20 }, (_, at) =>
                putRequest({ pk: S(String(batch + at)), embedding: vector(1, batch + at, 0) }),
              ),
            },
          });
        }
        for (const wanted of [1, 10, 100]) {
          const answer = await succeed('SearchVectors', {
            TableName: '$T',
            IndexName: 'vix',
            SearchVector: [N(1), N(0), N(0)],
            TopK: wanted,
            ProjectionExpression: 'pk',
          });
          const found = (answer['SearchResults'] as readonly { readonly Item: WireItem }[]).map(
            ({ Item }) => Item['pk'],
          );
          expect(
            `${wanted} results`,
            found,
            Array.from({ length: wanted }, (_, at) => S(String(at))),
          );
        }
      }),
    ],
  }),
  row('vector-search/null-or-missing-members', 'DB-056', CAPTURED_2026, {
    steps: [
      ...(
        [
          ['TableName', 'a string'],
          ['IndexName', 'a string'],
          ['SearchVector', 'a sequence'],
          ['TopK', 'i32'],
        ] as const
      ).map(([name, wanted]) =>
        call('SearchVectors', { ...wholeSearch, [name]: null }).fails(
          'SerializationException',
          matching(new RegExp(`^invalid type: null, expected ${wanted} at line 1 column \\d+$`)),
        ),
      ),
      ...[searchWithoutTable, { ...searchWithoutTable, IndexName: 'ab' }].map((input) =>
        call('SearchVectors', input).invalid(matching(/^missing field `TableName` at line 1 column \d+$/)),
      ),
    ],
  }),
  row('vector-search/by-binary-partition-key', 'DB-056', assumed('keys of all types are encoded alike'), {
    table: {
      ...vectorTable([vectorIndex('vix', { SearchSchema: [{ AttributeName: 'b', SearchSchemaElementType: 'HASH' }] })]),
      AttributeDefinitions: [
        { AttributeName: 'pk', AttributeType: 'S' },
        { AttributeName: 'b', AttributeType: 'B' },
      ],
    },
    items: [
      { pk: S('x'), b: B('one'), embedding: vector(1, 0, 0) },
      { pk: S('y'), b: B('two'), embedding: vector(1, 0, 0) },
    ],
    steps: [
      search('vix', [1, 0, 0], {
        SearchConditionExpression: 'b = :b',
        ExpressionAttributeValues: { ':b': B('two') },
        ProjectionExpression: 'pk',
      }).gives(results([{ pk: S('y') }, 0])),
    ],
  }),
];
