import type { Limits } from '../../values/limits.ts';
import { invalidParameter } from '../catalog/parameter-errors.ts';
import type {
  AttributeDefinition,
  BillingMode,
  SearchSchemaElement,
  VectorIndexDefinition,
} from '../catalog/table-description.ts';
import { definedNamesOf, namesOf } from './validate-key-schema.ts';

/*
 * The valid definitions of vector indexes. The texts were recorded from the service in August 2026, except those marked as assumed.
 * Where records differ, the later one decides.
 */

/** @throws {ValidationException} if a table that is not on demand has vector indexes. */
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
 * @param definitions - those of the request: it must define the search attributes, even if the table already does.
 * @param dimensions - of the vector attributes of the table's other vector indexes, by name.
 * @throws {ValidationException}
 */
export function checkVectorIndex(
  index: VectorIndexDefinition,
  definitions: readonly AttributeDefinition[],
  dimensions: ReadonlyMap<string, number>,
  limits: Limits,
): void {
  const { attributeName } = index.vectorAttribute;
  checkSearchSchema(index, definitions, limits);
  if (index.dimensions < 1 || index.dimensions > limits.vectorDimensionsMax) {
    throw invalidParameter(`Number of dimensions must be between 1 and ${limits.vectorDimensionsMax} inclusive.`);
  }
  if (definedNamesOf(definitions).has(attributeName)) {
    throw invalidParameter(
      `Conflicting attribute definition for '${attributeName}'. An attribute cannot be defined in AttributeDefinitions when used as a VectorAttribute.`,
    );
  }
  if ((dimensions.get(attributeName) ?? index.dimensions) !== index.dimensions) {
    throw invalidParameter(
      `Conflicting attribute definition for '${attributeName}'. All VectorIndexes on the same vector attribute must use the same dimensions.`,
    );
  }
}

/** The dimensions of vector attributes: all indexes on one attribute have the same. */
export function vectorDimensionsOf(indexes: readonly VectorIndexDefinition[]): Map<string, number> {
  return new Map(indexes.map(({ vectorAttribute, dimensions }) => [vectorAttribute.attributeName, dimensions]));
}

/** How many projected attributes a vector index uses of the table's limit: the vector, its inline filters, the named attributes. */
export function projectedCountOf({ searchSchema = [], projection }: VectorIndexDefinition): number {
  const filters = searchSchema.filter((element) => element.searchSchemaElementType === 'INLINE_FILTER');
  return 1 + filters.length + (projection.nonKeyAttributes?.length ?? 0);
}

function checkSearchSchema(
  { searchSchema = [] }: VectorIndexDefinition,
  definitions: readonly AttributeDefinition[],
  limits: Limits,
): void {
  const defined = definedNamesOf(definitions);
  const names = namesOf(searchSchema);
  if (!names.every((name) => defined.has(name))) {
    throw invalidParameter('One element in SearchSchema is not defined in attribute definitions');
  }
  // Assumed: the order of these two.
  if (new Set(names).size < names.length) throw invalidParameter('SearchSchema contains a duplicate AttributeName');
  checkElementCount(searchSchema, 'HASH', 1);
  checkElementCount(searchSchema, 'INLINE_FILTER', limits.vectorInlineFilterCountMax);
}

function checkElementCount(
  searchSchema: readonly SearchSchemaElement[],
  type: SearchSchemaElement['searchSchemaElementType'],
  countMax: number,
): void {
  const count = searchSchema.filter((element) => element.searchSchemaElementType === type).length;
  if (count <= countMax) return;
  throw invalidParameter(
    `Value '${count}' at 'SearchSchema' failed to satisfy constraint: Member must have ${type} count less than or equal to ${countMax}`,
  );
}
