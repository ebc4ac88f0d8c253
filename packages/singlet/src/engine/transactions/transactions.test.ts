import { describe, expect, test } from 'vitest';
import type { AttributeMap, AttributeValue } from '../../values/attribute-value.ts';
import { findItemText, type ItemText } from '../../values/item-text.ts';
import {
  ConditionalCheckFailedException,
  IdempotentParameterMismatchException,
  TransactionCanceledException,
} from '../../values/service-error.ts';
import { getItem } from '../operations/get-item.ts';
import { putItem } from '../operations/put-item.ts';
import { transactGetItems } from '../operations/transact-get-items.ts';
import { actionsText, transactWriteItems, type TransactWriteItemsRequest } from '../operations/transact-write-items.ts';
import { updateItem } from '../operations/update-item.ts';
import { space, spaceStart } from '../layout/spaces.ts';
import { compositeKey, createdTable, inconsistencies, mapOf } from '../testing/test-engine.ts';
import { testContext, type TestServices, testServices } from '../testing/test-services.ts';
import { sweepIdempotencyTokens } from './idempotency-token.ts';

const tableName = 'accounts';
const account = (id: string): AttributeMap => ({ pk: { S: id }, sk: { S: id } });

async function openAccounts(count: number, balance: number): Promise<TestServices> {
  const services = testServices();
  await createdTable(services, { tableName, ...compositeKey });
  for (let id = 0; id < count; id++) {
    await putItem(
      services,
      { tableName, item: { ...account(`a${id}`), balance: { N: String(balance) } } },
      testContext,
    );
  }
  return services;
}

async function balanceOf(services: TestServices, id: string): Promise<number> {
  const { item } = await getItem(services, { tableName, key: account(id) }, testContext);
  return numberOf(mapOf(item)?.balance);
}

const transfer = (from: string, to: string, amount: number): TransactWriteItemsRequest => ({
  transactItems: [
    {
      update: {
        tableName,
        key: account(from),
        updateExpression: 'SET balance = balance - :amount',
        conditionExpression: 'balance >= :amount',
        expressionAttributeValues: { ':amount': { N: String(amount) } },
      },
    },
    {
      update: {
        tableName,
        key: account(to),
        updateExpression: 'SET balance = balance + :amount',
        expressionAttributeValues: { ':amount': { N: String(amount) } },
      },
    },
  ],
});

describe('TransactWriteItems', () => {
  test('DB-170 all or nothing, DB-175 reasons in request order', async () => {
    const services = await openAccounts(3, 10);
    const request: TransactWriteItemsRequest = {
      transactItems: [
        { put: { tableName, item: account('new') } },
        { delete: { tableName, key: account('a0') } },
        {
          conditionCheck: {
            tableName,
            key: account('a1'),
            conditionExpression: 'balance > :limit',
            expressionAttributeValues: { ':limit': { N: '10' } },
            returnValuesOnConditionCheckFailure: 'ALL_OLD',
          },
        },
        { update: { tableName, key: account('a2'), updateExpression: 'REMOVE balance' } },
      ],
    };
    const transact = async (): Promise<unknown> => transactWriteItems(services, request, testContext);
    const error = await transact().catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(TransactionCanceledException);
    expect((error as TransactionCanceledException).cancellationReasons).toEqual([
      { code: 'None' },
      { code: 'None' },
      {
        code: 'ConditionalCheckFailed',
        message: 'The conditional request failed',
        item: { ...account('a1'), balance: { N: '10' } },
      },
      { code: 'None' },
    ]);
    expect(await getItem(services, { tableName, key: account('new') }, testContext)).toEqual({});
    expect(await balanceOf(services, 'a0')).toBe(10);
    expect(await balanceOf(services, 'a2')).toBe(10);
    expect(await inconsistencies(services, tableName)).toEqual([]);
  });

  test('DB-094 DB-177 DB-235 concurrent transfers keep the sum in every snapshot, and no account below zero', async () => {
    const services = await openAccounts(5, 20);
    const sums: number[] = [];
    const readers = Array.from({ length: 40 }, async () => {
      const { responses } = await transactGetItems(
        services,
        { transactItems: [0, 1, 2, 3, 4].map((id) => ({ get: { tableName, key: account(`a${id}`) } })) },
        testContext,
      );
      sums.push(responses.reduce((sum, { item }) => sum + numberOf(mapOf(item)?.balance), 0));
    });
    const pairs = Array.from({ length: 200 }, (_, at) => ({
      from: at % 5,
      to: (at * 3 + 1) % 5,
      amount: 1 + ((at * 11) % 31),
    }));
    const outcomes = await Promise.allSettled([
      ...pairs
        .filter(({ from, to }) => from !== to)
        .map(({ from, to, amount }) =>
          transactWriteItems(services, transfer(`a${from}`, `a${to}`, amount), testContext),
        ),
      ...readers,
    ]);
    expect(outcomes.some(({ status }) => status === 'rejected')).toBe(true);
    expect(sums).toEqual(sums.map(() => 100));
    const balances = await Promise.all([0, 1, 2, 3, 4].map((id) => balanceOf(services, `a${id}`)));
    expect(balances.reduce((sum, balance) => sum + balance, 0)).toBe(100);
    expect(Math.min(...balances)).toBeGreaterThanOrEqual(0);
  });

  test('DB-178 fifty concurrent transactions on one item have a serial outcome', async () => {
    const services = await openAccounts(1, 0);
    const increment: TransactWriteItemsRequest = {
      transactItems: [
        {
          update: {
            tableName,
            key: account('a0'),
            updateExpression: 'ADD balance :one',
            expressionAttributeValues: { ':one': { N: '1' } },
          },
        },
      ],
    };
    await Promise.all(Array.from({ length: 50 }, async () => transactWriteItems(services, increment, testContext)));
    expect(await balanceOf(services, 'a0')).toBe(50);
  });

  test('DB-146 of a hundred guarded creates one succeeds, a hundred increments all count', async () => {
    const services = await openAccounts(1, 0);
    const creates = await Promise.allSettled(
      Array.from({ length: 100 }, async (_, by) =>
        putItem(
          services,
          {
            tableName,
            item: { ...account('only'), by: { N: String(by) } },
            conditionExpression: 'attribute_not_exists(pk)',
          },
          testContext,
        ),
      ),
    );
    expect(creates.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const result of creates) {
      if (result.status === 'rejected') expect(result.reason).toBeInstanceOf(ConditionalCheckFailedException);
    }
    await Promise.all(
      Array.from({ length: 100 }, async () =>
        updateItem(
          services,
          {
            tableName,
            key: account('a0'),
            updateExpression: 'SET balance = balance + :one',
            expressionAttributeValues: { ':one': { N: '1' } },
          },
          testContext,
        ),
      ),
    );
    expect(await balanceOf(services, 'a0')).toBe(100);
  });
});

