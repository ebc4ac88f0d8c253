import type { StoredItem } from './attribute-value.ts';

/** A text that identifies a key. */
export function keyId(key: Readonly<StoredItem>): string {
  return Object.keys(key)
    .sort()
    .map((name) => JSON.stringify([name, key[name]?.S ?? key[name]?.N ?? Array.from(key[name]?.B ?? [])]))
    .join();
}
