import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalizeNumber, compareNumbers } from './decimal.ts';
import { decodeNumberKey, encodeNumberKey, numberKeyBytesMax, writeNumberKey } from './number-key.ts';

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

const canonicalNumber: fc.Arbitrary<string> = fc.oneof(
  fc.integer({ min: -1000, max: 1000 }).map(String),
  fc.maxSafeInteger().map(String),
  fc
    .tuple(
      fc.constantFrom('', '-'),
      fc.stringMatching(/^[1-9]$/),
      fc.stringMatching(/^[0-9]{0,37}$/),
      fc.oneof(fc.integer({ min: -130, max: 125 }), fc.integer({ min: -3, max: 3 })),
    )
    .map(([sign, first, rest, exponent]) => canonicalizeNumber(`${sign}${first}.${rest}e${exponent}`)),
);

describe('number keys (DB-051)', () => {
  // The stored form: a change of any of these needs a new format version.
  it.each([
    ['0', '02'],
    ['1', '03820b00'],
    ['-1', '017df4ff'],
    ['10', '03830b00'],
    ['123', '03840d1f00'],
    ['-123', '017bf2e0ff'],
    ['0.01', '03800b00'],
    ['99.99', '0383646400'],
    ['1000000', '03880b00'],
    [canonicalizeNumber('9.9999999999999999999999999999999999999E+125'), `03ff${'64'.repeat(19)}00`],
    [canonicalizeNumber('-9.9999999999999999999999999999999999999E+125'), `0100${'9b'.repeat(19)}ff`],
    [canonicalizeNumber('1e-130'), '03000b00'],
    [canonicalizeNumber('-1e-130'), '01fff4ff'],
  ])('DB-051: writes %s as %s', (canonical, bytes) => {
    expect(hex(encodeNumberKey(canonical))).toBe(bytes);
    expect(decodeNumberKey(Buffer.from(bytes, 'hex'))).toEqual({ canonical, end: bytes.length / 2 });
  });

  it('DB-051: byte order is the order of the numbers, and equal bytes are equal numbers', () => {
    fc.assert(
      fc.property(canonicalNumber, canonicalNumber, (a, b) => {
        const order = Buffer.compare(encodeNumberKey(a), encodeNumberKey(b));
        expect(order).toBe(Math.sign(compareNumbers(a, b)));
      }),
      { numRuns: 1000 },
    );
  });

  it('DB-051: orders neighbours at every exponent', () => {
    const numbers: string[] = [];
    for (let exponent = -130; exponent <= 125; exponent += 1) {
      for (const digits of ['1', '1.01', '1.1', '9', '9.9999999999999999999999999999999999999']) {
        numbers.push(canonicalizeNumber(`${digits}e${exponent}`), canonicalizeNumber(`-${digits}e${exponent}`));
      }
    }
    numbers.push('0');
    const byBytes = numbers.toSorted((a, b) => Buffer.compare(encodeNumberKey(a), encodeNumberKey(b)));
    expect(byBytes).toEqual(numbers.toSorted(compareNumbers));
  });

  it('DB-051: is read back, whatever follows, and is never a prefix of another', () => {
    fc.assert(
      fc.property(canonicalNumber, canonicalNumber, fc.uint8Array(), (canonical, other, tail) => {
        const bytes = encodeNumberKey(canonical);
        expect(bytes.length).toBeLessThanOrEqual(numberKeyBytesMax);
        const decoded = decodeNumberKey(Buffer.concat([Buffer.from([7]), bytes, tail]), 1);
        expect(decoded).toEqual({ canonical, end: 1 + bytes.length });
        if (canonical !== other) expect(hex(encodeNumberKey(other)).startsWith(hex(bytes))).toBe(false);
      }),
    );
  });

  it('writes only its own bytes', () => {
    const target = Buffer.alloc(40, 0xaa);
    const end = writeNumberKey(target, 5, '-12.5');
    expect(hex(target.subarray(0, 5))).toBe('aa'.repeat(5));
    expect(hex(target.subarray(end))).toBe('aa'.repeat(40 - end));
    expect(decodeNumberKey(target, 5)).toEqual({ canonical: '-12.5', end });
  });

  it.each(['', '00', '04820b00', '03', '0382', '03820b', '038200', '0382ff00', '017df4'])(
    'refuses to read %j, which it does not write',
    (bytes) => {
      expect(() => decodeNumberKey(Buffer.from(bytes, 'hex'))).toThrow(RangeError);
    },
  );
});
