/*
 * CRC-32 as in gzip and `x-amz-crc32`, as signed 32-bit integers, which V8 keeps without an object. This is for short stretches,
 * and for what zlib does not offer; zlib is faster from some 48 bytes on.
 *
 * Decision 0041 says why, and decision 0104 what it costs.
 */

/** Up to this length, a loop in JavaScript costs less than a call to zlib. */
export const loopBytesMax = 48;

/** The checksum of the bytes that `checksum` covers, followed by further bytes. */
export function crc32OfShort(bytes: Uint8Array, checksum: number, start = 0, end: number = bytes.length): number {
  let state = ~checksum;
  let at = start;
  // Four bytes at a time, each moved by as many places as there are bytes after it: a byte alone has to wait for the one before.
  for (; at + 4 <= end; at += 4) {
    state ^=
      (bytes[at] as number) |
      ((bytes[at + 1] as number) << 8) |
      ((bytes[at + 2] as number) << 16) |
      ((bytes[at + 3] as number) << 24);
    state =
      (byWord[768 + (state & 0xff)] as number) ^
      (byWord[512 + ((state >>> 8) & 0xff)] as number) ^
      (byWord[256 + ((state >>> 16) & 0xff)] as number) ^
      (byWord[state >>> 24] as number);
  }
  for (; at < end; at += 1) state = (state >>> 8) ^ (byByte[(state ^ (bytes[at] as number)) & 0xff] as number);
  return ~state;
}

/**
 * The initial checksum for which that of the first `count` bytes is 0, the checksum of nothing. The bytes that
 * follow are then checked as if they were alone, without a view of them.
 */
export function crc32Before(bytes: Uint8Array, count: number): number {
  let state = -1;
  for (let at = count - 1; at >= 0; at -= 1) {
    state = (state << 8) ^ (byHighByte[state >>> 24] as number) ^ (bytes[at] as number);
  }
  return ~state;
}

/*
 * The CRC-32 of two stretches of bytes from those of each. The first checksum is shifted by as many places as the second stretch has
 * bytes: a multiplication of polynomials over GF(2), modulo that of the checksum, by a power of x. Checksums are signed 32-bit
 * integers; the highest bit is the coefficient of x⁰.
 */
const polynomial = 0xedb8_8320 | 0;
const one = 1 << 31;

const byByte: Int32Array = Int32Array.from({ length: 256 }, (_, byte) => {
  let state = byte;
  for (let bit = 0; bit < 8; bit += 1) state = state & 1 ? (state >>> 1) ^ polynomial : state >>> 1;
  return state;
});

/** For each byte, followed by 0, 1, 2 and 3 bytes that are zero. */
const byWord = new Int32Array(4 * 256);
for (let at = 0; at < byWord.length; at += 1) {
  const state = at < 256 ? 0 : (byWord[at - 256] as number);
  byWord[at] = at < 256 ? (byByte[at] as number) : (state >>> 8) ^ (byByte[state & 0xff] as number);
}

/** The inverse: the high byte identifies the entry of the table that was used. */
const byHighByte = new Int32Array(256);
for (const [byte, entry] of byByte.entries()) byHighByte[entry >>> 24] = (entry << 8) ^ byte;

/**
 * The CRC-32 of `a` followed by `b`.
 *
 * @param bBytes - the length of `b`; less than 2 ** 31.
 */
export function combineCrc32(a: number, b: number, bBytes: number): number {
  let moved = a;
  for (let rest = bBytes, digit = 0; rest !== 0; rest >>>= 4, digit += 1) {
    if ((rest & 15) === 0) continue;
    const move = (moves[digit * 16 + (rest & 15)] ??= moveOf(rest & 15, digit));
    moved =
      (move[moved & 0xff] as number) ^
      (move[256 + ((moved >>> 8) & 0xff)] as number) ^
      (move[512 + ((moved >>> 16) & 0xff)] as number) ^
      (move[768 + (moved >>> 24)] as number);
  }
  return moved ^ b;
}

/**
 * For each hexadecimal digit of a length, made when first needed: the result of a shift by that many bytes for each of the four
 * bytes of a checksum. At most 120 tables of 4 KB.
 */
const moves: (Int32Array | undefined)[] = Array.from({ length: 8 * 16 });

function moveOf(value: number, digit: number): Int32Array {
  const power = powerOfX(8 * value, 4 * digit);
  const move = new Int32Array(4 * 256);
  for (let bit = 0; bit < 32; bit += 1) move[(bit >> 3) * 256 + (1 << (bit & 7))] = multiply(power, 1 << bit);
  // A shift of a sum is the sum of the shifts: the highest bit of a byte, and the rest of it.
  for (let at = 0; at < move.length; at += 1) {
    const highestBit = 1 << (31 - Math.clz32(at & 0xff));
    const rest = at & 0xff & ~highestBit;
    if (rest !== 0) move[at] = (move[(at & ~0xff) + highestBit] as number) ^ (move[(at & ~0xff) + rest] as number);
  }
  return move;
}

/** x to the power of `exponent` · 2 ** `doublings`. */
function powerOfX(exponent: number, doublings: number): number {
  let power = one;
  for (let step = 0; step < exponent; step += 1) power = multiply(one >>> 1, power);
  for (let step = 0; step < doublings; step += 1) power = multiply(power, power);
  return power;
}

function multiply(a: number, b: number): number {
  let product = 0;
  let shifted = b;
  for (let bit = one; bit !== 0; bit >>>= 1) {
    if (a & bit) product ^= shifted;
    shifted = shifted & 1 ? (shifted >>> 1) ^ polynomial : shifted >>> 1;
  }
  return product;
}
