import { type ConditionContext, unresolved } from './condition-context.ts';
import { type ConditionOperator, conditionOperator, isNegated } from './condition-operator.ts';
import type { PolicyCondition } from './policy-statement.ts';
import { isBoolean, type ValueTest, valueTest } from './value-test.ts';

/** One key of one operator, compiled. */
export interface CompiledCondition {
  readonly operator: ConditionOperator;
  readonly isNegated: boolean;
  /** In lower case. */
  readonly key: string;
  /** One per value of the policy; undefined if the operator cannot compare with one of them. */
  readonly tests: readonly ValueTest[] | undefined;
  readonly source: PolicyCondition;
}

/**
 * `unknown`: the condition cannot be decided, because the policy or the request does not contain enough information. A statement that allows
 * then does not apply, and one that denies does.
 */
export type Truth = boolean | 'unknown';

export function compileCondition(source: PolicyCondition, hasVariables: boolean): CompiledCondition {
  // The reader refuses all other names.
  const operator = conditionOperator(source.operator) ?? { comparison: 'StringEquals', isIfExists: false };
  const tests = source.values.map((value) => testOf(operator, String(value), hasVariables));
  const isUsable = tests.every((test) => test !== undefined);
  return {
    operator,
    isNegated: isNegated(operator),
    key: source.key.toLowerCase(),
    tests: isUsable ? tests : undefined,
    source,
  };
}

function testOf(operator: ConditionOperator, value: string, hasVariables: boolean): ValueTest | undefined {
  if (operator.comparison !== 'Null') return valueTest(operator.comparison, value, hasVariables);
  // Tests whether the key is missing.
  return isBoolean(value) ? (asked) => asked === value.toLowerCase() : undefined;
}

/**
 * Whether a request fulfils a condition. Missing keys and empty sets are handled as in the IAM User Guide, "Creating a condition with multiple
 * keys or values".
 */
export function holds(condition: CompiledCondition, context: ConditionContext): Truth {
  const { operator, tests } = condition;
  if (tests === undefined) return 'unknown';
  const found = context.valueOf(condition.key);
  if (found === unresolved) return 'unknown';
  const value = typeof found === 'object' && found.length === 0 ? undefined : found;
  if (operator.comparison === 'Null') return matchesAny(tests, String(value === undefined), context);
  const { quantifier } = operator;
  if (value === undefined) {
    if (operator.isIfExists || quantifier === 'ForAllValues') return true;
    return quantifier === undefined && condition.isNegated;
  }
  if (quantifier === undefined) return typeof value === 'string' ? isFulfilledBy(condition, value, context) : 'unknown';
  const values = typeof value === 'string' ? [value] : value;
  if (quantifier === 'ForAnyValue') return some(values, (one) => isFulfilledBy(condition, one, context));
  // A set that contains only empty strings is an empty set.
  if (values.every((one) => one === '')) return true;
  return not(some(values, (one) => not(isFulfilledBy(condition, one, context))));
}

function isFulfilledBy(condition: CompiledCondition, value: string, context: ConditionContext): Truth {
  const matches = matchesAny(condition.tests ?? [], value, context);
  return condition.isNegated ? not(matches) : matches;
}

function matchesAny(tests: readonly ValueTest[], value: string, context: ConditionContext): Truth {
  return some(tests, (test) => {
    const matches = test(value, context);
    return matches === unresolved ? 'unknown' : matches;
  });
}

function some<T>(all: readonly T[], isTrue: (one: T) => Truth): Truth {
  let result: Truth = false;
  for (const one of all) {
    const truth = isTrue(one);
    if (truth === true) return true;
    if (truth === 'unknown') result = 'unknown';
  }
  return result;
}

function not(truth: Truth): Truth {
  return truth === 'unknown' ? 'unknown' : !truth;
}
