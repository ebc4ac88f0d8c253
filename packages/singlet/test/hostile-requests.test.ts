import * as fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { spaceStart } from '../src/engine/layout/spaces.ts';
import { Catalog } from '../src/engine/catalog/catalog.ts';
import { actions, aimedRequests } from './aimed-requests.ts';
import { type HostileAnswer, HostileDatabase, hostileTables, type Json } from './hostile-database.ts';
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
 * Every request, mistaken or malicious, is answered, never with a 500, and a refused request has no effect. The whole
 * database is under attack here, down to the store. `hostile-database.ts` has the checks.
 */

const requester = { accountId: '000000000000', region: 'us-east-1' };

type Attack = readonly [action: string, input: Json];

/** Requests to one database between two comparisons. */
const attacksPerDatabase = 25;

/**
 * `HOSTILE_REQUESTS=1000000 npx vitest run packages/singlet/test/hostile-requests.test.ts` sends about a million, instead of the number that
 * is sent by default: 410 databases are attacked with 12.7 requests each, as a mean, and one with 3,000.
 */
const requestsByDefault = 8_200;
const scale = Math.max(1, Number(process.env['HOSTILE_REQUESTS'] ?? requestsByDefault) / requestsByDefault);
vi.setConfig({ testTimeout: 60_000 * scale });

async function attack(requests: fc.Arbitrary<Attack>, databaseCount: number): Promise<Tally> {
  const tally = new Tally();
  // As text, which can be printed at any depth.
  const sent = requests.map(([action, input]) => [action, JSON.stringify(input)] as const);
  await fc.assert(
    fc.asyncProperty(fc.array(sent, { minLength: 1, maxLength: attacksPerDatabase, size: 'max' }), async (attacks) => {
      const database = await HostileDatabase.open();
      for (const [action, body] of attacks) tally.count(await database.send(action, body));
      await database.close();
    }),
    { numRuns: Math.ceil(databaseCount * scale) },
  );
  return tally;
}

/** How requests were answered: an attack that never passes the first check shows little. */
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

describe('what would be noticed', () => {
  const { simple, indexed } = hostileTables;
  const key = { pk: { S: 'a' } };

  /** Bypasses the request checks of a hostile database, and returns the report of its state check. */
  async function noticed(violate: (database: HostileDatabase) => Promise<unknown>): Promise<string> {
    const database = await HostileDatabase.open();
    const notice = violate(database).then(() => database.checkState());
    return notice.then(
      () => 'nothing',
      (error: unknown) => String(error),
    );
  }

  test.each<[string, RegExp, (database: HostileDatabase) => Promise<unknown>]>([
    ['nothing', /^nothing$/, async (hostile) => hostile.call('PutItem', { TableName: simple, Item: key })],
    [
      'an item that changes',
      /changed the item S a of Simple/,
      async ({ database }) => database.request('PutItem', { TableName: simple, Item: key }),
    ],
    [
      'an item that goes, while another one is written',
      /changed the item S b of Simple/,
      async (hostile) => {
        await hostile.call('PutItem', { TableName: simple, Item: key });
        await hostile.database.request('DeleteItem', { TableName: simple, Key: { pk: { S: 'b' } } });
      },
    ],
    [
      'a table that goes',
      /changed the table Simple/,
      async ({ database }) => database.request('DeleteTable', { TableName: simple }),
    ],
    [
      'an index entry that goes',
      /left Indexed inconsistent/,
      async ({ store }) => {
        const table = await new Catalog(store, { nowMs: () => 0 }).load(requester, indexed);
        const { space } = table!.globalIndexes[0]!;
        const keys: Buffer[] = [];
        await store.range(
          { from: spaceStart(space), to: spaceStart(space + 1) },
          (each) => keys.push(Buffer.from(each)) === 0,
        );
        await store.write([], () => ({ answer: undefined, writes: [{ key: keys[0]!, value: undefined }] }));
      },
    ],
    [
      'a request that fails inside',
      /failed inside/,
      async (hostile) => {
        await hostile.store.close();
        await hostile.call('GetItem', { TableName: simple, Key: key });
      },
    ],
    [
      'a request that takes the store too many steps',
      /took steps of the store/,
      async (hostile) => {
        const listing = hostile.call('ListTables', {});
        for (let steps = 0; steps <= 20_000; steps += 1) void hostile.store.read([], () => undefined);
        await listing;
      },
    ],
  ])('%s', async (_what, message, violate) => {
    expect(await noticed(violate)).toMatch(message);
  });
});

describe('DB-273 DB-280 any request', () => {
  test('any JSON, for every action', async () => {
    const json = fc.jsonValue({ maxDepth: 4 });
    const tally = await attack(fc.tuple(fc.constantFrom(...actions), json), 30);
    expect(tally.share('SerializationException') + tally.share('ValidationException')).toBeGreaterThan(0.5);
  });

  test('any values under the names of parameters', async () => {
    const parameters = [...new Set(aimedRequests.flatMap(([, input]) => Object.keys(input as object)))];
    const name = fc.oneof(fc.constantFrom(...parameters), fc.constantFrom(...oddNames));
    const body = fc
      .dictionary(name, fc.oneof(strangeValue, anyExpression), { maxKeys: 5 })
      .chain((given) => fc.constantFrom<Json>(given, { TableName: hostileTables.simple, ...given }));
    await attack(fc.tuple(fc.constantFrom(...actions), body), 30);
  });

  test('valid requests, each with something changed in it', async () => {
    const requests = fc
      .constantFrom(...aimedRequests)
      .chain(([action, input]) =>
        fc.tuple(fc.constant(action), fc.oneof(mutated(input), mutated(input), fc.constant(input))),
      );
    const tally = await attack(requests, 150);
    expect(tally.share('200')).toBeGreaterThan(0.1);
    expect(tally.share('ValidationException')).toBeGreaterThan(0.1);
  });
});

