import { domainOf } from '../keys/domain.ts';
import { isAttribute, isReference } from '../patterns/condition.ts';
import type { WriteNeed } from '../patterns/need.ts';
import type { Guard } from '../patterns/value.ts';
import type { AttributeInfo, WritePlan } from '../resolve/resolved.ts';
import type { StandardSchema } from '../schema/standard-schema.ts';
import { describe } from './bounds.ts';

/** Numbers between two ends, each of which may be excluded. */
export interface NumberRange {
  readonly least: number;
  readonly most: number;
  readonly isAbove: boolean;
  readonly isBelow: boolean;
}

const allNumbers: NumberRange = { least: -Infinity, most: Infinity, isAbove: false, isBelow: false };

/** A sum in an update: the attribute, and what is added to it. */
export interface Addition {
  readonly write: WritePlan;
  readonly info: AttributeInfo;
  /** The amount: a number, or an input. */
  readonly add: unknown;
  readonly times: -1 | undefined;
  /** The schema of an input. */
  readonly inputSchema: (input: string) => StandardSchema | undefined;
}

/** The numbers that a schema yields, as far as it says. */
export function rangeOfSchema(schema: StandardSchema | undefined): NumberRange {
  if (schema === undefined) return allNumbers;
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = describe(schema);
  const [least, most] = [exclusiveMinimum ?? minimum ?? -Infinity, exclusiveMaximum ?? maximum ?? Infinity];
  // A whole number without bounds is described as one that JavaScript represents exactly.
  return {
    least: least > Number.MIN_SAFE_INTEGER ? least : -Infinity,
    most: most < Number.MAX_SAFE_INTEGER ? most : Infinity,
    isAbove: exclusiveMinimum !== undefined,
    isBelow: exclusiveMaximum !== undefined,
  };
}

/** The sides on which the sum may be beyond the bounds of its schema, by what is stored, the condition of the update, and the amount. */
export function exceeded(addition: Addition): { readonly least: boolean; readonly most: boolean } {
  const { info, write } = addition;
  const bounds = rangeOfSchema(info.schema);
  const sums = alternativesOf(write.need.given).map((condition) => sumUnder(condition, addition));
  return {
    least: sums.some((sum) => isLower(sum, bounds)),
    most: sums.some((sum) => isLower(negative(sum), negative(bounds))),
  };
}

/** Amounts that are added, as far as known. */
export function amountRange({ add, times, inputSchema }: Omit<Addition, 'write' | 'info'>): NumberRange {
  const amount = operandRange(add, { inputSchema, attributes: new Map() });
  return times === undefined ? amount : negative(amount);
}

function sumUnder(condition: Guard, addition: Addition): NumberRange {
  const { write, info, add, times, inputSchema } = addition;
  const tests = testsOf((condition as Readonly<Record<string, unknown>>)[info.name]);
  const amount = amountRange(addition);
  let stored = narrowedByTests(rangeOfSchema(info.schema), tests, {
    inputSchema,
    attributes: write.entity.attributes,
  });
  if (domainOf(info.schema).number?.whole === true) stored = ofWholeNumbers(stored);
  const isThere = tests.some(([kind, operand]) => (kind === 'exists' ? operand === true : orders.has(kind)));
  // A missing number counts as 0.
  if (isMissing(tests)) stored = { ...allNumbers, least: 0, most: 0 };
  else if (!isThere && mayBeMissing(write, info)) stored = withZero(stored);
  let sum: NumberRange = {
    least: stored.least + amount.least,
    most: stored.most + amount.most,
    isAbove: stored.isAbove || amount.isAbove,
    isBelow: stored.isBelow || amount.isBelow,
  };
  if (isReference(add))
    for (const [kind, operand] of tests) {
      if (!isReference(operand)) continue;
      const isSame = operand.ref === add.ref;
      // At least what is taken away is stored, so that nothing or more is left. Another input is compared as the modeller decides.
      if (isSame && times === -1 && (kind === 'atLeast' || kind === 'above')) sum = atLeast(sum, 0, kind === 'above');
      if (!isSame && (kind === 'atLeast' || kind === 'above')) sum = { ...sum, least: Infinity };
      if (!isSame && (kind === 'atMost' || kind === 'below')) sum = { ...sum, most: -Infinity };
    }
  return sum;
}

