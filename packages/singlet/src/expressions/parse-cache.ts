import { serviceLimits } from '../values/limits.ts';
import { utf8ByteLength } from '../values/utf8.ts';
import { checkNames } from './check-names.ts';
import type { ExpressionKind } from './expression-kind.ts';
import { emptyExpression, expressionTooLong, invalidExpression } from './expression-problem.ts';
import { parseCondition, parseProjection, parseUpdate } from './parse-expression.ts';
import type { ConditionNode, ExpressionTree, ProjectionNode, UpdateNode } from './syntax-tree.ts';
import { TextCache } from './text-cache.ts';

/**
 * The trees of expressions, checked for everything that is visible in the text alone.
 *
 * Applications send a few expressions over and over with different values, so trees are cached by text. They do not depend on
 * anything else, and are immutable, so all databases of a process share them. Refused texts are not cached.
 */

/** Size of the cached texts for each grammar. A tree takes some thirty times the memory of its text. */
const parseCacheCharactersMax = 128 * 1024;

const conditions = new TextCache<ConditionNode>(parseCacheCharactersMax);
const updates = new TextCache<UpdateNode>(parseCacheCharactersMax);
const projections = new TextCache<ProjectionNode>(parseCacheCharactersMax);

/** @throws {ValidationException} naming `kind`, for any error in the text. */
export function conditionTree(text: string, kind: ExpressionKind): ConditionNode {
  return conditions.get(text, () => parse(text, kind, parseCondition));
}

/** @throws {ValidationException} for any error in the text. */
export function updateTree(text: string): UpdateNode {
  return updates.get(text, () => parse(text, 'UpdateExpression', parseUpdate));
}

/** @throws {ValidationException} for any error in the text. */
export function projectionTree(text: string): ProjectionNode {
  return projections.get(text, () => parse(text, 'ProjectionExpression', parseProjection));
}

function parse<T extends ExpressionTree>(
  text: string,
  kind: ExpressionKind,
  parser: (text: string, kind: ExpressionKind) => T,
): T {
  if (text === '') throw invalidExpression(kind, emptyExpression);
  const sizeBytes = utf8ByteLength(text);
  if (sizeBytes > serviceLimits.expressionBytesMax) {
    const isSizeShown = kind === 'ConditionExpression' || kind === 'FilterExpression'; // in these two only
    throw invalidExpression(
      kind,
      isSizeShown ? `${expressionTooLong} expression size: ${sizeBytes}` : expressionTooLong,
    );
  }
  const tree = parser(text, kind);
  checkNames(tree, kind);
  return tree;
}
