import type { StoredItem } from './load.ts';

/** Items by a name made of each. */
export function grouped(
  items: readonly StoredItem[],
  nameOf: (item: StoredItem) => string,
): ReadonlyMap<string, readonly StoredItem[]> {
  const groups = new Map<string, StoredItem[]>();
  for (const item of items) {
    const name = nameOf(item);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [item]);
    else group.push(item);
  }
  return groups;
}

/** Those that the others lack. */
export function lackedBy(others: readonly string[], all: readonly string[]): readonly string[] {
  const known = new Set(others);
  return all.filter((each) => !known.has(each));
}
