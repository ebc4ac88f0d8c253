import type { Caller, RequestOrigin } from '../caller.ts';
import type { Role } from '../identity/identity-directory.ts';
import type { ConditionContext, ContextValue } from '../policy/condition-context.ts';
import { type AccessDecision, evaluate } from '../policy/evaluate.ts';
import { parsePolicy } from '../policy/policy-document.ts';
import type { AssumeRoleRequest } from './assume-role-request.ts';
import { StsError } from './sts-error.ts';

/** A caller that wants to assume a role. */
export interface RoleRequest {
  readonly caller: Caller;
  readonly origin: RequestOrigin;
  readonly region: string;
  readonly nowMs: number;
  readonly request: AssumeRoleRequest;
}

/**
 * Checks that a caller may assume a role, with the tags and the source identity that it requests. The trust policy of the role must allow it in
 * every case. Within the role's own account that suffices if the trust policy names the caller itself. If it names the account, or the caller
 * is in another account, the policies of the caller must allow it, too.
 *
 * @throws {StsError} AccessDenied.
 * @see IAM User Guide, "Passing session tags in AWS STS" and "Cross-account policy evaluation logic"
 */
export function checkMayAssume(role: Role, asked: RoleRequest): void {
  const { caller, request } = asked;
  if (caller.kind === 'root')
    throw new StsError('AccessDenied', 'Roles may not be assumed by root accounts.', { status: 403 });
  const hasTags = Object.keys(request.tags).length > 0;
  checkPermission('sts:AssumeRole', role, asked);
  if (hasTags) checkPermission('sts:TagSession', role, asked);
  if (request.sourceIdentity !== undefined) checkPermission('sts:SetSourceIdentity', role, asked);
}

/** The same message whether the role does not exist or may not be assumed. */
export function assumeRoleDenied(caller: Caller, action: string, roleArn: string): StsError {
  return new StsError(
    'AccessDenied',
    `User: ${caller.arn} is not authorized to perform: ${action} on resource: ${roleArn}`,
    {
      status: 403,
    },
  );
}

function checkPermission(action: string, role: Role, asked: RoleRequest): void {
  const { caller } = asked;
  const request = { principal: caller, action, resource: role.arn, context: new RoleConditions(asked, role) };
  // The owner is not any caller's account, so the trust policy has to allow, whatever the other policies allow.
  const trusted = evaluate(request, { identity: [everything], resource: role.trust }, { resource: '' });
  const decision: AccessDecision = evaluate(
    request,
    {
      identity: caller.policies,
      boundary: caller.boundary,
      session: caller.sessionPolicies,
      resource: role.trust,
    },
    { resource: role.accountId },
  );
  if (!trusted.isAllowed || !decision.isAllowed) throw assumeRoleDenied(caller, action, role.arn);
}

const everything = parsePolicy(
  '{"Version":"2012-10-17","Statement":{"Effect":"Allow","Action":"*","Resource":"*"}}',
  'identity',
);

/** The condition keys of the STS actions. */
class RoleConditions implements ConditionContext {
  readonly #asked: RoleRequest;
  readonly #role: Role;

  constructor(asked: RoleRequest, role: Role) {
    this.#asked = asked;
    this.#role = role;
  }

  valueOf(key: string): ContextValue {
    const slash = key.indexOf('/');
    return slash < 0 ? this.#plain(key) : this.#tag(key.slice(0, slash), key.slice(slash + 1));
  }

  #tag(key: string, name: string): ContextValue {
    const { caller, request } = this.#asked;
    if (key === 'aws:principaltag') return tagOf(caller.tags, name);
    if (key === 'aws:requesttag') return tagOf(Object.entries(request.tags), name);
    if (key === 'aws:resourcetag' || key === 'iam:resourcetag') return tagOf(Object.entries(this.#role.tags), name);
    return undefined;
  }

  #plain(key: string): ContextValue {
    const { caller, origin, request, nowMs, region } = this.#asked;
    const tagKeys = Object.keys(request.tags);
    switch (key) {
      case 'aws:principalarn':
        return caller.principalArn;
      case 'aws:principalaccount':
        return caller.accountId;
      case 'aws:principaltype':
        return caller.kind === 'session' ? 'AssumedRole' : 'User';
      case 'aws:userid':
        return caller.userId;
      case 'aws:username':
        return caller.userName;
      case 'aws:currenttime':
        return new Date(nowMs).toISOString();
      case 'aws:epochtime':
        return String(Math.floor(nowMs / 1000));
      case 'aws:sourceip':
        return origin.sourceIp;
      case 'aws:securetransport':
        return String(origin.secureTransport);
      case 'aws:useragent':
        return origin.userAgent;
      case 'aws:requestedregion':
        return region;
      case 'aws:viaawsservice':
        return 'false';
      case 'aws:resourceaccount':
        return this.#role.accountId;
      case 'aws:tagkeys':
        return tagKeys.length === 0 ? undefined : tagKeys;
      case 'sts:transitivetagkeys':
        return request.transitiveTagKeys.length === 0 ? undefined : request.transitiveTagKeys;
      case 'sts:externalid':
        return request.externalId;
      case 'sts:rolesessionname':
        return request.roleSessionName;
      case 'sts:sourceidentity':
        return request.sourceIdentity;
      case 'sts:durationseconds':
        return request.durationSeconds === undefined ? undefined : String(request.durationSeconds);
      default:
        return undefined;
    }
  }
}

/** @param name - in lower case. */
function tagOf(tags: Iterable<readonly [string, string]>, name: string): string | undefined {
  for (const [key, value] of tags) if (key.toLowerCase() === name) return value;
  return undefined;
}
