import type { UncheckedAttributeValue } from '../values/attribute-value.ts';

/** The parameters that expressions have replaced, in the form of the API's structures. */

export type LegacyComparisonOperator =
  | 'EQ'
  | 'NE'
  | 'IN'
  | 'LE'
  | 'LT'
  | 'GE'
  | 'GT'
  | 'BETWEEN'
  | 'NOT_NULL'
  | 'NULL'
  | 'CONTAINS'
  | 'NOT_CONTAINS'
  | 'BEGINS_WITH';

/** An element of KeyConditions, QueryFilter or ScanFilter. */
export interface LegacyCondition {
  readonly comparisonOperator: LegacyComparisonOperator;
  readonly attributeValueList?: readonly UncheckedAttributeValue[] | undefined;
}

/** An element of Expected: either `value` and `exists`, or `comparisonOperator` and values. */
export interface LegacyExpectation {
  readonly value?: UncheckedAttributeValue | undefined;
  readonly exists?: boolean | undefined;
  readonly comparisonOperator?: LegacyComparisonOperator | undefined;
  readonly attributeValueList?: readonly UncheckedAttributeValue[] | undefined;
}

/** An element of AttributeUpdates. Without an action it is PUT. */
export interface LegacyAttributeUpdate {
  readonly value?: UncheckedAttributeValue | undefined;
  readonly action?: 'ADD' | 'PUT' | 'DELETE' | undefined;
}

export type LegacyConditionalOperator = 'AND' | 'OR';

/** By attribute name. */
export type ByAttribute<T> = Readonly<Record<string, T>>;
