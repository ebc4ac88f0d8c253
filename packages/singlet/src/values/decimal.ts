import { ValidationException } from './service-error.ts';
import type { ValueCheckLayer } from './value-check-layer.ts';

/**
 * DynamoDB numbers: decimals of up to 38 significant digits, of magnitude 1E-130 to 9.99...E+125, and zero.
 *
 * A *canonical* number is the text in which the service answers it, whatever form it was sent in: plain digits without
 * exponent, without superfluous zeros, without `+`; zero is `0`. So `1E125` is answered as a 1 with 125 zeros. Equal
 * numbers have equal canonical texts, and no canonical text is longer than 170 characters.
 */

export const significantDigitCountMax = 38;
/** Bounds of a number's *exponent*: the power of ten of its first digit, `d.ddd` times ten to the exponent. */
const exponentMax = 125;
const exponentMin = -130;

const overflowMessage = 'Number overflow. Attempting to store a number with magnitude larger than supported range';
const underflowMessage = 'Number underflow. Attempting to store a number with magnitude smaller than supported range';
const precisionMessage = 'Attempting to store more than 38 significant digits in a Number';
const notNumericMessage = 'The parameter cannot be converted to a numeric value';

const code0 = 48;
const code9 = 57;
const codeMinus = 45;
const codePlus = 43;
const codePoint = 46;

/**
 * The canonical text of a number as it was sent.
 *
 * It accepts an optional sign, digits with an optional point before, among or after them, and an optional exponent;
 * no blanks, no `NaN`, no `Infinity`. When several things are wrong, the first of these is reported: not numeric,
 * magnitude, number of digits. Takes time linear in the length of the text, whatever it contains.
 *
 * @param layer - which of the service's two readings applies, see {@link ValueCheckLayer}.
 * @throws {ValidationException}
 * @see DynamoDB Developer Guide, "Supported data types", Number
 */
export function canonicalizeNumber(text: string, layer: ValueCheckLayer = 'older'): string {
  return isPlainlyCanonical(text) ? text : canonicalizeWritten(text, layer);
}

/**
 * Order of two canonical numbers: negative, zero or positive.
 *
 * Neither has superfluous zeros, so of two positive numbers the one with more digits before the point is greater, and
 * with equally many the texts compare character by character.
 */
export function compareNumbers(a: string, b: string): number {
  if (a === b) return 0;
  const negative = a.charCodeAt(0) === codeMinus;
  if (negative !== (b.charCodeAt(0) === codeMinus)) return negative ? -1 : 1;
  const lengthDifference = integerEnd(a) - integerEnd(b);
  const magnitude = lengthDifference !== 0 ? lengthDifference : a < b ? -1 : 1;
  return negative ? -magnitude : magnitude;
}

/**
 * The exact sum of two canonical numbers, canonical.
 *
 * The service does not round: a sum that needs more than 38 significant digits is refused, with the text of an overflow.
 *
 * @throws {ValidationException} when the sum is out of range or needs more than 38 digits.
 */
export function addNumbers(a: string, b: string): string {
  if (isShortInteger(a) && isShortInteger(b)) return String(Number(a) + Number(b));
  return combineExactly(a, b, 1n);
}

/**
 * The exact difference `a - b` of two canonical numbers, canonical.
 *
 * @throws {ValidationException} as {@link addNumbers}.
 */
export function subtractNumbers(a: string, b: string): string {
  if (isShortInteger(a) && isShortInteger(b)) return String(Number(a) - Number(b));
  return combineExactly(a, b, -1n);
}

/**
 * Whether a text is already canonical, and too short to exceed precision or range. Nearly every number that is
 * sent is; the others take the slow path. May return false for a canonical text, but never true for another.
 */
export function isPlainlyCanonical(text: string): boolean {
  const { length } = text;
  if (length === 0 || length > significantDigitCountMax) return false;
  let index = text.charCodeAt(0) === codeMinus ? 1 : 0;
  let code = text.charCodeAt(index);
  if (!isDigit(code)) return false;
  if (code === code0) {
    if (length === 1) return true;
    if (text.charCodeAt(index + 1) !== codePoint) return false; // 00, 01, -0
  }
  let pointCount = 0;
  for (index += 1; index < length; index += 1) {
    code = text.charCodeAt(index);
    if (isDigit(code)) continue;
    if (code !== codePoint || pointCount > 0) return false;
    pointCount = 1;
  }
  return pointCount === 0 || (code !== code0 && code !== codePoint);
}

