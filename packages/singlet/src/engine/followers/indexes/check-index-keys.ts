import {
  type AttributeMap,
  type AttributeTypeTag,
  type AttributeValue,
  getAttribute,
  typeTag,
} from '../../../values/attribute-value.ts';
import { encodeKeyValue } from '../../../values/key-bytes.ts';
import { serviceLimits } from '../../../values/limits.ts';
import { ValidationException } from '../../../values/service-error.ts';
import type { AttributeSource } from '../../../expressions/document-path.ts';
import { emptyKindOf, isEmptyKeyValue } from '../../catalog/item-key.ts';
import { RequestRefusedException } from '../../catalog/request-refused.ts';
import type { KeyAttribute, Table, VectorIndex, WrittenIndex } from '../../catalog/table.ts';
import { searchAttributeProblem, vectorProblem } from '../vectors/check-vector.ts';

/*
 * An attribute that is a key of an index may be absent, but its value must be valid as a key. When an attribute is a key of
 * several indexes, the service names the alphabetically first.
 */

/**
 * Refuses an item to be put that has an invalid key value in an index key attribute.
 *
 * @throws {ValidationException}
 */
export function checkIndexKeys(table: Table, item: AttributeMap): void {
  checkIndexes(table, (index) => indexProblem(index, (name) => getAttribute(item, name), putTexts));
}

/**
 * Refuses an update that gives an index key attribute a type that no key of the index has, as far as this can be determined
 * without the item.
 *
 * @param types - the types that the update gives to attributes.
 * @throws {ValidationException}
 */
export function checkUpdatedIndexKeyTypes(table: Table, types: ReadonlyMap<string, AttributeTypeTag>): void {
  if (types.size === 0) return;
  checkIndexes(table, (index) => {
    // The attributes of a vector index are checked once the item is known.
    if (index.kind === 'vector') return undefined;
    for (const attribute of index.keyAttributes) {
      const type = types.get(attribute.attributeName);
      if (type === undefined || type === attribute.attributeType) continue;
      return new ValidationException(putTexts.wrongType(index, attribute, type));
    }
    return undefined;
  });
}

/**
 * Refuses an updated item that has a new, invalid key value in an index key attribute.
 *
 * @param changed - the index key attributes with new values: an update is not refused for values that it does not change.
 * @throws {ValidationException}
 */
export function checkUpdatedIndexKeys(table: Table, item: AttributeSource, changed: ReadonlySet<string>): void {
  if (changed.size === 0) return;
  const newValue = (name: string): AttributeValue | undefined =>
    changed.has(name) ? item.getAttribute(name) : undefined;
  checkIndexes(table, (index) => indexProblem(index, newValue, updateTexts));
}

type ValueOf = (attributeName: string) => AttributeValue | undefined;

function indexProblem(index: WrittenIndex, valueOf: ValueOf, texts: KeyProblemTexts): ValidationException | undefined {
  if (index.kind === 'vector') {
    const problem = vectorIndexProblem(index, valueOf);
    if (problem !== undefined) return problem;
  }
  for (const attribute of index.keyAttributes) {
    const value = valueOf(attribute.attributeName);
    const problem = value && keyProblem(index, attribute, value, texts);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** Assumed: the vector is checked before the search attributes. */
function vectorIndexProblem(index: VectorIndex, valueOf: ValueOf): ValidationException | undefined {
  const vector = valueOf(index.vector.attributeName);
  const problem = vector && vectorProblem(index, vector);
  if (problem !== undefined) return problem;
  for (const attribute of index.searchAttributes) {
    const value = valueOf(attribute.attributeName);
    const typeProblem = value && searchAttributeProblem(index, attribute, value);
    if (typeProblem !== undefined) return typeProblem;
  }
  return undefined;
}

function checkIndexes(table: Table, problemOf: (index: WrittenIndex) => ValidationException | undefined): void {
  // The order matters only when there is a problem to report.
  if (!table.writtenIndexes.some((index) => problemOf(index) !== undefined)) return;
  for (const index of table.writtenIndexes.toSorted((a, b) => (a.indexName < b.indexName ? -1 : 1))) {
    const problem = problemOf(index);
    if (problem !== undefined) throw problem;
  }
}

function keyProblem(
  index: WrittenIndex,
  attribute: KeyAttribute,
  value: AttributeValue,
  texts: KeyProblemTexts,
): ValidationException | undefined {
  const { attributeType } = attribute;
  if (typeTag(value) !== attributeType)
    return new ValidationException(texts.wrongType(index, attribute, typeTag(value)));
  if (isEmptyKeyValue(value)) {
    const complaint = `The AttributeValue for a key attribute cannot contain an empty ${emptyKindOf(value)} value.`;
    return new RequestRefusedException(
      `One or more parameter values are not valid. ${texts.empty(index, attribute, complaint)}`,
    );
  }
  const isPartitionKey = index.keySchema.partition.includes(attribute);
  const bytesMax = isPartitionKey ? serviceLimits.partitionKeyBytesMax : serviceLimits.sortKeyBytesMax;
  const bytes = encodeKeyValue(value, attributeType).length;
  return bytes <= bytesMax ? undefined : new ValidationException(texts.tooLong(index, attribute, bytes, bytesMax));
}

/** For a put item the service names the index; for an update it does not. */
interface KeyProblemTexts {
  wrongType(index: WrittenIndex, attribute: KeyAttribute, type: AttributeTypeTag): string;
  empty(index: WrittenIndex, attribute: KeyAttribute, complaint: string): string;
  tooLong(index: WrittenIndex, attribute: KeyAttribute, bytes: number, bytesMax: number): string;
}

const putTexts: KeyProblemTexts = {
  wrongType: ({ indexName }, { attributeName, attributeType }, type) =>
    `One or more parameter values were invalid: Type mismatch for Index Key ${attributeName} Expected: ${attributeType} Actual: ${type} IndexName: ${indexName}`,
  empty: ({ indexName }, { attributeName }, complaint) =>
    `A value specified for a secondary index key is not supported. ${complaint} IndexName: ${indexName}, IndexKey: ${attributeName}`,
  tooLong: ({ indexName }, { attributeName }, bytes, bytesMax) =>
    `One or more parameter values were invalid: Size limit exceeded for Index Key ${attributeName} Actual Size: ${bytes} bytes Max Size: ${bytesMax} bytes IndexName: ${indexName}`,
};

const updateTexts: KeyProblemTexts = {
  wrongType: () => 'The update expression attempted to update the secondary index key to unsupported type',
  empty: (_index, _attribute, complaint) =>
    `The update expression attempted to update a secondary index key to a value that is not supported. ${complaint}`,
  tooLong: () => 'The update expression attempted to update the secondary index key beyond allowed size limits',
};
