import { ValidationException } from '../values/service-error.ts';
import type { Span } from './syntax-tree.ts';

/**
 * Every text with which a PartiQL statement is refused because of its contents, other than those that statements share
 * with expressions. Recorded from the service in September and October 2026 unless another source is named here.
 */

/** A statement that cannot be parsed. It has no detail if it does not even consist of tokens. */
export function malformedStatement(detail = ''): ValidationException {
  return new ValidationException(`Statement wasn't well formed, can't be processed: ${detail}`);
}

export const syntaxProblems = {
  leftover: 'Unexpected token after expression',
  /** From the open PartiQL parser, which is the source of the recorded texts. */
  afterSemicolon: 'Unexpected token after semicolon. (Only one query is allowed.)',
  term: 'Unexpected term',
  keyword: 'Unexpected keyword',
  operator: 'Unexpected operator',
  rightHandSide: 'Missing right-hand side expression of infix operator',
  simplePath: 'Expected identifier for simple path',
  pathDot: 'Invalid path dot component',
  /** The following texts are, too. */
  simplePathDot: 'Invalid path dot component for simple path',
  simplePathComponent: 'Invalid path component for simple path',
  dataManipulation: 'Expected data manipulation',
  typeName: 'Expected type name',
  assignment: "Expected '='",
  fromAfterDelete: 'Expected FROM after DELETE',
  fromAfterSelect: 'Expected FROM after SELECT list',
  starNotAlone: "Other expressions may not be present in the select list when '*' is used without dot notation.",
  aliasName: 'Expected identifier for AS-alias',
  returning: 'Expected ( MODIFIED | ALL ) ( NEW | OLD ) in each returning element.',
  returningColumn: 'Unsupported syntax in RETURNING columns.',
  expected: (what: string) => `Expected ${what}`,
} as const;

/** A problem with its place in the statement: line, column and length of a token, lines and columns counted from 1. */
export function problemAt(problem: string, { start, end }: Span, statement: string): ValidationException {
  const before = statement.slice(0, start);
  const lineStart = before.lastIndexOf('\n') + 1;
  const line = before.split('\n').length;
  return new ValidationException(`${problem} at ${line}:${start - lineStart + 1}:${end - start}`);
}

export const statementProblems = {
  aliasing: 'Aliasing is not supported',
  parameterCount: "Number of parameters in request and statement don't match.",
  keysNotPinned: 'Where clause does not contain a mandatory equality on all key attributes',
  emptyPathComponent: 'Path component cannot be an empty string',
  tooManyFromComponents: 'A path may contain at most 2 components in the FROM clause',
  pathComponent: 'Unexpected path component',
  emptyBag: 'Empty bags are not supported',
  mixedBag: 'Unsupported data type in Bag. DynamoDB only supports either numbers or strings in bags',
  existsOutsideTransaction: 'EXISTS can only be used in ExecuteTransaction write requests.',
  existsNotOneItem: 'EXISTS() must contain a single item read with additional condition',
  unsupportedOperation: (operation: string) => `Unsupported operation: ${operation}`,
  unsupportedClause: (clause: string) => `Unsupported clause: ${clause}`,
  unknownFunction: (name: string) => `Unrecognized function: ${name}`,
  duplicateColumn: (name: string) => `Duplicate identifiers in select clause: ${name}`,
  listIndex: (index: string) => `List index is not within the allowable range; index: [${index}]`,
  dataType: (what: string, place: string) => `Unsupported data type: ${what} under key ${place}`,
  nesting: (place: string) => `Nesting Levels have exceeded supported limits under ${place}`,
  deleteReturning: (clause: string) =>
    `Invalid returning clause: RETURNING ${clause}. Only RETURNING ALL OLD * is allowed in DELETE statements.`,
  setFunctionTarget: (name: string) => `The first argument to ${name} must equal the assignment value`,
  setFunctionValue: (name: string) => `The second argument to ${name} must be a value with type SET`,
  setFunctionArguments: (name: string) => `${name} must have exactly two arguments`,
  /** The service's messages for the following are not on record: these are our own words. */
  fromSource: 'FROM must name one table, or one index of a table',
  indexOfWrite: 'A statement that writes must name a table, not an index',
  insertReturning: 'INSERT takes no RETURNING clause',
  selectValue: 'SELECT VALUE and PIVOT are not supported',
  isInUpdate: 'IS cannot be used in the value of an assignment',
  nestingTooDeep: 'The statement is nested too deeply',
  conditionOperator: (operator: string) => `The operator ${operator} cannot be used in a condition`,
  updateOperator: (operator: string) => `The operator ${operator} cannot be used in the value of an assignment`,
  conditionToken: (token: string) => `${token} cannot be used in a condition`,
  duplicateKey: (key: string, place: string) => `A tuple holds ${key} twice, under ${place}`,
  isType: (type: string) =>
    `IS knows no type ${type}: use MISSING, NULL, BOOLEAN, BLOB, STRING, NUMERIC, STRUCT, TUPLE or LIST`,
} as const;
