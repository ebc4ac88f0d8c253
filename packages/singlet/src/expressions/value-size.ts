import type { AttributeValue } from '../values/attribute-value.ts';
import { base64ByteLength } from '../values/base64.ts';

/** Small sizes as attribute values, so that `size` allocates no objects for the usual ones. */
const smallSizes: readonly AttributeValue[] = Array.from({ length: 256 }, (_, size) => ({ N: String(size) }));

/**
 * The function `size`: the UTF-16 code units of a string, the bytes of a binary, the number of elements of a set, list or
 * map. Other values have no size.
 *
 * The developer guide says "length" only; the service was seen to count "\u{1d11e}" as two, in August 2026.
 *
 * @see DynamoDB Developer Guide, "Comparison operator and function reference", size
 */
export function valueSize(value: AttributeValue): AttributeValue | undefined {
  const size = sizeOf(value);
  return size === undefined ? undefined : (smallSizes[size] ?? { N: String(size) });
}

function sizeOf(value: AttributeValue): number | undefined {
  if ('S' in value) return value.S.length;
  if ('L' in value) return value.L.length;
  if ('M' in value) return Object.keys(value.M).length;
  if ('SS' in value) return value.SS.length;
  if ('NS' in value) return value.NS.length;
  if ('BS' in value) return value.BS.length;
  return 'B' in value ? base64ByteLength(value.B) : undefined;
}