/** Whether the item that a write finds may lack an attribute, or there may be none. */
export function mayBeMissing(
  { need }: { readonly need: Pick<WriteNeed, 'orCreates'> },
  { optional, fallback }: Pick<AttributeInfo, 'optional' | 'fallback'>,
): boolean {
  return (optional || need.orCreates === true) && fallback === undefined;
}

/** The numbers of a range that meet all tests. */
export function narrowedByTests(range: NumberRange, tests: readonly Test[], operands: Operands): NumberRange {
  return tests.reduce((each, [kind, operand]) => narrowed(each, kind, operandRange(operand, operands)), range);
}

const orders: ReadonlySet<string> = new Set(['equals', 'atLeast', 'atMost', 'above', 'below']);

export type Test = readonly [kind: string, operand: unknown];

/** The tests of a condition on one attribute, as kinds with their operands. */
export function testsOf(test: unknown): Test[] {
  if (test === undefined) return [];
  if (Array.isArray(test)) return [['equals', test]];
  return typeof test === 'object' && test !== null && !isReference(test) ? Object.entries(test) : [['equals', test]];
}

/** Whether the tests of an attribute require that there is none. */
export function isMissing(tests: readonly Test[]): boolean {
  return tests.some(([kind, operand]) => kind === 'exists' && operand === false);
}

/** The alternatives of a condition: one of them is met. */
export function alternativesOf(condition: Guard | undefined): readonly Guard[] {
  const { any } = (condition ?? {}) as { readonly any?: readonly Guard[] };
  return Array.isArray(any) ? any.flatMap(alternativesOf) : [condition ?? {}];
}

/** What the operands of a condition may refer to. */
export interface Operands {
  readonly inputSchema: Addition['inputSchema'];
  readonly attributes: ReadonlyMap<string, AttributeInfo>;
}

/** The numbers that an operand may be. */
function operandRange(operand: unknown, { inputSchema, attributes }: Operands): NumberRange {
  if (typeof operand === 'number') return { ...allNumbers, least: operand, most: operand };
  if (Array.isArray(operand) && operand.length > 0 && operand.every((each) => typeof each === 'number'))
    return { ...allNumbers, least: Math.min(...operand), most: Math.max(...operand) };
  if (isReference(operand)) return rangeOfSchema(inputSchema(operand.ref));
  return isAttribute(operand) ? rangeOfSchema(attributes.get(operand.attribute)?.schema) : allNumbers;
}

/** The numbers of a range that meet a test. */
function narrowed(range: NumberRange, kind: string, operand: NumberRange): NumberRange {
  const low = atLeast(range, operand.least, operand.isAbove || kind === 'above');
  const high = negative(atLeast(negative(range), -operand.most, operand.isBelow || kind === 'below'));
  if (kind === 'equals') return { ...low, most: high.most, isBelow: high.isBelow };
  if (kind === 'atLeast' || kind === 'above') return low;
  return kind === 'atMost' || kind === 'below' ? high : range;
}

function atLeast(range: NumberRange, least: number, isAbove: boolean): NumberRange {
  if (least < range.least || (least === range.least && !isAbove)) return range;
  return { ...range, least, isAbove };
}

function negative({ least, most, isAbove, isBelow }: NumberRange): NumberRange {
  return { least: -most, most: -least, isAbove: isBelow, isBelow: isAbove };
}

function ofWholeNumbers({ least, most, isAbove, isBelow }: NumberRange): NumberRange {
  return {
    least: isAbove ? Math.floor(least) + 1 : Math.ceil(least),
    most: isBelow ? Math.ceil(most) - 1 : Math.floor(most),
    isAbove: false,
    isBelow: false,
  };
}

function withZero(range: NumberRange): NumberRange {
  const low = range.least > 0 ? { ...range, least: 0, isAbove: false } : range;
  return low.most < 0 ? { ...low, most: 0, isBelow: false } : low;
}

/** Whether a range goes below another one. */
function isLower(range: NumberRange, bounds: NumberRange): boolean {
  if (bounds.least === -Infinity) return false;
  return range.least < bounds.least || (range.least === bounds.least && bounds.isAbove && !range.isAbove);
}
