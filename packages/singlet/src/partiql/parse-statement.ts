import { serviceLimits } from '../values/limits.ts';
import { TextCache } from '../expressions/text-cache.ts';
import { ExpressionParser } from './parse-expression.ts';
import { malformedStatement, syntaxProblems } from './statement-problem.ts';
import type { ParsedStatement } from './syntax-tree.ts';
import { TokenReader } from './token-reader.ts';

/** Size of the cached texts. A tree takes some thirty times the memory of its text. */
const parseCacheCharactersMax = 128 * 1024;

const statements = new TextCache<ParsedStatement>(parseCacheCharactersMax);

/**
 * The tree of a statement. Trees depend on nothing but the text and are cached, since applications send a few texts over
 * and over; refused texts are not.
 *
 * @throws {ValidationException} for any statement that cannot be parsed, and no other error, whatever the text is.
 */
export function parseStatement(text: string): ParsedStatement {
  if (text.length > serviceLimits.statementLengthMax) throw malformedStatement(); // earlier checks of requests enforce it
  return statements.get(text, () => parse(text));
}

function parse(text: string): ParsedStatement {
  const reader = new TokenReader(text);
  const parser = new ExpressionParser(reader);
  const root = parser.parseExpression();
  if (reader.takeIf(';') !== undefined && reader.next.type !== 'end') {
    throw malformedStatement(syntaxProblems.afterSemicolon);
  }
  if (reader.next.type !== 'end') throw malformedStatement(syntaxProblems.leftover);
  return { text, root, parameterCount: parser.parameterCount };
}
