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
      return zod(of, side, inner);
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

function zod(of: Definition, side: Side, inner: Inner): Shape {
  const def = zodPart(of, 'def') ?? {};
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
      return recordOf(def['keyType'], inner(def['valueType']), isExhaustive(of));
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

/** Whether a schema of zod converts what it gets (`z.coerce.number()`), so that the type of what it takes is unknown. */
export function isCoerced(schema: unknown): boolean {
  const { coerce, innerType } = zodPart(schema, 'def') ?? {};
  return coerce === true || (innerType !== undefined && isCoerced(innerType));
}

function zodPart(of: unknown, name: string): Definition | undefined {
  return (of as { readonly _zod?: Readonly<Record<string, Definition>> } | undefined)?._zod?.[name];
}

/** A record with a few keys is an object, whose members may be missing unless the schema requires all of them. */
function recordOf(key: unknown, of: Shape, isWhole: boolean): Shape {
  const values =
    (zodPart(key, 'values') as Iterable<unknown> | undefined) ??
    (key as { readonly options?: Iterable<unknown> }).options;
  if (values === undefined) return { kind: 'record', of };
  const fields = Array.from(values, (name): [string, Field] => [String(name), { shape: of, optional: !isWhole }]);
  return { kind: 'object', fields: Object.fromEntries(fields) };
}

function isExhaustive(record: Definition): boolean {
  return !accepts(record as unknown as StandardSchema, {});
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
    case 'nullish': {
      // A default takes the place of null, too.
      const isNull = side === 'input' || typeof of['default'] === 'undefined' || of['default'] === null;
      return isNull ? union([inner(of['wrapped']), { kind: 'null' }]) : inner(of['wrapped']);
    }
    case 'array':
      return { kind: 'list', of: inner(of['item']) };
    case 'set':
      return { kind: 'set', of: inner(of['value']) };
    case 'record':
      return recordOf(of['key'], inner(of['value']), false);
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
    // Undefined is written like the text, which a schema hardly ever has.
    const branches = (json as readonly unknown[]).filter(
      (each) => (Object(each) as Definition)['unit'] !== 'undefined',
    );
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
    { shape: inner(member), optional: mayBeMissing(member as StandardSchema, side) },
  ]);
  return { kind: 'object', fields: Object.fromEntries(fields) };
}

/** Whether an object may lack a member. It may also lack one that is not to be undefined if it is there. */
function mayBeMissing(member: StandardSchema, side: Side): boolean {
  const { type, _zod } = member as {
    readonly type?: unknown;
    readonly _zod?: { readonly optin?: string; readonly optout?: string };
  };
  const stated = side === 'input' ? _zod?.optin : _zod?.optout;
  return type === 'exact_optional' || stated === 'optional' || shapeOfSchema(member, side).optional;
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
