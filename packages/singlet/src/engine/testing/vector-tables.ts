import type { AttributeMap, AttributeValue } from '../../values/attribute-value.ts';
import { searchVectors, type SearchVectorsRequest, type SearchVectorsResult } from '../operations/search-vectors.ts';
import type { CreateTableRequest } from '../schema/create-table-request.ts';
import type { VectorDistanceFunction, VectorIndexDefinition } from '../catalog/table-description.ts';
import { mapOf } from './test-engine.ts';
import { onDemandTable, strings } from './table-requests.ts';
import { testContext, type TestServices } from './test-services.ts';

/** A vector index on `v`, changed as given. */
export function vectorIndex(changes: Partial<VectorIndexDefinition> = {}): VectorIndexDefinition {
  return {
    indexName: 'vectors',
    vectorAttribute: { attributeName: 'v' },
    dimensions: 3,
    distanceFunction: 'EUCLIDEAN',
    projection: { projectionType: 'ALL' },
    ...changes,
  };
}

/** By `tenant`, and filtered by `kind`. */
export const byTenant: Pick<VectorIndexDefinition, 'searchSchema'> = {
  searchSchema: [
    { attributeName: 'tenant', searchSchemaElementType: 'HASH' },
    { attributeName: 'kind', searchSchemaElementType: 'INLINE_FILTER' },
  ],
};

/** A table with partition key PK and vector indexes, with attributes to search by. */
export function vectorTable(
  vectorIndexes: readonly VectorIndexDefinition[],
  ...attributes: readonly string[]
): CreateTableRequest {
  return onDemandTable({ attributeDefinitions: strings('PK', ...attributes), vectorIndexes });
}

export function vectorOf(...numbers: readonly number[]): AttributeValue {
  return { L: numbers.map((number) => ({ N: String(number) })) };
}

export async function search(
  services: TestServices,
  numbers: readonly number[],
  more: Partial<SearchVectorsRequest> = {},
): Promise<SearchVectorsResult> {
  const searchVector = numbers.map((number) => ({ N: String(number) }));
  return searchVectors(
    services,
    { tableName: 'Table', indexName: 'vectors', searchVector, topK: 10, ...more },
    testContext,
  );
}

/** The search results, as text: `name:score`, the closest first. */
export async function found(
  services: TestServices,
  numbers: readonly number[],
  more: Partial<SearchVectorsRequest> = {},
): Promise<readonly string[]> {
  const { searchResults } = await search(services, numbers, more);
  return searchResults.map(({ item, score }) => `${nameOf(mapOf(item))}:${Number(score.toPrecision(4))}`);
}

export function nameOf(item: AttributeMap | undefined): string {
  const key = item?.['PK'];
  return key !== undefined && 'S' in key ? key.S : '';
}

/** Scores by their definition, without any code of the engine. */
export function scoreByDefinition(
  distanceFunction: VectorDistanceFunction,
  query: readonly number[],
  stored: readonly number[],
): number {
  const [a, b] = [query.map(Math.fround), stored.map(Math.fround)];
  const dot = (one: readonly number[], other: readonly number[]): number =>
    one.reduce((sum, element, at) => sum + element * (other[at] ?? 0), 0);
  switch (distanceFunction) {
    case 'COSINE': {
      const lengths = Math.sqrt(dot(a, a)) * Math.sqrt(dot(b, b));
      return lengths === 0 ? 1 : 1 - dot(a, b) / lengths;
    }
    case 'EUCLIDEAN': {
      const difference = a.map((element, at) => element - (b[at] ?? 0));
      return Math.sqrt(dot(difference, difference));
    }
    case 'DOT_PRODUCT':
      return dot(a, b);
  }
}
