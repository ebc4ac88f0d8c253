import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AttributeValue, KeyAttributeType } from './attribute-value.ts';
import { compareScalars, prefixTest } from './compare.ts';
import { canonicalizeNumber } from './decimal.ts';
import {
  encodeKeyPrefix,
  encodeKeySequence,
  encodeKeySequencePrefix,
  encodeKeyValue,
  keyBytesSuccessor,
} from './key-bytes.ts';

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const binary = (...bytes: number[]): AttributeValue => ({ B: Buffer.from(bytes).toString('base64') });

// Few distinct units, so that common prefixes, zero bytes and both kinds of surrogates occur often.
const text = fc.string({
  unit: fc.constantFrom('\0', '\u0001', 'a', 'b', '~', 'é', '\ud7ff', '\uffff', '\u{1f600}'),
  maxLength: 6,
});
const bytes = fc.array(fc.constantFrom(0, 1, 0x7f, 0x80, 0xfe, 0xff), { maxLength: 6 });
const number = fc.oneof(
  fc.integer({ min: -200, max: 200 }).map(String),
  fc
    .double({ noNaN: true, noDefaultInfinity: true, min: -1e20, max: 1e20 })
    .filter((n) => n === 0 || Math.abs(n) > 1e-100)
    .map((n) => canonicalizeNumber(String(n))),
);
const stringValue = text.map((S): AttributeValue => ({ S }));
const binaryValue = bytes.map((list) => binary(...list));
const numberValue = number.map((N): AttributeValue => ({ N }));
const valueOfType: Record<KeyAttributeType, fc.Arbitrary<AttributeValue>> = {
  S: stringValue,
  N: numberValue,
  B: binaryValue,
};
const keyType = fc.constantFrom<KeyAttributeType>('S', 'N', 'B');
const types = fc.array(keyType, { minLength: 1, maxLength: 4 });

const order = (a: Uint8Array, b: Uint8Array): number => Buffer.compare(a, b);

/** Compares component by component; if one is a prefix of the other, the shorter comes first. */
function compareSequences(a: readonly AttributeValue[], b: readonly AttributeValue[]): number {
  for (const [index, value] of a.entries()) {
    const other = b[index];
    if (other === undefined) return 1;
    const difference = compareScalars(value, other)!;
    if (difference !== 0) return Math.sign(difference);
  }
  return Math.sign(a.length - b.length);
}

describe('encodeKeyValue (DB-030, DB-051, DB-052)', () => {
  it('DB-051: strings are their UTF-8 bytes, binaries their bytes', () => {
    expect(hex(encodeKeyValue({ S: 'aé\u{1f600}' }, 'S'))).toBe('61c3a9f09f9880');
    expect(hex(encodeKeyValue(binary(0, 0xff), 'B'))).toBe('00ff');
    expect(hex(encodeKeyValue({ N: '0' }, 'N'))).toBe('02');
  });

  it('DB-052: a key value takes as many bytes as the service counts', () => {
    expect(encodeKeyValue({ S: 'é'.repeat(1024) }, 'S').length).toBe(2048);
    expect(encodeKeyValue({ B: Buffer.alloc(1024).toString('base64') }, 'B').length).toBe(1024);
  });

  it('DB-051: sorts numbers numerically and strings by bytes', () => {
    const sortNumbers = (list: string[]): string[] =>
      list.toSorted((a, b) => order(encodeKeyValue({ N: a }, 'N'), encodeKeyValue({ N: b }, 'N')));
    const sortStrings = (list: string[]): string[] =>
      list.toSorted((a, b) => order(encodeKeyValue({ S: a }, 'S'), encodeKeyValue({ S: b }, 'S')));
    expect(sortNumbers(['2', '10', '1'])).toEqual(['1', '2', '10']);
    expect(sortStrings(['10', '2', '1'])).toEqual(['1', '10', '2']);
    expect(sortStrings(['Dean', 'DeBrie', 'A', '#x', 'a'])).toEqual(['#x', 'A', 'DeBrie', 'Dean', 'a']);
  });

  it('DB-030: sorts binaries by unsigned bytes', () => {
    const values = [0xff, 0x7f, 0x00, 0x80].map((byte) => binary(byte));
    const sorted = values.toSorted((a, b) => order(encodeKeyValue(a, 'B'), encodeKeyValue(b, 'B')));
    expect(sorted).toEqual([0x00, 0x7f, 0x80, 0xff].map((byte) => binary(byte)));
  });

  it('DB-051: byte order is value order, for each type', () => {
    const pair = keyType.chain((type) => fc.tuple(fc.constant(type), valueOfType[type], valueOfType[type]));
    fc.assert(
      fc.property(pair, ([type, a, b]) => {
        expect(order(encodeKeyValue(a, type), encodeKeyValue(b, type))).toBe(Math.sign(compareScalars(a, b)!));
      }),
      { numRuns: 1000 },
    );
  });

  it('DB-054: a value of another type is a broken call', () => {
    expect(() => encodeKeyValue({ S: '1' }, 'N')).toThrow(TypeError);
    expect(() => encodeKeyValue({ BOOL: true }, 'S')).toThrow(TypeError);
    expect(() => encodeKeyPrefix({ N: '1' })).toThrow(TypeError);
    expect(() => encodeKeySequence([{ L: [] }])).toThrow(TypeError);
  });
});

