import type { EntityInfo } from '../resolve/resolved.ts';
import { fromAttributeValue, type StoredItem } from './attribute-value.ts';

/** Decodes stored items of one entity, or some of their attributes. */
export type ItemDecoder = (stored: StoredItem, only?: readonly string[]) => Record<string, unknown>;

/** A decoder of stored items. Its result has no indexing attributes. */
export function itemDecoder({ attributes }: EntityInfo): ItemDecoder {
  const known = [...attributes.values()];
  const names = new Map(known.map((each) => [each.stored, each.name]));
  const fallbacks = known.filter(({ fallback }) => fallback !== undefined);
  const bigIntegers = known.filter(({ schema }) => yieldsBigIntegers(schema));
  return (stored, only) => {
    const item: Record<string, unknown> = {};
    for (const attribute in stored) {
      const name = names.get(attribute);
      if (name === undefined) continue;
      const value = stored[attribute];
      if (value !== undefined) item[name] = value.S ?? fromAttributeValue(value);
    }
    for (const { name, fallback } of fallbacks) {
      if (item[name] === undefined) item[name] = structuredClone(fallback);
    }
    // A stored number says nothing about its type, and small ones are read as numbers.
    for (const { name } of bigIntegers) if (typeof item[name] === 'number') item[name] = BigInt(item[name]);
    if (only === undefined) return item;
    return Object.fromEntries(only.flatMap((name) => (item[name] === undefined ? [] : [[name, item[name]]])));
  };
}

/** The members of zod's and valibot's objects that say what a schema is, or which one it wraps. */
interface Described {
  readonly _zod?: { readonly def: Described };
  readonly type?: string;
  readonly innerType?: Described;
  readonly wrapped?: Described;
}

/** Whether a schema yields big integers only. */
function yieldsBigIntegers(schema: unknown): boolean {
  const { _zod, type, innerType, wrapped } = schema as Described;
  return type === 'bigint' || [_zod?.def, innerType, wrapped].some((each) => each && yieldsBigIntegers(each));
}
