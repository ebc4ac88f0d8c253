import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AttributeMap, AttributeValue } from './attribute-value.ts';
import { canonicalizeNumber } from './decimal.ts';
import { attributeValueSizeBytes, itemSizeBytes } from './item-size.ts';

describe('item size (DB-039 to DB-041)', () => {
  it('DB-040: the example of the developer guide measures 23 bytes', () => {
    expect(itemSizeBytes({ 'shirt-color': { S: 'R' }, 'shirt-size': { S: 'M' } })).toBe(23);
  });

  // Measured from the service at the 400 KB limit, which tells sizes apart to the byte.
  it.each([
    ['0', 1],
    ['1', 2],
    ['12', 2],
    ['123', 3],
    ['1234', 3],
    ['12345678901234567890123456789012345678', 20],
    ['0042', 2],
    ['100', 2],
    ['1010', 3],
    ['0.0000001', 2],
    ['1E125', 2],
    ['1E-100', 2],
    ['1.5', 3],
    ['15', 2],
    ['1.2', 3],
    ['1.200', 3],
    ['1.234', 4],
    ['3.14159', 5],
    ['123456', 4],
    ['100.5', 4],
    ['0.15', 2],
    ['-42', 3],
    ['-0', 1],
  ])('DB-040: the number %s takes %i bytes', (text, sizeBytes) => {
    expect(attributeValueSizeBytes({ N: canonicalizeNumber(text) })).toBe(sizeBytes);
  });

  it.each<[AttributeValue, number]>([
    [{ S: '' }, 0],
    [{ S: 'abc' }, 3],
    [{ S: 'é€\u{1f600}' }, 9],
    [{ B: '' }, 0],
    [{ B: 'AA==' }, 1],
    [{ B: 'AAA=' }, 2],
    [{ B: 'AAAA' }, 3],
    [{ BOOL: false }, 1],
    [{ NULL: true }, 1],
    [{ L: [] }, 3],
    [{ M: {} }, 3],
    [{ L: [{ S: 'ab' }, { N: '1' }] }, 3 + (1 + 2) + (1 + 2)],
    [{ M: { ab: { S: 'xyz' } } }, 3 + (1 + 2 + 3)],
    [{ M: { é: { L: [{ NULL: true }] } } }, 3 + (1 + 2 + (3 + (1 + 1)))],
    [{ SS: ['a', 'bc', 'é'] }, 5],
    [{ NS: ['1', '-42', '3.14159'] }, 2 + 3 + 5],
    [{ BS: ['AA==', 'AAAA'] }, 4],
  ])('DB-040: %j takes %i bytes', (value, sizeBytes) => {
    expect(attributeValueSizeBytes(value)).toBe(sizeBytes);
  });

  it('DB-041: an attribute name counts with its UTF-8 length', () => {
    const item = (name: string): AttributeMap => ({ [name]: { S: 'value' } });
    expect(itemSizeBytes(item('n'.repeat(20))) - itemSizeBytes(item('nn'))).toBe(18);
    expect(itemSizeBytes(item('é'))).toBe(7);
    expect(itemSizeBytes(JSON.parse('{"__proto__":{"S":"x"}}') as AttributeMap)).toBe(10);
  });

  it('DB-039: measures an item of exactly 409,600 bytes as that', () => {
    expect(itemSizeBytes({ pk: { S: 'k' }, data: { S: 'x'.repeat(409_600 - 7) } })).toBe(409_600);
  });

  it('DB-040: is the sum over the attributes', () => {
    const value = fc.oneof(
      fc.string().map((S): AttributeValue => ({ S })),
      fc.integer().map((n): AttributeValue => ({ N: String(n) })),
      fc.array(fc.string()).map((list): AttributeValue => ({ L: list.map((S) => ({ S })) })),
    );
    fc.assert(
      fc.property(fc.dictionary(fc.string(), value), (item) => {
        const expected = Object.entries(item).reduce(
          (sum, [name, attribute]) => sum + Buffer.byteLength(name) + attributeValueSizeBytes(attribute),
          0,
        );
        expect(itemSizeBytes(item)).toBe(expected);
        expect(attributeValueSizeBytes({ M: item })).toBe(expected + 3 + Object.keys(item).length);
      }),
    );
  });
});
