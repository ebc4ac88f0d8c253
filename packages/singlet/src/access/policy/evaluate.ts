import { splitArn } from './arn-pattern.ts';
import {
  applies,
  type CompiledStatement,
  compiledStatements,
  conditionsHold,
  coversAction,
  coversResource,
} from './compiled-policy.ts';
import type { ConditionContext } from './condition-context.ts';
import type { PolicyDocument } from './policy-statement.ts';
import { type NamedAs, namedAs, type RequestPrincipal } from './request-principal.ts';

/** One action on one resource. */
export interface AccessRequest {
  readonly principal: RequestPrincipal;
  /** `dynamodb:GetItem`. */
  readonly action: string;
  /** An ARN; `*` for an action on no single resource. */
  readonly resource: string;
  /** The resource as returned by `splitArn`, if it has been split already. */
  readonly resourceParts?: readonly string[];
  readonly context: ConditionContext;
}

/** The policies that apply to a request. */
export interface ApplicablePolicies {
  /** Of the user and its groups, or of the role. */
  readonly identity: readonly PolicyDocument[];
  readonly boundary?: PolicyDocument | undefined;
  /** Absent or empty: the session has no limits. */
  readonly session?: readonly PolicyDocument[] | undefined;
  /** Of the table or stream, or the trust policy of a role. */
  readonly resource?: PolicyDocument | undefined;
}

export type PolicyType = 'identity' | 'boundary' | 'session' | 'resource';

export interface AccessDecision {
  readonly isAllowed: boolean;
  readonly outcome: 'allowed' | 'explicit-deny' | 'implicit-deny';
  /** The type of the policy that allowed or denied, or whose permission was missing; `root`: the account's root user needs none. */
  readonly decidedBy: PolicyType | 'root';
  /** The statement that allowed or denied. */
  readonly statement?: { readonly document: PolicyDocument; readonly position: number; readonly sid?: string };
  /** The end of the service's error message when access is denied: `because no identity-based policy allows the dynamodb:GetItem action`. */
  readonly reason: string;
}

/**
 * Decides on a request. Any statement that denies, denies. Otherwise, in the resource's own account, either the identity policies, the boundary
 * and the session policies must all allow, or the resource's policy must. The way it names the principal determines which of the other policies
 * its permission replaces. For a principal of another account both sides must allow.
 *
 * @param accounts.resource - the account that the resource belongs to.
 * @see IAM User Guide, "Policy evaluation logic" and "Cross-account policy evaluation logic"
 */
export function evaluate(
  request: AccessRequest,
  policies: ApplicablePolicies,
  accounts: { readonly resource: string },
): AccessDecision {
  const question = new Question(request, policies.boundary !== undefined);
  const boundaries = policies.boundary === undefined ? undefined : [policies.boundary];
  const sessions = policies.session === undefined || policies.session.length === 0 ? undefined : policies.session;
  const isOwn = request.principal.accountId === accounts.resource;

  const identity = question.decisive(policies.identity);
  if (identity?.isAllow === false) return denied('identity', identity);
  const boundary = boundaries && question.decisive(boundaries);
  if (boundary?.isAllow === false) return denied('boundary', boundary);
  const session = sessions && question.decisive(sessions);
  if (session?.isAllow === false) return denied('session', session);
  const { denial, grant } = question.askResource(policies.resource);
  const isRoot = request.principal.kind === 'root';
  if (denial !== undefined && !(isRoot && isOwn && isUndeniable(request.action))) {
    return denied('resource', denial);
  }

  if (isOwn && isRoot)
    return { isAllowed: true, outcome: 'allowed', decidedBy: 'root', reason: 'the account is its own' };
  if (isOwn && grant?.named === 'itself') return allowed('resource', grant.statement);
  if (boundaries !== undefined && boundary === undefined) return notAllowed('boundary', request);
  if (sessions !== undefined && session === undefined) return notAllowed('session', request);
  if (!isOwn && grant === undefined) return notAllowed('resource', request);
  if (isOwn && grant !== undefined && grant.named !== 'account') return allowed('resource', grant.statement);
  if (identity !== undefined) return allowed('identity', identity);
  return !isOwn && isRoot && grant !== undefined
    ? allowed('resource', grant.statement)
    : notAllowed('identity', request);
}

/** Actions that a resource's policy cannot deny the root user of the account, so that every policy can be changed again. */
function isUndeniable(action: string): boolean {
  const name = action.toLowerCase();
  return name === 'dynamodb:putresourcepolicy' || name === 'dynamodb:deleteresourcepolicy';
}

interface Grant {
  readonly statement: CompiledStatement;
  readonly named: NamedAs;
}

