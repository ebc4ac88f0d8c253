import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareUtf8, utf8ByteLength } from './utf8.ts';

const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 60 }), fc.string({ maxLength: 60 }));

describe('UTF-8 (DB-028)', () => {
  it('DB-028: measures strings in UTF-8 bytes', () => {
    expect(utf8ByteLength('')).toBe(0);
    expect(utf8ByteLength('shirt-color')).toBe(11);
    expect(utf8ByteLength('é')).toBe(2);
    expect(utf8ByteLength('€'.repeat(30))).toBe(90);
    expect(utf8ByteLength('\u{1f600}')).toBe(4);
    fc.assert(
      fc.property(text, (s) => {
        expect(utf8ByteLength(s)).toBe(new TextEncoder().encode(s).length);
      }),
    );
  });

  it('DB-028: orders strings by UTF-8 bytes, where UTF-16 code units differ too', () => {
    expect(compareUtf8('\u{1f600}', '\uffff')).toBeGreaterThan(0);
    expect(['\uffff', '\u{1f600}'].toSorted()).toEqual(['\u{1f600}', '\uffff']);
    fc.assert(
      fc.property(text, text, (a, b) => {
        const expected = Buffer.compare(Buffer.from(a), Buffer.from(b));
        expect(Math.sign(compareUtf8(a, b))).toBe(expected);
      }),
      { numRuns: 1000 },
    );
  });
});
