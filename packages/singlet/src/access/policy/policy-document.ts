import { checkPolicy } from './check-policy.ts';
import { type PolicyKind, readPolicy } from './policy-reader.ts';
import type { PolicyDocument } from './policy-statement.ts';

export type { PolicyDocument } from './policy-statement.ts';
export { PolicyError } from './policy-error.ts';
export type { PolicyKind } from './policy-reader.ts';

/**
 * Parses a policy and checks all that can be checked without a request: members, principals by kind, the form of actions, ARNs,
 * condition keys and values, and policy variables.
 *
 * @param kind - `identity` for policies of users, groups, roles, sessions and boundaries; `trust` for who may assume a role.
 * @throws {PolicyError} with the position of the first thing that is wrong, and what to write instead.
 * @see IAM User Guide, "Grammar of the IAM JSON policy language"
 */
export function parsePolicy(text: string, kind: PolicyKind): PolicyDocument {
  const document = readPolicy(text, kind);
  checkPolicy(document, kind, text);
  return document;
}
