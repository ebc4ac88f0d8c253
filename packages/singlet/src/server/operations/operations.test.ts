import { describe, expect, it } from 'vitest';
import { type ActionName, actionNames, StoredItem, type TableDescription } from '../../engine/index.ts';
import { createProbeEngine, type ProbeEngine } from '../testing/probe-engine.ts';
import { validRequests } from '../testing/valid-requests.ts';
import { callAction, testOptions } from '../testing/wire-client.ts';
import { createWireHandler, type WireHandler } from '../wire.ts';
import { actionsByTarget, operationOf } from './index.ts';

function probe(): { readonly engine: ProbeEngine; readonly handler: WireHandler } {
  const engine = createProbeEngine();
  return { engine, handler: createWireHandler(engine, testOptions()) };
}

/** Lower-cases the first letter of every member, except within what users name. */
function expectedRequest(json: unknown, path: readonly string[] = []): unknown {
  const last = path.at(-1) ?? '';
  if (/^(Item|Key|ExclusiveStartKey|Value|Expression.*|AttributeValueList|Parameters|SearchVector)$/.test(last))
    return json;
  if (/^Keys$/.test(last)) return json;
  if (Array.isArray(json)) return json.map((element) => expectedRequest(element, [...path, '0']));
  if (typeof json !== 'object' || json === null) return json;
  const namedByUser = /^(RequestItems|Expected|Tables|AttributeUpdates|KeyConditions|QueryFilter|ScanFilter)$/.test(
    last,
  );
  return Object.fromEntries(
    Object.entries(json).map(([name, value]) => {
      const renamed = name
        .replace(/^(SSE|KMS)/, (prefix) => prefix.toLowerCase())
        .replace(/^./, (c) => c.toLowerCase());
      return [namedByUser ? name : renamed, expectedRequest(value, [...path, namedByUser ? '0' : name])];
    }),
  );
}

