import type { EntityInfo, PatternInfo, ReadPart } from '../resolve/resolved.ts';
import type { StoredItem } from './attribute-value.ts';
import { UnexpectedItemError } from './rule-error.ts';

/** The type of an item. In a table without a type attribute all items belong to one entity. */
export function typeOfItem(item: StoredItem, { table, type }: EntityInfo): string | undefined {
  return table.typeAttribute === undefined ? type : item[table.typeAttribute]?.S;
}

/**
 * The part of a pattern that an item belongs to.
 *
 * @throws {UnexpectedItemError} if the pattern does not read items of its type.
 */
export function partOf(
  item: StoredItem,
  entity: EntityInfo,
  parts: ReadonlyMap<string | undefined, ReadPart>,
  { name }: PatternInfo,
): ReadPart {
  const type = typeOfItem(item, entity);
  const part = parts.get(type);
  if (part === undefined) throw new UnexpectedItemError(name, type, item);
  return part;
}

/** Whether an item has expired, in whole seconds, although the service has not deleted it yet. One without the attribute, or without a number, has not. */
export function isExpired(item: StoredItem, attribute: string | undefined, now: number): boolean {
  return Number(item[attribute ?? '']?.N) <= Math.floor(now / 1000);
}