function canonicalizeWritten(text: string, layer: ValueCheckLayer): string {
  if (text.length === 0) {
    throw new ValidationException(layer === 'current' ? `${notNumericMessage}: ` : notNumericMessage);
  }
  const sign = text.charCodeAt(0);
  const integerStart = sign === codeMinus || sign === codePlus ? 1 : 0;
  const integerEndIndex = skipDigits(text, integerStart);
  let mantissaEnd = integerEndIndex;
  let fraction = '';
  if (text.charCodeAt(mantissaEnd) === codePoint) {
    mantissaEnd = skipDigits(text, integerEndIndex + 1);
    fraction = text.slice(integerEndIndex + 1, mantissaEnd);
  }
  const digits = text.slice(integerStart, integerEndIndex) + fraction;
  const power = mantissaEnd === text.length ? 0 : readPower(text, mantissaEnd, layer);
  if (digits.length === 0 || power === undefined) throw notNumeric(text);

  // The number is `digits`, read as an integer, times ten to the `unitExponent`.
  const unitExponent = power - fraction.length;
  if (layer === 'older' && !isInt32(-unitExponent)) throw notNumeric(text); // the scale, in that layer
  const first = skipZeros(digits);
  if (first === digits.length) {
    // Zero has no magnitude, but the current layer checks the exponent it was written with.
    if (layer === 'current') assertExponentInRange(unitExponent);
    return '0';
  }
  const exponent = digits.length - first - 1 + unitExponent;
  // The older layer computes the magnitude (one more than the exponent) in 32 bits, which wraps.
  assertExponentInRange(layer === 'older' ? ((exponent + 1) | 0) - 1 : exponent);
  return formatNumber(sign === codeMinus, digits.slice(first), exponent, precisionMessage);
}

/**
 * The power of ten that `text` ends with, from the `e` at `start` on; undefined when it is malformed, or does not fit the integer
 * of the layer: 64 bits in the current layer, 32 in the older.
 */
function readPower(text: string, start: number, layer: ValueCheckLayer): number | undefined {
  const marker = text.charCodeAt(start);
  if (marker !== 69 && marker !== 101) return undefined; // E, e
  let index = start + 1;
  const sign = text.charCodeAt(index);
  if (sign === codePlus || sign === codeMinus) index += 1;
  if (index === text.length || skipDigits(text, index) !== text.length) return undefined;
  index = skipZeros(text, index);
  if (text.length - index > 19) return undefined; // more digits than 64 bits can hold
  const magnitude = BigInt(text.slice(index));
  const power = sign === codeMinus ? -magnitude : magnitude;
  return BigInt.asIntN(layer === 'current' ? 64 : 32, power) === power ? Number(power) : undefined;
}

function assertExponentInRange(exponent: number): void {
  if (exponent > exponentMax) throw new ValidationException(overflowMessage);
  if (exponent < exponentMin) throw new ValidationException(underflowMessage);
}

/**
 * @param digits - the first is not 0; trailing zeros are dropped here.
 * @param tooManyDigitsMessage - the message for more than 38 significant digits.
 */
function formatNumber(negative: boolean, digits: string, exponent: number, tooManyDigitsMessage: string): string {
  let end = digits.length;
  while (digits.charCodeAt(end - 1) === code0) end -= 1;
  if (end > significantDigitCountMax) throw new ValidationException(tooManyDigitsMessage);
  const significant = digits.slice(0, end);
  const sign = negative ? '-' : '';
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${significant}`;
  if (end <= exponent + 1) return `${sign}${significant.padEnd(exponent + 1, '0')}`;
  return `${sign}${significant.slice(0, exponent + 1)}.${significant.slice(exponent + 1)}`;
}

/** `a` plus `sign` times `b`. Both have at most 38 digits within 293 places, so the integers stay small. */
function combineExactly(a: string, b: string, sign: 1n | -1n): string {
  const scale = Math.max(fractionDigitCount(a), fractionDigitCount(b));
  const sum = scaledInteger(a, scale) + sign * scaledInteger(b, scale);
  if (sum === 0n) return '0';
  const negative = sum < 0n;
  const digits = String(negative ? -sum : sum);
  const exponent = digits.length - 1 - scale;
  assertExponentInRange(exponent);
  return formatNumber(negative, digits, exponent, overflowMessage);
}

function scaledInteger(canonical: string, scale: number): bigint {
  return BigInt(canonical.replace('.', '') + '0'.repeat(scale - fractionDigitCount(canonical)));
}

function fractionDigitCount(canonical: string): number {
  const point = canonical.indexOf('.');
  return point < 0 ? 0 : canonical.length - point - 1;
}

function integerEnd(canonical: string): number {
  const point = canonical.indexOf('.');
  return point < 0 ? canonical.length : point;
}

/** Integers of up to 15 characters: their sums and differences are exact in a double and print without exponent. */
function isShortInteger(canonical: string): boolean {
  return canonical.length <= 15 && !canonical.includes('.');
}

function notNumeric(text: string): ValidationException {
  return new ValidationException(`${notNumericMessage}: ${text}`);
}

function isDigit(code: number): boolean {
  return code >= code0 && code <= code9;
}

function isInt32(value: number): boolean {
  return (value | 0) === value;
}

/** Index of the first character from `start` on that is not a digit. */
function skipDigits(text: string, start: number): number {
  let index = start;
  while (isDigit(text.charCodeAt(index))) index += 1;
  return index;
}

/** Index of the first character from `start` on that is not a zero. */
function skipZeros(text: string, start = 0): number {
  let index = start;
  while (text.charCodeAt(index) === code0) index += 1;
  return index;
}
