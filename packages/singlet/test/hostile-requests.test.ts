import { gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { actions, aimedRequests } from './aimed-requests.ts';
import { arnOf, type HostileAnswer, HostileDatabase, hostileTables, type Json } from './hostile-database.ts';
import {
  anyExpression,
  conditionText,
  keyConditionText,
  placeholdersFor,
  projectionText,
  updateText,
} from './hostile-expressions.ts';
import { mutated } from './hostile-mutations.ts';
import { attributeName, attributeValue, oddNames, strangeValue } from './hostile-values.ts';

/**
 * Whatever is sent, by mistake or on purpose: it is answered, never with a 500, and what is refused has no effect. All of
 * the database is under attack here, down to the store; what is checked is in `hostile-database.ts`.
 */

type Attack = readonly [action: string, input: Json];

/** Requests to one database before it is looked at whether all is as it should be. */
const attacksPerDatabase = 25;

async function attack(requests: fc.Arbitrary<Attack>, databaseCount: number): Promise<Tally> {
  const tally = new Tally();
  // As text, which can be printed however deep it is.
  const sent = requests.map(([action, input]) => [action, JSON.stringify(input)] as const);
  await fc.assert(
    fc.asyncProperty(fc.array(sent, { minLength: 1, maxLength: attacksPerDatabase, size: 'max' }), async (attacks) => {
      const database = await HostileDatabase.open();
      for (const [action, body] of attacks) tally.count(await database.send(action, body));
      await database.close();
    }),
    { numRuns: databaseCount },
  );
  return tally;
}

/** How requests were answered: an attack that never gets past the first check shows little. */
class Tally {
  readonly #counts = new Map<string, number>();
  #total = 0;

  count({ status, error }: HostileAnswer): void {
    const name = error ?? String(status);
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
    this.#total += 1;
  }

  share(name: string): number {
    return (this.#counts.get(name) ?? 0) / this.#total;
  }
}

describe('DB-273 DB-280 any request', () => {
  test('any JSON, for every action', async () => {
    const json = fc.jsonValue({ maxDepth: 4 });
    const tally = await attack(fc.tuple(fc.constantFrom(...actions), json), 60);
    expect(tally.share('SerializationException') + tally.share('ValidationException')).toBeGreaterThan(0.5);
  });

  test('any values under the names of parameters', async () => {
    const parameters = [...new Set(aimedRequests.flatMap(([, input]) => Object.keys(input as object)))];
    const name = fc.oneof(fc.constantFrom(...parameters), fc.constantFrom(...oddNames));
    const body = fc
      .dictionary(name, fc.oneof(strangeValue, anyExpression), { maxKeys: 5 })
      .chain((given) => fc.constantFrom<Json>(given, { TableName: hostileTables.simple, ...given }));
    await attack(fc.tuple(fc.constantFrom(...actions), body), 60);
  });

  test('valid requests, each with something changed in it', async () => {
    const requests = fc
      .constantFrom(...aimedRequests)
      .chain(([action, input]) =>
        fc.tuple(fc.constant(action), fc.oneof(mutated(input), mutated(input), fc.constant(input))),
      );
    const tally = await attack(requests, 300);
    expect(tally.share('200')).toBeGreaterThan(0.1);
    expect(tally.share('ValidationException')).toBeGreaterThan(0.1);
  });
});

describe('any expression', () => {
  const { simple, indexed, prototype } = hostileTables;

  /** A request with the first and perhaps others of these expressions, and with what their placeholders stand for. */
  function requestWith(
    expressions: Readonly<Record<string, fc.Arbitrary<string>>>,
    rest: fc.Arbitrary<object>,
  ): fc.Arbitrary<Json> {
    const [required] = Object.keys(expressions) as [string];
    const some = fc.record(expressions, { requiredKeys: [required] });
    return fc.tuple(some, rest).chain(([given, others]) =>
      placeholdersFor(Object.values(given).map(String)).map((placeholders) => ({
        ...others,
        ...given,
        ...placeholders,
      })),
    );
  }

  const key = fc.constantFrom('a', 'b', 'c', 'fresh').map((pk) => ({ TableName: simple, Key: { pk: { S: pk } } }));
  const returned = fc.constantFrom('NONE', 'ALL_OLD', 'ALL_NEW', 'UPDATED_OLD', 'UPDATED_NEW');
  const item = fc
    .tuple(fc.constantFrom('a', 'b', 'fresh'), fc.dictionary(attributeName, attributeValue, { maxKeys: 5 }))
    .map(([pk, attributes]) => ({ TableName: simple, Item: { ...attributes, pk: { S: pk } } }));
  /** Everything that can be read, and its key. */
  const readable = [
    { read: { TableName: simple }, keys: ['pk'] },
    { read: { TableName: indexed }, keys: ['pk', 'sk'] },
    { read: { TableName: indexed, IndexName: 'byRank' }, keys: ['pk', '#rank'] },
    { read: { TableName: indexed, IndexName: 'byOwner' }, keys: ['#owner', '#rank'] },
    { read: { TableName: indexed, IndexName: 'constructor' }, keys: ['photo'] },
    { read: { TableName: prototype, IndexName: '__proto__' }, keys: ['#valueOf'] },
  ] as const;
  const update = requestWith(
    { UpdateExpression: updateText, ConditionExpression: conditionText },
    fc.tuple(key, returned).map(([given, ReturnValues]) => ({ ...given, ReturnValues })),
  );

  test('that reads', async () => {
    const scan = fc
      .constantFrom(...readable)
      .chain(({ read }) =>
        requestWith({ FilterExpression: conditionText, ProjectionExpression: projectionText }, fc.constant(read)),
      );
    const query = fc.constantFrom(...readable).chain(({ read, keys: [partitionKey, sortKey] }) =>
      requestWith(
        {
          KeyConditionExpression: keyConditionText(partitionKey, sortKey),
          FilterExpression: conditionText,
          ProjectionExpression: projectionText,
        },
        fc.constant(read),
      ),
    );
    const requests = fc.oneof(
      fc.tuple(fc.constant('Scan'), scan),
      fc.tuple(fc.constant('Query'), query),
      fc.tuple(fc.constant('GetItem'), requestWith({ ProjectionExpression: projectionText }, key)),
    );
    const tally = await attack(requests, 150);
    expect(tally.share('200')).toBeGreaterThan(0.2);
  });

  test('that writes', async () => {
    const inTransaction = update.map((input) => {
      const { ReturnValues: _none, ...action } = input as Record<string, Json>;
      return { TransactItems: [{ Put: { TableName: simple, Item: { pk: { S: 'other' } } } }, { Update: action }] };
    });
    const requests = fc.oneof(
      fc.tuple(fc.constant('UpdateItem'), update),
      fc.tuple(fc.constant('UpdateItem'), update),
      fc.tuple(fc.constant('PutItem'), requestWith({ ConditionExpression: conditionText }, item)),
      fc.tuple(fc.constant('DeleteItem'), requestWith({ ConditionExpression: conditionText }, key)),
      fc.tuple(fc.constant('TransactWriteItems'), inTransaction),
    );
    const tally = await attack(requests, 250);
    expect(tally.share('200')).toBeGreaterThan(0.05);
    expect(tally.share('ConditionalCheckFailedException')).toBeGreaterThan(0.01);
  });
});

describe('DB-161 any ExclusiveStartKey', () => {
  const { indexed, prototype, binary } = hostileTables;
  const name = fc.oneof(
    fc.constantFrom('pk', 'sk', 'rank', 'owner', 'photo', '__proto__', 'constructor', 'valueOf'),
    attributeName,
  );

  test('begins a page somewhere, or is refused; and the pages that follow come to an end', async () => {
    const whole = fc.constantFrom<Readonly<Record<string, Json>>>(
      { pk: { S: 'a' }, sk: { N: '1' } },
      { pk: { S: 'a' }, sk: { N: '1' }, rank: { N: '9' } },
      { pk: { S: 'a' }, sk: { N: '1' }, rank: { N: '9' }, owner: { S: 'x' } },
      { pk: { S: 'a' }, sk: { N: '1' }, photo: { B: 'AAEC' } },
      { pk: { B: 'AAEC' } },
      Object.fromEntries([
        ['__proto__', { S: 'p' }],
        ['constructor', { N: '1' }],
      ]),
    );
    const startKey = fc.oneof(
      whole,
      fc
        .tuple(whole, name, fc.oneof(attributeValue, strangeValue))
        .map(([key, each, value]) => ({ ...key, [each]: value })),
      fc.tuple(whole, name).map(([key, each]) => Object.fromEntries(Object.entries(key).filter(([at]) => at !== each))),
      fc.dictionary(name, attributeValue, { maxKeys: 4 }),
      strangeValue,
    );
    const place = fc.constantFrom<Readonly<Record<string, Json>>>(
      { TableName: indexed },
      { TableName: indexed, IndexName: 'byRank' },
      { TableName: indexed, IndexName: 'byOwner' },
      { TableName: indexed, IndexName: 'constructor' },
      { TableName: prototype },
      { TableName: prototype, IndexName: '__proto__' },
      { TableName: binary },
    );
    const segments = fc.constantFrom(
      {},
      {},
      { Segment: 0, TotalSegments: 2 },
      { Segment: 999_999, TotalSegments: 1_000_000 },
    );
    const conditions = fc.constantFrom(
      { KeyConditionExpression: 'pk = :a', ExpressionAttributeValues: { ':a': { S: 'a' } } },
      {
        KeyConditionExpression: 'pk = :a AND #r > :n',
        ExpressionAttributeNames: { '#r': 'rank' },
        ExpressionAttributeValues: { ':a': { S: 'a' }, ':n': { N: '8' } },
      },
      {
        KeyConditionExpression: '#o = :x',
        ExpressionAttributeNames: { '#o': 'owner' },
        ExpressionAttributeValues: { ':x': { S: 'x' } },
        ScanIndexForward: false,
      },
    );
    const request: fc.Arbitrary<Attack> = fc.oneof(
      fc
        .tuple(place, startKey, segments)
        .map(([where, key, segment]): Attack => ['Scan', { ...where, ...segment, ExclusiveStartKey: key, Limit: 1 }]),
      fc
        .tuple(place, startKey, conditions)
        .map(([where, key, condition]): Attack => [
          'Query',
          { ...where, ...condition, ExclusiveStartKey: key, Limit: 1 },
        ]),
    );
    const tally = new Tally();
    const database = await HostileDatabase.open();
    await fc.assert(
      fc.asyncProperty(
        request.map(([action, input]) => [action, JSON.stringify(input)] as const),
        async ([action, body]) => {
          let answer = await database.send(action, body);
          tally.count(answer);
          // There are not more items than this anywhere, so more pages than this would never end.
          let pagesLeft = 10;
          while (answer.body['LastEvaluatedKey'] !== undefined) {
            pagesLeft -= 1;
            expect(pagesLeft).toBeGreaterThan(0);
            const next = { ...(JSON.parse(body) as object), ExclusiveStartKey: answer.body['LastEvaluatedKey'] };
            answer = await database.call(action, next);
            expect(answer.status).toBe(200);
          }
        },
      ),
      { numRuns: 3000 },
    );
    await database.close();
    expect(tally.share('200')).toBeGreaterThan(0.1);
  });
});

/** What other implementations are known to have died of, hung on, or let pass. */
describe('known attacks', () => {
  const { simple, indexed, prototype } = hostileTables;
  const TableName = simple;
  const Key = { pk: { S: 'a' } };

  async function expectAll(expected: string, attacks: readonly Attack[]): Promise<void> {
    const database = await HostileDatabase.open();
    for (const [action, input] of attacks) {
      const answer = await database.call(action, input);
      expect([answer.error ?? String(answer.status), action, input]).toEqual([expected, action, input]);
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
        filtered(`missing ${operator} :0`, { S: 'a' }),
        filtered(`:0 ${operator} missing`, { N: '1' }),
        filtered(`missing ${operator} absent`),
        filtered(`a ${operator} missing`),
        filtered(`#map.a.missing ${operator} :0`, { BOOL: true }),
        filtered(`#list[99] ${operator} #list[98]`),
        filtered(`size(missing) ${operator} :0`, { N: '1' }),
        filtered(`size(n) ${operator} size(yes)`),
      ]),
      filtered('missing BETWEEN absent AND gone'),
      filtered('missing IN (absent, gone)'),
      filtered('begins_with(missing, absent)'),
      filtered('contains(missing, absent)'),
      filtered('contains(n, absent)'),
      filtered('attribute_type(missing, :0)', { S: 'S' }),
      filtered('a.b.c.d = :0', { S: 'a' }),
      filtered('a[0][1].b = :0', { S: 'a' }),
      filtered('#list.a = #map[0]'),
      filtered('attribute_exists(a.b) OR attribute_not_exists(#list[5].a)'),
    ]));

  test('conditions on an item that is not there', () =>
    expectAll('ConditionalCheckFailedException', [
      ...['a = :0', ':0 <> a', 'size(a) > :0', 'a.b[1] <= :0', 'contains(a, :0)', 'a IN (:0)', 'NOT a = a'].map(
        (ConditionExpression): Attack => [
          'DeleteItem',
          {
            TableName,
            Key: { pk: { S: 'nobody' } },
            ConditionExpression,
            ...(ConditionExpression.includes(':0') && { ExpressionAttributeValues: { ':0': { N: '1' } } }),
          },
        ],
      ),
    ]));

  test('updates of what is not there', () =>
    expectAll('ValidationException', [
      ...['SET a.b = :0', 'SET missing[0] = :0', 'SET #list[0].x.y = :0', 'SET n = missing + :0', 'SET a = a + :0'].map(
        (UpdateExpression): Attack => [
          'UpdateItem',
          {
            TableName,
            Key,
            UpdateExpression,
            ExpressionAttributeNames: namesIn(UpdateExpression),
            ExpressionAttributeValues: { ':0': { N: '1' } },
          },
        ],
      ),
      ['UpdateItem', { TableName, Key, UpdateExpression: 'REMOVE a.b.c' }],
      ['UpdateItem', { TableName, Key, UpdateExpression: 'REMOVE missing.b' }],
    ]));

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
        ['UpdateItem', { TableName, Key, AttributeUpdates: { a: null } }],
        ['PutItem', { TableName, Item: Key, Expected: { a: null } }],
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

  test.each([33, 1000, 100_000, 1_000_000])('DB-036 values %i levels deep', async (levels) => {
    const database = await HostileDatabase.open();
    for (const value of [
      around('{"L":[', '{"S":"x"}', ']}', levels),
      around('{"M":{"a":', '{"S":"x"}', '}}', levels),
      around('{"L":[{"M":{"a":', '{"S":"x"}', '}}]}', levels / 2),
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

  test.each<[string, string, () => string]>([
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
  ])('DB-124 a body of many megabytes with %s', async (_what, action, body) => {
    const database = await HostileDatabase.open();
    const text = body();
    expect(text.length).toBeLessThanOrEqual(16 * megabyte);
    expect((await database.send(action, text)).error).toBe('ValidationException');
    await database.close();
  });

  test('DB-124 a body over 16 MB, and what becomes one', async () => {
    const database = await HostileDatabase.open();
    const full = Buffer.alloc(16 * megabyte, ' ');
    full.write('{}');
    expect((await database.send('ListTables', full)).status).toBe(200);
    expect((await database.send('ListTables', Buffer.concat([full, Buffer.from(' ')]))).status).toBe(413);
    const gzip = { 'content-encoding': 'gzip' };
    const bomb = gzipSync(Buffer.alloc(200 * megabyte, ' '));
    expect(bomb.length).toBeLessThan(megabyte);
    expect((await database.send('ListTables', bomb, gzip)).status).toBe(413);
    for (const broken of [
      gzipSync('{}').subarray(0, 15),
      gzipSync(gzipSync('{}')),
      Buffer.from('{}'),
      Buffer.alloc(100),
    ]) {
      expect((await database.send('ListTables', broken, gzip)).error).toBe('SerializationException');
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
    // Nothing of that name is there before.
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
    const stored = { ...Key, ...attributes, a: { S: 'x' } };
    expect(
      (
        await database.send(
          'PutItem',
          JSON.stringify({ TableName, Item: Object.assign(withMembers(attributes), { ...Key, a: { S: 'x' } }) }),
        )
      ).status,
    ).toBe(200);
    expect(Object.keys(stored)).toHaveLength(names.length + 2);

    for (const name of names) {
      for (const inner of names) {
        const ExpressionAttributeNames = withMembers({ '#n': name, '#i': inner });
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
        ExpressionAttributeNames: withMembers({ [`#${name}`]: name }),
        ExpressionAttributeValues: withMembers({ [placeholder]: { S: 'new' } }),
        ReturnValues: 'UPDATED_NEW',
      };
      const { body } = await database.call('UpdateItem', update);
      expect(JSON.stringify(body)).toBe(`{"Attributes":{${JSON.stringify(name)}:{"S":"new"}}}`);
    }
    await database.close();
  });

  test('tables, indexes and keys of such names', async () => {
    const database = await HostileDatabase.open();
    const key = withMembers({ ['__proto__']: { S: 'p' }, constructor: { N: '1' } });
    const item = withMembers({ ['__proto__']: { S: 'p' }, constructor: { N: '1' }, valueOf: { S: 'v' } });
    expect((await database.call('GetItem', { TableName: prototype, Key: key })).body).toEqual({ Item: item });
    const batch = await database.call('BatchGetItem', {
      RequestItems: withMembers({ ['__proto__']: { Keys: [key] }, toString: { Keys: [{ pk: { B: 'AAEC' } }] } }),
    });
    expect(Object.entries(batch.body['Responses'] as object)).toEqual([
      ['__proto__', [item]],
      ['toString', [{ pk: { B: 'AAEC' }, a: { S: 'x' } }]],
    ]);
    const query = await database.call('Query', {
      TableName: prototype,
      IndexName: '__proto__',
      KeyConditions: withMembers({ valueOf: { ComparisonOperator: 'EQ', AttributeValueList: [{ S: 'v' }] } }),
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

/** An object with these members and no others, `__proto__` included. */
function withMembers(members: Readonly<Record<string, Json>>): Readonly<Record<string, Json>> {
  return Object.fromEntries(Object.entries(members));
}
