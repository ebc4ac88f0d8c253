import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { UncheckedAttributeValue } from '../../values/attribute-value.ts';
import { canonicalizeNumber } from '../../values/decimal.ts';
import { ColumnProfile, type ColumnType } from './column-profile.ts';
import { cellOf } from './parquet-values.ts';

function typeOf(...values: readonly UncheckedAttributeValue[]): ColumnType {
  const profile = new ColumnProfile();
  for (const value of values) profile.add(value);
  return profile.type();
}

/** The number represented by a cell of a column. */
function numberOf(cell: unknown, type: ColumnType): string {
  if (type.kind !== 'decimal') return canonicalizeNumber(String(cell));
  return canonicalizeNumber(`${String(cell)}E-${type.scale}`);
}

const anyNumber = fc.oneof(
  fc.bigInt({ min: -(2n ** 64n), max: 2n ** 64n }).map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e120, max: 1e120 }).map(String),
  fc
    .record({
      digits: fc.bigInt({ min: -(10n ** 38n) + 1n, max: 10n ** 38n - 1n }),
      exponent: fc.integer({ min: -90, max: 80 }),
    })
    .map(({ digits, exponent }) => `${digits}E${exponent}`),
);

/** Doubles below the smallest number that the database supports are excluded. */
const number = anyNumber.filter((text) => {
  try {
    canonicalizeNumber(text);
    return true;
  } catch {
    return false;
  }
});

describe('column types', () => {
  test('DB-271 no number loses a digit, whatever the others of its column are', () => {
    fc.assert(
      fc.property(fc.array(number, { minLength: 1, maxLength: 6 }), (texts) => {
        const type = typeOf(...texts.map((N) => ({ N })));
        for (const text of texts) expect(numberOf(cellOf({ N: text }, type), type)).toBe(canonicalizeNumber(text));
      }),
      { numRuns: 500 },
    );
  });

  test.each<[string, readonly UncheckedAttributeValue[], ColumnType]>([
    ['integers', [{ N: '1' }, { N: '-9223372036854775808' }], { kind: 'int64' }],
    ['a larger integer', [{ N: '1' }, { N: '9223372036854775808' }], { kind: 'decimal', precision: 19, scale: 0 }],
    ['decimals', [{ N: '1.5' }, { N: '100' }], { kind: 'decimal', precision: 4, scale: 1 }],
    ['far apart, and doubles', [{ N: '1E60' }, { N: '0.25' }], { kind: 'double' }],
    ['far apart, and no doubles', [{ N: '1E60' }, { N: '0.12345678901234567890123' }], { kind: 'number text' }],
    ['texts and numbers', [{ S: 'x' }, { N: '1' }], { kind: 'text' }],
    ['texts and booleans', [{ S: 'x' }, { BOOL: true }], { kind: 'json' }],
    ['maps', [{ M: {} }, { NULL: true }], { kind: 'json' }],
    ['nothing but NULL', [{ NULL: true }], { kind: 'text' }],
    [
      'sets of numbers',
      [{ NS: ['1', '2'] }, { NS: ['0.5'] }],
      { kind: 'list', element: { kind: 'decimal', precision: 2, scale: 1 } },
    ],
    ['sets of two kinds', [{ NS: ['1'] }, { SS: ['a'] }], { kind: 'json' }],
  ])('%s', (_name, values, type) => expect(typeOf(...values)).toEqual(type));
});
