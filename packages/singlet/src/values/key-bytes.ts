import type { AttributeValue, KeyAttributeType } from './attribute-value.ts';
import { base64ByteLength } from './base64.ts';
import { encodeNumberKey, numberKeyBytesMax, writeNumberKey } from './number-key.ts';
import { utf8ByteLength } from './utf8.ts';

/**
 * Key values as bytes whose unsigned byte order is the order in which the service sorts: strings by UTF-8 bytes,
 * numbers by value, binaries by unsigned bytes.
 *
 * Two forms exist. *Raw* bytes are one value and nothing else: the shortest form, for a key that ends with the value.
 * A *sequence* is several values one after the other, each in a form that delimits itself, so that sequences sort
 * component by component and a sequence sorts before its continuations:
 *
 *     N   as in `number-key.ts`
 *     S   UTF-8 bytes, each 00 written as 00 FF, then 00 00
 *     B   the same of the raw bytes
 *
 * The components of one key have fixed types, so no type is written. Other bytes may follow a sequence.
 *
 * The results are views into pooled memory: copy what you keep for long.
 */

const escapeByte = 0xff;
const terminatorBytes = 2;

/**
 * Raw bytes of one key value.
 *
 * @throws {TypeError} when the value is not of that type; the caller has checked it.
 */
export function encodeKeyValue(value: AttributeValue, type: KeyAttributeType): Uint8Array {
  if (type === 'S' && 'S' in value) return Buffer.from(value.S, 'utf8');
  if (type === 'N' && 'N' in value) return encodeNumberKey(value.N);
  if (type === 'B' && 'B' in value) return Buffer.from(value.B, 'base64');
  throw new TypeError(`key value is not of type ${type}`);
}

/**
 * Raw bytes that every value starting with `prefix` starts with: `begins_with` on a key is the range from these bytes
 * to their {@link keyBytesSuccessor}. Strings and binaries only, as in the service.
 *
 * @throws {TypeError} for any other type; the caller has checked it.
 */
export function encodeKeyPrefix(prefix: AttributeValue): Uint8Array {
  if ('S' in prefix) return Buffer.from(prefix.S, 'utf8');
  if ('B' in prefix) return Buffer.from(prefix.B, 'base64');
  throw new TypeError('only strings and binaries have prefixes');
}

/** The values one after the other, each delimiting itself. */
export function encodeKeySequence(values: readonly AttributeValue[]): Uint8Array {
  const target = Buffer.allocUnsafe(sequenceBytesMax(values));
  return target.subarray(0, writeSequence(target, values));
}

/**
 * The prefix of all sequences whose first components are `values` and whose next component, a string or
 * binary, starts with `prefix`. Without `prefix` it is {@link encodeKeySequence}: the prefix of all sequences with these first
 * components. With {@link keyBytesSuccessor} either gives the range of those sequences.
 *
 * @throws {TypeError} when `prefix` is neither string nor binary.
 */
export function encodeKeySequencePrefix(values: readonly AttributeValue[], prefix: AttributeValue): Uint8Array {
  const start = encodeKeyPrefix(prefix);
  const target = Buffer.allocUnsafe(sequenceBytesMax(values) + 2 * start.length);
  const offset = writeSequence(target, values);
  target.set(start, offset);
  return target.subarray(0, escapeZeros(target, offset, offset + start.length));
}

/**
 * The smallest bytes that are greater than all bytes starting with `bytes`, so that `[bytes, successor)` is the range
 * of them; undefined when there is no upper bound (nothing, or nothing but FF).
 */
export function keyBytesSuccessor(bytes: Uint8Array): Uint8Array | undefined {
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === 0xff) end -= 1;
  if (end === 0) return undefined;
  const successor = Buffer.from(bytes.subarray(0, end));
  successor[end - 1] = (successor[end - 1] ?? 0) + 1;
  return successor;
}

/** Enough bytes for the sequence: exact except for numbers, and for zero bytes in the others. */
function sequenceBytesMax(values: readonly AttributeValue[]): number {
  let sizeBytes = 0;
  for (const value of values) {
    if ('S' in value) sizeBytes += (value.S.includes('\0') ? 2 : 1) * utf8ByteLength(value.S) + terminatorBytes;
    else if ('B' in value) sizeBytes += 2 * base64ByteLength(value.B) + terminatorBytes;
    else sizeBytes += numberKeyBytesMax;
  }
  return sizeBytes;
}

function writeSequence(target: Buffer, values: readonly AttributeValue[]): number {
  let offset = 0;
  for (const value of values) {
    if ('N' in value) {
      offset = writeNumberKey(target, offset, value.N);
      continue;
    }
    const start = offset;
    if ('S' in value) {
      offset += target.write(value.S, start, 'utf8');
      if (value.S.includes('\0')) offset = escapeZeros(target, start, offset);
    } else if ('B' in value) {
      offset += target.write(value.B, start, 'base64');
      offset = escapeZeros(target, start, offset);
    } else {
      throw new TypeError('key value is not a scalar');
    }
    target[offset++] = 0;
    target[offset++] = 0;
  }
  return offset;
}

/**
 * Writes 00 FF for each 00 between the offsets, in place. UTF-8 has a 00 only for the character U+0000.
 *
 * @param target - has room for as many bytes again.
 * @returns the new end.
 */
function escapeZeros(target: Buffer, start: number, end: number): number {
  const first = target.subarray(start, end).indexOf(0);
  if (first < 0) return end;
  const unescaped = Buffer.from(target.subarray(start + first, end)); // a copy: it is overwritten below
  let position = start + first;
  for (const byte of unescaped) {
    target[position++] = byte;
    if (byte === 0) target[position++] = escapeByte;
  }
  return position;
}
