import { type AttributeTypeTag, typeTag } from '../values/attribute-value.ts';
import type { ValueCheckLayer } from '../values/value-check-layer.ts';
import {
  type BoundOperand,
  bindOperand,
  checkDistinct,
  checkOperandCounts,
  checkPathRequired,
} from './bound-operand.ts';
import { invalidExpression, wrongActionOperandType, wrongOperandType } from './expression-problem.ts';
import { areDistinctAttributes, checkPathsDisjoint, makePathTree } from './path-tree.ts';
import type { Placeholders } from './placeholders.ts';
import { type ActionNode, type OperandNode, type PathNode, type UpdateNode, ungroup } from './syntax-tree.ts';
import { type Update, makeUpdate } from './update.ts';
import { type SetValue, type UpdateAction, wrongDataType } from './update-action.ts';

const kind = 'UpdateExpression';

/**
 * Replaces the placeholders of an update and checks it, in the order of the service: first the names in the paths that are
 * written; then that these are disjoint; then, from the last action to the first, all names; and again from the last to the
 * first everything else.
 *
 * @throws {ValidationException}
 */
export function bindUpdate(tree: UpdateNode, placeholders: Placeholders, layer: ValueCheckLayer): Update {
  const actions: ActionNode[] = [];
  for (const section of tree.sections) actions.push(...section.actions);
  const targets = actions.map(({ path }) => placeholders.path(path, kind));
  if (!areDistinctAttributes(targets)) checkPathsDisjoint(makePathTree(targets), targets, kind);
  const backwards = actions.toReversed();
  for (const action of backwards) checkNamesDefined(action, placeholders);
  const bound = backwards.map((action) => bindAction(action, placeholders, layer));
  return makeUpdate(bound.toReversed());
}

function checkNamesDefined(action: ActionNode, placeholders: Placeholders): void {
  if (action.kind !== 'set') return;
  for (const path of pathNodesIn(operandNodes(action))) placeholders.checkNames(path, kind);
}

/** The operands of the right side: one, or the two sides of a sum. */
function operandNodes({ value }: Extract<ActionNode, { kind: 'set' }>): readonly OperandNode[] {
  const inner = ungroup(value);
  // Anything that is not a sum is an operand: the parser allows nothing else there.
  return inner.kind === 'arithmetic' ? [inner.left, inner.right] : [inner as OperandNode];
}

function* pathNodesIn(nodes: readonly OperandNode[]): Generator<PathNode> {
  for (const node of nodes) {
    const operand = ungroup(node);
    if (operand.kind === 'path') yield operand;
    if (operand.kind === 'call') yield* pathNodesIn(operand.operands);
  }
}

function bindAction(action: ActionNode, placeholders: Placeholders, layer: ValueCheckLayer): UpdateAction {
  const path = placeholders.path(action.path, kind);
  switch (action.kind) {
    case 'set':
      return { kind: 'set', path, value: bindSetValue(action, placeholders) };
    case 'remove':
      return { kind: 'remove', path };
    case 'add':
    case 'delete': {
      const value = placeholders.value(action.value, kind);
      checkActionType(action.kind, typeTag(value), layer);
      return { kind: action.kind, path, value, typeMismatchMessage: wrongDataType };
    }
  }
}

function bindSetValue(action: Extract<ActionNode, { kind: 'set' }>, placeholders: Placeholders): SetValue {
  const operands = operandNodes(action).map((node) => bindOperand(node, placeholders, kind));
  for (const operand of operands) checkOperandCounts(operand, kind);
  for (const operand of operands) checkCalls(operand);
  const inner = ungroup(action.value);
  const [left, right] = operands as [BoundOperand, BoundOperand]; // one operand, or two of a sum
  if (inner.kind !== 'arithmetic') return left;
  for (const operand of operands) checkType(inner.operator, operand, 'N');
  return { kind: 'arithmetic', operator: inner.operator, left, right };
}

function checkCalls(operand: BoundOperand): void {
  if (operand.kind !== 'call') return;
  for (const inner of operand.operands) checkCalls(inner);
  checkPathRequired(operand, kind);
  if (operand.functionName === 'if_not_exists') checkDistinct(operand.functionName, operand.operands, kind);
  if (operand.functionName !== 'list_append') return;
  for (const inner of operand.operands) checkType(operand.functionName, inner, 'L');
}

/** Checks the types of literals only. */
function checkType(operator: string, operand: BoundOperand, wanted: AttributeTypeTag): void {
  if (operand.kind !== 'value') return;
  const type = typeTag(operand.value);
  if (type !== wanted) throw invalidExpression(kind, wrongOperandType(operator, type));
}

const addableTypes: readonly AttributeTypeTag[] = ['N', 'SS', 'NS', 'BS'];
const setTypes: readonly AttributeTypeTag[] = ['SS', 'NS', 'BS'];

function checkActionType(actionKind: 'add' | 'delete', type: AttributeTypeTag, layer: ValueCheckLayer): void {
  const isAdd = actionKind === 'add';
  if ((isAdd ? addableTypes : setTypes).includes(type)) return;
  // The current layer names the set of types of ADD for both.
  const typeSetVerb = isAdd || layer === 'current' ? 'ADD' : 'DELETE';
  throw invalidExpression(kind, wrongActionOperandType(isAdd ? 'ADD' : 'DELETE', type, typeSetVerb));
}
