import { storedSchema } from '../entities/codec.ts';
import type { StandardSchema } from '../schema/standard-schema.ts';

/** The members of zod's and valibot's objects in which schemas are found. */
interface Parts {
  readonly _zod?: { readonly def?: Definition };
  readonly type?: unknown;
}

interface Definition {
  readonly type?: string;
  readonly shape?: object;
  readonly entries?: unknown;
  readonly [member: string]: unknown;
}

/** What DynamoDB has no type for, by zod's and valibot's names. */
const kinds: Readonly<Record<string, string>> = {
  date: 'a Date',
  map: 'a Map',
  function: 'a function',
  symbol: 'a symbol',
  promise: 'a promise',
  file: 'a file',
  blob: 'a Blob',
  nan: 'NaN',
};

/** Members with schemas of values that are a part of the value, or the value itself. */
const members = [
  'innerType',
  'out',
  'options',
  'element',
  'items',
  'rest',
  'valueType',
  'left',
  'right',
  'wrapped',
  'item',
  'value',
] as const;

/** What a schema yields and DynamoDB cannot store, anywhere in the value: `a Date`. Undefined if nothing is known of it. */
export function unstorable(schema: StandardSchema): string | undefined {
  return look(storedSchema(schema), new Set());
}

function look(schema: unknown, seen: Set<unknown>): string | undefined {
  if ((typeof schema !== 'object' && typeof schema !== 'function') || schema === null || seen.has(schema))
    return undefined;
  seen.add(schema);
  if (Array.isArray(schema)) return first(schema, seen);
  const { _zod, type } = schema as Parts;
  const def = _zod?.def ?? (typeof type === 'string' ? (schema as Definition) : undefined);
  if (def === undefined) return undefined;
  const { [def.type ?? '']: kind } = kinds;
  // A transformation yields something else than its schema says.
  if (kind !== undefined) return isTransformed(def) ? undefined : kind;
  const entries = _zod === undefined ? def.entries : def.shape;
  return first([...members.map((member) => def[member]), ...(isObject(entries) ? Object.values(entries) : [])], seen);
}

function first(schemas: readonly unknown[], seen: Set<unknown>): string | undefined {
  for (const each of schemas) {
    const found = look(each, seen);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isTransformed({ pipe }: Definition): boolean {
  return Array.isArray(pipe) && pipe.some((step) => (step as { readonly kind?: unknown }).kind === 'transformation');
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
