import { type AttributeTypeTag, typeTag } from '../values/attribute-value.ts';
import { compareScalars } from '../values/compare.ts';
import { serviceLimits } from '../values/limits.ts';
import {
  type BoundCall,
  type BoundOperand,
  checkDistinct,
  checkOperandCounts,
  checkPathRequired,
  staticType,
} from './bound-operand.ts';
import type { ExpressionKind } from './expression-kind.ts';
import {
  anyType,
  betweenBoundsReversed,
  betweenTypesDiffer,
  invalidExpression,
  tooManyInOperands,
  unknownTypeName,
  wrongOperandType,
} from './expression-problem.ts';
import { type FunctionName, isFunctionName } from './functions.ts';
import type { Comparator } from './lexer.ts';

/** A condition without AND, OR or NOT: a comparison, BETWEEN, IN, or a function. */
export interface SimpleCondition {
  readonly operator: SimpleOperator;
  /** For BETWEEN the value, the lower and the upper bound; for IN the value and its candidates. */
  readonly operands: readonly BoundOperand[];
}

export type SimpleOperator = Comparator | 'BETWEEN' | 'IN' | FunctionName;

/**
 * Checks the operands of a condition: how many there are, that the first differs from the others, and the types that
 * are known without an item. Reports problems within an operand before problems with the operator.
 *
 * @throws {ValidationException}
 */
export function checkSimpleCondition({ operator, operands }: SimpleCondition, kind: ExpressionKind): void {
  const call: BoundCall | undefined = isFunctionName(operator)
    ? { kind: 'call', functionName: operator, operands }
    : undefined;
  if (call) checkOperandCounts(call, kind);
  else for (const operand of operands) checkOperandCounts(operand, kind);
  if (operator === 'IN' && operands.length - 1 > serviceLimits.inOperandCountMax) {
    throw invalidExpression(kind, tooManyInOperands(operands.length - 1));
  }
  checkDistinct(operator, operands, kind);
  for (const operand of operands) checkSizeTypes(operand, kind);
  if (call) checkPathRequired(call, kind);
  checkTypes(operator, operands, kind);
}

function checkSizeTypes(operand: BoundOperand, kind: ExpressionKind): void {
  if (operand.kind !== 'call') return;
  for (const inner of operand.operands) checkSizeTypes(inner, kind);
  if (operand.functionName === 'size') checkTypesAmong(sizedTypes, 'size', operand.operands, kind);
}

const scalarTypes: readonly AttributeTypeTag[] = ['S', 'N', 'B'];
const prefixTypes: readonly AttributeTypeTag[] = ['S', 'B'];
const sizedTypes: readonly AttributeTypeTag[] = ['S', 'B', 'SS', 'NS', 'BS', 'L', 'M'];

function checkTypes(operator: SimpleOperator, operands: readonly BoundOperand[], kind: ExpressionKind): void {
  switch (operator) {
    case '<':
    case '<=':
    case '>':
    case '>=':
      return checkTypesAmong(scalarTypes, operator, operands, kind);
    case 'BETWEEN':
      checkTypesAmong(scalarTypes, operator, operands, kind);
      return checkBounds(operands, kind);
    case 'begins_with':
      return checkTypesAmong(prefixTypes, operator, operands, kind);
    case 'attribute_type':
      return checkTypeName(operands, kind);
    case 'size':
      return checkTypesAmong(sizedTypes, operator, operands, kind);
    case '=':
    case '<>':
    case 'IN':
    case 'attribute_exists':
    case 'attribute_not_exists':
    case 'contains':
    case 'if_not_exists':
    case 'list_append':
      return;
  }
}

function checkTypesAmong(
  types: readonly AttributeTypeTag[],
  operator: SimpleOperator,
  operands: readonly BoundOperand[],
  kind: ExpressionKind,
): void {
  for (const operand of operands) {
    const type = staticType(operand);
    if (type !== undefined && !types.includes(type)) throw invalidExpression(kind, wrongOperandType(operator, type));
  }
}

function checkBounds([, lower, upper]: readonly BoundOperand[], kind: ExpressionKind): void {
  if (lower?.kind !== 'value' || upper?.kind !== 'value') return;
  const order = compareScalars(lower.value, upper.value);
  if (order === undefined) throw invalidExpression(kind, betweenTypesDiffer(lower.value, upper.value));
  if (order > 0) throw invalidExpression(kind, betweenBoundsReversed(lower.value, upper.value));
}

function checkTypeName([, name]: readonly BoundOperand[], kind: ExpressionKind): void {
  if (name?.kind !== 'value') {
    const type = name === undefined ? undefined : staticType(name);
    throw invalidExpression(kind, wrongOperandType('attribute_type', type ?? anyType));
  }
  if (!('S' in name.value)) throw invalidExpression(kind, wrongOperandType('attribute_type', typeTag(name.value)));
  if (!typeNames.has(name.value.S)) throw invalidExpression(kind, unknownTypeName(name.value.S));
}

const typeNames: ReadonlySet<string> = new Set(['S', 'SS', 'N', 'NS', 'B', 'BS', 'BOOL', 'NULL', 'L', 'M']);
