import type { EntityInfo } from '../resolve/resolved.ts';
import type { StoredItem } from './attribute-value.ts';

/** The type of an item. In a table without a type attribute all items belong to one entity. */
export function typeOfItem(item: StoredItem, { table, type }: EntityInfo): string | undefined {
  return table.typeAttribute === undefined ? type : item[table.typeAttribute]?.S;
}

/** Whether an item has expired, in whole seconds, although the service has not deleted it yet. */
export function isExpired(item: StoredItem, attribute: string | undefined, now: number): boolean {
  const expires = item[attribute ?? '']?.N;
  return expires !== undefined && Number(expires) <= Math.floor(now / 1000);
}
