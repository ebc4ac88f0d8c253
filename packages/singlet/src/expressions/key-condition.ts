import type { AttributeValue } from '../values/attribute-value.ts';
import { assert } from '../values/assert.ts';
import { type BoundOperand, bindOperand } from './bound-operand.ts';
import { attributeNameOf } from './document-path.ts';
import { invalidExpression } from './expression-problem.ts';
import { isFunctionName } from './functions.ts';
import type { LegacyComparisonOperator } from './legacy-parameters.ts';
import type { Comparator } from './lexer.ts';
import type { Placeholders } from './placeholders.ts';
import { type SimpleCondition, type SimpleOperator, checkSimpleCondition } from './simple-condition.ts';
import { type ConditionNode, type OperandNode, ungroup } from './syntax-tree.ts';

/** Which items of an index a Query reads: conditions on attributes, not yet checked against a key schema. */
export interface KeyCondition {
  /** In the order of the text; no attribute has two. */
  readonly terms: readonly KeyConditionTerm[];
}

export interface KeyConditionTerm {
  readonly attributeName: string;
  /** Legacy conditions may name operators that no index can serve; key schemas refuse them. */
  readonly operator: KeyConditionOperator | UnindexableOperator;
  /** Two for BETWEEN, otherwise one. */
  readonly operands: readonly AttributeValue[];
}

/** The operators that an index can serve: one run of keys. */
export type KeyConditionOperator = '=' | '<' | '<=' | '>' | '>=' | 'BETWEEN' | 'begins_with';

export type UnindexableOperator = Extract<
  LegacyComparisonOperator,
  'NE' | 'IN' | 'CONTAINS' | 'NOT_CONTAINS' | 'NULL' | 'NOT_NULL'
>;

const kind = 'KeyConditionExpression';

/**
 * Replaces the placeholders of a key condition and checks it like any other condition.
 *
 * @returns its simple conditions for {@link makeKeyCondition}, which the service calls only after all
 *   other expressions.
 * @throws {ValidationException}
 */
export function bindKeyCondition(tree: ConditionNode, placeholders: Placeholders): KeyConditionParts {
  const parts: KeyConditionPart[] = [];
  const bindSimple = (operator: SimpleOperator, nodes: readonly OperandNode[]): void => {
    const operands = nodes.map((node) => bindOperand(node, placeholders, kind));
    const simple = { operator, operands };
    checkSimpleCondition(simple, kind);
    parts.push(simple);
  };
  const bind = (node: ConditionNode): void => {
    const condition = ungroup(node);
    switch (condition.kind) {
      case 'and':
        bind(condition.left);
        return bind(condition.right);
      case 'or':
        parts.push('OR');
        bind(condition.left);
        return bind(condition.right);
      case 'not':
        parts.push('NOT');
        return bind(condition.inner);
      case 'comparison':
        return bindSimple(condition.comparator, [condition.left, condition.right]);
      case 'between':
        return bindSimple('BETWEEN', [condition.operand, condition.lower, condition.upper]);
      case 'in':
        return bindSimple('IN', [condition.operand, ...condition.candidates]);
      default:
        assert(condition.kind === 'call' && isFunctionName(condition.functionName), 'conditions were parsed as such');
        return bindSimple(condition.functionName, condition.operands);
    }
  };
  bind(tree);
  return parts;
}

/** The parts of a key condition in the order in which they are checked: an OR comes before what it joins. */
export type KeyConditionParts = readonly KeyConditionPart[];

type KeyConditionPart = SimpleCondition | 'OR' | 'NOT';

/**
 * The key condition made of simple conditions that are joined by AND.
 *
 * @throws {ValidationException} for anything other than one condition each on attributes, against values, that an index
 *   can serve.
 */
export function makeKeyCondition(parts: KeyConditionParts): KeyCondition {
  const terms = new Map<string, KeyConditionTerm>();
  for (const part of parts) {
    const term = makeTerm(part);
    if (terms.has(term.attributeName)) {
      throw invalidExpression(kind, 'KeyConditionExpressions must only contain one condition per key');
    }
    terms.set(term.attributeName, term);
  }
  return { terms: [...terms.values()] };
}

function makeTerm(part: KeyConditionPart): KeyConditionTerm {
  const operator = typeof part === 'string' ? part : part.operator;
  if (typeof part === 'string' || !isKeyConditionOperator(part.operator)) {
    throw invalidExpression(kind, `Invalid operator used in KeyConditionExpression: ${operator}`);
  }
  const { operands } = part;
  checkFirstOperand(part.operator, operands);
  const { attributeName, position } = findAttribute(operands);
  const values: AttributeValue[] = [];
  for (const operand of operands) if (operand.kind === 'value') values.push(operand.value);
  // `:v < key` is `key > :v`; in the other operators the key is first.
  return { attributeName, operator: position === 0 ? part.operator : flip(part.operator), operands: values };
}

function checkFirstOperand(operator: KeyConditionOperator, [first]: readonly BoundOperand[]): void {
  if (operator !== 'BETWEEN' && operator !== 'begins_with') return;
  if (first?.kind !== 'path') {
    throw invalidCondition(`${operator} operator must have the key attribute as its first operand`);
  }
}

/** The one operand that is an attribute. Operands are checked from left to right. */
function findAttribute(operands: readonly BoundOperand[]): { attributeName: string; position: number } {
  let found: { attributeName: string; position: number } | undefined;
  for (const [position, operand] of operands.entries()) {
    if (operand.kind === 'value') continue;
    if (operand.kind === 'call') {
      throw invalidExpression(kind, 'KeyConditionExpressions cannot contain nested operations');
    }
    if (found) throw invalidCondition('Multiple attribute names used in one condition');
    if (operand.path.length > 1) {
      throw invalidExpression(kind, 'KeyConditionExpressions cannot have conditions on nested attributes');
    }
    found = { attributeName: attributeNameOf(operand.path), position };
  }
  if (found === undefined) throw invalidCondition('No key attribute specified');
  return found;
}

function invalidCondition(problem: string): ReturnType<typeof invalidExpression> {
  return invalidExpression(kind, `Invalid condition in KeyConditionExpression: ${problem}`);
}

function isKeyConditionOperator(operator: SimpleOperator): operator is KeyConditionOperator {
  return Object.hasOwn(flipped, operator) || operator === 'BETWEEN' || operator === 'begins_with';
}

const flipped = { '=': '=', '<': '>', '<=': '>=', '>': '<', '>=': '<=' } as const satisfies Partial<
  Record<Comparator, Comparator>
>;

function flip(operator: KeyConditionOperator): KeyConditionOperator {
  return operator === 'BETWEEN' || operator === 'begins_with' ? operator : flipped[operator];
}
