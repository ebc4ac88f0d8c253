import { messageContaining, oneOf, unordered } from '../matchers.ts';
import type { JsonObject, Row } from '../row.ts';
import { row } from '../row.ts';
import { ALTERNATOR, docs, DYNALITE, MOTO } from '../sources.ts';
import {
  batchGet,
  batchWrite,
  call,
  check,
  deleteAction,
  deleteRequest,
  get,
  put,
  putAction,
  putRequest,
  query,
  remove,
  scan,
  transactGet,
  transactWrite,
  update,
  updateAction,
} from '../steps.ts';
import { hashTable, rangeTable, table } from '../tables.ts';
import { N, S } from '../values.ts';
import type { WireItem } from '../values.ts';

const UNITS = docs('Capacity unit consumption');
const key = { pk: S('x') };

/** An item of exactly `bytes`: two bytes of name and one of value for the key, one of name for the padding. */
const sized = (bytes: number, rest: WireItem = {}, restBytes = 0): WireItem => ({
  ...key,
  ...rest,
  p: S('x'.repeat(bytes - 4 - restBytes)),
});
const total = (units: number): JsonObject => ({ ConsumedCapacity: { TableName: '$T', CapacityUnits: units } });
const TOTAL = { ReturnConsumedCapacity: 'TOTAL' };
const INDEXES = { ReturnConsumedCapacity: 'INDEXES' };

function readCosts(id: string, bytes: number, strong: number): Row {
  return row(`consumed-capacity/read-of-${id}`, 'DB-095 DB-097 DB-182', UNITS, {
    table: hashTable,
    items: [sized(bytes)],
    steps: [
      get(key, { ...TOTAL, ConsistentRead: true, ProjectionExpression: 'pk' }).gives({ Item: key, ...total(strong) }),
      call('GetItem', { TableName: '$T', Key: key, ...TOTAL, ProjectionExpression: 'pk' }).givesPartly(
        total(strong / 2),
      ),
      query('pk = :p', { ':p': S('x') }, { ...TOTAL, ConsistentRead: true, Select: 'COUNT' }).gives({
        Count: 1,
        ScannedCount: 1,
        ...total(strong),
      }),
      scan({ ...TOTAL, ConsistentRead: false, Select: 'COUNT' }).givesPartly(total(strong / 2)),
    ],
  });
}

function writeCosts(id: string, bytes: number, units: number): Row {
  return row(`consumed-capacity/write-of-${id}`, 'DB-096 DB-097', UNITS, {
    table: hashTable,
    steps: [put(sized(bytes), TOTAL).gives(total(units)), remove(key, TOTAL).gives(total(units))],
  });
}

const indexedTable = table('pk:S / sk:S', {
  gsis: { gsi1: 'a:S / b:S | INCLUDE c' },
  lsis: { lsi1: 'pk:S / l:S | KEYS_ONLY' },
});
const indexedKey = { pk: S('x'), sk: S('y') };
/** A write that affects the table, and the named ones of its two indexes. */
const touching = (tableUnits: number, gsi: number, lsi: number): JsonObject => ({
  ConsumedCapacity: {
    TableName: '$T',
    CapacityUnits: tableUnits + gsi + lsi,
    Table: { CapacityUnits: tableUnits },
    ...(lsi === 0 ? {} : { LocalSecondaryIndexes: { lsi1: { CapacityUnits: lsi } } }),
    ...(gsi === 0 ? {} : { GlobalSecondaryIndexes: { gsi1: { CapacityUnits: gsi } } }),
  },
});

