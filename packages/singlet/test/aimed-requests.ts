import { arnOf, hostileTables, type Json } from './hostile-database.ts';

const { simple, indexed, prototype, binary } = hostileTables;

const TableName = indexed;
const Key = { pk: { S: 'a' }, sk: { N: '1' } };

/** A policy that a table can have. */
const policy = JSON.stringify({
  Version: '2012-10-17',
  Id: '__proto__',
  Statement: [
    {
      Sid: 'constructor',
      Effect: 'Allow',
      Principal: { AWS: ['111122223333', 'arn:aws:iam::111122223333:user/toString'] },
      Action: ['dynamodb:GetItem', 'dynamodb:Q*'],
      Resource: [arnOf(simple), `${arnOf(simple)}/index/*`],
      Condition: { StringLike: { __proto__: 'x', 'aws:PrincipalArn': ['*', 'a?c'] }, Bool: { valueOf: true } },
    },
    { Effect: 'Deny', NotPrincipal: { Service: 'x.amazonaws.com' }, NotAction: 'dynamodb:*', NotResource: '*' },
  ],
});

const kinesisStream = 'arn:aws:kinesis:us-east-1:000000000000:stream/toString';

/** Valid requests to the tables of a hostile database: every action and every parameter, old and new. */
export const aimedRequests: readonly (readonly [action: string, input: Json])[] = [
  ['GetItem', { TableName, Key, ConsistentRead: true, ReturnConsumedCapacity: 'INDEXES' }],
  [
    'GetItem',
    {
      TableName: simple,
      Key: { pk: { S: 'a' } },
      ProjectionExpression: '#m.a.b, #l[2].a[0], n',
      ExpressionAttributeNames: { '#m': 'map', '#l': 'list' },
    },
  ],
  ['GetItem', { TableName: simple, Key: { pk: { S: 'a' } }, AttributesToGet: ['a', 'map'] }],
  [
    'PutItem',
    {
      TableName,
      Item: {
        ...Key,
        rank: { N: '3' },
        owner: { S: 'y' },
        photo: { B: 'AQ==' },
        more: { L: [{ M: { a: { NS: ['1'] } } }] },
      },
      ConditionExpression: 'attribute_exists(pk) AND (#o = :o OR rank > :r)',
      ExpressionAttributeNames: { '#o': 'owner' },
      ExpressionAttributeValues: { ':o': { S: 'x' }, ':r': { N: '1' } },
      ReturnValues: 'ALL_OLD',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      ReturnConsumedCapacity: 'INDEXES',
      ReturnItemCollectionMetrics: 'SIZE',
    },
  ],
  [
    'PutItem',
    {
      TableName: prototype,
      Item: { ['__proto__']: { S: 'p' }, constructor: { N: '1' }, valueOf: { S: 'w' } },
      Expected: {
        toString: { Exists: false },
        valueOf: { ComparisonOperator: 'NE', AttributeValueList: [{ S: 'z' }] },
      },
      ConditionalOperator: 'AND',
    },
  ],
  [
    'UpdateItem',
    {
      TableName: simple,
      Key: { pk: { S: 'b' } },
      UpdateExpression:
        'SET #m.a.b = :s, n = n + :n, #l = list_append(#l, :l), fresh = if_not_exists(fresh, :n) REMOVE #l[0] ADD numbers :ns DELETE #set :ss',
      ConditionExpression: 'size(#l) < :n10 AND contains(#set, :s1) AND NOT attribute_type(n, :t)',
      ExpressionAttributeNames: { '#m': 'map', '#l': 'list', '#set': 'set' },
      ExpressionAttributeValues: {
        ':s': { S: 'new' },
        ':s1': { S: 'a' },
        ':n': { N: '1' },
        ':n10': { N: '10' },
        ':l': { L: [{ N: '7' }] },
        ':ns': { NS: ['3'] },
        ':ss': { SS: ['b'] },
        ':t': { S: 'S' },
      },
      ReturnValues: 'UPDATED_NEW',
    },
  ],
  [
    'UpdateItem',
    {
      TableName: simple,
      Key: { pk: { S: 'c' } },
      AttributeUpdates: {
        a: { Action: 'PUT', Value: { S: 'b' } },
        n: { Action: 'ADD', Value: { N: '1' } },
        set: { Action: 'DELETE', Value: { SS: ['a'] } },
        map: { Action: 'DELETE' },
      },
      Expected: { a: { Value: { S: 'text' } } },
      ReturnValues: 'ALL_NEW',
    },
  ],
  ['DeleteItem', { TableName, Key, ConditionExpression: 'attribute_exists(tag)', ReturnValues: 'ALL_OLD' }],
  ['DeleteItem', { TableName: binary, Key: { pk: { B: 'AAEC' } } }],
  [
    'Query',
    {
      TableName,
      KeyConditionExpression: 'pk = :p AND sk BETWEEN :a AND :b',
      FilterExpression: 'attribute_exists(rank) OR tag IN (:p, :p)',
      ProjectionExpression: 'pk, sk, tag',
      ExpressionAttributeValues: { ':p': { S: 'a' }, ':a': { N: '0' }, ':b': { N: '9' } },
      ScanIndexForward: false,
      Limit: 1,
      ReturnConsumedCapacity: 'TOTAL',
    },
  ],
  [
    'Query',
    {
      TableName,
      IndexName: 'byOwner',
      KeyConditions: {
        owner: { ComparisonOperator: 'EQ', AttributeValueList: [{ S: 'x' }] },
        rank: { ComparisonOperator: 'BETWEEN', AttributeValueList: [{ N: '0' }, { N: '99' }] },
      },
      QueryFilter: { tag: { ComparisonOperator: 'BEGINS_WITH', AttributeValueList: [{ S: 't' }] } },
      ConditionalOperator: 'OR',
      Select: 'ALL_PROJECTED_ATTRIBUTES',
      ExclusiveStartKey: { pk: { S: 'a' }, sk: { N: '1' }, owner: { S: 'x' }, rank: { N: '9' } },
    },
  ],
  [
    'Query',
    {
      TableName,
      IndexName: 'byRank',
      KeyConditionExpression: 'pk = :p AND rank > :r',
      ExpressionAttributeValues: { ':p': { S: 'a' }, ':r': { N: '0' } },
      ConsistentRead: true,
      Select: 'ALL_ATTRIBUTES',
      ExclusiveStartKey: { pk: { S: 'a' }, sk: { N: '1' }, rank: { N: '9' } },
    },
  ],
  [
    'Scan',
    {
      TableName: simple,
      FilterExpression: '#m.#p = :v AND begins_with(#l[0], :x)',
      ProjectionExpression: '#m.#p, pk',
      ExpressionAttributeNames: { '#m': 'map', '#p': '__proto__', '#l': 'list' },
      ExpressionAttributeValues: { ':v': { S: 'p' }, ':x': { S: 'x' } },
      Segment: 0,
      TotalSegments: 2,
      Limit: 3,
    },
  ],
  [
    'Scan',
    {
      TableName: prototype,
      IndexName: '__proto__',
      ScanFilter: { constructor: { ComparisonOperator: 'IN', AttributeValueList: [{ N: '1' }, { N: '2' }] } },
      Select: 'COUNT',
      ExclusiveStartKey: { ['__proto__']: { S: 'p' }, constructor: { N: '1' }, valueOf: { S: 'v' } },
    },
  ],
  [
    'BatchGetItem',
    {
      RequestItems: {
        [simple]: { Keys: [{ pk: { S: 'a' } }, { pk: { S: 'zz' } }], ProjectionExpression: 'n', ConsistentRead: true },
        [prototype]: { Keys: [{ ['__proto__']: { S: 'p' }, constructor: { N: '1' } }] },
        [indexed]: { Keys: [Key], AttributesToGet: ['tag'] },
      },
      ReturnConsumedCapacity: 'TOTAL',
    },
  ],
  [
    'BatchWriteItem',
    {
      RequestItems: {
        [simple]: [
          { PutRequest: { Item: { pk: { S: 'new' }, a: { L: [] } } } },
          { DeleteRequest: { Key: { pk: { S: 'a' } } } },
        ],
        [indexed]: [
          { DeleteRequest: { Key } },
          { PutRequest: { Item: { ...Key, sk: { N: '2' }, rank: { N: '-1' } } } },
        ],
      },
      ReturnConsumedCapacity: 'INDEXES',
      ReturnItemCollectionMetrics: 'SIZE',
    },
  ],
  [
    'TransactGetItems',
    {
      TransactItems: [
        { Get: { TableName, Key, ProjectionExpression: '#t', ExpressionAttributeNames: { '#t': 'tag' } } },
        { Get: { TableName: simple, Key: { pk: { S: 'absent' } } } },
      ],
      ReturnConsumedCapacity: 'TOTAL',
    },
  ],
  [
    'TransactWriteItems',
    {
      TransactItems: [
        {
          Put: {
            TableName: simple,
            Item: { pk: { S: 'a' }, a: { S: 'put' } },
            ConditionExpression: 'attribute_exists(pk)',
            ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
          },
        },
        {
          Update: {
            TableName,
            Key,
            UpdateExpression: 'SET rank = rank + :one REMOVE photo',
            ExpressionAttributeValues: { ':one': { N: '1' } },
          },
        },
        { Delete: { TableName: binary, Key: { pk: { B: 'AAEC' } } } },
        { ConditionCheck: { TableName: simple, Key: { pk: { S: 'b' } }, ConditionExpression: 'attribute_exists(n)' } },
      ],
      ClientRequestToken: 'token',
      ReturnConsumedCapacity: 'INDEXES',
      ReturnItemCollectionMetrics: 'SIZE',
    },
  ],
  [
    'CreateTable',
    {
      TableName: 'constructor',
      AttributeDefinitions: [
        { AttributeName: 'toString', AttributeType: 'S' },
        { AttributeName: 'sk', AttributeType: 'B' },
      ],
      KeySchema: [
        { AttributeName: 'toString', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
      LocalSecondaryIndexes: [
        {
          IndexName: 'local',
          KeySchema: [
            { AttributeName: 'toString', KeyType: 'HASH' },
            { AttributeName: 'sk', KeyType: 'RANGE' },
          ],
          Projection: { ProjectionType: 'ALL' },
        },
      ],
      GlobalSecondaryIndexes: [
        {
          IndexName: 'global',
          KeySchema: [{ AttributeName: 'sk', KeyType: 'HASH' }],
          Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['__proto__'] },
          ProvisionedThroughput: { ReadCapacityUnits: 1, WriteCapacityUnits: 1 },
        },
      ],
      ProvisionedThroughput: { ReadCapacityUnits: 1, WriteCapacityUnits: 1 },
      StreamSpecification: { StreamEnabled: false },
      SSESpecification: { Enabled: false },
      TableClass: 'STANDARD',
      DeletionProtectionEnabled: false,
      Tags: [{ Key: '__proto__', Value: 'a' }],
    },
  ],
  ['DescribeTable', { TableName }],
  ['DeleteTable', { TableName: binary }],
  ['ListTables', { ExclusiveStartTableName: 'Abc', Limit: 2 }],
  [
    'UpdateTable',
    {
      TableName: simple,
      BillingMode: 'PROVISIONED',
      ProvisionedThroughput: { ReadCapacityUnits: 1, WriteCapacityUnits: 2 },
    },
  ],
  [
    'UpdateTable',
    {
      TableName: simple,
      AttributeDefinitions: [
        { AttributeName: 'pk', AttributeType: 'S' },
        { AttributeName: 'a', AttributeType: 'S' },
      ],
      GlobalSecondaryIndexUpdates: [
        {
          Create: {
            IndexName: 'hasOwnProperty',
            KeySchema: [{ AttributeName: 'a', KeyType: 'HASH' }],
            Projection: { ProjectionType: 'KEYS_ONLY' },
          },
        },
      ],
    },
  ],
  ['UpdateTable', { TableName: indexed, GlobalSecondaryIndexUpdates: [{ Delete: { IndexName: 'constructor' } }] }],
  ['UpdateTable', { TableName: simple, DeletionProtectionEnabled: true, TableClass: 'STANDARD_INFREQUENT_ACCESS' }],
  ['UpdateTimeToLive', { TableName: simple, TimeToLiveSpecification: { Enabled: true, AttributeName: 'n' } }],
  ['DescribeTimeToLive', { TableName: simple }],
  ['DescribeLimits', {}],
  ['DescribeEndpoints', {}],
  [
    'TagResource',
    {
      ResourceArn: arnOf(simple),
      Tags: [
        { Key: '__proto__', Value: '' },
        { Key: 'team', Value: 'x' },
      ],
    },
  ],
  ['UntagResource', { ResourceArn: arnOf(simple), TagKeys: ['constructor', 'toString'] }],
  ['ListTagsOfResource', { ResourceArn: arnOf(simple) }],
  ['PutResourcePolicy', { ResourceArn: arnOf(simple), Policy: policy, ExpectedRevisionId: 'NO_POLICY' }],
  ['PutResourcePolicy', { ResourceArn: arnOf(simple), Policy: policy, ConfirmRemoveSelfResourceAccess: true }],
  [
    'PutResourcePolicy',
    {
      ResourceArn: '$stream',
      Policy: '{"Statement":{"Effect":"Deny","Principal":"*","Action":"dynamodb:GetRecords","Resource":"*"}}',
    },
  ],
  ['GetResourcePolicy', { ResourceArn: arnOf(simple) }],
  ['GetResourcePolicy', { ResourceArn: '$stream' }],
  ['DeleteResourcePolicy', { ResourceArn: arnOf(simple), ExpectedRevisionId: '1' }],
  ['DeleteResourcePolicy', { ResourceArn: '$stream' }],
  [
    'EnableKinesisStreamingDestination',
    {
      TableName: simple,
      StreamArn: kinesisStream,
      EnableKinesisStreamingConfiguration: { ApproximateCreationDateTimePrecision: 'MICROSECOND' },
    },
  ],
  ['DisableKinesisStreamingDestination', { TableName: simple, StreamArn: kinesisStream }],
  [
    'UpdateKinesisStreamingDestination',
    {
      TableName: simple,
      StreamArn: kinesisStream,
      UpdateKinesisStreamingConfiguration: { ApproximateCreationDateTimePrecision: 'MILLISECOND' },
    },
  ],
  ['DescribeKinesisStreamingDestination', { TableName: simple }],
  ['ListStreams', { TableName: simple, Limit: 1, ExclusiveStartStreamArn: '$stream' }],
  ['ListStreams', {}],
  [
    'DescribeStream',
    {
      StreamArn: '$stream',
      Limit: 2,
      ExclusiveStartShardId: '$shard',
      ShardFilter: { Type: 'CHILD_SHARDS', ShardId: '$shard' },
    },
  ],
  ['DescribeStream', { StreamArn: '$stream' }],
  ['GetShardIterator', { StreamArn: '$stream', ShardId: '$shard', ShardIteratorType: 'LATEST' }],
  [
    'GetShardIterator',
    {
      StreamArn: '$stream',
      ShardId: '$shard',
      ShardIteratorType: 'AFTER_SEQUENCE_NUMBER',
      SequenceNumber: '$sequence',
    },
  ],
  ['GetRecords', { ShardIterator: '$iterator', Limit: 2 }],
  [
    'ExecuteStatement',
    {
      Statement: `SELECT pk, "map"."a"."b", list[0] FROM Simple WHERE pk IN ['a', ?] AND (n >= 1 OR NOT contains(a, 'x')) AND none IS NOT MISSING`,
      Parameters: [{ S: 'b' }],
      ConsistentRead: true,
      Limit: 2,
      ReturnConsumedCapacity: 'INDEXES',
    },
  ],
  [
    'ExecuteStatement',
    { Statement: `SELECT * FROM Indexed.byOwner WHERE "owner" = 'x' AND rank BETWEEN 1 AND 9 ORDER BY rank DESC` },
  ],
  [
    'ExecuteStatement',
    { Statement: `SELECT * FROM "__proto__" WHERE begins_with("valueOf", 'v')`, NextToken: 'token' },
  ],
  [
    'ExecuteStatement',
    {
      Statement: `UPDATE Simple SET n = n + ? SET list = list_append(list, [1, {'a': <<'x'>>}]) REMOVE "map"."a" WHERE pk = 'a' AND a = 'text' RETURNING ALL NEW *`,
      Parameters: [{ N: '1' }],
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    },
  ],
  [
    'ExecuteStatement',
    { Statement: `INSERT INTO Indexed VALUE {'pk': 'new', 'sk': 1e2, 'rank': -1, '__proto__': null}` },
  ],
  ['ExecuteStatement', { Statement: `DELETE FROM Simple WHERE pk = 'c' RETURNING ALL OLD *` }],
  [
    'BatchExecuteStatement',
    {
      Statements: [
        { Statement: `SELECT * FROM Simple WHERE pk = ?`, Parameters: [{ S: 'a' }], ConsistentRead: true },
        { Statement: `SELECT tag FROM Indexed WHERE pk = 'a' AND sk = 1` },
      ],
      ReturnConsumedCapacity: 'TOTAL',
    },
  ],
  [
    'ExecuteTransaction',
    {
      TransactStatements: [
        { Statement: `EXISTS(SELECT * FROM Simple WHERE pk = 'a' AND n = 42)` },
        { Statement: `UPDATE Indexed SET tag = ? WHERE pk = 'a' AND sk = 1`, Parameters: [{ S: 'new' }] },
        { Statement: `INSERT INTO Simple VALUE {'pk': 'fresh'}` },
      ],
      ClientRequestToken: 'token',
      ReturnConsumedCapacity: 'INDEXES',
    },
  ],
  [
    'ExplainStatement',
    {
      Statement: `SELECT * FROM Simple WHERE pk IN ['a', ?] AND NOT (a = 'x' OR n < 3)`,
      Parameters: [{ S: 'b' }],
      ConsistentRead: true,
    },
  ],
];

export const actions: readonly string[] = [...new Set(aimedRequests.map(([action]) => action))];
