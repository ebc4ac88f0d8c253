import type { Limits } from '../../values/limits.ts';
import { invalidParameter } from './parameter-errors.ts';
import type { AttributeDefinition, BillingMode, VectorIndexDefinition } from './table-description.ts';
import { namesOf } from './validate-key-schema.ts';

/*
 * What a vector index may be. The texts were recorded from the service in August 2026, except those marked as assumed.
 */

/** @throws {ValidationException} when a table that is not on demand has vector indexes. */
export function checkVectorIndexBilling(
  billingMode: BillingMode,
  vectorIndexes: readonly VectorIndexDefinition[] | undefined,
): void {
  if (billingMode === 'PAY_PER_REQUEST' || vectorIndexes === undefined || vectorIndexes.length === 0) return;
  throw invalidParameter('Vector indexes are only supported for PAY_PER_REQUEST tables');
}

/**
 * Checks one vector index, for CreateTable and UpdateTable.
 *
 * @param definitions - those of the request: what it searches by must be defined there, even if the table knows it.
 * @param others - the other vector indexes of the table.
 * @throws {ValidationException}
 */
export function checkVectorIndex(
  index: VectorIndexDefinition,
  definitions: readonly AttributeDefinition[],
  others: readonly VectorIndexDefinition[],
  limits: Limits,
): void {
  const { attributeName } = index.vectorAttribute;
  checkSearchSchema(index, definitions, limits);
  if (index.dimensions < 1 || index.dimensions > limits.vectorDimensionsMax) {
    throw invalidParameter(`Number of dimensions must be between 1 and ${limits.vectorDimensionsMax} inclusive.`);
  }
  if (namesOf(definitions).includes(attributeName)) {
    throw invalidParameter(
      `Conflicting attribute definition for '${attributeName}'. An attribute cannot be defined in AttributeDefinitions when used as a VectorAttribute.`,
    );
  }
  const isOther = (other: VectorIndexDefinition): boolean =>
    other.vectorAttribute.attributeName === attributeName && other.dimensions !== index.dimensions;
  if (others.some(isOther)) {
    throw invalidParameter(
      `Conflicting attribute definition for '${attributeName}'. All VectorIndexes on the same vector attribute must use the same dimensions.`,
    );
  }
}

/** How many of the attributes that a table may project a vector index takes: the vector, its inline filters, what it names. */
export function projectedCountOf({ searchSchema = [], projection }: VectorIndexDefinition): number {
  const filters = searchSchema.filter((element) => element.searchSchemaElementType === 'INLINE_FILTER');
  return 1 + filters.length + (projection.nonKeyAttributes?.length ?? 0);
}

function checkSearchSchema(
  { searchSchema = [] }: VectorIndexDefinition,
  definitions: readonly AttributeDefinition[],
  limits: Limits,
): void {
  const defined = namesOf(definitions);
  const names = namesOf(searchSchema);
  if (!names.every((name) => defined.includes(name))) {
    throw invalidParameter('One element in SearchSchema is not defined in attribute definitions');
  }
  // Assumed: these three are documented, and nobody has written down what the service answers.
  if (new Set(names).size < names.length) {
    throw invalidParameter('The SearchSchema contains multiple attributes with the same name');
  }
  const count = (type: string): number =>
    searchSchema.filter((element) => element.searchSchemaElementType === type).length;
  if (count('HASH') > 1) throw invalidParameter('The SearchSchema exceeds the maximum allowed number of HASH elements');
  if (count('INLINE_FILTER') > limits.vectorInlineFilterCountMax) {
    throw invalidParameter('The SearchSchema exceeds the maximum allowed number of INLINE_FILTER elements');
  }
}
