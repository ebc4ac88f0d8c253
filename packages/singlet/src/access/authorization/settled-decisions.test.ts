import fc from 'fast-check';
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

/** One step: a request, or a change that affects decisions. */
type Step =
  | {
      readonly kind: 'request';
      readonly action: ActionName;
      readonly pk: string;
      readonly caller: number;
      readonly ip: string;
    }
  | { readonly kind: 'identity'; readonly caller: number; readonly policy: number }
  | { readonly kind: 'tag'; readonly value: string }
  | { readonly kind: 'resource-policy'; readonly policy: number | undefined };

const conditions: readonly object[] = [
  {},
  { 'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': 't1' } },
  { IpAddress: { 'aws:SourceIp': '192.0.2.0/28' } },
  { StringEquals: { 'aws:ResourceTag/Stage': 'test' } },
  { StringEquals: { 'aws:PrincipalTag/team': 'a' }, Bool: { 'aws:SecureTransport': 'true' } },
  { StringEqualsIfExists: { 'dynamodb:ReturnValues': 'NONE', 'dynamodb:Select': 'COUNT' } },
];
const actionLists = ['dynamodb:*', 'dynamodb:GetItem', ['dynamodb:Query', 'dynamodb:PutItem']];
/** Every condition with every list of actions, allowing; and each list denied for other addresses. */
const statements: readonly object[] = [
  ...conditions.flatMap((Condition) => actionLists.map((Action) => ({ Effect: 'Allow', Action, Condition }))),
  ...actionLists.map((Action) => ({
    Effect: 'Deny',
    Action,
    Condition: { NotIpAddress: { 'aws:SourceIp': '192.0.2.0/28' } },
  })),
];

const policyNumber = fc.nat({ max: statements.length - 1 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('request' as const),
      action: fc.constantFrom<ActionName>('GetItem', 'PutItem', 'Query', 'Scan'),
      pk: fc.constantFrom('t1', 't2'),
      caller: fc.nat({ max: 1 }),
      ip: fc.constantFrom('192.0.2.1', '198.51.100.1'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('identity' as const), caller: fc.nat({ max: 1 }), policy: policyNumber }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('tag' as const), value: fc.constantFrom('test', 'live') }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('resource-policy' as const),
      policy: fc.option(policyNumber, { nil: undefined }),
    }),
  },
);

const requestOf = (action: ActionName, pk: string): object => {
  const item = { pk: { S: pk }, sk: { S: 'a' } };
  if (action === 'GetItem') return { TableName: 'Orders', Key: item };
  if (action === 'PutItem') return { TableName: 'Orders', Item: item };
  if (action === 'Scan') return { TableName: 'Orders' };
  return {
    TableName: 'Orders',
    KeyConditionExpression: 'pk = :p',
    ExpressionAttributeValues: { ':p': { S: pk } },
  };
};

test('a permission that is kept is what a server without a memory decides', async () => {
  let allowed = 0;
  let denied = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(policyNumber, { minLength: 2, maxLength: 2 }),
      fc.array(step, { minLength: 20, maxLength: 40 }),
      async (first, steps) => {
        const database = await openOrders();
        const callerWith = (policy: number, at: number): Caller =>
          session([identityPolicy({ ...statements[policy], Resource: '*' })], {
            tags: new Map([['team', at === 0 ? 'a' : 'b']]),
          });
        const callers = first.map(callerWith);
        for (const one of steps) {
          switch (one.kind) {
            case 'identity':
              callers[one.caller] = callerWith(one.policy, one.caller);
              break;
            case 'tag':
              await database.call(root(), 'TagResource', {
                ResourceArn: tableArn('Orders'),
                Tags: [{ Key: 'Stage', Value: one.value }],
              });
              break;
            case 'resource-policy':
              await changeResourcePolicy(database, one.policy);
              break;
            case 'request': {
              const { action, pk, ip } = one;
              const ask = (on: PolicedDatabase): Promise<string> =>
                on.outcome(callers[one.caller]!, action, requestOf(action, pk), { sourceIp: ip });
              const outcome = await ask(database);
              expect(outcome).toBe(await ask(database.secondProcess()));
              if (outcome === 'done') allowed += 1;
              else denied += 1;
            }
          }
        }
      },
    ),
    { numRuns: 40 },
  );
  expect(allowed).toBeGreaterThan(50);
  expect(denied).toBeGreaterThan(50);
});

/** The service requires 15 seconds between two changes of a table's policy. */
const policyIntervalMs = 16_000;

async function changeResourcePolicy(database: PolicedDatabase, policy: number | undefined): Promise<void> {
  const ResourceArn = tableArn('Orders');
  database.clock.advance(policyIntervalMs);
  if (policy === undefined) {
    await database.outcome(root(), 'DeleteResourcePolicy', { ResourceArn });
    return;
  }
  const statement = { ...statements[policy], Principal: '*', Resource: ResourceArn };
  // A policy that the service would refuse counts as no policy.
  await database.outcome(root(), 'PutResourcePolicy', {
    ResourceArn,
    Policy: JSON.stringify({ Version: '2012-10-17', Statement: [statement] }),
  });
}
