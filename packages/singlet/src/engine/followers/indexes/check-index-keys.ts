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
 * An attribute that is a key of an index may be absent, but what it holds must be able to be a key. When an attribute keys
 * several indexes, the service names the alphabetically first.
 */

/**
 * Refuses an item that is put with a value in an index key attribute that cannot be a key.
 *
 * @throws {ValidationException}
 */
export function checkIndexKeys(table: Table, item: AttributeMap): void {
  checkIndexes(table, (index) => indexProblem(index, (name) => getAttribute(item, name), putTexts));
}

/**
 * Refuses an update that gives an index key attribute a type that no key of the index has, so far as that shows without
 * the item.
 *
 * @param types - what the update makes of attributes.
 * @throws {ValidationException}
 */
export function checkUpdatedIndexKeyTypes(table: Table, types: ReadonlyMap<string, AttributeTypeTag>): void {
  if (types.size === 0) return;
  checkIndexes(table, (index) => {
    // What a vector index reads is looked at when it is there.
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
 * Refuses an updated item that has a new value in an index key attribute that cannot be a key.
 *
 * @param changed - the index key attributes with new values: an update does not answer for what was there before.
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

/** Assumed: the vector is looked at before what the index is searched by. */
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
  // Only when there is something to report does the order matter.
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

/** Of an item that is put the service says which index is concerned, of an update it does not. */
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