describe('encodeKeySequence (DB-051, DB-075)', () => {
  // The stored form: a change of any of these needs a new format version.
  it.each<[AttributeValue[], string]>([
    [[], ''],
    [[{ S: '' }], '0000'],
    [[{ S: 'ab' }], '61620000'],
    [[{ S: 'a\0b' }], '6100ff620000'],
    [[{ S: '\0\0' }], '00ff00ff0000'],
    [[binary(0, 1, 0xff)], '00ff01ff0000'],
    [[{ N: '1' }], '03820b00'],
    [[{ S: 'a' }, { N: '-1' }, binary(2)], '610000017df4ff020000'],
  ])('DB-051: writes %j as %s', (values, expected) => {
    expect(hex(encodeKeySequence(values))).toBe(expected);
  });

  it('DB-051: byte order is component-wise order, whatever follows', () => {
    const pair = types.chain((list) => {
      const sequence = fc.tuple(...list.map((type) => valueOfType[type]));
      return fc.tuple(sequence, sequence);
    });
    fc.assert(
      fc.property(pair, fc.uint8Array({ maxLength: 3 }), fc.uint8Array({ maxLength: 3 }), ([a, b], tailA, tailB) => {
        const expected = compareSequences(a, b);
        expect(order(encodeKeySequence(a), encodeKeySequence(b))).toBe(expected);
        if (expected === 0) return;
        const longA = Buffer.concat([encodeKeySequence(a), tailA]);
        const longB = Buffer.concat([encodeKeySequence(b), tailB]);
        expect(order(longA, longB)).toBe(expected);
      }),
      { numRuns: 1000 },
    );
  });

  it('DB-051: a sequence sorts before its continuations', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(stringValue, binaryValue, numberValue), { minLength: 1, maxLength: 4 }),
        (values) => {
          const start = encodeKeySequence(values.slice(0, -1));
          const whole = encodeKeySequence(values);
          expect(hex(whole).startsWith(hex(start))).toBe(true);
          expect(order(start, whole)).toBe(-1);
        },
      ),
    );
  });
});

describe('key ranges (DB-083)', () => {
  const inRange = (key: Uint8Array, from: Uint8Array): boolean => {
    const to = keyBytesSuccessor(from);
    return order(key, from) >= 0 && (to === undefined || order(key, to) < 0);
  };

  it.each([
    ['61', '62'],
    ['61ff', '62'],
    ['00', '01'],
    ['fe', 'ff'],
    ['61feff', '61ff'],
    ['ffff', undefined],
    ['', undefined],
  ])('the successor of %s is %s', (from, to) => {
    const successor = keyBytesSuccessor(Buffer.from(from, 'hex'));
    expect(successor === undefined ? undefined : hex(successor)).toBe(to);
  });

  it('does not change the bytes it is given', () => {
    const from = Buffer.from('61ff', 'hex');
    keyBytesSuccessor(from);
    expect(hex(from)).toBe('61ff');
  });

  it('DB-083: the range of a prefix holds the keys that begin with it and no others', () => {
    const pair = fc
      .constantFrom<KeyAttributeType>('S', 'B')
      .chain((type) => fc.tuple(fc.constant(type), valueOfType[type], valueOfType[type]));
    fc.assert(
      fc.property(pair, ([type, value, prefix]) => {
        expect(inRange(encodeKeyValue(value, type), encodeKeyPrefix(prefix))).toBe(prefixTest(prefix)(value));
      }),
      { numRuns: 1000 },
    );
  });

  it('DB-076: the range of a partial sequence holds the sequences that start with it and no others', () => {
    const cases = fc.record({
      first: numberValue,
      second: stringValue,
      third: binaryValue,
      otherFirst: numberValue,
      prefix: stringValue,
    });
    fc.assert(
      fc.property(cases, ({ first, second, third, otherFirst, prefix }) => {
        const key = encodeKeySequence([first, second, third]);
        expect(inRange(key, encodeKeySequence([first]))).toBe(true);
        expect(inRange(key, encodeKeySequence([first, second]))).toBe(true);
        expect(inRange(key, encodeKeySequence([otherFirst]))).toBe(compareScalars(first, otherFirst) === 0);
        expect(inRange(key, encodeKeySequencePrefix([first], prefix))).toBe(prefixTest(prefix)(second));
        expect(inRange(key, encodeKeySequencePrefix([otherFirst], prefix))).toBe(
          compareScalars(first, otherFirst) === 0 && prefixTest(prefix)(second),
        );
      }),
      { numRuns: 1000 },
    );
  });
});
