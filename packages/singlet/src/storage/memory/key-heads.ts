/*
 * Parts of keys for `ByteTree`: the bytes that the keys of a node share, and the head of the rest of each, a number that decides
 * nearly all comparisons. Decision 0108 says why.
 */

/** Whole bytes that are always equal when two heads are. */
export const headBytes = 6;

/** The bytes that a head is made of; of the last one, the highest five bits. */
const readBytes = 7;

/**
 * The 53 bits from byte `start` on as a number (all that a double holds exactly). Bytes from `end` on count as zero, so a short key may
 * have the head of a longer one; the keys themselves then decide.
 */
export function headOf(bytes: Uint8Array, start: number, end: number = bytes.length): number {
  if (start + readBytes > end) return headOfShort(bytes, start, end);
  // Inside the array, as was just checked.
  const high =
    (((bytes[start] as number) << 16) | ((bytes[start + 1] as number) << 8) | (bytes[start + 2] as number)) * 0x100 +
    (bytes[start + 3] as number);
  const low =
    ((bytes[start + 4] as number) << 13) | ((bytes[start + 5] as number) << 5) | ((bytes[start + 6] as number) >> 3);
  return high * 0x20_00_00 + low;
}

function headOfShort(bytes: Uint8Array, start: number, end: number): number {
  let head = 0;
  for (let at = start; at < start + headBytes; at += 1) head = head * 0x100 + (at < end ? (bytes[at] as number) : 0);
  return head * 0x20; // the last byte is missing
}

/** The number of bytes with which both begin. */
export function sharedLength(left: Uint8Array, right: Uint8Array): number {
  const bound = Math.min(left.length, right.length);
  let length = 0;
  while (length < bound && left[length] === right[length]) length += 1;
  return length;
}

/**
 * Where a key sorts among the keys that begin with `prefix`.
 *
 * @returns 0 if it is one of them, a negative number if it sorts before all of them, a positive one if after.
 */
export function orderByPrefix(key: Uint8Array, prefix: Uint8Array): number {
  for (let at = 0; at < prefix.length; at += 1) {
    if (at === key.length) return -1;
    const difference = (key[at] as number) - (prefix[at] as number); // inside both
    if (difference !== 0) return difference;
  }
  return 0;
}
