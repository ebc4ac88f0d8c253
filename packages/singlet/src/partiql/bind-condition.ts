import { type AttributeValue, typeTag } from '../values/attribute-value.ts';
import type { BoundOperand } from '../expressions/bound-operand.ts';
import { pathsIn } from '../expressions/bound-operand.ts';
import { type Condition, makeCondition } from '../expressions/condition.ts';
import { allOf, anyOf, negation, type Predicate, simplePredicate } from '../expressions/condition-evaluator.ts';
import type { AttributeSource, DocumentPath } from '../expressions/document-path.ts';
import { checkSimpleCondition, type SimpleCondition, type SimpleOperator } from '../expressions/simple-condition.ts';
import { ValidationException } from '../values/service-error.ts';
import { type Binding, boundPathOrValue } from './bind-operand.ts';
import { unprefixed } from './shared-problems.ts';
import { problemAt, statementProblems } from './statement-problem.ts';
import type { BinaryNode, CallNode, ExpressionNode, IsNode } from './syntax-tree.ts';

/**
 * A WHERE clause with its values in place, in a form that shows its structure, because that decides which reads serve it. A
 * simple condition is one of the expressions, which evaluate it.
 */
export type ConditionTree =
  | { readonly kind: 'and' | 'or'; readonly parts: readonly ConditionTree[]; readonly node: ExpressionNode }
  | { readonly kind: 'not'; readonly inner: ConditionTree; readonly node: ExpressionNode }
  | SimpleConditionTree;

export interface SimpleConditionTree extends SimpleCondition {
  readonly kind: 'simple';
  readonly node: ExpressionNode;
  /**
   * Conditions among the operands: `attribute_exists(a) = true`. Their operands are the paths `['', 0]`, `['', 1]` …:
   * no attribute has an empty name.
   */
  readonly conditions: readonly ConditionTree[];
}

/**
 * Binds a WHERE clause and checks it as the service does before it reads the table.
 *
 * @throws {ValidationException}
 */
export function bindCondition(node: ExpressionNode, binding: Binding): ConditionTree {
  return new ConditionBinder(binding).bind(node);
}

/** The condition of a tree, prepared for any number of items. */
export function conditionOf(tree: ConditionTree): Condition {
  return makeCondition(predicateOf(tree), simpleConditionsOf(tree));
}

/** Every path in a condition, in the order of the text. */
export function pathsOf(tree: ConditionTree): readonly DocumentPath[] {
  return simpleConditionsOf(tree).flatMap(({ operands }) => pathsIn(operands));
}

function predicateOf(tree: ConditionTree): Predicate {
  switch (tree.kind) {
    case 'and':
      return allOf(tree.parts.map(predicateOf));
    case 'or':
      return anyOf(tree.parts.map(predicateOf));
    case 'not':
      return negation(predicateOf(tree.inner));
    case 'simple': {
      const predicate = simplePredicate(tree);
      return tree.conditions.length === 0 ? predicate : withResults(predicate, tree.conditions.map(predicateOf));
    }
  }
}

/**
 * Lets a condition see the results of others as booleans, under the empty name. They are computed once per item, because each operand reads
 * them, and so do the enclosing conditions.
 */
function withResults(predicate: Predicate, conditions: readonly Predicate[]): Predicate {
  return (source) => {
    let results: AttributeValue | undefined;
    const withConditions: AttributeSource = {
      getAttribute: (name) =>
        name === ''
          ? (results ??= { L: conditions.map((condition) => ({ BOOL: condition(source) })) })
          : source.getAttribute(name),
    };
    return predicate(withConditions);
  };
}

function simpleConditionsOf(tree: ConditionTree): readonly SimpleCondition[] {
  switch (tree.kind) {
    case 'and':
    case 'or':
      return tree.parts.flatMap(simpleConditionsOf);
    case 'not':
      return simpleConditionsOf(tree.inner);
    case 'simple': {
      const { operator, operands } = tree;
      const own = operands.filter((operand) => operand.kind !== 'path' || operand.path[0] !== '');
      return [...tree.conditions.flatMap(simpleConditionsOf), { operator, operands: own }];
    }
  }
}

const conditionFunctions = {
  attribute_exists: 'attribute_exists',
  attribute_not_exists: 'attribute_not_exists',
  attribute_type: 'attribute_type',
  begins_with: 'begins_with',
  contains: 'contains',
} as const satisfies Record<string, SimpleOperator>;

function isConditionFunction(name: string): name is keyof typeof conditionFunctions {
  return Object.hasOwn(conditionFunctions, name);
}

const comparators: ReadonlySet<string> = new Set(['=', '<>', '<', '<=', '>', '>=']);

/** The types that IS can test, by PartiQL's name of the type, and the attribute type that each means. */
const isTypes: ReadonlyMap<string, string> = new Map([
  ['null', 'NULL'],
  ['boolean', 'BOOL'],
  ['blob', 'B'],
  ['string', 'S'],
  ['numeric', 'N'],
  ['struct', 'M'],
  ['tuple', 'M'],
  ['list', 'L'],
]);

class ConditionBinder {
  readonly #binding: Binding;

  constructor(binding: Binding) {
    this.#binding = binding;
  }

  bind(node: ExpressionNode): ConditionTree {
    switch (node.kind) {
      case 'binary':
        return this.#bindBinary(node);
      case 'between':
        return this.#negate(node.negated, node, this.#simple('BETWEEN', [node.operand, node.lower, node.upper], node));
      case 'is':
        return this.#bindIs(node);
      case 'call':
        return this.#bindCall(node);
      case 'unary':
        if (node.operator === 'not') return { kind: 'not', inner: this.bind(node.operand), node };
        throw new ValidationException(statementProblems.conditionOperator(node.operator));
      default:
        throw this.#notACondition(node);
    }
  }

