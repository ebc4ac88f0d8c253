import type { AttributeValue, UncheckedAttributeValue } from '../../values/attribute-value.ts';
import { checkAttributeValue } from '../../values/check-attribute-value.ts';
import { bindStatement, parseStatement, type Statement } from '../../partiql/index.ts';

/** A statement as it was sent, with the values of its `?`. */
export interface ParameterizedStatement {
  readonly statement: string;
  readonly parameters?: readonly UncheckedAttributeValue[] | undefined;
}

/**
 * Checks the parameters, which the service does before it parses the statement.
 *
 * @throws {ValidationException}
 */
export function checkParameters({ parameters }: ParameterizedStatement): readonly AttributeValue[] {
  return (parameters ?? []).map((value) => checkAttributeValue(value, 'older'));
}

/**
 * Parses a statement and inserts its parameters, which have been checked.
 *
 * @throws {ValidationException}
 */
export function readStatement({ statement }: ParameterizedStatement, parameters: readonly AttributeValue[]): Statement {
  return bindStatement(parseStatement(statement), parameters);
}
