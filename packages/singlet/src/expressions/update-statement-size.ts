import { attributeValueSizeBytes } from '../values/item-size.ts';
import { utf8ByteLength } from '../values/utf8.ts';
import type { BoundOperand } from './bound-operand.ts';
import type { DocumentPath } from './document-path.ts';
import type { FunctionName } from './functions.ts';
import type { SetValue, UpdateAction } from './update-action.ts';

/**
 * The size of an update expression. In addition to the finished item, the service bounds the update, which it seems to keep as
 * a tree of nodes. Each action, operator and step of a path costs a fixed number of bytes, plus the bytes of
 * names and of the given values. What the item holds is free, and so is what a REMOVE or DELETE takes away. A
 * value that is used twice counts twice, and names count as what they represent. Measured at the 400 KB limit in
 * us-east-1 and 22 other regions, September 2026; in ten regions there is no such rule.
 *
 *     SET b = :pad                    3 + 19 + 1 + size of :pad
 *     SET b = if_not_exists(b, :pad)  3 + 19 + 1 + 39 + (1 + 14 + 1) + size of :pad
 */
export function updateStatementSizeBytes(actions: readonly UpdateAction[]): number {
  let sizeBytes = statementBytes;
  for (const action of actions) sizeBytes += actionSizeBytes(action);
  return sizeBytes;
}

const statementBytes = 3;
const assignmentBytes = 19;
const removalBytes = 1;
const targetStepBytes = 4;
const operandPathBytes = 1;
const operandStepBytes = 14;
const arithmeticBytes = { '+': 34, '-': 37 } as const;
/** The other functions are not allowed in updates. */
const functionBytes: Partial<Record<FunctionName, number>> = { if_not_exists: 39, list_append: 37 };

function actionSizeBytes(action: UpdateAction): number {
  const targetBytes = stepsBytes(action.path) + targetStepBytes * (action.path.length - 1);
  switch (action.kind) {
    case 'set':
      return assignmentBytes + targetBytes + setValueSizeBytes(action.value);
    case 'add':
      return assignmentBytes + targetBytes + attributeValueSizeBytes(action.value);
    case 'remove':
    case 'delete':
      return removalBytes + targetBytes;
  }
}

function setValueSizeBytes(value: SetValue): number {
  if (value.kind !== 'arithmetic') return operandSizeBytes(value);
  return arithmeticBytes[value.operator] + operandSizeBytes(value.left) + operandSizeBytes(value.right);
}

function operandSizeBytes(operand: BoundOperand): number {
  switch (operand.kind) {
    case 'value':
      return attributeValueSizeBytes(operand.value);
    case 'path':
      return operandPathBytes + operandStepBytes * operand.path.length + stepsBytes(operand.path);
    case 'call': {
      let sizeBytes = functionBytes[operand.functionName] ?? 0;
      for (const inner of operand.operands) sizeBytes += operandSizeBytes(inner);
      return sizeBytes;
    }
  }
}

/** The bytes of names, and the digits of positions in lists. */
function stepsBytes(path: DocumentPath): number {
  let sizeBytes = 0;
  for (const step of path) sizeBytes += typeof step === 'string' ? utf8ByteLength(step) : String(step).length;
  return sizeBytes;
}
