import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { AttributeValue } from './attribute-value.ts';
import { AttributeReader } from './attribute-reader.ts';

const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc
    .array(fc.constantFrom('"', '\\', '{', '}', '[', ']', ',', ':', '\n', '\u0000', 'é', '\ud83d\ude00'), {
      maxLength: 8,
    })
    .map((parts) => parts.join('')),
);
const { value } = fc.letrec<{ value: AttributeValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.record({ S: text }),
    fc.record({ N: fc.integer().map(String) }),
    fc.record({ B: fc.base64String({ maxLength: 12 }) }),
    fc.record({ BOOL: fc.boolean() }),
    fc.constant({ NULL: true as const }),
    fc.record({ SS: fc.array(text, { minLength: 1, maxLength: 3 }) }),
    fc.record({ L: fc.array(tie('value'), { maxLength: 4 }) }),
    fc.record({ M: fc.dictionary(text, tie('value'), { maxKeys: 4, noNullPrototype: true }) }),
  ),
}));
const item = fc.uniqueArray(fc.tuple(text, value), { selector: ([name]) => name, maxLength: 6 });

test('finds what a parser finds, in any order, and nothing else', () => {
  fc.assert(
    fc.property(item, fc.array(fc.nat(20), { maxLength: 10 }), text, (attributes, order, other) => {
      const map = Object.fromEntries(attributes);
      const reader = new AttributeReader(Buffer.from(JSON.stringify(map)));
      const names = [...order.map((at) => attributes[at]?.[0] ?? other), ...Object.keys(map)];
      for (const name of names) expect(reader.get(name)).toEqual(Object.hasOwn(map, name) ? map[name] : undefined);
    }),
    { numRuns: 500 },
  );
});
