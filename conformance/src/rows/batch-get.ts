import { messageContaining, oneOf, unordered } from '../matchers.ts';
import type { Row } from '../row.ts';
import { row } from '../row.ts';
import { ALTERNATOR, CAPTURED_2026, docs, DYNALITE } from '../sources.ts';
import { batchGet, call, check } from '../steps.ts';
import { hashTable, rangeTable } from '../tables.ts';
import { N, S } from '../values.ts';

const BATCH_GET = docs('API_BatchGetItem');
const key = (n: number | string) => ({ pk: S(String(n)) });
const hundred = Array.from({ length: 100 }, (_, n) => ({ pk: S(`item-${n}`), n: N(n) }));

export const batchGetRows: readonly Row[] = [
  row('batch-get/found-and-missing', 'DB-149', BATCH_GET, {
    table: hashTable,
    items: [{ ...key(1), a: N(1) }, key(2)],
    steps: [
      batchGet([key(1), key(2), key(3)]).gives({
        Responses: { $T: unordered([{ ...key(1), a: N(1) }, key(2)]) },
        UnprocessedKeys: {},
      }),
    ],
  }),
  row('batch-get/nothing-found', 'DB-149', BATCH_GET, {
    table: hashTable,
    steps: [batchGet([key(1)]).gives({ Responses: { $T: [] }, UnprocessedKeys: {} })],
  }),
  row('batch-get/a-hundred-keys', 'DB-149 DB-118', BATCH_GET, {
    table: hashTable,
    items: hundred.slice(0, 97),
    steps: [
      batchGet(hundred.map(({ pk }) => ({ pk }))).gives({
        Responses: { $T: unordered(hundred.slice(0, 97)) },
        UnprocessedKeys: {},
      }),
    ],
  }),
  row('batch-get/a-hundred-and-one-keys', 'DB-149 DB-118', `${CAPTURED_2026}; classic text recorded by dynalite`, {
    table: hashTable,
    steps: [
      batchGet(Array.from({ length: 101 }, (_, n) => key(n))).invalid(
        messageContaining('failed to satisfy constraint: Member must have length less than or equal to 100'),
      ),
    ],
  }),
  row('batch-get/a-hundred-and-one-keys-in-two-tables', 'DB-149 DB-118', DYNALITE, {
    tables: { T: hashTable, U: hashTable },
    steps: [
      call('BatchGetItem', {
        RequestItems: { $T: { Keys: Array.from({ length: 100 }, (_, n) => key(n)) }, $U: { Keys: [key(1)] } },
      }).invalid('Too many items requested for the BatchGetItem call'),
    ],
  }),
  row('batch-get/several-tables-each-in-its-way', 'DB-149', BATCH_GET, {
    tables: { T: hashTable, U: rangeTable },
    itemsOf: { T: [{ ...key(1), a: N(1), b: N(2) }], U: [{ pk: S('x'), sk: S('y'), c: N(3) }] },
    steps: [
      call('BatchGetItem', {
        RequestItems: {
          $T: {
            Keys: [key(1)],
            ProjectionExpression: '#a',
            ExpressionAttributeNames: { '#a': 'a' },
            ConsistentRead: true,
          },
          $U: { Keys: [{ pk: S('x'), sk: S('y') }], ConsistentRead: true },
        },
      }).gives({ Responses: { $T: [{ a: N(1) }], $U: [{ pk: S('x'), sk: S('y'), c: N(3) }] }, UnprocessedKeys: {} }),
    ],
  }),
  row('batch-get/same-key-twice', 'DB-149', CAPTURED_2026, {
    tables: { T: hashTable, U: rangeTable },
    steps: [
      batchGet([key(1), key(2), key(1)]).invalid('Provided list of item keys contains duplicates'),
      call('BatchGetItem', {
        RequestItems: {
          $U: {
            Keys: [
              { pk: S('x'), sk: S('y') },
              { sk: S('y'), pk: S('x') },
            ],
          },
        },
      }).invalid('Provided list of item keys contains duplicates'),
    ],
  }),
  row('batch-get/more-than-sixteen-megabytes', 'DB-149 DB-118', BATCH_GET, {
    table: hashTable,
    steps: [
      check('fifty items of 380 KB', async ({ succeed, expect, tableName }) => {
        for (let n = 0; n < 50; n++)
          await succeed('PutItem', { TableName: '$T', Item: { ...key(n), p: S('x'.repeat(380_000)) } });
        const keys = Array.from({ length: 50 }, (_, n) => key(n));
        const answer = (await succeed('BatchGetItem', { RequestItems: { $T: { Keys: keys } } })) as {
          Responses: Record<string, readonly { pk: { S: string } }[]>;
          UnprocessedKeys: Record<string, { Keys: readonly { pk: { S: string } }[] }>;
        };
        const found = answer.Responses[tableName('T')] ?? [];
        const left = answer.UnprocessedKeys[tableName('T')]?.Keys ?? [];
        // Sixteen megabytes are 44 such items; reading one more may have begun.
        expect('some are left over', left.length >= 5, true);
        expect('many are found', found.length >= 1, true);
        const all = [...found, ...left].map(({ pk }) => pk.S).toSorted();
        expect('none is lost', all, keys.map(({ pk }) => String(pk['S'])).toSorted());
      }),
    ],
  }),
  row('batch-get/still-by-key', 'DB-151', DYNALITE, {
    table: rangeTable,
    steps: [
      batchGet([{ pk: S('x') }]).invalid('The provided key element does not match the schema'),
      batchGet([{ pk: S('x'), sk: N(1) }]).invalid('The provided key element does not match the schema'),
    ],
  }),
  row('batch-get/one-table-of-two-is-missing', 'DB-149 DB-275', ALTERNATOR, {
    table: hashTable,
    items: [key(1)],
    steps: [
      call('BatchGetItem', { RequestItems: { $T: { Keys: [key(1)] }, $U: { Keys: [key(1)] } } }).fails(
        'ResourceNotFoundException',
        'Requested resource not found',
      ),
    ],
  }),
  row('batch-get/no-request', 'DB-149 DB-273', `${CAPTURED_2026}; classic text recorded by dynalite`, {
    steps: [
      call('BatchGetItem', { RequestItems: {} }).invalid(
        oneOf(
          "Value '{}' at 'requestItems' failed to satisfy constraint: Member must have length greater than or equal to 1",
          'The requestItems parameter is required for BatchGetItem',
          messageContaining('equestItems'),
        ),
      ),
    ],
  }),
  row('batch-get/no-keys', 'DB-149 DB-273', DYNALITE, {
    table: hashTable,
    steps: [
      batchGet([]).invalid(
        messageContaining('failed to satisfy constraint: Member must have length greater than or equal to 1'),
      ),
    ],
  }),
  row('batch-get/projection-is-checked-before-reading', 'DB-219 DB-149', CAPTURED_2026, {
    table: hashTable,
    steps: [
      batchGet([key(1)], { ProjectionExpression: 'a, a.b' }).invalid(
        'Invalid ProjectionExpression: Two document paths overlap with each other; must remove or rewrite one of these paths; path one: [a], path two: [a, b]',
      ),
    ],
  }),
];
