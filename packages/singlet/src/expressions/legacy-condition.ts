import { type AttributeTypeTag, type AttributeValue, typeTag } from '../values/attribute-value.ts';
import { checkAttributeValue } from '../values/check-attribute-value.ts';
import { compareScalars } from '../values/compare.ts';
import { ValidationException } from '../values/service-error.ts';
import type { ValueCheckLayer } from '../values/value-check-layer.ts';
import { type Condition, makeCondition } from './condition.ts';
import { type Predicate, allOf, anyOf, negation, simplePredicate } from './condition-evaluator.ts';
import type { KeyCondition, KeyConditionOperator, KeyConditionTerm, UnindexableOperator } from './key-condition.ts';
import type {
  ByAttribute,
  LegacyComparisonOperator,
  LegacyCondition,
  LegacyConditionalOperator,
  LegacyExpectation,
} from './legacy-parameters.ts';
import type { SimpleCondition, SimpleOperator } from './simple-condition.ts';

/** A legacy condition on one attribute, after the checks. */
interface AttributeTest {
  readonly attributeName: string;
  readonly operator: LegacyComparisonOperator;
  readonly values: readonly AttributeValue[];
}

const invalid = 'One or more parameter values were invalid: ';

/**
 * The condition of Expected.
 *
 * @throws {ValidationException} for the first attribute with an error.
 */
export function expectedCondition(
  expected: ByAttribute<LegacyExpectation>,
  conditionalOperator: LegacyConditionalOperator | undefined,
  layer: ValueCheckLayer,
): Condition {
  const tests = Object.entries(expected).map(([name, expectation]) => readExpectation(name, expectation, layer));
  return joinTests(tests, conditionalOperator);
}

/**
 * The filter of QueryFilter or ScanFilter.
 *
 * @throws {ValidationException} for the first attribute with an error.
 */
export function legacyFilter(
  filter: ByAttribute<LegacyCondition>,
  conditionalOperator: LegacyConditionalOperator | undefined,
  layer: ValueCheckLayer,
): Condition {
  return joinTests(readConditions(filter, layer), conditionalOperator);
}

/** @throws {ValidationException} for the first attribute with an error. */
export function legacyKeyCondition(conditions: ByAttribute<LegacyCondition>, layer: ValueCheckLayer): KeyCondition {
  const terms = readConditions(conditions, layer).map(({ attributeName, operator, values }): KeyConditionTerm => ({
    attributeName,
    operator: keyOperators[operator],
    operands: values,
  }));
  if (terms.length === 0) throw new ValidationException('Conditions can be of length 1 or 2 only');
  return { terms };
}

const keyOperators: Readonly<Record<LegacyComparisonOperator, KeyConditionOperator | UnindexableOperator>> = {
  EQ: '=',
  LT: '<',
  LE: '<=',
  GT: '>',
  GE: '>=',
  BETWEEN: 'BETWEEN',
  BEGINS_WITH: 'begins_with',
  NE: 'NE',
  IN: 'IN',
  CONTAINS: 'CONTAINS',
  NOT_CONTAINS: 'NOT_CONTAINS',
  NULL: 'NULL',
  NOT_NULL: 'NOT_NULL',
};

function readConditions(conditions: ByAttribute<LegacyCondition>, layer: ValueCheckLayer): readonly AttributeTest[] {
  return Object.entries(conditions).map(([attributeName, { comparisonOperator, attributeValueList }]) => {
    const values = (attributeValueList ?? []).map((value) => checkAttributeValue(value, layer));
    checkArguments(comparisonOperator, values);
    return { attributeName, operator: comparisonOperator, values };
  });
}

function readExpectation(attributeName: string, expectation: LegacyExpectation, layer: ValueCheckLayer): AttributeTest {
  const { value, exists, comparisonOperator, attributeValueList } = expectation;
  const fail = (problem: string): ValidationException =>
    new ValidationException(`${invalid}${problem} for Attribute: ${attributeName}`);
  if (attributeValueList && value) throw fail('Value and AttributeValueList cannot be used together');
  if (comparisonOperator) {
    if (exists !== undefined) throw fail('Exists and ComparisonOperator cannot be used together');
    const unchecked = attributeValueList ?? (value ? [value] : undefined);
    if (unchecked === undefined && comparisonOperator !== 'NULL' && comparisonOperator !== 'NOT_NULL') {
      throw fail(`Value or AttributeValueList must be used with ComparisonOperator: ${comparisonOperator}`);
    }
    const values = (unchecked ?? []).map((each) => checkAttributeValue(each, layer));
    checkArguments(comparisonOperator, values);
    return { attributeName, operator: comparisonOperator, values };
  }
  if (attributeValueList) throw fail('AttributeValueList can only be used with a ComparisonOperator');
  if (exists === false) {
    if (value) throw fail('Value cannot be used when Exists is false');
    return { attributeName, operator: 'NULL', values: [] };
  }
  if (value === undefined) throw fail(`Value must be provided when Exists is ${exists ?? 'null'}`);
  return { attributeName, operator: 'EQ', values: [checkAttributeValue(value, layer)] };
}

