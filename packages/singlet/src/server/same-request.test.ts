import fc from 'fast-check';
import { expect, test } from 'vitest';
import { EncodedItem } from '../engine/layout/item-codec.ts';
import { incomingItem } from '../engine/items/incoming-item.ts';
import type { ItemInput } from '../engine/index.ts';
import { ItemText } from '../values/item-text.ts';
import { DynamoError } from '../values/service-error.ts';
import { directCall } from './direct-call.ts';
import { createProbeEngine, type ProbeEngine } from './testing/probe-engine.ts';
import { send, testOptions, wireRequest } from './testing/wire-client.ts';
import { createWireHandler } from './wire.ts';

/**
 * Items are taken out of the text of a request if it is plain, and a leading blank makes it not plain. Both ways, the
 * same request must reach the engine, or the same refusal must reach the client.
 */
async function bothWays(action: string, body: object): Promise<{ readonly taken: Outcome; readonly parsed: Outcome }> {
  const text = JSON.stringify(body);
  return { taken: await outcomeOf(action, text), parsed: await outcomeOf(action, ` ${text}`) };
}

interface Outcome {
  readonly status: number;
  readonly body: string;
  readonly requests: readonly unknown[];
  readonly areTexts: boolean;
}

async function outcomeOf(action: string, text: string): Promise<Outcome> {
  const engine: ProbeEngine = createProbeEngine();
  const { status, text: body } = await send(createWireHandler(engine, testOptions()), wireRequest(action, text));
  let areTexts = false;
  const requests = engine.calls.map(({ request }) =>
    replaceItems(request, (item) => {
      areTexts ||= item instanceof ItemText;
      return encodedOrRefusal(item);
    }),
  );
  return { status, body, requests, areTexts };
}

/** What reaches the engine from a call in the same process, or its refusal in wire form. */
async function calledDirectly(action: string, body: object): Promise<Pick<Outcome, 'requests'> & { refusal: unknown }> {
  const engine: ProbeEngine = createProbeEngine();
  let refusal: unknown;
  try {
    await directCall(engine, action, body, { accountId: '000000000000', region: 'us-east-1' });
  } catch (error) {
    if (!(error instanceof DynamoError)) throw error;
    refusal = [error.name, error.message];
  }
  return { requests: engine.calls.map(({ request }) => replaceItems(request, encodedOrRefusal)), refusal };
}

/** The text and size of an item as it would be stored, or why it cannot be. */
function encodedOrRefusal(item: ItemInput): unknown {
  try {
    const encoded = incomingItem(item, 'current');
    expect(encoded).toBeInstanceOf(EncodedItem);
    return { text: encoded.json.toString('utf8'), sizeBytes: encoded.sizeBytes };
  } catch (error) {
    return String(error);
  }
}

/** A request with each of its items replaced. */
function replaceItems(value: unknown, replace: (item: ItemInput) => unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((element) => replaceItems(element, replace));
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      name === 'item' ? replace(member as ItemInput) : replaceItems(member, replace),
    ]),
  );
}

const name = fc.oneof(fc.string({ maxLength: 6 }), fc.constantFrom('pk', 'item', '__proto__', 'é', '"', '\\'));
const scalar = fc.oneof(
  fc.record({ S: fc.string({ unit: 'grapheme', maxLength: 30 }) }),
  fc.record({ N: fc.constantFrom('1', '1.0', '-0', '1e3', 'x', '12345678901234567890') }),
  fc.record({ B: fc.constantFrom('AAEC', 'AB==', '', 'x') }),
  fc.record({ BOOL: fc.boolean() }),
  fc.record({ NULL: fc.boolean() }),
  fc.record({ SS: fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 3 }) }),
  fc.record({ NS: fc.array(fc.constantFrom('1', '2', '10'), { maxLength: 3 }) }),
  fc.constantFrom({}, { S: 'a', N: '1' }, null, 1, { S: 1 }, { Q: 'x' }, { S: null }),
);
const value = fc.oneof(
  { weight: 4, arbitrary: scalar },
  fc.record({ L: fc.array(scalar, { maxLength: 3 }) }),
  fc.record({ M: fc.dictionary(name, scalar, { maxKeys: 3 }) }),
);
const plain = fc.dictionary(
  fc.constantFrom('pk', 'a', 'b', 'item', 'é'),
  fc.constantFrom({ S: 'a' }, { S: '"}' }, { N: '1' }, { BOOL: true }, { L: [{ S: 'x' }] }, { M: { a: { N: '-2' } } }),
  { maxKeys: 4 },
);
const item = fc.oneof(
  { weight: 20, arbitrary: plain },
  { weight: 3, arbitrary: fc.dictionary(name, value, { maxKeys: 4 }) },
  fc.constantFrom({ pk: { S: 'a' } }, { pk: { S: 'a' }, n: { N: '1' } }, 0, 1, null, 'x', []),
);
const tableName = fc.constantFrom('Users', 'Orders', '', 'a b', undefined, 5);
const extra = fc.constantFrom(
  {},
  { ReturnValues: 'ALL_OLD' },
  { ReturnValues: 'NO' },
  { Item: { pk: { S: 'b' } } },
  { x: [1, '}'] },
);

