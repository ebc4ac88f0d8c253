import type { PolicyPrincipals } from './policy-statement.ts';

/** The sender of a request, as policies name principals. */
export interface RequestPrincipal {
  readonly kind: 'root' | 'user' | 'session';
  readonly accountId: string;
  /** `arn:aws:iam::A:user/N`, `arn:aws:sts::A:assumed-role/R/S`, or `arn:aws:iam::A:root`. */
  readonly arn: string;
  /** For a session the ARN of its role, for others {@link arn}. */
  readonly principalArn: string;
  /** `AIDA…`, `AROA…:S`, or the account id. */
  readonly userId: string;
}

/**
 * How a Principal element names a principal. `itself`: its ARN or unique id. `role`: the role of a session. `everybody`: `*`. `account`: its
 * account, which leaves the decision to that account's own policies.
 */
export type NamedAs = 'itself' | 'role' | 'everybody' | 'account';

/** @returns undefined when the element does not name the principal. */
export function namedAs(
  { isExcluded, isEverybody, names }: PolicyPrincipals,
  principal: RequestPrincipal,
  statement: { readonly isAllow: boolean; readonly hasBoundary: boolean },
): NamedAs | undefined {
  if (isExcluded) {
    return isMeantByNotPrincipal({ isEverybody, names }, principal, statement) ? 'everybody' : undefined;
  }
  if (isEverybody) return 'everybody';
  let best: NamedAs | undefined;
  for (const { kind, name } of names) {
    const named = kind === 'AWS' ? nameMatches(name, principal) : undefined;
    if (named !== undefined && (best === undefined || strength[named] > strength[best])) best = named;
  }
  return best;
}

const strength: Readonly<Record<NamedAs, number>> = { itself: 3, role: 2, everybody: 1, account: 0 };

function nameMatches(name: string, principal: RequestPrincipal): NamedAs | undefined {
  if (name === '*') return 'everybody';
  if (name === principal.arn || (principal.kind === 'user' && name === principal.userId)) return 'itself';
  if (principal.kind === 'session' && (name === principal.principalArn || name === roleIdOf(principal))) return 'role';
  return name === rootArn(principal) ? 'account' : undefined;
}

function roleIdOf({ userId }: RequestPrincipal): string {
  return userId.split(':', 1)[0] ?? userId;
}

function rootArn({ accountId }: RequestPrincipal): string {
  return `arn:aws:iam::${accountId}:root`;
}

/**
 * A statement that denies with NotPrincipal exempts a principal only if it lists every name of that principal: itself, the role of a session,
 * and the account. It never exempts a principal with a permissions boundary. A statement that allows with NotPrincipal applies to principals of
 * which it lists no name.
 *
 * @see IAM User Guide, "IAM JSON policy elements: NotPrincipal"
 */
function isMeantByNotPrincipal(
  { isEverybody, names }: Pick<PolicyPrincipals, 'isEverybody' | 'names'>,
  principal: RequestPrincipal,
  { isAllow, hasBoundary }: { readonly isAllow: boolean; readonly hasBoundary: boolean },
): boolean {
  const isNamed = (...either: readonly string[]): boolean =>
    isEverybody || names.some(({ kind, name }) => kind === 'AWS' && (name === '*' || either.includes(name)));
  const isItself = isNamed(principal.arn, ...(principal.kind === 'user' ? [principal.userId] : []));
  const isRole = isNamed(principal.principalArn, ...(principal.kind === 'session' ? [roleIdOf(principal)] : []));
  const isAccount = isNamed(rootArn(principal));
  if (isAllow) return !isItself && !isRole && !isAccount;
  if (hasBoundary) return true;
  return !(isItself && (principal.kind !== 'session' || isRole) && isAccount);
}
