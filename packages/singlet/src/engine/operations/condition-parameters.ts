import type { ByAttribute, LegacyConditionalOperator, LegacyExpectation } from '../../expressions/index.ts';
import type { UncheckedAttributeMap } from '../../values/attribute-value.ts';

/** The parameters of a write that specify its condition. */
export interface ConditionParameters {
  readonly conditionExpression?: string | undefined;
  readonly expressionAttributeNames?: Readonly<Record<string, string>> | undefined;
  readonly expressionAttributeValues?: UncheckedAttributeMap | undefined;
  readonly returnValuesOnConditionCheckFailure?: 'NONE' | 'ALL_OLD' | undefined;
  /** Legacy. */
  readonly expected?: ByAttribute<LegacyExpectation> | undefined;
  readonly conditionalOperator?: LegacyConditionalOperator | undefined;
}
