import type { PolicyPatterns, PolicyPrincipals, PolicyStatement } from './policy-document.ts';

/** Whether a text fits a pattern: `*` stands for any text, `?` for any one character. */
export function matchesPattern(pattern: string, text: string): boolean {
  // Two pointers and one place to go back to, so that no pattern takes more than length times length.
  let at = 0;
  let star = -1;
  let afterStar = 0;
  let textAt = 0;
  while (textAt < text.length) {
    if (at < pattern.length && pattern[at] === '*') {
      star = at++;
      afterStar = textAt;
    } else if (at < pattern.length && (pattern[at] === '?' || pattern[at] === text[textAt])) {
      at += 1;
      textAt += 1;
    } else if (star >= 0) {
      at = star + 1;
      textAt = ++afterStar;
    } else {
      return false;
    }
  }
  while (pattern[at] === '*') at += 1;
  return at === pattern.length;
}

/** Whether a statement speaks of an action, such as `dynamodb:GetItem`. Case does not matter in actions. */
export function coversAction({ actions }: PolicyStatement, action: string): boolean {
  const name = action.toLowerCase();
  return covers(actions, (pattern) => matchesPattern(pattern.toLowerCase(), name));
}

/** Whether a statement speaks of a resource, by its ARN. */
export function coversResource({ resources }: PolicyStatement, arn: string): boolean {
  return covers(resources, (pattern) => matchesPattern(pattern, arn));
}

/**
 * Whether a statement speaks of a principal of an account. Naming the account's root names everybody in it.
 *
 * @param arn - of whoever asks; the account's root when only the account is known.
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
