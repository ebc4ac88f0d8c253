import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseSequenceNumber, sequenceNumberText } from './sequence-number.ts';

const place = fc.record({
  position: fc.integer({ min: 0, max: 999_999_999_999_999 }),
  shardNumber: fc.integer({ min: 0, max: 99_999_999 }),
});

describe('DB-254 sequence numbers', () => {
  test('are decimal, of one width that the API allows, and the same as numbers', () => {
    fc.assert(
      fc.property(place, (of) => {
        const text = sequenceNumberText(of);
        expect(text).toMatch(/^\d{24}$/);
        expect(String(BigInt(text))).toBe(text);
        expect(parseSequenceNumber(text)).toEqual(of);
      }),
    );
  });

  test('sort by position, as texts and as numbers', () => {
    fc.assert(
      fc.property(place, place, (a, b) => {
        const [textA, textB] = [sequenceNumberText(a), sequenceNumberText(b)];
        expect(textA < textB).toBe(BigInt(textA) < BigInt(textB));
        if (a.position !== b.position) expect(textA < textB).toBe(a.position < b.position);
        expect(textA === textB).toBe(a.position === b.position && a.shardNumber === b.shardNumber);
      }),
    );
  });

  test.each(['', '0', '1'.repeat(23), '1'.repeat(25), `2${'0'.repeat(23)}`, `1${'0'.repeat(22)}x`])(
    '%j is none',
    (text) => {
      expect(parseSequenceNumber(text)).toBeUndefined();
    },
  );
});
