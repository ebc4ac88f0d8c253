import { anyNumber, messageContaining, partial } from '../matchers.ts';
import type { JsonObject, Row } from '../row.ts';
import { row } from '../row.ts';
import { ALTERNATOR, assumed, CAPTURED_2026, docs, DYNALITE } from '../sources.ts';
import {
  batchWrite,
  call,
  cancelled,
  get,
  put,
  putAction,
  putRequest,
  transactWrite,
  update,
  updateAction,
  validationReason,
} from '../steps.ts';
import { hashTable, rangeTable, table } from '../tables.ts';
import { B, BOOL, BS, L, M, N, NS, NULL, S, SS } from '../values.ts';
import type { WireItem, WireValue } from '../values.ts';

const SIZES = docs('Item sizes and formats');
const ITEM_MAX = 409_600;
const TOO_LARGE = 'Item size has exceeded the maximum allowed size';
const UPDATE_TOO_LARGE = 'Item size to update has exceeded the maximum allowed size';
/** Long enough that UpdateItem, which charges for its clauses instead of the key, measures the item itself. */
const KEY: WireItem = { pk: S('a-key-of-thirty-two-characters..') };
const KEY_BYTES = 2 + 32;

/** An item of exactly `bytes`, most of it in attribute `p`. */
function itemOf(bytes: number, rest: WireItem = {}, restBytes = 0): WireItem {
  return { ...KEY, ...rest, p: padding(bytes - KEY_BYTES - restBytes - 1) };
}

const padding = (bytes: number): WireValue => S('x'.repeat(bytes));

/**
 * An attribute of a known size, made visible by the write units around it: with padding up to 1,024 bytes a put costs
 * one unit; with one byte more it costs two.
 */
function measures(id: string, covers: string, source: string, value: WireValue, valueBytes: number): Row {
  const cost = (bytes: number, units: number) =>
    put(itemOf(bytes, { v: value }, 1 + valueBytes), { ReturnConsumedCapacity: 'TOTAL' }).gives({
      ConsumedCapacity: { TableName: '$T', CapacityUnits: units },
    });
  return row(`item-size/${id}`, `DB-040 ${covers}`, source, {
    table: hashTable,
    steps: [cost(1024, 1), cost(1025, 2)],
  });
}

function putCosts(item: WireItem, units: number) {
  return put(item, { ReturnConsumedCapacity: 'TOTAL' }).gives({
    ConsumedCapacity: { TableName: '$T', CapacityUnits: units },
  });
}

const setPadding = (bytes: number): JsonObject => ({
  ExpressionAttributeValues: { ':p': padding(bytes - KEY_BYTES - 1) },
});

