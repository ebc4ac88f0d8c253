import { ValidationException } from '../../values/service-error.ts';
import { attributeNameOf } from '../../expressions/document-path.ts';
import { checkKeysNotNested, type DocumentPath, type Update } from '../../expressions/index.ts';
import type { Table } from '../catalog/table.ts';
import { checkUpdatedIndexKeyTypes } from '../followers/indexes/check-index-keys.ts';

/**
 * Refuses an update that touches a key, that reaches into a key attribute of the table or an index, which can only be a scalar,
 * or that gives an index key another type, as far as this can be determined without the item.
 *
 * @throws {ValidationException}
 */
export function checkUpdateTargets(table: Table, update: Update): void {
  for (const { attributeName } of table.keyAttributes) {
    if (update.targets.some((path) => attributeNameOf(path) === attributeName)) {
      throw new ValidationException(
        `One or more parameter values were invalid: Cannot update attribute ${attributeName}. This attribute is part of the key`,
      );
    }
  }
  checkKeysAreScalars(table, update.targets);
  if (table.writtenIndexes.length > 0) checkUpdatedIndexKeyTypes(table, update.staticTypes);
}

/** @throws {ValidationException} when a path reaches into a key attribute of the table or an index. */
export function checkKeysAreScalars(table: Table, paths: readonly DocumentPath[]): void {
  if (paths.every((path) => path.length === 1)) return;
  const indexes = [...table.globalIndexes, ...table.localIndexes].flatMap((index) => index.keyAttributes);
  checkKeysNotNested(paths, {
    table: table.keyAttributes.map((key) => key.attributeName),
    indexes: indexes.map((key) => key.attributeName),
  });
}
