/** What a condition compares with, and how. */
export interface ConditionOperator {
  /** `StringEquals`. */
  readonly comparison: string;
  /** For requests with several values: one of them must match, or all. Absent for a single value. */
  readonly quantifier?: 'ForAnyValue' | 'ForAllValues';
  /** Whether a request that lacks the key fulfils it. */
  readonly isIfExists: boolean;
}

const comparisons: readonly string[] = `
  StringEquals StringNotEquals StringEqualsIgnoreCase StringNotEqualsIgnoreCase StringLike StringNotLike
  ArnEquals ArnNotEquals ArnLike ArnNotLike
  NumericEquals NumericNotEquals NumericLessThan NumericLessThanEquals NumericGreaterThan NumericGreaterThanEquals
  DateEquals DateNotEquals DateLessThan DateLessThanEquals DateGreaterThan DateGreaterThanEquals
  Bool BinaryEquals IpAddress NotIpAddress Null`
  .trim()
  .split(/\s+/);

const form = /^(?:(ForAnyValue|ForAllValues):)?([A-Za-z]+?)(IfExists)?$/i;

/**
 * The operator of a condition by its name, `ForAnyValue:StringLikeIfExists`, case-insensitive.
 *
 * @returns undefined if there is no such operator.
 * @see IAM User Guide, "IAM JSON policy elements: Condition operators"
 */
export function conditionOperator(name: string): ConditionOperator | undefined {
  const [, quantifier, comparison = '', ifExists] = form.exec(name) ?? [];
  const known = comparisons.find((candidate) => candidate.toLowerCase() === comparison.toLowerCase());
  if (known === undefined || (known === 'Null' && ifExists !== undefined)) return undefined;
  return {
    comparison: known,
    ...(quantifier !== undefined && {
      quantifier: quantifier.toLowerCase() === 'foranyvalue' ? ('ForAnyValue' as const) : ('ForAllValues' as const),
    }),
    isIfExists: ifExists !== undefined,
  };
}

/** Whether the operator holds when nothing matches: `StringNotLike`. */
export function isNegated({ comparison }: ConditionOperator): boolean {
  return comparison.includes('Not');
}
