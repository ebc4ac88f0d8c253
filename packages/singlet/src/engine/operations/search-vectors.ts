import {
  type AttributeMap,
  type AttributeValue,
  typeTag,
  type UncheckedAttributeMap,
  type UncheckedAttributeValue,
} from '../../values/attribute-value.ts';
import { checkAttributeValue } from '../../values/check-attribute-value.ts';
import { ValidationException } from '../../values/service-error.ts';
import {
  checkExpressionParameters,
  compileExpressions,
  type Projection,
  type SearchCondition,
} from '../../expressions/index.ts';
import type { ReturnConsumedCapacity, VectorCapacity } from '../capacity/consumed-capacity.ts';
import type { RequestContext } from '../environment.ts';
import { emptyKindOf, isEmptyKeyValue } from '../catalog/item-key.ts';
import type { ItemOutput } from '../layout/stored-item.ts';
import type { EngineServices } from '../services.ts';
import { settleRecord } from '../catalog/settle.ts';
import type { Table, VectorIndex } from '../catalog/table.ts';
import { searchApproximately } from '../vectors/approximate-search.ts';
import { searchExactly } from '../vectors/exact-search.ts';
import { VectorEntryReader } from '../followers/vectors/vector-entry.ts';
import { type FoundEntries, type FoundEntry, type VectorQuery, vectorQueryOf } from '../vectors/vector-query.ts';
import { readVector, vectorAttribute } from '../followers/vectors/vector-value.ts';

export interface SearchVectorsRequest {
  readonly tableName: string;
  readonly indexName: string;
  /** Numbers, one for each dimension of the index. */
  readonly searchVector: readonly UncheckedAttributeValue[];
  /** The number of results, 1 to 100. */
  readonly topK: number;
  readonly searchConditionExpression?: string | undefined;
  readonly projectionExpression?: string | undefined;
  readonly expressionAttributeNames?: Readonly<Record<string, string>> | undefined;
  readonly expressionAttributeValues?: UncheckedAttributeMap | undefined;
  readonly returnConsumedCapacity?: ReturnConsumedCapacity | undefined;
}

export interface SearchVectorsResult {
  readonly searchResults: readonly SearchResultItem[];
  readonly consumedCapacity?: VectorCapacity;
}

export interface SearchResultItem {
  readonly item: ItemOutput;
  /** By the distance function of the index. */
  readonly score: number;
}

/**
 * Finds the items whose vectors are closest to the search vector, the closest first. The search is exact unless there are too many
 * entries to compare; then a graph finds most of them (see `vectors/vector-graphs.ts`).
 *
 * @returns at most `topK` results, and fewer if together they would be larger than 16 MB. Equal scores are in the order
 *   of the entries in the store.
 * @throws {ValidationException} if the request is invalid, or the index does not exist or is still being filled.
 * @throws {ResourceNotFoundException} if the table does not exist.
 * @see DynamoDB API Reference, SearchVectors; conformance/vector-search
 */
export async function searchVectors(
  services: EngineServices,
  request: SearchVectorsRequest,
  context: RequestContext,
): Promise<SearchVectorsResult> {
  checkTopK(request.topK, services.limits.vectorTopKMax);
  checkExpressionParameters(request, 'SearchVectors');
  const { searchCondition, projection } = compileExpressions(request, 'SearchVectors');
  return services.catalog.withTable(context, request.tableName, async (table) => {
    const index = searchableIndex(table, request.indexName, services.environment.clock.nowMs());
    const vector = searchVectorOf(request.searchVector, index);
    const { partition, filters } = scopeOf(index, searchCondition);
    const query = vectorQueryOf({ table, index, vector, topK: request.topK, filters }, partition);
    const found = await findNearest(services, query);
    return answer(services, query, found, projection, request.returnConsumedCapacity);
  });
}

function checkTopK(topK: number, topKMax: number): void {
  if (topK >= 1 && topK <= topKMax) return;
  throw new ValidationException(
    `Provided TopK value '${topK}' is out of valid range. The value must be between 1 and ${topKMax} inclusive`,
  );
}

function searchableIndex(table: Table, indexName: string, nowMs: number): VectorIndex {
  const index = table.vectorIndexes.find((candidate) => candidate.indexName === indexName);
  const record = settleRecord(table.record, nowMs).vectorIndexes?.find((known) => known.indexName === indexName);
  // While resources are being allocated for a new index, searches do not see it.
  if (index === undefined || !index.written || record?.transition !== undefined) {
    throw new ValidationException(`The table does not have the specified index: ${indexName}`);
  }
  if (!index.readable) throw new ValidationException(`Cannot search backfilling vector index: ${indexName}`);
  return index;
}

