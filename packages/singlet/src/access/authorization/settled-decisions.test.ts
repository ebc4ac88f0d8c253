import { expect, test } from 'vitest';
import type { ActionName } from '../../engine/index.ts';
import { operationOf } from '../../server/operations/index.ts';
import type { Caller } from '../caller.ts';
import { soleTouch } from './settled-decisions.ts';
import {
  accountA,
  identityPolicy,
  openOrders,
  type PolicedDatabase,
  region,
  root,
  session,
  tableArn,
} from './testing/policed-database.ts';

const key = { pk: { S: 't1' }, sk: { S: 'a' } };

test.each<[ActionName, object]>([
  ['GetItem', { Key: key }],
  ['PutItem', { Item: key }],
  ['UpdateItem', { Key: key }],
  ['DeleteItem', { Key: key }],
  ['Query', { KeyConditionExpression: 'pk = :p', ExpressionAttributeValues: { ':p': { S: 't1' } } }],
  [
    'Query',
    { IndexName: 'byOwner', KeyConditionExpression: 'pk = :p', ExpressionAttributeValues: { ':p': { S: 't1' } } },
  ],
  ['Scan', {}],
  ['Scan', { IndexName: 'byOwner' }],
])('what %s %j is said to touch is what the table of actions says', async (action, input) => {
  const operation = await operationOf(action);
  const { call, touches } = operation.prepare({ TableName: 'Orders', ...input }, { accountId: accountA, region });
  const { permission, tableName, indexName } = soleTouch(call.action, call.request) ?? {};
  const resource = indexName === undefined ? { kind: 'table', tableName } : { kind: 'index', tableName, indexName };
  expect(await touches()).toMatchObject([{ permission, resource }]);
  expect(permission).toBe(action);
});

test('no other action is said to touch one table', () => {
  for (const action of ['BatchGetItem', 'TransactWriteItems', 'ExecuteStatement', 'DescribeTable'] as const) {
    expect(soleTouch(action, { tableName: 'Orders' })).toBeUndefined();
  }
});

const read = (pk: string): object => ({ TableName: 'Orders', Key: { pk: { S: pk }, sk: { S: 'a' } } });

test.each<[string, object, (caller: Caller, database: PolicedDatabase) => Promise<string>]>([
  [
    'another address',
    { IpAddress: { 'aws:SourceIp': '192.0.2.0/28' } },
    (caller, database) => database.outcome(caller, 'GetItem', read('t1'), { sourceIp: '198.51.100.1' }),
  ],
  [
    'a connection that is not encrypted',
    { Bool: { 'aws:SecureTransport': 'true' } },
    (caller, database) => database.outcome(caller, 'GetItem', read('t1'), { secureTransport: false }),
  ],
  [
    'another partition',
    { 'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': 't1' } },
    (caller, database) => database.outcome(caller, 'GetItem', read('t2')),
  ],
  [
    'another time',
    { DateLessThan: { 'aws:CurrentTime': '2026-11-22T10:00:30Z' } },
    (caller, database) => {
      database.clock.advance(60_000);
      return database.outcome(caller, 'GetItem', read('t1'));
    },
  ],
  ['another action', {}, (caller, database) => database.outcome(caller, 'Scan', { TableName: 'Orders' })],
  [
    'another tag of the table',
    { StringEquals: { 'aws:ResourceTag/Stage': 'test' } },
    async (caller, database) => {
      const Tags = [{ Key: 'Stage', Value: 'live' }];
      await database.call(root(), 'TagResource', { ResourceArn: tableArn('Orders'), Tags });
      return database.outcome(caller, 'GetItem', read('t1'));
    },
  ],
])('what was allowed is denied with %s', async (_what, Condition, next) => {
  const database = await openOrders();
  const allow = { Effect: 'Allow', Action: 'dynamodb:GetItem', Resource: '*', Condition };
  const caller = session([identityPolicy(allow)]);
  for (let times = 0; times < 2; times += 1) {
    expect(await database.outcome(caller, 'GetItem', read('t1'))).toBe('done');
  }
  expect(await next(caller, database)).toBe('AccessDeniedException');
});
