import type { UncheckedAttributeMap } from '../values/attribute-value.ts';
import { ValidationException } from '../values/service-error.ts';
import type { ValueCheckLayer } from '../values/value-check-layer.ts';
import { checkAttributesToGet } from './attributes-to-get.ts';
import { emptyExpression, invalidExpression } from './expression-problem.ts';
import { legacyFilter } from './legacy-condition.ts';
import type {
  ByAttribute,
  LegacyAttributeUpdate,
  LegacyCondition,
  LegacyConditionalOperator,
  LegacyExpectation,
} from './legacy-parameters.ts';

/** All request parameters that hold expressions, or did so before expressions existed. */
export interface ExpressionParameters {
  readonly expressionAttributeNames?: Readonly<Record<string, string>> | undefined;
  readonly expressionAttributeValues?: UncheckedAttributeMap | undefined;
  readonly keyConditionExpression?: string | undefined;
  readonly filterExpression?: string | undefined;
  readonly conditionExpression?: string | undefined;
  readonly updateExpression?: string | undefined;
  readonly projectionExpression?: string | undefined;
  readonly searchConditionExpression?: string | undefined;

  /** Legacy parameter. */
  readonly expected?: ByAttribute<LegacyExpectation> | undefined;
  readonly attributeUpdates?: ByAttribute<LegacyAttributeUpdate> | undefined;
  readonly conditionalOperator?: LegacyConditionalOperator | undefined;
  readonly keyConditions?: ByAttribute<LegacyCondition> | undefined;
  readonly queryFilter?: ByAttribute<LegacyCondition> | undefined;
  readonly scanFilter?: ByAttribute<LegacyCondition> | undefined;
  readonly attributesToGet?: readonly string[] | undefined;
}

/** An operation, or an action of a transaction, that takes expressions. */
export type ExpressionOperation =
  | 'GetItem'
  | 'BatchGetItem'
  | 'TransactGetItems'
  | 'PutItem'
  | 'UpdateItem'
  | 'DeleteItem'
  | 'Query'
  | 'Scan'
  | 'SearchVectors'
  | 'TransactPut'
  | 'TransactUpdate'
  | 'TransactDelete'
  | 'TransactConditionCheck';

type ExpressionParameter =
  | 'updateExpression'
  | 'conditionExpression'
  | 'projectionExpression'
  | 'filterExpression'
  | 'keyConditionExpression'
  | 'searchConditionExpression';

type LegacyParameter =
  | 'attributeUpdates'
  | 'expected'
  | 'attributesToGet'
  | 'queryFilter'
  | 'scanFilter'
  | 'conditionalOperator'
  | 'keyConditions';

interface OperationRules {
  /** The parameters it has, in the order in which error texts list them. */
  readonly expressions: readonly ExpressionParameter[];
  readonly legacy: readonly LegacyParameter[];
  /** Which of the service's two generations of checks it runs. */
  readonly layer: ValueCheckLayer;
  /** Whether names and values are accepted without an expression that uses them: in transactions. */
  readonly idlePlaceholders?: boolean;
}

const read: OperationRules = { expressions: ['projectionExpression'], legacy: ['attributesToGet'], layer: 'current' };
const write: OperationRules = {
  expressions: ['conditionExpression'],
  legacy: ['expected', 'conditionalOperator'],
  layer: 'current',
};
const transact: Omit<OperationRules, 'expressions'> = { legacy: [], layer: 'older', idlePlaceholders: true };

const operationRules: Readonly<Record<ExpressionOperation, OperationRules>> = {
  GetItem: read,
  BatchGetItem: read,
  TransactGetItems: { expressions: ['projectionExpression'], ...transact },
  PutItem: write,
  DeleteItem: write,
  UpdateItem: {
    expressions: ['updateExpression', 'conditionExpression'],
    legacy: ['attributeUpdates', 'expected', 'conditionalOperator'],
    layer: 'current',
  },
  Query: {
    expressions: ['projectionExpression', 'filterExpression', 'keyConditionExpression'],
    legacy: ['attributesToGet', 'queryFilter', 'conditionalOperator', 'keyConditions'],
    layer: 'current',
  },
  Scan: {
    expressions: ['projectionExpression', 'filterExpression'],
    legacy: ['attributesToGet', 'scanFilter', 'conditionalOperator'],
    layer: 'older',
  },
  SearchVectors: { expressions: ['projectionExpression', 'searchConditionExpression'], legacy: [], layer: 'current' },
  TransactPut: { expressions: ['conditionExpression'], ...transact },
  TransactDelete: { expressions: ['conditionExpression'], ...transact },
  TransactConditionCheck: { expressions: ['conditionExpression'], ...transact },
  TransactUpdate: { expressions: ['updateExpression', 'conditionExpression'], ...transact },
};

