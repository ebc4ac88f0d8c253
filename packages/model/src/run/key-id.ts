import type { StoredItem } from './attribute-value.ts';

/** The text that tells keys apart. */
export function keyId(key: Readonly<StoredItem>): string {
  return Object.keys(key)
    .sort()
    .map((name) => JSON.stringify([name, key[name]?.S ?? key[name]?.N ?? Array.from(key[name]?.B ?? [])]))
    .join();
}
