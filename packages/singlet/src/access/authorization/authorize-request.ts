import { type Awaitable, chain } from '../../values/awaitable.ts';
import { DynamoError } from '../../values/service-error.ts';
import {
  type ActionName,
  type BatchExecuteStatementRequest,
  type Engine,
  RefusedStatement,
  type RequestContext,
  type TableAccessFacts,
  type Touch,
} from '../../engine/index.ts';
import type { Caller, RequestOrigin } from '../caller.ts';
import { type AccessDecision, evaluate } from '../policy/evaluate.ts';
import type { PolicyDocument } from '../policy/policy-document.ts';
import { permissionTable, type PermissionRow } from './permission-table.ts';
import { RequestConditions, type RequestFacts } from './request-conditions.ts';
import { requestTags } from './request-tags.ts';
import { SettledDecisions, soleTouch, type SoleTouch } from './settled-decisions.ts';
import { policyOf, policyOfText } from './stored-policies.ts';
import { namedResource, type NamedResource } from './touched-arn.ts';

/** A request that has been decoded but has not run. */
export interface RequestToAuthorize {
  readonly call: { readonly action: ActionName; readonly request: object };
  /** @throws {ValidationException} for requests that the engine would refuse. */
  readonly touches: () => Awaitable<readonly Touch[]>;
  /** The caller's account, and the region that the request is for. */
  readonly context: RequestContext;
  /** The account that owns the tables which the request names by ARN; absent: the caller's. */
  readonly tableOwner?: string | undefined;
}

/** How a permitted request runs. */
export interface Permit {
  /** The context with the account that owns the tables. */
  readonly context: RequestContext;
  /** Replaces the decoded request: a batch of statements without those that were refused. */
  readonly request?: object;
}

export interface AuthorizerOptions {
  readonly engine: Pick<Engine, 'tableAccessFacts' | 'streamPolicy'>;
  readonly nowMs: () => number;
  /** Called for each denial. Must not throw. */
  readonly onDenial?: (denial: Denial) => void;
}

export interface Denial {
  readonly caller: Caller;
  /** `dynamodb:GetItem`. */
  readonly permission: string;
  readonly resource: string;
  readonly decision: AccessDecision;
}

/**
 * Decides whether a request may run. The caller needs every permission that the request requires. All of them are decided before anything runs.
 * In a batch of statements, each statement can be refused individually.
 *
 * @throws {DynamoError} `AccessDeniedException`, with the first permission that is missing.
 */
export type Authorizer = (caller: Caller, origin: RequestOrigin, request: RequestToAuthorize) => Awaitable<Permit>;

