import type { AttributeMap } from '../../../singlet/src/values/attribute-value.ts';
import { keyText } from '../values/value-text.ts';

// Prefixes of the partition keys seen on this page: `CUSTOMER#`. A key that the user searches for may begin with one.

const prefixesMax = 8;
const prefixesByTable = new Map<string, Set<string>>();

export function notePrefixes(tableName: string, partition: string, items: readonly AttributeMap[]): void {
  const prefixes = prefixesByTable.get(tableName) ?? new Set();
  prefixesByTable.set(tableName, prefixes);
  for (const item of items) {
    if (prefixes.size >= prefixesMax) return;
    const [, prefix] = /^(#?[A-Za-z][\w-]*#)/.exec(keyText(item[partition])) ?? [];
    if (prefix !== undefined) prefixes.add(prefix);
  }
}

export function keyPrefixes(tableName: string): readonly string[] {
  return [...(prefixesByTable.get(tableName) ?? [])];
}
