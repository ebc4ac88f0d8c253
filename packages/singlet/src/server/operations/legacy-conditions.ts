import type { LegacyComparisonOperator, LegacyExpectation, LegacyCondition } from '../../engine/index.ts';
import { type Constraint, worded } from '../shapes/constraint.ts';
import {
  attributeValue,
  boolean,
  enumeration,
  enumerationWith,
  list,
  map,
  required,
  type Shape,
  structure,
} from '../shapes/shape.ts';

/** Conditions as they were written before expressions existed: Expected, KeyConditions, QueryFilter, ScanFilter. */

const comparisonOperator: Shape<LegacyComparisonOperator> = enumeration([
  'IN',
  'NULL',
  'BETWEEN',
  'LT',
  'NOT_CONTAINS',
  'EQ',
  'GT',
  'NOT_NULL',
  'NE',
  'LE',
  'BEGINS_WITH',
  'GE',
  'CONTAINS',
]);

const conditionalOperators = ['OR', 'AND'] as const;

/** The service names another operator than the one it accepts. */
function wordConditionalOperator(constraint: Constraint): Constraint {
  return worded(constraint, 'Failed to satisfy constraint: Member must satisfy enum value set: [ALL, OR]');
}

/** For PutItem, UpdateItem and DeleteItem. */
export const conditionalOperatorParameter: Shape<'AND' | 'OR'> = enumerationWith(
  conditionalOperators,
  wordConditionalOperator,
);

/** Query reports a wrong operator and nothing else. */
export const queryConditionalOperatorParameter: Shape<'AND' | 'OR'> = enumerationWith(
  conditionalOperators,
  (constraint) => ({ ...wordConditionalOperator(constraint), alone: 'plain' }),
);

/** For an action in the older layer. */
export const olderConditionalOperatorParameter: Shape<'AND' | 'OR'> = enumeration(conditionalOperators);

export const expectedParameter: Shape<Readonly<Record<string, LegacyExpectation>>> = map(
  structure<LegacyExpectation>('ExpectedAttributeValue', {
    attributeValueList: list(attributeValue),
    comparisonOperator,
    exists: boolean,
    value: attributeValue,
  }),
);

export const conditionsParameter: Shape<Readonly<Record<string, LegacyCondition>>> = map(
  structure<LegacyCondition>('Condition', {
    attributeValueList: list(attributeValue),
    comparisonOperator: required(comparisonOperator),
  }),
);
