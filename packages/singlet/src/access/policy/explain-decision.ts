import { splitArn } from './arn-pattern.ts';
import { holds, type Truth } from './compiled-condition.ts';
import {
  applies,
  type CompiledStatement,
  compiledStatements,
  coversAction,
  coversResource,
} from './compiled-policy.ts';
import { type ContextValue, unresolved } from './condition-context.ts';
import {
  type AccessDecision,
  type AccessRequest,
  type ApplicablePolicies,
  evaluate,
  type PolicyType,
} from './evaluate.ts';
import type { PolicyDocument } from './policy-statement.ts';
import { namedAs } from './request-principal.ts';

/** The result of one statement for a request. */
export interface StatementVerdict {
  readonly policy: PolicyType;
  /** Which of the policies of its type, from 0. */
  readonly policyPosition: number;
  /** Which statement of the policy, from 0. */
  readonly position: number;
  readonly sid?: string;
  readonly effect: 'Allow' | 'Deny';
  readonly applies: boolean;
  /** Absent if the statements name no principals. */
  readonly principal?: boolean;
  readonly action: boolean;
  readonly resource: Truth;
  readonly conditions: readonly ConditionVerdict[];
}

/** The result of one condition of a statement for a request. */
export interface ConditionVerdict {
  readonly operator: string;
  readonly key: string;
  readonly policyValues: readonly string[];
  /** Absent if the request does not have the key. */
  readonly requestValue?: string | readonly string[];
  readonly holds: Truth;
}

export interface ExplainedDecision extends AccessDecision {
  /** Of all statements of all policies, in their order. */
  readonly statements: readonly StatementVerdict[];
}

/** Like {@link evaluate}, with the result of every statement. */
export function explainDecision(
  request: AccessRequest,
  policies: ApplicablePolicies,
  accounts: { readonly resource: string },
): ExplainedDecision {
  const hasBoundary = policies.boundary !== undefined;
  const of = (policy: PolicyType, documents: readonly (PolicyDocument | undefined)[]): readonly StatementVerdict[] =>
    documents.flatMap((document, policyPosition) =>
      document === undefined
        ? []
        : compiledStatements(document).map((statement) => ({
            policy,
            policyPosition,
            ...verdict(statement, request, hasBoundary),
          })),
    );
  return {
    ...evaluate(request, policies, accounts),
    statements: [
      ...of('identity', policies.identity),
      ...of('boundary', [policies.boundary]),
      ...of('session', policies.session ?? []),
      ...of('resource', [policies.resource]),
    ],
  };
}

function verdict(
  statement: CompiledStatement,
  { principal, action, resource, context }: AccessRequest,
  hasBoundary: boolean,
): Omit<StatementVerdict, 'policy' | 'policyPosition'> {
  const { source, position, isAllow, principals } = statement;
  const isPrincipal = principals && namedAs(principals, principal, { isAllow, hasBoundary }) !== undefined;
  const isAction = coversAction(statement, action.toLowerCase());
  const isResource = coversResource(statement, splitArn(resource), context);
  const conditions = statement.conditions.map((condition) => ({
    operator: condition.source.operator,
    key: condition.source.key,
    policyValues: condition.source.values.map(String),
    ...shown(context.valueOf(condition.key)),
    holds: holds(condition, context),
  }));
  const truths = [isResource, ...conditions.map((condition) => condition.holds)];
  return {
    position,
    ...(source.sid !== undefined && { sid: source.sid }),
    effect: source.effect,
    applies: isPrincipal !== false && isAction && truths.every((truth) => applies(truth, statement)),
    ...(isPrincipal !== undefined && { principal: isPrincipal }),
    action: isAction,
    resource: isResource,
    conditions,
  };
}

function shown(value: ContextValue): Pick<ConditionVerdict, 'requestValue'> {
  return value === undefined || value === unresolved ? {} : { requestValue: value };
}
