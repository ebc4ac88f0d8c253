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
 * @param policy - an IAM policy, as JSON text or as an object.
 * @throws {TypeError} for an invalid policy, with the position of the error.
 */
export function readPolicy(policy: string | object): PolicyDocument {
  try {
    return parsePolicy(typeof policy === 'string' ? policy : JSON.stringify(policy, undefined, 2), 'identity');
  } catch (error) {
    if (!(error instanceof PolicyError)) throw error;
    throw new TypeError(`policy is not an IAM policy: ${error.message}`, { cause: error });
  }
}

/** Applies one policy to every request of the protocol, as if one user sent them all. Signatures are not verified. */
export function policyForAll(
  policy: PolicyDocument,
  { engine, nowMs }: { readonly engine: Engine; readonly nowMs: () => number },
): Pick<WireOptions, 'authorize' | 'authorizeInspection'> {
  const authorize = createAuthorizer({ engine, nowMs });
  // Granted permissions are cached by caller object, so each account has one.
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
    // Inspection is not subject to the policy, which is for clients of the database.
    authorizeInspection: () => undefined,
  };
}

/** The user name in denials. */
const userName = 'client';
