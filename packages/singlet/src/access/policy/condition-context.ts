/**
 * The value of a condition key: a list for the keys that have several values. Undefined: the request does not have the key.
 * {@link unresolved}: the request has the key, but its value cannot be determined, so no policy may allow because of it.
 */
export type ContextValue = string | readonly string[] | typeof unresolved | undefined;

export const unresolved: unique symbol = Symbol('unresolved');

/** What conditions and policy variables can read about a request. */
export interface ConditionContext {
  /** @param key - in lower case; names of condition keys are case-insensitive. */
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
