import { ValidationException } from '../values/service-error.ts';
import type { ValueCheckLayer } from '../values/value-check-layer.ts';
import { checkAttributesToGet } from './attributes-to-get.ts';
import { bindUpdate } from './bind-update.ts';
import { type Condition, bindCondition } from './condition.ts';
import {
  type ExpressionOperation,
  type ExpressionParameters,
  hasExpressions,
  layerOf,
} from './expression-parameters.ts';
import { type KeyCondition, type KeyConditionParts, bindKeyCondition, makeKeyCondition } from './key-condition.ts';
import { expectedCondition, legacyFilter, legacyKeyCondition } from './legacy-condition.ts';
import { legacyUpdate } from './legacy-update.ts';
import { conditionTree, projectionTree, updateTree } from './parse-cache.ts';
import { Placeholders } from './placeholders.ts';
import { type Projection, bindProjection, projectAttributes } from './projection.ts';
import { bindSearchCondition, type SearchCondition } from './search-condition.ts';
import type { Update } from './update.ts';

/** The expressions of a request, or the legacy parameters that represent them, ready to be evaluated. */
export interface CompiledExpressions {
  readonly condition: Condition | undefined;
  readonly filter: Condition | undefined;
  readonly keyCondition: KeyCondition | undefined;
  readonly searchCondition: SearchCondition | undefined;
  readonly update: Update | undefined;
  readonly projection: Projection | undefined;
}

/**
 * Compiles all expressions of a request that passed `checkExpressionParameters`.
 *
 * The errors, in the order of the service: legacy updates and expectations; a Query without key conditions; names;
 * values; then one expression after the other, in each of them first the problems of the text, then those of what
 * its placeholders represent; unused names; unused values; and problems of the key condition.
 *
 * @throws {ValidationException} and no other error, whatever the texts and values are.
 */
export function compileExpressions(request: ExpressionParameters, operation: ExpressionOperation): CompiledExpressions {
  if (operation !== 'Query' && hasNothingToCompile(request)) return nothingCompiled;
  const layer = layerOf(operation);
  const legacy = compileLegacy(request, layer);
  if (operation === 'Query' && request.keyConditions === undefined && request.keyConditionExpression === undefined) {
    throw new ValidationException(
      'Either the KeyConditions or KeyConditionExpression parameter must be specified in the request.',
    );
  }
  const expressions = compileTexts(request, layer);
  // After the expressions, because a filter expression may accompany legacy key conditions.
  const keyCondition = request.keyConditions && legacyKeyCondition(request.keyConditions, layer);
  return {
    condition: expressions.condition ?? legacy.condition,
    filter: expressions.filter ?? legacy.filter,
    keyCondition: keyCondition ?? expressions.keyCondition,
    searchCondition: expressions.searchCondition,
    update: expressions.update ?? legacy.update,
    projection: expressions.projection ?? legacy.projection,
  };
}

const nothingCompiled: CompiledExpressions = {
  condition: undefined,
  filter: undefined,
  keyCondition: undefined,
  searchCondition: undefined,
  update: undefined,
  projection: undefined,
};

/** True for most requests that read or write whole items. */
function hasNothingToCompile(request: ExpressionParameters): boolean {
  return (
    request.conditionExpression === undefined &&
    request.updateExpression === undefined &&
    request.filterExpression === undefined &&
    request.searchConditionExpression === undefined &&
    request.projectionExpression === undefined &&
    request.expressionAttributeNames === undefined &&
    request.expressionAttributeValues === undefined &&
    request.expected === undefined &&
    request.attributeUpdates === undefined &&
    request.attributesToGet === undefined &&
    request.scanFilter === undefined
  );
}

function compileLegacy(
  request: ExpressionParameters,
  layer: ValueCheckLayer,
): Pick<CompiledExpressions, 'update' | 'condition' | 'filter' | 'projection'> {
  const { attributeUpdates, attributesToGet, conditionalOperator, expected } = request;
  const legacyFilterParameter = request.queryFilter ?? request.scanFilter;
  checkAttributesToGet(attributesToGet);
  return {
    update: attributeUpdates && legacyUpdate(attributeUpdates, layer),
    condition: expected && expectedCondition(expected, conditionalOperator, layer),
    filter: legacyFilterParameter && legacyFilter(legacyFilterParameter, conditionalOperator, layer),
    projection: attributesToGet && projectAttributes(attributesToGet),
  };
}

function compileTexts(request: ExpressionParameters, layer: ValueCheckLayer): CompiledExpressions {
  const { keyConditionExpression, filterExpression, projectionExpression, searchConditionExpression } = request;
  const placeholders = new Placeholders(request.expressionAttributeNames, request.expressionAttributeValues, layer);
  const compileFilterLike = (text: string, kind: 'ConditionExpression' | 'FilterExpression'): Condition =>
    bindCondition(conditionTree(text, kind), placeholders, kind);

  const { update, condition } = compileWrite(request, layer, placeholders, compileFilterLike);
  let keyConditionParts: KeyConditionParts | undefined;
  if (keyConditionExpression !== undefined) {
    const tree = conditionTree(keyConditionExpression, 'KeyConditionExpression');
    keyConditionParts = bindKeyCondition(tree, placeholders);
  }
  const filter = filterExpression === undefined ? undefined : compileFilterLike(filterExpression, 'FilterExpression');
  const searchCondition =
    searchConditionExpression === undefined
      ? undefined
      : bindSearchCondition(conditionTree(searchConditionExpression, 'SearchConditionExpression'), placeholders);
  const projection =
    projectionExpression === undefined ? undefined : bindProjection(projectionTree(projectionExpression), placeholders);
  if (hasExpressions(request)) placeholders.checkAllUsed();
  const keyCondition = keyConditionParts && makeKeyCondition(keyConditionParts);
  return { condition, filter, keyCondition, searchCondition, update, projection };
}

/** The current layer checks the condition first, the older one the update. */
function compileWrite(
  { conditionExpression, updateExpression }: ExpressionParameters,
  layer: ValueCheckLayer,
  placeholders: Placeholders,
  compileFilterLike: (text: string, kind: 'ConditionExpression') => Condition,
): Pick<CompiledExpressions, 'update' | 'condition'> {
  const compileCondition = (): Condition | undefined =>
    conditionExpression === undefined ? undefined : compileFilterLike(conditionExpression, 'ConditionExpression');
  const early = layer === 'current' ? compileCondition() : undefined;
  const update =
    updateExpression === undefined ? undefined : bindUpdate(updateTree(updateExpression), placeholders, layer);
  const condition = layer === 'current' ? early : compileCondition();
  return { update, condition };
}
