import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalizeNumber } from '../../../values/decimal.ts';
import { readVector, scientificText, vectorAttribute } from './vector-value.ts';

describe('vectors in attributes', () => {
  test('a list of as many numbers as the index has dimensions is one', () => {
    expect(readVector({ L: [{ N: '0.1' }, { N: '-2' }] }, 2)).toEqual(Float32Array.of(0.1, -2));
  });

  test('what is none says why', () => {
    expect(readVector({ S: 'x' }, 1)).toEqual({ kind: 'no-list' });
    expect(readVector({ NS: ['1'] }, 1)).toEqual({ kind: 'no-list' });
    expect(readVector({ L: [] }, 1)).toEqual({ kind: 'size', count: 0 });
    expect(readVector({ L: [{ N: '1' }, { NULL: true }] }, 2)).toEqual({ kind: 'element', position: 1, type: 'NULL' });
    const tooLarge = canonicalizeNumber('-3.5E+38');
    expect(readVector({ L: [{ N: tooLarge }] }, 1)).toEqual({ kind: 'range', position: 0, number: tooLarge });
  });

  test('the largest 32-bit number is in range', () => {
    const largest = canonicalizeNumber('3.4028234663852886E+38');
    expect(readVector({ L: [{ N: largest }] }, 1)).toEqual(Float32Array.of(3.4028234663852886e38));
  });

  test('numbers out of range are shown in scientific notation', () => {
    expect(scientificText(canonicalizeNumber('1E+39'))).toBe('1E+39');
    expect(scientificText(canonicalizeNumber('-12.5E+40'))).toBe('-1.25E+41');
  });

  test('what an index shows of a vector is the same vector, in as few digits as will do', () => {
    fc.assert(
      fc.property(fc.array(fc.float({ noNaN: true, noDefaultInfinity: true }), { minLength: 1 }), (numbers) => {
        const vector = Float32Array.from(numbers, (number) => (Math.abs(number) < 1e-30 ? 0 : number));
        expect(readVector(vectorAttribute(vector), vector.length)).toEqual(vector.map((number) => number + 0));
      }),
    );
    expect(vectorAttribute(Float32Array.of(0.1, 1, 16777217, -0.5, 0))).toEqual({
      L: [{ N: '0.1' }, { N: '1.0' }, { N: '16777216.0' }, { N: '-0.5' }, { N: '0.0' }],
    });
  });
});
