import { bindOperand, type BoundOperand, pathsIn } from './bound-operand.ts';
import { type Predicate, allOf, anyOf, negation, simplePredicate } from './condition-evaluator.ts';
import { type AttributeSource, type DocumentPath, attributeNamesOf, pathsEqual } from './document-path.ts';
import type { ExpressionKind } from './expression-kind.ts';
import { assert } from '../values/assert.ts';
import type { AttributeValue } from '../values/attribute-value.ts';
import { beginEvaluation, endEvaluation } from '../values/work-units.ts';
import { isFunctionName } from './functions.ts';
import type { Placeholders } from './placeholders.ts';
import { type SimpleCondition, type SimpleOperator, checkSimpleCondition } from './simple-condition.ts';
import { type ConditionNode, type LogicalNode, type OperandNode, ungroup } from './syntax-tree.ts';

/** A condition or filter, ready for any number of items. */
export interface Condition {
  /**
   * Whether the condition holds. Comparisons with a missing value, or of values of different types, are false; `<>` of
   * them is true.
   *
   * @throws {ValidationException} if that takes more work than one item may, see `values/work-units.ts`.
   */
  evaluate(source: AttributeSource): boolean;
  /** Every path that the condition reads, in the order of the text. */
  readonly paths: readonly DocumentPath[];
  /** The top-level attributes that it reads. */
  readonly attributeNames: ReadonlySet<string>;
}

/**
 * Replaces the placeholders of a condition, checks it, and prepares it. Simple conditions are processed one after the
 * other, so that all problems of one are reported before any problem of the next.
 *
 * @throws {ValidationException}
 */
export function bindCondition(tree: ConditionNode, placeholders: Placeholders, kind: ExpressionKind): Condition {
  const binder = new ConditionBinder(placeholders, kind);
  return makeCondition(binder.bind(tree), binder.simpleConditions);
}

/** A condition with the given evaluation; the paths that it reads are determined only on request. */
export function makeCondition(evaluate: Predicate, simpleConditions: readonly SimpleCondition[]): Condition {
  return new BoundCondition(evaluate, simpleConditions);
}

class BoundCondition implements Condition {
  readonly #evaluate: Predicate;
  readonly #simpleConditions: readonly SimpleCondition[];
  #paths: readonly DocumentPath[] | undefined;

  constructor(evaluate: Predicate, simpleConditions: readonly SimpleCondition[]) {
    this.#evaluate = evaluate;
    this.#simpleConditions = simpleConditions;
  }

  evaluate(source: AttributeSource): boolean {
    // A condition may be part of another one, whose evaluation is then running.
    if (!beginEvaluation()) return this.#evaluate(source);
    try {
      return this.#evaluate(source);
    } finally {
      endEvaluation();
    }
  }

  get paths(): readonly DocumentPath[] {
    this.#paths ??= this.#simpleConditions.flatMap(({ operands }) => pathsIn(operands));
    return this.#paths;
  }

  get attributeNames(): ReadonlySet<string> {
    return attributeNamesOf(this.paths);
  }
}

class ConditionBinder {
  readonly simpleConditions: SimpleCondition[] = [];
  readonly #placeholders: Placeholders;
  readonly #kind: ExpressionKind;
  /** By the value to search for, which is one object wherever its placeholder is used. Most conditions search for nothing. */
  #searches: Map<AttributeValue, readonly { readonly path: DocumentPath; readonly predicate: Predicate }[]> | undefined;

  constructor(placeholders: Placeholders, kind: ExpressionKind) {
    this.#placeholders = placeholders;
    this.#kind = kind;
  }

  bind(node: ConditionNode): Predicate {
    const condition = ungroup(node);
    switch (condition.kind) {
      case 'and':
        return allOf(chain(condition).map((part) => this.bind(part)));
      case 'or':
        return anyOf(chain(condition).map((part) => this.bind(part)));
      case 'not':
        return negation(this.bind(condition.inner));
      case 'comparison':
        return this.#bindSimple(condition.comparator, [condition.left, condition.right]);
      case 'between':
        return this.#bindSimple('BETWEEN', [condition.operand, condition.lower, condition.upper]);
      case 'in':
        return this.#bindSimple('IN', [condition.operand, ...condition.candidates]);
      default:
        assert(
          condition.kind === 'call' && isFunctionName(condition.functionName),
          'conditions are comparisons, known functions and what is made of them',
        );
        return this.#bindSimple(condition.functionName, condition.operands);
    }
  }

  #bindSimple(operator: SimpleOperator, nodes: readonly OperandNode[]): Predicate {
    const operands = nodes.map((node) => bindOperand(node, this.#placeholders, this.#kind));
    const simple = { operator, operands };
    checkSimpleCondition(simple, this.#kind);
    this.simpleConditions.push(simple);
    return operator === 'contains' ? this.#searchOnce(operands) : simplePredicate(simple);
  }

  /** If a chain of conditions repeats the same search in the same attribute, it is made once per item. */
  #searchOnce(operands: readonly BoundOperand[]): Predicate {
    const [container, operand] = operands;
    const predicate = simplePredicate({ operator: 'contains', operands });
    if (container?.kind !== 'path' || operand?.kind !== 'value') return predicate;
    this.#searches ??= new Map();
    const searches = this.#searches.get(operand.value) ?? [];
    const same = searches.find(({ path }) => pathsEqual(path, container.path));
    if (same !== undefined) return same.predicate;
    this.#searches.set(operand.value, [...searches, { path: container.path, predicate }]);
    return predicate;
  }
}

/** The parts of `a AND b AND c`, from left to right: one loop at evaluation instead of a nest of calls. */
function chain(node: LogicalNode): readonly ConditionNode[] {
  const parts: ConditionNode[] = [];
  let rest: ConditionNode = node;
  while (rest.kind === node.kind) {
    const { left, right }: LogicalNode = rest;
    parts.push(right);
    rest = left;
  }
  parts.push(rest);
  return parts.toReversed();
}
