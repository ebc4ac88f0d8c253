import type { EntityInfo, UniqueInfo } from '../resolve/resolved.ts';
import { type StoredItem, toAttributeValue } from './attribute-value.ts';
import { formWriters, type ItemCodec, type Values } from './item-codec.ts';

/** The key of the item that guards a unique value; undefined if the item has no such value. */
export function markerKey({ entity }: ItemCodec, { form }: UniqueInfo, values: Values): StoredItem | undefined {
  const key: StoredItem = {};
  for (const { slot, write } of formWriters(entity, form)) {
    const value = write(values);
    if (value === undefined) return undefined;
    key[slot.attribute] = value;
  }
  return key;
}

/**
 * The marker names its owner, so that the item can be found by the unique value and only its owner releases it. It expires with its owner,
 * because the service would otherwise delete one and leave the other.
 */
export function markerBody(codec: ItemCodec, { type, attribute }: UniqueInfo, values: Values): StoredItem {
  const { entity } = codec;
  const { typeAttribute } = entity.table;
  const body: StoredItem = typeAttribute === undefined ? {} : { [typeAttribute]: { S: type } };
  const { expires } = entity.rules;
  const ends = expires === undefined || values[expires] === undefined ? {} : { [expires]: values[expires] };
  const named = { ...ownerOf(entity, values), ...ends, [attribute]: values[attribute] };
  for (const [name, value] of Object.entries(named)) body[codec.stored(name)] = toAttributeValue(value, name);
  return body;
}

/** The attributes that an item's key is made of. */
export function ownerOf(entity: EntityInfo, values: Values): Record<string, unknown> {
  const slots = [...entity.key.partition, ...entity.key.sort];
  const names = slots.flatMap(({ template }) => template.variables.map(({ name }) => name));
  return Object.fromEntries(names.filter((name) => values[name] !== undefined).map((name) => [name, values[name]]));
}
