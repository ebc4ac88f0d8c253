import { type AttributeTypeTag, type AttributeValue, typeTag } from '../values/attribute-value.ts';
import { assert } from '../values/assert.ts';
import { type DocumentPath, pathsEqual } from './document-path.ts';
import type { ExpressionKind } from './expression-kind.ts';
import { invalidExpression, operandsNotDistinct, pathRequired, wrongOperandCount } from './expression-problem.ts';
import { type FunctionName, functionDefinitions, isFunctionName } from './functions.ts';
import type { Placeholders } from './placeholders.ts';
import { type OperandNode, ungroup } from './syntax-tree.ts';

/** An operand whose placeholders were replaced. */
export type BoundOperand =
  | { readonly kind: 'path'; readonly path: DocumentPath }
  | { readonly kind: 'value'; readonly value: AttributeValue }
  | BoundCall;

export interface BoundCall {
  readonly kind: 'call';
  readonly functionName: FunctionName;
  readonly operands: readonly BoundOperand[];
}

/** @throws {ValidationException} for the first placeholder, in the order of the text, that is not defined. */
export function bindOperand(node: OperandNode, placeholders: Placeholders, kind: ExpressionKind): BoundOperand {
  const operand = ungroup(node);
  switch (operand.kind) {
    case 'path':
      return { kind: 'path', path: placeholders.path(operand, kind) };
    case 'value':
      return { kind: 'value', value: placeholders.value(operand, kind) };
    default: {
      assert(
        operand.kind === 'call' && isFunctionName(operand.functionName),
        'operands are paths, values and known functions',
      );
      const operands = operand.operands.map((inner) => bindOperand(inner, placeholders, kind));
      return { kind: 'call', functionName: operand.functionName, operands };
    }
  }
}

/** The type of an operand, if it does not depend on the item. */
export function staticType(operand: BoundOperand): AttributeTypeTag | undefined {
  if (operand.kind === 'value') return typeTag(operand.value);
  return operand.kind === 'call' && operand.functionName === 'size' ? 'N' : undefined;
}

/** @throws {ValidationException} if a call has too few or too many operands, inner calls first. */
export function checkOperandCounts(operand: BoundOperand, kind: ExpressionKind): void {
  if (operand.kind !== 'call') return;
  for (const inner of operand.operands) checkOperandCounts(inner, kind);
  const operandCount = operand.operands.length;
  if (operandCount !== functionDefinitions[operand.functionName].operandCount) {
    throw invalidExpression(kind, wrongOperandCount(operand.functionName, operandCount));
  }
}

/** @throws {ValidationException} if the first operand of a call must be a path and is not. */
export function checkPathRequired({ functionName, operands }: BoundCall, kind: ExpressionKind): void {
  if (functionDefinitions[functionName].pathRequired && operands[0]?.kind !== 'path') {
    throw invalidExpression(kind, pathRequired(functionName));
  }
}

/** @throws {ValidationException} if the first operand is a path and one of the others is the same path. */
export function checkDistinct(operator: string, operands: readonly BoundOperand[], kind: ExpressionKind): void {
  const [first, ...others] = operands;
  if (first?.kind !== 'path') return;
  for (const other of others) {
    if (other.kind === 'path' && pathsEqual(first.path, other.path)) {
      throw invalidExpression(kind, operandsNotDistinct(operator, first.path));
    }
  }
}

/** The paths in operands, in the order of the text. */
export function pathsIn(operands: readonly BoundOperand[]): readonly DocumentPath[] {
  return operands.flatMap((operand) => {
    if (operand.kind === 'path') return [operand.path];
    return operand.kind === 'call' ? pathsIn(operand.operands) : [];
  });
}
