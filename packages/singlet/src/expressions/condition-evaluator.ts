import { assert } from '../values/assert.ts';
import { type AttributeValue, typeTag } from '../values/attribute-value.ts';
import {
  attributeValuesEqual,
  compareScalars,
  containmentTest,
  prefixTest,
  type ValueTest,
} from '../values/compare.ts';
import type { BoundOperand } from './bound-operand.ts';
import { type AttributeSource, attributeNameOf, resolvePath } from './document-path.ts';
import type { Comparator } from './lexer.ts';
import type { SimpleCondition } from './simple-condition.ts';
import { valueSize } from './value-size.ts';

/**
 * Whether a condition holds for an item. Allocates no objects for what conditions usually do.
 *
 * @throws {ValidationException} only when that takes too much work, see `values/work-units.ts`.
 */
export type Predicate = (source: AttributeSource) => boolean;

/** The value of an operand for an item; undefined when it has none. */
type Evaluator = (source: AttributeSource) => AttributeValue | undefined;

/** The predicate of a condition that has been checked. */
export function simplePredicate({ operator, operands }: SimpleCondition): Predicate {
  switch (operator) {
    case '=':
    case '<>':
    case '<':
    case '<=':
    case '>':
    case '>=':
      return comparison(operator, operandAt(operands, 0), operandAt(operands, 1));
    case 'BETWEEN':
      return between(operandAt(operands, 0), operandAt(operands, 1), operandAt(operands, 2));
    case 'IN':
      return among(operandAt(operands, 0), operands.slice(1).map(evaluator));
    default:
      return functionPredicate(operator, operands);
  }
}

/** Whether all predicates hold; a predicate that occurs more than once is evaluated once. */
export function allOf(given: readonly Predicate[]): Predicate {
  const predicates = distinct(given);
  return (source) => {
    for (const predicate of predicates) {
      if (!predicate(source)) return false;
    }
    return true;
  };
}

/** Whether any predicate holds; otherwise as {@link allOf}. */
export function anyOf(given: readonly Predicate[]): Predicate {
  const predicates = distinct(given);
  return (source) => {
    for (const predicate of predicates) {
      if (predicate(source)) return true;
    }
    return false;
  };
}

function distinct(predicates: readonly Predicate[]): readonly Predicate[] {
  const different = new Set(predicates);
  return different.size === predicates.length ? predicates : [...different];
}

export function negation(predicate: Predicate): Predicate {
  return (source) => !predicate(source);
}

/** A missing value is unequal to everything, and neither less nor greater; so are values of different types. */
function comparison(comparator: Comparator, left: Evaluator, right: Evaluator): Predicate {
  if (comparator === '=' || comparator === '<>') {
    const wanted = comparator === '=';
    return (source) => {
      const a = left(source);
      const b = a && right(source);
      return (a !== undefined && b !== undefined && attributeValuesEqual(a, b)) === wanted;
    };
  }
  const holds = orderTests[comparator];
  return (source) => {
    const order = orderOf(left(source), right(source));
    return order !== undefined && holds(order);
  };
}

const orderTests = {
  '<': (order: number) => order < 0,
  '<=': (order: number) => order <= 0,
  '>': (order: number) => order > 0,
  '>=': (order: number) => order >= 0,
} as const;

function between(operand: Evaluator, lower: Evaluator, upper: Evaluator): Predicate {
  return (source) => {
    const value = operand(source);
    const fromLower = orderOf(value, lower(source));
    if (fromLower === undefined || fromLower < 0) return false;
    const fromUpper = orderOf(value, upper(source));
    return fromUpper !== undefined && fromUpper <= 0;
  };
}

function orderOf(a: AttributeValue | undefined, b: AttributeValue | undefined): number | undefined {
  return a === undefined || b === undefined ? undefined : compareScalars(a, b);
}

function among(operand: Evaluator, candidates: readonly Evaluator[]): Predicate {
  return (source) => {
    const value = operand(source);
    if (value === undefined) return false;
    for (const candidate of candidates) {
      const other = candidate(source);
      if (other !== undefined && attributeValuesEqual(value, other)) return true;
    }
    return false;
  };
}

function functionPredicate(operator: SimpleCondition['operator'], operands: readonly BoundOperand[]): Predicate {
  const first = operandAt(operands, 0);
  switch (operator) {
    case 'attribute_exists':
      return (source) => first(source) !== undefined;
    case 'attribute_not_exists':
      return (source) => first(source) === undefined;
    case 'attribute_type':
      return onBoth(first, operandAt(operands, 1), (value, type) => 'S' in type && typeTag(value) === type.S);
    case 'begins_with':
      return onPrepared(first, operands[1], prefixTest);
    default:
      assert(operator === 'contains', `${operator} is a condition`);
      return onPrepared(first, operands[1], containmentTest);
  }
}

/** A test whose second operand is prepared: once, if it is the same for all items. */
function onPrepared(
  first: Evaluator,
  operand: BoundOperand | undefined,
  prepare: (operand: AttributeValue) => ValueTest,
): Predicate {
  assert(operand !== undefined, 'operands were counted');
  if (operand.kind !== 'value') return onBoth(first, evaluator(operand), (value, other) => prepare(other)(value));
  const test = prepare(operand.value);
  return (source) => {
    const value = first(source);
    return value !== undefined && test(value);
  };
}

function onBoth(
  first: Evaluator,
  second: Evaluator,
  test: (a: AttributeValue, b: AttributeValue) => boolean,
): Predicate {
  return (source) => {
    const a = first(source);
    const b = a && second(source);
    return a !== undefined && b !== undefined && test(a, b);
  };
}

function operandAt(operands: readonly BoundOperand[], position: number): Evaluator {
  const operand = operands[position];
  assert(operand !== undefined, 'operands were counted');
  return evaluator(operand);
}

function evaluator(operand: BoundOperand): Evaluator {
  if (operand.kind === 'value') return () => operand.value;
  if (operand.kind === 'path') {
    const { path } = operand;
    if (path.length > 1) return (source) => resolvePath(source, path);
    const name = attributeNameOf(path);
    return (source) => source.getAttribute(name);
  }
  assert(operand.functionName === 'size', `${operand.functionName} is an operand`);
  const inner = operandAt(operand.operands, 0);
  return (source) => {
    const value = inner(source);
    return value && valueSize(value);
  };
}
