import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { drawn } from '../../../systems/testing/drawn.ts';
import { arnOf, HostileDatabase, hostileTables, type Json } from './hostile-database.ts';

/** Input that is known to have crashed or hung other implementations, or that they accepted wrongly. */

type Attack = readonly [action: string, input: Json];

describe('known attacks', () => {
  const { simple, indexed, prototype } = hostileTables;
  const TableName = simple;
  const Key = { pk: { S: 'a' } };

  async function expectAll(expected: string, attacks: readonly Attack[]): Promise<void> {
    const database = await HostileDatabase.open();
    for (const [action, input] of attacks) {
      const answer = await database.call(action, input);
      expect(answer.error ?? String(answer.status), JSON.stringify([action, input, answer.body])).toBe(expected);
      if (answer.status !== 200) await database.checkState();
    }
    await database.close();
  }

  const filtered = (FilterExpression: string, ...values: readonly Json[]): Attack => [
    'Scan',
    {
      TableName,
      FilterExpression,
      ExpressionAttributeNames: namesIn(FilterExpression),
      ...(values.length > 0 && {
        ExpressionAttributeValues: Object.fromEntries(values.map((value, at) => [`:${at}`, value])),
      }),
    },
  ];

  const namesIn = (expression: string): Json => {
    const names = expression.match(/#\w+/g) ?? [];
    return names.length === 0 ? undefined : Object.fromEntries(names.map((name) => [name, name.slice(1)]));
  };

  test('comparisons with attributes, elements and members that are not there', () =>
    expectAll('200', [
      ...['=', '<>', '<', '<=', '>', '>='].flatMap((operator) => [
        filtered(`#missing ${operator} :0`, { S: 'a' }),
        filtered(`:0 ${operator} #missing`, { N: '1' }),
        filtered(`#missing ${operator} #absent`),
        filtered(`a ${operator} #missing`),
        filtered(`#map.a.#missing ${operator} :0`, { B: '' }),
        filtered(`#list[99] ${operator} #list[98]`),
        filtered(`size(#missing) ${operator} :0`, { N: '1' }),
        filtered(`size(n) ${operator} size(yes)`),
      ]),
      filtered('#missing BETWEEN #absent AND #gone'),
      filtered('#missing IN (#absent, #gone)'),
      filtered('begins_with(#missing, #absent)'),
      filtered('contains(#missing, #absent)'),
      filtered('contains(n, #absent)'),
      filtered('attribute_type(#missing, :0)', { S: 'S' }),
      filtered('a.b.c.d = :0', { S: 'a' }),
      filtered('a[0][1].b = :0', { S: 'a' }),
      filtered('#list.a = #map[0]'),
      filtered('attribute_exists(a.b) OR attribute_not_exists(#list[5].a)'),
    ]));

  test('conditions on an item that is not there', () =>
    expectAll(
      'ConditionalCheckFailedException',
      ['a = :0', 'a = b', 'size(a) > :0', 'a.b[1] <= :0', 'contains(a, :0)', 'a IN (:0)', 'a BETWEEN b AND c'].map(
        (ConditionExpression): Attack => [
          'DeleteItem',
          {
            TableName,
            Key: { pk: { S: 'absent' } },
            ConditionExpression,
            ...(ConditionExpression.includes(':0') && { ExpressionAttributeValues: { ':0': { N: '1' } } }),
          },
        ],
      ),
    ));

  test('updates of what is not there', () =>
    expectAll(
      'ValidationException',
      [
        'SET a.b = :0',
        'SET #missing[0] = :0',
        'SET #list[0].x.y = :0',
        'SET n = #missing + :0',
        'SET a = a + :0',
        'REMOVE a.b.c',
        'REMOVE #missing.b',
      ].map((UpdateExpression): Attack => [
        'UpdateItem',
        {
          TableName,
          Key,
          UpdateExpression,
          ExpressionAttributeNames: namesIn(UpdateExpression),
          ...(UpdateExpression.includes(':0') && { ExpressionAttributeValues: { ':0': { N: '1' } } }),
        },
      ]),
    ));

  test.each<[string, readonly Attack[]]>([
    [
      'a batch',
      [
        ['BatchWriteItem', { RequestItems: null }],
        ['BatchWriteItem', { RequestItems: { [simple]: null } }],
        ['BatchWriteItem', { RequestItems: { [simple]: [null] } }],
        ['BatchWriteItem', { RequestItems: { [simple]: [{}] } }],
        ['BatchWriteItem', { RequestItems: { [simple]: [{ PutRequest: null }] } }],
        ['BatchWriteItem', { RequestItems: { [simple]: [{ PutRequest: { Item: null } }] } }],
        ['BatchWriteItem', { RequestItems: { [simple]: [{ PutRequest: { Item: Key } }, null] } }],
        ['BatchWriteItem', { RequestItems: { [simple]: [{ DeleteRequest: { Key: { pk: null } } }] } }],
        ['BatchGetItem', { RequestItems: { [simple]: null } }],
        ['BatchGetItem', { RequestItems: { [simple]: { Keys: null } } }],
        ['BatchGetItem', { RequestItems: { [simple]: { Keys: [null] } } }],
      ],
    ],
    [
      'a transaction',
      [
        ['TransactWriteItems', { TransactItems: null }],
        ['TransactWriteItems', { TransactItems: [null] }],
        ['TransactWriteItems', { TransactItems: [{}] }],
        ['TransactWriteItems', { TransactItems: [{ Put: null }] }],
        ['TransactWriteItems', { TransactItems: [{ Put: { TableName, Item: Key } }, null] }],
        ['TransactWriteItems', { TransactItems: [{ Update: { TableName, Key, UpdateExpression: null } }] }],
        ['TransactGetItems', { TransactItems: [null] }],
        ['TransactGetItems', { TransactItems: [{ Get: null }] }],
        ['TransactGetItems', { TransactItems: [{ Get: { TableName, Key: null } }] }],
      ],
    ],
    [
      'tags',
      [
        ['TagResource', { ResourceArn: arnOf(simple), Tags: null }],
        ['TagResource', { ResourceArn: arnOf(simple), Tags: [null] }],
        ['TagResource', { ResourceArn: arnOf(simple), Tags: [{ Key: null, Value: null }] }],
        ['TagResource', { ResourceArn: arnOf(simple), Tags: [{ Key: 'a', Value: 'b' }, null] }],
        ['UntagResource', { ResourceArn: arnOf(simple), TagKeys: null }],
      ],
    ],
    [
      'a table',
      [
        ['CreateTable', { TableName: 'Fresh', KeySchema: [null], AttributeDefinitions: [null] }],
        ['CreateTable', { TableName: 'Fresh', KeySchema: null, AttributeDefinitions: null }],
        [
          'CreateTable',
          {
            TableName: 'Fresh',
            KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
            AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }, null],
            BillingMode: 'PAY_PER_REQUEST',
          },
        ],
        ['UpdateTable', { TableName, GlobalSecondaryIndexUpdates: [null] }],
        ['UpdateTable', { TableName, GlobalSecondaryIndexUpdates: [{ Create: null }] }],
      ],
    ],
    [
      'values',
      [
        ['PutItem', { TableName, Item: { pk: null } }],
        ['PutItem', { TableName, Item: { ...Key, a: null } }],
        ['PutItem', { TableName, Item: { ...Key, a: { L: [null] } } }],
        ['PutItem', { TableName, Item: { ...Key, a: { M: { b: null } } } }],
        ['PutItem', { TableName, Item: { ...Key, a: { SS: [null] } } }],
        ['PutItem', { TableName, Item: { ...Key, a: { S: null } } }],
        ['Scan', { TableName, FilterExpression: 'a = :a', ExpressionAttributeValues: { ':a': null } }],
        ['Scan', { TableName, FilterExpression: '#a = #a', ExpressionAttributeNames: { '#a': null } }],
        ['Query', { TableName, KeyConditions: { pk: null } }],
        ['Query', { TableName, KeyConditions: { pk: { ComparisonOperator: 'EQ', AttributeValueList: [null] } } }],
      ],
    ],
  ])('null members in %s', async (_what, attacks) => {
    const database = await HostileDatabase.open();
    for (const [action, input] of attacks) {
      const { status, error } = await database.call(action, input);
      expect([status, action, input]).toEqual([400, action, input]);
      expect(error).toMatch(/^(Validation|Serialization)Exception$/);
      await database.checkState();
    }
    await database.close();
  });

  test('nothing in the place of something', () =>
    expectAll('ValidationException', [
      ['GetItem', { TableName, Key: {} }],
      ['GetItem', { TableName, Key, ProjectionExpression: '' }],
      ['GetItem', { TableName, Key, AttributesToGet: [] }],
      ['GetItem', { TableName: '', Key }],
      ['PutItem', { TableName, Item: {} }],
      ['PutItem', { TableName, Item: Key, ConditionExpression: '' }],
      ['PutItem', { TableName, Item: { ...Key, a: { SS: [] } } }],
      ['PutItem', { TableName, Item: { ...Key, '': { S: 'a' } } }],
      ['UpdateItem', { TableName, Key: {} }],
      ['UpdateItem', { TableName, Key, UpdateExpression: '' }],
      ['DeleteItem', { TableName, Key: {} }],
      ['Query', { TableName, KeyConditions: {} }],
      ['Query', { TableName, KeyConditionExpression: '' }],
      ['Query', { TableName }],
      ['Scan', { TableName, ExclusiveStartKey: {} }],
      ['Scan', { TableName, FilterExpression: '' }],
      ['Scan', { TableName, FilterExpression: 'a = a', ExpressionAttributeNames: {} }],
      ['Scan', { TableName, FilterExpression: 'a = a', ExpressionAttributeValues: {} }],
      ['BatchGetItem', { RequestItems: {} }],
      ['BatchGetItem', { RequestItems: { [simple]: { Keys: [] } } }],
      ['BatchGetItem', { RequestItems: { [simple]: {} } }],
      ['BatchWriteItem', { RequestItems: {} }],
      ['BatchWriteItem', { RequestItems: { [simple]: [] } }],
      ['BatchWriteItem', { RequestItems: { '': [{ PutRequest: { Item: Key } }] } }],
      ['TransactWriteItems', { TransactItems: [] }],
      ['TransactGetItems', { TransactItems: [] }],
      ['CreateTable', { TableName: 'Fresh', KeySchema: [], AttributeDefinitions: [] }],
      ['UpdateTable', { TableName }],
      ['UpdateTable', { TableName, GlobalSecondaryIndexUpdates: [] }],
      ['UpdateTable', { TableName, GlobalSecondaryIndexUpdates: [{}] }],
      ['TagResource', { ResourceArn: arnOf(simple), Tags: [] }],
      ['UntagResource', { ResourceArn: arnOf(simple), TagKeys: [] }],
    ]));

  const deep = 5000;
  test.each<[string, string]>([
    ['parentheses', `${'('.repeat(deep)}a = b${')'.repeat(deep)}`],
    ['parentheses that are not closed', '('.repeat(deep)],
    ['parentheses that are not opened', `a = b${')'.repeat(deep)}`],
    ['NOT', `${'NOT '.repeat(deep)}a = b`],
    ['NOT and parentheses', `${'NOT ('.repeat(deep)}a = b${')'.repeat(deep)}`],
    ['AND', `a = b${' AND a = b'.repeat(deep)}`],
    ['OR and parentheses', `${'(a = b OR '.repeat(deep)}a = b${')'.repeat(deep)}`],
    ['members of a path', `a${'.a'.repeat(deep)} = b`],
    ['elements of a path', `a${'[0]'.repeat(deep)} = b`],
    ['functions', `${'size('.repeat(deep)}a${')'.repeat(deep)} = b`],
    ['operands', `a IN (b${', b'.repeat(deep)})`],
    ['operators', `a ${'= '.repeat(deep)}b`],
    ['blanks', `a =${' '.repeat(100_000)}b`],
    ['a word', 'a'.repeat(100_000)],
    ['an index', `a[${'9'.repeat(100_000)}] = b`],
    ['a placeholder', `#${'a'.repeat(100_000)} = b`],
  ])('%s by the thousand in a condition', async (_what, expression) => {
    const database = await HostileDatabase.open();
    // As long as an expression may be, and much longer.
    for (const text of [expression.slice(0, 4096), expression]) {
      for (const [action, input] of [
        ['Scan', { TableName, FilterExpression: text }],
        ['Query', { TableName, KeyConditionExpression: text }],
        ['PutItem', { TableName, Item: Key, ConditionExpression: text }],
        ['GetItem', { TableName, Key, ProjectionExpression: text }],
        ['UpdateItem', { TableName, Key, UpdateExpression: `SET a = ${text}` }],
        ['UpdateItem', { TableName, Key, UpdateExpression: `REMOVE ${text}` }],
      ] as const) {
        const { status, error } = await database.call(action, input);
        if (status !== 200) expect(error).toBe('ValidationException');
      }
    }
    await database.close();
  });

  test.each<[string, string]>([
    ['if_not_exists', `SET a = ${'if_not_exists(a, '.repeat(deep)}:v${')'.repeat(deep)}`],
    ['list_append', `SET a = ${'list_append(a, '.repeat(deep)}:v${')'.repeat(deep)}`],
    ['parentheses', `SET a = ${'('.repeat(deep)}:v${')'.repeat(deep)}`],
    ['sums', `SET a = :v${' + :v'.repeat(deep)}`],
    ['clauses', `SET a = :v${', a = :v'.repeat(deep)}`],
    ['sections', 'SET a = :v '.repeat(deep)],
  ])('%s by the thousand in an update', async (_what, expression) => {
    const database = await HostileDatabase.open();
    for (const UpdateExpression of [expression.slice(0, 4096), expression]) {
      const ExpressionAttributeValues = { ':v': { N: '1' } };
      const input = { TableName, Key, UpdateExpression, ExpressionAttributeValues };
      expect((await database.call('UpdateItem', input)).error).toBe('ValidationException');
      const { Key: _key, ...update } = input;
      const transaction = { TransactItems: [{ Update: { ...update, Key } }] };
      expect((await database.call('TransactWriteItems', transaction)).error).toBe('ValidationException');
    }
    await database.close();
  });

  const item = (value: string): string => `{"TableName":"${simple}","Item":{"pk":{"S":"a"},"a":${value}}}`;
  const around = (open: string, inner: string, close: string, levels: number): string =>
    `${open.repeat(levels)}${inner}${close.repeat(levels)}`;

  test.each([33, 1000, 20_000])('DB-036 values %i levels deep', async (levels) => {
    const database = await HostileDatabase.open();
    for (const value of [
      around('{"L":[', '{"S":"x"}', ']}', levels),
      around('{"M":{"a":', '{"S":"x"}', '}}', levels),
      around('{"L":[{"M":{"a":', '{"S":"x"}', '}}]}', Math.ceil(levels / 2)),
      around('[', '', ']', levels),
      around('{"a":', '1', '}', levels),
    ]) {
      const filter = `{"TableName":"${simple}","FilterExpression":"a = :a","ExpressionAttributeValues":{":a":${value}}}`;
      for (const [action, body] of [
        ['PutItem', item(value)],
        ['Scan', filter],
        ['GetItem', `{"TableName":${value}}`],
        ['BatchWriteItem', `{"RequestItems":{"${simple}":[{"PutRequest":{"Item":{"a":${value}}}}]}}`],
        ['ListTables', value],
      ] as const) {
        const { status, error } = await database.send(action, body);
        if (status !== 200 || action !== 'ListTables') expect(error).toMatch(/^(Validation|Serialization)Exception$/);
      }
    }
    await database.close();
  });

  test('DB-036 nothing but nesting, as much as a body can hold', async () => {
    const database = await HostileDatabase.open();
    for (const body of [
      item(around('{"L":[', '', ']}', 600_000)),
      '{"TableName":'.repeat(600_000),
      '['.repeat(16_000_000),
    ]) {
      expect((await database.send('PutItem', body)).error).toBe('SerializationException');
    }
    await database.close();
  });

  test('DB-036 a value 32 levels deep is stored and comes back', async () => {
    const database = await HostileDatabase.open();
    const value = around('{"M":{"a":', '{"L":[]}', '}}', 30);
    expect((await database.send('PutItem', item(value))).status).toBe(200);
    expect((await database.call('GetItem', { TableName, Key })).body['Item']).toEqual({ ...Key, a: JSON.parse(value) });
    await database.close();
  });

  const megabyte = 1024 * 1024;
  const many = (count: number, each: (at: number) => string): string =>
    Array.from({ length: count }, (_, at) => each(at)).join();

  const bodies: readonly [string, string, () => string][] = [
    ['a string', 'PutItem', () => item(`{"S":"${'x'.repeat(15 * megabyte)}"}`)],
    ['a number of many digits', 'PutItem', () => item(`{"N":"${'1'.repeat(15 * megabyte)}"}`)],
    ['a number of many zeros', 'PutItem', () => item(`{"N":"0.${'0'.repeat(15 * megabyte)}1"}`)],
    ['a set of many numbers', 'PutItem', () => item(`{"NS":[${many(900_000, (at) => `"${at}"`)}]}`)],
    ['a set of one number many times', 'PutItem', () => item(`{"NS":[${many(900_000, () => '"1.0"')}]}`)],
    ['a list of many elements', 'PutItem', () => item(`{"L":[${many(900_000, () => '{"N":"1"}')}]}`)],
    ['a map of many members', 'PutItem', () => item(`{"M":{${many(500_000, (at) => `"${at}":{"N":"1"}`)}}}`)],
    [
      'an expression',
      'Scan',
      () => `{"TableName":"${simple}","FilterExpression":"a = a${' AND a = a'.repeat(1_500_000)}"}`,
    ],
    [
      'many names',
      'Scan',
      () =>
        `{"TableName":"${simple}","FilterExpression":"a = a","ExpressionAttributeNames":{${many(500_000, (at) => `"#${at}":"a"`)}}}`,
    ],
    [
      'many writes',
      'BatchWriteItem',
      () =>
        `{"RequestItems":{"${simple}":[${many(200_000, (at) => `{"DeleteRequest":{"Key":{"pk":{"S":"${at}"}}}}`)}]}}`,
    ],
    ['many tables', 'BatchGetItem', () => `{"RequestItems":{${many(200_000, (at) => `"t-${at}":{"Keys":[{}]}`)}}}`],
    [
      'many actions',
      'TransactWriteItems',
      () =>
        `{"TransactItems":[${many(150_000, (at) => `{"Delete":{"TableName":"${simple}","Key":{"pk":{"S":"${at}"}}}}`)}]}`,
    ],
    [
      'many tags',
      'TagResource',
      () => `{"ResourceArn":"${arnOf(simple)}","Tags":[${many(400_000, (at) => `{"Key":"${at}","Value":""}`)}]}`,
    ],
    ['many unknown parameters', 'GetItem', () => `{${many(1_000_000, (at) => `"x${at}":1`)}}`],
  ];

  // A run draws half of them.
  test.each(drawn('large bodies', bodies, 2))(
    'DB-124 a body of many megabytes with %s',
    async (_what, action, body) => {
      const database = await HostileDatabase.open();
      const text = body();
      expect(text.length).toBeLessThanOrEqual(16 * megabyte);
      expect((await database.send(action, text)).error).toBe('ValidationException');
      await database.close();
    },
  );

  test('DB-124 a body over 16 MB, and what becomes one', async () => {
    const database = await HostileDatabase.open();
    const full = Buffer.alloc(16 * megabyte, ' ');
    full.write('{}');
    expect((await database.send('ListTables', full)).status).toBe(200);
    expect((await database.send('ListTables', Buffer.concat([full, Buffer.from(' ')]))).status).toBe(413);
    const gzip = { 'content-encoding': 'gzip' };
    const bomb = gzipSync(Buffer.alloc(40 * megabyte, ' '));
    expect(bomb.length).toBeLessThan(megabyte);
    expect((await database.send('ListTables', bomb, gzip)).status).toBe(413);
    for (const broken of [
      gzipSync('{}').subarray(0, 15),
      gzipSync(gzipSync('{}')),
      Buffer.from('{}'),
      Buffer.alloc(100),
    ]) {
      // It is unknown whether a truncated body would have been too large.
      expect(['SerializationException', undefined]).toContain((await database.send('ListTables', broken, gzip)).error);
    }
    expect((await database.send('ListTables', '{}', { 'content-encoding': 'br' })).error).toBe(
      'SerializationException',
    );
    await database.close();
  });

  test('bytes that are no JSON, or no text', async () => {
    const database = await HostileDatabase.open();
    for (const body of [
      '',
      ' ',
      '{',
      '{}}',
      '[]',
      '"a"',
      '1',
      'null',
      'undefined',
      "{'a':1}",
      '{"a":NaN}',
      '\uFEFF{}',
      '{"a":1,}',
    ]) {
      expect((await database.send('PutItem', body)).status).toBe(400);
    }
    for (const bytes of [[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0x00], [0xef, 0xbb, 0xbf, 0x7b, 0x7d]]) {
      expect((await database.send('PutItem', Uint8Array.from(bytes))).error).toBe('SerializationException');
    }
    await database.close();
  });

  test('numbers where JSON has them, larger than any', async () => {
    const database = await HostileDatabase.open();
    for (const number of [
      '1e400',
      '-1e400',
      '9'.repeat(1000),
      '1e-400',
      '0.0000001',
      '-0',
      '2147483648',
      '4294967297',
    ]) {
      for (const [action, body] of [
        ['ListTables', `{"Limit":${number}}`],
        ['Scan', `{"TableName":"${simple}","Limit":${number}}`],
        ['Scan', `{"TableName":"${simple}","Segment":${number},"TotalSegments":${number}}`],
        ['Scan', `{"TableName":"${simple}","Segment":0,"TotalSegments":${number}}`],
        [
          'UpdateTable',
          `{"TableName":"${simple}","BillingMode":"PROVISIONED","ProvisionedThroughput":{"ReadCapacityUnits":${number},"WriteCapacityUnits":${number}}}`,
        ],
      ] as const) {
        const { status, error } = await database.send(action, body);
        if (status !== 200) expect(error).toMatch(/^(Validation|Serialization|LimitExceeded)Exception$/);
      }
    }
    await database.close();
  });

  test('the same member twice: the last one counts', async () => {
    const database = await HostileDatabase.open();
    const twice = `{"TableName":"nothing","TableName":"${simple}","Key":{"pk":{"S":"x"}},"Key":{"pk":{"S":"a"}}}`;
    const { body } = await database.send('GetItem', twice);
    expect(body['Item']).toMatchObject(Key);
    await database.close();
  });

  test('names that objects are born with are names like any other', async () => {
    const database = await HostileDatabase.open();
    const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf', 'toJSON', 'then'];
    const attributes = Object.fromEntries(
      names.map((name) => [name, { M: Object.fromEntries(names.map((inner) => [inner, { S: `${name} ${inner}` }])) }]),
    );
    // No item has attributes of these names yet.
    for (const name of names) {
      const exists = {
        FilterExpression: 'attribute_exists(#n) OR attribute_exists(tag.#n)',
        ExpressionAttributeNames: { '#n': name },
      };
      const there = name === 'hasOwnProperty' ? 4 : 0;
      expect((await database.call('Scan', { TableName: indexed, Select: 'COUNT', ...exists })).body['Count']).toBe(
        there,
      );
    }
    const item = { ...Key, ...attributes, a: { S: 'x' } };
    expect((await database.call('PutItem', { TableName, Item: item })).status).toBe(200);

    for (const name of names) {
      for (const inner of names) {
        const ExpressionAttributeNames = { '#n': name, '#i': inner };
        const read = { TableName, Key, ProjectionExpression: '#n.#i', ExpressionAttributeNames };
        const { body } = await database.call('GetItem', read);
        const found = JSON.stringify(body['Item']);
        expect(found).toBe(`{${JSON.stringify(name)}:{"M":{${JSON.stringify(inner)}:{"S":"${name} ${inner}"}}}}`);
      }
      const placeholder = `:${name}`;
      const update = {
        TableName,
        Key,
        UpdateExpression: `SET #${name} = ${placeholder} REMOVE a`,
        ConditionExpression: `#${name}.#${name} <> ${placeholder}`,
        ExpressionAttributeNames: { [`#${name}`]: name },
        ExpressionAttributeValues: { [placeholder]: { S: 'new' } },
        ReturnValues: 'UPDATED_NEW',
      };
      const { body } = await database.call('UpdateItem', update);
      expect(JSON.stringify(body)).toBe(`{"Attributes":{${JSON.stringify(name)}:{"S":"new"}}}`);
    }
    await database.close();
  });

  test('tables, indexes and keys of such names', async () => {
    const database = await HostileDatabase.open();
    const key = { ['__proto__']: { S: 'p' }, constructor: { N: '1' } };
    const item = { ['__proto__']: { S: 'p' }, constructor: { N: '1' }, valueOf: { S: 'v' } };
    expect((await database.call('GetItem', { TableName: prototype, Key: key })).body).toEqual({ Item: item });
    const batch = await database.call('BatchGetItem', {
      RequestItems: { ['__proto__']: { Keys: [key] }, toString: { Keys: [{ pk: { B: 'AAEC' } }] } },
    });
    expect(Object.entries(batch.body['Responses'] as object)).toEqual([
      ['__proto__', [item]],
      ['toString', [{ pk: { B: 'AAEC' }, a: { S: 'x' } }]],
    ]);
    const query = await database.call('Query', {
      TableName: prototype,
      IndexName: '__proto__',
      KeyConditions: { valueOf: { ComparisonOperator: 'EQ', AttributeValueList: [{ S: 'v' }] } },
      Limit: 1,
    });
    expect(Object.keys(query.body['LastEvaluatedKey'] as object).toSorted()).toEqual([
      '__proto__',
      'constructor',
      'valueOf',
    ]);
    for (const TableName of ['constructor', 'hasOwnProperty', 'valueOf']) {
      expect((await database.call('DescribeTable', { TableName })).error).toBe('ResourceNotFoundException');
    }
    await database.close();
  });
});