/** Maps without a prototype compare as unequal to literals; only their contents matter here. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

describe('requests', () => {
  it('DB-126 has an operation for every action of the engine', async () => {
    const ofStreams = ['DescribeStream', 'GetRecords', 'GetShardIterator', 'ListStreams'];
    const targets = actionNames.map((action) =>
      ofStreams.includes(action)
        ? `DynamoDBStreams_20120810.${action}`
        : ['ExplainStatement', 'GetWeather', 'SetWeather'].includes(action)
          ? `Singlet_20261120.${action}`
          : `DynamoDB_20120810.${action}`,
    );
    expect([...actionsByTarget.keys()].sort()).toStrictEqual(targets.sort());
    for (const [target, action] of actionsByTarget) {
      expect(target.split('.')[1]).toBe(action);
      expect((await operationOf(action)).action).toBe(action);
    }
  });

  it.each(Object.entries(validRequests))('DB-126 %s reaches the engine with all its members', async (action, body) => {
    const { engine, handler } = probe();
    const { status } = await callAction(handler, action, body);
    expect(status).toBe(200);
    expect(engine.calls).toHaveLength(1);
    expect(engine.calls[0]?.action).toBe(action);
    expect(plain(engine.calls[0]?.request)).toStrictEqual(expectedRequest(body));
  });
});

describe('DB-273 constraint messages as recorded', () => {
  const enumOf = (value: string, path: string, set: string): string =>
    `Value '${value}' at '${path}' failed to satisfy constraint: Member must satisfy enum value set: [${set}]`;
  const notNull = (path: string): string =>
    `Value null at '${path}' failed to satisfy constraint: Member must not be null`;
  const returnConsumedCapacity = enumOf('INVALID', 'returnConsumedCapacity', 'INDEXES, TOTAL, NONE');
  const returnItemCollectionMetrics = enumOf('INVALID', 'returnItemCollectionMetrics', 'SIZE, NONE');
  const returnValues =
    'Failed to satisfy constraint: Member must satisfy enum value set: [ALL_OLD, UPDATED_OLD, ALL_NEW, UPDATE_NEW, NONE]';
  const conditionalOperator = 'Failed to satisfy constraint: Member must satisfy enum value set: [ALL, OR]';
  const nested = (levelCount: number): object =>
    levelCount === 0 ? { S: 'leaf' } : { M: { member: nested(levelCount - 1) } };
  const emptyTableName =
    "Value at 'TableName' failed to satisfy constraint: Member must have length greater than or equal to 1";
  const key = { pk: { S: 'a' } };
  const wrongModes = { ReturnConsumedCapacity: 'INVALID', ReturnValues: 'INVALID' };

  const aggregated: readonly (readonly [ActionName, unknown, readonly string[]])[] = [
    ['PutItem', { Item: key }, [notNull('tableName')]],
    ['PutItem', { TableName: '', Item: key }, [emptyTableName]],
    ['PutItem', { TableName: '', Item: {}, ReturnValues: 'INVALID' }, [emptyTableName]],
    [
      'PutItem',
      { TableName: 'a'.repeat(256), Item: key },
      [
        `Value '${'a'.repeat(256)}' at 'tableName' failed to satisfy constraint: ` +
          'Member must have length less than or equal to 255',
      ],
    ],
    [
      'PutItem',
      { TableName: 'bad table!@#', Item: key },
      [
        "Value 'bad table!@#' at 'tableName' failed to satisfy constraint: " +
          'Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+',
      ],
    ],
    [
      'PutItem',
      { TableName: 'abc', Item: key, ...wrongModes, ReturnItemCollectionMetrics: 'INVALID' },
      [returnConsumedCapacity, returnValues, returnItemCollectionMetrics],
    ],
    ['DeleteItem', { TableName: '', Key: {} }, [emptyTableName]],
    ['DeleteItem', { TableName: 'abc', Key: key, ...wrongModes }, [returnConsumedCapacity, returnValues]],
    ['UpdateItem', { TableName: '', Key: {} }, [emptyTableName]],
    ['UpdateItem', { TableName: 'abc', Key: key, ...wrongModes }, [returnValues]],
    ['UpdateItem', { TableName: 'abc', Key: key, ReturnConsumedCapacity: 'INVALID' }, [returnConsumedCapacity]],
    ['GetItem', {}, [notNull('tableName'), notNull('key')]],
    ['GetItem', { TableName: 'abc', Key: key, ReturnConsumedCapacity: 'INVALID' }, [returnConsumedCapacity]],
    [
      'GetItem',
      { TableName: 'abc', Key: key, AttributesToGet: [] },
      [
        "Value '[]' at 'attributesToGet' failed to satisfy constraint: Member must have length greater than or equal to 1",
      ],
    ],
    [
      'Query',
      { TableName: 'abc', Select: 'INVALID_VALUE' },
      [enumOf('INVALID_VALUE', 'select', 'SPECIFIC_ATTRIBUTES, COUNT, ALL_ATTRIBUTES, ALL_PROJECTED_ATTRIBUTES')],
    ],
    [
      'Query',
      { TableName: 'abc', Limit: 0 },
      ["Value at 'Limit' failed to satisfy constraint: Member must have value greater than or equal to 1"],
    ],
    [
      'Query',
      { TableName: 'abc', KeyConditions: { a: {}, b: { ComparisonOperator: 'X' } } },
      [
        notNull('keyConditions.a.member.comparisonOperator'),
        enumOf(
          'X',
          'keyConditions.b.member.comparisonOperator',
          'IN, NULL, BETWEEN, LT, NOT_CONTAINS, EQ, GT, NOT_NULL, NE, LE, BEGINS_WITH, GE, CONTAINS',
        ),
      ],
    ],
    [
      'Scan',
      { TableName: 'abc', Limit: 0, Segment: -1, TotalSegments: 0 },
      [
        "Value '0' at 'totalSegments' failed to satisfy constraint: Member must have value greater than or equal to 1",
        "Value '-1' at 'segment' failed to satisfy constraint: Member must have value greater than or equal to 0",
        "Value '0' at 'limit' failed to satisfy constraint: Member must have value greater than or equal to 1",
      ],
    ],
    [
      'Scan',
      { TableName: '' },
      ["Value '' at 'tableName' failed to satisfy constraint: Member must have length greater than or equal to 1"],
    ],
    [
      'UpdateItem',
      { TableName: '', ...wrongModes, ConditionalOperator: 'XOR' },
      [
        returnConsumedCapacity,
        "Value '' at 'tableName' failed to satisfy constraint: Member must have length greater than or equal to 1",
        enumOf('INVALID', 'returnValues', 'ALL_NEW, UPDATED_OLD, ALL_OLD, NONE, UPDATED_NEW'),
        enumOf('XOR', 'conditionalOperator', 'OR, AND'),
        notNull('key'),
      ],
    ],
    ['UpdateItem', { TableName: 'abc', Key: key, ConditionalOperator: 'XOR' }, [conditionalOperator]],
    [
      'PutItem',
      { TableName: 'abc', Item: { deep: nested(62) }, ReturnValues: 'BOGUS', ConditionalOperator: 'XOR' },
      [conditionalOperator, returnValues],
    ],
    [
      'PutItem',
      { TableName: 'abc', Item: { deep: nested(63) }, ReturnValues: 'BOGUS', ConditionalOperator: 'XOR' },
      [
        enumOf('XOR', 'conditionalOperator', 'OR, AND'),
        enumOf('BOGUS', 'returnValues', 'ALL_NEW, UPDATED_OLD, ALL_OLD, NONE, UPDATED_NEW'),
      ],
    ],
    ['Scan', { TableName: 'abc', ConditionalOperator: 'XOR' }, [enumOf('XOR', 'conditionalOperator', 'OR, AND')]],
    ['BatchGetItem', {}, [notNull('requestItems')]],
    [
      'BatchGetItem',
      { RequestItems: {} },
      ["Value at 'RequestItems' failed to satisfy constraint: Member must have length greater than or equal to 1"],
    ],
    [
      'BatchGetItem',
      { RequestItems: { Users: { Keys: [] } } },
      [
        "Value at 'RequestItems.Users.member.Keys' failed to satisfy constraint: Member must have length greater than or equal to 1",
      ],
    ],
    [
      'BatchGetItem',
      { RequestItems: { 'bad!name': { Keys: [{ pk: { S: 'a' } }] } }, ReturnConsumedCapacity: 'INVALID' },
      [
        `Value '{"bad!name":{"Keys":[{"pk":{"S":"a"}}]}}' at 'requestItems' failed to satisfy constraint: ` +
          'Map keys must satisfy constraint: [Member must have length less than or equal to 255, Member must have ' +
          'length greater than or equal to 3, Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+]',
        returnConsumedCapacity,
      ],
    ],
    [
      'BatchWriteItem',
      { RequestItems: { 'bad!': [{ DeleteRequest: { Key: key } }] }, ReturnConsumedCapacity: 'INVALID' },
      [returnConsumedCapacity],
    ],
    [
      'BatchGetItem',
      { RequestItems: { Users: { Keys: Array.from({ length: 101 }, () => key) } } },
      [
        "Value at 'RequestItems.Users.member.Keys' failed to satisfy constraint: Member must have length less than or equal to 100",
      ],
    ],
    ['BatchGetItem', { RequestItems: { abc: {} } }, [notNull('requestItems.abc.member.keys')]],
    [
      'BatchWriteItem',
      { RequestItems: { abc: [{ PutRequest: {}, DeleteRequest: {} }] } },
      [
        notNull('requestItems.abc.member.1.member.deleteRequest.key'),
        notNull('requestItems.abc.member.1.member.putRequest.item'),
      ],
    ],
    [
      'TransactGetItems',
      { TransactItems: [] },
      [
        "Value '[]' at 'transactItems' failed to satisfy constraint: Member must have length greater than or equal to 1",
      ],
    ],
    [
      'TransactGetItems',
      { TransactItems: [{ Get: { Key: key } }, {}] },
      [notNull('transactItems.1.member.get.tableName'), notNull('transactItems.2.member.get')],
    ],
    [
      'TransactWriteItems',
      { TransactItems: [], ReturnConsumedCapacity: 'hi', ReturnItemCollectionMetrics: 'hi' },
      [
        enumOf('hi', 'returnConsumedCapacity', 'INDEXES, TOTAL, NONE'),
        enumOf('hi', 'returnItemCollectionMetrics', 'SIZE, NONE'),
        "Value '[]' at 'transactItems' failed to satisfy constraint: Member must have length greater than or equal to 1",
      ],
    ],
    [
      'TransactWriteItems',
      { TransactItems: [{ Update: { TableName: 'abc', Key: key } }], ClientRequestToken: '', ...wrongModes },
      [
        "Value '' at 'clientRequestToken' failed to satisfy constraint: Member must have length greater than or equal to 1",
        returnConsumedCapacity,
        notNull('transactItems.1.member.update.updateExpression'),
      ],
    ],
    [
      'TransactWriteItems',
      { TransactItems: [{ Put: { TableName: 'abc' }, Delete: { TableName: 'abc' } }] },
      [notNull('transactItems.1.member.delete.key'), notNull('transactItems.1.member.put.item')],
    ],
    [
      'CreateTable',
      { TableName: 'ab', KeySchema: [], AttributeDefinitions: [] },
      [
        "Value 'ab' at 'tableName' failed to satisfy constraint: Member must have length greater than or equal to 3",
        "Value '[]' at 'keySchema' failed to satisfy constraint: Member must have length greater than or equal to 1",
      ],
    ],
    [
      'CreateTable',
      {
        TableName: 'abc',
        KeySchema: ['pk', 'sk', 'extra'].map((AttributeName, index) => {
          return { AttributeName, KeyType: index === 0 ? 'HASH' : 'RANGE' };
        }),
      },
      [
        "Value '[KeySchemaElement(attributeName=pk, keyType=HASH), KeySchemaElement(attributeName=sk, keyType=RANGE), " +
          "KeySchemaElement(attributeName=extra, keyType=RANGE)]' at 'keySchema' failed to satisfy constraint: " +
          'Member must have length less than or equal to 2',
      ],
    ],
    [
      'CreateTable',
      {
        TableName: 'abc',
        KeySchema: [{ AttributeName: 'pk', KeyType: 'INVALID' }],
        AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'SS' }],
        BillingMode: 'INVALID',
        ProvisionedThroughput: { ReadCapacityUnits: -1, WriteCapacityUnits: -1 },
      },
      [
        enumOf('SS', 'attributeDefinitions.1.member.attributeType', 'B, N, S'),
        enumOf('INVALID', 'billingMode', 'PROVISIONED, PAY_PER_REQUEST'),
        "Value '-1' at 'provisionedThroughput.writeCapacityUnits' failed to satisfy constraint: " +
          'Member must have value greater than or equal to 1',
        "Value '-1' at 'provisionedThroughput.readCapacityUnits' failed to satisfy constraint: " +
          'Member must have value greater than or equal to 1',
        enumOf('INVALID', 'keySchema.1.member.keyType', 'HASH, RANGE'),
      ],
    ],
    [
      'ListTables',
      { ExclusiveStartTableName: `;${'a'.repeat(255)}`, Limit: 500 },
      [
        "Value '500' at 'limit' failed to satisfy constraint: Member must have value less than or equal to 100",
        `Value ';${'a'.repeat(255)}' at 'exclusiveStartTableName' failed to satisfy constraint: ` +
          'Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+',
        `Value ';${'a'.repeat(255)}' at 'exclusiveStartTableName' failed to satisfy constraint: ` +
          'Member must have length less than or equal to 255',
      ],
    ],
    ['UntagResource', { ResourceArn: 'arn:aws:dynamodb:us-east-1:000000000000:table/t' }, [notNull('tagKeys')]],
  ];

  it.each(aggregated.map(([action, body, texts], index) => [index, action, texts, body] as const))(
    '%i %s: %j',
    async (_, action, texts, body) => {
      const { engine, handler } = probe();
      const { status, json } = await callAction(handler, action, body);
      const count = `${texts.length} validation error${texts.length > 1 ? 's' : ''} detected: `;
      expect({ status, json }).toStrictEqual({
        status: 400,
        json: { __type: 'com.amazon.coral.validate#ValidationException', message: count + texts.join('; ') },
      });
      expect(engine.calls).toHaveLength(0);
    },
  );

  it.each<[ActionName, unknown, string]>([
    ['CreateTable', {}, "The parameter 'TableName' is required but was not present in the request"],
    ['DescribeTable', {}, "The parameter 'TableName' is required but was not present in the request"],
    ['BatchWriteItem', { RequestItems: {} }, 'The requestItems parameter is required for BatchWriteItem'],
    ['TagResource', {}, 'Invalid TableArn'],
    [
      'Query',
      { TableName: 'abc', Select: 'INVALID', ConditionalOperator: 'XOR' },
      'Failed to satisfy constraint: Member must satisfy enum value set: [ALL, OR]',
    ],
  ])('%s alone: %j', async (action, body, message) => {
    const { handler } = probe();
    expect((await callAction(handler, action, body)).json).toStrictEqual({
      __type: 'com.amazon.coral.validate#ValidationException',
      message,
    });
  });

  it('DB-118 DB-119 a batch of 26 and a transaction of 101', async () => {
    const { handler } = probe();
    const puts = Array.from({ length: 26 }, (_, index) => ({ PutRequest: { Item: { pk: { S: `bw-${index}` } } } }));
    const batch = (await callAction(handler, 'BatchWriteItem', { RequestItems: { abc: puts } })).json;
    const { message } = batch as { readonly message: string };
    expect(message).toMatch(
      /^1 validation error detected: Value '\{abc=\[WriteRequest\(putRequest=PutRequest\(item=\{pk=AttributeValue\(s=bw-0, n=null, b=null, iNT=null,.*, bOOL=null\)\}, workloadProfileName=null\), deleteRequest=null\), WriteRequest\(/,
    );
    expect(message).toMatch(
      /\)\]\}' at 'requestItems' failed to satisfy constraint: Map value must satisfy constraint: \[Member must have length less than or equal to 25, Member must have length greater than or equal to 1\]$/,
    );
    const gets = Array.from({ length: 101 }, () => ({ Get: { TableName: 'abc', Key: key } }));
    const transaction = (await callAction(handler, 'TransactGetItems', { TransactItems: gets })).json;
    expect((transaction as { readonly message: string }).message).toMatch(
      /^1 validation error detected: Value '\[TransactGetItem\(.+\]' at 'transactItems' failed to satisfy constraint: Member must have length less than or equal to 100$/,
    );
  });
});

describe('answers', () => {
  const item = new StoredItem(Buffer.from('{"pk":{"S":"a"}}'), 3);
  const wireItem = { pk: { S: 'a' } };
  const capacity = { tableName: 'Users', capacityUnits: 1.5, table: { capacityUnits: 1, readCapacityUnits: 1 } };
  const wireCapacity = { TableName: 'Users', CapacityUnits: 1.5, Table: { CapacityUnits: 1, ReadCapacityUnits: 1 } };
  const metrics = { itemCollectionKey: { pk: { S: 'a' } }, sizeEstimateRangeGB: [0, 1] } as const;
  const wireMetrics = { ItemCollectionKey: wireItem, SizeEstimateRangeGB: [0, 1] };

  it('DB-126 of items', async () => {
    const { engine, handler } = probe();
    const page = {
      items: [item, { a: { N: '1' } }],
      count: 2,
      scannedCount: 5,
      lastEvaluatedKey: { pk: { S: 'a' } },
      consumedCapacity: { ...capacity, globalSecondaryIndexes: { byName: { capacityUnits: 0.5 } } },
    } as const;
    Object.assign(engine.answers, {
      GetItem: { item, consumedCapacity: capacity },
      PutItem: { attributes: item, consumedCapacity: capacity, itemCollectionMetrics: metrics },
      Query: page,
      Scan: { count: 7, scannedCount: 7 },
      BatchGetItem: {
        responses: { Users: [item, item] },
        unprocessedKeys: { Users: { keys: [wireItem], consistentRead: true } },
        consumedCapacity: [capacity],
      },
      BatchWriteItem: {
        unprocessedItems: { Users: [{ putRequest: { item: wireItem } }, { deleteRequest: { key: wireItem } }] },
        itemCollectionMetrics: { Users: [metrics] },
      },
      TransactGetItems: { responses: [{ item }, {}], consumedCapacity: [capacity] },
      TransactWriteItems: { itemCollectionMetrics: { Users: [metrics] } },
    } satisfies Partial<ProbeEngine['answers']>);
    const answered = async (action: ActionName): Promise<unknown> =>
      (await callAction(handler, action, validRequests[action])).json;

    expect(await answered('GetItem')).toStrictEqual({ Item: wireItem, ConsumedCapacity: wireCapacity });
    expect(await answered('PutItem')).toStrictEqual({
      Attributes: wireItem,
      ConsumedCapacity: wireCapacity,
      ItemCollectionMetrics: wireMetrics,
    });
    expect(await answered('Query')).toStrictEqual({
      Items: [wireItem, { a: { N: '1' } }],
      Count: 2,
      ScannedCount: 5,
      LastEvaluatedKey: wireItem,
      ConsumedCapacity: { ...wireCapacity, GlobalSecondaryIndexes: { byName: { CapacityUnits: 0.5 } } },
    });
    expect(await answered('Scan')).toStrictEqual({ Count: 7, ScannedCount: 7 });
    expect(await answered('BatchGetItem')).toStrictEqual({
      Responses: { Users: [wireItem, wireItem] },
      UnprocessedKeys: { Users: { Keys: [wireItem], ConsistentRead: true } },
      ConsumedCapacity: [wireCapacity],
    });
    expect(await answered('BatchWriteItem')).toStrictEqual({
      UnprocessedItems: { Users: [{ PutRequest: { Item: wireItem } }, { DeleteRequest: { Key: wireItem } }] },
      ItemCollectionMetrics: { Users: [wireMetrics] },
    });
    expect(await answered('TransactGetItems')).toStrictEqual({
      Responses: [{ Item: wireItem }, {}],
      ConsumedCapacity: [wireCapacity],
    });
    expect(await answered('TransactWriteItems')).toStrictEqual({ ItemCollectionMetrics: { Users: [wireMetrics] } });
  });

  it('DB-132 call a table by its ARN when the request did', async () => {
    const arn = 'arn:aws:dynamodb:us-east-1:000000000000:table/Users';
    const named = { ...wireCapacity, TableName: arn };
    const { engine, handler } = probe();
    Object.assign(engine.answers, {
      GetItem: { consumedCapacity: capacity },
      BatchGetItem: {
        responses: { Users: [item], Others: [] },
        unprocessedKeys: { Users: { keys: [wireItem] } },
        consumedCapacity: [capacity, { ...capacity, tableName: 'Others' }],
      },
      BatchWriteItem: { unprocessedItems: { Users: [] }, itemCollectionMetrics: { Users: [metrics] } },
      TransactWriteItems: { consumedCapacity: [capacity], itemCollectionMetrics: { Users: [metrics] } },
    } satisfies Partial<ProbeEngine['answers']>);
    const answered = async (action: ActionName, body: object): Promise<unknown> =>
      (await callAction(handler, action, body)).json;

    expect(await answered('GetItem', { TableName: arn, Key: wireItem })).toStrictEqual({ ConsumedCapacity: named });
    expect(await answered('GetItem', { TableName: 'Users', Key: wireItem })).toStrictEqual({
      ConsumedCapacity: wireCapacity,
    });
    const keys = { Keys: [wireItem] };
    expect(await answered('BatchGetItem', { RequestItems: { [arn]: keys, Others: keys } })).toStrictEqual({
      Responses: { [arn]: [wireItem], Others: [] },
      UnprocessedKeys: { [arn]: keys },
      ConsumedCapacity: [named, { ...wireCapacity, TableName: 'Others' }],
    });
    const deletion = { DeleteRequest: { Key: wireItem } };
    expect(await answered('BatchWriteItem', { RequestItems: { [arn]: [deletion] } })).toStrictEqual({
      UnprocessedItems: { [arn]: [] },
      ItemCollectionMetrics: { [arn]: [wireMetrics] },
    });
    const transactItems = [{ Delete: { TableName: arn, Key: wireItem } }];
    expect(await answered('TransactWriteItems', { TransactItems: transactItems })).toStrictEqual({
      ConsumedCapacity: [named],
      ItemCollectionMetrics: { [arn]: [wireMetrics] },
    });
  });

  it('DB-132 of one table, by its name and by its ARN, are one', async () => {
    const arn = 'arn:aws:dynamodb:us-east-1:000000000000:table/Users';
    const { engine, handler } = probe();
    const [a, b] = [{ pk: { S: 'a' } }, { pk: { S: 'b' } }];
    await callAction(handler, 'BatchGetItem', { RequestItems: { Users: { Keys: [a] }, [arn]: { Keys: [a, b] } } });
    const [first, second] = [{ DeleteRequest: { Key: a } }, { DeleteRequest: { Key: b } }];
    await callAction(handler, 'BatchWriteItem', { RequestItems: { Users: [first], [arn]: [second] } });
    expect(engine.calls.map(({ request }) => plain(request))).toStrictEqual([
      { requestItems: { Users: { keys: [a, b] } } },
      { requestItems: { Users: [{ deleteRequest: { key: a } }, { deleteRequest: { key: b } }] } },
    ]);
  });

  it('DB-126 of tables', async () => {
    const { engine, handler } = probe();
    const table: TableDescription = {
      tableName: 'Users',
      tableStatus: 'ACTIVE',
      tableArn: 'arn',
      tableId: 'id',
      creationDateTime: 1_582_000_000.123,
      tableSizeBytes: 23,
      itemCount: 1,
      provisionedThroughput: { numberOfDecreasesToday: 0, readCapacityUnits: 1, writeCapacityUnits: 2 },
      attributeDefinitions: [{ attributeName: 'pk', attributeType: 'S' }],
      keySchema: [{ attributeName: 'pk', keyType: 'HASH' }],
      billingModeSummary: { billingMode: 'PAY_PER_REQUEST', lastUpdateToPayPerRequestDateTime: 1_582_000_000 },
      globalSecondaryIndexes: [
        {
          indexName: 'byName',
          keySchema: [{ attributeName: 'name', keyType: 'HASH' }],
          projection: { projectionType: 'INCLUDE', nonKeyAttributes: ['a'] },
          indexStatus: 'CREATING',
          backfilling: true,
          provisionedThroughput: { numberOfDecreasesToday: 0, readCapacityUnits: 0, writeCapacityUnits: 0 },
          indexSizeBytes: 0,
          itemCount: 0,
          indexArn: 'arn/index',
          warmThroughput: { readUnitsPerSecond: 12_000, writeUnitsPerSecond: 4000, status: 'ACTIVE' },
        },
      ],
      sseDescription: { status: 'ENABLED', sseType: 'KMS', kmsMasterKeyArn: 'key' },
      tableClassSummary: { tableClass: 'STANDARD' },
      deletionProtectionEnabled: false,
    };
    engine.answers.DescribeTable = { table };
    expect((await callAction(handler, 'DescribeTable', { TableName: 'Users' })).json).toStrictEqual({
      Table: {
        AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
        TableName: 'Users',
        KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
        TableStatus: 'ACTIVE',
        CreationDateTime: 1_582_000_000.123,
        ProvisionedThroughput: { NumberOfDecreasesToday: 0, ReadCapacityUnits: 1, WriteCapacityUnits: 2 },
        TableSizeBytes: 23,
        ItemCount: 1,
        TableArn: 'arn',
        TableId: 'id',
        BillingModeSummary: { BillingMode: 'PAY_PER_REQUEST', LastUpdateToPayPerRequestDateTime: 1_582_000_000 },
        GlobalSecondaryIndexes: [
          {
            IndexName: 'byName',
            KeySchema: [{ AttributeName: 'name', KeyType: 'HASH' }],
            Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['a'] },
            IndexStatus: 'CREATING',
            Backfilling: true,
            ProvisionedThroughput: { NumberOfDecreasesToday: 0, ReadCapacityUnits: 0, WriteCapacityUnits: 0 },
            IndexSizeBytes: 0,
            ItemCount: 0,
            IndexArn: 'arn/index',
            WarmThroughput: { ReadUnitsPerSecond: 12_000, WriteUnitsPerSecond: 4000, Status: 'ACTIVE' },
          },
        ],
        SSEDescription: { Status: 'ENABLED', SSEType: 'KMS', KMSMasterKeyArn: 'key' },
        TableClassSummary: { TableClass: 'STANDARD' },
        DeletionProtectionEnabled: false,
      },
    });
    expect((await callAction(handler, 'DescribeEndpoints', {})).json).toStrictEqual({
      Endpoints: [{ Address: 'localhost', CachePeriodInMinutes: 1440 }],
    });
  });
});
