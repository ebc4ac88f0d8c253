import { messageContaining } from '../matchers.ts';
import type { Row } from '../row.ts';
import { row } from '../row.ts';
import { ALTERNATOR, docs, LOCALSTACK } from '../sources.ts';
import { cancelled, check, conditionReason, get, putAction, transactWrite, updateAction } from '../steps.ts';
import { hashTable } from '../tables.ts';
import { N, S } from '../values.ts';

const IDEMPOTENCY = docs('DynamoDB transactions: idempotency');
const key = { pk: S('x') };
const increment = (by: number) => updateAction(key, 'ADD n :n', { ExpressionAttributeValues: { ':n': N(by) } });
const TEN_MINUTES_MS = 10 * 60 * 1000;
const MISMATCH =
  'The request uses the same client token as a previous, but non-identical request. Do not reuse a client token with different requests, unless the requests are identical';

/** Tokens are valid for ten minutes in the whole account. The end of the table's name, up to 36 characters, makes them unique. */
const repeat = (times: number, by: number, token: string) =>
  check(`${times} times`, async ({ succeed, tableName }) => {
    for (let n = 0; n < times; n++) {
      await succeed('TransactWriteItems', {
        TransactItems: [increment(by)],
        ClientRequestToken: uniqueToken(tableName('T'), token),
      });
    }
  });

const uniqueToken = (table: string, token: string): string => `${table}-${token}`.slice(-36);

export const idempotencyRows: readonly Row[] = [
  row('idempotency/without-a-token-each-request-counts', 'DB-174', ALTERNATOR, {
    table: hashTable,
    steps: [
      transactWrite([increment(1)]).gives({}),
      transactWrite([increment(1)]).gives({}),
      get(key).gives({ Item: { ...key, n: N(2) } }),
    ],
  }),
  row('idempotency/repeated-request-does-nothing', 'DB-174', `${ALTERNATOR}; ${LOCALSTACK}`, {
    table: hashTable,
    steps: [
      repeat(3, 1, 'a'),
      get(key).gives({ Item: { ...key, n: N(1) } }),
      repeat(1, 1, 'b'),
      get(key).gives({ Item: { ...key, n: N(2) } }),
    ],
  }),
  row('idempotency/repeated-at-the-same-time', 'DB-174 DB-178', IDEMPOTENCY, {
    table: hashTable,
    steps: [
      check('ten at once', async ({ send, expect, tableName }) => {
        const input = { TransactItems: [increment(1)], ClientRequestToken: uniqueToken(tableName('T'), 'c') };
        const answers = await Promise.all(Array.from({ length: 10 }, () => send('TransactWriteItems', input)));
        expect(
          'at least one is through',
          answers.some((answer) => answer.status === 200),
          true,
        );
      }),
      get(key).gives({ Item: { ...key, n: N(1) } }),
    ],
  }),
  row('idempotency/same-token-other-request', 'DB-174 DB-278', ALTERNATOR, {
    table: hashTable,
    steps: [
      check('mismatch', async ({ send, expect, tableName }) => {
        const ClientRequestToken = uniqueToken(tableName('T'), 'd');
        const first = await send('TransactWriteItems', { TransactItems: [increment(1)], ClientRequestToken });
        expect('first', first.status, 200);
        const second = await send('TransactWriteItems', { TransactItems: [increment(2)], ClientRequestToken });
        expect('second', second.status, 400);
        const body = second.body as Record<string, unknown>;
        expect('type', String(body['__type']).endsWith('#IdempotentParameterMismatchException'), true);
        expect('message', body['message'] ?? body['Message'], MISMATCH);
      }),
      get(key).gives({ Item: { ...key, n: N(1) } }),
    ],
  }),
  row('idempotency/token-of-a-failed-request-can-be-used-again', 'DB-174', IDEMPOTENCY, {
    table: hashTable,
    items: [key],
    steps: [
      check('fails, then another request succeeds', async ({ send, expect, tableName }) => {
        const ClientRequestToken = uniqueToken(tableName('T'), 'e');
        const failing = await send('TransactWriteItems', {
          TransactItems: [putAction(key, { ConditionExpression: 'attribute_not_exists(pk)' })],
          ClientRequestToken,
        });
        expect('failing', failing.status, 400);
        const again = await send('TransactWriteItems', {
          TransactItems: [putAction(key, { ConditionExpression: 'attribute_not_exists(pk)' })],
          ClientRequestToken,
        });
        expect(
          'failing again, for the same reason',
          String((again.body as Record<string, unknown>)['__type']).endsWith('#TransactionCanceledException'),
          true,
        );
      }),
      transactWrite([putAction(key, { ConditionExpression: 'attribute_not_exists(pk)' })]).answers(
        cancelled(conditionReason()),
      ),
    ],
  }),
  row('idempotency/token-of-37-characters', 'DB-174', ALTERNATOR, {
    table: hashTable,
    steps: [
      transactWrite([increment(1)], { ClientRequestToken: 'x'.repeat(37) }).invalid(
        messageContaining(
          "lientRequestToken' failed to satisfy constraint: Member must have length less than or equal to 36",
        ),
      ),
      transactWrite([increment(1)], { ClientRequestToken: '' }).invalid(messageContaining('lientRequestToken')),
    ],
  }),
  row('idempotency/token-is-forgotten-after-ten-minutes', 'DB-174', IDEMPOTENCY, {
    needs: ['clock'],
    table: hashTable,
    steps: [
      repeat(2, 1, 'f'),
      check('nine minutes later', async ({ advanceClock }) => advanceClock(TEN_MINUTES_MS - 60_000)),
      repeat(1, 1, 'f'),
      get(key).gives({ Item: { ...key, n: N(1) } }),
      check('two minutes after that', async ({ advanceClock }) => advanceClock(120_000)),
      repeat(1, 1, 'f'),
      get(key).gives({ Item: { ...key, n: N(2) } }),
    ],
  }),
  row('idempotency/a-repeat-is-billed-as-a-read', 'DB-174 DB-180', IDEMPOTENCY, {
    table: hashTable,
    steps: [
      check('units', async ({ succeed, expect, tableName }) => {
        const input = {
          TransactItems: [putAction({ ...key, p: S('x'.repeat(3000)) })],
          ClientRequestToken: uniqueToken(tableName('T'), 'g'),
          ReturnConsumedCapacity: 'TOTAL',
        };
        const first = await succeed('TransactWriteItems', input);
        expect('written', first['ConsumedCapacity'], [{ TableName: '$T', CapacityUnits: 6, WriteCapacityUnits: 6 }]);
        const second = await succeed('TransactWriteItems', input);
        expect('repeated', second['ConsumedCapacity'], [{ TableName: '$T', CapacityUnits: 2, ReadCapacityUnits: 2 }]);
      }),
    ],
  }),
];
