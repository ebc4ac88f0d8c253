import { messageContaining, oneOf } from '../matchers.ts';
import type { JsonObject, Row } from '../row.ts';
import { row } from '../row.ts';
import { ALTERNATOR, assumed, docs, DYNALITE, MOTO, OUTSIDE_2026 } from '../sources.ts';
import { check, items, scan } from '../steps.ts';
import { hashTable, rangeTable, table } from '../tables.ts';
import { N, S } from '../values.ts';
import type { WireItem } from '../values.ts';

const SCAN = docs('API_Scan');

type Succeed = (action: string, input: JsonObject) => Promise<JsonObject>;

/** Reads all pages of a scan. */
async function scanAll(succeed: Succeed, input: JsonObject): Promise<readonly WireItem[]> {
  const found: WireItem[] = [];
  let start: unknown;
  do {
    const page = await succeed('Scan', {
      TableName: '$T',
      ...input,
      ...(start === undefined ? {} : { ExclusiveStartKey: start }),
    });
    found.push(...(page['Items'] as readonly WireItem[]));
    start = page['LastEvaluatedKey'];
  } while (start !== undefined);
  return found;
}

const keysOf = (found: readonly WireItem[]): readonly string[] =>
  found.map((item) => String(item['pk']?.['S'])).toSorted();

const load = (count: number) =>
  check(`${count} items`, async ({ succeed }) => {
    for (let start = 0; start < count; start += 25) {
      const requests = Array.from({ length: Math.min(25, count - start) }, (_, n) => ({
        PutRequest: { Item: { pk: S(`item-${start + n}`), n: N(start + n) } },
      }));
      await succeed('BatchWriteItem', { RequestItems: { $T: requests } });
    }
  });

const allKeys = (count: number): readonly string[] => Array.from({ length: count }, (_, n) => `item-${n}`).toSorted();

function refused(
  id: string,
  covers: string,
  source: string,
  more: JsonObject,
  message: Parameters<ReturnType<typeof scan>['invalid']>[0],
): Row {
  return row(`scan/${id}`, covers, source, {
    table: table('pk:S', { gsis: { gsi1: 'a:S | KEYS_ONLY' } }),
    steps: [scan(more).invalid(message)],
  });
}

