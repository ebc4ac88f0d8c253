/** The functions of all expressions. Their names are case-sensitive. */
export type FunctionName =
  | 'attribute_exists'
  | 'attribute_not_exists'
  | 'attribute_type'
  | 'begins_with'
  | 'contains'
  | 'size'
  | 'if_not_exists'
  | 'list_append';

interface FunctionDefinition {
  readonly operandCount: number;
  /**
   * Where a call may be: as a condition, as an operand in a condition, anywhere to the right of `=` in SET, or only
   * as the whole of it.
   */
  readonly place: 'condition' | 'condition-operand' | 'set-operand' | 'set-value';
  /** Whether the first operand must be a document path. */
  readonly pathRequired: boolean;
}

export const functionDefinitions: Readonly<Record<FunctionName, FunctionDefinition>> = {
  attribute_exists: { operandCount: 1, place: 'condition', pathRequired: true },
  attribute_not_exists: { operandCount: 1, place: 'condition', pathRequired: true },
  attribute_type: { operandCount: 2, place: 'condition', pathRequired: false },
  begins_with: { operandCount: 2, place: 'condition', pathRequired: false },
  contains: { operandCount: 2, place: 'condition', pathRequired: false },
  size: { operandCount: 1, place: 'condition-operand', pathRequired: false },
  if_not_exists: { operandCount: 2, place: 'set-operand', pathRequired: true },
  list_append: { operandCount: 2, place: 'set-value', pathRequired: false },
};

export function isFunctionName(name: string): name is FunctionName {
  return Object.hasOwn(functionDefinitions, name);
}
