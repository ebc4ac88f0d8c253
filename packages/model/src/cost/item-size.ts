import { kindOf } from '../check/probe.ts';
import type { EntityInfo, IndexKeyInfo, KeySlot } from '../resolve/resolved.ts';

/** Assumed bytes of a value without a declared length: of text, and of a list or map. */
const textBytes = 24;
const documentBytes = 120;
/** A variable in a key template. */
const variableBytes = 16;

/** Size of one item as the service counts it: declared (`expects.bytes`), or estimated from its attributes and keys. */
export function itemBytes(entity: EntityInfo): number {
  return (
    entity.rules.expects?.bytes ??
    attributeBytes(entity, () => true) + slotBytes([...entity.key.partition, ...entity.key.sort]) + typeBytes(entity)
  );
}

/** Size of its entry in an index. */
export function entryBytes(entity: EntityInfo, { place, forms }: IndexKeyInfo): number {
  if (place.project === 'ALL') return itemBytes(entity);
  const held = new Set(place.project === 'KEYS_ONLY' ? [] : place.project);
  const [form] = forms;
  const keys = [...entity.key.partition, ...entity.key.sort, ...(form?.partition ?? []), ...(form?.sort ?? [])];
  return attributeBytes(entity, (stored) => held.has(stored)) + slotBytes(keys);
}

function attributeBytes({ attributes }: EntityInfo, included: (stored: string) => boolean): number {
  let bytes = 0;
  for (const { stored, schema } of attributes.values()) {
    if (!included(stored)) continue;
    const kind = kindOf(schema);
    bytes += stored.length + (kind.numeric ? 8 : kind.document ? documentBytes : kind.text ? textBytes : 8);
  }
  return bytes;
}

function slotBytes(slots: readonly KeySlot[]): number {
  return slots.reduce((sum, { attribute, template }) => {
    const literal = template.parts.reduce(
      (length, part) => length + (typeof part === 'string' ? part.length : variableBytes),
      0,
    );
    return sum + attribute.length + literal;
  }, 0);
}

function typeBytes({ table, type }: EntityInfo): number {
  return table.typeAttribute === undefined ? 0 : table.typeAttribute.length + type.length;
}
