import type { PageRequest, PageResult } from './page-request.ts';
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
import { invalidParameter } from '../catalog/parameter-errors.ts';
import type { KeySchema } from '../catalog/table.ts';
import { checkSelect, checkStartKey, needsTable, pageResult, resolveIndex } from './page-parameters.ts';
import { checkKeysAreScalars } from '../items/check-update.ts';
import { enveloped } from './validation-envelope.ts';
import type { LegacyCondition } from '../../expressions/index.ts';

export interface QueryRequest extends PageRequest {
  readonly keyConditionExpression?: string | undefined;
  readonly scanIndexForward?: boolean | undefined;
  /** Legacy. */
  readonly keyConditions?: Readonly<Record<string, LegacyCondition>> | undefined;
  readonly queryFilter?: Readonly<Record<string, LegacyCondition>> | undefined;
}

/**
 * Reads one page of an item collection, of the table or an index, in sort key order.
 *
 * @throws {ValidationException} if the request is invalid: above all, if it has no equality on the partition key.
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
    const isOneItem = index === undefined && keySchema.sort.length === 0;
    let range = keyRangeOf(table, index, condition);
    if (startKey !== undefined) {
      const position = pagePositionOf(table, index, startKey, 'Query').storeKey;
      checkWithin(range, position, condition);
      if (isOneItem) throw cannotStart();
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
    // A table without a sort key has one item per partition key, so the page ends here whatever the limit: a start key would be refused.
    return chain(page, (read) =>
      pageResult(table, request, isOneItem ? { ...read, lastEvaluatedKey: undefined } : read),
    );
  });
}

/** Assumed: of the service's text it is only known that it names the parameter. */
function cannotStart(): ValidationException {
  return invalidParameter(
    'ExclusiveStartKey cannot be specified for a query of a table without a sort key, which can return at most one item',
  );
}

/** Legacy key conditions beyond those that a key can have get an error of their own. */
function checkKeyConditionCount(keyConditions: object, { partition, sort }: KeySchema): void {
  if (Object.keys(keyConditions).length > Math.max(2, partition.length + sort.length)) {
    throw new ValidationException('Conditions can be of length 1 or 2 only');
  }
}

/** A page continues only from a position that the query itself could have returned. */
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
