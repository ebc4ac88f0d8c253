/**
 * What a row expects of a response, and how the actual response differs.
 *
 * An expectation is plain JSON, compared member by member: members not mentioned must be absent. A {@link Matcher}
 * may be anywhere in it. The contents of string, number and binary sets are compared without regard to order, because
 * DynamoDB does not promise one.
 */

type MatcherKind =
  | 'any-string'
  | 'any-number'
  | 'anything'
  | 'absent'
  | 'partial'
  | 'unordered'
  | 'containing'
  | 'matching'
  | 'close-to'
  | 'at-least'
  | 'one-of'
  | 'validation-errors'
  | 'some-validation-errors';

/** A place in an expectation that requires something other than equality. */
export class Matcher {
  readonly kind: MatcherKind;
  readonly operand: unknown;

  constructor(kind: MatcherKind, operand?: unknown) {
    this.kind = kind;
    this.operand = operand;
  }
}

/** Any string that is not empty. */
export const anyString: Matcher = new Matcher('any-string');
export const anyNumber: Matcher = new Matcher('any-number');
/** Anything, but present. */
export const anything: Matcher = new Matcher('anything');
/** The member must be absent. Used inside {@link partial}. */
export const absent: Matcher = new Matcher('absent');
/** An object with these members and possibly others. Nested objects are exact unless wrapped themselves. */
export const partial = (members: Record<string, unknown>): Matcher => new Matcher('partial', members);
/** A list with these elements in any order. */
export const unordered = (elements: readonly unknown[]): Matcher => new Matcher('unordered', elements);
/** A string that contains this part, for messages of which only a part is known. */
export const messageContaining = (part: string): Matcher => new Matcher('containing', part);
export const matching = (pattern: RegExp): Matcher => new Matcher('matching', pattern);
export const closeTo = (value: number, tolerance = 1e-9): Matcher => new Matcher('close-to', { value, tolerance });
export const atLeast = (value: number): Matcher => new Matcher('at-least', value);
/** One of several recorded answers, from different times or regions. */
export const oneOf = (...alternatives: readonly unknown[]): Matcher => new Matcher('one-of', alternatives);
/**
 * `N validation errors detected: …` with these errors in any order: the order in which DynamoDB lists them has
 * changed over time, their number and texts have not.
 */
export const validationErrors = (...errors: readonly string[]): Matcher => new Matcher('validation-errors', errors);
/**
 * `N validation errors detected: …` with at least one of these errors and no other. Since 2026 some actions stop at the
 * first error in most regions, and name the member differently or not at all. The constraint is the same.
 */
export const someValidationErrors = (...errors: readonly string[]): Matcher =>
  new Matcher('some-validation-errors', errors);

/** One way in which a value differs from an expectation, with the path to it. */
export interface Difference {
  readonly path: string;
  readonly expected: string;
  readonly actual: string;
}

/** All differences between `actual` and `expected`; none when it is as expected. */
export function differences(expected: unknown, actual: unknown, path = ''): readonly Difference[] {
  if (expected instanceof Matcher) return matcherDifferences(expected, actual, path);
  if (Array.isArray(expected)) return listDifferences(expected, actual, path);
  if (isObject(expected)) return objectDifferences(expected, actual, path, false);
  return Object.is(expected, actual) ? [] : [difference(path, expected, actual)];
}

const ENVELOPE = '1 validation error detected: ';

/**
 * Compares the message of an error. A text is compared as a whole, except for the envelope `1 validation error
 * detected: `, which DynamoDB has added to single errors since 2026 in some regions and actions.
 */
export function messageDifferences(expected: unknown, actual: unknown): readonly Difference[] {
  if (expected instanceof Matcher && expected.kind === 'one-of') {
    const alternatives = expected.operand as readonly unknown[];
    const accepted = alternatives.some((alternative) => messageDifferences(alternative, actual).length === 0);
    return accepted ? [] : [difference('message', expected, actual)];
  }
  if (typeof expected === 'string' && actual === ENVELOPE + expected) return [];
  return differences(expected, actual, 'message');
}

/** Shortens long values, so that a report stays readable. */
export function render(value: unknown): string {
  if (value === undefined) return '(absent)';
  if (value instanceof Matcher) return renderMatcher(value);
  const text = JSON.stringify(value, (_key, member: unknown) =>
    member instanceof Matcher ? renderMatcher(member) : member,
  );
  return text.length > 600 ? `${text.slice(0, 500)}… (${text.length} characters)` : text;
}