const allTypes: readonly AttributeTypeTag[] = ['S', 'N', 'B', 'BOOL', 'NULL', 'L', 'M', 'SS', 'NS', 'BS'];
const scalarTypes: readonly AttributeTypeTag[] = ['S', 'N', 'B'];
const elementTypes: readonly AttributeTypeTag[] = ['S', 'N', 'B', 'BOOL', 'NULL'];
const prefixTypes: readonly AttributeTypeTag[] = ['S', 'B'];

/** How many values an operator takes, and of which types. */
const argumentRules: Readonly<
  Record<LegacyComparisonOperator, { min: number; max: number; types: readonly AttributeTypeTag[] }>
> = {
  EQ: { min: 1, max: 1, types: allTypes },
  NE: { min: 1, max: 1, types: allTypes },
  LE: { min: 1, max: 1, types: scalarTypes },
  LT: { min: 1, max: 1, types: scalarTypes },
  GE: { min: 1, max: 1, types: scalarTypes },
  GT: { min: 1, max: 1, types: scalarTypes },
  CONTAINS: { min: 1, max: 1, types: elementTypes },
  NOT_CONTAINS: { min: 1, max: 1, types: elementTypes },
  BEGINS_WITH: { min: 1, max: 1, types: prefixTypes },
  IN: { min: 1, max: Number.POSITIVE_INFINITY, types: scalarTypes },
  BETWEEN: { min: 2, max: 2, types: scalarTypes },
  NULL: { min: 0, max: 0, types: [] },
  NOT_NULL: { min: 0, max: 0, types: [] },
};

/** The errors in the order of the service: the number of values, that their types are equal, their type, their order. */
function checkArguments(operator: LegacyComparisonOperator, values: readonly AttributeValue[]): void {
  const { min, max, types } = argumentRules[operator];
  if (values.length < min || values.length > max) {
    throw new ValidationException(`${invalid}Invalid number of argument(s) for the ${operator} ComparisonOperator`);
  }
  const [first, second] = values;
  if (first === undefined) return;
  const type = typeTag(first);
  if (values.some((value) => typeTag(value) !== type)) {
    throw new ValidationException(`${invalid}AttributeValues inside AttributeValueList must be of same type`);
  }
  if (!types.includes(type)) {
    throw new ValidationException(
      `${invalid}ComparisonOperator ${operator} is not valid for ${type} AttributeValue type`,
    );
  }
  if (operator === 'BETWEEN' && second && (compareScalars(first, second) ?? 0) > 0) {
    throw new ValidationException(
      'The BETWEEN condition was provided a range where the lower bound is greater than the upper bound',
    );
  }
}

function joinTests(
  tests: readonly AttributeTest[],
  conditionalOperator: LegacyConditionalOperator | undefined,
): Condition {
  const predicates = tests.map(testPredicate);
  // Without any test there is nothing to violate.
  const evaluate = conditionalOperator === 'OR' && tests.length > 0 ? anyOf(predicates) : allOf(predicates);
  return makeCondition(
    evaluate,
    tests.map((test) => simpleCondition(test, 'attribute_exists', [])),
  );
}

/** Each test is a condition of the expression language, except NOT_CONTAINS, which also requires the attribute to exist. */
function testPredicate(test: AttributeTest): Predicate {
  const { operator, values } = test;
  if (operator !== 'NOT_CONTAINS') return simplePredicate(simpleCondition(test, conditionOperators[operator], values));
  return allOf([
    simplePredicate(simpleCondition(test, 'attribute_exists', [])),
    negation(simplePredicate(simpleCondition(test, 'contains', values))),
  ]);
}

function simpleCondition(
  { attributeName }: AttributeTest,
  operator: SimpleOperator,
  values: readonly AttributeValue[],
): SimpleCondition {
  const operands = values.map((value) => ({ kind: 'value', value }) as const);
  return { operator, operands: [{ kind: 'path', path: [attributeName] }, ...operands] };
}

const conditionOperators: Readonly<Record<Exclude<LegacyComparisonOperator, 'NOT_CONTAINS'>, SimpleOperator>> = {
  EQ: '=',
  NE: '<>',
  LT: '<',
  LE: '<=',
  GT: '>',
  GE: '>=',
  BETWEEN: 'BETWEEN',
  IN: 'IN',
  BEGINS_WITH: 'begins_with',
  CONTAINS: 'contains',
  NULL: 'attribute_not_exists',
  NOT_NULL: 'attribute_exists',
};
