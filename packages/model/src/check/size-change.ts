import { storedSchema } from '../entities/codec.ts';
import { isReference } from '../patterns/condition.ts';
import type { AttributeInfo, WritePlan } from '../resolve/resolved.ts';
import type { StandardSchema } from '../schema/standard-schema.ts';
import { noResult, validated } from '../schema/validated.ts';
import { describe } from './bounds.ts';
import { alternativesOf, isMissing, mayBeMissing, narrowedByTests, type NumberRange, testsOf } from './sum-range.ts';

/** The numbers of elements of a list or a set. */
interface Sizes {
  readonly least: number;
  readonly most: number;
}

/** A change of a list or a set: the attribute, what is done to it, and with what. */
export interface SizeChange {
  readonly write: WritePlan;
  readonly info: AttributeInfo;
  readonly kind: 'append' | 'include' | 'exclude' | 'remove';
  readonly operand: unknown;
  /** The schema of an input. */
  readonly inputSchema: (input: string) => StandardSchema | undefined;
}

/** The bound that a change of a size may exceed, and the size before the change that keeps it. */
export interface ExceededSize {
  readonly test: 'atLeast' | 'atMost';
  readonly bound: number;
  readonly limit: number;
}

/** How many elements the lists and sets of a schema have, as far as it says. */
export function sizesOf(schema: StandardSchema | undefined): Sizes {
  if (schema === undefined) return { least: 0, most: Number.POSITIVE_INFINITY };
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY } = describe(schema);
  return look(storedSchema(schema), { least: minItems, most: maxItems });
}

interface Parts {
  readonly _zod?: { readonly def: { readonly innerType?: unknown; readonly checks?: readonly Parts[] } & Bounds };
  readonly wrapped?: unknown;
  readonly pipe?: unknown;
}

interface ValibotStep {
  readonly type?: string;
  readonly requirement?: unknown;
}

interface Bounds {
  readonly minimum?: number;
  readonly maximum?: number;
  readonly size?: number;
}

/** Sets have no JSON Schema: zod and valibot show their bounds themselves. */
function look(schema: unknown, { least, most }: Sizes): Sizes {
  const { _zod, wrapped, pipe } = Object(schema) as Parts;
  const inner = _zod?.def.innerType ?? wrapped;
  if (inner !== undefined) return look(inner, { least, most });
  const bounds: Bounds[] = (_zod?.def.checks ?? []).flatMap((check) => check._zod?.def ?? []);
  const steps = Array.isArray(pipe) ? (pipe as readonly ValibotStep[]) : [];
  for (const { type, requirement } of steps)
    if (typeof requirement === 'number') {
      if (type === 'size') bounds.push({ size: requirement });
      if (type === 'min_size') bounds.push({ minimum: requirement });
      if (type === 'max_size') bounds.push({ maximum: requirement });
    }
  return {
    least: Math.max(least, ...bounds.map(({ size, minimum = 0 }) => size ?? minimum)),
    most: Math.min(most, ...bounds.map(({ size, maximum = Number.POSITIVE_INFINITY }) => size ?? maximum)),
  };
}

/** The bounds that a list or a set may exceed by a change, under the condition of the write. */
export function exceededSizes(change: SizeChange): ExceededSize[] {
  const { write, info, kind } = change;
  const bounds = sizesOf(info.schema);
  const amount = amountOf(change);
  const before = alternativesOf(write.need.given).map((condition) => sizesUnder(condition, change));
  if (kind === 'append' || kind === 'include')
    return before.some(({ most }) => most + amount > bounds.most)
      ? [{ test: 'atMost', bound: bounds.most, limit: bounds.most - amount }]
      : [];
  // A set without elements is not stored: its attribute is missing, or read as its default.
  const mayBeEmpty = kind === 'remove' || (info.fallback === undefined ? info.optional : isEmptySet(info.fallback));
  const least = Math.max(bounds.least, mayBeEmpty ? 0 : 1);
  const isKept = (size: Sizes): boolean =>
    size.least - amount >= least || (mayBeEmpty && bounds.least <= (kind === 'remove' ? 0 : 1));
  return before.every(isKept) ? [] : [{ test: 'atLeast', bound: least, limit: least + amount }];
}

/** A set that is not stored: its attribute is missing. */
export function isEmptySet(value: unknown): boolean {
  return value instanceof Set && value.size === 0;
}

/** By how many elements a change alters the size at most. */
function amountOf({ operand, inputSchema }: SizeChange): number {
  if (Array.isArray(operand)) return operand.length;
  const schema = isReference(operand) ? inputSchema(operand.ref) : undefined;
  return schema !== undefined && isCollection(schema) ? sizesOf(schema).most : 1;
}

function isCollection(schema: StandardSchema): boolean {
  const isOf = (value: unknown): boolean => {
    const result = validated(schema, value);
    return result !== noResult && result.issues?.every(({ path = [] }) => path.length > 0) !== false;
  };
  return isOf([]) || isOf(new Set());
}

function sizesUnder(condition: object, { write, info, inputSchema }: SizeChange): Sizes {
  const tests = testsOf((condition as Readonly<Record<string, unknown>>)[info.name]);
  if (isMissing(tests)) return { least: 0, most: 0 };
  const { least, most } = sizesOf(info.schema);
  const stored: NumberRange = { least, most, isAbove: false, isBelow: false };
  const sizes = tests.flatMap(([kind, operand]) => (kind === 'size' ? testsOf(operand) : []));
  const isThere =
    sizes.length > 0 || tests.some(([kind, operand]) => kind === 'contains' || (kind === 'exists' && operand === true));
  const under = narrowedByTests(stored, sizes, { inputSchema, attributes: write.entity.attributes });
  return {
    least:
      !isThere && mayBeMissing(write, info) ? 0 : under.isAbove ? Math.floor(under.least) + 1 : Math.ceil(under.least),
    most: under.isBelow ? Math.ceil(under.most) - 1 : Math.floor(under.most),
  };
}
