import { beforeEach, describe, expect, test } from 'vitest';
import type { ActionName } from '../../engine/index.ts';
import type { Caller } from '../caller.ts';
import {
  accountA,
  accountB,
  identityPolicy,
  openOrders,
  type PolicedDatabase,
  root,
  session,
  tableArn,
  user,
} from './testing/policed-database.ts';

let database: PolicedDatabase;
beforeEach(async () => {
  database = await openOrders();
});

const orders = tableArn('Orders');
const everything = { Effect: 'Allow', Action: '*', Resource: '*' };
const read = (pk: string, sk = 'a'): object => ({ TableName: 'Orders', Key: { pk: { S: pk }, sk: { S: sk } } });

/** Whether a user with one statement may make a request. */
async function may(statement: object, action: ActionName, input: object, more: Partial<Caller> = {}): Promise<boolean> {
  const outcome = await database.outcome(
    user([identityPolicy({ Effect: 'Allow', Action: '*', Resource: '*', ...statement })], more),
    action,
    input,
  );
  if (outcome !== 'done' && outcome !== 'AccessDeniedException') throw new Error(`${action}: ${outcome}`);
  return outcome === 'done';
}

describe('DB-133 denials', () => {
  test('name who, what, which resource and why', async () => {
    const refusal = await database.refusal(user([]), 'GetItem', read('t1'));
    expect(refusal?.name).toBe('AccessDeniedException');
    expect(refusal?.message).toBe(
      `User: arn:aws:iam::${accountA}:user/ann is not authorized to perform: dynamodb:GetItem on resource: ${orders} ` +
        'because no identity-based policy allows the dynamodb:GetItem action',
    );
  });

  test.each<[string, Caller, string]>([
    [
      'an explicit deny',
      user([identityPolicy(everything, { ...everything, Effect: 'Deny' })]),
      'with an explicit deny in an identity-based policy',
    ],
    [
      'a boundary',
      user([identityPolicy(everything)], { boundary: identityPolicy({ ...everything, Action: 'dynamodb:PutItem' }) }),
      'because no permissions boundary allows the dynamodb:Query action',
    ],
    [
      'a boundary that denies',
      user([identityPolicy(everything)], { boundary: identityPolicy({ ...everything, Effect: 'Deny' }) }),
      'with an explicit deny in a permissions boundary',
    ],
    [
      'a session policy',
      session([identityPolicy(everything)], {
        sessionPolicies: [identityPolicy({ ...everything, Action: 'dynamodb:PutItem' })],
      }),
      'because no session policy allows the dynamodb:Query action',
    ],
    [
      'a session policy that denies',
      session([identityPolicy(everything)], { sessionPolicies: [identityPolicy({ ...everything, Effect: 'Deny' })] }),
      'with an explicit deny in a session policy',
    ],
  ])('%s', async (_what, caller, suffix) => {
    const input = {
      TableName: 'Orders',
      IndexName: 'byOwner',
      KeyConditionExpression: '#o = :o',
      ExpressionAttributeNames: { '#o': 'owner' },
      ExpressionAttributeValues: { ':o': { S: 't1' } },
    };
    const refusal = await database.refusal(caller, 'Query', input);
    expect(refusal?.message).toBe(
      `User: ${caller.arn} is not authorized to perform: dynamodb:Query on resource: ${orders}/index/byOwner ${suffix}`,
    );
  });

  test('of an action on no single resource name *', async () => {
    expect((await database.refusal(user([]), 'ListTables', {}))?.message).toContain(
      'is not authorized to perform: dynamodb:ListTables on resource: * because',
    );
    expect(
      (await database.refusal(user([]), 'TagResource', { ResourceArn: '', Tags: [{ Key: 'a', Value: 'b' }] }))?.name,
    ).toBe('ValidationException');
  });

  test('come before the table is looked for, and before the condition is looked at', async () => {
    expect(await database.outcome(user([]), 'GetItem', { TableName: 'Nothing', Key: { pk: { S: 'a' } } })).toBe(
      'AccessDeniedException',
    );
    const write = {
      TableName: 'Orders',
      Item: { pk: { S: 't1' }, sk: { S: 'a' } },
      ConditionExpression: 'attribute_not_exists(pk)',
    };
    expect(await database.outcome(user([]), 'PutItem', write)).toBe('AccessDeniedException');
    expect(await database.outcome(root(), 'PutItem', write)).toBe('ConditionalCheckFailedException');
  });

  test('are told, without what the request holds', async () => {
    await database.outcome(user([]), 'GetItem', read('t1'));
    const [denial] = database.denials;
    expect(denial).toMatchObject({ permission: 'dynamodb:GetItem', resource: orders, caller: { userName: 'ann' } });
    expect(Object.keys(denial ?? {}).toSorted()).toEqual(['caller', 'decision', 'permission', 'resource']);
  });
});

