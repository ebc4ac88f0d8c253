import type { Access } from './access.ts';

/** The question whether a user may perform an action. */
export interface Question {
  readonly userId: string;
  readonly action: string;
  readonly resource: string;
}

/** The answer, and the policies that led to it. */
export interface Decision {
  readonly allowed: boolean;
  readonly by: readonly string[];
}

/**
 * AC-13. Decides from the copies in the user's own item collection, with no other read. An explicit deny overrides any allow.
 * Without an allow, access is denied.
 */
export async function decide({ db }: Access, { userId, action, resource }: Question): Promise<Decision> {
  const allowing: string[] = [];
  const denying: string[] = [];
  for await (const { policyName, policy } of db.policiesOfUser.each({ userId }, { consistent: true })) {
    const applying = policy.statements.filter(
      ({ actions, resources }) =>
        actions.some((each) => matches(each, action)) && resources.some((each) => matches(each, resource)),
    );
    if (applying.some(({ effect }) => effect === 'Deny')) denying.push(policyName);
    else if (applying.length > 0) allowing.push(policyName);
  }
  return denying.length > 0 ? { allowed: false, by: denying } : { allowed: allowing.length > 0, by: allowing };
}

/** `*` represents any text. */
function matches(pattern: string, text: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  if (rest.length === 0) return pattern === text;
  const last = rest.pop() ?? '';
  if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length) return false;
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found < 0 || found + part.length > text.length - last.length) return false;
    at = found + part.length;
  }
  return true;
}