export const scanRows: readonly Row[] = [
  row('scan/empty-table', 'DB-163', SCAN, { table: hashTable, steps: [scan().gives(items())] }),
  row('scan/every-item-once-with-any-page-size', 'DB-163 DB-155', SCAN, {
    table: hashTable,
    steps: [
      load(200),
      check('pages', async ({ succeed, expect }) => {
        for (const limit of [1000, 77, 13]) {
          expect(
            `${limit} a page`,
            keysOf(await scanAll(succeed, { Limit: limit, ConsistentRead: true })),
            allKeys(200),
          );
        }
        expect('no limit', keysOf(await scanAll(succeed, { ConsistentRead: true })), allKeys(200));
      }),
    ],
  }),
  row('scan/item-collections-stay-together-in-order', 'DB-164 DB-078', SCAN, {
    table: rangeTable,
    items: ['b', 'a', 'c'].flatMap((pk) => ['2', '3', '1'].map((sk) => ({ pk: S(pk), sk: S(sk) }))),
    steps: [
      check('order', async ({ succeed, expect }) => {
        const found = await scanAll(succeed, { Limit: 2, ConsistentRead: true });
        const places = found.map((item) => `${String(item['pk']?.['S'])}${String(item['sk']?.['S'])}`);
        for (const pk of ['a', 'b', 'c']) {
          const start = places.indexOf(`${pk}1`);
          expect(`collection ${pk}`, places.slice(start, start + 3), [`${pk}1`, `${pk}2`, `${pk}3`]);
        }
      }),
    ],
  }),
  row('scan/has-no-direction', 'DB-164', SCAN, {
    table: rangeTable,
    items: [
      { pk: S('x'), sk: S('1') },
      { pk: S('x'), sk: S('2') },
    ],
    steps: [scan({ ScanIndexForward: false }).gives(items({ pk: S('x'), sk: S('1') }, { pk: S('x'), sk: S('2') }))],
  }),
  row('scan/limit-and-start-key', 'DB-163 DB-157', DYNALITE, {
    table: rangeTable,
    items: ['1', '2', '3'].map((sk) => ({ pk: S('x'), sk: S(sk) })),
    steps: [
      scan({ Limit: 2 }).gives({
        ...items({ pk: S('x'), sk: S('1') }, { pk: S('x'), sk: S('2') }),
        LastEvaluatedKey: { pk: S('x'), sk: S('2') },
      }),
      scan({ Limit: 2, ExclusiveStartKey: { pk: S('x'), sk: S('2') } }).gives(items({ pk: S('x'), sk: S('3') })),
      scan({ Limit: 3 }).gives({
        ...items(...['1', '2', '3'].map((sk) => ({ pk: S('x'), sk: S(sk) }))),
        LastEvaluatedKey: { pk: S('x'), sk: S('3') },
      }),
    ],
  }),
  row('scan/select', 'DB-163 DB-159', MOTO, {
    table: hashTable,
    items: [{ pk: S('x'), a: N(1) }],
    steps: [
      scan({ Select: 'COUNT' }).gives({ Count: 1, ScannedCount: 1 }),
      scan({ Select: 'SPECIFIC_ATTRIBUTES', ProjectionExpression: 'a' }).gives(items({ a: N(1) })),
      scan({ Select: 'COUNT', Limit: 1 }).gives({ Count: 1, ScannedCount: 1, LastEvaluatedKey: { pk: S('x') } }),
    ],
  }),
  row('scan/pages-of-one-megabyte', 'DB-163 DB-115', SCAN, {
    table: hashTable,
    items: Array.from({ length: 6 }, (_, n) => ({ pk: S(`item-${n}`), p: S('x'.repeat(390_000)) })),
    steps: [
      check('pages', async ({ succeed, expect }) => {
        const first = await succeed('Scan', { TableName: '$T', ConsistentRead: true });
        expect('items of the first page', [2, 3].includes(Number(first['Count'])), true);
        expect('more to come', first['LastEvaluatedKey'] !== undefined, true);
        // A filter that removes every item does not make the pages longer.
        const filtered = await succeed('Scan', {
          TableName: '$T',
          ConsistentRead: true,
          FilterExpression: 'attribute_not_exists(pk)',
        });
        expect('nothing found', filtered['Count'], 0);
        expect('same reading', filtered['ScannedCount'], first['Count']);
        expect('same end', filtered['LastEvaluatedKey'], first['LastEvaluatedKey']);
        expect('all', keysOf(await scanAll(succeed, { ConsistentRead: true })), allKeys(6));
      }),
    ],
  }),
  row('scan/sparse-index', 'DB-169 DB-165 DB-063', docs('Take advantage of sparse indexes'), {
    table: table('pk:S', { gsis: { gsi1: 'CustomerIndexId:S' } }),
    items: [
      { pk: S('ORDER#1') },
      { pk: S('CUSTOMER#a'), CustomerIndexId: S('a') },
      { pk: S('ORDER#2') },
      { pk: S('CUSTOMER#b'), CustomerIndexId: S('b') },
    ],
    steps: [
      scan({ IndexName: 'gsi1', Select: 'COUNT' }).gives({ Count: 2, ScannedCount: 2 }),
      check('the customers', async ({ succeed, expect }) => {
        expect('keys', keysOf(await scanAll(succeed, { IndexName: 'gsi1', Limit: 1 })), ['CUSTOMER#a', 'CUSTOMER#b']);
      }),
    ],
  }),
  row('scan/local-index-consistently', 'DB-163 DB-060', SCAN, {
    table: table('pk:S / sk:S', { lsis: { lsi1: 'pk:S / l:S' } }),
    items: [
      { pk: S('x'), sk: S('1'), l: S('b') },
      { pk: S('x'), sk: S('2') },
      { pk: S('x'), sk: S('3'), l: S('a') },
    ],
    steps: [
      scan({ IndexName: 'lsi1', ConsistentRead: true }).gives(
        items({ pk: S('x'), sk: S('3'), l: S('a') }, { pk: S('x'), sk: S('1'), l: S('b') }),
      ),
    ],
  }),
  row('scan/in-segments', 'DB-167', SCAN, {
    table: hashTable,
    steps: [
      load(500),
      check('segments are disjoint and complete', async ({ succeed, expect }) => {
        for (const total of [1, 2, 7, 10]) {
          const segments = await Promise.all(
            Array.from({ length: total }, (_, segment) =>
              scanAll(succeed, { Segment: segment, TotalSegments: total, Limit: 50, ConsistentRead: true }),
            ),
          );
          expect(`${total} segments`, keysOf(segments.flat()), allKeys(500));
        }
      }),
    ],
  }),
  row('scan/most-segments', 'DB-168', SCAN, {
    table: hashTable,
    items: [{ pk: S('x') }],
    steps: [
      scan({ Segment: 999_999, TotalSegments: 1_000_000, Select: 'COUNT' }).givesPartly({}),
      scan({ Segment: 0, TotalSegments: 1_000_001 }).invalid(
        messageContaining(
          "otalSegments' failed to satisfy constraint: Member must have value less than or equal to 1000000",
        ),
      ),
    ],
  }),
  refused(
    'segment-without-a-total',
    'DB-168',
    DYNALITE,
    { Segment: 1 },
    'The TotalSegments parameter is required but was not present in the request when Segment parameter is present',
  ),
  refused(
    'total-without-a-segment',
    'DB-168',
    DYNALITE,
    { TotalSegments: 2 },
    'The Segment parameter is required but was not present in the request when parameter TotalSegments is present',
  ),
  refused(
    'segment-too-large',
    'DB-168',
    DYNALITE,
    { Segment: 2, TotalSegments: 2 },
    'The Segment parameter is zero-based and must be less than parameter TotalSegments: Segment: 2 is not less than TotalSegments: 2',
  ),
  refused(
    'negative-segment',
    'DB-168',
    DYNALITE,
    { Segment: -1, TotalSegments: 2 },
    oneOf(
      "Value '-1' at 'segment' failed to satisfy constraint: Member must have value greater than or equal to 0",
      messageContaining("egment' failed to satisfy constraint: Member must have value greater than or equal to 0"),
    ),
  ),
  refused(
    'no-segments',
    'DB-168',
    DYNALITE,
    { Segment: 0, TotalSegments: 0 },
    messageContaining("otalSegments' failed to satisfy constraint: Member must have value greater than or equal to 1"),
  ),
  row('scan/start-key-of-another-segment', 'DB-168', DYNALITE, {
    table: hashTable,
    steps: [
      load(50),
      check('each segment refuses the keys of the other', async ({ send, succeed, expect }) => {
        const page = await succeed('Scan', { TableName: '$T', Segment: 0, TotalSegments: 2, Limit: 1 });
        const answer = await send('Scan', {
          TableName: '$T',
          Segment: 1,
          TotalSegments: 2,
          ExclusiveStartKey: page['LastEvaluatedKey'],
        });
        expect('status', answer.status, 400);
        expect(
          'message',
          String((answer.body as JsonObject)['message']).endsWith(
            'The provided starting key is invalid: Invalid ExclusiveStartKey. Please use ExclusiveStartKey with correct Segment. TotalSegments: 2 Segment: 1',
          ),
          true,
        );
      }),
    ],
  }),
  refused(
    'incomplete-start-key',
    'DB-161',
    DYNALITE,
    { ExclusiveStartKey: { other: S('x') } },
    'The provided starting key is invalid: The provided key element does not match the schema',
  ),
  refused(
    'start-key-of-a-wrong-type',
    'DB-161',
    DYNALITE,
    { ExclusiveStartKey: { pk: N(1) } },
    'The provided starting key is invalid: The provided key element does not match the schema',
  ),
  refused(
    'incomplete-start-key-of-an-index',
    'DB-161',
    OUTSIDE_2026,
    { IndexName: 'gsi1', ExclusiveStartKey: { pk: S('x') } },
    'The provided starting key is invalid',
  ),
  refused(
    'start-key-of-an-index-with-a-wrong-type',
    'DB-161',
    `${OUTSIDE_2026}; ${assumed('as for an incomplete one')}`,
    { IndexName: 'gsi1', ExclusiveStartKey: { pk: S('x'), a: N(1) } },
    'The provided starting key is invalid',
  ),
  refused(
    'start-key-of-an-index-with-a-wrong-type-in-the-table-key',
    'DB-161',
    `${OUTSIDE_2026}; ${assumed('as for an incomplete one')}`,
    { IndexName: 'gsi1', ExclusiveStartKey: { pk: N(1), a: S('x') } },
    'The provided starting key is invalid',
  ),
  refused(
    'missing-index',
    'DB-275',
    DYNALITE,
    { IndexName: 'gsi2' },
    'The table does not have the specified index: gsi2',
  ),
  refused(
    'consistent-read-of-a-global-index',
    'DB-061',
    DYNALITE,
    { IndexName: 'gsi1', ConsistentRead: true },
    'Consistent reads are not supported on global secondary indexes',
  ),
  refused(
    'all-attributes-of-a-narrow-global-index',
    'DB-069',
    MOTO,
    { IndexName: 'gsi1', Select: 'ALL_ATTRIBUTES' },
    'One or more parameter values were invalid: Select type ALL_ATTRIBUTES is not supported for global secondary index gsi1 because its projection type is not ALL',
  ),
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
    'limit-of-zero',
    'DB-157',
    ALTERNATOR,
    { Limit: 0 },
    messageContaining("imit' failed to satisfy constraint: Member must have value greater than or equal to 1"),
  ),
];