describe('dynamodb:LeadingKeys', () => {
  const own = { Condition: { 'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': '${aws:PrincipalTag/tenant}' } } };
  const tags = { tags: new Map([['tenant', 't1']]) };
  const key = (pk: string): object => ({ pk: { S: pk }, sk: { S: 'a' } });

  test.each<[boolean, ActionName, object]>([
    [true, 'GetItem', read('t1')],
    [false, 'GetItem', read('t2')],
    [false, 'GetItem', read('t1 ')],
    [true, 'PutItem', { TableName: 'Orders', Item: key('t1') }],
    [false, 'PutItem', { TableName: 'Orders', Item: key('t2') }],
    [
      true,
      'UpdateItem',
      {
        TableName: 'Orders',
        Key: key('t1'),
        UpdateExpression: 'SET a = :a',
        ExpressionAttributeValues: { ':a': { S: 'x' } },
      },
    ],
    [false, 'UpdateItem', { TableName: 'Orders', Key: key('t2') }],
    [false, 'DeleteItem', { TableName: 'Orders', Key: key('t2') }],
    [
      true,
      'Query',
      { TableName: 'Orders', KeyConditionExpression: 'pk = :p', ExpressionAttributeValues: { ':p': { S: 't1' } } },
    ],
    [
      false,
      'Query',
      { TableName: 'Orders', KeyConditionExpression: 'pk = :p', ExpressionAttributeValues: { ':p': { S: 't2' } } },
    ],
    [
      false,
      'Query',
      { TableName: 'Orders', KeyConditions: { pk: { ComparisonOperator: 'EQ', AttributeValueList: [{ S: 't2' }] } } },
    ],
    [
      true,
      'Query',
      {
        TableName: 'Orders',
        IndexName: 'byOwner',
        KeyConditionExpression: '#o = :p',
        ExpressionAttributeNames: { '#o': 'owner' },
        ExpressionAttributeValues: { ':p': { S: 't1' } },
      },
    ],
    [
      false,
      'Query',
      {
        TableName: 'Orders',
        IndexName: 'byOwner',
        KeyConditionExpression: '#o = :p',
        ExpressionAttributeNames: { '#o': 'owner' },
        ExpressionAttributeValues: { ':p': { S: 't2' } },
      },
    ],
    [true, 'BatchGetItem', { RequestItems: { Orders: { Keys: [key('t1')] } } }],
    [false, 'BatchGetItem', { RequestItems: { Orders: { Keys: [key('t1'), key('t2')] } } }],
    [true, 'BatchWriteItem', { RequestItems: { Orders: [{ PutRequest: { Item: key('t1') } }] } }],
    [
      false,
      'BatchWriteItem',
      { RequestItems: { Orders: [{ PutRequest: { Item: key('t1') } }, { DeleteRequest: { Key: key('t2') } }] } },
    ],
    [true, 'TransactGetItems', { TransactItems: [{ Get: read('t1') }] }],
    [false, 'TransactGetItems', { TransactItems: [{ Get: read('t1') }, { Get: read('t2') }] }],
    [true, 'TransactWriteItems', { TransactItems: [{ Put: { TableName: 'Orders', Item: key('t1') } }] }],
    [
      false,
      'TransactWriteItems',
      {
        TransactItems: [
          { Put: { TableName: 'Orders', Item: key('t1') } },
          { ConditionCheck: { TableName: 'Orders', Key: key('t2'), ConditionExpression: 'attribute_exists(pk)' } },
        ],
      },
    ],
    [true, 'ExecuteStatement', { Statement: `SELECT * FROM "Orders" WHERE pk = 't1'` }],
    [false, 'ExecuteStatement', { Statement: `SELECT * FROM "Orders" WHERE pk = 't2'` }],
    [false, 'ExecuteStatement', { Statement: `SELECT * FROM "Orders" WHERE pk IN ['t1', 't2']` }],
    [false, 'ExecuteStatement', { Statement: `SELECT * FROM "Orders" WHERE pk = 't1' OR pk = 't2'` }],
    [false, 'ExecuteStatement', { Statement: `SELECT * FROM "Orders"."byOwner" WHERE "owner" = 't2'` }],
    [true, 'ExecuteStatement', { Statement: `UPDATE "Orders" SET a = 1 WHERE pk = 't1' AND sk = 'a'` }],
    [false, 'ExecuteStatement', { Statement: `INSERT INTO "Orders" VALUE {'pk': 't2', 'sk': 'n'}` }],
    [false, 'ExecuteStatement', { Statement: `UPDATE "Orders" SET a = 1 WHERE pk = 't2' AND sk = 'a'` }],
    [
      false,
      'ExecuteStatement',
      { Statement: `DELETE FROM "Orders" WHERE pk = ? AND sk = 'a'`, Parameters: [{ S: 't2' }] },
    ],
    [
      false,
      'ExecuteTransaction',
      { TransactStatements: [{ Statement: `INSERT INTO "Orders" VALUE {'pk': 't2', 'sk': 'n'}` }] },
    ],
    // As documented: a scan has no leading keys, and neither has a select that reads like one.
    [true, 'Scan', { TableName: 'Orders' }],
    [true, 'ExecuteStatement', { Statement: `SELECT * FROM "Orders"` }],
    [true, 'ExecuteStatement', { Statement: `SELECT * FROM "Orders" WHERE sk = 'a'` }],
  ])('%s: %s %j', async (expected, action, input) => {
    expect(await may(own, action, input, tags)).toBe(expected);
    // The same by its other name.
    const first = {
      Condition: { 'ForAllValues:StringEquals': { 'dynamodb:FirstPartitionKeyValues': '${aws:PrincipalTag/tenant}' } },
    };
    expect(await may(first, action, input, tags)).toBe(expected);
  });

  test('numbers count in their canonical form, binary values as base64', async () => {
    const number = { Condition: { 'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': ['1', '100'] } } };
    for (const [text, expected] of [
      ['1', true],
      ['1.0', true],
      ['01', true],
      ['1E2', true],
      ['10', false],
      ['1.01', false],
    ] as const) {
      expect(await may(number, 'GetItem', { TableName: 'Counters', Key: { id: { N: text } } }), text).toBe(expected);
    }
    const binary = { Condition: { 'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': 'QQ==' } } };
    expect(await may(binary, 'GetItem', { TableName: 'Blobs', Key: { id: { B: 'QQ==' } } })).toBe(true);
    expect(await may(binary, 'GetItem', { TableName: 'Blobs', Key: { id: { B: 'Qg==' } } })).toBe(false);
  });

  test('a table or index that is not there has no keys to be confined to', async () => {
    const caller = user([identityPolicy({ ...everything, ...own })], tags);
    expect(await database.outcome(caller, 'GetItem', { TableName: 'Nothing', Key: { pk: { S: 't1' } } })).toBe(
      'AccessDeniedException',
    );
    const query = {
      TableName: 'Orders',
      IndexName: 'none',
      KeyConditionExpression: 'pk = :p',
      ExpressionAttributeValues: { ':p': { S: 't1' } },
    };
    expect(await database.outcome(caller, 'Query', query)).toBe('AccessDeniedException');
  });

  test('a request without the partition key is denied before it is found wrong', async () => {
    const caller = user([identityPolicy({ ...everything, ...own })], tags);
    expect(await database.outcome(caller, 'PutItem', { TableName: 'Orders', Item: { sk: { S: 'a' } } })).toBe(
      'AccessDeniedException',
    );
    expect(
      await database.outcome(caller, 'GetItem', { TableName: 'Orders', Key: { pk: { SS: ['t1'] }, sk: { S: 'a' } } }),
    ).toBe('AccessDeniedException');
    expect(
      await database.outcome(caller, 'ExecuteStatement', { Statement: `DELETE FROM "Orders" WHERE sk = 'a'` }),
    ).toBe('AccessDeniedException');
  });

  test('a table that is made again under the name has its own keys', async () => {
    const caller = user([identityPolicy({ ...everything, ...own })], tags);
    expect(await database.outcome(caller, 'GetItem', read('t1'))).toBe('done');
    await database.call(root(), 'DeleteTable', { TableName: 'Orders' });
    await database.call(root(), 'CreateTable', {
      TableName: 'Orders',
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'sk', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'sk', KeyType: 'HASH' }],
    });
    expect(await database.outcome(caller, 'GetItem', { TableName: 'Orders', Key: { sk: { S: 'a' } } })).toBe(
      'AccessDeniedException',
    );
    expect(await database.outcome(caller, 'GetItem', { TableName: 'Orders', Key: { sk: { S: 't1' } } })).toBe('done');
  });

  test('a full table scan by a statement can be denied', async () => {
    const caller = session(
      [
        identityPolicy(
          { ...everything, ...own },
          {
            Effect: 'Deny',
            Action: 'dynamodb:PartiQLSelect',
            Resource: '*',
            Condition: { Bool: { 'dynamodb:FullTableScan': 'true' } },
          },
        ),
      ],
      tags,
    );
    for (const [where, expected] of [
      ['', 'AccessDeniedException'],
      [` WHERE sk = 'a'`, 'AccessDeniedException'],
      [` WHERE pk > 't1'`, 'AccessDeniedException'],
      [` WHERE pk = 't1' OR sk = 'a'`, 'AccessDeniedException'],
      [` WHERE NOT pk = 't1'`, 'AccessDeniedException'],
      [` WHERE pk = 't1'`, 'done'],
      [` WHERE pk = 't1' AND sk > 'a'`, 'done'],
    ]) {
      expect(
        await database.outcome(caller, 'ExecuteStatement', { Statement: `SELECT * FROM "Orders"${where}` }),
        where,
      ).toBe(expected);
    }
    expect(
      await database.outcome(caller, 'ExecuteStatement', {
        Statement: `SELECT * FROM "Orders"."byOwner" WHERE pk = 't1'`,
      }),
    ).toBe('AccessDeniedException');
  });
});

