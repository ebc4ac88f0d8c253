import { InputError } from '../model-error.ts';
import type { StandardSchema } from '../schema/standard-schema.ts';
import { inputNamed, isAttribute, isReference, type Values } from './condition.ts';
import type { Guard } from './value.ts';

/** The type of this module, which is loaded on demand. */
export interface Evaluator {
  readonly holds: typeof holds;
  readonly computedValues: typeof computedValues;
}

/**
 * Whether values meet a condition, as the service would decide it. A missing value meets no test but `exists: false`, `not` and
 * `lacks`. Values of two types are unequal and have no order.
 *
 * @param input - the values of references and of inputs in paths; none in the condition of a key.
 * @throws {InputError} for a test that does not exist, and for a reference to an input that is missing.
 */
export function holds(condition: Guard, values: Values, input: Values = {}): boolean {
  const { any } = condition as { readonly any?: unknown };
  if (Array.isArray(any)) return any.some((each) => holds(each as Guard, values, input));
  return Object.entries(condition).every(([path, test]) => meets(test, valueAt(values, path, input), input, values));
}

/**
 * Whether one value meets one test.
 *
 * @param item - the other attributes of the item, which the value may be compared with.
 */
export function meets(test: unknown, value: unknown, input: Values = {}, item: Values = {}): boolean {
  if (Array.isArray(test)) return test.some((each) => isEqual(value, operandOf(each, input)));
  if (typeof test !== 'object' || test === null || isReference(test)) return isEqual(value, operandOf(test, input));
  return Object.entries(test).every(([kind, given]) => comparison(kind, value, given, { input, item }));
}

/** The sources of a condition's operands. */
interface Operands {
  readonly input: Values;
  readonly item: Values;
}

function comparison(kind: string, value: unknown, given: unknown, { input, item }: Operands): boolean {
  if (kind === 'size') {
    const size = sizeOf(value);
    return size !== undefined && meets(given, size, input, item);
  }
  const other = isAttribute(given) ? item[given.attribute] : operandOf(given, input);
  const order = (): number => compareValues(value, other) ?? Number.NaN;
  switch (kind) {
    case 'exists':
      return (value !== undefined) === other;
    case 'equals':
      return isEqual(value, other);
    case 'not':
      return !isEqual(value, other);
    case 'atLeast':
      return order() >= 0;
    case 'atMost':
      return order() <= 0;
    case 'above':
      return order() > 0;
    case 'below':
      return order() < 0;
    case 'begins':
      return typeof value === 'string' && value.startsWith(String(other));
    case 'contains':
      return contains(value, other);
    case 'lacks':
      return !contains(value, other);
    default:
      throw new InputError('unknown-comparison', kind, 'is not a comparison');
  }
}

/** The value at a document path such as `addresses.{label}.lines[0]`; undefined where the path leads nowhere. */
function valueAt(values: Values, path: string, input: Values): unknown {
  if (/^\w+$/.test(path)) return values[path];
  let value: unknown = values;
  for (const segment of path.split('.')) {
    const [, written = segment, indexes = ''] = /^(.*?)((?:\[\d+\])*)$/.exec(segment) ?? [];
    const [, variable] = /^\{(.+)\}$/.exec(written) ?? [];
    const name = variable === undefined ? written : String(inputNamed(input, variable));
    value = isMap(value) && Object.hasOwn(value, name) ? value[name] : undefined;
    for (const [, index] of indexes.matchAll(/\[(\d+)\]/g))
      value = Array.isArray(value) ? value[Number(index)] : undefined;
  }
  return value;
}

function contains(value: unknown, element: unknown): boolean {
  if (typeof value === 'string') return typeof element === 'string' && value.includes(element);
  const elements = value instanceof Set ? [...value] : Array.isArray(value) ? (value as unknown[]) : [];
  return elements.some((each) => isEqual(each, element));
}

function sizeOf(value: unknown): number | undefined {
  if (typeof value === 'string' || Array.isArray(value) || value instanceof Uint8Array) return value.length;
  if (value instanceof Set) return value.size;
  return isMap(value) ? Object.keys(value).length : undefined;
}

