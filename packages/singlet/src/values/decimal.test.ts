import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addNumbers, canonicalizeNumber, compareNumbers, subtractNumbers } from './decimal.ts';
import { ValidationException } from './service-error.ts';
import type { ValueCheckLayer } from './value-check-layer.ts';

const overflow = 'Number overflow. Attempting to store a number with magnitude larger than supported range';
const underflow = 'Number underflow. Attempting to store a number with magnitude smaller than supported range';
const precision = 'Attempting to store more than 38 significant digits in a Number';
const notNumeric = 'The parameter cannot be converted to a numeric value';

/** Either the canonical text or the message of the refusal. */
function outcome(text: string, layer: ValueCheckLayer): string {
  try {
    return canonicalizeNumber(text, layer);
  } catch (error) {
    expect(error).toBeInstanceOf(ValidationException);
    return (error as Error).message;
  }
}

/** The number as an integer multiple of ten to the -170, which every canonical number is. */
function scaled(canonical: string): bigint {
  const [integer = '', fraction = ''] = canonical.replace('-', '').split('.');
  const magnitude = BigInt(integer + fraction.padEnd(170, '0'));
  return canonical.startsWith('-') ? -magnitude : magnitude;
}

const significantDigits = fc
  .tuple(fc.stringMatching(/^[1-9]$/), fc.stringMatching(/^[0-9]{0,37}$/))
  .map(([first, rest]) => first + rest);

interface Written {
  readonly text: string;
  readonly sign: string;
  readonly digits: string;
  readonly exponent: number;
}

/** Any number of the supported range, in scientific notation: `digits` are `d.ddd`, times ten to the `exponent`. */
const written: fc.Arbitrary<Written> = fc
  .record({
    sign: fc.constantFrom('', '-'),
    digits: significantDigits,
    exponent: fc.oneof(fc.integer({ min: -130, max: 125 }), fc.integer({ min: -3, max: 40 })),
  })
  .map((parts) => ({
    ...parts,
    text: `${parts.sign}${parts.digits.slice(0, 1)}.${parts.digits.slice(1)}e${parts.exponent}`,
  }));

const canonicalNumber: fc.Arbitrary<string> = fc.oneof(
  fc.integer({ min: -1000, max: 1000 }).map(String),
  fc.maxSafeInteger().map(String),
  written.map(({ text }) => canonicalizeNumber(text)),
);

