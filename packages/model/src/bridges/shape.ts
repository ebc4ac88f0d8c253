import type { StandardSchema } from '../schema/standard-schema.ts';

/** The type of an attribute as far as a bridge knows it: less than a schema library can express, but enough for DynamoDB. */
export type Shape =
  | { readonly kind: 'string' | 'number' | 'bigint' | 'boolean' | 'binary' | 'null' | 'unknown' }
  | { readonly kind: 'literal'; readonly value: string | number | boolean }
  | { readonly kind: 'enum'; readonly values: readonly string[] }
  | { readonly kind: 'list' | 'set' | 'record'; readonly of: Shape }
  | { readonly kind: 'object'; readonly fields: { readonly [name: string]: Field } }
  | { readonly kind: 'union'; readonly of: readonly Shape[] };

/** A member of an object. */
export interface Field {
  /** The shape of its value. */
  readonly shape: Shape;
  /** Whether it may be left out. */
  readonly optional: boolean;
}

/** The zod expression of a shape. */
export function zodText(shape: Shape): string {
  switch (shape.kind) {
    case 'binary':
      return 'z.instanceof(Uint8Array)';
    case 'literal':
      return `z.literal(${scalarText(shape.value)})`;
    case 'enum':
      return `z.enum([${shape.values.map(scalarText).join(', ')}])`;
    case 'list':
      return `z.array(${zodText(shape.of)})`;
    case 'set':
      return `z.set(${zodText(shape.of)})`;
    case 'record':
      return `z.record(z.string(), ${zodText(shape.of)})`;
    case 'object':
      return `z.object({ ${Object.entries(shape.fields)
        .map(
          ([name, { shape: field, optional }]) =>
            `${nameText(name)}: ${zodText(field)}${optional ? '.optional()' : ''}`,
        )
        .join(', ')} })`;
    case 'union':
      return `z.union([${shape.of.map(zodText).join(', ')}])`;
    default:
      return `z.${shape.kind}()`;
  }
}

/** The TypeScript type of a shape. */
export function typeText(shape: Shape): string {
  switch (shape.kind) {
    case 'binary':
      return 'Uint8Array';
    case 'literal':
      return scalarText(shape.value);
    case 'enum':
      return shape.values.map(scalarText).join(' | ');
    case 'list':
      return `${grouped(shape.of)}[]`;
    case 'set':
      return `Set<${typeText(shape.of)}>`;
    case 'record':
      return `Record<string, ${typeText(shape.of)}>`;
    case 'object': {
      const fields = Object.entries(shape.fields).map(([name, { shape: field, optional }]) =>
        optional ? `${nameText(name)}?: ${orUndefined(typeText(field))}` : `${nameText(name)}: ${typeText(field)}`,
      );
      return fields.length === 0 ? '{}' : `{ ${fields.join('; ')} }`;
    }
    case 'union':
      return [...new Set(shape.of.map(typeText))].join(' | ');
    default:
      return shape.kind;
  }
}

function grouped(shape: Shape): string {
  const text = typeText(shape);
  return text.includes(' | ') ? `(${text})` : text;
}

function orUndefined(text: string): string {
  return text === 'unknown' ? text : `${text} | undefined`;
}

/** Text, a number or a boolean as TypeScript, in single quotes. */
export function scalarText(value: string | number | boolean): string {
  if (typeof value !== 'string') return String(value);
  const inner = JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'");
  return `'${inner.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')}'`;
}

/** A property name, quoted if necessary. */
export function nameText(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) && name !== '__proto__' ? name : scalarText(name);
}

/** A schema of a shape without a library, for checking a draft before its file is written. */
export function schemaOf(shape: Shape, optional: boolean, fallback?: unknown): StandardSchema {
  return {
    '~standard': {
      version: 1,
      vendor: 'singlet',
      validate: (value) => {
        if (value === undefined && fallback !== undefined) return { value: fallback };
        if (value === undefined ? optional : accepts(shape, value)) return { value };
        return { issues: [{ message: `is not ${typeText(shape)}` }] };
      },
    },
  };
}

function accepts(shape: Shape, value: unknown): boolean {
  switch (shape.kind) {
    case 'unknown':
      return true;
    case 'null':
      return value === null;
    case 'binary':
      return value instanceof Uint8Array;
    case 'literal':
      return value === shape.value;
    case 'enum':
      return shape.values.includes(value as string);
    case 'list':
      return Array.isArray(value) && value.every((each) => accepts(shape.of, each));
    case 'set':
      return value instanceof Set && [...value].every((each) => accepts(shape.of, each));
    case 'record':
      return isObject(value) && Object.values(value).every((each) => accepts(shape.of, each));
    case 'object':
      return (
        isObject(value) &&
        Object.entries(shape.fields).every(([name, { shape: field, optional }]) =>
          value[name] === undefined ? optional : accepts(field, value[name]),
        )
      );
    case 'union':
      return shape.of.some((each) => accepts(each, value));
    default:
      return typeof value === shape.kind;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const fieldsMax = 20;

/** The shape that holds all of these values. */
export function shapeOfValues(values: readonly unknown[], depth = 4): Shape {
  const kinds = new Map<string, unknown[]>();
  for (const value of values) {
    const kind = kindOf(value);
    kinds.set(kind, [...(kinds.get(kind) ?? []), value]);
  }
  const shapes = [...kinds].map(([kind, of]) => shapeOfKind(kind, of, depth));
  const [only = { kind: 'unknown' }] = shapes;
  return shapes.length <= 1 ? only : { kind: 'union', of: shapes };
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'list';
  if (value instanceof Set) return 'set';
  if (value instanceof Uint8Array) return 'binary';
  return typeof value;
}

function shapeOfKind(kind: string, values: readonly unknown[], depth: number): Shape {
  if (kind === 'list' || kind === 'set') {
    const elements = values.flatMap((value) => [...(value as Iterable<unknown>)]);
    return { kind, of: depth === 0 ? { kind: 'unknown' } : shapeOfValues(elements, depth - 1) };
  }
  if (kind === 'object') return depth === 0 ? { kind: 'unknown' } : shapeOfObjects(values as readonly object[], depth);
  return { kind: kind as 'string' };
}

/** An object if it has few members that are nearly always present; otherwise a record. */
function shapeOfObjects(values: readonly object[], depth: number): Shape {
  const members = new Map<string, unknown[]>();
  for (const value of values)
    for (const [name, member] of Object.entries(value)) members.set(name, [...(members.get(name) ?? []), member]);
  const usual = [...members.values()].every((seen) => seen.length * 2 >= values.length);
  if (members.size === 0 || members.size > fieldsMax || !usual)
    return { kind: 'record', of: shapeOfValues([...members.values()].flat(), depth - 1) };
  const fields = [...members].map(([name, seen]): [string, Field] => [
    name,
    { shape: shapeOfValues(seen, depth - 1), optional: seen.length < values.length },
  ]);
  return { kind: 'object', fields: Object.fromEntries(fields) };
}
