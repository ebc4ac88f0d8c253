import type { AttributeMap, AttributeValue } from '../../../../singlet/src/values/attribute-value.ts';
import { keyNamesOf, type TableDescription } from '../../wire/table-description.ts';

/** Replaces a key for an item that is being created. */
export const newItem = 'new';

/** The key that an address names; undefined if it is not a key of this table. */
export function keyOfAddress(text: string, table: TableDescription): AttributeMap | undefined {
  const { partition, sort } = keyNamesOf(table);
  let values: unknown;
  try {
    values = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!Array.isArray(values) || !values.slice(0, sort === undefined ? 1 : 2).every(isKeyValue)) return undefined;
  const [first, second] = values as [AttributeValue, AttributeValue];
  return { [partition]: first, ...(sort !== undefined && { [sort]: second }) };
}

function isKeyValue(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const [[type, inner] = ['', undefined], ...more] = Object.entries(value);
  return more.length === 0 && /^[SNB]$/.test(type) && typeof inner === 'string';
}
