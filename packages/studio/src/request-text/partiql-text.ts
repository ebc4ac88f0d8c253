import type { AttributeMap } from '../../../singlet/src/values/attribute-value.ts';
import { literalOf, partiqlOf, quotedName } from './condition-text.ts';
import { readTokens, TextProblem, type Token } from './condition-tokens.ts';

/** The members of a read that a statement can express. */
interface ReadInput {
  readonly TableName?: string;
  readonly IndexName?: string;
  readonly KeyConditionExpression?: string;
  readonly FilterExpression?: string;
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>>;
  readonly ExpressionAttributeValues?: AttributeMap;
  readonly ProjectionExpression?: string;
  readonly ScanIndexForward?: boolean;
  readonly Segment?: number;
  readonly Key?: AttributeMap;
}

/**
 * The statement that reads the same items, or a comment that says why there is none.
 *
 * @param sortKey - of the table or index, for a descending order; without it, the attribute that the request names `#sk`.
 */
export function partiqlText(operation: string, input: object, sortKey?: string): string {
  try {
    return statementOf(operation, input, sortKey);
  } catch (error) {
    if (error instanceof TextProblem) return `-- ${error.message}`;
    throw error;
  }
}

function statementOf(operation: string, read: ReadInput, sortKey: string | undefined): string {
  if (operation === 'ExecuteStatement') return String((read as { readonly Statement?: unknown }).Statement);
  if (operation === 'GetItem' && read.Key !== undefined) {
    const conditions = Object.entries(read.Key).map(([name, value]) => `${quotedName(name)} = ${literalOf(value)}`);
    return `SELECT * FROM ${from(read)}\nWHERE ${conditions.join(' AND ')}`;
  }
  if (operation !== 'Query' && operation !== 'Scan')
    throw new TextProblem(`${operation} has no form in PartiQL that does the same.`);
  if (read.Segment !== undefined) throw new TextProblem('PartiQL reads whole tables: it has no segments.');
  const tokens = (text: string): readonly Token[] =>
    readTokens(text, { names: read.ExpressionAttributeNames, values: read.ExpressionAttributeValues });
  const conditions = [read.KeyConditionExpression, read.FilterExpression]
    .filter((text) => text !== undefined)
    .map(tokens)
    .map((each, _, all) => (all.length > 1 && hasOr(each) ? `(${partiqlOf(each)})` : partiqlOf(each)));
  const columns = read.ProjectionExpression === undefined ? '*' : partiqlOf(tokens(read.ProjectionExpression));
  const where = conditions.length === 0 ? '' : `\nWHERE ${conditions.join(' AND ')}`;
  const sort = sortKey ?? read.ExpressionAttributeNames?.['#sk'];
  const order = read.ScanIndexForward === false && sort !== undefined ? `\nORDER BY ${quotedName(sort)} DESC` : '';
  return `SELECT ${columns} FROM ${from(read)}${where}${order}`;
}

function hasOr(tokens: readonly Token[]): boolean {
  return tokens.some((token) => token.kind === 'word' && token.text === 'OR');
}

function from({ TableName = '', IndexName }: ReadInput): string {
  return IndexName === undefined ? quotedName(TableName) : `${quotedName(TableName)}.${quotedName(IndexName)}`;
}
