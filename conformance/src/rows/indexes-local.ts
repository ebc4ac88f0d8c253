import type { Row } from '../row.ts';
import { row } from '../row.ts';
import { moviesAndActors } from '../fixtures.ts';
import { ALTERNATOR, docs, DYNALITE } from '../sources.ts';
import { check, get, items, put, query, remove, scan, update } from '../steps.ts';
import { table } from '../tables.ts';
import { N, S } from '../values.ts';
import type { WireItem } from '../values.ts';

const LSI = docs('Local secondary indexes');
const indexed = table('pk:S / sk:S', { lsis: { lsi1: 'pk:S / l:N' } });
const p = { ':p': S('x') };
const item = (sk: string, l?: number, more: WireItem = {}): WireItem => ({
  pk: S('x'),
  sk: S(sk),
  ...(l === undefined ? {} : { l: N(l) }),
  ...more,
});

export const localIndexRows: readonly Row[] = [
  row('index-local/another-order-of-the-same-collection', 'DB-057 DB-152', LSI, {
    table: indexed,
    items: [item('a', 3), item('b', 1), item('c', 2), item('d'), { pk: S('y'), sk: S('a'), l: N(0) }],
    steps: [
      query('pk = :p', p, { IndexName: 'lsi1' }).gives(items(item('b', 1), item('c', 2), item('a', 3))),
      query('pk = :p AND l >= :l', { ...p, ':l': N(2) }, { IndexName: 'lsi1', ScanIndexForward: false }).gives(
        items(item('a', 3), item('c', 2)),
      ),
    ],
  }),
  row('index-local/read-your-write', 'DB-060 DB-066', LSI, {
    table: indexed,
    steps: [
      check('fifty writes, each seen at once', async ({ succeed, expect }) => {
        for (let n = 0; n < 50; n++) {
          await succeed('PutItem', { TableName: '$T', Item: item(`s${n}`, 50 - n) });
          const page = await succeed('Query', {
            TableName: '$T',
            IndexName: 'lsi1',
            ConsistentRead: true,
            KeyConditionExpression: 'pk = :p AND l = :l',
            ExpressionAttributeValues: { ...p, ':l': N(50 - n) },
          });
          expect(`write ${n}`, page['Items'], [item(`s${n}`, 50 - n)]);
        }
      }),
    ],
  }),
  row('index-local/eventually-consistent-by-default', 'DB-060', LSI, {
    table: moviesAndActors.table,
    items: moviesAndActors.items,
    steps: [
      query(
        'Actor = :a',
        { ':a': S('Tom Hanks') },
        { IndexName: 'lsiYear', ConsistentRead: false, ReturnConsumedCapacity: 'TOTAL' },
      ).givesPartly({ ConsumedCapacity: { TableName: '$T', CapacityUnits: 0.5 } }),
    ],
  }),
  row('index-local/follows-every-write', 'DB-063 DB-066', LSI, {
    table: indexed,
    items: [item('a', 1)],
    steps: [
      update({ pk: S('x'), sk: S('a') }, 'SET l = :l', { ExpressionAttributeValues: { ':l': N(5) } }).gives({}),
      query('pk = :p', p, { IndexName: 'lsi1' }).gives(items(item('a', 5))),
      put(item('b', 5)).gives({}),
      query('pk = :p AND l = :l', { ...p, ':l': N(5) }, { IndexName: 'lsi1' }).gives(items(item('a', 5), item('b', 5))),
      update({ pk: S('x'), sk: S('a') }, 'REMOVE l').gives({}),
      query('pk = :p', p, { IndexName: 'lsi1' }).gives(items(item('b', 5))),
      remove({ pk: S('x'), sk: S('b') }).gives({}),
      query('pk = :p', p, { IndexName: 'lsi1' }).gives(items()),
      get({ pk: S('x'), sk: S('a') }).gives({ Item: item('a') }),
    ],
  }),
  row('index-local/type-is-enforced', 'DB-070', DYNALITE, {
    table: indexed,
    steps: [
      put({ pk: S('x'), sk: S('a'), l: S('1') }).invalid(
        'One or more parameter values were invalid: Type mismatch for Index Key l Expected: N Actual: S IndexName: lsi1',
      ),
      get({ pk: S('x'), sk: S('a') }).gives({}),
    ],
  }),
  row('index-local/fetches-what-is-not-projected', 'DB-069', LSI, {
    table: table('pk:S / sk:S', { lsis: { lsi1: 'pk:S / l:N | KEYS_ONLY' } }),
    items: [item('a', 1, { big: S('x'.repeat(9000)) }), item('b', 2, { big: S('y') })],
    steps: [
      query('pk = :p', p, { IndexName: 'lsi1' }).gives(items(item('a', 1), item('b', 2))),
      query('pk = :p', p, { IndexName: 'lsi1', Select: 'ALL_ATTRIBUTES' }).gives(
        items(item('a', 1, { big: S('x'.repeat(9000)) }), item('b', 2, { big: S('y') })),
      ),
      query('pk = :p AND l = :l', { ...p, ':l': N(2) }, { IndexName: 'lsi1', ProjectionExpression: 'sk, big' }).gives(
        items({ sk: S('b'), big: S('y') }),
      ),
    ],
  }),
  row('index-local/fetching-costs-more', 'DB-069 DB-062', LSI, {
    table: table('pk:S / sk:S', { lsis: { lsi1: 'pk:S / l:N | KEYS_ONLY' } }),
    items: [item('a', 1, { big: S('x'.repeat(9000)) })],
    steps: [
      query('pk = :p', p, {
        IndexName: 'lsi1',
        ConsistentRead: true,
        ReturnConsumedCapacity: 'INDEXES',
        Select: 'COUNT',
      }).gives({
        Count: 1,
        ScannedCount: 1,
        ConsumedCapacity: {
          TableName: '$T',
          CapacityUnits: 1,
          Table: { CapacityUnits: 0 },
          LocalSecondaryIndexes: { lsi1: { CapacityUnits: 1 } },
        },
      }),
      query('pk = :p', p, {
        IndexName: 'lsi1',
        ConsistentRead: true,
        ReturnConsumedCapacity: 'INDEXES',
        Select: 'ALL_ATTRIBUTES',
      }).givesPartly({
        ConsumedCapacity: {
          TableName: '$T',
          CapacityUnits: 4,
          Table: { CapacityUnits: 3 },
          LocalSecondaryIndexes: { lsi1: { CapacityUnits: 1 } },
        },
      }),
    ],
  }),
  row('index-local/page-keys', 'DB-075', LSI, {
    table: indexed,
    items: [item('a', 7), item('b', 7), item('c', 7)],
    steps: [
      query('pk = :p', p, { IndexName: 'lsi1', Limit: 1 }).gives({
        ...items(item('a', 7)),
        LastEvaluatedKey: item('a', 7),
      }),
      query('pk = :p', p, { IndexName: 'lsi1', Limit: 1, ExclusiveStartKey: item('a', 7) }).gives({
        ...items(item('b', 7)),
        LastEvaluatedKey: item('b', 7),
      }),
      query('pk = :p', p, { IndexName: 'lsi1', ExclusiveStartKey: item('b', 7) }).gives(items(item('c', 7))),
    ],
  }),
  row('index-local/no-limit-on-the-length-of-both-keys-together', 'DB-052', ALTERNATOR, {
    table: table('pk:S / sk:S', { lsis: { lsi1: 'pk:S / l:S' } }),
    items: [{ pk: S('x'), sk: S('s'.repeat(1024)), l: S('l'.repeat(1024)) }],
    steps: [
      query('pk = :p AND l = :l', { ...p, ':l': S('l'.repeat(1024)) }, { IndexName: 'lsi1', Select: 'COUNT' }).gives({
        Count: 1,
        ScannedCount: 1,
      }),
    ],
  }),
  row('index-local/scan', 'DB-065 DB-169', LSI, {
    table: indexed,
    items: [item('a', 2), item('b'), item('c', 1)],
    steps: [scan({ IndexName: 'lsi1' }).gives(items(item('c', 1), item('a', 2)))],
  }),
];
