import type { AttributeTypeTag, AttributeValue } from '../values/attribute-value.ts';
import { ValidationException } from '../values/service-error.ts';
import { type DocumentPath, formatPath } from './document-path.ts';
import type { ExpressionKind } from './expression-kind.ts';

/**
 * Every text with which the service refuses an expression because of its contents. `invalidExpression` prepends the name
 * of the parameter.
 */
export function invalidExpression(kind: ExpressionKind, problem: string): ValidationException {
  return new ValidationException(`Invalid ${kind}: ${problem}`);
}

export const emptyExpression = 'The expression can not be empty;';

export function syntaxError(token: string, near: string): string {
  return `Syntax error; token: "${token}", near: "${near}"`;
}

export const redundantParentheses = 'The expression has redundant parentheses;';

export const expressionTooLong = 'Expression size has exceeded the maximum allowed size;';

export function tooManyOperators(operatorCount: number): string {
  return `The expression contains too many operators; operator count: ${operatorCount}`;
}

export function reservedKeyword(name: string): string {
  return `Attribute name is a reserved keyword; reserved keyword: ${name}`;
}

export function indexOutOfRange(index: string): string {
  return `List index is not within the allowable range; index: [${index}]`;
}

export function unknownFunction(functionName: string): string {
  return `Invalid function name; function: ${functionName}`;
}

export function functionNotAllowed(functionName: string, where: 'a condition' | 'an update'): string {
  return `The function is not allowed in ${where} expression; function: ${functionName}`;
}

export function misusedFunction(functionName: string): string {
  return `The function is not allowed to be used this way in an expression; function: ${functionName}`;
}

export function repeatedSection(verb: string): string {
  return `The "${verb}" section can only be used once in an update expression;`;
}

export function undefinedName(placeholder: string): string {
  return `An expression attribute name used in the document path is not defined; attribute name: ${placeholder}`;
}

export function undefinedValue(placeholder: string): string {
  return `An expression attribute value used in expression is not defined; attribute value: ${placeholder}`;
}

export function pathTooDeep(nestingLevelCount: number): string {
  return `The document path has too many nesting levels; nesting levels: ${nestingLevelCount}`;
}

export function wrongOperandCount(operator: string, operandCount: number): string {
  return `Incorrect number of operands for operator or function; operator or function: ${operator}, number of operands: ${operandCount}`;
}

export function pathRequired(functionName: string): string {
  return `Operator or function requires a document path; operator or function: ${functionName}`;
}

export function operandsNotDistinct(operator: string, first: DocumentPath): string {
  return `The first operand must be distinct from the remaining operands for this operator or function; operator: ${operator}, first operand: ${formatPath(first)}`;
}

export function wrongOperandType(operator: string, operandType: string): string {
  return `Incorrect operand type for operator or function; operator or function: ${operator}, operand type: ${operandType}`;
}

const longTypeNames: Record<AttributeTypeTag, string> = {
  S: 'STRING',
  N: 'NUMBER',
  B: 'BINARY',
  BOOL: 'BOOLEAN',
  NULL: 'NULL',
  L: 'LIST',
  M: 'MAP',
  SS: 'STRING_SET',
  NS: 'NUMBER_SET',
  BS: 'BINARY_SET',
};

/** For the actions ADD and DELETE, which spell types out and name a set of types. */
export function wrongActionOperandType(
  verb: 'ADD' | 'DELETE',
  operandType: AttributeTypeTag,
  typeSetVerb: 'ADD' | 'DELETE',
): string {
  return `Incorrect operand type for operator or function; operator: ${verb}, operand type: ${longTypeNames[operandType]}, typeSet: ALLOWED_FOR_${typeSetVerb}_OPERAND`;
}

export function unknownTypeName(name: string): string {
  return `Invalid attribute type name found; type: ${name}, valid types: {S,SS,N,NS,B,BS,BOOL,NULL,L,M}`;
}

/** The service's name for the type of a path when it wants a literal: every type that it has, public or not. */
export const anyType =
  '{S,SS,N,NS,B,BS,BOOL,NULL,L,M,HD,DOUBLE,FLOAT,HDS,FS,DOUBLESET,DICT,DECIMAL,INT,DECIMALSET,INTSET}';

export function tooManyInOperands(operandCount: number): string {
  return `The IN operator is provided with too many operands; number of operands: ${operandCount}`;
}

export function betweenTypesDiffer(lower: AttributeValue, upper: AttributeValue): string {
  return `The BETWEEN operator requires same data type for lower and upper bounds; ${formatBounds(lower, upper)}`;
}

export function betweenBoundsReversed(lower: AttributeValue, upper: AttributeValue): string {
  return `The BETWEEN operator requires upper bound to be greater than or equal to lower bound; ${formatBounds(lower, upper)}`;
}

function formatBounds(lower: AttributeValue, upper: AttributeValue): string {
  return `lower bound operand: AttributeValue: ${formatScalar(lower)}, upper bound operand: AttributeValue: ${formatScalar(upper)}`;
}

/** Both bounds are strings, numbers or binaries by the time their order is checked. */
function formatScalar(value: AttributeValue): string {
  if ('S' in value) return `{S:${value.S}}`;
  if ('N' in value) return `{N:${value.N}}`;
  return 'B' in value ? `{B:${value.B}}` : '{}';
}

export function pathsOverlap(one: DocumentPath, two: DocumentPath): string {
  return `Two document paths overlap with each other; ${twoPaths(one, two)}`;
}

export function pathsConflict(one: DocumentPath, two: DocumentPath): string {
  return `Two document paths conflict with each other; ${twoPaths(one, two)}`;
}

function twoPaths(one: DocumentPath, two: DocumentPath): string {
  return `must remove or rewrite one of these paths; path one: ${formatPath(one)}, path two: ${formatPath(two)}`;
}
