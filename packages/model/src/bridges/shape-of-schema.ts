import type { StandardSchema } from '../schema/standard-schema.ts';
import { accepts, yielded } from '../schema/validated.ts';
import type { Field, Shape } from './shape.ts';

/** Which side of a schema: the values it accepts, or the values it yields. */
export type Side = 'input' | 'output';

/** What is known of a schema: its shape, and whether it accepts or yields undefined. */
export interface SchemaShape extends Field {
  /** The shape of the values that it accepts or yields. */
  readonly shape: Shape;
  /** Whether it accepts or yields undefined as well. */
  readonly optional: boolean;
}

type Definition = Readonly<Record<string, unknown>>;

const depthMax = 12;

/**
 * The shape of a schema of zod, valibot or arktype, from what these libraries expose. What they do not expose (transforms,
 * custom checks) becomes `unknown`, which accepts everything and makes no false claim.
 */
export function shapeOfSchema(schema: StandardSchema, side: Side): SchemaShape {
  const isTaken = accepts(schema, undefined);
  const isYielded = isTaken && yielded(schema, undefined) === undefined;
  return { shape: look(schema, side, 0), optional: side === 'input' ? isTaken : isYielded };
}

function look(schema: unknown, side: Side, depth: number): Shape {
  if ((typeof schema !== 'object' && typeof schema !== 'function') || schema === null || depth > depthMax)
    return unknown;
  const shape = described(schema, side, depth);
  return shape.kind === 'unknown' && isBinary(schema as StandardSchema) ? { kind: 'binary' } : shape;
}

/** Whether bytes are all that a schema accepts. Libraries only show that a schema checks a class, and not which. */
function isBinary(schema: StandardSchema): boolean {
  if (schema['~standard'] === undefined) return false;
  const isTaken = [1, 16, 32].some((length) => accepts(schema, new Uint8Array(length)));
  return isTaken && ['text', 1, true, {}, []].every((other) => !accepts(schema, other));
}

function described(schema: object, side: Side, depth: number): Shape {
  const of = schema as Definition & { readonly '~standard'?: { readonly vendor?: string } };
  const inner = (each: unknown): Shape => look(each, side, depth + 1);
  switch (of['~standard']?.vendor) {
    case 'zod':
      return zod(((of['_zod'] as Definition | undefined)?.['def'] ?? {}) as Definition, side, inner);
    case 'valibot':
      return valibot(of, side, inner);
    case 'arktype':
      return arktype(of['json'], depth);
    default:
      return unknown;
  }
}

const unknown: Shape = { kind: 'unknown' };
type Inner = (schema: unknown) => Shape;

function zod(def: Definition, side: Side, inner: Inner): Shape {
  if (def['coerce'] === true && side === 'input') return unknown;
  switch (def['type']) {
    case 'string':
    case 'number':
    case 'boolean':
    case 'bigint':
    case 'null':
      return { kind: def['type'] };
    case 'int':
      return { kind: 'number' };
    case 'enum':
      return choice(Object.values(def['entries'] as object));
    case 'literal':
      return choice(def['values'] as readonly unknown[]);
    case 'optional':
    case 'default':
    case 'prefault':
    case 'readonly':
    case 'nonoptional':
    case 'catch':
      return inner(def['innerType']);
    case 'nullable':
      return union([inner(def['innerType']), { kind: 'null' }]);
    case 'array':
      return { kind: 'list', of: inner(def['element']) };
    case 'set':
      return { kind: 'set', of: inner(def['valueType']) };
    case 'record':
      return { kind: 'record', of: inner(def['valueType']) };
    case 'object':
      return object(def['shape'] as Definition, side, inner);
    case 'union':
      return union((def['options'] as readonly unknown[]).map(inner));
    case 'pipe':
      return inner(side === 'input' ? def['in'] : def['out']);
    default:
      return unknown;
  }
}