  #bindBinary(node: BinaryNode): ConditionTree {
    const { operator, left, right, negated } = node;
    if (operator === 'and' || operator === 'or') {
      return { kind: operator, parts: chain(node, operator).map((part) => this.bind(part)), node };
    }
    if (operator === 'in') return this.#negate(negated, node, this.#bindIn(left, right, node));
    if (!comparators.has(operator)) {
      throw new ValidationException(statementProblems.conditionOperator(operator.toUpperCase()));
    }
    return this.#simple(operator as SimpleOperator, [left, right], node); // one of the comparators
  }

  #bindIn(operand: ExpressionNode, candidates: ExpressionNode, node: ExpressionNode): ConditionTree {
    if (candidates.kind === 'list' || candidates.kind === 'bag') {
      return this.#simple('IN', [operand, ...candidates.elements], node);
    }
    // Assumed: a parameter may hold the list.
    const bound = boundPathOrValue(candidates, this.#binding);
    if (bound?.kind !== 'value' || !('L' in bound.value)) throw this.#notACondition(candidates);
    const conditions: ConditionTree[] = [];
    const operands = [
      this.#operand(operand, conditions),
      ...bound.value.L.map((value): BoundOperand => ({ kind: 'value', value })),
    ];
    return this.#checked('IN', operands, conditions, node);
  }

  #bindIs(node: IsNode): ConditionTree {
    const { typeName, operand, negated } = node;
    const conditions: ConditionTree[] = [];
    const subject = this.#operand(operand, conditions);
    if (typeName === 'missing') {
      return this.#negate(negated, node, this.#checked('attribute_not_exists', [subject], conditions, node));
    }
    const type = isTypes.get(typeName);
    if (type === undefined) throw new ValidationException(statementProblems.isType(typeName.toUpperCase()));
    const operands: BoundOperand[] = [subject, { kind: 'value', value: { S: type } }];
    return this.#negate(negated, node, this.#checked('attribute_type', operands, conditions, node));
  }

  #bindCall(node: CallNode): ConditionTree {
    const { functionName, operands } = node;
    if (functionName === 'size') throw this.#notACondition(node);
    if (!isConditionFunction(functionName)) throw this.#unknownFunction(node);
    return this.#simple(conditionFunctions[functionName], operands, node);
  }

  #simple(operator: SimpleOperator, nodes: readonly ExpressionNode[], node: ExpressionNode): ConditionTree {
    const conditions: ConditionTree[] = [];
    const operands = nodes.map((operand) => this.#operand(operand, conditions));
    return this.#checked(operator, operands, conditions, node);
  }

  #checked(
    operator: SimpleOperator,
    operands: readonly BoundOperand[],
    conditions: readonly ConditionTree[],
    node: ExpressionNode,
  ): ConditionTree {
    checkAttributeType(operator, operands);
    unprefixed(() => checkSimpleCondition({ operator, operands }, 'FilterExpression'));
    return { kind: 'simple', operator, operands, conditions, node };
  }

  /** A path, a value, `size(…)`, or a condition, whose result is a boolean. */
  #operand(node: ExpressionNode, conditions: ConditionTree[]): BoundOperand {
    const simple = boundPathOrValue(node, this.#binding);
    if (simple !== undefined) return simple;
    if (node.kind === 'call' && node.functionName === 'size') {
      const operands = node.operands.map((operand) => this.#operand(operand, conditions));
      return { kind: 'call', functionName: 'size', operands };
    }
    conditions.push(this.bind(node));
    return { kind: 'path', path: ['', conditions.length - 1] };
  }

  #negate(negated: boolean, node: ExpressionNode, inner: ConditionTree): ConditionTree {
    return negated ? { kind: 'not', inner, node } : inner;
  }

  #unknownFunction({ functionName, head }: CallNode): ValidationException {
    return problemAt(statementProblems.unknownFunction(functionName), head, this.#binding.statement.text);
  }

  #notACondition(node: ExpressionNode): ValidationException {
    const { text } = this.#binding.statement;
    const { start, end } = node.head;
    return problemAt(statementProblems.conditionToken(text.slice(start, end)), node.head, text);
  }
}

/** The parts of `a AND b AND c`, from left to right, without recursion: there may be a thousand. */
function chain(node: BinaryNode, operator: 'and' | 'or'): readonly ExpressionNode[] {
  const parts: ExpressionNode[] = [];
  let rest: ExpressionNode = node;
  while (rest.kind === 'binary' && rest.operator === operator) {
    const { left, right }: BinaryNode = rest;
    parts.push(right);
    rest = left;
  }
  parts.push(rest);
  return parts.toReversed();
}

const attributeTypes: ReadonlySet<string> = new Set(['N', 'BS', 'L', 'B', 'NULL', 'M', 'S', 'SS', 'NS', 'BOOL']);

/** PartiQL lists the valid types in a different order from expressions. */
function checkAttributeType(operator: SimpleOperator, [, type]: readonly BoundOperand[]): void {
  if (operator !== 'attribute_type' || type?.kind !== 'value' || typeTag(type.value) !== 'S') return;
  const name = 'S' in type.value ? type.value.S : '';
  if (attributeTypes.has(name)) return;
  throw new ValidationException(
    `Invalid attribute type name found; type: ${name}, valid types: {${[...attributeTypes].join(',')}}`,
  );
}
