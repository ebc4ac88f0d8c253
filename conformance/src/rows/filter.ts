import { messageContaining } from '../matchers.ts';
import type { Row } from '../row.ts';
import { row } from '../row.ts';
import { blackSwan, castAway, moviesAndActors } from '../fixtures.ts';
import { docs, DYNALITE } from '../sources.ts';
import { check, query, scan } from '../steps.ts';
import { rangeTable, table } from '../tables.ts';
import { N, S } from '../values.ts';

const FILTERS = docs('Filter expressions for the Query operation');
const ten = Array.from({ length: 10 }, (_, n) => ({ pk: S('x'), sk: S(String(n)), odd: N(n % 2), tag: S('t') }));

export const filterRows: readonly Row[] = [
  row('filter/of-a-query', 'DB-211 DB-158', FILTERS, {
    table: moviesAndActors.table,
    items: moviesAndActors.items,
    steps: [
      query('Actor = :a', { ':a': S('Tom Hanks'), ':g': S('Drama') }, { FilterExpression: 'Genre = :g' }).gives({
        Count: 1,
        ScannedCount: 2,
        Items: [castAway],
      }),
    ],
  }),
  row('filter/of-a-scan', 'DB-166 DB-211', docs('Scan'), {
    table: moviesAndActors.table,
    items: moviesAndActors.items,
    steps: [
      check('dramas', async ({ succeed, expect }) => {
        const page = await succeed('Scan', {
          TableName: '$T',
          ConsistentRead: true,
          FilterExpression: 'Genre = :g',
          ExpressionAttributeValues: { ':g': S('Drama') },
        });
        expect('counts', [page['Count'], page['ScannedCount']], [2, 4]);
        const movies = (page['Items'] as { Movie: { S: string } }[]).map((item) => item.Movie.S).toSorted();
        expect('movies', movies, [blackSwan['Movie']?.['S'], castAway['Movie']?.['S']]);
      }),
    ],
  }),
  row('filter/same-grammar-as-conditions', 'DB-211 DB-223', FILTERS, {
    table: rangeTable,
    items: ten,
    steps: [
      query(
        'pk = :p',
        { ':p': S('x'), ':one': N(1) },
        { FilterExpression: 'NOT (odd = :one OR attribute_exists(nowhere)) AND size(tag) = :one', Select: 'COUNT' },
      ).gives({
        Count: 5,
        ScannedCount: 10,
      }),
    ],
  }),
  row('filter/not-on-key-attributes-of-a-query', 'DB-212', DYNALITE, {
    table: table('pk:S / sk:S', { gsis: { gsi1: 'a:S / b:S' }, lsis: { lsi1: 'pk:S / l:S' } }),
    steps: [
      query('pk = :p', { ':p': S('x'), ':s': S('y') }, { FilterExpression: 'sk = :s' }).invalid(
        'Filter Expression can only contain non-primary key attributes: Primary key attribute: sk',
      ),
      query('pk = :p', { ':p': S('x') }, { FilterExpression: 'attribute_exists(pk)' }).invalid(
        'Filter Expression can only contain non-primary key attributes: Primary key attribute: pk',
      ),
      query('a = :a', { ':a': S('x'), ':b': S('y') }, { IndexName: 'gsi1', FilterExpression: 'b = :b' }).invalid(
        'Filter Expression can only contain non-primary key attributes: Primary key attribute: b',
      ),
      // In an index, the table's key is an attribute like any other.
      query(
        'a = :a',
        { ':a': S('x'), ':s': S('y') },
        { IndexName: 'gsi1', FilterExpression: 'sk = :s OR pk = :s' },
      ).gives({ Count: 0, ScannedCount: 0, Items: [] }),
      query('pk = :p', { ':p': S('x'), ':s': S('y') }, { IndexName: 'lsi1', FilterExpression: 'sk = :s' }).gives({
        Count: 0,
        ScannedCount: 0,
        Items: [],
      }),
    ],
  }),
  row('filter/scan-may-filter-key-attributes', 'DB-212', docs('Scan'), {
    table: rangeTable,
    items: ten,
    steps: [
      scan({
        FilterExpression: 'sk >= :s AND pk = :p',
        ExpressionAttributeValues: { ':s': S('8'), ':p': S('x') },
      }).gives({
        Count: 2,
        ScannedCount: 10,
        Items: ten.slice(8),
      }),
    ],
  }),
  row('filter/comes-after-the-limit', 'DB-214 DB-157', FILTERS, {
    table: rangeTable,
    items: ten,
    steps: [
      query(
        'pk = :p',
        { ':p': S('x'), ':one': N(1) },
        { FilterExpression: 'odd = :one', Limit: 5, Select: 'COUNT' },
      ).gives({
        Count: 2,
        ScannedCount: 5,
        LastEvaluatedKey: { pk: S('x'), sk: S('4') },
      }),
    ],
  }),
  row('filter/empty-page-before-the-end', 'DB-155 DB-213 DB-115', FILTERS, {
    table: rangeTable,
    items: ten,
    steps: [
      query('pk = :p', { ':p': S('x'), ':v': N(7) }, { FilterExpression: 'odd = :v', Limit: 3 }).gives({
        Count: 0,
        ScannedCount: 3,
        Items: [],
        LastEvaluatedKey: { pk: S('x'), sk: S('2') },
      }),
    ],
  }),
  row('filter/saves-no-units', 'DB-213 DB-100', docs('Capacity unit consumption for Query'), {
    table: rangeTable,
    items: ten.map((item) => ({ ...item, p: S('x'.repeat(2000)) })),
    steps: [{}, { FilterExpression: 'odd = :one' }, { FilterExpression: 'odd = :one', ProjectionExpression: 'sk' }].map(
      (more) =>
        query(
          'pk = :p',
          { ':p': S('x'), ...('FilterExpression' in more ? { ':one': N(1) } : {}) },
          { ...more, ReturnConsumedCapacity: 'TOTAL' },
        ).givesPartly({
          ScannedCount: 10,
          ConsumedCapacity: { TableName: '$T', CapacityUnits: 5 },
        }),
    ),
  }),
  row('filter/nothing-but-filter', 'DB-014 DB-203', FILTERS, {
    table: rangeTable,
    steps: [
      query(
        '',
        {},
        {
          KeyConditionExpression: undefined,
          FilterExpression: 'odd = :one',
          ExpressionAttributeValues: { ':one': N(1) },
        },
      ).invalid('Either the KeyConditions or KeyConditionExpression parameter must be specified in the request.'),
    ],
  }),
  row('filter/malformed', 'DB-223', DYNALITE, {
    table: rangeTable,
    steps: [
      scan({ FilterExpression: 'odd ==' }).invalid(
        messageContaining('Invalid FilterExpression: Syntax error; token: '),
      ),
    ],
  }),
];