describe('dynamodb:Attributes', () => {
  const some = {
    Condition: {
      'ForAllValues:StringEquals': { 'dynamodb:Attributes': ['pk', 'sk', 'owner', 'name', 'address', 'size'] },
    },
  };
  const key = { pk: { S: 't1' }, sk: { S: 'a' } };
  const values = { ':v': { S: 'x' } };

  test.each<[boolean, ActionName, object]>([
    [
      true,
      'GetItem',
      { ...read('t1'), ProjectionExpression: 'address.city[0].x, #n', ExpressionAttributeNames: { '#n': 'name' } },
    ],
    [false, 'GetItem', { ...read('t1'), ProjectionExpression: 'address.secret, secret' }],
    [false, 'GetItem', { ...read('t1'), ProjectionExpression: '#n', ExpressionAttributeNames: { '#n': 'secret' } }],
    [false, 'GetItem', { ...read('t1'), AttributesToGet: ['name', 'secret'] }],
    [true, 'GetItem', { ...read('t1'), ProjectionExpression: '#n.secret', ExpressionAttributeNames: { '#n': 'name' } }],
    [true, 'GetItem', read('t1')],
    [false, 'PutItem', { TableName: 'Orders', Item: { ...key, secret: { S: 'x' } } }],
    [true, 'PutItem', { TableName: 'Orders', Item: { ...key, name: { M: { secret: { S: 'x' } } } } }],
    [false, 'PutItem', { TableName: 'Orders', Item: key, ConditionExpression: 'attribute_exists(secret)' }],
    [false, 'PutItem', { TableName: 'Orders', Item: key, Expected: { secret: { Exists: false } } }],
    [
      false,
      'UpdateItem',
      {
        TableName: 'Orders',
        Key: key,
        UpdateExpression: 'SET #n = secret',
        ExpressionAttributeNames: { '#n': 'name' },
      },
    ],
    [
      false,
      'UpdateItem',
      {
        TableName: 'Orders',
        Key: key,
        UpdateExpression: 'SET #n = if_not_exists(secret, :v)',
        ExpressionAttributeNames: { '#n': 'name' },
        ExpressionAttributeValues: values,
      },
    ],
    [false, 'UpdateItem', { TableName: 'Orders', Key: key, UpdateExpression: 'REMOVE secret' }],
    [false, 'UpdateItem', { TableName: 'Orders', Key: key, AttributeUpdates: { secret: { Action: 'DELETE' } } }],
    [
      true,
      'UpdateItem',
      {
        TableName: 'Orders',
        Key: key,
        UpdateExpression: 'SET #n = :v',
        ExpressionAttributeNames: { '#n': 'name' },
        ExpressionAttributeValues: values,
      },
    ],
    [
      false,
      'Query',
      {
        TableName: 'Orders',
        KeyConditionExpression: 'pk = :v',
        FilterExpression: 'size(secret) > :n',
        ExpressionAttributeValues: { ...values, ':n': { N: '1' } },
      },
    ],
    [
      true,
      'Query',
      {
        TableName: 'Orders',
        KeyConditionExpression: 'pk = :v',
        FilterExpression: 'size(address) > :n',
        ExpressionAttributeValues: { ...values, ':n': { N: '1' } },
      },
    ],
    [false, 'Scan', { TableName: 'Orders', ScanFilter: { secret: { ComparisonOperator: 'NULL' } } }],
    [false, 'BatchGetItem', { RequestItems: { Orders: { Keys: [key], ProjectionExpression: 'secret' } } }],
    [
      false,
      'TransactWriteItems',
      {
        TransactItems: [{ Delete: { TableName: 'Orders', Key: key, ConditionExpression: 'attribute_exists(secret)' } }],
      },
    ],
    [false, 'ExecuteStatement', { Statement: `SELECT secret FROM "Orders" WHERE pk = 't1'` }],
    [false, 'ExecuteStatement', { Statement: `SELECT "secret" FROM "Orders" WHERE pk = 't1'` }],
    [false, 'ExecuteStatement', { Statement: `SELECT name FROM "Orders" WHERE pk = 't1' AND secret = 'of t1'` }],
    [true, 'ExecuteStatement', { Statement: `SELECT address.secret, "size" FROM "Orders" WHERE pk = 't1'` }],
    [
      false,
      'ExecuteStatement',
      { Statement: `UPDATE "Orders" SET name = 1 REMOVE secret WHERE pk = 't1' AND sk = 'a'` },
    ],
  ])('%s: %s %j', async (expected, action, input) => {
    expect(await may(some, action, input)).toBe(expected);
  });

  test('the keys of the table and of the index that is read are always among them', async () => {
    const one = { Condition: { 'ForAllValues:StringEquals': { 'dynamodb:Attributes': ['pk', 'sk'] } } };
    const query = {
      TableName: 'Orders',
      IndexName: 'byOwner',
      KeyConditionExpression: '#o = :o',
      ExpressionAttributeNames: { '#o': 'owner' },
      ExpressionAttributeValues: { ':o': { S: 't1' } },
    };
    expect(await may(one, 'Query', query)).toBe(false);
    expect(await may(some, 'Query', query)).toBe(true);
    const none = { Condition: { 'ForAllValues:StringEquals': { 'dynamodb:Attributes': ['sk'] } } };
    expect(await may(none, 'Scan', { TableName: 'Orders' })).toBe(false);
  });
});

