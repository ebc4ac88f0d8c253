import type { EntityInfo } from '../resolve/resolved.ts';
import { fromAttributeValue, type StoredItem } from './attribute-value.ts';

/** Decodes stored items of one entity, or some of their attributes. */
export type ItemDecoder = (stored: StoredItem, only?: readonly string[]) => Record<string, unknown>;

/** A decoder of stored items. Its result has no indexing attributes. */
export function itemDecoder({ attributes }: EntityInfo): ItemDecoder {
  const known = [...attributes.values()];
  const names: Record<string, string> = Object.assign(
    Object.create(null) as Record<string, string>,
    Object.fromEntries(known.map(({ stored, name }) => [stored, name])),
  );
  const fallbacks = known.filter(({ fallback }) => fallback !== undefined);
  return (stored, only) => {
    const item: Record<string, unknown> = {};
    for (const attribute in stored) {
      const name = names[attribute];
      if (name === undefined) continue;
      const value = stored[attribute];
      if (value !== undefined) item[name] = value.S ?? fromAttributeValue(value);
    }
    for (const { name, fallback } of fallbacks) {
      if (item[name] === undefined) item[name] = structuredClone(fallback);
    }
    if (only === undefined) return item;
    return Object.fromEntries(only.flatMap((name) => (item[name] === undefined ? [] : [[name, item[name]]])));
  };
}
