import type { AttributeValue } from '../../values/attribute-value.ts';
import { compileExpressions } from '../../expressions/index.ts';
import type { QueryRequest } from '../operations/query.ts';

/** One condition of a query on a key attribute. */
export interface QueryTerm {
  readonly attributeName: string;
  /** `=`, `<`, `<=`, `>`, `>=`, `BETWEEN` or `begins_with`. */
  readonly operator: string;
  /** Two for BETWEEN, otherwise one. */
  readonly operands: readonly AttributeValue[];
}

/** The conditions of a query on its key, in their order. @throws {ValidationException} if they are malformed. */
export function queryTerms(request: QueryRequest): readonly QueryTerm[] {
  return compileExpressions(request, 'Query').keyCondition?.terms ?? [];
}