export const consumedCapacityRows: readonly Row[] = [
  readCosts('3-kb', 3 * 1024, 1),
  readCosts('4-kb', 4 * 1024, 1),
  readCosts('4-kb-and-a-byte', 4 * 1024 + 1, 2),
  readCosts('5-kb', 5 * 1024, 2),
  readCosts('100-kb', 100 * 1024, 25),
  writeCosts('a-few-bytes', 10, 1),
  writeCosts('1-kb', 1024, 1),
  writeCosts('1-kb-and-a-byte', 1025, 2),
  writeCosts('10-kb', 10 * 1024, 10),

  row('consumed-capacity/read-of-a-missing-item', 'DB-099', `${ALTERNATOR}; ${MOTO}`, {
    table: hashTable,
    steps: [
      get(key, TOTAL).gives(total(1)),
      call('GetItem', { TableName: '$T', Key: key, ...TOTAL }).gives(total(0.5)),
      batchGet([key], { ConsistentRead: false }, TOTAL).gives({
        Responses: { $T: [] },
        UnprocessedKeys: {},
        ConsumedCapacity: [{ TableName: '$T', CapacityUnits: 0.5 }],
      }),
      transactGet([{ Key: key }], TOTAL).gives({
        Responses: [{}],
        ConsumedCapacity: [{ TableName: '$T', CapacityUnits: 2, ReadCapacityUnits: 2 }],
      }),
    ],
  }),
  row('consumed-capacity/sum-of-a-query-is-rounded-once', 'DB-099', UNITS, {
    table: rangeTable,
    items: Array.from({ length: 10 }, (_, n) => ({ pk: S('x'), sk: S(String(n)), p: S('x'.repeat(393)) })),
    steps: [
      // Ten items of 400 bytes.
      query('pk = :p', { ':p': S('x') }, { ...TOTAL, ConsistentRead: false, Select: 'COUNT' }).gives({
        Count: 10,
        ScannedCount: 10,
        ...total(0.5),
      }),
      query('pk = :p', { ':p': S('x') }, { ...TOTAL, ConsistentRead: true, Select: 'COUNT' }).gives({
        Count: 10,
        ScannedCount: 10,
        ...total(1),
      }),
      scan({ ...TOTAL, ConsistentRead: true, Select: 'COUNT' }).gives({ Count: 10, ScannedCount: 10, ...total(1) }),
      batchGet(
        Array.from({ length: 10 }, (_, n) => ({ pk: S('x'), sk: S(String(n)) })),
        { ConsistentRead: false, ProjectionExpression: 'nowhere' },
        TOTAL,
      ).givesPartly({
        ConsumedCapacity: [{ TableName: '$T', CapacityUnits: 5 }],
      }),
      batchGet(
        Array.from({ length: 10 }, (_, n) => ({ pk: S('x'), sk: S(String(n)) })),
        { ConsistentRead: true, ProjectionExpression: 'nowhere' },
        TOTAL,
      ).givesPartly({
        ConsumedCapacity: [{ TableName: '$T', CapacityUnits: 10 }],
      }),
    ],
  }),
  row('consumed-capacity/filters-and-projections-save-nothing', 'DB-100', UNITS, {
    table: rangeTable,
    items: Array.from({ length: 4 }, (_, n) => ({ pk: S('x'), sk: S(String(n)), p: S('x'.repeat(4000)) })),
    steps: [
      query('pk = :p', { ':p': S('x') }, { ...TOTAL, ConsistentRead: true, Select: 'COUNT' }).gives({
        Count: 4,
        ScannedCount: 4,
        ...total(4),
      }),
      query(
        'pk = :p',
        { ':p': S('x') },
        { ...TOTAL, ConsistentRead: true, ProjectionExpression: 'sk', FilterExpression: 'attribute_not_exists(p)' },
      ).gives({
        Count: 0,
        ScannedCount: 4,
        Items: [],
        ...total(4),
      }),
    ],
  }),
  row('consumed-capacity/larger-of-old-and-new', 'DB-101', ALTERNATOR, {
    table: hashTable,
    steps: [
      put(sized(3 * 1024), TOTAL).gives(total(3)),
      put(sized(1024), TOTAL).gives(total(3)),
      put(sized(1024), TOTAL).gives(total(1)),
      update(key, 'SET p = :p', { ...TOTAL, ExpressionAttributeValues: { ':p': S('x'.repeat(2 * 1024)) } }).gives(
        total(3),
      ),
      update(key, 'REMOVE p', TOTAL).gives(total(3)),
      update(key, 'SET a = :a', { ...TOTAL, ExpressionAttributeValues: { ':a': N(1) } }).gives(total(1)),
    ],
  }),
  row('consumed-capacity/delete', 'DB-101', ALTERNATOR, {
    table: hashTable,
    items: [sized(2 * 1024 + 1)],
    steps: [remove(key, TOTAL).gives(total(3)), remove(key, TOTAL).gives(total(1))],
  }),
  row('consumed-capacity/update-of-an-absent-item', 'DB-101', ALTERNATOR, {
    table: hashTable,
    steps: [update(key, 'SET a = :a', { ...TOTAL, ExpressionAttributeValues: { ':a': N(1) } }).gives(total(1))],
  }),

  row('consumed-capacity/three-modes', 'DB-186 DB-187', docs('API_PutItem, ReturnConsumedCapacity'), {
    table: hashTable,
    steps: [
      put(key).gives({}),
      put(key, { ReturnConsumedCapacity: 'NONE' }).gives({}),
      put(key, TOTAL).gives(total(1)),
      put(key, INDEXES).gives({ ConsumedCapacity: { TableName: '$T', CapacityUnits: 1, Table: { CapacityUnits: 1 } } }),
      get(key, INDEXES).gives({
        Item: key,
        ConsumedCapacity: { TableName: '$T', CapacityUnits: 1, Table: { CapacityUnits: 1 } },
      }),
    ],
  }),
  row('consumed-capacity/unknown-mode', 'DB-186 DB-273', MOTO, {
    table: hashTable,
    steps: [
      put(key, { ReturnConsumedCapacity: 'Garbage' }).invalid(
        oneOf(
          "Value 'Garbage' at 'returnConsumedCapacity' failed to satisfy constraint: Member must satisfy enum value set: [INDEXES, TOTAL, NONE]",
          messageContaining('ailed to satisfy constraint: Member must satisfy enum value set: [INDEXES, TOTAL, NONE]'),
        ),
      ),
    ],
  }),
  row(
    'consumed-capacity/index-writes',
    'DB-062 DB-074 DB-186 DB-187',
    docs('Global secondary indexes, write capacity units'),
    {
      table: indexedTable,
      steps: [
        // Not in any index.
        put({ ...indexedKey, n: N(1) }, INDEXES).gives(touching(1, 0, 0)),
        // Enters both.
        update(indexedKey, 'SET a = :v, b = :v, l = :v', {
          ...INDEXES,
          ExpressionAttributeValues: { ':v': S('1') },
        }).gives(touching(1, 1, 1)),
        // An attribute that neither index projects.
        update(indexedKey, 'SET n = :n', { ...INDEXES, ExpressionAttributeValues: { ':n': N(2) } }).gives(
          touching(1, 0, 0),
        ),
        // An attribute that the global index projects.
        update(indexedKey, 'SET c = :v', { ...INDEXES, ExpressionAttributeValues: { ':v': S('1') } }).gives(
          touching(1, 1, 0),
        ),
        // A changed key: removed from the old place, added at the new one.
        update(indexedKey, 'SET a = :v', { ...INDEXES, ExpressionAttributeValues: { ':v': S('2') } }).gives(
          touching(1, 2, 0),
        ),
        update(indexedKey, 'SET l = :v', { ...INDEXES, ExpressionAttributeValues: { ':v': S('2') } }).gives(
          touching(1, 0, 2),
        ),
        // Leaves one index, then the other when the item is deleted.
        update(indexedKey, 'REMOVE b', INDEXES).gives(touching(1, 1, 0)),
        remove(indexedKey, INDEXES).gives(touching(1, 0, 1)),
        remove(indexedKey, INDEXES).gives(touching(1, 0, 0)),
      ],
    },
  ),
  row(
    'consumed-capacity/total-includes-the-indexes',
    'DB-062 DB-186',
    docs('Global secondary indexes, write capacity units'),
    {
      table: indexedTable,
      steps: [
        put({ ...indexedKey, a: S('1'), b: S('1') }, TOTAL).gives({
          ConsumedCapacity: { TableName: '$T', CapacityUnits: 2 },
        }),
        // Index entries are rounded by their own size.
        put(
          { pk: S('x'), sk: S('z'), a: S('1'), b: S('1'), c: S('x'.repeat(1500)), p: S('x'.repeat(3000)) },
          INDEXES,
        ).gives(touching(5, 2, 0)),
      ],
    },
  ),
  row('consumed-capacity/index-reads', 'DB-062 DB-186 DB-187', UNITS, {
    table: indexedTable,
    items: [{ ...indexedKey, a: S('1'), b: S('1'), l: S('1'), p: S('x'.repeat(9000)) }],
    steps: [
      query('a = :v', { ':v': S('1') }, { ...INDEXES, IndexName: 'gsi1', Select: 'COUNT' }).gives({
        Count: 1,
        ScannedCount: 1,
        ConsumedCapacity: {
          TableName: '$T',
          CapacityUnits: 0.5,
          Table: { CapacityUnits: 0 },
          GlobalSecondaryIndexes: { gsi1: { CapacityUnits: 0.5 } },
        },
      }),
      query(
        'pk = :v',
        { ':v': S('x') },
        { ...INDEXES, IndexName: 'lsi1', ConsistentRead: true, Select: 'COUNT' },
      ).gives({
        Count: 1,
        ScannedCount: 1,
        ConsumedCapacity: {
          TableName: '$T',
          CapacityUnits: 1,
          Table: { CapacityUnits: 0 },
          LocalSecondaryIndexes: { lsi1: { CapacityUnits: 1 } },
        },
      }),
      query('pk = :v', { ':v': S('x') }, { ...INDEXES, ConsistentRead: true, Select: 'COUNT' }).gives({
        Count: 1,
        ScannedCount: 1,
        ConsumedCapacity: { TableName: '$T', CapacityUnits: 3, Table: { CapacityUnits: 3 } },
      }),
    ],
  }),

  row('consumed-capacity/batches-list-their-tables', 'DB-187 DB-099', ALTERNATOR, {
    tables: { T: hashTable, U: rangeTable },
    steps: [
      call('BatchWriteItem', {
        RequestItems: {
          $T: [putRequest({ pk: S('1') }), putRequest({ pk: S('2'), p: S('x'.repeat(1024)) })],
          $U: [putRequest({ pk: S('x'), sk: S('y') })],
        },
        ...TOTAL,
      }).gives({
        UnprocessedItems: {},
        ConsumedCapacity: unordered([
          { TableName: '$T', CapacityUnits: 3 },
          { TableName: '$U', CapacityUnits: 1 },
        ]),
      }),
      batchWrite([deleteRequest({ pk: S('2') }), deleteRequest({ pk: S('missing') })], INDEXES).gives({
        UnprocessedItems: {},
        ConsumedCapacity: [{ TableName: '$T', CapacityUnits: 3, Table: { CapacityUnits: 3 } }],
      }),
      call('BatchGetItem', {
        RequestItems: {
          $T: { Keys: [{ pk: S('1') }, { pk: S('3') }], ConsistentRead: true },
          $U: { Keys: [{ pk: S('x'), sk: S('y') }] },
        },
        ...TOTAL,
      }).givesPartly({
        ConsumedCapacity: unordered([
          { TableName: '$T', CapacityUnits: 2 },
          { TableName: '$U', CapacityUnits: 0.5 },
        ]),
      }),
    ],
  }),
  row(
    'consumed-capacity/transactions-cost-twice',
    'DB-098 DB-180 DB-187',
    docs('DynamoDB transactions: capacity management'),
    {
      table: hashTable,
      steps: [
        transactWrite([putAction(sized(1024))], TOTAL).gives({
          ConsumedCapacity: [{ TableName: '$T', CapacityUnits: 2, WriteCapacityUnits: 2 }],
        }),
        transactWrite([putAction(sized(1025))], INDEXES).gives({
          ConsumedCapacity: [
            {
              TableName: '$T',
              CapacityUnits: 4,
              WriteCapacityUnits: 4,
              Table: { CapacityUnits: 4, WriteCapacityUnits: 4 },
            },
          ],
        }),
        transactWrite(
          [
            updateAction(key, 'SET a = :a', { ExpressionAttributeValues: { ':a': N(1) } }),
            deleteAction({ pk: S('missing') }),
          ],
          TOTAL,
        ).gives({ ConsumedCapacity: [{ TableName: '$T', CapacityUnits: 6, WriteCapacityUnits: 6 }] }),
        transactGet([{ Key: key }], TOTAL).givesPartly({
          ConsumedCapacity: [{ TableName: '$T', CapacityUnits: 2, ReadCapacityUnits: 2 }],
        }),
      ],
    },
  ),
  row('consumed-capacity/transactional-reads', 'DB-098 DB-187', MOTO, {
    tables: { T: hashTable, U: rangeTable },
    items: [sized(5 * 1024), { pk: S('2') }],
    steps: [
      call('TransactGetItems', {
        TransactItems: [
          { Get: { TableName: '$T', Key: key, ProjectionExpression: 'pk' } },
          { Get: { TableName: '$T', Key: { pk: S('2') } } },
          { Get: { TableName: '$U', Key: { pk: S('x'), sk: S('y') } } },
        ],
        ...INDEXES,
      }).gives({
        Responses: [{ Item: key }, { Item: { pk: S('2') } }, {}],
        ConsumedCapacity: unordered([
          {
            TableName: '$T',
            CapacityUnits: 6,
            ReadCapacityUnits: 6,
            Table: { CapacityUnits: 6, ReadCapacityUnits: 6 },
          },
          {
            TableName: '$U',
            CapacityUnits: 2,
            ReadCapacityUnits: 2,
            Table: { CapacityUnits: 2, ReadCapacityUnits: 2 },
          },
        ]),
      }),
    ],
  }),
  row('consumed-capacity/adds-up-over-the-pages-of-a-query', 'DB-110 DB-099', `${UNITS}; ${DYNALITE}`, {
    table: rangeTable,
    items: Array.from({ length: 6 }, (_, n) => ({ pk: S('x'), sk: S(String(n)), p: S('x'.repeat(8192 - 7)) })),
    steps: [
      check('pages of two', async ({ succeed, expect }) => {
        const units: unknown[] = [];
        let start: unknown;
        do {
          const page = await succeed('Query', {
            TableName: '$T',
            KeyConditionExpression: 'pk = :p',
            ExpressionAttributeValues: { ':p': S('x') },
            ConsistentRead: true,
            Limit: 2,
            ...TOTAL,
            ...(start === undefined ? {} : { ExclusiveStartKey: start }),
          });
          units.push((page['ConsumedCapacity'] as { CapacityUnits: number }).CapacityUnits);
          start = page['LastEvaluatedKey'];
        } while (start !== undefined);
        expect('units of each page', units.slice(0, 3), [4, 4, 4]);
      }),
    ],
  }),
  row('consumed-capacity/on-demand-is-metered-too', 'DB-103 DB-110', docs('On-demand capacity mode'), {
    tables: { T: hashTable, U: table('pk:S', { throughput: [5, 5] }) },
    steps: [
      put(key, TOTAL).gives(total(1)),
      put(key, { ...TOTAL, TableName: '$U' }).gives({ ConsumedCapacity: { TableName: '$U', CapacityUnits: 1 } }),
    ],
  }),
];
