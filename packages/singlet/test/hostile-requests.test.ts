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
