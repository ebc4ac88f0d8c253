import {
  type AttributeMap,
  type AttributeTypeTag,
  type AttributeValue,
  getAttribute,
  typeTag,
} from '../../values/attribute-value.ts';
import { encodeKeyValue } from '../../values/key-bytes.ts';
import { serviceLimits } from '../../values/limits.ts';
import { ValidationException } from '../../values/service-error.ts';
import { emptyKindOf, isEmptyKeyValue } from '../items/item-key.ts';
import { RequestRefusedException } from '../items/request-refused.ts';
import type { KeyAttribute, SecondaryIndex, Table } from '../tables/table.ts';

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
  checkIndexes(table, (index, attribute) => {
    const value = getAttribute(item, attribute.attributeName);
    return value && keyProblem(index, attribute, value, putTexts);
  });
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
  checkIndexes(table, (index, attribute) => {
    const type = types.get(attribute.attributeName);
    return type === undefined || type === attribute.attributeType
      ? undefined
      : new ValidationException(putTexts.wrongType(index, attribute, type));
  });
}

/**
 * Refuses an updated item that has a new value in an index key attribute that cannot be a key.
 *
 * @param changed - the index key attributes with new values: an update does not answer for what was there before.
 * @throws {ValidationException}
 */
export function checkUpdatedIndexKeys(table: Table, item: AttributeMap, changed: ReadonlySet<string>): void {
  if (changed.size === 0) return;
  checkIndexes(table, (index, attribute) => {
    const value = changed.has(attribute.attributeName) ? getAttribute(item, attribute.attributeName) : undefined;
    return value && keyProblem(index, attribute, value, updateTexts);
  });
}

type FindProblem = (index: SecondaryIndex, attribute: KeyAttribute) => ValidationException | undefined;

function checkIndexes(table: Table, findProblem: FindProblem): void {
  const problemOf = (index: SecondaryIndex): ValidationException | undefined => {
    for (const attribute of index.keyAttributes) {
      const problem = findProblem(index, attribute);
      if (problem !== undefined) return problem;
    }
    return undefined;
  };
  // Only when there is something to report does the order matter.
  if (!table.writtenIndexes.some((index) => problemOf(index) !== undefined)) return;
  for (const index of table.writtenIndexes.toSorted((a, b) => (a.indexName < b.indexName ? -1 : 1))) {
    const problem = problemOf(index);
    if (problem !== undefined) throw problem;
  }
}

function keyProblem(
  index: SecondaryIndex,
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
  wrongType(index: SecondaryIndex, attribute: KeyAttribute, type: AttributeTypeTag): string;
  empty(index: SecondaryIndex, attribute: KeyAttribute, complaint: string): string;
  tooLong(index: SecondaryIndex, attribute: KeyAttribute, bytes: number, bytesMax: number): string;
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
