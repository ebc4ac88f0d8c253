import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { takeItem } from './put-item-text.ts';

const item = { pk: { S: 'a"}' }, n: { N: '1' } };
const take = (text: string): ReturnType<typeof takeItem> => takeItem(Buffer.from(text, 'utf8'));

test('takes the item out, wherever it stands', () => {
  const others = fc.dictionary(
    fc.constantFrom('TableName', 'ReturnValues', 'Expected', 'ExpressionAttributeValues', 'x', 'Items'),
    fc.jsonValue(),
  );
  fc.assert(
    fc.property(others, others, (before, after) => {
      const input = { ...before, Item: item, ...after };
      const taken = take(JSON.stringify(input));
      // Names with escapes are left to the parser; those above have none.
      expect(taken?.item.toMap()).toEqual(item);
      expect(JSON.parse(taken?.rest ?? '')).toEqual({ ...input, Item: null });
    }),
  );
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

  test('and never reads into what is malformed another input than the parser would', () => {
    const parts = ['{', '}', '[', ']', '"', '\\', ',', ':', member, '"a":1', '"TableName":"t"', 'null', ' '];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...parts), { maxLength: 9 }), (chosen) => {
        const text = `{${chosen.join('')}}`;
        const taken = take(text);
        if (taken === undefined) return;
        let rest: unknown;
        try {
          rest = JSON.parse(taken.rest);
        } catch {
          expect(() => JSON.parse(text) as unknown).toThrow();
          return;
        }
        expect(JSON.parse(text)).toEqual({ ...(rest as object), Item: item });
      }),
      { numRuns: 3000 },
    );
  });
});
