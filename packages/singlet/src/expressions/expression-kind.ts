/** The kinds of expression, by the request parameter that carries them. */
export type ExpressionKind =
  | 'KeyConditionExpression'
  | 'FilterExpression'
  | 'ConditionExpression'
  | 'SearchConditionExpression'
  | 'UpdateExpression'
  | 'ProjectionExpression';

/** Three grammars serve all kinds: the four kinds of conditions have the same grammar. */
export type Grammar = 'condition' | 'update' | 'projection';

export function grammarOf(kind: ExpressionKind): Grammar {
  if (kind === 'UpdateExpression') return 'update';
  return kind === 'ProjectionExpression' ? 'projection' : 'condition';
}

/**
 * The words that cannot be names in an expression of a grammar, in any case. They differ: `set` in a condition is
 * refused as a reserved word, and in an update as a syntax error.
 */
export const keywordsOf: Readonly<Record<Grammar, readonly Keyword[]>> = {
  condition: ['AND', 'OR', 'NOT', 'BETWEEN', 'IN'],
  update: ['SET', 'REMOVE', 'ADD', 'DELETE'],
  projection: [],
};

export type Keyword = 'AND' | 'OR' | 'NOT' | 'BETWEEN' | 'IN' | 'SET' | 'REMOVE' | 'ADD' | 'DELETE';
