/** The expression languages of DynamoDB, and the legacy parameters through the same evaluators. */
export { checkFilterWithoutKeys, checkKeysNotNested } from './check-key-paths.ts';
export { type CompiledExpressions, compileExpressions } from './compile-expressions.ts';
export type { Condition } from './condition.ts';
export type { DocumentPath } from './document-path.ts';
export {
  checkExpressionParameters,
  type ExpressionOperation,
  type ExpressionParameters,
} from './expression-parameters.ts';
export type {
  ByAttribute,
  LegacyAttributeUpdate,
  LegacyComparisonOperator,
  LegacyCondition,
  LegacyConditionalOperator,
  LegacyExpectation,
} from './legacy-parameters.ts';
export { type Projection, projectPaths } from './projection.ts';
export { type KeyRange, type ResolvedKeyCondition, resolveKeyCondition } from './resolve-key-condition.ts';
export type { SearchCondition } from './search-condition.ts';
export type { Update } from './update.ts';
