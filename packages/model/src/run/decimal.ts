/** A decimal number without its point: `coefficient` times ten to the power of minus `scale`. */
interface Decimal {
  readonly coefficient: bigint;
  readonly scale: number;
}

/** The exact sum of two decimal numbers, as the service stores it. Binary addition would be wrong in the last digits. */
export function addDecimals(a: string, b: string): string {
  const [x, y] = [decimalOf(a), decimalOf(b)];
  const scale = Math.max(x.scale, y.scale);
  const sum = scaled(x, scale) + scaled(y, scale);
  if (scale === 0) return String(sum);
  const digits = String(sum < 0n ? -sum : sum).padStart(scale + 1, '0');
  const fraction = digits.slice(-scale).replace(/0+$/, '');
  const whole = `${sum < 0n ? '-' : ''}${digits.slice(0, -scale)}`;
  return fraction === '' ? whole.replace(/^-0$/, '0') : `${whole}.${fraction}`;
}

/** The digits of a number as the service returns them, however it was written. */
export function plainDecimal(text: string): string {
  return addDecimals(text, '0');
}

/** Negative, zero or positive, as the first of two numbers is less than, equal to or greater than the second: all their digits count. */
export function compareDecimals(a: string, b: string): number {
  const difference = Number(a) - Number(b);
  if (difference !== 0 || a === b) return difference;
  const [x, y] = [decimalOf(a), decimalOf(b)];
  const scale = Math.max(x.scale, y.scale);
  return Number(scaled(x, scale) - scaled(y, scale));
}

function scaled({ coefficient, scale }: Decimal, to: number): bigint {
  return coefficient * 10n ** BigInt(to - scale);
}

function decimalOf(text: string): Decimal {
  const [mantissa = '0', exponent = '0'] = text.toLowerCase().split('e');
  const [whole = '0', fraction = ''] = mantissa.split('.');
  const scale = fraction.length - Number(exponent);
  const coefficient = BigInt(`${whole}${fraction}`);
  return scale >= 0 ? { coefficient, scale } : { coefficient: coefficient * 10n ** BigInt(-scale), scale: 0 };
}
