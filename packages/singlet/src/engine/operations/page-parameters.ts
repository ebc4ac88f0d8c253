import type { AttributeMap, UncheckedAttributeMap } from '../../values/attribute-value.ts';
import { checkAttributeMap } from '../../values/check-attribute-value.ts';
import type { ValueCheckLayer } from '../../values/value-check-layer.ts';
import { ValidationException } from '../../values/service-error.ts';
import type { Condition, Projection } from '../../expressions/index.ts';
import { readConsumedCapacity } from '../capacity/read-capacity.ts';
import type { Page } from '../items/read-page.ts';
import type { SecondaryIndex, Table } from '../catalog/table.ts';
import type { PageRequest, PageResult } from './page-request.ts';

/*
 * The checks that Query and Scan share.
 */

/** @throws {ValidationException} if `select` conflicts with the rest of the request. */
export function checkSelect(request: PageRequest): void {
  const { select, projectionExpression, attributesToGet, indexName } = request;
  if (select === undefined) return;
  const parameter =
    projectionExpression !== undefined
      ? 'ProjectionExpression'
      : attributesToGet !== undefined
        ? 'AttributesToGet'
        : undefined;
  if (select === 'SPECIFIC_ATTRIBUTES') {
    if (parameter === undefined) {
      throw new ValidationException(
        'Must specify the AttributesToGet or ProjectionExpression when choosing to get SPECIFIC_ATTRIBUTES',
      );
    }
    return;
  }
  if (parameter !== undefined) {
    const what = select === 'COUNT' ? 'only the Count' : select;
    throw new ValidationException(`Cannot specify the ${parameter} when choosing to get ${what}`);
  }
  if (select === 'ALL_PROJECTED_ATTRIBUTES' && indexName === undefined) {
    throw new ValidationException('ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName');
  }
}

/** @throws {ValidationException} if the values of the starting key are malformed. */
export function checkStartKey(
  startKey: UncheckedAttributeMap | undefined,
  layer: ValueCheckLayer,
): AttributeMap | undefined {
  if (startKey === undefined) return undefined;
  try {
    return checkAttributeMap(startKey, layer);
  } catch (error) {
    // The service adds this prefix to some texts, but not to those about numbers and duplicates.
    if (error instanceof ValidationException && !unprefixedTexts.test(error.message)) {
      throw new ValidationException(`The provided starting key is invalid: ${error.message}`);
    }
    throw error;
  }
}

const unprefixedTexts = /contains duplicates|number set|numeric value|significant digits|Number (overflow|underflow)/;

const noConsistentReads = 'Consistent reads are not supported on global secondary indexes';

/**
 * The index to read, if the request names one.
 *
 * @throws {ValidationException} if there is no such index, or it cannot be read (in this way).
 */
export function resolveIndex(
  table: Table,
  request: PageRequest,
  operation: 'Query' | 'Scan',
): SecondaryIndex | undefined {
  const { indexName } = request;
  if (indexName === undefined) return undefined;
  const index = table.index(indexName);
  const isVectorIndex = table.vectorIndexes.some((other) => other.indexName === indexName && other.written);
  if (isVectorIndex && request.consistentRead !== true) {
    // One of the two texts ends in a full stop.
    throw new ValidationException(
      `${operation} operation not supported on this index type${operation === 'Query' ? '.' : ''}`,
    );
  }
  if (isVectorIndex) throw new ValidationException(noConsistentReads);
  if (index === undefined || !index.written) {
    throw new ValidationException(`The table does not have the specified index: ${indexName}`);
  }
  if (index.kind === 'global' && request.consistentRead === true) {
    throw new ValidationException(noConsistentReads);
  }
  if (!index.readable) {
    throw new ValidationException(`Cannot read from backfilling global secondary index: ${indexName}`);
  }
  return index;
}

/**
 * Whether a read through an index needs the items themselves: a local index also returns attributes that it does not project.
 *
 * @throws {ValidationException} if the request selects attributes that a global index does not project.
 */
export function needsTable(
  index: SecondaryIndex | undefined,
  request: PageRequest,
  filter: Condition | undefined,
  projection: Projection | undefined,
): boolean {
  if (index?.projectedNames === undefined) return false;
  const { projectedNames } = index;
  if (request.select === 'ALL_ATTRIBUTES') {
    if (index.kind === 'local') return true;
    throw new ValidationException(
      `One or more parameter values were invalid: Select type ALL_ATTRIBUTES is not supported for global secondary index ${index.indexName} because its projection type is not ALL`,
    );
  }
  const missing = Array.from(projection?.attributeNames ?? []).filter((name) => !projectedNames.has(name));
  if (index.kind === 'local') {
    return missing.length > 0 || Array.from(filter?.attributeNames ?? []).some((name) => !projectedNames.has(name));
  }
  if (missing.length > 0) {
    throw new ValidationException(
      `One or more parameter values were invalid: Global secondary index ${index.indexName} does not project [${missing.join(', ')}]`,
    );
  }
  return false;
}

export function pageResult(table: Table, request: PageRequest, page: Page): PageResult {
  const consumedCapacity = readConsumedCapacity(table, page.units, request.returnConsumedCapacity);
  return {
    items: request.select === 'COUNT' ? undefined : page.items,
    count: page.count,
    scannedCount: page.scannedCount,
    lastEvaluatedKey: page.lastEvaluatedKey,
    consumedCapacity,
  };
}
