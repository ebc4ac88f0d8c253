import { type Awaitable, chain } from '../../values/awaitable.ts';
import { ValidationException } from '../../values/service-error.ts';
import {
  checkExpressionParameters,
  compileExpressions,
  checkFilterWithoutKeys,
  type ResolvedKeyCondition,
  resolveKeyCondition,
} from '../../expressions/index.ts';
import type { RequestContext } from '../environment.ts';
import { type KeyRange, justAfter, keyRangeOf } from '../items/key-range.ts';
import { pagePositionOf } from '../items/page-position.ts';
import { readPage } from '../items/read-page.ts';
import { hashOf, restOf, storeKey } from '../layout/spaces.ts';
import type { EngineServices } from '../services.ts';
import type { KeySchema } from '../tables/table.ts';
import { checkSelect, checkStartKey, needsTable, pageResult, resolveIndex } from './page-parameters.ts';
import { checkKeysAreScalars } from './update-item.ts';
import { enveloped } from './validation-envelope.ts';
import type { AttributeMap, UncheckedAttributeMap } from '../../values/attribute-value.ts';
import type { ConsumedCapacity, ReturnConsumedCapacity } from '../capacity/consumed-capacity.ts';
import type { ItemOutput } from '../items/stored-item.ts';
import type { LegacyCondition } from '../../expressions/index.ts';

export type Select = 'ALL_ATTRIBUTES' | 'ALL_PROJECTED_ATTRIBUTES' | 'SPECIFIC_ATTRIBUTES' | 'COUNT';

/** What Query and Scan have in common. */
export interface PageRequest {
  readonly tableName: string;
  readonly indexName?: string | undefined;
  readonly select?: Select | undefined;
  /** Items to evaluate before the filter, at least 1. */
  readonly limit?: number | undefined;
  readonly consistentRead?: boolean | undefined;
  readonly exclusiveStartKey?: UncheckedAttributeMap | undefined;
  readonly filterExpression?: string | undefined;
  readonly projectionExpression?: string | undefined;
  readonly expressionAttributeNames?: Readonly<Record<string, string>> | undefined;
  readonly expressionAttributeValues?: UncheckedAttributeMap | undefined;
  readonly returnConsumedCapacity?: ReturnConsumedCapacity | undefined;
  /** Legacy. */
  readonly attributesToGet?: readonly string[] | undefined;
  readonly conditionalOperator?: 'AND' | 'OR' | undefined;
}

export interface QueryRequest extends PageRequest {
  readonly keyConditionExpression?: string | undefined;
  readonly scanIndexForward?: boolean | undefined;
  /** Legacy. */
  readonly keyConditions?: Readonly<Record<string, LegacyCondition>> | undefined;
  readonly queryFilter?: Readonly<Record<string, LegacyCondition>> | undefined;
}

/** A page of Query or Scan. `lastEvaluatedKey` is absent only when the end was reached. */
export interface PageResult {
  /** Absent with `Select: 'COUNT'`. */
  readonly items?: readonly ItemOutput[] | undefined;
  /** Items after the filter. */
  readonly count: number;
  /** Items before the filter. */
  readonly scannedCount: number;
  readonly lastEvaluatedKey?: AttributeMap | undefined;
  readonly consumedCapacity?: ConsumedCapacity | undefined;
}

/**
 * Reads one page of an item collection, of the table or an index, in sort key order.
 *
 * @throws {ValidationException} for what is wrong with the request: above all, without an equality on the partition key.
 * @see DynamoDB API Reference, Query; conformance/query
 */
export function query(services: EngineServices, request: QueryRequest, context: RequestContext): Awaitable<PageResult> {
  checkExpressionParameters(request, 'Query');
  const startKey = checkStartKey(request.exclusiveStartKey, 'current');
  const { keyCondition, filter, projection } = compileExpressions(request, 'Query');
  enveloped(() => checkSelect(request));
  return services.catalog.withTable(context, request.tableName, (table) => {
    const index = resolveIndex(table, request, 'Query');
    const keySchema = index?.keySchema ?? table.keySchema;
    if (request.keyConditions !== undefined) checkKeyConditionCount(request.keyConditions, keySchema);
    const condition = resolveKeyCondition(keyCondition ?? { terms: [] }, keySchema);
    const reverse = request.scanIndexForward === false;
    let range = keyRangeOf(table, index, condition);
    if (startKey !== undefined) {
      const position = pagePositionOf(table, index, startKey, 'Query').storeKey;
      checkWithin(range, position, condition);
      range = reverse ? { ...range, to: position } : { ...range, from: justAfter(position) };
    }
    if (projection !== undefined) checkKeysAreScalars(table, projection.paths);
    if (filter !== undefined) {
      checkFilterWithoutKeys(
        filter,
        [...keySchema.partition, ...keySchema.sort].map((key) => key.attributeName),
        request.queryFilter === undefined ? 'Filter Expression' : 'QueryFilter',
      );
    }
    const fetchFromTable = needsTable(index, request, filter, projection);
    if (filter !== undefined) checkKeysAreScalars(table, filter.paths);
    const page = readPage(services, {
      table,
      index,
      ...range,
      reverse,
      limit: request.limit,
      filter,
      projection,
      countOnly: request.select === 'COUNT',
      fetchFromTable,
      consistency: request.consistentRead === true ? 'strong' : 'eventual',
    });
    return chain(page, (read) => pageResult(table, request, read));
  });
}

/** Legacy key conditions beyond what a key can have are counted in words of their own. */
function checkKeyConditionCount(keyConditions: object, { partition, sort }: KeySchema): void {
  if (Object.keys(keyConditions).length > Math.max(2, partition.length + sort.length)) {
    throw new ValidationException('Conditions can be of length 1 or 2 only');
  }
}

/** A page goes on only from a place that the query itself could have come to. */
function checkWithin({ from, to }: KeyRange, position: Buffer, condition: ResolvedKeyCondition): void {
  const isWithin = (key: Buffer): boolean => key.compare(from) >= 0 && key.compare(to) < 0;
  if (isWithin(position)) return;
  if (condition.range === undefined && condition.sortEquals.length === 0) {
    throw new ValidationException('The provided starting key is outside query boundaries based on provided conditions');
  }
  const inThisPartition = storeKey(from.readUInt32BE(0), hashOf(from), restOf(position));
  throw new ValidationException(
    isWithin(inThisPartition)
      ? 'The query can return at most one row and cannot be restarted'
      : 'The provided starting key does not match the range key predicate',
  );
}
