import { messageContaining, oneOf } from '../matchers.ts';
import type { Row } from '../row.ts';
import { row } from '../row.ts';
import { CAPTURED_2026, docs, DYNALITE } from '../sources.ts';
import { batchWrite, deleteRequest, put, putAction, putRequest, remove, transactWrite, update } from '../steps.ts';
import { rangeTable, table } from '../tables.ts';
import { N, S } from '../values.ts';

const METRICS = docs('Item collections in DynamoDB, size estimate');
const withLocalIndex = table('pk:S / sk:S', { lsis: { lsi1: 'pk:S / l:S' } });
const SIZE = { ReturnItemCollectionMetrics: 'SIZE' };
const key = { pk: S('x'), sk: S('y') };
const metrics = { ItemCollectionKey: { pk: S('x') }, SizeEstimateRangeGB: [0, 1] };

export const itemCollectionMetricsRows: readonly Row[] = [
  row('item-collection-metrics/on-every-write', 'DB-188 DB-189', CAPTURED_2026, {
    table: withLocalIndex,
    steps: [
      put({ ...key, l: S('z') }, SIZE).gives({ ItemCollectionMetrics: metrics }),
      update(key, 'SET a = :a', { ...SIZE, ExpressionAttributeValues: { ':a': N(1) } }).gives({
        ItemCollectionMetrics: metrics,
      }),
      remove(key, SIZE).gives({ ItemCollectionMetrics: metrics }),
    ],
  }),
  row('item-collection-metrics/not-unless-asked-for', 'DB-188', CAPTURED_2026, {
    table: withLocalIndex,
    steps: [put(key).gives({}), put(key, { ReturnItemCollectionMetrics: 'NONE' }).gives({})],
  }),
  row('item-collection-metrics/not-without-a-local-index', 'DB-188', METRICS, {
    table: rangeTable,
    steps: [put(key, SIZE).gives({}), update(key, undefined, SIZE).gives({}), remove(key, SIZE).gives({})],
  }),
  row('item-collection-metrics/of-a-batch', 'DB-188 DB-189', docs('API_BatchWriteItem'), {
    table: withLocalIndex,
    steps: [
      batchWrite([putRequest(key), deleteRequest({ pk: S('x'), sk: S('z') })], SIZE).givesPartly({
        ItemCollectionMetrics: { $T: oneOf([metrics], [metrics, metrics]) },
      }),
    ],
  }),
  row('item-collection-metrics/of-a-transaction', 'DB-188 DB-189', docs('API_TransactWriteItems'), {
    table: withLocalIndex,
    steps: [transactWrite([putAction(key)], SIZE).gives({ ItemCollectionMetrics: { $T: [metrics] } })],
  }),
  row('item-collection-metrics/with-consumed-capacity', 'DB-188 DB-191', METRICS, {
    table: withLocalIndex,
    steps: [
      put({ ...key, a: N(1) }, { ...SIZE, ReturnValues: 'ALL_OLD' }).gives({ ItemCollectionMetrics: metrics }),
      put(key, { ...SIZE, ReturnValues: 'ALL_OLD', ReturnConsumedCapacity: 'TOTAL' }).gives({
        Attributes: { ...key, a: N(1) },
        ItemCollectionMetrics: metrics,
        ConsumedCapacity: { TableName: '$T', CapacityUnits: 1 },
      }),
    ],
  }),
  row('item-collection-metrics/unknown-mode', 'DB-188 DB-273', DYNALITE, {
    table: withLocalIndex,
    steps: [
      put(key, { ReturnItemCollectionMetrics: 'ALL' }).invalid(
        oneOf(
          "Value 'ALL' at 'returnItemCollectionMetrics' failed to satisfy constraint: Member must satisfy enum value set: [SIZE, NONE]",
          messageContaining('ailed to satisfy constraint: Member must satisfy enum value set: [SIZE, NONE]'),
        ),
      ),
    ],
  }),
];
