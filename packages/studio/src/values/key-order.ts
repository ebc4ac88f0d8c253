import type { AttributeValue } from '../../../singlet/src/values/attribute-value.ts';
import { compareNumbers } from '../../../singlet/src/values/decimal.ts';

/** The order of two values of a key attribute in the service: texts by UTF-8 bytes, numbers by value, binaries by unsigned bytes. */
export function compareKeys(a: AttributeValue | undefined, b: AttributeValue | undefined): number {
  if (a === undefined || b === undefined) return 0;
  if ('N' in a && 'N' in b) return compareNumbers(a.N, b.N);
  if ('B' in a && 'B' in b) return compareTexts(atob(a.B), atob(b.B));
  return 'S' in a && 'S' in b ? compareTexts(a.S, b.S) : 0;
}

/** By code points, which is the order of UTF-8. Comparing UTF-16 would put U+E000 to U+FFFF after the characters beyond. */
function compareTexts(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at += 1) {
    const [first, second] = [a.charCodeAt(at), b.charCodeAt(at)];
    if (first !== second) return rank(first) - rank(second);
  }
  return a.length - b.length;
}

function rank(unit: number): number {
  return unit >= 0xd800 && unit < 0xe000 ? unit + 0x10000 : unit;
}
