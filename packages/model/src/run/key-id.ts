import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { StoredItem } from './attribute-value.ts';
import { plainDecimal } from './decimal.ts';

/** A text that identifies a key. The service returns a number in digits: `1e+21` and `1000000000000000000000` are one key. */
export function keyId(key: Readonly<StoredItem>): string {
  return Object.keys(key)
    .sort()
    .map((name) => JSON.stringify([name, keyValue(key[name])]))
    .join();
}

/** One value for equal key attributes; undefined for none. */
export function keyValue(value: AttributeValue | undefined): unknown {
  return value?.S ?? (value?.N === undefined ? value?.B && Array.from(value.B) : plainDecimal(value.N));
}
