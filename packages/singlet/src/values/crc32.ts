/*
 * CRC-32 as gzip and `x-amz-crc32` have it, as signed 32-bit integers, which V8 keeps without an object. This is for short stretches,
 * and for what zlib does not offer; zlib is faster from some 48 bytes on.
 *
 * Decision 0041 says why.
 */

/** The checksum of what `checksum` is of, followed by some bytes. */
export function crc32OfShort(bytes: Uint8Array, checksum: number, start = 0, end: number = bytes.length): number {
  let state = ~checksum;
  for (let at = start; at < end; at += 1)
    state = (state >>> 8) ^ (byByte[(state ^ (bytes[at] as number)) & 0xff] as number);
  return ~state;
}

/**
 * The checksum from which one has to begin so that that of the first `count` bytes is 0, which is the checksum of nothing: what
 * follows them is then checked as if it were alone, without a view of it.
 */
export function crc32Before(bytes: Uint8Array, count: number): number {
  let state = -1;
  for (let at = count - 1; at >= 0; at -= 1) {
    state = (state << 8) ^ (byHighByte[state >>> 24] as number) ^ (bytes[at] as number);
  }
  return ~state;
}

/*
 * The CRC-32 of two stretches of bytes from those of each. What follows moves the first checksum as many places as the second
 * stretch has bytes: a multiplication, of polynomials over GF(2) modulo that of the checksum, by a power of x. Checksums are
 * signed 32-bit integers; the highest bit is the coefficient of x⁰.
 */
const polynomial = 0xedb8_8320 | 0;
const one = 1 << 31;

const byByte: Int32Array = Int32Array.from({ length: 256 }, (_, byte) => {
  let state = byte;
  for (let bit = 0; bit < 8; bit += 1) state = state & 1 ? (state >>> 1) ^ polynomial : state >>> 1;
  return state;
});

/** The way back: the high byte tells which entry of the table came in. */
const byHighByte = new Int32Array(256);
for (const [byte, entry] of byByte.entries()) byHighByte[entry >>> 24] = (entry << 8) ^ byte;

function multiply(a: number, b: number): number {
  let product = 0;
  let shifted = b;
  for (let bit = one; bit !== 0; bit >>>= 1) {
    if (a & bit) {
      product ^= shifted;
      if ((a & (bit - 1)) === 0) break;
    }
    shifted = shifted & 1 ? (shifted >>> 1) ^ polynomial : shifted >>> 1;
  }
  return product;
}

const lowBits = 10;
const lowCount: number = 1 << lowBits;
/** x to eight times the index, and to eight times 1,024 times it; 0 where it has not been needed yet. */
const lowPowers = new Int32Array(lowCount);
const highPowers = new Int32Array(lowCount);

/** x to eight times `bytes`: what moves a checksum by so many bytes. */
function powerOf(bytes: number): number {
  const low = (lowPowers[bytes & (lowCount - 1)] ||= computedPower(bytes & (lowCount - 1)));
  const high = bytes >>> lowBits;
  if (high === 0) return low;
  if (high >= lowCount) return computedPower(bytes);
  return multiply((highPowers[high] ||= computedPower(high << lowBits)), low);
}

/** By squaring. */
function computedPower(bytes: number): number {
  let power = one;
  let square = 1 << 23; // x to the eighth
  for (let rest = bytes; rest !== 0; rest >>>= 1) {
    if (rest & 1) power = multiply(square, power);
    square = multiply(square, square);
  }
  return power;
}

/**
 * The CRC-32 of `a` followed by `b`.
 *
 * @param bBytes - how long `b` is; less than 2 ** 31.
 */
export function combineCrc32(a: number, b: number, bBytes: number): number {
  return multiply(powerOf(bBytes), a) ^ b;
}
