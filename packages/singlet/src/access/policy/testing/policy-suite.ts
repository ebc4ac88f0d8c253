import { readFileSync } from 'node:fs';
import type { ContextValue } from '../condition-context.ts';
import type { AccessDecision, AccessRequest, ApplicablePolicies } from '../evaluate.ts';
import type { PolicyDocument, PolicyKind } from '../policy-document.ts';
import type { RequestPrincipal } from '../request-principal.ts';

/** Statements, a request, the decision, and its source. One line of `testdata/policy-suite.jsonl`. */
export interface PolicyRow {
  readonly source: string;
  readonly what: string;
  readonly identity?: object;
  readonly boundary?: object;
  readonly session?: object;
  readonly resource?: object;
  readonly request: RowRequest;
  /** `allowed: identity`, `implicit-deny: boundary`: the outcome and which policy decided. */
  readonly decision: string;
}

export interface RowRequest {
  readonly principal: keyof typeof principals;
  readonly action: string;
  readonly resource: string;
  readonly context: Readonly<Record<string, string | readonly string[]>>;
  /** The account of the resource; absent: the principal's. */
  readonly owner?: string;
}

const accountId = '111122223333';

/** The principals that send the requests of the rows. */
export const principals: Readonly<Record<'user' | 'session' | 'root', RequestPrincipal>> = {
  user: {
    kind: 'user',
    accountId,
    arn: `arn:aws:iam::${accountId}:user/ann`,
    principalArn: `arn:aws:iam::${accountId}:user/ann`,
    userId: 'AIDAEXAMPLEANN000001',
  },
  session: {
    kind: 'session',
    accountId,
    arn: `arn:aws:sts::${accountId}:assumed-role/app/job`,
    principalArn: `arn:aws:iam::${accountId}:role/app`,
    userId: 'AROAEXAMPLEAPP000001:job',
  },
  root: {
    kind: 'root',
    accountId,
    arn: `arn:aws:iam::${accountId}:root`,
    principalArn: `arn:aws:iam::${accountId}:root`,
    userId: accountId,
  },
};

export function readPolicySuite(): readonly PolicyRow[] {
  const text = readFileSync(new URL('../testdata/policy-suite.jsonl', import.meta.url), 'utf8');
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as PolicyRow); // as the file is written
}

/** The functions that decide: those of the source, or a copy with a planted bug. */
export interface Evaluator {
  readonly readPolicy: (text: string, kind: PolicyKind) => PolicyDocument;
  readonly evaluate: (
    request: AccessRequest,
    policies: ApplicablePolicies,
    accounts: { readonly resource: string },
  ) => AccessDecision;
}

/** The decision of an evaluator on a row, in the form of {@link PolicyRow.decision}. */
export function decide(
  { readPolicy, evaluate }: Evaluator,
  row: Omit<PolicyRow, 'source' | 'what' | 'decision'>,
): string {
  const read = (json: object | undefined, kind: PolicyKind): PolicyDocument | undefined =>
    json && readPolicy(JSON.stringify(json), kind);
  const { request } = row;
  const principal = principals[request.principal];
  const byKey = new Map(Object.entries(request.context).map(([key, value]) => [key.toLowerCase(), value]));
  const identity = read(row.identity, 'identity');
  const session = read(row.session, 'identity');
  const { outcome, decidedBy } = evaluate(
    { ...request, principal, context: { valueOf: (key): ContextValue => byKey.get(key) } },
    {
      identity: identity === undefined ? [] : [identity],
      boundary: read(row.boundary, 'identity'),
      session: session && [session],
      resource: read(row.resource, 'resource'),
    },
    { resource: request.owner ?? principal.accountId },
  );
  return `${outcome}: ${decidedBy}`;
}
