import type { ConditionVerdict, ExplainedDecision, StatementVerdict } from '../../access/policy/explain-decision.ts';
import type { AccessRequest, PolicyType } from '../../access/policy/evaluate.ts';

/** Where the policies come from. */
export interface PolicySources {
  readonly policy: readonly string[];
  readonly boundary?: string;
  readonly session: readonly string[];
  readonly resourcePolicy?: string;
  readonly json?: boolean;
}

const typeNames: Readonly<Record<PolicyType, string>> = {
  identity: 'identity-based policy',
  boundary: 'permissions boundary',
  session: 'session policy',
  resource: 'resource-based policy',
};

/** Formats the decision, and the result of each statement, as text or as JSON. */
export function printDecision(decision: ExplainedDecision, request: AccessRequest, sources: PolicySources): string {
  const { isAllowed, outcome, decidedBy, reason, statements } = decision;
  const decisive = statements.filter((one) => isDecisive(one, decision)).at(0);
  if (sources.json === true) {
    const json = {
      decision: outcome,
      decidedBy,
      reason,
      ...(decisive !== undefined && { statement: placeOf(decisive, sources) }),
      statements: statements.map(({ policyPosition: _at, position: _number, ...one }, at) => {
        const verdict = statements[at];
        return verdict === undefined ? one : { ...placeOf(verdict, sources), ...one };
      }),
    };
    return `${JSON.stringify(json, undefined, 2)}\n`;
  }
  const { action, principal, resource } = request;
  const head = isAllowed
    ? `allowed: ${principal.arn} may perform ${action} on ${resource} ${reason}`
    : `denied: User: ${principal.arn} is not authorized to perform: ${action} on resource: ${resource} ${reason}`;
  return `${[head, ...statements.flatMap((one) => ['', ...linesOf(one, sources, one === decisive)])].join('\n')}\n`;
}

function isDecisive(one: StatementVerdict, { decidedBy, statement, isAllowed }: ExplainedDecision): boolean {
  return (
    statement !== undefined &&
    one.applies &&
    one.policy === decidedBy &&
    one.position === statement.position &&
    (one.effect === 'Allow') === isAllowed
  );
}

function placeOf(one: StatementVerdict, sources: PolicySources): { readonly file: string; readonly number: number } {
  const files: Readonly<Record<PolicyType, readonly (string | undefined)[]>> = {
    identity: sources.policy,
    boundary: [sources.boundary],
    session: sources.session,
    resource: [sources.resourcePolicy],
  };
  return { file: files[one.policy][one.policyPosition] ?? '', number: one.position + 1 };
}

function linesOf(one: StatementVerdict, sources: PolicySources, isDecisiveOne: boolean): readonly string[] {
  const { file, number } = placeOf(one, sources);
  const name = one.sid === undefined ? '' : ` (${one.sid})`;
  const head = `${file}, statement ${number}${name}: ${one.effect}, ${typeNames[one.policy]}`;
  const checks: readonly (readonly [string, boolean | 'unknown' | undefined])[] = [
    ['principal', one.principal],
    ['action', one.action],
    ['resource', one.resource],
  ];
  return [
    head,
    ...checks.flatMap(([what, truth]) => (truth === undefined ? [] : [`  ${what.padEnd(9)} ${matches(truth)}`])),
    ...one.conditions.map((condition) => `  condition ${conditionText(condition)}`),
    `  ${one.applies ? `applies${isDecisiveOne ? ', and decides' : ''}` : 'does not apply'}`,
  ];
}

function matches(truth: boolean | 'unknown'): string {
  if (truth === 'unknown') return 'cannot be decided';
  return truth ? 'matches' : 'does not match';
}

function conditionText({ operator, key, policyValues, requestValue, holds }: ConditionVerdict): string {
  const asked = requestValue === undefined ? 'which the request lacks' : `which is ${JSON.stringify(requestValue)}`;
  const truth = holds === 'unknown' ? 'cannot be decided' : holds ? 'holds' : 'does not hold';
  return `${truth}: ${operator} ${JSON.stringify(policyValues)} of ${key}, ${asked}`;
}
