import { ValidationException } from '../values/service-error.ts';
import type { Condition } from './condition.ts';
import { type DocumentPath, attributeNameOf } from './document-path.ts';

/**
 * Refuses paths that lead into a key attribute, which has no nested values.
 *
 * @param keys.table - the names of the key attributes of the table, or of the index that is read.
 * @param keys.indexes - the names of the key attributes of the table's indexes, if these count.
 * @throws {ValidationException}
 */
export function checkKeysNotNested(
  paths: readonly DocumentPath[],
  keys: { readonly table: readonly string[]; readonly indexes?: readonly string[] },
): void {
  const nested = new Set(paths.filter((path) => path.length > 1).map(attributeNameOf));
  if (nested.size === 0) return;
  const fail = (key: string): ValidationException =>
    new ValidationException(
      `Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: ${key}`,
    );
  for (const name of keys.table) if (nested.has(name)) throw fail(`Key: ${name}`);
  for (const name of keys.indexes ?? []) if (nested.has(name)) throw fail(`IndexKey: ${name}`);
}

/**
 * Refuses the filter of a Query that uses the key of the queried table or index: the key condition is for that.
 *
 * @param parameter - its name in the error text.
 * @throws {ValidationException}
 */
export function checkFilterWithoutKeys(
  filter: Condition,
  keyAttributeNames: readonly string[],
  parameter: 'Filter Expression' | 'QueryFilter',
): void {
  const name = keyAttributeNames.find((key) => filter.attributeNames.has(key));
  if (name === undefined) return;
  throw new ValidationException(
    `${parameter} can only contain non-primary key attributes: Primary key attribute: ${name}`,
  );
}
