import { anything } from '../matchers.ts';
import type { Row } from '../row.ts';
import { row } from '../row.ts';
import { docs } from '../sources.ts';
import { get, items, put, query, remove, scan, update } from '../steps.ts';
import { hashTable, rangeTable, table } from '../tables.ts';
import { N, S } from '../values.ts';
import { execute } from './partiql-notation.ts';

const CORE = docs('Core components of Amazon DynamoDB');
const CONSISTENCY = docs('DynamoDB read consistency');
const SELECT = docs('PartiQL select statements for DynamoDB');

const collection = query('pk = :p', { ':p': S('Tom Hanks') });

/** What DynamoDB promises as a whole, rather than for one action or parameter. */
export const wholeServiceRows: readonly Row[] = [
  row('service/hash-table', 'DB-001 DB-022', CORE, {
    table: hashTable,
    items: [{ pk: S('a'), n: N(1) }],
    steps: [
      get({ pk: S('a') }).gives({ Item: { pk: S('a'), n: N(1) } }),
      query('pk = :p', { ':p': S('a') }).gives(items({ pk: S('a'), n: N(1) })),
      query('pk = :p AND n > :n', { ':p': S('a'), ':n': N(0) }).invalid(anything),
    ],
  }),
  row('service/wide-column-store', 'DB-001 DB-077', CORE, {
    table: rangeTable,
    items: [
      { pk: S('Tom Hanks'), sk: S('Toy Story') },
      { pk: S('Tim Allen'), sk: S('Toy Story') },
      { pk: S('Tom Hanks'), sk: S('Cast Away') },
    ],
    steps: [
      collection.gives(items({ pk: S('Tom Hanks'), sk: S('Cast Away') }, { pk: S('Tom Hanks'), sk: S('Toy Story') })),
      query('pk = :p AND sk < :s', { ':p': S('Tom Hanks'), ':s': S('D') }).gives(
        items({ pk: S('Tom Hanks'), sk: S('Cast Away') }),
      ),
    ],
  }),
  row('service/no-joins', 'DB-013', SELECT, {
    table: rangeTable,
    tables: { U: rangeTable },
    steps: [
      execute('SELECT * FROM "$T", "$U"').invalid(anything),
      execute('SELECT * FROM "$T" JOIN "$U" ON "$T".pk = "$U".pk').invalid(anything),
    ],
  }),
  row('service/no-aggregates', 'DB-010', SELECT, {
    table: rangeTable,
    steps: [
      execute('SELECT COUNT(*) FROM "$T"').invalid(anything),
      execute('SELECT pk FROM "$T" GROUP BY pk').invalid(anything),
    ],
  }),
  row('service/reads-what-was-written', 'DB-093 DB-092', CONSISTENCY, {
    table: rangeTable,
    steps: Array.from({ length: 20 }, (_, n) => [
      put({ pk: S('a'), sk: S('b'), n: N(n) }).succeeds(),
      get({ pk: S('a'), sk: S('b') }).gives({ Item: { pk: S('a'), sk: S('b'), n: N(n) } }),
      query('pk = :p', { ':p': S('a') }).gives(items({ pk: S('a'), sk: S('b'), n: N(n) })),
      scan().gives(items({ pk: S('a'), sk: S('b'), n: N(n) })),
      remove({ pk: S('a'), sk: S('b') }).succeeds(),
      get({ pk: S('a'), sk: S('b') }).gives({}),
    ]).flat(),
  }),
  row('service/the-reader-leaves-out-what-has-expired', 'DB-261', docs('Working with expired items and time to live'), {
    table: table('pk:S / sk:S'),
    items: [
      { pk: S('u'), sk: S('made by hand') },
      { pk: S('u'), sk: S('over'), expires: N(1_700_000_000) },
      { pk: S('u'), sk: S('valid'), expires: N(1_700_000_900) },
    ],
    steps: [
      query(
        'pk = :p',
        { ':p': S('u'), ':now': N(1_700_000_600) },
        { FilterExpression: 'attribute_not_exists(expires) OR expires > :now' },
      ).gives({
        Items: [
          { pk: S('u'), sk: S('made by hand') },
          { pk: S('u'), sk: S('valid'), expires: N(1_700_000_900) },
        ],
        Count: 2,
        ScannedCount: 3,
      }),
      update({ pk: S('u'), sk: S('over') }, 'SET expires = :later', {
        ConditionExpression: 'expires > :now',
        ExpressionAttributeValues: { ':later': N(1_700_009_000), ':now': N(1_700_000_600) },
      }).conditionFails(),
    ],
  }),
];
