import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { takeItems } from './item-texts.ts';

const item = { pk: { S: 'a"}' }, n: { N: '1' } };
const other = { pk: { S: 'Item' }, m: { M: { Put: { M: { Item: { S: 'x' } } } } } };
const target = (action: string): string => `DynamoDB_20120810.${action}`;
const take = (text: string, action = 'PutItem'): ReturnType<typeof takeItems> =>
  takeItems(target(action), Buffer.from(text, 'utf8'));

/** The reassembled input, with its items as maps; undefined when no item was taken out. */
function putTogether(text: string, action?: string): unknown {
  const taken = take(text, action);
  if (taken === undefined) return undefined;
  const input = JSON.parse(taken.rest) as unknown;
  taken.putBack(input);
  return JSON.parse(JSON.stringify(input)) as unknown;
}

const others = fc.dictionary(
  fc.constantFrom('TableName', 'ReturnValues', 'Expected', 'ExpressionAttributeValues', 'x', 'Items'),
  fc.jsonValue(),
  { noNullPrototype: true },
);

test('takes the item of a PutItem, wherever it is', () => {
  fc.assert(
    fc.property(others, others, (before, after) => {
      const input = { ...before, Item: item, ...after };
      const text = JSON.stringify(input);
      expect(take(text)?.rest).toBe(text.replace(JSON.stringify(item), () => '0'));
      expect(putTogether(text)).toEqual(JSON.parse(text));
    }),
  );
});

test.each([
  ['BatchWriteItem', { RequestItems: { a: [{ PutRequest: { Item: item } }, { PutRequest: { Item: other } }] } }, 2],
  [
    'BatchWriteItem',
    {
      ReturnConsumedCapacity: 'TOTAL',
      RequestItems: {
        a: [{ DeleteRequest: { Key: { Item: { S: 'x' } } } }, { PutRequest: { Item: other } }],
        Item: [{ PutRequest: { Item: item } }],
        b: [],
      },
    },
    2,
  ],
  [
    'TransactWriteItems',
    {
      ClientRequestToken: 'x',
      TransactItems: [
        { Update: { TableName: 'a', Key: { Item: { S: 'x' } }, ExpressionAttributeValues: { ':v': { M: item } } } },
        { Put: { TableName: 'a', Item: item, ConditionExpression: 'a = :v' } },
        { Put: { Item: other, TableName: 'b' } },
      ],
    },
    2,
  ],
])('takes the items of %s %j', (action, input, count) => {
  const text = JSON.stringify(input);
  expect(putTogether(text, action)).toEqual(input);
  expect(text.length - (take(text, action)?.rest.length ?? 0)).toBeGreaterThan(count * 20);
});

describe('leaves to the parser', () => {
  const member = `"Item":${JSON.stringify(item)}`;
  test.each([
    ['no item', '{"TableName":"t"}'],
    ['two items', `{${member},${member}}`],
    ['an item whose name has escapes behind another', `{${member},"\\u0049tem":{}}`],
    ['an item that is not plain', '{"Item":{"pk": {"S":"a"}}}'],
    ['an item inside something else', `{"Key":{${member}}}`],
    ['text behind', `{${member}}}`],
    ['an end that is missing', `{${member}`],
    ['a comma too many', `{${member},}`],
    ['no object', `[${member}]`],
    ['nothing', ''],
  ])('%s', (_what, text) => {
    expect(take(text)).toBeUndefined();
  });

  test('other actions', () => {
    expect(take(`{${member}}`, 'GetItem')).toBeUndefined();
    expect(takeItems(undefined, Buffer.from(`{${member}}`))).toBeUndefined();
  });

  test.each([
    ['BatchWriteItem', `{"RequestItems":{"t":[{"PutRequest":{${member}}},null]}}`],
    ['BatchWriteItem', `{"RequestItems":{"t":{"PutRequest":{${member}}}}}`],
    ['BatchWriteItem', `{"RequestItems":{"t":[{"PutRequest":{${member}},"PutRequest":{${member}}}]}}`],
    ['BatchWriteItem', `{"RequestItems":{"t":[{"PutRequest":{"Item":0}}]}}`],
    ['TransactWriteItems', `{"TransactItems":[{"Put":{${member}}},{"Put":{"Item":{"a":{}}}}]}`],
    ['TransactWriteItems', `{"TransactItems":{"Put":{${member}}}`],
  ])('%s %s', (action, text) => {
    expect(take(text, action)).toBeUndefined();
  });

  test.each([
    ['PutItem', [member, '"a":1', '"TableName":"t"', 'null']],
    ['BatchWriteItem', ['"RequestItems":', `{"PutRequest":{${member}}}`, '"t":', '{"DeleteRequest":{}}']],
    ['TransactWriteItems', ['"TransactItems":', `{"Put":{${member}}}`, '"Put":', member]],
  ])('and never reads into what is malformed another %s than the parser would', (action, known) => {
    const parts = ['{', '}', '[', ']', '"', '\\', ',', ':', ' ', ...known, ...known];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...parts), { maxLength: 9 }), (chosen) => {
        const text = `{${chosen.join('')}}`;
        const taken = take(text, action);
        if (taken === undefined) return;
        let input: unknown;
        try {
          input = JSON.parse(taken.rest);
        } catch {
          expect(() => JSON.parse(text) as unknown).toThrow();
          return;
        }
        taken.putBack(input);
        expect(JSON.parse(JSON.stringify(input))).toEqual(JSON.parse(text));
      }),
      { numRuns: 3000 },
    );
  });
});
