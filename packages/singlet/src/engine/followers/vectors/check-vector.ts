import { type AttributeValue, typeTag } from '../../../values/attribute-value.ts';
import { ValidationException } from '../../../values/service-error.ts';
import type { KeyAttribute, VectorIndex } from '../../catalog/table.ts';
import { readVector, scientificText, type VectorProblem } from './vector-value.ts';

/*
 * The values that an item may have in attributes of a vector index. Any attribute may be absent. The texts were recorded from the
 * service in August 2026, including punctuation.
 */

/** Why a value cannot be the vector of an index; undefined when it can. */
export function vectorProblem(index: VectorIndex, value: AttributeValue): ValidationException | undefined {
  const { attributeName, dimensions } = index.vector;
  const vector = readVector(value, dimensions);
  if (vector instanceof Float32Array) return undefined;
  return new ValidationException(
    `One or more parameter values were invalid. ${problemText(vector, attributeName, dimensions)} IndexName: ${index.indexName}`,
  );
}

function problemText(problem: VectorProblem, name: string, dimensions: number): string {
  switch (problem.kind) {
    case 'no-list':
      return `Invalid type for parameter ${name}, Expected: 32-bit floating point number list`;
    case 'size':
      return `Invalid size for parameter ${name}, Expected: ${dimensions}, Actual: ${problem.count}`;
    case 'element':
      return `Invalid type for parameter ${name}[${problem.position}], Expected: 32-bit floating point number, Actual: ${problem.type}.`;
    case 'range':
      return `Invalid value for parameter ${name}[${problem.position}], Value: ${scientificText(problem.number)} is outside valid range [-3.4028235E38, 3.4028235E38].`;
  }
}

/** Why a value cannot be a search attribute of an index; undefined when it has the declared type. */
export function searchAttributeProblem(
  index: VectorIndex,
  { attributeName, attributeType }: KeyAttribute,
  value: AttributeValue,
): ValidationException | undefined {
  if (typeTag(value) === attributeType) return undefined;
  return new ValidationException(
    `One or more parameter values were invalid. Attribute '${attributeName}' type mismatch. Expected: ${attributeType}, Actual: ${typeTag(value)}. IndexName: ${index.indexName}`,
  );
}
