import type { Need } from '../patterns/need.ts';
import type { EntityInfo, ResolvedModel } from '../resolve/resolved.ts';

/** A pattern and, if it is a transaction, its parts, each with its place in the model. */
export function partsOfNeed(name: string, need: Need): { readonly path: string; readonly part: Need }[] {
  const path = `patterns.${name}`;
  const parts = Object.entries(need.transacts ?? {});
  return [{ path, part: need }, ...parts.map(([part, write]) => ({ path: `${path}.transacts.${part}`, part: write }))];
}

/** The entities that a need names, if they have keys. */
export function entitiesOfNeed({ entities }: ResolvedModel, need: Need): EntityInfo[] {
  const { reads, creates, puts, upserts, updates, deletes, checks } = need;
  const ofReads =
    typeof reads === 'object' && !Array.isArray(reads) ? Object.values(reads as object).flat() : [reads].flat();
  const names = [...ofReads, creates, puts, upserts, updates, deletes, checks].flat() as (string | undefined)[];
  return [...new Set(names)].flatMap((name) => (name === undefined ? [] : (entities.get(name) ?? [])));
}