function searchVectorOf(elements: readonly UncheckedAttributeValue[], { vector }: VectorIndex): Float32Array {
  const value: AttributeValue = { L: elements.map((element) => checkAttributeValue(element, 'current')) };
  const read = readVector(value, elements.length);
  if (!(read instanceof Float32Array)) {
    throw new ValidationException(
      'Search vector contains invalid values. All values in the search vector must be a 32-bit floating-point number attribute',
    );
  }
  if (read.length !== vector.dimensions) {
    throw new ValidationException(
      `Input search vector dimension ${read.length} does not match vector index dimension ${vector.dimensions}`,
    );
  }
  return read;
}

/** The scope of the search: the part of the index that its condition selects, and the remaining conditions. */
function scopeOf(
  index: VectorIndex,
  condition: SearchCondition | undefined,
): { readonly partition: AttributeValue | undefined; readonly filters: VectorQuery['filters'] } {
  const [partitionKey] = index.keySchema.partition;
  const filters = (condition?.equalities ?? []).map(({ path, value }) => {
    const attribute = index.searchAttributes.find(({ attributeName }) => attributeName === path[0]);
    if (attribute === undefined || path.length > 1) {
      throw new ValidationException(
        `SearchConditionExpression must not contain any attributes that is not in SearchSchema. Invalid attribute: ${path.join('.')}`,
      );
    }
    return { attribute, value };
  });
  // Assumed for a condition without the HASH attribute; recorded for a request without a condition.
  if (partitionKey !== undefined && !filters.some(({ attribute }) => attribute === partitionKey)) {
    throw new ValidationException('SearchConditionExpression must be provided when SearchSchema has a HASH key');
  }
  for (const { attribute, value } of filters) {
    const { attributeName, attributeType } = attribute;
    if (typeTag(value) !== attributeType) {
      throw new ValidationException(
        `Type of '${attributeName}' attribute in SearchConditionExpression (${typeTag(value)}) does not match type in search schema (${attributeType})`,
      );
    }
    if (attribute === partitionKey && isEmptyKeyValue(value)) {
      throw new ValidationException(
        `One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty ${emptyKindOf(value)} value. Key: ${attributeName}`,
      );
    }
  }
  const partition = filters.find(({ attribute }) => attribute === partitionKey)?.value;
  return {
    partition,
    filters: filters
      .filter(({ attribute, value }) => attribute !== partitionKey || value !== partition)
      .map(({ attribute, value }) => ({ attributeName: attribute.attributeName, value })),
  };
}

async function findNearest(services: EngineServices, query: VectorQuery): Promise<FoundEntries> {
  const { vectorGraphs } = services;
  const graph = await vectorGraphs.current(services, query);
  const approximate = graph && (await searchApproximately(services, query, graph));
  if (approximate !== undefined) return approximate;
  const { found, entryCount } = await searchExactly(services, query);
  vectorGraphs.searched(services, query, entryCount);
  return found;
}

function answer(
  { limits }: EngineServices,
  { index, vector, distance }: VectorQuery,
  found: FoundEntries,
  projection: Projection | undefined,
  returnConsumedCapacity: ReturnConsumedCapacity | undefined,
): SearchVectorsResult {
  const reader = new VectorEntryReader(index);
  const searchResults: SearchResultItem[] = [];
  // A measure of its own: the search vector and the returned entries. See docs/compatibility.md.
  let requestBytes = vector.byteLength;
  for (const { distance: howFar, what } of found) {
    const sizeBytes = reader.sizeBytesOf(what.item);
    if (requestBytes + sizeBytes > limits.vectorSearchBytesMax) break;
    requestBytes += sizeBytes;
    searchResults.push({ item: shown(index, what, projection), score: distance.scoreOf(howFar) });
  }
  return {
    searchResults,
    ...(returnConsumedCapacity !== undefined &&
      returnConsumedCapacity !== 'NONE' && {
        consumedCapacity: { vectorSearchRequestBytes: Math.max(requestBytes, limits.vectorRequestBytesMin) },
      }),
  };
}

/** The vector is returned only to requests that name it; attributes that the index does not project are never returned. */
function shown(index: VectorIndex, { item, vector }: FoundEntry, projection: Projection | undefined): ItemOutput {
  if (projection === undefined) return item;
  const { attributeName } = index.vector;
  const parts: AttributeMap = projection.project({
    getAttribute: (name) => (name === attributeName ? vectorAttribute(vector) : item.getAttribute(name)),
  });
  return parts;
}
