import type { StandardSchema } from '../schema/standard-schema.ts';

/**
 * How a schema is asked for its description. zod copies what `.meta({…})` says into it, such as a pattern for a document of the API, and no
 * value is checked by that.
 */
export const descriptionOptions = {
  target: 'draft-2020-12',
  libraryOptions: { metadata: { get: (): undefined => undefined } },
} as const;

/** What a schema's description does not say about its values. */
export interface Undescribed {
  /** The flags of all its regular expressions. */
  readonly flags: string;
  /** A function replaces the value after it has been checked, so that the checks say nothing about the result. */
  readonly replaces: boolean;
}

/** The parts of zod's, valibot's and arktype's own objects that are read here. */
interface Parts {
  readonly _zod?: { readonly def?: ZodDefinition };
  readonly kind?: string;
  readonly requirement?: unknown;
  readonly fallback?: unknown;
  readonly pipe?: readonly unknown[];
  readonly wrapped?: unknown;
  readonly options?: readonly unknown[];
  readonly json?: unknown;
}

interface ZodDefinition {
  readonly type?: string;
  readonly check?: string;
  readonly pattern?: unknown;
  readonly checks?: readonly unknown[];
  readonly innerType?: unknown;
  readonly getter?: () => unknown;
  readonly in?: unknown;
  readonly out?: unknown;
  readonly options?: readonly unknown[];
}

/** Whether zod's object yields big integers only, which JSON Schema does not have. */
export function isBigInteger(schema: unknown): boolean {
  const { type = '', innerType } = (schema as Parts)._zod?.def ?? {};
  return type === 'bigint' || (/^(optional|nonoptional|readonly)$/.test(type) && isBigInteger(innerType));
}

/** Schemas within schemas, at most. */
const depthMax = 8;

/**
 * What a schema does that its JSON Schema leaves out: a pattern is written without its flags, and a value that is replaced after its
 * checks (`z.string().regex(…).toUpperCase()`, `z.int().min(10).catch(0)`) is described as if the checks still held.
 */
export function undescribed(schema: StandardSchema): Undescribed {
  const found = { flags: '', replaces: false };
  look(schema, found, 0);
  return found;
}

function look(schema: unknown, found: { flags: string; replaces: boolean }, depth: number): void {
  if ((typeof schema !== 'object' && typeof schema !== 'function') || schema === null || depth > depthMax) return;
  const { _zod, requirement, fallback, wrapped, json, ...others } = partsOf(schema);
  if (_zod?.def !== undefined) return lookAtZod(_zod.def, found, depth);
  // arktype shows its own form, in which patterns have their flags, and functions their names. `string.lower` says that letters are all there is.
  if (json !== undefined) {
    const text = JSON.stringify(json);
    for (const [, flags = ''] of text.matchAll(/"flags":"(\w+)"/g)) found.flags += flags;
    if (text.includes('"morphs":')) found.replaces = true;
  }
  if (requirement instanceof RegExp) found.flags += requirement.flags;
  if (fallback !== undefined || others.kind === 'transformation') found.replaces = true;
  for (const each of [...others.pipe, wrapped, ...others.options]) look(each, found, depth + 1);
}

/** The members of a schema that are read: functions of the same names are those of other libraries. */
function partsOf(schema: object) {
  const { _zod, kind, requirement, fallback, pipe, wrapped, options, json } = schema as Parts;
  const list = (each: unknown): readonly unknown[] => (Array.isArray(each) ? (each as unknown[]) : []);
  return { _zod, kind, requirement, fallback, wrapped, json, pipe: list(pipe), options: list(options) };
}

function lookAtZod(def: ZodDefinition, found: { flags: string; replaces: boolean }, depth: number): void {
  const { type, pattern, checks = [], innerType, getter, out, options = [] } = def;
  if (pattern instanceof RegExp) found.flags += pattern.flags;
  // A format, such as `z.email()`, is a check itself.
  let isChecked = def.check !== undefined || (type !== 'string' && type !== 'number');
  for (const each of checks) {
    const { check, pattern: own } = (each as Parts)._zod?.def ?? {};
    if (own instanceof RegExp) found.flags += own.flags;
    if (check === 'overwrite' && isChecked) found.replaces = true;
    if (check !== 'overwrite') isChecked = true;
  }
  if (type === 'catch') found.replaces = true;
  for (const each of [innerType, getter?.(), out, ...options]) look(each, found, depth + 1);
}
