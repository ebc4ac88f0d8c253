import { anyString, messageContaining } from '../matchers.ts';
import type { Row } from '../row.ts';
import { row } from '../row.ts';
import { ALTERNATOR, assumed, docs } from '../sources.ts';
import { check, get, items, query, scan, update } from '../steps.ts';
import { hashTable } from '../tables.ts';
import { N, S } from '../values.ts';

const QUOTAS = docs('Service quotas');
const key = { pk: S('x') };
const LONGEST_NAME = 'n'.repeat(65_535);
const TOO_LONG_NAME = 'n'.repeat(65_536);
const orChain = (comparisons: number): string => Array.from({ length: comparisons }, () => 'a<b').join(' or ');

export const limitRows: readonly Row[] = [
  row('limits/longest-attribute-name', 'DB-113', ALTERNATOR, {
    table: hashTable,
    items: [{ ...key, [LONGEST_NAME]: N(1) }],
    steps: [
      get(key, { ProjectionExpression: '#n', ExpressionAttributeNames: { '#n': LONGEST_NAME } }).gives({
        Item: { [LONGEST_NAME]: N(1) },
      }),
      update(key, 'SET #n = #n + :n', {
        ExpressionAttributeNames: { '#n': LONGEST_NAME },
        ExpressionAttributeValues: { ':n': N(1) },
      }).gives({}),
    ],
  }),
  row('limits/attribute-name-too-long', 'DB-113', ALTERNATOR, {
    table: hashTable,
    steps: [
      update(key, 'SET #n = :n', {
        ExpressionAttributeNames: { '#n': TOO_LONG_NAME },
        ExpressionAttributeValues: { ':n': N(1) },
      }).invalid(messageContaining('6553')),
      get(key, { ProjectionExpression: '#n', ExpressionAttributeNames: { '#n': TOO_LONG_NAME } }).invalid(
        messageContaining('6553'),
      ),
      check('put', async ({ send, expect }) => {
        const answer = await send('PutItem', { TableName: '$T', Item: { ...key, [TOO_LONG_NAME]: N(1) } });
        expect('status', answer.status, 400);
      }),
      get(key).gives({}),
    ],
  }),
  row('limits/attribute-name-empty', 'DB-113', QUOTAS, {
    table: hashTable,
    steps: [
      check('put', async ({ send, expect }) => {
        const answer = await send('PutItem', { TableName: '$T', Item: { ...key, '': N(1) } });
        expect('status', answer.status, 400);
      }),
      get(key).gives({}),
    ],
  }),
  row('limits/longest-expression', 'DB-120', ALTERNATOR, {
    table: hashTable,
    steps: [
      get(key, { ProjectionExpression: 'x'.repeat(4096) }).gives({}),
      get(key, { ProjectionExpression: 'x'.repeat(4097) }).invalid(
        messageContaining('Invalid ProjectionExpression: Expression size has exceeded the maximum allowed size;'),
      ),
      update(key, `SET${' '.repeat(4085)}a = :val`, { ExpressionAttributeValues: { ':val': N(1) } }).gives({}),
      update(key, `SET ${' '.repeat(4085)}a = :val`, { ExpressionAttributeValues: { ':val': N(1) } }).invalid(
        messageContaining('Invalid UpdateExpression: Expression size has exceeded the maximum allowed size;'),
      ),
      update(key, undefined, {
        ConditionExpression: `a${' '.repeat(4091)} = :v`,
        ExpressionAttributeValues: { ':v': N(1) },
      }).invalid(
        messageContaining('Invalid ConditionExpression: Expression size has exceeded the maximum allowed size;'),
      ),
      scan({ FilterExpression: '('.repeat(15_000) }).invalid(
        'Invalid FilterExpression: Expression size has exceeded the maximum allowed size; expression size: 15000',
      ),
      query(`pk = :p${' '.repeat(4096)}`, { ':p': S('x') }).invalid(
        messageContaining('Invalid KeyConditionExpression: Expression size has exceeded the maximum allowed size;'),
      ),
    ],
  }),
  row('limits/most-operators', 'DB-120', ALTERNATOR, {
    table: hashTable,
    items: [{ ...key, a: N(1), b: N(2) }],
    steps: [
      // 150 comparisons and 149 times OR.
      update(key, undefined, { ConditionExpression: orChain(150) }).gives({}),
      update(key, undefined, { ConditionExpression: orChain(151) }).invalid(
        'Invalid ConditionExpression: The expression contains too many operators; operator count: 301',
      ),
    ],
  }),
  row('limits/deep-parentheses', 'DB-120 DB-223', ALTERNATOR, {
    table: hashTable,
    steps: [
      update(key, undefined, { ConditionExpression: `${'('.repeat(2000)}a<b${')'.repeat(2000)}` }).invalid(
        messageContaining('Invalid ConditionExpression: '),
      ),
      update(key, undefined, { ConditionExpression: '('.repeat(4096) }).invalid(
        messageContaining('Invalid ConditionExpression: '),
      ),
      update(key, undefined, { ConditionExpression: `${'not '.repeat(1000)}a<b` }).invalid(
        messageContaining('Invalid ConditionExpression: '),
      ),
    ],
  }),
  row('limits/longest-placeholder', 'DB-120', QUOTAS, {
    table: hashTable,
    steps: [
      update(key, `SET a = :${'v'.repeat(254)}`, {
        ExpressionAttributeValues: { [`:${'v'.repeat(254)}`]: N(1) },
      }).gives({}),
      update(key, `SET a = :${'v'.repeat(255)}`, {
        ExpressionAttributeValues: { [`:${'v'.repeat(255)}`]: N(1) },
      }).invalid(anyString),
    ],
  }),
  row('limits/operands-of-in', 'DB-120', docs('Comparison operator and function reference'), {
    table: hashTable,
    items: [{ ...key, a: N(99) }],
    steps: [
      scan({
        FilterExpression: `a IN (${Array.from({ length: 100 }, (_, n) => `:v${n}`).join(',')})`,
        ExpressionAttributeValues: Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`:v${n}`, N(n)])),
      }).gives(items({ ...key, a: N(99) })),
      scan({
        FilterExpression: `a IN (${Array.from({ length: 101 }, (_, n) => `:v${n}`).join(',')})`,
        ExpressionAttributeValues: Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`:v${n}`, N(n)])),
      }).invalid(messageContaining('Invalid FilterExpression: ')),
    ],
  }),
  row(
    'limits/request-of-more-than-sixteen-megabytes',
    'DB-124',
    `${QUOTAS}; ${assumed('the status: an answer of 400 or 413')}`,
    {
      table: hashTable,
      steps: [
        check('seventeen megabytes', async ({ send, expect }) => {
          const answer = await send('PutItem', {
            TableName: '$T',
            Item: { ...key, p: S('x'.repeat(17 * 1024 * 1024)) },
          });
          expect('refused', answer.status === 400 || answer.status === 413, true);
        }),
        get(key).gives({}),
      ],
    },
  ),
];
