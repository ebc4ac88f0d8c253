import type { EntityInfo } from '../resolve/resolved.ts';
import type { Version } from './snapshot.ts';

/** An entity in both versions. */
export interface EntityPair {
  readonly before: EntityInfo;
  readonly after: EntityInfo;
}

/** Finds the entities that both versions have: by name, otherwise by the value of the type attribute, which survives a renaming. */
export function pairEntities(
  before: Version,
  after: Version,
): {
  readonly added: readonly EntityInfo[];
  readonly removed: readonly EntityInfo[];
  readonly kept: readonly EntityPair[];
} {
  const left = new Map(before.resolved.entities);
  const kept: EntityPair[] = [];
  const added: EntityInfo[] = [];
  const unmatched: EntityInfo[] = [];
  for (const entity of after.resolved.entities.values()) {
    const same = left.get(entity.name);
    if (same === undefined) unmatched.push(entity);
    else kept.push({ before: same, after: entity });
    left.delete(entity.name);
  }
  for (const entity of unmatched) {
    const alike = [...left.values()].filter(({ type }) => type === entity.type);
    // Its table may be another one as well.
    const renamed = alike.find(({ table }) => table.name === entity.table.name) ?? alike[0];
    if (renamed === undefined) added.push(entity);
    else kept.push({ before: renamed, after: entity });
    if (renamed !== undefined) left.delete(renamed.name);
  }
  return { added, removed: [...left.values()], kept };
}
