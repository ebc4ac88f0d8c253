import { type ArnPattern, matchArn, parseArnPattern } from './arn-pattern.ts';
import { type CompiledCondition, compileCondition, holds, type Truth } from './compiled-condition.ts';
import { type ConditionContext, unresolved } from './condition-context.ts';
import type { PolicyDocument, PolicyPrincipals, PolicyStatement } from './policy-statement.ts';
import { matchesPattern } from './wildcard.ts';

/** A compiled statement. */
export interface CompiledStatement {
  readonly document: PolicyDocument;
  /** Its position in the document, from 0. */
  readonly position: number;
  readonly source: PolicyStatement;
  readonly isAllow: boolean;
  readonly principals: PolicyPrincipals | undefined;
  /** In lower case. */
  readonly actionPatterns: readonly string[];
  /** Undefined represents a pattern with a `${…}` that is not a variable. */
  readonly resourcePatterns: readonly (ArnPattern | undefined)[];
  readonly conditions: readonly CompiledCondition[];
}

// A document is compiled once, however many requests it is evaluated for.
const compiled = new WeakMap<PolicyDocument, readonly CompiledStatement[]>();

export function compiledStatements(document: PolicyDocument): readonly CompiledStatement[] {
  let statements = compiled.get(document);
  if (statements === undefined) {
    statements = document.statements.map((source, position) => compileStatement(document, source, position));
    compiled.set(document, statements);
  }
  return statements;
}

function compileStatement(document: PolicyDocument, source: PolicyStatement, position: number): CompiledStatement {
  const hasVariables = document.version === '2012-10-17';
  return {
    document,
    position,
    source,
    isAllow: source.effect === 'Allow',
    principals: source.principals,
    actionPatterns: source.actions.patterns.map((pattern) => pattern.toLowerCase()),
    resourcePatterns: source.resources.patterns.map((pattern) =>
      parseArnPattern(pattern, { hasVariables, isCompleted: true }),
    ),
    conditions: source.conditions.map((condition) => compileCondition(condition, hasVariables)),
  };
}

/** @param action - in lower case: `dynamodb:getitem`. */
export function coversAction({ actionPatterns, source }: CompiledStatement, action: string): boolean {
  return (
    actionPatterns.some((pattern) => pattern === action || matchesPattern(pattern, action)) !==
    source.actions.isExcluded
  );
}

/**
 * Whether a statement covers a resource. A pattern with a variable that has no value matches nothing. In NotResource that would let a statement
 * allow more than its author wrote. A statement that allows then covers nothing, and one that denies covers everything.
 *
 * @param arn - as returned by `splitArn`.
 */
export function coversResource(
  { resourcePatterns, source, isAllow }: CompiledStatement,
  arn: readonly string[],
  context: ConditionContext,
): Truth {
  const { isExcluded } = source.resources;
  let result: Truth = false;
  for (const pattern of resourcePatterns) {
    const match = pattern === undefined ? unresolved : matchArn(pattern, arn, context);
    if (match === 'match') return !isExcluded;
    if (match === unresolved) result = 'unknown';
    if (match === 'no-value' && isExcluded && isAllow) result = 'unknown';
  }
  return result === 'unknown' ? result : isExcluded;
}

/** Whether all conditions of a statement hold. */
export function conditionsHold({ conditions }: CompiledStatement, context: ConditionContext): Truth {
  let result: Truth = true;
  for (const condition of conditions) {
    const truth = holds(condition, context);
    if (truth === false) return false;
    if (truth === 'unknown') result = 'unknown';
  }
  return result;
}

/** Undecided conditions never allow, and deny if the statement denies. */
export function applies(truth: Truth, { isAllow }: CompiledStatement): boolean {
  return truth === 'unknown' ? !isAllow : truth;
}