describe('the other condition keys', () => {
  const when = (operator: string, key: string, value: string): object => ({
    Condition: { [operator]: { [key]: value } },
  });
  const key = { pk: { S: 't1' }, sk: { S: 'a' } };
  const update = { TableName: 'Orders', Key: key };
  const query = {
    TableName: 'Orders',
    KeyConditionExpression: 'pk = :p',
    ExpressionAttributeValues: { ':p': { S: 't1' } },
  };

  test.each<[boolean, object, ActionName, object]>([
    [
      true,
      when('StringEquals', 'dynamodb:Select', 'SPECIFIC_ATTRIBUTES'),
      'Query',
      { ...query, ProjectionExpression: 'sk' },
    ],
    [false, when('StringEquals', 'dynamodb:Select', 'SPECIFIC_ATTRIBUTES'), 'Query', query],
    [true, when('StringEquals', 'dynamodb:Select', 'ALL_ATTRIBUTES'), 'GetItem', read('t1')],
    [true, when('StringEquals', 'dynamodb:Select', 'COUNT'), 'Query', { ...query, Select: 'COUNT' }],
    [
      true,
      when('StringEquals', 'dynamodb:Select', 'ALL_PROJECTED_ATTRIBUTES'),
      'Scan',
      { TableName: 'Orders', IndexName: 'byOwner' },
    ],
    [true, when('Null', 'dynamodb:Select', 'true'), 'UpdateItem', update],
    [true, when('StringEquals', 'dynamodb:ReturnValues', 'NONE'), 'UpdateItem', update],
    [
      false,
      when('StringEquals', 'dynamodb:ReturnValues', 'NONE'),
      'UpdateItem',
      { ...update, ReturnValues: 'ALL_OLD' },
    ],
    [
      false,
      when('StringEquals', 'dynamodb:ReturnValues', 'NONE'),
      'UpdateItem',
      { ...update, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' },
    ],
    [true, when('Null', 'dynamodb:ReturnValues', 'true'), 'Query', query],
    [true, when('StringEquals', 'dynamodb:ReturnConsumedCapacity', 'NONE'), 'Query', query],
    [
      false,
      when('StringEquals', 'dynamodb:ReturnConsumedCapacity', 'NONE'),
      'Query',
      { ...query, ReturnConsumedCapacity: 'TOTAL' },
    ],
    [
      true,
      when('Null', 'dynamodb:ReturnConsumedCapacity', 'true'),
      'ExecuteStatement',
      { Statement: `SELECT * FROM "Orders"` },
    ],
    [
      true,
      when('StringEquals', 'dynamodb:EnclosingOperation', 'TransactWriteItems'),
      'TransactWriteItems',
      { TransactItems: [{ Delete: update }] },
    ],
    [false, when('StringEquals', 'dynamodb:EnclosingOperation', 'TransactWriteItems'), 'DeleteItem', update],
    [
      true,
      when('StringEquals', 'dynamodb:EnclosingOperation', 'TransactGetItems'),
      'TransactGetItems',
      { TransactItems: [{ Get: update }] },
    ],
    [
      true,
      when('StringEquals', 'dynamodb:EnclosingOperation', 'ExecuteTransaction'),
      'ExecuteTransaction',
      { TransactStatements: [{ Statement: `SELECT * FROM "Orders" WHERE pk = 't1' AND sk = 'a'` }] },
    ],
    [true, when('Null', 'dynamodb:FullTableScan', 'true'), 'Scan', { TableName: 'Orders' }],
    [true, when('StringEquals', 'aws:ResourceTag/stage', 'test'), 'Scan', { TableName: 'Orders' }],
    [
      true,
      when('StringEquals', 'aws:ResourceTag/Stage', 'test'),
      'Query',
      {
        ...query,
        IndexName: 'byOwner',
        KeyConditionExpression: '#o = :p',
        ExpressionAttributeNames: { '#o': 'owner' },
      },
    ],
    [false, when('StringEquals', 'aws:ResourceTag/Stage', 'test'), 'Scan', { TableName: 'Counters' }],
    [true, when('StringEquals', 'aws:ResourceAccount', accountA), 'Scan', { TableName: 'Orders' }],
    [
      true,
      when('StringEquals', 'aws:RequestTag/team', 'red'),
      'TagResource',
      { ResourceArn: orders, Tags: [{ Key: 'Team', Value: 'red' }] },
    ],
    [
      false,
      when('StringEquals', 'aws:RequestTag/team', 'red'),
      'TagResource',
      { ResourceArn: orders, Tags: [{ Key: 'Team', Value: 'blue' }] },
    ],
    [
      true,
      when('ForAllValues:StringEquals', 'aws:TagKeys', 'Team'),
      'UntagResource',
      { ResourceArn: orders, TagKeys: ['Team'] },
    ],
    [
      false,
      when('ForAllValues:StringEquals', 'aws:TagKeys', 'Team'),
      'UntagResource',
      { ResourceArn: orders, TagKeys: ['Team', 'Stage'] },
    ],
    [true, when('DateLessThan', 'aws:CurrentTime', '2026-11-22T10:00:01Z'), 'Scan', { TableName: 'Orders' }],
    [false, when('DateLessThan', 'aws:CurrentTime', '2026-11-22T10:00:00Z'), 'Scan', { TableName: 'Orders' }],
    [true, when('NumericGreaterThan', 'aws:EpochTime', '1795341599'), 'Scan', { TableName: 'Orders' }],
    [true, when('IpAddress', 'aws:SourceIp', '192.0.2.0/24'), 'Scan', { TableName: 'Orders' }],
    [false, when('IpAddress', 'aws:SourceIp', '198.51.100.0/24'), 'Scan', { TableName: 'Orders' }],
    [true, when('Bool', 'aws:SecureTransport', 'true'), 'Scan', { TableName: 'Orders' }],
    [true, when('StringEquals', 'aws:username', 'ann'), 'Scan', { TableName: 'Orders' }],
    [true, when('StringLike', 'aws:userid', 'AIDA*'), 'Scan', { TableName: 'Orders' }],
    [true, when('StringEquals', 'aws:PrincipalType', 'User'), 'Scan', { TableName: 'Orders' }],
    [true, when('ArnEquals', 'aws:PrincipalArn', `arn:aws:iam::${accountA}:user/ann`), 'Scan', { TableName: 'Orders' }],
    [true, when('StringEquals', 'aws:PrincipalAccount', accountA), 'Scan', { TableName: 'Orders' }],
    [true, when('StringEquals', 'aws:RequestedRegion', 'us-east-1'), 'Scan', { TableName: 'Orders' }],
    [true, when('Null', 'aws:SourceVpc', 'true'), 'Scan', { TableName: 'Orders' }],
    [true, when('Null', 'aws:MultiFactorAuthPresent', 'true'), 'Scan', { TableName: 'Orders' }],
    [true, when('StringEquals', 'aws:UserAgent', 'test'), 'Scan', { TableName: 'Orders' }],
  ])('%s: %j %s %j', async (expected, statement, action, input) => {
    expect(await may(statement, action, input)).toBe(expected);
  });

  test('of a session', async () => {
    const may = async (operator: string, name: string, value: string): Promise<string> =>
      database.outcome(
        session([identityPolicy({ ...everything, ...when(operator, name, value) })], {
          tags: new Map([['Tenant', 't1']]),
        }),
        'Scan',
        { TableName: 'Orders' },
      );
    expect(await may('ArnEquals', 'aws:PrincipalArn', `arn:aws:iam::${accountA}:role/app`)).toBe('done');
    expect(await may('StringEquals', 'aws:PrincipalType', 'AssumedRole')).toBe('done');
    expect(await may('Null', 'aws:username', 'true')).toBe('done');
    expect(await may('StringEquals', 'aws:PrincipalTag/tenant', 't1')).toBe('done');
    expect(await may('StringEquals', 'aws:PrincipalTag/tenant', 't2')).toBe('AccessDeniedException');
  });
});

describe('resource policies', () => {
  const grant = async (table: string, statements: readonly object[], owner = accountA): Promise<void> => {
    const Policy = JSON.stringify({ Version: '2012-10-17', Statement: statements });
    await database.call(root(owner), 'PutResourcePolicy', { ResourceArn: tableArn(table, owner), Policy });
  };
  const ann = `arn:aws:iam::${accountA}:user/ann`;

  test('grant to a user of the account what no identity policy does', async () => {
    expect(await database.outcome(user([]), 'GetItem', read('t1'))).toBe('AccessDeniedException');
    await grant('Orders', [{ Effect: 'Allow', Principal: { AWS: ann }, Action: 'dynamodb:GetItem', Resource: orders }]);
    expect(await database.outcome(user([]), 'GetItem', read('t1'))).toBe('done');
    expect(
      await database.outcome(user([]), 'PutItem', { TableName: 'Orders', Item: { pk: { S: 'x' }, sk: { S: 'y' } } }),
    ).toBe('AccessDeniedException');
    database.clock.advance(20_000);
    await database.call(root(), 'DeleteResourcePolicy', { ResourceArn: orders });
    expect(await database.outcome(user([]), 'GetItem', read('t1'))).toBe('AccessDeniedException');
  });

  test('deny what an identity policy grants, root users included', async () => {
    await grant('Orders', [
      { Effect: 'Deny', Principal: { AWS: '*' }, Action: 'dynamodb:DeleteItem', Resource: orders },
    ]);
    const item = { TableName: 'Orders', Key: { pk: { S: 't1' }, sk: { S: 'a' } } };
    for (const caller of [user([identityPolicy(everything)]), root()]) {
      expect((await database.refusal(caller, 'DeleteItem', item))?.message).toMatch(
        / with an explicit deny in a resource-based policy$/,
      );
      expect(await database.outcome(caller, 'GetItem', item)).toBe('done');
    }
  });

  test('go with their table: the next table of the name has none', async () => {
    await grant('Orders', [{ Effect: 'Allow', Principal: { AWS: ann }, Action: 'dynamodb:Scan', Resource: orders }]);
    expect(await database.outcome(user([]), 'Scan', { TableName: 'Orders' })).toBe('done');
    await database.call(root(), 'DeleteTable', { TableName: 'Orders' });
    await database.call(root(), 'CreateTable', {
      TableName: 'Orders',
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
    });
    expect(await database.outcome(user([]), 'Scan', { TableName: 'Orders' })).toBe('AccessDeniedException');
  });

  test('decide at once in every process that shares the store', async () => {
    const other = database.secondProcess();
    // Both have cached the table before its policy changes.
    expect(await other.outcome(root(), 'GetItem', read('t1'))).toBe('done');
    expect(await other.outcome(user([]), 'GetItem', read('t1'))).toBe('AccessDeniedException');
    await grant('Orders', [{ Effect: 'Allow', Principal: { AWS: ann }, Action: 'dynamodb:GetItem', Resource: orders }]);
    expect(await other.outcome(user([]), 'GetItem', read('t1'))).toBe('done');
    database.clock.advance(20_000);
    await database.call(root(), 'DeleteResourcePolicy', { ResourceArn: orders });
    expect(await other.outcome(user([]), 'GetItem', read('t1'))).toBe('AccessDeniedException');
  });

  test('of a stream are asked on its stream', async () => {
    const { Streams } = (await database.call(root(), 'ListStreams', { TableName: 'Orders' })) as {
      Streams: { StreamArn: string }[];
    };
    const StreamArn = Streams[0]!.StreamArn;
    expect(await database.outcome(user([]), 'DescribeStream', { StreamArn })).toBe('AccessDeniedException');
    const Policy = JSON.stringify({
      Version: '2012-10-17',
      Statement: [{ Effect: 'Allow', Principal: { AWS: ann }, Action: 'dynamodb:DescribeStream', Resource: StreamArn }],
    });
    await database.call(root(), 'PutResourcePolicy', { ResourceArn: StreamArn, Policy });
    expect(await database.outcome(user([]), 'DescribeStream', { StreamArn })).toBe('done');
    expect(
      await database.outcome(user([]), 'GetShardIterator', {
        StreamArn,
        ShardId: 'shardId-00000000000000000000-00000000',
        ShardIteratorType: 'LATEST',
      }),
    ).toBe('AccessDeniedException');
  });

  describe('across accounts', () => {
    const foreign = tableArn('Orders', accountB);
    const mine = identityPolicy(everything);
    const item = (pk: string): object => ({ TableName: foreign, Key: { pk: { S: pk }, sk: { S: 'a' } } });
    const allow = (actions: string | readonly string[], Resource: string | readonly string[] = foreign): object => ({
      Effect: 'Allow',
      Principal: { AWS: accountA },
      Action: actions,
      Resource,
    });

    test('both sides must allow', async () => {
      expect((await database.refusal(user([mine]), 'GetItem', item('t1')))?.message).toBe(
        `User: arn:aws:iam::${accountA}:user/ann is not authorized to perform: dynamodb:GetItem on resource: ${foreign} because no resource-based policy allows the dynamodb:GetItem action`,
      );
      await grant('Orders', [allow('dynamodb:GetItem')], accountB);
      expect(await database.outcome(user([mine]), 'GetItem', item('t1'))).toBe('done');
      expect(await database.outcome(user([]), 'GetItem', item('t1'))).toBe('AccessDeniedException');
      expect(await database.outcome(user([mine]), 'DeleteItem', item('t1'))).toBe('AccessDeniedException');
    });

    test('what is read and written is the other account’s', async () => {
      await grant(
        'Orders',
        [
          allow(
            ['dynamodb:*Item', 'dynamodb:Query', 'dynamodb:Scan', 'dynamodb:DescribeTable'],
            [foreign, `${foreign}/index/*`],
          ),
        ],
        accountB,
      );
      const caller = user([mine]);
      await database.call(caller, 'PutItem', {
        TableName: foreign,
        Item: { pk: { S: 'n' }, sk: { S: 'a' }, from: { S: 'A' } },
      });
      expect(
        await database.call(root(accountB), 'GetItem', {
          TableName: 'Orders',
          Key: { pk: { S: 'n' }, sk: { S: 'a' } },
        }),
      ).toMatchObject({ Item: { from: { S: 'A' } } });
      expect(
        await database.call(root(), 'GetItem', { TableName: 'Orders', Key: { pk: { S: 'n' }, sk: { S: 'a' } } }),
      ).toEqual({});
      expect(await database.call(caller, 'DescribeTable', { TableName: foreign })).toMatchObject({
        Table: { TableArn: foreign },
      });
      expect(
        await database.call(caller, 'BatchGetItem', {
          RequestItems: { [foreign]: { Keys: [{ pk: { S: 'n' }, sk: { S: 'a' } }] } },
        }),
      ).toMatchObject({ Responses: { [foreign]: [{ from: { S: 'A' } }] } });
      expect(await database.call(caller, 'TransactGetItems', { TransactItems: [{ Get: item('n') }] })).toMatchObject({
        Responses: [{ Item: { from: { S: 'A' } } }],
      });
      await database.call(caller, 'TransactWriteItems', { TransactItems: [{ Delete: item('n') }] });
      expect(
        await database.call(root(accountB), 'GetItem', {
          TableName: 'Orders',
          Key: { pk: { S: 'n' }, sk: { S: 'a' } },
        }),
      ).toEqual({});
      expect(await database.call(caller, 'Scan', { TableName: foreign, IndexName: 'byOwner' })).toMatchObject({
        Count: 2,
      });
    });

    test('tables of two accounts in one request are refused, of the same name too', async () => {
      await grant('Orders', [allow('dynamodb:*')], accountB);
      const Keys = [{ pk: { S: 't1' }, sk: { S: 'a' } }];
      for (const RequestItems of [
        { Orders: { Keys }, [foreign]: { Keys } },
        { [orders]: { Keys }, [foreign]: { Keys } },
      ]) {
        expect((await database.refusal(user([mine]), 'BatchGetItem', { RequestItems }))?.message).toBe(
          'The tables of one request must belong to one account',
        );
      }
    });

    test('actions that do not work across accounts do not', async () => {
      await grant('Orders', [allow('dynamodb:*')], accountB);
      const caller = user([mine]);
      for (const [action, input] of [
        ['DescribeTimeToLive', { TableName: foreign }],
        ['CreateBackup', { TableName: foreign, BackupName: 'mine' }],
        ['GetResourcePolicy', { ResourceArn: foreign }],
        ['PutResourcePolicy', { ResourceArn: foreign, Policy: '{}' }],
        ['ExportTableToPointInTime', { TableArn: foreign, S3Bucket: 'bucket' }],
      ] as const) {
        expect((await database.refusal(caller, action, input))?.message, action).toBe(
          `User: ${caller.arn} is not authorized to perform: dynamodb:${action} on resource: ${foreign} because no resource-based policy allows the dynamodb:${action} action`,
        );
      }
      expect(await database.outcome(caller, 'ListTagsOfResource', { ResourceArn: foreign })).toBe('done');
    });
  });
});

describe('requests of several parts', () => {
  test('a denied part of a transaction denies all, by the permission of the part', async () => {
    const caller = user([identityPolicy({ Effect: 'Allow', Action: 'dynamodb:PutItem', Resource: '*' })]);
    const item = { pk: { S: 'n' }, sk: { S: 'a' } };
    const refusal = await database.refusal(caller, 'TransactWriteItems', {
      TransactItems: [
        { Put: { TableName: 'Orders', Item: item } },
        {
          ConditionCheck: {
            TableName: 'Orders',
            Key: { pk: { S: 't1' }, sk: { S: 'a' } },
            ConditionExpression: 'attribute_exists(pk)',
          },
        },
      ],
    });
    expect(refusal?.message).toContain('is not authorized to perform: dynamodb:ConditionCheckItem on resource');
    expect(await database.call(root(), 'GetItem', { TableName: 'Orders', Key: item })).toEqual({});
  });

  test('a denied table of a batch denies all of it', async () => {
    const caller = user([identityPolicy({ Effect: 'Allow', Action: 'dynamodb:BatchWriteItem', Resource: orders })]);
    const refusal = await database.refusal(caller, 'BatchWriteItem', {
      RequestItems: {
        Orders: [{ PutRequest: { Item: { pk: { S: 'n' }, sk: { S: 'a' } } } }],
        Counters: [{ PutRequest: { Item: { id: { N: '1' } } } }],
      },
    });
    expect(refusal?.message).toContain(`dynamodb:BatchWriteItem on resource: ${tableArn('Counters')} because`);
    expect(await database.call(root(), 'Scan', { TableName: 'Orders' })).toMatchObject({ Count: 2 });
  });

  test('a batch needs its own permission, and none of its parts', async () => {
    const get = { RequestItems: { Orders: { Keys: [{ pk: { S: 't1' }, sk: { S: 'a' } }] } } };
    expect(await may({ Action: 'dynamodb:GetItem' }, 'BatchGetItem', get)).toBe(false);
    expect(await may({ Action: 'dynamodb:BatchGetItem' }, 'BatchGetItem', get)).toBe(true);
  });

  test('of a batch of statements, those that are denied are answered so in their places', async () => {
    const caller = user([
      identityPolicy({
        Effect: 'Allow',
        Action: 'dynamodb:PartiQLInsert',
        Resource: '*',
        Condition: { 'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': 't1' } },
      }),
    ]);
    const answer = (await database.call(caller, 'BatchExecuteStatement', {
      Statements: [
        { Statement: `INSERT INTO "Orders" VALUE {'pk': 't1', 'sk': 'n'}` },
        { Statement: `INSERT INTO "Orders" VALUE {'pk': 't2', 'sk': 'n'}` },
        { Statement: 'no statement' },
      ],
    })) as { Responses: { Error?: { Code: string; Message: string } }[] };
    expect(answer.Responses.map(({ Error: error }) => error?.Code)).toEqual([
      undefined,
      'AccessDenied',
      'ValidationError',
    ]);
    expect(answer.Responses[1]?.Error?.Message).toContain(`dynamodb:PartiQLInsert on resource: ${orders} because`);
    expect(await database.call(root(), 'Scan', { TableName: 'Orders' })).toMatchObject({ Count: 3 });
  });

  test('a new table with tags and a policy needs three permissions', async () => {
    const input = {
      TableName: 'New',
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
      Tags: [{ Key: 'a', Value: 'b' }],
      ResourcePolicy: JSON.stringify({
        Statement: [{ Effect: 'Allow', Principal: { AWS: accountB }, Action: 'dynamodb:Scan', Resource: '*' }],
      }),
    };
    expect(await may({ Action: ['dynamodb:CreateTable', 'dynamodb:TagResource'] }, 'CreateTable', input)).toBe(false);
    expect(await may({ Action: ['dynamodb:CreateTable', 'dynamodb:PutResourcePolicy'] }, 'CreateTable', input)).toBe(
      false,
    );
    expect(
      await may(
        { Action: ['dynamodb:CreateTable', 'dynamodb:TagResource', 'dynamodb:PutResourcePolicy'] },
        'CreateTable',
        input,
      ),
    ).toBe(true);
  });
});

