import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkAttributeMap } from '../../../singlet/src/values/check-attribute-value.ts';
import { itemSizeBytes } from '../../../singlet/src/values/item-size.ts';
import type { AttributeMap, AttributeValue } from '../../../singlet/src/values/attribute-value.ts';
import { itemBytes, utf8Bytes } from './attribute-size.ts';

const text = fc.string({ unit: 'binary', maxLength: 40 });
const number = fc
  .tuple(fc.stringMatching(/^-?[1-9][0-9]{0,37}$/), fc.integer({ min: -100, max: 80 }))
  .map(([digits, exponent]) => `${digits}E${exponent}`);
const binary = fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes).toString('base64'));
const { value } = fc.letrec<{ value: AttributeValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    text.map((S) => ({ S })),
    number.map((N) => ({ N })),
    binary.map((B) => ({ B })),
    fc.boolean().map((BOOL) => ({ BOOL })),
    fc.constant({ NULL: true } as const),
    fc.uniqueArray(text, { minLength: 1, maxLength: 3 }).map((SS) => ({ SS })),
    fc.array(tie('value'), { maxLength: 4 }).map((L) => ({ L })),
    fc
      .dictionary(
        text.filter((name) => name !== ''),
        tie('value'),
        { maxKeys: 4 },
      )
      .map((M) => ({ M })),
  ),
}));

test('sizes are those of the database', () => {
  fc.assert(
    fc.property(
      fc.dictionary(
        text.filter((name) => name !== ''),
        value,
        { maxKeys: 5 },
      ),
      (item) => {
        const stored: AttributeMap = checkAttributeMap(item);
        expect(itemBytes(item)).toBe(itemSizeBytes(stored));
      },
    ),
  );
});

test('text counts its UTF-8 bytes, half a pair as the replacement character', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (each) => utf8Bytes(each) === Buffer.byteLength(each)));
  expect(utf8Bytes('\ud800')).toBe(3);
  expect(utf8Bytes('a\udc00\u{10FFFF}é')).toBe(1 + 3 + 4 + 2);
});
