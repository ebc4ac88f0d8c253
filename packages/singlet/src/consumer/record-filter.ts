import { ConsumerError } from './consumer-error.ts';

/** A parsed filter pattern of Lambda's event source mappings. */
export type FilterPattern = Readonly<Record<string, unknown>>;

type Matches = (value: unknown) => boolean;

/**
 * Compiles filter patterns: `{ eventName: ['INSERT'], dynamodb: { NewImage: { type: { S: [{ prefix: 'order' }] } } } }`. A record passes if one
 * of the patterns matches. A pattern matches if every field does, and a field matches if one of the rules in its list does. Rules: a string,
 * number, boolean or null that must be equal, `prefix`, `suffix`, `equals-ignore-case`, `anything-but` (values, or one of the first three),
 * `numeric`, `exists`; and `$or` with a list of patterns. As in Lambda, DynamoDB numbers are strings.
 *
 * @returns undefined if there are no patterns, so every record passes.
 * @throws {ConsumerError} `options` for an invalid pattern.
 * @see AWS Lambda Developer Guide, "Using event filtering with a DynamoDB event source"
 */
export function compileFilters(patterns: readonly FilterPattern[]): Matches | undefined {
  if (patterns.length === 0) return undefined;
  const compiled = patterns.map((pattern) => compilePattern(pattern, 'filter'));
  return (value) => compiled.some((matches) => matches(value));
}

function compilePattern(pattern: unknown, path: string): Matches {
  if (!isObject(pattern)) throw badFilter(path, 'must be a list of rules or an object of fields');
  const fields = Object.entries(pattern).map(([name, rule]): Matches => {
    const fieldPath = `${path}.${name}`;
    if (name === '$or') return compileAlternatives(rule, fieldPath);
    const matches = Array.isArray(rule) ? compileRules(rule, fieldPath) : compilePattern(rule, fieldPath);
    return (value) => matches(isObject(value) ? value[name] : undefined);
  });
  if (fields.length === 0) throw badFilter(path, 'must name a field');
  return (value) => fields.every((matches) => matches(value));
}

function compileAlternatives(rule: unknown, path: string): Matches {
  if (!Array.isArray(rule) || rule.length === 0) throw badFilter(path, 'must be a list of patterns');
  const alternatives = rule.map((pattern, at) => compilePattern(pattern, `${path}[${at}]`));
  return (value) => alternatives.some((matches) => matches(value));
}

function compileRules(rules: readonly unknown[], path: string): Matches {
  if (rules.length === 0) throw badFilter(path, 'must have a rule');
  const compiled = rules.map((rule, at) => compileRule(rule, `${path}[${at}]`));
  // A list, such as a string set, matches if one of its elements does.
  return (value) =>
    compiled.some((matches) => (Array.isArray(value) ? value.some((element) => matches(element)) : matches(value)));
}

function compileRule(rule: unknown, path: string): Matches {
  if (isPlain(rule)) return (value) => value === rule;
  const [[name, operand] = ['', undefined], ...more] = isObject(rule) ? Object.entries(rule) : [];
  if (more.length > 0) throw badFilter(path, 'must have one operator');
  switch (name) {
    case 'exists':
      if (typeof operand !== 'boolean') throw badFilter(path, 'exists takes true or false');
      return (value) => (value !== undefined) === operand;
    case 'numeric':
      return compileNumeric(operand, path);
    case 'anything-but': {
      const matches = isObject(operand) ? compileText(operand, path) : compileValues(operand, path);
      return (value) => value !== undefined && !matches(value);
    }
    default:
      return compileText(rule, path);
  }
}

function compileValues(operand: unknown, path: string): Matches {
  const values: readonly unknown[] = Array.isArray(operand) ? operand : [operand];
  if (values.length === 0 || !values.every(isPlain)) throw badFilter(path, 'anything-but takes values');
  return (value) => values.includes(value);
}

function compileText(rule: unknown, path: string): Matches {
  const [[name, operand] = ['', undefined]] = isObject(rule) ? Object.entries(rule) : [];
  if (typeof operand === 'string') {
    if (name === 'prefix') return (value) => typeof value === 'string' && value.startsWith(operand);
    if (name === 'suffix') return (value) => typeof value === 'string' && value.endsWith(operand);
    if (name === 'equals-ignore-case') {
      return (value) => typeof value === 'string' && value.toLowerCase() === operand.toLowerCase();
    }
  }
  throw badFilter(
    path,
    'must be a value or one of prefix, suffix, equals-ignore-case, anything-but, numeric and exists',
  );
}

const comparisons: Readonly<Record<string, (value: number, bound: number) => boolean>> = {
  '=': (value, bound) => value === bound,
  '<': (value, bound) => value < bound,
  '<=': (value, bound) => value <= bound,
  '>': (value, bound) => value > bound,
  '>=': (value, bound) => value >= bound,
};

function compileNumeric(operand: unknown, path: string): Matches {
  const parts: readonly unknown[] = Array.isArray(operand) ? operand : [];
  const tests = parts.flatMap((part, at) => {
    if (at % 2 === 1) return [];
    const compare = typeof part === 'string' ? comparisons[part] : undefined;
    const bound = parts[at + 1];
    return compare && typeof bound === 'number' ? [{ compare, bound }] : [undefined];
  });
  if (tests.length === 0 || tests.includes(undefined)) {
    throw badFilter(path, 'numeric takes comparisons and numbers in turn: [">", 0, "<=", 100]');
  }
  return (value) => typeof value === 'number' && tests.every((test) => test?.compare(value, test.bound));
}

function isPlain(value: unknown): boolean {
  return value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function badFilter(path: string, problem: string): ConsumerError {
  return new ConsumerError('options', `The filter pattern cannot be used: ${path} ${problem}.`);
}