describe('other spellings of a resource', () => {
  const guarded = [identityPolicy(everything, { Effect: 'Deny', Action: '*', Resource: `${orders}*` })];

  test.each([
    orders,
    orders.replace('arn:aws:', 'arn:aws-cn:'),
    orders.replace('arn:aws:', 'arn:evil:'),
    orders.replace('arn:aws:', 'arn::'),
    `${orders}/stream/x`,
    `${orders.replace('arn:aws:', 'arn:evil:')}/stream/x`,
  ])('do not evade a policy: %s', async (ResourceArn) => {
    for (const [action, input] of [
      ['TagResource', { ResourceArn, Tags: [{ Key: 'a', Value: 'b' }] }],
      ['UntagResource', { ResourceArn, TagKeys: ['Stage'] }],
      ['ListTagsOfResource', { ResourceArn }],
    ] as const) {
      expect(await database.outcome(user(guarded), action, input)).not.toBe('done');
    }
    expect(await database.call(root(), 'ListTagsOfResource', { ResourceArn: orders })).toMatchObject({
      Tags: [{ Key: 'Stage', Value: 'test' }],
    });
  });

  test('the tags of a table are not changed by the permission on its streams', async () => {
    const caller = user([identityPolicy({ Effect: 'Allow', Action: '*', Resource: `${orders}/stream/*` })]);
    expect(
      await database.outcome(caller, 'TagResource', {
        ResourceArn: `${orders}/stream/x`,
        Tags: [{ Key: 'a', Value: 'b' }],
      }),
    ).toBe('AccessDeniedException');
  });

  test('the ARN of the own table is its name', async () => {
    expect(await database.outcome(user(guarded), 'GetItem', { ...read('t1'), TableName: orders })).toBe(
      'AccessDeniedException',
    );
    expect(
      await database.outcome(user(guarded), 'GetItem', {
        ...read('t1'),
        TableName: orders.replace('arn:aws:', 'arn:aws-cn:'),
      }),
    ).toBe('AccessDeniedException');
  });
});