export function createAuthorizer({ engine, nowMs, onDenial }: AuthorizerOptions): Authorizer {
  const settled = new SettledDecisions();

  return (caller, origin, request) => {
    const { context, call, tableOwner } = request;
    const owner: RequestContext = tableOwner === undefined ? context : { ...context, accountId: tableOwner };
    const sole = soleTouch(call.action, call.request);
    if (sole === undefined) return decideByTouches(caller, origin, request, owner);
    return chain(engine.tableAccessFacts(sole.tableName, owner), (table) =>
      table !== undefined && settled.isGiven(caller, origin, table, sole)
        ? { context: owner }
        : decideByTouches(caller, origin, request, owner, { sole, table }),
    );
  };

  function decideByTouches(
    caller: Caller,
    origin: RequestOrigin,
    request: RequestToAuthorize,
    owner: RequestContext,
    known?: KnownTable,
  ): Awaitable<Permit> {
    const facts: RequestFacts = {
      caller,
      origin,
      context: request.context,
      nowMs: nowMs(),
      requestTags: requestTags(request.call.action, request.call.request),
    };
    return chain(request.touches(), (touches) => {
      const [only] = touches;
      // Most requests need one permission, and are decided synchronously.
      if (only !== undefined && touches.length === 1 && only.position === undefined) {
        return chain(decideTouch(facts, only, owner, known), (refusal) =>
          permit(facts, request, owner, touches, [refusal]),
        );
      }
      return decideAll(facts, request, touches, owner);
    });
  }

  async function decideAll(
    facts: RequestFacts,
    request: RequestToAuthorize,
    touches: readonly Touch[],
    owner: RequestContext,
  ): Promise<Permit> {
    const refusals: (DynamoError | undefined)[] = [];
    for (const touch of touches) {
      const refusal = await decideTouch(facts, touch, owner);
      if (refusal !== undefined && touch.position === undefined) throw refusal;
      refusals.push(refusal);
    }
    return permit(facts, request, owner, touches, refusals);
  }

  /** @returns the refusal; undefined when the permission is given. */
  function decideTouch(
    facts: RequestFacts,
    touch: Touch,
    owner: RequestContext,
    known?: KnownTable,
  ): Awaitable<DynamoError | undefined> {
    const resource = namedResource(touch.resource, owner);
    const row = permissionTable.get(touch.permission);
    const isForeign = resource.accountId !== facts.caller.accountId;
    const isAsked = row !== undefined && asksResourcePolicy(row, isForeign);
    if (resource.kind === 'stream') return decideOnStream(facts, touch, resource, isAsked);
    const { tableName } = resource;
    if (tableName === undefined) return decide(facts, touch, resource, undefined, undefined);
    const decideOn = (table: TableAccessFacts | undefined): DynamoError | undefined =>
      decide(facts, touch, resource, table, isAsked && table !== undefined ? policyOf(table) : undefined, known?.sole);
    if (known !== undefined) return decideOn(known.table);
    const ownerContext = resource.accountId === owner.accountId ? owner : { ...owner, accountId: resource.accountId };
    return chain(engine.tableAccessFacts(tableName, ownerContext), decideOn);
  }

  async function decideOnStream(
    facts: RequestFacts,
    touch: Touch,
    resource: NamedResource,
    isAsked: boolean,
  ): Promise<DynamoError | undefined> {
    const text = isAsked
      ? await engine.streamPolicy(resource.arn, { ...facts.context, accountId: resource.accountId })
      : undefined;
    const refusal = decide(facts, touch, resource, undefined, text === undefined ? undefined : policyOfText(text));
    if (refusal !== undefined || !actsOnTable.has(touch.permission)) return refusal;
    // Tagging by the ARN of a stream changes the tags of its table.
    return decideTouch(
      facts,
      { ...touch, resource: { kind: 'arn', arn: resource.arn.replace(/\/stream\/.*$/s, '') } },
      { ...facts.context, accountId: resource.accountId },
    );
  }

  function decide(
    facts: RequestFacts,
    touch: Touch,
    resource: NamedResource,
    table: TableAccessFacts | undefined,
    resourcePolicy: PolicyDocument | undefined,
    sole?: SoleTouch,
  ): DynamoError | undefined {
    const { caller } = facts;
    const permission = `dynamodb:${touch.permission}`;
    const conditions = new RequestConditions(facts, touch, resource, table);
    const decision = evaluate(
      {
        principal: caller,
        action: permission,
        resource: resource.arn,
        ...(resource.parts !== undefined && { resourceParts: resource.parts }),
        context: conditions,
      },
      {
        identity: caller.policies,
        boundary: caller.boundary,
        session: caller.sessionPolicies,
        resource: resourcePolicy,
      },
      { resource: resource.accountId },
    );
    if (decision.isAllowed) {
      const origin = conditions.settledOrigin;
      if (sole !== undefined && table !== undefined && origin !== undefined) settled.keep(caller, origin, table, sole);
      return undefined;
    }
    onDenial?.({ caller, permission, resource: resource.arn, decision });
    return new DynamoError(
      'AccessDeniedException',
      `User: ${caller.arn} is not authorized to perform: ${permission} on resource: ${resource.arn} ${decision.reason}`,
    );
  }
}

/** The table of a request that needs one permission, as it was looked up for that request. */
interface KnownTable {
  readonly sole: SoleTouch;
  readonly table: TableAccessFacts | undefined;
}

/** Actions that the engine applies to the table when they name the ARN of its stream. */
const actsOnTable = new Set(['TagResource', 'UntagResource', 'ListTagsOfResource']);

function asksResourcePolicy({ resourcePolicy }: PermissionRow, isForeign: boolean): boolean {
  return resourcePolicy === 'across-accounts' || (resourcePolicy === 'own-account' && !isForeign);
}

/** @throws the first refusal that does not apply to a single statement of a batch. */
function permit(
  { context }: RequestFacts,
  { call }: RequestToAuthorize,
  owner: RequestContext,
  touches: readonly Touch[],
  refusals: readonly (DynamoError | undefined)[],
): Permit {
  for (const [at, refusal] of refusals.entries()) {
    if (refusal !== undefined && touches[at]?.position === undefined) throw refusal;
  }
  const runContext = contextOf(touches, owner, context);
  if (call.action !== 'BatchExecuteStatement' || refusals.every((refusal) => refusal === undefined)) {
    return { context: runContext };
  }
  const { statements, ...rest } = call.request as BatchExecuteStatementRequest; // as its action says
  const byPosition = new Map(touches.map(({ position }, at) => [position, refusals[at]]));
  const permitted = statements.map((statement, position) => {
    const refusal = byPosition.get(position);
    return refusal === undefined ? statement : new RefusedStatement(statement, refusal);
  });
  return { context: runContext, request: { ...rest, statements: permitted } };
}

/** A request that names one resource of another account, by its ARN, runs in that account. */
function contextOf(touches: readonly Touch[], owner: RequestContext, context: RequestContext): RequestContext {
  const [only] = touches;
  if (only?.resource.kind !== 'arn' || touches.length > 1) return owner;
  const { accountId } = namedResource(only.resource, context);
  return accountId === owner.accountId ? owner : { ...owner, accountId };
}