describe('canonicalizeNumber (DB-029)', () => {
  it.each([
    ['0', '0'],
    ['7', '7'],
    ['-7', '-7'],
    ['3.140', '3.14'],
    ['1.0', '1'],
    ['0042.1200', '42.12'],
    ['+3', '3'],
    ['.123', '0.123'],
    ['-.5', '-0.5'],
    ['5.', '5'],
    ['0001.23', '1.23'],
    ['1e3', '1000'],
    ['1E+5', '100000'],
    ['12.5e1', '125'],
    ['12.5e0', '12.5'],
    ['12.5e-3', '0.0125'],
    ['100e-2', '1'],
    ['1e0000000000000000000000000000000002', '100'],
    ['-17.4E37', `-174${'0'.repeat(36)}`],
    ['1E125', `1${'0'.repeat(125)}`],
    ['1e-130', `0.${'0'.repeat(129)}1`],
    ['9.9999999999999999999999999999999999999E+125', `${'9'.repeat(38)}${'0'.repeat(88)}`],
    ['-9.9999999999999999999999999999999999999E+125', `-${'9'.repeat(38)}${'0'.repeat(88)}`],
    ['9.9999999999999999999999999999999999999E-130', `0.${'0'.repeat(129)}${'9'.repeat(38)}`],
    [`${'0'.repeat(500)}1.5${'0'.repeat(500)}`, '1.5'],
  ])('DB-029: reads %s as the service answers it', (text, canonical) => {
    expect(outcome(text, 'older')).toBe(canonical);
    expect(outcome(text, 'current')).toBe(canonical);
  });

  it.each(['0', '-0', '+0', '0.0', '-0.000', '000', '.0', '0.', '0e125', '0e-130', '-0e0'])(
    'DB-029: reads %s as zero, without sign',
    (text) => {
      expect(outcome(text, 'older')).toBe('0');
      expect(outcome(text, 'current')).toBe('0');
    },
  );

  it.each([
    'abc',
    'NaN',
    'Infinity',
    '-Infinity',
    ' 1',
    '1 ',
    '1 2',
    '0x10',
    '1e',
    'e5',
    '1e+',
    '1e5.5',
    '1.2.3',
    '--1',
    '+-1',
    '-',
    '+',
    '.',
    '-.',
    '1_000',
    '1,5',
    '1e 5',
    '１',
    '1n',
    'null',
  ])('DB-029: refuses %j and echoes it', (text) => {
    expect(outcome(text, 'older')).toBe(`${notNumeric}: ${text}`);
    expect(outcome(text, 'current')).toBe(`${notNumeric}: ${text}`);
  });

  it.each([
    ['1e126', overflow],
    ['-1e126', overflow],
    ['11e125', overflow],
    [`1${'0'.repeat(126)}`, overflow],
    ['1e-131', underflow],
    ['-1e-131', underflow],
    ['0.9e-130', underflow],
    [`0.${'0'.repeat(130)}1`, underflow],
    ['123456789012345678901234567890123456789', precision],
    ['-1.23456789012345678901234567890123456789', precision],
    ['1234567890123456789012345678901234567890', precision],
    ['3.14159265358979323846264338327950288419', precision],
    ['314159265358979323846264338327950288419e30', precision],
    // Magnitude is checked before the number of digits.
    ['1.23456789012345678901234567890123456789e126', overflow],
    ['1.23456789012345678901234567890123456789e-131', underflow],
  ])('DB-029: refuses %s', (text, message) => {
    expect(outcome(text, 'older')).toBe(message);
    expect(outcome(text, 'current')).toBe(message);
  });

  // What the two layers of the service answer to the same text, as recorded from it.
  it.each([
    ['', notNumeric, `${notNumeric}: `],
    ['1e2147483647', underflow, overflow],
    ['1e2147483646', overflow, overflow],
    ['1e2147483648', `${notNumeric}: 1e2147483648`, overflow],
    ['1e-2147483648', `${notNumeric}: 1e-2147483648`, underflow],
    ['1e99999999999', `${notNumeric}: 1e99999999999`, overflow],
    ['-1e99999999999', `${notNumeric}: -1e99999999999`, overflow],
    ['1e-99999999999', `${notNumeric}: 1e-99999999999`, underflow],
    ['1e9223372036854775807', `${notNumeric}: 1e9223372036854775807`, overflow],
    ['1e9223372036854775808', `${notNumeric}: 1e9223372036854775808`, `${notNumeric}: 1e9223372036854775808`],
    ['1e99999999999999999999', `${notNumeric}: 1e99999999999999999999`, `${notNumeric}: 1e99999999999999999999`],
    ['0e126', '0', overflow],
    ['0e1000', '0', overflow],
    ['0e-131', '0', underflow],
  ])('DB-029: answers %j by layer: older %s, current %s', (text, older, current) => {
    expect(outcome(text, 'older')).toBe(older);
    expect(outcome(text, 'current')).toBe(current);
  });

  it('DB-029: reads or refuses hostile texts in time linear in their length', () => {
    const million = 1_000_000;
    // Quadratic time would run into the timeout of the test.
    expect(outcome('1e999999999', 'older')).toBe(overflow);
    expect(outcome('9'.repeat(million), 'older')).toBe(overflow);
    expect(outcome(`0.${'0'.repeat(million)}1`, 'current')).toBe(underflow);
    expect(outcome(`1.${'1'.repeat(million)}`, 'older')).toBe(precision);
    expect(outcome(`1${'0'.repeat(million)}e-${million}`, 'current')).toBe('1');
    expect(outcome(`1e${'9'.repeat(million)}`, 'current')).toBe(`${notNumeric}: 1e${'9'.repeat(million)}`);
    expect(outcome(`${'1'.repeat(million)}x`, 'older')).toBe(`${notNumeric}: ${'1'.repeat(million)}x`);
  });

  it('DB-029: round-trips 38 digits at every magnitude', () => {
    fc.assert(
      fc.property(written, ({ text, sign, digits, exponent }) => {
        const canonical = canonicalizeNumber(text);
        expect(canonical).toMatch(/^-?(0|[1-9]\d*)(\.\d*[1-9])?$/);
        const unit = 10n ** BigInt(170 + exponent - digits.length + 1);
        expect(scaled(canonical)).toBe(BigInt(sign + digits) * unit);
      }),
    );
  });

  it('DB-029: leaves canonical text as it is', () => {
    fc.assert(
      fc.property(canonicalNumber, fc.constantFrom('older' as const, 'current' as const), (canonical, layer) => {
        expect(canonicalizeNumber(canonical, layer)).toBe(canonical);
      }),
    );
  });

  it('DB-029: gives equal numbers equal texts, however they are written', () => {
    const zeros = fc.integer({ min: 0, max: 5 }).map((count) => '0'.repeat(count));
    fc.assert(
      fc.property(written, zeros, zeros, fc.integer({ min: -20, max: 20 }), (number, before, after, shift) => {
        const { sign, digits, exponent } = number;
        const other = `${sign}${before}${digits}${after}e${exponent - digits.length + 1 - after.length}`;
        const shifted = `${sign}0.${'0'.repeat(20)}${digits}E${exponent + 21 + shift - shift}`;
        expect(canonicalizeNumber(other)).toBe(canonicalizeNumber(number.text));
        expect(canonicalizeNumber(shifted)).toBe(canonicalizeNumber(number.text));
      }),
    );
  });
});