/** Which of the service's two generations of checks an operation runs on its expressions. */
export function layerOf(operation: ExpressionOperation): ValueCheckLayer {
  return operationRules[operation].layer;
}

/**
 * What an operation checks about its expressions before it checks its other parameters: that it has either expressions
 * or the legacy parameters, that a key condition is not empty, that there are expressions to use names and values in,
 * and, for Query and Scan, the legacy filter and the attributes to get.
 *
 * @throws {ValidationException}
 */
export function checkExpressionParameters(request: ExpressionParameters, operation: ExpressionOperation): void {
  const rules = operationRules[operation];
  const expressions = rules.expressions.filter((parameter) => request[parameter] !== undefined);
  if (expressions.length > 0) checkNotMixed(request, expressions, rules);
  if (request.keyConditionExpression === '') throw invalidExpression('KeyConditionExpression', emptyExpression);
  if (rules.idlePlaceholders !== true) checkPlaceholdersUsable(request, expressions, rules);
  if (operation === 'Scan') checkLegacyScan(request, rules.layer);
  checkConditionalOperator(request);
  if (operation === 'Query') checkLegacyQuery(request, rules.layer);
}

/** Whether there is an expression to use names and values in. */
export function hasExpressions(request: ExpressionParameters): boolean {
  return (
    request.conditionExpression !== undefined ||
    request.updateExpression !== undefined ||
    request.keyConditionExpression !== undefined ||
    request.filterExpression !== undefined ||
    request.searchConditionExpression !== undefined ||
    request.projectionExpression !== undefined
  );
}

function checkNotMixed(
  request: ExpressionParameters,
  expressions: readonly ExpressionParameter[],
  rules: OperationRules,
): void {
  const legacy = rules.legacy.filter((parameter) => {
    // Legacy key conditions may be combined with a filter or projection expression, but not with a key condition expression.
    if (parameter === 'keyConditions' && request.keyConditionExpression === undefined) return false;
    return request[parameter] !== undefined;
  });
  if (legacy.length === 0) return;
  throw new ValidationException(
    `Can not use both expression and non-expression parameters in the same request: Non-expression parameters: {${wireNames(legacy, ', ')}} Expression parameters: {${wireNames(expressions, ', ')}}`,
  );
}

function checkPlaceholdersUsable(
  request: ExpressionParameters,
  expressions: readonly ExpressionParameter[],
  rules: OperationRules,
): void {
  if (request.expressionAttributeNames !== undefined && expressions.length === 0) {
    throw new ValidationException('ExpressionAttributeNames can only be specified when using expressions');
  }
  const isValuePlace = (parameter: ExpressionParameter): boolean => parameter !== 'projectionExpression';
  const valuePlaces = rules.expressions.filter(isValuePlace);
  if (request.expressionAttributeValues === undefined || valuePlaces.length === 0) return;
  if (expressions.some(isValuePlace)) return;
  const detail = `: ${wireNames(valuePlaces, ' and ')} ${valuePlaces.length > 1 ? 'are' : 'is'} null`;
  throw new ValidationException(
    `ExpressionAttributeValues can only be specified when using expressions${rules.layer === 'older' ? detail : ''}`,
  );
}

function checkConditionalOperator({
  conditionalOperator,
  expected,
  queryFilter,
  scanFilter,
}: ExpressionParameters): void {
  if (conditionalOperator === undefined) return;
  const elementCount = Object.keys(expected ?? queryFilter ?? scanFilter ?? {}).length;
  if (elementCount === 0) {
    throw new ValidationException('ConditionalOperator cannot be used without Filter or Expected');
  }
  if (elementCount === 1) {
    throw new ValidationException(
      'ConditionalOperator can only be used when Filter or Expected has two or more elements',
    );
  }
}

/** Query checks the operator that joins its filter, then the filter, then the attributes to get. */
function checkLegacyQuery(request: ExpressionParameters, layer: ValueCheckLayer): void {
  if (request.queryFilter) legacyFilter(request.queryFilter, undefined, layer);
  checkAttributesToGet(request.attributesToGet);
}

/** Scan checks the attributes to get, then its filter, then the operator that joins it. */
function checkLegacyScan(request: ExpressionParameters, layer: ValueCheckLayer): void {
  checkAttributesToGet(request.attributesToGet);
  if (request.scanFilter) legacyFilter(request.scanFilter, undefined, layer);
}

function wireNames(parameters: readonly string[], separator: string): string {
  return parameters.map((name) => name.charAt(0).toUpperCase() + name.slice(1)).join(separator);
}
