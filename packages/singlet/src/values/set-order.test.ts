import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeBase64 } from './base64.ts';
import { inSetOrder, isSetOrder } from './set-order.ts';

describe('the order of sets (DB-034)', () => {
  it('is that of UTF-8 bytes for strings', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' })), (elements) => {
        const byBytes = elements.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
        expect(inSetOrder(elements, 'SS')).toEqual(byBytes);
      }),
    );
  });

  it('is that of bytes for binaries', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ max: 2, maxLength: 5 })), (elements) => {
        const byBytes = elements.toSorted((a, b) => Buffer.compare(a, b)).map(encodeBase64);
        expect(inSetOrder(elements.map(encodeBase64), 'BS')).toEqual(byBytes);
      }),
    );
  });

  it('is that of values for numbers', () => {
    fc.assert(
      fc.property(fc.array(fc.integer()), (elements) => {
        expect(inSetOrder(elements.map(String), 'NS')).toEqual(elements.toSorted((a, b) => a - b).map(String));
      }),
    );
  });

  it('keeps the array when there is nothing to change', () => {
    const ordered = ['1', '2', '10'];
    expect(inSetOrder(ordered, 'NS')).toBe(ordered);
    expect(inSetOrder(ordered, 'SS')).toEqual(['1', '10', '2']);
    expect(inSetOrder([], 'SS')).toEqual([]);
  });

  it('has no place for an element that is there twice', () => {
    expect(isSetOrder(['a', 'a'], 'SS')).toBe(false);
    expect(isSetOrder(['a', 'b'], 'SS')).toBe(true);
    expect(isSetOrder(['a'], 'SS')).toBe(true);
  });
});
