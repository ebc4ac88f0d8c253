import { type AttributeTypeTag, type AttributeValue, typeTag } from '../values/attribute-value.ts';
import type { BoundOperand } from '../expressions/bound-operand.ts';
import { type DocumentPath, pathsEqual } from '../expressions/document-path.ts';
import { wrongOperandCount, wrongOperandType } from '../expressions/expression-problem.ts';
import { checkPathsDisjoint, makePathTree } from '../expressions/path-tree.ts';
import { makeUpdate, type Update } from '../expressions/update.ts';
import { type SetValue, type UpdateAction, wrongDataType } from '../expressions/update-action.ts';
import { ValidationException } from '../values/service-error.ts';
import { type Binding, boundPathOrValue, boundValue, documentPath } from './bind-operand.ts';
import { unsupportedValue } from './literal-value.ts';
import { unprefixed } from './shared-problems.ts';
import { problemAt, statementProblems } from './statement-problem.ts';
import type { ActionNode, CallNode, ExpressionNode } from './syntax-tree.ts';

/**
 * The update of SET and REMOVE clauses.
 *
 * `set_add` and `set_delete` are assignments in form only: their first operand must be the target of the assignment, and they
 * become the actions ADD and DELETE of update expressions.
 *
 * @throws {ValidationException}
 */
export function bindUpdate(nodes: readonly ActionNode[], binding: Binding): Update {
  const actions = nodes.map((node) => bindAction(node, binding));
  const targets = actions.map(({ path }) => path);
  unprefixed(() => checkPathsDisjoint(makePathTree(targets), targets, 'UpdateExpression'));
  return makeUpdate(actions);
}

function bindAction(node: ActionNode, binding: Binding): UpdateAction {
  const path = documentPath(node.path, binding.statement.text);
  if (node.kind === 'remove') return { kind: 'remove', path };
  const { value } = node;
  if (value.kind === 'call' && (value.functionName === 'set_add' || value.functionName === 'set_delete')) {
    const kind = value.functionName === 'set_add' ? 'add' : 'delete';
    return { kind, path, value: setOperand(value, path, binding), typeMismatchMessage: wrongDataType };
  }
  return { kind: 'set', path, value: bindSetValue(value, binding) };
}

const setTypes: readonly AttributeTypeTag[] = ['SS', 'NS', 'BS'];

function setOperand(node: CallNode, target: DocumentPath, binding: Binding): AttributeValue {
  const name = node.functionName.toUpperCase();
  const { text } = binding.statement;
  const [first, second] = node.operands;
  if (first === undefined || second === undefined || node.operands.length > 2) {
    throw problemAt(statementProblems.setFunctionArguments(name), node.head, text);
  }
  const isTarget = first.kind === 'path' && pathsEqual(documentPath(first, text), target);
  if (!isTarget) throw problemAt(statementProblems.setFunctionTarget(name), node.head, text);
  const value = boundValue(second, binding);
  if (value !== undefined && setTypes.includes(typeTag(value))) return value;
  // The error is at the first operand.
  throw problemAt(statementProblems.setFunctionValue(name), first.head, text);
}

function bindSetValue(node: ExpressionNode, binding: Binding): SetValue {
  if (node.kind !== 'binary') return bindSetOperand(node, binding);
  const { operator } = node;
  if (operator !== '+' && operator !== '-') {
    throw new ValidationException(statementProblems.updateOperator(operator.toUpperCase()));
  }
  const left = bindSetOperand(node.left, binding);
  const right = bindSetOperand(node.right, binding);
  for (const operand of [left, right]) checkType(operator, operand, 'N');
  return { kind: 'arithmetic', operator, left, right };
}

function bindSetOperand(node: ExpressionNode, binding: Binding): BoundOperand {
  const simple = boundPathOrValue(node, binding);
  if (simple !== undefined) return simple;
  switch (node.kind) {
    case 'call':
      return bindListAppend(node, binding);
    case 'is':
      throw new ValidationException(statementProblems.isInUpdate);
    case 'binary':
    case 'unary':
      throw new ValidationException(statementProblems.updateOperator(node.operator.toUpperCase()));
    case 'between':
      throw new ValidationException(statementProblems.updateOperator('BETWEEN'));
    default:
      throw unsupportedValue(node, binding.statement.text);
  }
}

function bindListAppend(node: CallNode, binding: Binding): BoundOperand {
  if (node.functionName !== 'list_append') {
    throw problemAt(statementProblems.unknownFunction(node.functionName), node.head, binding.statement.text);
  }
  if (node.operands.length !== 2) {
    throw new ValidationException(wrongOperandCount('list_append', node.operands.length));
  }
  const operands = node.operands.map((operand) => bindSetOperand(operand, binding));
  for (const operand of operands) checkType('list_append', operand, 'L');
  return { kind: 'call', functionName: 'list_append', operands };
}

/** Checks the types of literals and parameters only. */
function checkType(operator: string, operand: BoundOperand, wanted: AttributeTypeTag): void {
  if (operand.kind !== 'value') return;
  const type = typeTag(operand.value);
  if (type !== wanted) throw new ValidationException(wrongOperandType(operator, type));
}
