import { canonicalizeBase64 } from '../../values/base64.ts';
import { canonicalizeNumber, compareNumbers } from '../../values/decimal.ts';
import { matchArn, parseArnPattern, splitArn } from './arn-pattern.ts';
import { type ConditionContext, unresolved } from './condition-context.ts';
import { isInRange, parseIpAddress, parseIpRange } from './ip-range.ts';
import { fillTemplate, type FilledText, parseTemplate } from './text-template.ts';
import { matchesPattern } from './wildcard.ts';

/** Compares a value of the request with one of the policy. @returns {@link unresolved} if the value of a variable cannot be determined. */
export type ValueTest = (value: string, context: ConditionContext) => boolean | typeof unresolved;

/**
 * The comparison of an operator with a value of the policy, ignoring the negation in its name: for `StringNotLike` that of `StringLike`.
 *
 * @returns undefined for a value that the operator cannot compare with: `NumericEquals` with `abc`.
 * @see IAM User Guide, "IAM JSON policy elements: Condition operators"
 */
export function valueTest(comparison: string, value: string, hasVariables: boolean): ValueTest | undefined {
  const plain = comparison.replace('Not', '');
  switch (plain) {
    case 'StringEquals':
      return textTest(value, hasVariables, ({ text }, asked) => text === asked);
    case 'StringEqualsIgnoreCase':
      return textTest(value, hasVariables, ({ text }, asked) => text.toLowerCase() === asked.toLowerCase());
    case 'StringLike':
      return textTest(value, hasVariables, ({ text, isLiteral }, asked) => matchesPattern(text, asked, isLiteral));
    case 'ArnEquals':
    case 'ArnLike':
      return arnTest(value, hasVariables);
    case 'Bool':
      return isBoolean(value) ? (asked) => asked.toLowerCase() === value.toLowerCase() : undefined;
    case 'BinaryEquals':
      return binaryTest(value);
    case 'IpAddress':
      return ipTest(value);
    default:
      return plain.startsWith('Numeric')
        ? orderTest(plain.slice('Numeric'.length), numberOf(value), numberOf, compareNumbers)
        : orderTest(plain.slice('Date'.length), timeOf(value), timeOf, (a, b) => a - b);
  }
}

export function isBoolean(text: string): boolean {
  return /^(?:true|false)$/i.test(text);
}

function textTest(
  value: string,
  hasVariables: boolean,
  matches: (filled: FilledText, asked: string) => boolean,
): ValueTest | undefined {
  const template = parseTemplate(value, hasVariables);
  if (template === undefined) return undefined;
  return (asked, context) => {
    const filled = fillTemplate(template, context);
    if (filled === undefined || filled === unresolved) return filled ?? false;
    return matches(filled, asked);
  };
}

function arnTest(value: string, hasVariables: boolean): ValueTest | undefined {
  const pattern = parseArnPattern(value, { hasVariables, isCompleted: false });
  if (pattern === undefined) return undefined;
  return (asked, context) => {
    const match = matchArn(pattern, splitArn(asked), context);
    return match === unresolved ? unresolved : match === 'match';
  };
}

function binaryTest(value: string): ValueTest | undefined {
  const wanted = binaryOf(value);
  return wanted === undefined ? undefined : (asked) => binaryOf(asked) === wanted;
}

function binaryOf(text: string): string | undefined {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text) || text.length % 4 !== 0) return undefined;
  return canonicalizeBase64(text);
}

function ipTest(value: string): ValueTest | undefined {
  const range = parseIpRange(value);
  if (range === undefined) return undefined;
  return (asked) => {
    const address = parseIpAddress(asked);
    return address !== undefined && isInRange(address, range);
  };
}

function orderTest<T>(
  order: string,
  wanted: T | undefined,
  read: (text: string) => T | undefined,
  compare: (a: T, b: T) => number,
): ValueTest | undefined {
  if (wanted === undefined) return undefined;
  return (asked) => {
    const value = read(asked);
    return value !== undefined && isInOrder(order, compare(value, wanted));
  };
}

function isInOrder(order: string, difference: number): boolean {
  switch (order) {
    case 'LessThan':
      return difference < 0;
    case 'LessThanEquals':
      return difference <= 0;
    case 'GreaterThan':
      return difference > 0;
    case 'GreaterThanEquals':
      return difference >= 0;
    default:
      return difference === 0;
  }
}

/** Numbers are compared as decimals, so that every digit of a large number counts. */
function numberOf(text: string): string | undefined {
  try {
    return canonicalizeNumber(text);
  } catch {
    return undefined; // not a number
  }
}

const isoForm = /^\d{4}(?:-\d{2}(?:-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2}))?)?)?$/;

/** Milliseconds since 1970, from a date in ISO 8601 or from seconds since 1970. Four digits are a year. */
function timeOf(text: string): number | undefined {
  const timeMs = isoForm.test(text)
    ? Date.parse(text)
    : /^-?\d+(?:\.\d+)?$/.test(text)
      ? Number(text) * 1000
      : Number.NaN;
  return Number.isNaN(timeMs) ? undefined : timeMs;
}
