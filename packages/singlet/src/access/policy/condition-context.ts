/**
 * The value of a condition key: a list for the keys that have several values. Undefined: the request has no such key.
 * {@link unresolved}: the request has it, and its value cannot be known; no policy may then allow on the strength of it.
 */
export type ContextValue = string | readonly string[] | typeof unresolved | undefined;

export const unresolved: unique symbol = Symbol('unresolved');

/** What a request says about itself, for conditions and policy variables. */
export interface ConditionContext {
  /** @param key - in lower case: names of condition keys are the same in any case. */
  valueOf(key: string): ContextValue;
}

const multivaluedKeys: ReadonlySet<string> = new Set(
  `dynamodb:Attributes dynamodb:LeadingKeys dynamodb:FirstPartitionKeyValues dynamodb:SecondPartitionKeyValues
   dynamodb:ThirdPartitionKeyValues dynamodb:FourthPartitionKeyValues aws:CalledVia aws:PrincipalOrgPaths
   aws:PrincipalServiceNamesList aws:ResourceOrgPaths aws:SourceOrgPaths aws:TagKeys sts:TransitiveTagKeys`
    .toLowerCase()
    .split(/\s+/),
);

/** Whether a key has several values, so that a condition on it needs `ForAllValues` or `ForAnyValue`. */
export function isMultivalued(key: string): boolean {
  return multivaluedKeys.has(key.toLowerCase());
}