/** A request, as statements are matched against it. */
class Question {
  readonly #request: AccessRequest;
  readonly #action: string;
  readonly #arn: readonly string[];
  readonly #hasBoundary: boolean;

  constructor(request: AccessRequest, hasBoundary: boolean) {
    this.#request = request;
    this.#action = request.action.toLowerCase();
    this.#arn = request.resourceParts ?? splitArn(request.resource);
    this.#hasBoundary = hasBoundary;
  }

  /** The first statement that denies; otherwise the first that allows; undefined if none applies. */
  decisive(documents: readonly PolicyDocument[]): CompiledStatement | undefined {
    let allowing: CompiledStatement | undefined;
    for (const document of documents) {
      for (const statement of compiledStatements(document)) {
        if ((statement.isAllow && allowing !== undefined) || !this.#applies(statement)) continue;
        if (!statement.isAllow) return statement;
        allowing = statement;
      }
    }
    return allowing;
  }

  /** The result of a resource's policy: the first statement that denies, and the statement that allows by the strongest kind of name. */
  askResource(document: PolicyDocument | undefined): { readonly denial?: CompiledStatement; readonly grant?: Grant } {
    if (document === undefined) return nothing;
    const { principal } = this.#request;
    let grant: Grant | undefined;
    for (const statement of compiledStatements(document)) {
      const { isAllow, principals } = statement;
      const direct = principals && namedAs(principals, principal, { isAllow, hasBoundary: this.#hasBoundary });
      if (direct === undefined || !this.#applies(statement)) continue;
      if (!isAllow) return { denial: statement };
      const named = namesByCondition(statement) ? 'itself' : direct;
      if (grant === undefined || rank[named] > rank[grant.named]) grant = { statement, named };
    }
    return grant === undefined ? nothing : { grant };
  }

  #applies(statement: CompiledStatement): boolean {
    if (!coversAction(statement, this.#action)) return false;
    const { context } = this.#request;
    return (
      applies(coversResource(statement, this.#arn, context), statement) &&
      applies(conditionsHold(statement, context), statement)
    );
  }
}

const nothing: { readonly denial?: CompiledStatement; readonly grant?: Grant } = {};

/** Ranked by how many of the other policies a grant replaces. */
const rank: Readonly<Record<NamedAs, number>> = { itself: 2, role: 1, everybody: 1, account: 0 };

/**
 * Whether a statement names principals by `*` with a condition on `aws:PrincipalArn`, which grants to them directly, whomever it names
 * besides. NotPrincipal does not.
 */
function namesByCondition({ conditions, principals }: CompiledStatement): boolean {
  if (conditions.length === 0 || principals?.isExcluded !== false) return false;
  const { isEverybody, names } = principals;
  if (!isEverybody && !names.some(({ kind, name }) => kind === 'AWS' && name === '*')) return false;
  return conditions.some(
    ({ key, isNegated, operator }) =>
      key === 'aws:principalarn' &&
      !isNegated &&
      !operator.isIfExists &&
      operator.quantifier !== 'ForAllValues' &&
      /^(?:String|Arn)(?:Equals|Like)/.test(operator.comparison),
  );
}

const policyNames: Readonly<Record<PolicyType, string>> = {
  identity: 'identity-based policy',
  boundary: 'permissions boundary',
  session: 'session policy',
  resource: 'resource-based policy',
};

function allowed(decidedBy: PolicyType, statement: CompiledStatement): AccessDecision {
  return {
    isAllowed: true,
    outcome: 'allowed',
    decidedBy,
    statement: named(statement),
    reason: allowedReasons[decidedBy],
  };
}

const allowedReasons: Readonly<Record<PolicyType, string>> = {
  identity: 'because an identity-based policy allows it',
  boundary: 'because a permissions boundary allows it',
  session: 'because a session policy allows it',
  resource: 'because a resource-based policy allows it',
};

function denied(decidedBy: PolicyType, statement: CompiledStatement): AccessDecision {
  const article = decidedBy === 'identity' ? 'an' : 'a';
  return {
    isAllowed: false,
    outcome: 'explicit-deny',
    decidedBy,
    statement: named(statement),
    reason: `with an explicit deny in ${article} ${policyNames[decidedBy]}`,
  };
}

function notAllowed(decidedBy: PolicyType, { action }: AccessRequest): AccessDecision {
  return {
    isAllowed: false,
    outcome: 'implicit-deny',
    decidedBy,
    reason: `because no ${policyNames[decidedBy]} allows the ${action} action`,
  };
}

function named({ document, position, source }: CompiledStatement): NonNullable<AccessDecision['statement']> {
  return { document, position, ...(source.sid !== undefined && { sid: source.sid }) };
}
