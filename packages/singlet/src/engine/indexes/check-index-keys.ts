import { type AttributeMap, getAttribute, typeTag } from '../../values/attribute-value.ts';
import { encodeKeyValue } from '../../values/key-bytes.ts';
import { ValidationException } from '../../values/service-error.ts';
import { checkKeyLength, emptyKindOf, isEmptyKeyValue } from '../items/item-key.ts';
import type { Table } from '../tables/table.ts';

/**
 * Refuses an item that has a value which cannot be a key in an attribute that is a key of an index. Absence is fine.
 *
 * When an attribute keys several indexes, the service names the alphabetically first.
 *
 * @param changed - look at these attributes only (an update answers for what it changes, not for what was there).
 * @throws {ValidationException}
 */
export function checkIndexKeys(table: Table, item: AttributeMap, changed?: ReadonlySet<string>): void {
  for (const index of table.writtenIndexes.toSorted((a, b) => (a.indexName < b.indexName ? -1 : 1))) {
    for (const attribute of index.keyAttributes) {
      const { attributeName, attributeType } = attribute;
      if (changed !== undefined && !changed.has(attributeName)) continue;
      const value = getAttribute(item, attributeName);
      if (value === undefined) continue;
      if (typeTag(value) !== attributeType) {
        throw new ValidationException(
          `One or more parameter values were invalid: Type mismatch for Index Key ${attributeName} Expected: ${attributeType} Actual: ${typeTag(value)} IndexName: ${index.indexName}`,
        );
      }
      if (isEmptyKeyValue(value)) {
        const complaint = `The AttributeValue for a key attribute cannot contain an empty ${emptyKindOf(value)} value.`;
        // For an item the service names the index, for an update it does not.
        throw new ValidationException(
          changed === undefined
            ? `One or more parameter values are not valid. A value specified for a secondary index key is not supported. ${complaint} IndexName: ${index.indexName}, IndexKey: ${attributeName}`
            : `One or more parameter values are not valid. The update expression attempted to update a secondary index key to a value that is not supported. ${complaint}`,
        );
      }
      const role = index.keySchema.partition.includes(attribute) ? 'partition' : 'sort';
      checkKeyLength(role, encodeKeyValue(value, attributeType).length);
    }
  }
}
