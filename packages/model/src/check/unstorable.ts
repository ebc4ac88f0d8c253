import { storedSchema } from '../entities/codec.ts';
import type { StandardSchema } from '../schema/standard-schema.ts';

/** The members of zod's, valibot's and arktype's objects in which schemas are found. */
interface Parts {
  readonly _zod?: { readonly def?: Definition };
  readonly type?: unknown;
  readonly json?: unknown;
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

/**
 * Whether a schema yields big integers that are read as numbers: within a value, or as one of several kinds of value. A stored number has no
 * type, and only an attribute that is a big integer as a whole is read as one.
 */
export function losesBigIntegers(schema: StandardSchema): boolean {
  return loses(storedSchema(schema), true, new Set());
}

function loses(schema: unknown, isWhole: boolean, seen: Set<unknown>): boolean {
  if ((typeof schema !== 'object' && typeof schema !== 'function') || schema === null || seen.has(schema)) return false;
  seen.add(schema);
  if (Array.isArray(schema)) return schema.some((each) => loses(each, isWhole, seen));
  const { _zod, type, json } = schema as Parts;
  // arktype describes a schema as JSON, with the names of types.
  if (json !== undefined) return /"bigint"/.test(JSON.stringify(json)) && !/"number"/.test(JSON.stringify(json));
  const def = _zod?.def ?? (typeof type === 'string' ? (schema as Definition) : undefined);
  if (def === undefined) return false;
  if (def.type === 'bigint') return !isWhole && !isTransformed(def);
  const { [_zod === undefined ? 'entries' : 'shape']: entries, options = [] } = def;
  // A big integer that is read as a number is a value of the schema, too.
  if (Array.isArray(options) && options.some((each) => typeOf(each) === 'number'))
    return options.some((each) => typeOf(each) !== 'bigint' && loses(each, false, seen));
  return (
    members.some((member) => {
      const isSame = member === 'innerType' || member === 'wrapped';
      return loses(def[member], isWhole && isSame, seen);
    }) ||
    (isObject(entries) && loses(Object.values(entries), false, seen))
  );
}

function typeOf(schema: unknown): unknown {
  const { _zod, type } = schema as Parts;
  return _zod?.def?.type ?? type;
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
