import type { PolicyPatterns, PolicyPrincipals, PolicyStatement } from '../../access/policy/policy-statement.ts';
import { matchesPattern } from '../../access/policy/wildcard.ts';

/** Whether a statement covers an action, such as `dynamodb:GetItem`. Actions are not case-sensitive. */
export function coversAction({ actions }: PolicyStatement, action: string): boolean {
  const name = action.toLowerCase();
  return covers(actions, (pattern) => matchesPattern(pattern.toLowerCase(), name));
}

/** Whether a statement covers a resource, by its ARN. */
export function coversResource({ resources }: PolicyStatement, arn: string): boolean {
  return covers(resources, (pattern) => matchesPattern(pattern, arn));
}

/**
 * Whether a statement covers a principal of an account. Naming the account's root covers all its principals.
 *
 * @param arn - of the caller; the account's root if only the account is known.
 */
export function coversPrincipal(
  { principals }: PolicyStatement,
  { accountId, arn }: { readonly accountId: string; readonly arn: string },
): boolean {
  if (principals === undefined) return true;
  return isNamed(principals, [arn, `arn:aws:iam::${accountId}:root`, '*']) !== principals.isExcluded;
}

function isNamed({ isEverybody, names }: PolicyPrincipals, candidates: readonly string[]): boolean {
  return isEverybody || names.some(({ kind, name }) => kind === 'AWS' && candidates.includes(name));
}

function covers({ isExcluded, patterns }: PolicyPatterns, matches: (pattern: string) => boolean): boolean {
  return patterns.some(matches) !== isExcluded;
}