describe('DB-174 client request tokens', () => {
  const increment = (by: string): TransactWriteItemsRequest => ({
    clientRequestToken: 'token-1',
    returnConsumedCapacity: 'TOTAL',
    transactItems: [
      {
        update: {
          tableName,
          key: account('a0'),
          updateExpression: 'ADD balance :by',
          expressionAttributeValues: { ':by': { N: by } },
        },
      },
    ],
  });

  test('a repeated request does nothing more, counts as a read, and is new after ten minutes', async () => {
    const services = await openAccounts(1, 0);
    const first = await transactWriteItems(services, increment('1'), testContext);
    expect(first.consumedCapacity?.[0]).toMatchObject({ capacityUnits: 2, writeCapacityUnits: 2 });
    const second = await transactWriteItems(services, increment('1'), testContext);
    expect(second.consumedCapacity?.[0]).toMatchObject({ capacityUnits: 2, readCapacityUnits: 2 });
    expect(await balanceOf(services, 'a0')).toBe(1);

    services.clock.advance(10 * 60_000);
    await transactWriteItems(services, increment('1'), testContext);
    expect(await balanceOf(services, 'a0')).toBe(2);
  });

  test('another request with the same token is refused and changes nothing', async () => {
    const services = await openAccounts(1, 0);
    await transactWriteItems(services, increment('1'), testContext);
    await expect(transactWriteItems(services, increment('2'), testContext)).rejects.toBeInstanceOf(
      IdempotentParameterMismatchException,
    );
    expect(await balanceOf(services, 'a0')).toBe(1);
  });

  test('the digest of a request is that of its JSON text, whether its items are texts or maps', () => {
    const item = { ...account('a0'), '10': { S: 'ä "x"' }, '9': { M: { b: { N: '2' } } } };
    const itemText = findItemText(Buffer.from(`[${JSON.stringify(item)}]`), 1) as ItemText;
    const others = { tableName, conditionExpression: 'x = :x', expressionAttributeValues: { ':x': { N: '1' } } };
    const actions = [
      { put: { item, ...others } },
      { put: { item: { ...account('a1'), n: { N: '1.0' } }, tableName } },
      { delete: { key: account('a2'), tableName } },
      { conditionCheck: { key: account('a3'), ...others } },
    ];
    expect(actionsText(actions)).toBe(JSON.stringify(actions));
    expect(actionsText([{ put: { item: itemText, ...others } }, ...actions.slice(1)])).toBe(JSON.stringify(actions));
  });

  test('a token of a cancelled transaction is free', async () => {
    const services = await openAccounts(2, 0);
    const request = { ...transfer('a0', 'a1', 5), clientRequestToken: 'token-2' };
    await expect(transactWriteItems(services, request, testContext)).rejects.toThrow('ConditionalCheckFailed');
    await putItem(services, { tableName, item: { ...account('a0'), balance: { N: '5' } } }, testContext);
    await transactWriteItems(services, request, testContext);
    expect(await balanceOf(services, 'a1')).toBe(5);
  });

  test('tokens of one region mean nothing in another', async () => {
    const services = await openAccounts(1, 0);
    const elsewhere = { ...testContext, region: 'eu-west-1' };
    await transactWriteItems(services, increment('1'), testContext);
    await expect(transactWriteItems(services, increment('2'), elsewhere)).rejects.toThrow(
      'Requested resource not found',
    );
  });

  test('expired tokens are swept, valid ones stay, and nothing is left behind', async () => {
    const services = await openAccounts(1, 0);
    for (let at = 0; at < 250; at++) {
      await transactWriteItems(services, { ...increment('1'), clientRequestToken: `old-${at}` }, testContext);
    }
    services.clock.advance(6 * 60_000);
    await transactWriteItems(services, increment('1'), testContext);
    services.clock.advance(5 * 60_000);
    expect(await sweepIdempotencyTokens(services.store, services.clock.nowMs())).toBe(250);
    await transactWriteItems(services, increment('1'), testContext);
    expect(await balanceOf(services, 'a0')).toBe(251);
    services.clock.advance(5 * 60_000 + 1);
    expect(await sweepIdempotencyTokens(services.store, services.clock.nowMs())).toBe(1);
    for (const spaceId of [space.idempotency, space.tokenExpiry]) {
      let left = 0;
      await services.store.range({ from: spaceStart(spaceId), to: spaceStart(spaceId + 1) }, () => {
        left += 1;
        return true;
      });
      expect(left).toBe(0);
    }
  });
});

function numberOf(value: AttributeValue | undefined): number {
  return value !== undefined && 'N' in value ? Number(value.N) : Number.NaN;
}
