import {
  type Caller,
  createAuthorizer,
  originOf,
  parsePolicy,
  type PolicyDocument,
  PolicyError,
} from '../access/index.ts';
import type { Engine } from '../engine/index.ts';
import type { WireOptions } from '../server/index.ts';

/**
 * @param policy - an IAM policy, as JSON or as the object that it is.
 * @throws {TypeError} for what is not a policy, with the position of what is wrong.
 */
export function readPolicy(policy: string | object): PolicyDocument {
  try {
    return parsePolicy(typeof policy === 'string' ? policy : JSON.stringify(policy, undefined, 2), 'identity');
  } catch (error) {
    if (!(error instanceof PolicyError)) throw error;
    throw new TypeError(`policy is not an IAM policy: ${error.message}`, { cause: error });
  }
}

/** Holds every request of the protocol to one policy, as if one user sent them all. Nothing is verified. */
export function policyForAll(
  policy: PolicyDocument,
  { engine, nowMs }: { readonly engine: Engine; readonly nowMs: () => number },
): Pick<WireOptions, 'authorize' | 'authorizeInspection'> {
  const authorize = createAuthorizer({ engine, nowMs });
  // Permissions that were given are kept for the caller, so an account has one.
  const callers = new Map<string, Caller>();
  const callerIn = (accountId: string): Caller => {
    const known = callers.get(accountId);
    if (known !== undefined) return known;
    const arn = `arn:aws:iam::${accountId}:user/${userName}`;
    const caller: Caller = {
      kind: 'user',
      accountId,
      arn,
      principalArn: arn,
      userId: userName,
      userName,
      tags: new Map(),
      policies: [policy],
    };
    callers.set(accountId, caller);
    return caller;
  };
  return {
    authorize: ({ call, touches, context, tableOwner, request }) =>
      authorize(callerIn(context.accountId), originOf(request), { call, touches, context, tableOwner }),
    // Who looks at the database is not the client that the policy is for.
    authorizeInspection: () => undefined,
  };
}

/** What denials call the user. */
const userName = 'client';
