import type { SearchSchemaElement, VectorIndexDefinition, VectorIndexDescription } from '../../engine/index.ts';
import { lengthAtLeast, lengthAtMost, valueAtLeast } from '../shapes/constraint.ts';
import {
  boolean,
  enumeration,
  list,
  long,
  required,
  type RequiredMember,
  result,
  type Shape,
  string,
  structure,
} from '../shapes/shape.ts';
import { nameParameter } from './request-parameters.ts';
import { projection } from './table-members.ts';

/** Vector indexes as CreateTable and UpdateTable take them, and as they are described. */

const attributeName: RequiredMember<string> = required(string(lengthAtLeast(1), lengthAtMost(255)));

const vectorAttribute: Shape<VectorIndexDefinition['vectorAttribute']> = structure<
  VectorIndexDefinition['vectorAttribute']
>('VectorAttributeDefinition', { attributeName });

const searchSchema: Shape<readonly SearchSchemaElement[]> = list(
  structure<SearchSchemaElement>('SearchSchemaElement', {
    attributeName,
    searchSchemaElementType: required(enumeration(['HASH', 'INLINE_FILTER'])),
  }),
  lengthAtLeast(1),
);

const distanceFunction: Shape<VectorIndexDefinition['distanceFunction']> = enumeration([
  'DOT_PRODUCT',
  'COSINE',
  'EUCLIDEAN',
]);

/** @param name - the service's name of the structure. */
export function vectorIndex(name: string): Shape<VectorIndexDefinition> {
  return structure<VectorIndexDefinition>(name, {
    indexName: required(nameParameter),
    vectorAttribute: required(vectorAttribute),
    searchSchema,
    projection: required(projection),
    dimensions: required(long(valueAtLeast(1))),
    distanceFunction: required(distanceFunction),
  });
}

export const vectorIndexDescription: Shape<VectorIndexDescription> = result<VectorIndexDescription>({
  indexName: string(),
  searchSchema,
  projection,
  vectorAttribute,
  dimensions: long(),
  distanceFunction,
  indexStatus: string() as Shape<VectorIndexDescription['indexStatus']>, // the engine takes it from a fixed set
  backfilling: boolean,
  indexSizeBytes: long(),
  itemCount: long(),
  indexArn: string(),
});
