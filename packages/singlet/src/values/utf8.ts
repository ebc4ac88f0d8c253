/** Length of a string in UTF-8 bytes, as {@link Buffer.byteLength}; faster for the short ASCII strings names are. */
export function utf8ByteLength(text: string): number {
  const { length } = text;
  if (length > 24) return Buffer.byteLength(text, 'utf8');
  for (let index = 0; index < length; index += 1) {
    if (text.charCodeAt(index) > 0x7f) return Buffer.byteLength(text, 'utf8');
  }
  return length;
}

/**
 * Order of two strings by their UTF-8 bytes: negative, zero or positive.
 *
 * It differs from `<`, which compares UTF-16 code units, in one place: the surrogates (D800 to DFFF) of characters
 * beyond U+FFFF sort below U+E000 to U+FFFF as code units and above them as bytes. A lone surrogate, which has no UTF-8
 * form, sorts as one of a pair.
 */
export function compareUtf8(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index += 1) {
    const unitA = a.charCodeAt(index);
    const unitB = b.charCodeAt(index);
    if (unitA !== unitB) return utf8Rank(unitA) - utf8Rank(unitB);
  }
  return a.length - b.length;
}

/** Moves the surrogates above the other code units. */
function utf8Rank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}
