import type { StandardSchema } from '../schema/standard-schema.ts';
import { accepts, validated } from '../schema/validated.ts';

/** The members of zod's and valibot's objects that lead to the schemas within a schema. */
interface Parts {
  readonly _zod?: { readonly def?: Parts };
  readonly type?: string;
  readonly kind?: string;
  readonly innerType?: unknown;
  readonly wrapped?: unknown;
  readonly shape?: Readonly<Record<string, unknown>>;
  readonly entries?: Readonly<Record<string, unknown>>;
  readonly element?: unknown;
  readonly valueType?: unknown;
  readonly keyType?: unknown;
  readonly key?: unknown;
  readonly catchall?: unknown;
  readonly item?: unknown;
  readonly value?: unknown;
}

/** The schema of the elements of a list or a set. */
export const element: unique symbol = Symbol('element');

/** A step into a value: the entry of a map, the number of an element, or any element. */
export type SchemaStep = string | number | typeof element;

/**
 * The schema of what is at a path within the values of a schema. Undefined if it is not known: the schema is another library's than zod or
 * valibot, or takes several kinds of values.
 */
export function schemaAt(schema: StandardSchema | undefined, steps: readonly SchemaStep[]): StandardSchema | undefined {
  return steps.reduce<unknown>((each, step) => inner(each, step), schema) as StandardSchema | undefined;
}

/**
 * Whether values of a schema may have an entry of that name: a field of an object, or a key of a record. Whatever is not known to be without it may
 * have it.
 */
export function mayHaveEntry(schema: unknown, name: string): boolean {
  const {
    type,
    innerType,
    wrapped = innerType,
    shape,
    entries = shape,
    keyType,
    key = keyType,
    catchall,
  } = partsOf(schema);
  if (wrapped !== undefined) return mayHaveEntry(wrapped, name);
  if (type === 'record') return [name, Number(name)].some((each) => isValid(key, each));
  const isOpen = catchall === undefined ? /loose|rest/.test(type ?? '') : partsOf(catchall).type !== 'never';
  return entries === undefined || isOpen || Object.hasOwn(entries, name);
}

/** Whether each value of a schema has an entry of that name, such as a required field. */
export function isRequiredEntry(schema: StandardSchema, name: string): boolean {
  return (validated(schema, {}).issues ?? []).some(
    ({ path: [step] = [] }) => (typeof step === 'object' ? step.key : step) === name,
  );
}

/** A schema that is none of a known library takes anything. */
function isValid(schema: unknown, value: unknown): boolean {
  return schema === undefined || accepts(schema as StandardSchema, value);
}

function inner(schema: unknown, step: SchemaStep): unknown {
  const parts = partsOf(schema);
  const { type, innerType, wrapped = innerType, shape, entries = shape, valueType, value = valueType } = parts;
  if (wrapped !== undefined) return inner(wrapped, step);
  if (typeof step === 'string')
    return entries !== undefined && Object.hasOwn(entries, step)
      ? entries[step]
      : type === 'record'
        ? value
        : undefined;
  if (type === 'array') return parts.element ?? parts.item;
  return type === 'set' && step === element ? value : undefined;
}

function partsOf(schema: unknown): Parts {
  if (typeof schema !== 'object' || schema === null) return {};
  const parts = schema as Parts;
  return parts._zod?.def ?? (parts.kind === 'schema' ? parts : {});
}
