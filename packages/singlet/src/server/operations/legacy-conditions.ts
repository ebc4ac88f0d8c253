import type { ComparisonOperator, ExpectedAttributeValue, LegacyCondition } from '../../engine/index.ts';
import { attributeValue, boolean, enumeration, list, map, required, type Shape, structure } from '../shapes/shape.ts';

/** Conditions as they were written before expressions: Expected, KeyConditions, QueryFilter, ScanFilter. */

const comparisonOperator: Shape<ComparisonOperator> = enumeration([
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

export const conditionalOperatorParameter: Shape<'AND' | 'OR'> = enumeration(['OR', 'AND']);

export const expectedParameter: Shape<Readonly<Record<string, ExpectedAttributeValue>>> = map(
  structure<ExpectedAttributeValue>('ExpectedAttributeValue', {
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