/** Equality as the service defines it: numbers by value, sets by elements, lists and maps deeply. Nothing equals a missing value. */
export function isEqual(a: unknown, b: unknown): boolean {
  if (a === undefined || b === undefined) return false;
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((each, i) => isEqual(each, b[i]));
  if (a instanceof Set)
    return (
      b instanceof Set && a.size === b.size && [...a].every((each) => [...b].some((other) => isEqual(each, other)))
    );
  if (isMap(a)) {
    const names = Object.keys(a);
    return isMap(b) && names.length === Object.keys(b).length && names.every((name) => isEqual(a[name], b[name]));
  }
  return a === b || compareValues(a, b) === 0;
}

/** The order of two values of one type; undefined where they have none. Text and binary are compared by bytes. */
export function compareValues(a: unknown, b: unknown): number | undefined {
  if (typeof a === 'string') return typeof b === 'string' ? compareText(a, b) : undefined;
  if (isNumber(a)) return isNumber(b) ? (a < b ? -1 : a > b ? 1 : 0) : undefined;
  if (!(a instanceof Uint8Array) || !(b instanceof Uint8Array)) return undefined;
  const at = a.findIndex((byte, i) => byte !== b[i]);
  return at < 0 ? a.length - b.length : (a[at] ?? 0) - (b[at] ?? -1);
}

/** The order of two texts by their UTF-8 bytes, which is the order of code points. A surrogate sorts above the rest of UTF-16. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  let i = 0;
  while (i < length && a.charCodeAt(i) === b.charCodeAt(i)) i++;
  if (i === length) return a.length - b.length;
  return rank(a.charCodeAt(i)) - rank(b.charCodeAt(i));
}

/** Surrogates represent characters above U+FFFF. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

function isNumber(value: unknown): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return (
    typeof value === 'object' &&
    value !== null &&
    !(Array.isArray(value) || value instanceof Set || value instanceof Uint8Array)
  );
}

function operandOf(value: unknown, input: Values): unknown {
  return isReference(value) ? inputNamed(input, value.ref) : value;
}

/** How an attribute is computed from others. */
interface ComputedRule {
  readonly from: readonly string[];
  readonly as: (values: never) => unknown;
}

/** An entity that computes attributes, and the schemas that check their values. */
interface ComputingEntity {
  readonly entity: {
    readonly rules: { readonly computed?: object };
    readonly attributes: ReadonlyMap<string, { readonly schema: StandardSchema }>;
  };
  parseAttribute(name: string, schema: StandardSchema, value: unknown): unknown;
}

/**
 * The values and the attributes computed from them, in the order of declaration, since one may be computed from another.
 *
 * @param given - the caller's values for them, since items that were read are put back with them.
 * @throws {InputError} `computed` if the caller's value differs.
 */
export function computedValues(codec: ComputingEntity, values: Values, given: Values): Record<string, unknown> {
  const all: Record<string, unknown> = { ...values };
  for (const [name, rule] of Object.entries(codec.entity.rules.computed ?? {}) as [string, ComputedRule][]) {
    const value = computedValue(codec, name, rule, all);
    if (given[name] !== undefined && !isEqual(given[name], value))
      throw new InputError('computed', name, `is computed from ${rule.from.join(' and ')}: leave it out`);
    if (value !== undefined) all[name] = value;
  }
  return all;
}

/** The value computed from others, as its schema yields it; undefined if one of them is missing. */
export function computedValue(
  codec: ComputingEntity,
  name: string,
  { from, as }: ComputedRule,
  values: Values,
): unknown {
  const schema = codec.entity.attributes.get(name)?.schema;
  const sources = from.map((each) => [each, values[each]] as const);
  const isWhole = sources.every(([, value]) => value !== undefined);
  // The entity's own schemas produced the values, and its declaration the function that takes them.
  const value = isWhole ? as(Object.fromEntries(sources) as never) : undefined;
  return schema === undefined ? value : codec.parseAttribute(name, schema, value);
}
