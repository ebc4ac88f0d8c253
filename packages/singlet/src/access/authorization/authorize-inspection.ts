import type { Engine, RequestContext, TableAccessFacts } from '../../engine/index.ts';
import { DynamoError } from '../../values/service-error.ts';
import type { Caller, RequestOrigin } from '../caller.ts';
import { evaluate } from '../policy/evaluate.ts';
import type { Denial } from './authorize-request.ts';
import { RequestConditions } from './request-conditions.ts';
import { type NamedResource, namedResource } from './touched-arn.ts';

/** An inspection of a server, or of one of its tables, outside the API. */
export interface InspectionToAuthorize {
  /** The permission without its prefix: `GetHeat` for `singlet:GetHeat`. */
  readonly permission: string;
  /** Absent for the server itself. */
  readonly on?: { readonly tableName: string; readonly indexName?: string | undefined } | undefined;
  /** The caller's account, and the region that is inspected. */
  readonly context: RequestContext;
}

export interface InspectionAuthorizerOptions {
  readonly engine: Pick<Engine, 'tableAccessFacts'>;
  /** The account and region of the server itself. */
  readonly server: RequestContext;
  readonly nowMs: () => number;
  /** Called for each denial. Must not throw. */
  readonly onDenial?: (denial: Denial) => void;
}

/** @throws {DynamoError} `AccessDeniedException`. */
export type InspectionAuthorizer = (
  caller: Caller,
  origin: RequestOrigin,
  inspection: InspectionToAuthorize,
) => Promise<void>;

/**
 * Decides whether a caller may inspect. Data that spans all accounts belongs to the server, `arn:aws:singlet:REGION:ACCOUNT:server`. The server
 * has no policy of its own, so callers of other accounts are denied. The policies of tables are not consulted.
 *
 * Decision 0086 says why.
 */
export function createInspectionAuthorizer({
  engine,
  server,
  nowMs,
  onDenial,
}: InspectionAuthorizerOptions): InspectionAuthorizer {
  return async (caller, origin, { permission, on, context }) => {
    const resource = on === undefined ? serverResource(server) : tableResource(on, context);
    const table: TableAccessFacts | undefined =
      on === undefined ? undefined : await engine.tableAccessFacts(on.tableName, context);
    const action = `singlet:${permission}`;
    const conditions = new RequestConditions(
      { caller, origin, context, nowMs: nowMs(), requestTags: undefined },
      { permission, resource: { kind: 'account' } },
      resource,
      table,
    );
    const decision = evaluate(
      { principal: caller, action, resource: resource.arn, context: conditions },
      { identity: caller.policies, boundary: caller.boundary, session: caller.sessionPolicies },
      { resource: resource.accountId },
    );
    if (decision.isAllowed) return;
    onDenial?.({ caller, permission: action, resource: resource.arn, decision });
    throw new DynamoError(
      'AccessDeniedException',
      `User: ${caller.arn} is not authorized to perform: ${action} on resource: ${resource.arn} ${decision.reason}`,
    );
  };
}

function serverResource({ accountId, region }: RequestContext): NamedResource {
  return { kind: 'other', arn: `arn:aws:singlet:${region}:${accountId}:server`, accountId };
}

function tableResource(
  { tableName, indexName }: NonNullable<InspectionToAuthorize['on']>,
  context: RequestContext,
): NamedResource {
  return namedResource(
    indexName === undefined ? { kind: 'table', tableName } : { kind: 'index', tableName, indexName },
    context,
  );
}
