import type { EntityInfo } from '../resolve/resolved.ts';
import type { StoredItem } from './attribute-value.ts';

/** What an item says it is. In a table without a type attribute all are of one entity. */
export function typeOfItem(item: StoredItem, { table, type }: EntityInfo): string | undefined {
  return table.typeAttribute === undefined ? type : item[table.typeAttribute]?.S;
}

/** Whether an item's time to live has passed, in whole seconds, though the service has not deleted it yet. */
export function isExpired(item: StoredItem, attribute: string | undefined, now: number): boolean {
  const expires = attribute === undefined ? undefined : item[attribute]?.N;
  return expires !== undefined && Number(expires) <= Math.floor(now / 1000);
}
