/**
 * Compares two byte strings in unsigned byte order (memcmp), the shorter first when one is a prefix of the other.
 *
 * @param start - the number of leading bytes that are known to be equal and are not compared.
 * @returns a negative number, zero or a positive number.
 */
export function compareBytes(left: Uint8Array, right: Uint8Array, start = 0): number {
  const shared = Math.min(left.length, right.length);
  for (let index = start; index < shared; index += 1) {
    // Inside both arrays by the bound of the loop; the fallback is never taken and costs nothing.
    const difference = (left[index] ?? 0) - (right[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}

/** Whether two byte strings are the same. */
export function equalBytes(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && compareBytes(left, right) === 0;
}
