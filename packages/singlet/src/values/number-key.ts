/**
 * Numbers as bytes whose order is the order of the numbers. The form delimits itself: no encoding is a prefix of another, so
 * other bytes may follow.
 *
 *     zero       02
 *     positive   03  exponent + 130   digit pairs + 1 ...   00
 *     negative   01  the bytes after the 03 of its magnitude, complemented
 *
 * The number is `d.ddd` times ten to the exponent, which is -130 to 125 and so fills one byte. The digits go two to a
 * byte from the first one on, an odd last one padded with a zero, each pair as 1 to 100; the end, 00, is below all of
 * them, so that 1.2 sorts before 1.23. For example 123 is `03 84 0d 1f 00` and -123 is `01 7b f2 e0 ff`.
 */

const negativeMark = 1;
const zeroMark = 2;
const positiveMark = 3;
const exponentBias = 130;

/** Longest encoding: mark, exponent, 19 pairs, end. */
export const numberKeyBytesMax = 22;

const codeMinus = 45;
const codePoint = 46;
const code0 = 48;

/** The key bytes of a canonical number. */
export function encodeNumberKey(canonical: string): Uint8Array {
  const scratch = Buffer.allocUnsafe(numberKeyBytesMax);
  return scratch.subarray(0, writeNumberKey(scratch, 0, canonical));
}

/**
 * Writes the key bytes of a canonical number.
 *
 * @param target - has {@link numberKeyBytesMax} bytes from `offset` on.
 * @returns the offset after the last byte written.
 */
export function writeNumberKey(target: Uint8Array, offset: number, canonical: string): number {
  if (canonical === '0') {
    target[offset] = zeroMark;
    return offset + 1;
  }
  const negative = canonical.charCodeAt(0) === codeMinus;
  const flip = negative ? 0xff : 0;
  const start = negative ? 1 : 0;
  const { length } = canonical;
  const point = canonical.indexOf('.');
  const integerEnd = point < 0 ? length : point;

  // The significant digits: from the first that is not zero to the last that is not zero, whatever the point.
  let first = start;
  while (isZeroOrPoint(canonical.charCodeAt(first))) first += 1;
  let end = length;
  while (isZeroOrPoint(canonical.charCodeAt(end - 1))) end -= 1;
  const exponent = first < integerEnd ? integerEnd - first - 1 : integerEnd - first;

  let position = offset;
  target[position++] = negative ? negativeMark : positiveMark;
  target[position++] = (exponent + exponentBias) ^ flip;
  let pair = -1; // the tens of the pair under construction, or -1 between pairs
  for (let index = first; index < end; index += 1) {
    const code = canonical.charCodeAt(index);
    if (code === codePoint) continue;
    if (pair < 0) {
      pair = (code - code0) * 10;
    } else {
      target[position++] = (pair + code - code0 + 1) ^ flip;
      pair = -1;
    }
  }
  if (pair >= 0) target[position++] = (pair + 1) ^ flip;
  target[position++] = flip;
  return position;
}

/** A number read back from key bytes, and where the bytes after it start. */
export interface DecodedNumberKey {
  readonly canonical: string;
  readonly end: number;
}

/**
 * Reads the canonical number that starts at `offset`.
 *
 * @throws {RangeError} when the bytes are not what {@link writeNumberKey} writes.
 */
export function decodeNumberKey(bytes: Uint8Array, offset = 0): DecodedNumberKey {
  const mark = bytes[offset];
  if (mark === zeroMark) return { canonical: '0', end: offset + 1 };
  if (mark !== positiveMark && mark !== negativeMark) throw new RangeError('not the key bytes of a number');
  const flip = mark === negativeMark ? 0xff : 0;
  const exponent = byteAt(bytes, offset + 1, flip) - exponentBias;
  let digits = '';
  let position = offset + 2;
  for (let pair = byteAt(bytes, position, flip); pair !== 0; pair = byteAt(bytes, position, flip)) {
    if (pair > 100) throw new RangeError('not the key bytes of a number');
    digits += String(pair - 1).padStart(2, '0');
    position += 1;
  }
  if (digits.length === 0) throw new RangeError('not the key bytes of a number');
  if (digits.endsWith('0')) digits = digits.slice(0, -1); // the padding of an odd last digit
  return { canonical: (flip === 0 ? '' : '-') + placePoint(digits, exponent), end: position + 1 };
}

function placePoint(digits: string, exponent: number): string {
  if (exponent < 0) return `0.${'0'.repeat(-exponent - 1)}${digits}`;
  if (digits.length <= exponent + 1) return digits.padEnd(exponent + 1, '0');
  return `${digits.slice(0, exponent + 1)}.${digits.slice(exponent + 1)}`;
}

function byteAt(bytes: Uint8Array, index: number, flip: number): number {
  const byte = bytes[index];
  if (byte === undefined) throw new RangeError('the key bytes of a number end too early');
  return byte ^ flip;
}

function isZeroOrPoint(code: number): boolean {
  return code === code0 || code === codePoint;
}