export const itemSizeRows: readonly Row[] = [
  row('item-size/update-charges-for-its-clauses', 'DB-039', CAPTURED_2026, {
    table: hashTable,
    steps: [
      // 3 for the key `pk`: `K`, 1 for the name `b`. A clause costs 19 and its target; an item is charged for the key instead.
      update({ pk: S('K') }, 'SET b = :b', { ExpressionAttributeValues: { ':b': padding(409_581 - 4) } }).gives({}),
      update({ pk: S('L') }, 'SET b = :b', { ExpressionAttributeValues: { ':b': padding(409_582 - 4) } }).invalid(
        UPDATE_TOO_LARGE,
      ),
      get({ pk: S('L') }).gives({}),
      put({ pk: S('L'), b: padding(ITEM_MAX - 4) }).gives({}),
    ],
  }),
  row('item-size/largest-item', 'DB-039 DB-114', CAPTURED_2026, {
    table: hashTable,
    steps: [put(itemOf(ITEM_MAX)).gives({}), get(KEY).gives({ Item: itemOf(ITEM_MAX) })],
  }),
  row('item-size/one-byte-too-large', 'DB-039 DB-114', CAPTURED_2026, {
    table: hashTable,
    steps: [put(itemOf(ITEM_MAX + 1)).invalid(TOO_LARGE), get(KEY).gives({})],
  }),
  row('item-size/bytes-count-not-characters', 'DB-039 DB-028', SIZES, {
    table: hashTable,
    steps: [
      put({ ...KEY, p: S('é'.repeat(204_783)) }).invalid(TOO_LARGE),
      put({ ...KEY, p: S('é'.repeat(204_782)) }).gives({}),
    ],
  }),
  row('item-size/names-count', 'DB-039 DB-041', SIZES, {
    table: hashTable,
    steps: [
      put({ ...KEY, ['n'.repeat(1000)]: padding(ITEM_MAX - KEY_BYTES - 1000) }).gives({}),
      put({ ...KEY, ['n'.repeat(1001)]: padding(ITEM_MAX - KEY_BYTES - 1000) }).invalid(TOO_LARGE),
    ],
  }),
  row('item-size/update-to-the-limit', 'DB-039', CAPTURED_2026, {
    table: hashTable,
    items: [{ ...KEY, p: S('x') }],
    steps: [
      update(KEY, 'SET p = :p', setPadding(ITEM_MAX)).gives({}),
      update(KEY, 'SET p = :p', setPadding(ITEM_MAX + 1)).invalid(UPDATE_TOO_LARGE),
      get(KEY).gives({ Item: itemOf(ITEM_MAX) }),
    ],
  }),
  row('item-size/update-may-not-grow-over-the-limit', 'DB-039', DYNALITE, {
    table: hashTable,
    items: [itemOf(300_000)],
    steps: [
      update(KEY, 'SET q = :q', { ExpressionAttributeValues: { ':q': padding(200_000) } }).invalid(UPDATE_TOO_LARGE),
      get(KEY).gives({ Item: itemOf(300_000) }),
    ],
  }),
  row('item-size/update-too-large-on-an-absent-item', 'DB-039', DYNALITE, {
    table: hashTable,
    steps: [update(KEY, 'SET p = :p', setPadding(ITEM_MAX + 1)).invalid(UPDATE_TOO_LARGE), get(KEY).gives({})],
  }),
  row('item-size/transaction-put', 'DB-039', CAPTURED_2026, {
    table: hashTable,
    steps: [
      transactWrite([putAction(itemOf(ITEM_MAX + 1))]).invalid(TOO_LARGE),
      transactWrite([putAction(itemOf(ITEM_MAX))]).gives({}),
    ],
  }),
  row('item-size/transaction-update', 'DB-039 DB-175', CAPTURED_2026, {
    table: hashTable,
    steps: [
      transactWrite([updateAction(KEY, 'SET p = :p', setPadding(ITEM_MAX + 1))]).answers(
        cancelled(validationReason(UPDATE_TOO_LARGE)),
      ),
      transactWrite([updateAction(KEY, 'SET p = :p', setPadding(ITEM_MAX))]).gives({}),
    ],
  }),
  row('item-size/batch-put', 'DB-039 DB-118', CAPTURED_2026, {
    table: hashTable,
    steps: [
      batchWrite([putRequest({ pk: S('small') }), putRequest(itemOf(ITEM_MAX + 1))]).invalid(TOO_LARGE),
      get({ pk: S('small') }).gives({}),
      batchWrite([putRequest(itemOf(ITEM_MAX))]).gives({ UnprocessedItems: {} }),
    ],
  }),
  row(
    'item-size/local-index-entries-count',
    'DB-042',
    `${docs('Local secondary indexes, considerations')}; ${assumed('the message')}`,
    {
      tables: {
        T: table('pk:S / sk:S', { lsis: { lsi1: 'pk:S / lsk:S' } }),
        U: rangeTable,
      },
      steps: [
        put({ pk: S('x'), sk: S('y'), lsk: S('z'), p: padding(250_000) }).invalid(messageContaining('size')),
        put({ pk: S('x'), sk: S('y'), p: padding(250_000) }).gives({}),
        put({ pk: S('x'), sk: S('y'), lsk: S('z'), p: padding(250_000) }, { TableName: '$U' }).gives({}),
      ],
    },
  ),

  row('item-size/worked-example', 'DB-040', docs('Working with items, item sizes'), {
    table: table('shirt-color:S / shirt-size:S'),
    steps: [
      // Two names and two one-letter values are 23 bytes.
      putCosts({ 'shirt-color': S('R'), 'shirt-size': S('M'), p: padding(1024 - 23 - 1) }, 1),
      putCosts({ 'shirt-color': S('R'), 'shirt-size': S('M'), p: padding(1024 - 23) }, 2),
    ],
  }),
  measures('string', '', SIZES, S('éa😃'), 7),
  measures('empty-string', '', SIZES, S(''), 0),
  measures('binary-is-measured-decoded', '', SIZES, B([1, 2, 3, 4]), 4),
  measures('boolean', '', SIZES, BOOL(true), 1),
  measures('null', '', SIZES, NULL, 1),
  measures('zero', 'DB-029', CAPTURED_2026, N(0), 1),
  measures('one-digit', 'DB-029', CAPTURED_2026, N(1), 2),
  measures('two-digits', 'DB-029', CAPTURED_2026, N(12), 2),
  measures('three-digits', 'DB-029', CAPTURED_2026, N(123), 3),
  measures('six-digits', 'DB-029', CAPTURED_2026, N(123456), 4),
  measures('digits-on-both-sides-of-the-point', 'DB-029', CAPTURED_2026, N('3.14159'), 5),
  measures('negative-number', 'DB-029', CAPTURED_2026, N(-123456), 5),
  measures('exponent-is-not-measured-written-out', 'DB-029', CAPTURED_2026, N('1E125'), 2),
  measures('thirty-eight-digits', 'DB-029', CAPTURED_2026, N('1'.repeat(38)), 20),
  measures('string-set', '', SIZES, SS('a', 'bb', 'ccc'), 6),
  measures('number-set', '', SIZES, NS(1, 12, 123), 7),
  measures('binary-set', '', SIZES, BS('a', 'bb'), 3),
  measures('empty-list', '', SIZES, L(), 3),
  measures('list', '', SIZES, L(S('ab'), N(1), NULL), 3 + 3 + 2 + 2 + 1),
  measures('empty-map', '', SIZES, M({}), 3),
  measures('map', '', SIZES, M({ name: S('ab'), n: N(1) }), 3 + 2 + 4 + 2 + 1 + 2),
  measures('nested', '', SIZES, L(M({ a: L() })), 3 + 1 + (3 + 1 + 1 + 3)),

  row('item-size/long-names-cost-on-every-item', 'DB-041', SIZES, {
    table: hashTable,
    steps: [
      putCosts({ ...KEY, nn: padding(1024 - KEY_BYTES - 20) }, 1),
      putCosts({ ...KEY, ['n'.repeat(20)]: padding(1024 - KEY_BYTES - 20) }, 1),
      putCosts({ ...KEY, ['n'.repeat(21)]: padding(1024 - KEY_BYTES - 20) }, 2),
    ],
  }),
  row('item-size/binary-kilobytes', 'DB-038', ALTERNATOR, {
    table: hashTable,
    items: [itemOf(4096)],
    steps: [
      get(KEY, { ReturnConsumedCapacity: 'TOTAL' }).givesPartly({
        ConsumedCapacity: { TableName: '$T', CapacityUnits: 1 },
      }),
      put(itemOf(4097)).gives({}),
      get(KEY, { ReturnConsumedCapacity: 'TOTAL' }).givesPartly({
        ConsumedCapacity: { TableName: '$T', CapacityUnits: 2 },
      }),
    ],
  }),
  row(
    'item-size/index-entries-are-reported',
    'DB-043 DB-140',
    assumed('the figures may lag by hours; their presence is documented (API_TableDescription)'),
    {
      table: table('pk:S', { gsis: { gsi1: 'a:S' } }),
      items: [{ pk: S('x'), a: S('y') }],
      steps: [
        call('DescribeTable', { TableName: '$T' }).givesPartly({
          Table: partial({
            ItemCount: anyNumber,
            TableSizeBytes: anyNumber,
            GlobalSecondaryIndexes: [partial({ ItemCount: anyNumber, IndexSizeBytes: anyNumber })],
          }),
        }),
      ],
    },
  ),
];
