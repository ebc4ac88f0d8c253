/** The expression languages of DynamoDB, and the legacy parameters through the same evaluators. */
export { checkFilterWithoutKeys, checkKeysNotNested } from './check-key-paths.ts';
export { type CompiledExpressions, compileExpressions } from './compile-expressions.ts';
export type { Condition } from './condition.ts';
export {
  type AttributeSource,
  type DocumentPath,
  type PathElement,
  attributeSource,
  resolvePath,
} from './document-path.ts';
export {
  type ExpressionOperation,
  type ExpressionParameters,
  checkExpressionParameters,
} from './expression-parameters.ts';
export type { KeyCondition, KeyConditionOperator, KeyConditionTerm, UnindexableOperator } from './key-condition.ts';
export type {
  ByAttribute,
  LegacyAttributeUpdate,
  LegacyComparisonOperator,
  LegacyCondition,
  LegacyConditionalOperator,
  LegacyExpectation,
} from './legacy-parameters.ts';
export { type Projection, projectPaths } from './projection.ts';
export {
  type KeyAttribute,
  type KeyRange,
  type QueriedKey,
  type ResolvedKeyCondition,
  resolveKeyCondition,
} from './resolve-key-condition.ts';
export type { Update } from './update.ts';
