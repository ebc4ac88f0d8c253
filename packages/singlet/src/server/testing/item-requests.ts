import type { ActionName } from '../../engine/index.ts';

const key = { pk: { S: 'a' }, sk: { N: '1' } };

/** Requests on items, and others whose permissions depend on their contents: each could run unchanged. */
export const itemRequests: readonly (readonly [action: ActionName, input: unknown])[] = [
  ['GetItem', { TableName: 'Users', Key: { pk: { S: 'a' }, sk: { N: '1.0' } } }],
  [
    'GetItem',
    {
      TableName: 'Users',
      Key: key,
      ProjectionExpression: 'a, b.c[0], #name',
      ExpressionAttributeNames: { '#name': 'Name' },
      ReturnConsumedCapacity: 'INDEXES',
    },
  ],
  ['GetItem', { TableName: 'Users', Key: key, AttributesToGet: ['a', 'b'] }],
  [
    'PutItem',
    {
      TableName: 'Users',
      Item: { ...key, owner: { S: 'x' } },
      ConditionExpression: 'attribute_not_exists(pk) OR NOT (size(#v) < :n AND d IN (:n, e.f))',
      ExpressionAttributeNames: { '#v': 'version' },
      ExpressionAttributeValues: { ':n': { N: '2' } },
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    },
  ],
  ['PutItem', { TableName: 'Users', Item: key, Expected: { a: { Exists: false } }, ReturnValues: 'ALL_OLD' }],
  [
    'UpdateItem',
    {
      TableName: 'Users',
      Key: key,
      UpdateExpression:
        'SET a = b + :n, c.d = if_not_exists(e, :l), k = list_append(f, :l) REMOVE g[1] ADD h :n DELETE i :s',
      ConditionExpression: 'j = :n',
      ExpressionAttributeValues: { ':n': { N: '1' }, ':l': { L: [] }, ':s': { SS: ['x'] } },
      ReturnValues: 'UPDATED_NEW',
    },
  ],
  ['UpdateItem', { TableName: 'Users', Key: key, AttributeUpdates: { a: { Action: 'DELETE' } } }],
  ['DeleteItem', { TableName: 'Users', Key: key, ReturnValues: 'ALL_OLD', ReturnConsumedCapacity: 'TOTAL' }],
  [
    'Query',
    {
      TableName: 'Users',
      KeyConditionExpression: 'pk = :p AND begins_with(sk, :s)',
      FilterExpression: 'attribute_exists(a)',
      ExpressionAttributeValues: { ':p': { S: 'a' }, ':s': { S: 'b' } },
    },
  ],
  [
    'Query',
    {
      TableName: 'Users',
      IndexName: 'byOwner',
      KeyConditions: { owner: { ComparisonOperator: 'EQ', AttributeValueList: [{ S: 'x' }] } },
      QueryFilter: { a: { ComparisonOperator: 'NULL' } },
      Select: 'COUNT',
    },
  ],
  [
    'Query',
    {
      TableName: 'Users',
      IndexName: 'byOwner',
      KeyConditionExpression: '#o = :o',
      ProjectionExpression: 'a',
      ExpressionAttributeNames: { '#o': 'owner' },
      ExpressionAttributeValues: { ':o': { S: 'x' } },
    },
  ],
  ['Scan', { TableName: 'Users' }],
  [
    'Scan',
    {
      TableName: 'Users',
      IndexName: 'byOwner',
      FilterExpression: 'pk = :p',
      ExpressionAttributeValues: { ':p': { S: 'a' } },
    },
  ],
  [
    'BatchGetItem',
    {
      RequestItems: {
        Users: { Keys: [key, { pk: { S: 'b' }, sk: { N: '2' } }], ProjectionExpression: 'a' },
        Orders: { Keys: [{ id: { N: '1' } }] },
      },
    },
  ],
  [
    'BatchWriteItem',
    {
      RequestItems: {
        Users: [{ PutRequest: { Item: { ...key, a: { S: 'x' } } } }, { DeleteRequest: { Key: { pk: { S: 'b' } } } }],
      },
      ReturnConsumedCapacity: 'TOTAL',
    },
  ],
  [
    'TransactGetItems',
    { TransactItems: [{ Get: { TableName: 'Users', Key: key } }, { Get: { TableName: 'Orders', Key: key } }] },
  ],
  [
    'TransactWriteItems',
    {
      TransactItems: [
        { Put: { TableName: 'Users', Item: key, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } },
        { Update: { TableName: 'Users', Key: { pk: { S: 'b' } }, UpdateExpression: 'REMOVE a' } },
        { Delete: { TableName: 'Orders', Key: { pk: { S: 'c' } } } },
        {
          ConditionCheck: { TableName: 'Orders', Key: { pk: { S: 'd' } }, ConditionExpression: 'attribute_exists(a)' },
        },
      ],
    },
  ],
  ['ExecuteStatement', { Statement: `SELECT * FROM Users WHERE pk = 'a' AND sk > 1` }],
  [
    'ExecuteStatement',
    { Statement: 'SELECT a, b.c FROM Users.byOwner WHERE "owner" IN [?, ?]', Parameters: [{ S: 'x' }, { S: 'y' }] },
  ],
  ['ExecuteStatement', { Statement: `SELECT * FROM Users WHERE pk = 'a' OR a = 1` }],
  ['ExecuteStatement', { Statement: `SELECT * FROM Users WHERE NOT pk = 'a' ORDER BY sk` }],
  ['ExecuteStatement', { Statement: `SELECT * FROM Users WHERE pk = 'a' AND pk = 'b'` }],
  ['ExecuteStatement', { Statement: `INSERT INTO Users VALUE {'pk': 'a', 'sk': 1, 'b': ?}`, Parameters: [{ S: 'x' }] }],
  [
    'ExecuteStatement',
    { Statement: `UPDATE Users SET a = b + 1 REMOVE c WHERE pk = 'a' AND sk = 1 AND d = 2 RETURNING MODIFIED NEW *` },
  ],
  ['ExecuteStatement', { Statement: `DELETE FROM Users WHERE pk = 'a' AND sk = 1 RETURNING ALL OLD *` }],
  [
    'BatchExecuteStatement',
    {
      Statements: [
        { Statement: `SELECT * FROM Users WHERE pk = 'a' AND sk = 1` },
        { Statement: `DELETE FROM Users WHERE pk = 'b' AND sk = 1`, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' },
        { Statement: `INSERT INTO Users VALUE {'pk': 'a'}` },
        { Statement: `UPDATE Users SET a = 1 WHERE pk = 'a'` },
      ],
    },
  ],
  [
    'ExecuteTransaction',
    {
      TransactStatements: [
        { Statement: `EXISTS(SELECT * FROM Users WHERE pk = 'a' AND sk = 1 AND a = 'x')` },
        { Statement: `INSERT INTO Users VALUE {'pk': 'b'}` },
        { Statement: `UPDATE Users SET a = 1 WHERE pk = 'c'` },
        { Statement: `DELETE FROM Users WHERE pk = 'd'` },
      ],
    },
  ],
  ...['SELECT * FROM Users', `DELETE FROM Users WHERE pk = 'a'`, `UPDATE Users SET a = 1 WHERE pk = 'a'`].map(
    (Statement) => ['ExplainStatement', { Statement }] as const,
  ),
  ['ExplainStatement', { Statement: `INSERT INTO Users VALUE {'pk': 'b'}` }],
  ['DescribeContributorInsights', { TableName: 'Users' }],
  ['DescribeContributorInsights', { TableName: 'Users', IndexName: 'byOwner' }],
  ['ListExports', {}],
  ['ListExports', { TableArn: 'arn:aws:dynamodb:us-east-1:000000000000:table/Users' }],
  [
    'CreateTable',
    {
      TableName: 'Users',
      AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
      BillingMode: 'PAY_PER_REQUEST',
    },
  ],
  [
    'CreateTable',
    {
      TableName: 'Users',
      AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
      BillingMode: 'PAY_PER_REQUEST',
      Tags: [{ Key: 'team', Value: 'a' }],
      ResourcePolicy: '{}',
    },
  ],
  ['UpdateTable', { TableName: 'Users', DeletionProtectionEnabled: true }],
  ['UpdateTable', { TableName: 'Users', ReplicaUpdates: [{ Create: { RegionName: 'eu-west-1' } }] }],
  [
    'UpdateTable',
    {
      TableName: 'Users',
      ReplicaUpdates: [{ Delete: { RegionName: 'eu-west-1' } }],
      GlobalTableWitnessUpdates: [{ Create: { RegionName: 'eu-west-2' }, Delete: { RegionName: 'eu-west-3' } }],
    },
  ],
];
