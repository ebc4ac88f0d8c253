import { messageContaining } from '../matchers.ts';
import type { Row } from '../row.ts';
import { row } from '../row.ts';
import { ALTERNATOR, CAPTURED_2026, docs, DYNALITE, LOCALSTACK } from '../sources.ts';
import { call, cancelled, check, transactGet, validationReason } from '../steps.ts';
import { hashTable, rangeTable } from '../tables.ts';
import { M, N, S } from '../values.ts';

const TRANSACT_GET = docs('API_TransactGetItems');
const key = (name: string) => ({ pk: S(name) });

export const transactGetRows: readonly Row[] = [
  row('transact-get/in-request-order', 'DB-177', `${TRANSACT_GET}; ${LOCALSTACK}`, {
    tables: { T: hashTable, U: rangeTable },
    itemsOf: {
      T: [
        { ...key('1'), a: N(1) },
        { ...key('2'), a: N(2) },
      ],
      U: [{ pk: S('x'), sk: S('y') }],
    },
    steps: [
      transactGet([
        { Key: key('2') },
        { Key: key('missing') },
        { TableName: '$U', Key: { pk: S('x'), sk: S('y') } },
        { Key: key('1') },
      ]).gives({
        Responses: [
          { Item: { ...key('2'), a: N(2) } },
          {},
          { Item: { pk: S('x'), sk: S('y') } },
          { Item: { ...key('1'), a: N(1) } },
        ],
      }),
    ],
  }),
  row('transact-get/projected', 'DB-177 DB-216', ALTERNATOR, {
    table: hashTable,
    items: [{ ...key('1'), a: M({ b: N(1), c: N(2) }), Year: N(3) }],
    steps: [
      transactGet([
        { Key: key('1'), ProjectionExpression: 'a.b, #y', ExpressionAttributeNames: { '#y': 'Year' } },
      ]).gives({
        Responses: [{ Item: { a: M({ b: N(1) }), Year: N(3) } }],
      }),
    ],
  }),
  row('transact-get/a-hundred', 'DB-177 DB-119', CAPTURED_2026, {
    table: hashTable,
    items: [key('item-7')],
    steps: [
      transactGet(Array.from({ length: 100 }, (_, n) => ({ Key: key(`item-${n}`) }))).gives({
        Responses: Array.from({ length: 100 }, (_, n) => (n === 7 ? { Item: key('item-7') } : {})),
      }),
      transactGet(Array.from({ length: 101 }, (_, n) => ({ Key: key(`item-${n}`) }))).invalid(
        messageContaining(
          "at 'transactItems' failed to satisfy constraint: Member must have length less than or equal to 100",
        ),
      ),
    ],
  }),
  row('transact-get/none', 'DB-177 DB-273', `${DYNALITE}; ${CAPTURED_2026}`, {
    steps: [call('TransactGetItems', { TransactItems: [] }).invalid(messageContaining('ransactItems'))],
  }),
  row('transact-get/one-item-twice', 'DB-177', TRANSACT_GET, {
    table: hashTable,
    items: [key('1')],
    steps: [
      transactGet([{ Key: key('1') }, { Key: key('1') }]).invalid(
        'Transaction request cannot include multiple operations on one item',
      ),
    ],
  }),
  row('transact-get/wrong-key', 'DB-177 DB-141', CAPTURED_2026, {
    table: rangeTable,
    steps: [
      transactGet([{ Key: { pk: S('x'), sk: S('y') } }, { Key: { pk: S('x') } }]).answers(
        cancelled(undefined, validationReason('The provided key element does not match the schema')),
      ),
    ],
  }),
  row('transact-get/missing-table', 'DB-275', ALTERNATOR, {
    table: hashTable,
    steps: [
      transactGet([{ Key: key('1') }, { TableName: '$U', Key: key('1') }]).fails(
        'ResourceNotFoundException',
        'Requested resource not found',
      ),
    ],
  }),
  row('transact-get/has-no-consistent-read', 'DB-182', TRANSACT_GET, {
    table: hashTable,
    items: [key('1')],
    steps: [transactGet([{ Key: key('1'), ConsistentRead: false }]).gives({ Responses: [{ Item: key('1') }] })],
  }),
  row('transact-get/sums-stay-the-same-during-transfers', 'DB-177 DB-094', docs('Transaction isolation levels'), {
    table: hashTable,
    items: ['a', 'b', 'c'].map((name) => ({ ...key(name), balance: N(100) })),
    steps: [
      check('transfers and readings at once', async ({ send, expect }) => {
        const accounts = ['a', 'b', 'c'];
        const transfer = async (n: number): Promise<void> => {
          const from = accounts[n % 3] ?? '';
          const to = accounts[(n + 1 + (n % 2)) % 3] ?? '';
          await send('TransactWriteItems', {
            TransactItems: [
              [from, '-'],
              [to, '+'],
            ].map(([name, sign]) => ({
              Update: {
                TableName: '$T',
                Key: key(name ?? ''),
                UpdateExpression: `SET balance = balance ${sign} :one`,
                ExpressionAttributeValues: { ':one': N(1) },
              },
            })),
          });
        };
        const read = async (): Promise<void> => {
          const answer = await send('TransactGetItems', {
            TransactItems: accounts.map((name) => ({ Get: { TableName: '$T', Key: key(name) } })),
          });
          // A read may be refused because a transfer is in progress, but never shows half of one.
          if (answer.status !== 200) return;
          const found = (answer.body as { Responses: readonly { Item: { balance: { N: string } } }[] }).Responses;
          expect(
            'sum',
            found.reduce((sum, { Item }) => sum + Number(Item.balance.N), 0),
            300,
          );
        };
        await Promise.all(Array.from({ length: 120 }, (_, n) => (n % 3 === 0 ? read() : transfer(n))));
        await read();
      }),
    ],
  }),
];