const bodiesByAction: readonly (readonly [action: string, bodies: fc.Arbitrary<object>])[] = [
  ['PutItem', fc.tuple(tableName, item, extra).map(([TableName, Item, more]) => ({ TableName, Item, ...more }))],
  [
    'BatchWriteItem',
    fc
      .tuple(
        fc.dictionary(
          fc.constantFrom('Users', 'Orders', 'a b'),
          fc.array(
            fc.oneof(
              item.map((Item) => ({ PutRequest: { Item } })),
              item.map((Key) => ({ DeleteRequest: { Key } })),
            ),
            { maxLength: 3 },
          ),
        ),
        extra,
      )
      .map(([RequestItems, more]) => ({ RequestItems, ...more })),
  ],
  [
    'TransactWriteItems',
    fc
      .array(
        fc.oneof(
          fc.tuple(tableName, item, extra).map(([TableName, Item, more]) => ({ Put: { TableName, Item, ...more } })),
          fc.tuple(tableName, item).map(([TableName, Key]) => ({ Delete: { TableName, Key } })),
        ),
        { maxLength: 4 },
      )
      .map((TransactItems) => ({ TransactItems })),
  ],
];

test.each(bodiesByAction)('%s: a call in the same process is the request over the wire', async (action, bodies) => {
  const half = fc.constantFrom({}, { ConditionExpression: 'half \ud800' }, { 'X\udfff': 1 });
  await fc.assert(
    fc.asyncProperty(bodies, half, async (body, more) => {
      const wire = await outcomeOf(action, JSON.stringify({ ...body, ...more }));
      const called = await calledDirectly(action, { ...body, ...more, Gone: undefined });
      expect(called.requests).toEqual(wire.requests);
      if (wire.status === 200) {
        expect(called.refusal).toBeUndefined();
      } else {
        const { __type: type, message = '', Message = message } = JSON.parse(wire.body) as Record<string, string>;
        expect(called.refusal).toEqual([type?.split('#')[1], Message]);
      }
    }),
    { numRuns: 400 },
  );
});

test.each(bodiesByAction)(
  '%s: an item that is taken out of the text is the item that is parsed',
  async (action, bodies) => {
    await fc.assert(
      fc.asyncProperty(bodies, async (body) => {
        const { taken, parsed } = await bothWays(action, body);
        expect(parsed.areTexts).toBe(false);
        expect({ ...taken, areTexts: false }).toEqual(parsed);
      }),
      { numRuns: 600 },
    );
  },
);

const plainItem = { pk: { S: 'a' }, m: { M: { n: { N: '1' } } } };

test.each([
  ['PutItem', { TableName: 'Users', Item: plainItem }],
  ['BatchWriteItem', { RequestItems: { Users: [{ PutRequest: { Item: plainItem } }] } }],
  ['TransactWriteItems', { TransactItems: [{ Put: { TableName: 'Users', Item: plainItem } }] }],
])('%s: an item that is plain is taken out', async (action, body) => {
  const { taken, parsed } = await bothWays(action, body);
  expect([taken.areTexts, parsed.areTexts]).toEqual([true, false]);
  expect({ ...taken, areTexts: false }).toEqual(parsed);
});