function valibot(of: Definition, side: Side, inner: Inner): Shape {
  const pipe = of['pipe'] as readonly Definition[] | undefined;
  if (side === 'output' && pipe?.some((step) => step['kind'] === 'transformation') === true) return unknown;
  switch (of['type']) {
    case 'string':
    case 'number':
    case 'boolean':
    case 'bigint':
    case 'null':
      return { kind: of['type'] };
    case 'picklist':
    case 'enum':
      return choice(of['options'] as readonly unknown[]);
    case 'literal':
      return choice([of['literal']]);
    case 'optional':
    case 'exact_optional':
    case 'undefinedable':
    case 'non_optional':
      return inner(of['wrapped']);
    case 'nullable':
    case 'nullish':
      return union([inner(of['wrapped']), { kind: 'null' }]);
    case 'array':
      return { kind: 'list', of: inner(of['item']) };
    case 'set':
    case 'record':
      return { kind: of['type'], of: inner(of['value']) };
    case 'object':
    case 'strict_object':
    case 'loose_object':
      return object(of['entries'] as Definition, side, inner);
    case 'union':
    case 'variant':
      return union((of['options'] as readonly unknown[]).map(inner));
    default:
      return unknown;
  }
}

/** arktype's own JSON: a domain, a unit, a prototype with its elements, or branches of these. */
function arktype(json: unknown, depth: number): Shape {
  if (depth > depthMax) return unknown;
  if (Array.isArray(json)) {
    const branches = json as readonly unknown[];
    const units = branches.flatMap((each) => ('unit' in Object(each) ? [(each as Definition)['unit']] : []));
    return units.length === branches.length ? choice(units) : union(branches.map((each) => arktype(each, depth + 1)));
  }
  const of: Definition = typeof json === 'string' ? { domain: json } : ((json ?? {}) as Definition);
  if ('unit' in of) return choice([of['unit']]);
  if (of['in'] !== undefined || of['morphs'] !== undefined) return unknown;
  const domain = typeof of['domain'] === 'object' ? (of['domain'] as Definition)['domain'] : of['domain'];
  if (domain === 'string' || domain === 'number' || domain === 'boolean' || domain === 'bigint')
    return { kind: domain };
  if (of['proto'] === 'Array' && of['sequence'] !== undefined)
    return { kind: 'list', of: arktype((of['sequence'] as Definition)['variadic'] ?? of['sequence'], depth + 1) };
  const members = (list: unknown, optional: boolean): [string, Field][] =>
    ((list ?? []) as readonly Definition[]).map((each) => [
      String(each['key']),
      { shape: arktype(each['value'], depth + 1), optional },
    ]);
  if (domain === 'object' && (of['required'] !== undefined || of['optional'] !== undefined))
    return {
      kind: 'object',
      fields: Object.fromEntries([...members(of['required'], false), ...members(of['optional'], true)]),
    };
  return unknown;
}

function object(members: Definition, side: Side, inner: Inner): Shape {
  const fields = Object.entries(members).map(([name, member]): [string, Field] => [
    name,
    { shape: inner(member), optional: shapeOfSchema(member as StandardSchema, side).optional },
  ]);
  return { kind: 'object', fields: Object.fromEntries(fields) };
}

function choice(values: readonly unknown[]): Shape {
  if (values.every((value) => typeof value === 'string')) {
    const [only] = values;
    return values.length === 1 && only !== undefined ? { kind: 'literal', value: only } : { kind: 'enum', values };
  }
  return union(
    values.map((value): Shape => {
      if (value === null) return { kind: 'null' };
      const plain = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
      return plain ? { kind: 'literal', value } : unknown;
    }),
  );
}

function union(shapes: readonly Shape[]): Shape {
  if (shapes.some(({ kind }) => kind === 'unknown') || shapes.length === 0) return unknown;
  const [only = unknown] = shapes;
  return shapes.length === 1 ? only : { kind: 'union', of: shapes };
}