function matcherDifferences(matcher: Matcher, actual: unknown, path: string): readonly Difference[] {
  const failure = [difference(path, matcher, actual)];
  const check = (holds: boolean): readonly Difference[] => (holds ? [] : failure);
  switch (matcher.kind) {
    case 'any-string':
      return check(typeof actual === 'string' && actual !== '');
    case 'any-number':
      return check(typeof actual === 'number');
    case 'anything':
      return check(actual !== undefined);
    case 'absent':
      return check(actual === undefined);
    case 'partial':
      return objectDifferences(matcher.operand as Record<string, unknown>, actual, path, true);
    case 'unordered':
      return unorderedDifferences(matcher.operand as readonly unknown[], actual, path);
    case 'containing':
      return check(typeof actual === 'string' && actual.includes(String(matcher.operand)));
    case 'matching':
      return check(typeof actual === 'string' && (matcher.operand as RegExp).test(actual));
    case 'close-to': {
      const { value, tolerance } = matcher.operand as { value: number; tolerance: number };
      return check(typeof actual === 'number' && Math.abs(actual - value) <= tolerance);
    }
    case 'at-least':
      return check(typeof actual === 'number' && actual >= Number(matcher.operand));
    case 'one-of': {
      const alternatives = matcher.operand as readonly unknown[];
      return check(alternatives.some((alternative) => differences(alternative, actual).length === 0));
    }
    case 'validation-errors':
      return check(hasValidationErrors(matcher.operand as readonly string[], actual));
    case 'some-validation-errors':
      return check(hasSomeValidationErrors(matcher.operand as readonly string[], actual));
    default: {
      const unknownKind: never = matcher.kind;
      return [difference(path, unknownKind, actual)];
    }
  }
}

function hasValidationErrors(errors: readonly string[], actual: unknown): boolean {
  if (typeof actual !== 'string') return false;
  const heading = `${errors.length} validation error${errors.length === 1 ? '' : 's'} detected: `;
  if (!actual.startsWith(heading)) return false;
  // After removing every expected error, only the separators may remain.
  let rest = actual.slice(heading.length);
  for (const error of errors.toSorted((a, b) => b.length - a.length)) {
    const start = rest.indexOf(error);
    if (start < 0) return false;
    rest = rest.slice(0, start) + rest.slice(start + error.length);
  }
  return rest === '; '.repeat(errors.length - 1);
}

function hasSomeValidationErrors(errors: readonly string[], actual: unknown): boolean {
  const [, count, list] = /^(\d+) validation errors? detected: (.*)$/s.exec(String(actual)) ?? [];
  if (list === undefined) return false;
  const constraints = new Set(errors.map(constraintOf));
  const found = list.split('; ');
  return found.length === Number(count) && found.every((error) => constraints.has(constraintOf(error)));
}

/** What follows `failed to satisfy constraint:`. */
function constraintOf(error: string): string {
  return error.replace(/^.*ailed to satisfy constraint: /, '');
}

function objectDifferences(
  expected: Record<string, unknown>,
  actual: unknown,
  path: string,
  othersAllowed: boolean,
): readonly Difference[] {
  if (!isObject(actual)) return [difference(path, expected, actual)];
  const found: Difference[] = [];
  for (const [name, value] of Object.entries(expected)) {
    const actualMember = Object.hasOwn(actual, name) ? actual[name] : undefined;
    const memberPath = path === '' ? name : `${path}.${name}`;
    if (isSet(name, value) && isSet(name, actualMember)) {
      found.push(...unorderedDifferences(value, actualMember, memberPath));
    } else {
      found.push(...differences(value, actualMember, memberPath));
    }
  }
  if (othersAllowed) return found;
  for (const [name, value] of Object.entries(actual)) {
    if (Object.hasOwn(expected, name)) continue;
    found.push({ path: path === '' ? name : `${path}.${name}`, expected: '(absent)', actual: render(value) });
  }
  return found;
}

/** Whether a member is the contents of a set: a list of strings under the type tag of a set. */
function isSet(name: string, value: unknown): value is readonly string[] {
  return (
    (name === 'SS' || name === 'NS' || name === 'BS') &&
    Array.isArray(value) &&
    value.every((element) => typeof element === 'string')
  );
}

function listDifferences(expected: readonly unknown[], actual: unknown, path: string): readonly Difference[] {
  if (!Array.isArray(actual)) return [difference(path, expected, actual)];
  if (actual.length !== expected.length) return [difference(path, expected, actual)];
  return expected.flatMap((element, index) => differences(element, actual[index], `${path}[${index}]`));
}

function unorderedDifferences(expected: readonly unknown[], actual: unknown, path: string): readonly Difference[] {
  if (!Array.isArray(actual) || actual.length !== expected.length) return [difference(path, expected, actual)];
  const left: unknown[] = [...actual];
  const missing: unknown[] = [];
  for (const element of expected) {
    const index = left.findIndex((candidate) => differences(element, candidate).length === 0);
    if (index < 0) missing.push(element);
    else left.splice(index, 1);
  }
  return missing.length === 0 ? [] : [{ path, expected: `${render(missing)} (any order)`, actual: render(left) }];
}

function difference(path: string, expected: unknown, actual: unknown): Difference {
  return { path: path === '' ? '(body)' : path, expected: render(expected), actual: render(actual) };
}

function renderMatcher(matcher: Matcher): string {
  const operand = matcher.operand instanceof RegExp ? String(matcher.operand) : matcher.operand;
  return operand === undefined ? `<${matcher.kind}>` : `<${matcher.kind} ${render(operand)}>`;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Matcher);
}