describe('any expression', () => {
  const { simple, indexed, prototype } = hostileTables;

  /** A request with the first and perhaps others of these expressions, and with values for their placeholders. */
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
    const tally = await attack(requests, 75);
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
    const tally = await attack(requests, 125);
    expect(tally.share('200')).toBeGreaterThan(0.05);
    expect(tally.share('ConditionalCheckFailedException')).toBeGreaterThan(0.01);
  });
});

describe('DB-161 any ExclusiveStartKey', () => {
  const { indexed, prototype, binary } = hostileTables;

  /** Every place to read from: the key of an entry there, and how to query the entries around it. */
  const places: readonly { readonly where: object; readonly key: object; readonly condition?: object }[] = [
    {
      where: { TableName: indexed },
      key: { pk: { S: 'a' }, sk: { N: '1' } },
      condition: { KeyConditionExpression: 'pk = :a', ExpressionAttributeValues: { ':a': { S: 'a' } } },
    },
    {
      where: { TableName: indexed, IndexName: 'byRank' },
      key: { pk: { S: 'b' }, sk: { N: '3' }, rank: { N: '7' } },
      condition: {
        KeyConditionExpression: 'pk = :b AND #r < :n',
        ExpressionAttributeNames: { '#r': 'rank' },
        ExpressionAttributeValues: { ':b': { S: 'b' }, ':n': { N: '8' } },
      },
    },
    {
      where: { TableName: indexed, IndexName: 'byOwner' },
      key: { pk: { S: 'a' }, sk: { N: '1' }, rank: { N: '9' }, owner: { S: 'x' } },
      condition: {
        KeyConditionExpression: '#o = :x',
        ExpressionAttributeNames: { '#o': 'owner' },
        ExpressionAttributeValues: { ':x': { S: 'x' } },
        ScanIndexForward: false,
      },
    },
    {
      where: { TableName: indexed, IndexName: 'constructor' },
      key: { pk: { S: 'a' }, sk: { N: '1' }, photo: { B: 'AAEC' } },
      condition: { KeyConditionExpression: 'photo = :p', ExpressionAttributeValues: { ':p': { B: 'AAEC' } } },
    },
    { where: { TableName: binary }, key: { pk: { B: 'AAEC' } } },
    {
      where: { TableName: prototype, IndexName: '__proto__' },
      key: { ['__proto__']: { S: 'p' }, constructor: { N: '1' }, valueOf: { S: 'v' } },
    },
  ];

  const name = fc.oneof(fc.constantFrom(...new Set(places.flatMap(({ key }) => Object.keys(key)))), attributeName);

  /** The key, or something similar, or something else. */
  function startKeyLike(key: object): fc.Arbitrary<Json> {
    const values = fc.oneof(attributeValue, attributeValue, strangeValue);
    const ownName = fc.constantFrom(...Object.keys(key));
    return fc.oneof(
      { weight: 2, arbitrary: fc.constant(key) },
      {
        weight: 4,
        arbitrary: fc.tuple(ownName, values).map(([each, value]) => ({ ...key, [each]: value })),
      },
      { weight: 1, arbitrary: fc.tuple(name, values).map(([each, value]) => ({ ...key, [each]: value })) },
      {
        weight: 1,
        arbitrary: ownName.map((gone) => Object.fromEntries(Object.entries(key).filter(([at]) => at !== gone))),
      },
      { weight: 1, arbitrary: fc.constantFrom(...places).map((place) => place.key) },
      { weight: 1, arbitrary: fc.oneof(strangeValue, fc.dictionary(name, attributeValue, { maxKeys: 4 })) },
    );
  }

  test('begins a page somewhere, or is refused; and the pages that follow come to an end', async () => {
    const segments = fc.constantFrom(
      {},
      {},
      { Segment: 0, TotalSegments: 2 },
      { Segment: 999_999, TotalSegments: 1_000_000 },
    );
    const request = fc.constantFrom(...places).chain(({ where, key, condition }) =>
      fc.tuple(fc.boolean(), startKeyLike(key), segments).map(([queries, startKey, segment]): Attack => {
        const page = { ...where, ExclusiveStartKey: startKey, Limit: 1 };
        return queries && condition !== undefined
          ? ['Query', { ...page, ...condition }]
          : ['Scan', { ...page, ...segment }];
      }),
    );
    const tally = new Tally();
    const database = await HostileDatabase.open();
    await fc.assert(
      fc.asyncProperty(
        request.map(([action, input]) => [action, JSON.stringify(input)] as const),
        async ([action, body]) => {
          let answer = await database.send(action, body);
          tally.count(answer);
          // No place has more items than this, so more pages than this would never end.
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
      { numRuns: Math.ceil(3000 * scale) },
    );
    await database.close();
    expect(tally.share('200')).toBeGreaterThan(0.1);
  });
});
