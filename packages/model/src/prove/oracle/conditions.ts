import { compareValues, equalValues, valueSize, type Values } from './values.ts';

/**
 * Whether an item meets a condition. A value means equality, a list means any of its values, an object means all of its comparisons. A
 * missing attribute meets only `exists: false`, `not` and `lacks`.
 *
 * @param input - the values of references and of the braces in paths.
 * @param compared - a value of an attribute as it is compared.
 */
export function meetsCondition(
  condition: object | undefined,
  item: Values,
  input: Values,
  compared: Compared = (_, value) => value,
): boolean {
  if (condition === undefined) return true;
  const { any } = condition as { readonly any?: unknown };
  if (Array.isArray(any)) return any.some((each: object) => meetsCondition(each, item, input, compared));
  return Object.entries(condition).every(([path, test]) => {
    const as = (value: unknown): unknown => compared(path, value);
    return meetsTest(operandsAs(test, as), as(valueAt(item, path, input)), input, item);
  });
}

type Compared = (attribute: string, value: unknown) => unknown;

/** A test with its constants as they are compared. */
function operandsAs(test: unknown, as: (value: unknown) => unknown): unknown {
  if (Array.isArray(test)) return test.map(as);
  if (typeof test !== 'object' || test === null || isReference(test)) return as(test);
  return Object.fromEntries(Object.entries(test).map(([comparison, operand]) => [comparison, as(operand)]));
}

/** The value at a path such as `addresses.{label}.city` or `tags[0]`; undefined if there is none. */
export function valueAt(item: Values, path: string, input: Values): unknown {
  const steps = path.split(/\.|(?=\[)/);
  return steps.reduce<unknown>((value, step) => {
    if (typeof value !== 'object' || value === null) return undefined;
    const index = /^\[(\d+)\]$/.exec(step);
    if (index !== null) return Array.isArray(value) ? value[Number(index[1])] : undefined;
    const name = step.replaceAll(/\{(\w+)\}/g, (_, reference: string) => String(input[reference]));
    return Object.hasOwn(value, name) ? (value as Values)[name] : undefined;
  }, item);
}

function meetsTest(test: unknown, value: unknown, input: Values, item: Values): boolean {
  if (Array.isArray(test)) return test.some((each) => value !== undefined && equalValues(value, each));
  if (typeof test !== 'object' || test === null || isReference(test))
    return value !== undefined && equalValues(value, operandOf(test, input));
  return Object.entries(test).every(([comparison, operand]) =>
    meetsComparison(comparison, operandIn(operand, item), value, input),
  );
}

function meetsComparison(comparison: string, given: unknown, value: unknown, input: Values): boolean {
  if (given === undefined) return true;
  if (given === missing) return comparison === 'not';
  if (comparison === 'exists') return (value !== undefined) === given;
  if (comparison === 'size') {
    const size = valueSize(value);
    return size !== undefined && meetsTest(given, size, input, {});
  }
  const operand = operandOf(given, input);
  if (comparison === 'not') return value === undefined || !equalValues(value, operand);
  if (comparison === 'lacks') return value === undefined || !contains(value, operand);
  if (value === undefined) return false;
  switch (comparison) {
    case 'equals':
      return equalValues(value, operand);
    case 'begins':
      return typeof value === 'string' && typeof operand === 'string' && value.startsWith(operand);
    case 'contains':
      return contains(value, operand);
    default:
      return meetsOrder(comparison, compareValues(value, operand));
  }
}

function meetsOrder(comparison: string, difference: number | undefined): boolean {
  if (difference === undefined) return false;
  switch (comparison) {
    case 'atLeast':
      return difference >= 0;
    case 'atMost':
      return difference <= 0;
    case 'above':
      return difference > 0;
    case 'below':
      return difference < 0;
    default:
      throw new TypeError(`the oracle knows no comparison ${comparison}`);
  }
}

function contains(value: unknown, element: unknown): boolean {
  if (typeof value === 'string') return typeof element === 'string' && value.includes(element);
  const elements = value instanceof Set ? [...value] : Array.isArray(value) ? value : [];
  return elements.some((each) => equalValues(each, element));
}

function operandOf(operand: unknown, input: Values): unknown {
  return isReference(operand) ? input[operand.ref] : operand;
}

/** Replaces the name of another attribute by its value. `missing` if there is none: nothing equals it. */
function operandIn(operand: unknown, item: Values): unknown {
  if (typeof operand !== 'object' || operand === null || !('attribute' in operand)) return operand;
  return item[String(operand.attribute)] ?? missing;
}

const missing = Symbol('missing');

function isReference(value: unknown): value is { readonly ref: string } {
  return typeof value === 'object' && value !== null && 'ref' in value;
}
