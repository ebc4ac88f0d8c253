import type { UncheckedAttributeMap, UncheckedAttributeValue } from '../../values/attribute-value.ts';

/** The parameters of a write that say under which condition it happens. */
export interface ConditionParameters {
  readonly conditionExpression?: string | undefined;
  readonly expressionAttributeNames?: Readonly<Record<string, string>> | undefined;
  readonly expressionAttributeValues?: UncheckedAttributeMap | undefined;
  readonly returnValuesOnConditionCheckFailure?: 'NONE' | 'ALL_OLD' | undefined;
  /** Legacy. */
  readonly expected?: Readonly<Record<string, ExpectedAttributeValue>> | undefined;
  readonly conditionalOperator?: 'AND' | 'OR' | undefined;
}

export type ComparisonOperator =
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

export interface ExpectedAttributeValue {
  readonly value?: UncheckedAttributeValue | undefined;
  readonly exists?: boolean | undefined;
  readonly comparisonOperator?: ComparisonOperator | undefined;
  readonly attributeValueList?: readonly UncheckedAttributeValue[] | undefined;
}

/** A legacy condition of Query and Scan. */
export interface LegacyCondition {
  readonly comparisonOperator: ComparisonOperator;
  readonly attributeValueList?: readonly UncheckedAttributeValue[] | undefined;
}
