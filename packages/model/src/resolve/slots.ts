import type { KeySlot, ParentInfo } from './resolved.ts';

/** The attributes of a key, in their order. */
export function slotsOf<T>({
  partition,
  sort,
}: {
  readonly partition: readonly T[];
  readonly sort: readonly T[];
}): T[] {
  return [...partition, ...sort];
}

/** The attributes of the application that slots are made of. */
export function variableNames(slots: readonly KeySlot[]): string[] {
  return slots.flatMap(({ template }) => template.variables.map(({ name }) => name));
}

/** The parents that count their children. */
export function countedParents({ parents }: { readonly parents: readonly ParentInfo[] }): ParentInfo[] {
  return parents.filter(({ rules }) => rules.count !== undefined);
}
