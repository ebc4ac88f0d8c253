/** Values as DynamoDB compares them: numbers by value, text and binary by bytes, sets by their elements. */

/** Attributes by name, as the application sees them. */
export type Values = Readonly<Record<string, unknown>>;

/** A number without rounding: `digits` without zeros at either end, times ten to the power of `exponent`. */
interface Decimal {
  readonly negative: boolean;
  readonly digits: string;
  readonly exponent: number;
}

/**
 * An item with its computed attributes, each computed again.
 *
 * @param yielded - what the schema of an attribute makes of a value, or of a missing one.
 */
export function withComputed(
  { computed = {} }: { readonly computed?: object },
  item: Values,
  yielded: (name: string, value: unknown) => unknown,
): Record<string, unknown> {
  const all: Record<string, unknown> = { ...item };
  for (const [name, rule] of Object.entries(computed)) {
    const { from, as } = rule as { readonly from: readonly string[]; readonly as: (values: Values) => unknown };
    const sources = Object.fromEntries(from.map((each) => [each, all[each]]));
    const value = yielded(name, Object.values(sources).includes(undefined) ? undefined : as(sources));
    if (value === undefined) delete all[name];
    else all[name] = value;
  }
  return all;
}

/** The sum of two numbers without rounding: a bigint if no number represents it exactly. */
export function exactSum(a: number | bigint, b: number | bigint): number | bigint {
  const [x, y] = [decimalOf(a), decimalOf(b)];
  const exponent = Math.min(x.exponent, y.exponent);
  const whole = ({ negative, digits, exponent: own }: Decimal): bigint =>
    (negative ? -1n : 1n) * BigInt(digits || '0') * 10n ** BigInt(own - exponent);
  const sum = `${whole(x) + whole(y)}e${exponent}`;
  const number = Number(sum);
  return Number.isInteger(number) && !Number.isSafeInteger(number)
    ? (whole(x) + whole(y)) * 10n ** BigInt(Math.max(0, exponent))
    : number;
}

/** One text for each value: equal values have equal texts, and values of two types never do. */
export function valueText(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return `S${JSON.stringify(value)}`;
    case 'number':
    case 'bigint':
      return `N${numberText(value)}`;
    case 'boolean':
      return value ? 'true' : 'false';
    default:
      return value === null || value === undefined ? String(value) : objectText(value);
  }
}

export function equalValues(a: unknown, b: unknown): boolean {
  return valueText(a) === valueText(b);
}

/** Compares two values that have an order, false before true: negative, 0 or positive. Undefined for those that have none. */
export function compareValues(a: unknown, b: unknown): number | undefined {
  if (isNumber(a) && isNumber(b)) return compareDecimals(decimalOf(a), decimalOf(b));
  if (typeof a === 'string' && typeof b === 'string') return compareBytes(utf8(a), utf8(b));
  if (a instanceof Uint8Array && b instanceof Uint8Array) return compareBytes(a, b);
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b);
  return undefined;
}

/** Text for a whole item. Undefined attributes are left out. */
export function itemText(item: Values, only?: readonly string[]): string {
  const names = Object.keys(item)
    .filter((name) => item[name] !== undefined && (only?.includes(name) ?? true))
    .sort();
  return names.map((name) => `${name}=${valueText(item[name])}`).join(', ');
}

/** The elements of a list, set or map, the UTF-16 units of text, the bytes of binary. */
export function valueSize(value: unknown): number | undefined {
  if (typeof value === 'string' || Array.isArray(value) || value instanceof Uint8Array) return value.length;
  if (value instanceof Set) return value.size;
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.values(value).filter((each) => each !== undefined).length;
}

function objectText(value: unknown): string {
  if (value instanceof Uint8Array) return `B[${value.join(' ')}]`;
  if (Array.isArray(value)) return `L[${value.map(valueText).join(', ')}]`;
  if (value instanceof Set) return `SET{${[...value].map(valueText).sort().join(', ')}}`;
  return `M{${itemText(value as Values)}}`;
}

function numberText(value: number | bigint): string {
  const { negative, digits, exponent } = decimalOf(value);
  return digits === '' ? '0' : `${negative ? '-' : ''}${digits}e${exponent}`;
}

function isNumber(value: unknown): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

function decimalOf(value: number | bigint): Decimal {
  const [, sign, whole = '', fraction = '', power = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/.exec(String(value)) ?? [];
  const all = `${whole}${fraction}`.replace(/^0+/, '');
  const digits = all.replace(/0+$/, '');
  return {
    negative: sign === '-' && digits !== '',
    digits,
    exponent: digits === '' ? 0 : Number(power) - fraction.length + all.length - digits.length,
  };
}

function compareDecimals(a: Decimal, b: Decimal): number {
  const sign = (each: Decimal): number => (each.digits === '' ? 0 : each.negative ? -1 : 1);
  if (sign(a) !== sign(b)) return sign(a) - sign(b);
  const larger = a.negative ? -1 : 1;
  const magnitude = (each: Decimal): number => each.digits.length + each.exponent;
  if (magnitude(a) !== magnitude(b)) return (magnitude(a) - magnitude(b)) * larger;
  return compareBytes(utf8(a.digits), utf8(b.digits)) * larger;
}

const encoder = new TextEncoder();

function utf8(text: string): Uint8Array {
  return encoder.encode(text);
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i += 1) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}