describe('compareNumbers (DB-051)', () => {
  it('DB-051: orders numbers by value', () => {
    const sorted = [
      '-100',
      '-10',
      '-2',
      '-1.5',
      '-1.25',
      '-0.1',
      '-0.01',
      '0',
      '0.01',
      '0.1',
      '1.25',
      '1.5',
      '2',
      '10',
      '100',
    ];
    expect(sorted.toReversed().toSorted(compareNumbers)).toEqual(sorted);
  });

  it('DB-051: agrees with exact arithmetic, and is a total order', () => {
    fc.assert(
      fc.property(canonicalNumber, canonicalNumber, (a, b) => {
        const difference = scaled(a) - scaled(b);
        expect(Math.sign(compareNumbers(a, b))).toBe(difference < 0n ? -1 : difference > 0n ? 1 : 0);
        expect(compareNumbers(a, b) === 0).toBe(a === b);
      }),
    );
  });
});

describe('addNumbers and subtractNumbers (DB-029)', () => {
  it.each([
    ['0.1', '0.2', '0.3'],
    ['1', '2', '3'],
    ['-1', '1', '0'],
    ['0.5', '-0.5', '0'],
    ['1.5', '1.5', '3'],
    ['1', '10000000000000000000000', '10000000000000000000001'],
    ['999999999999999', '1', '1000000000000000'],
    ['9007199254740991', '9007199254740991', '18014398509481982'],
    ['99999999999999999999999999999999999999', '1', `1${'0'.repeat(38)}`],
  ])('DB-029: %s + %s is exactly %s', (a, b, sum) => {
    expect(addNumbers(a, b)).toBe(sum);
    expect(addNumbers(b, a)).toBe(sum);
  });

  it.each([
    ['0.3', '0.1', '0.2'],
    ['10000000000000000000000', '1', '9999999999999999999999'],
    ['5', '5', '0'],
    ['0', '7', '-7'],
  ])('DB-029: %s - %s is exactly %s', (a, b, difference) => {
    expect(subtractNumbers(a, b)).toBe(difference);
  });

  it('DB-029: does not round: a result of more than 38 digits is refused as an overflow', () => {
    const e50 = canonicalizeNumber('1e50');
    expect(() => addNumbers(e50, '1')).toThrow(overflow);
    expect(() => subtractNumbers(e50, '1')).toThrow(overflow);
    expect(() => addNumbers('1', canonicalizeNumber('1e-50'))).toThrow(overflow);
  });

  it('DB-029: refuses a result out of range', () => {
    const most = canonicalizeNumber('9.9999999999999999999999999999999999999E+125');
    const e125 = canonicalizeNumber('9e125');
    expect(() => addNumbers(most, e125)).toThrow(overflow);
    expect(() => addNumbers(e125, e125)).toThrow(overflow);
    expect(() => subtractNumbers(e125, `-${e125}`)).toThrow(overflow);
    expect(() => subtractNumbers(canonicalizeNumber('1.1e-130'), canonicalizeNumber('1e-130'))).toThrow(underflow);
    expect(addNumbers(most, `-${most}`)).toBe('0');
  });

  it('DB-029: agrees with exact arithmetic', () => {
    fc.assert(
      fc.property(canonicalNumber, canonicalNumber, fc.boolean(), (a, b, subtract) => {
        const exact = subtract ? scaled(a) - scaled(b) : scaled(a) + scaled(b);
        const digits = String(exact).replace('-', '');
        const exponent = digits.length - 1 - 170;
        const tooLong = digits.replace(/0+$/, '').length > 38;
        const compute = (): string => (subtract ? subtractNumbers(a, b) : addNumbers(a, b));
        if (exact !== 0n && exponent < -130) expect(compute).toThrow(underflow);
        else if (exact !== 0n && (exponent > 125 || tooLong)) expect(compute).toThrow(overflow);
        else {
          const result = compute();
          expect(scaled(result)).toBe(exact);
          expect(canonicalizeNumber(result)).toBe(result);
        }
      }),
      { numRuns: 500 },
    );
  });
});
