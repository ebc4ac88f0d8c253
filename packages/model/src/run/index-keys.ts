import type { IndexKeyInfo } from '../resolve/resolved.ts';
import { formAttributes, slotsOf } from '../resolve/slots.ts';
import type { Action } from './action.ts';
import type { StoredItem } from './attribute-value.ts';
import { applyEffects, type Effect } from './effect.ts';
import type { ItemCodec, Values } from './item-codec.ts';

/** Writes the index keys of an update's item for its new values, and removes those that no longer apply. */
export function indexEffects(codec: ItemCodec, { index, key, copy, effects }: Action): Effect[] {
  if (index === undefined) return [];
  const { indexes, asked, stored, known, changed } = index;
  // If the item was read, all of it is known. If not, the input has every value in the keys.
  const after = stored === undefined ? { ...known, ...changed } : codec.decode(applyEffects(stored, effects));
  const written = new Set(effects.map(({ path }) => path[0]));
  const touched = indexes.filter(
    (each) =>
      asked.includes(each) ||
      each.forms.some((form) =>
        formAttributes(form).some((name) => written.has(codec.stored(name)) || name in index.created),
      ),
  );
  return keyEffects(codec, touched, { ...after, copy }).filter(
    ({ path: [name = ''] }) => !(name in key) && !written.has(name),
  );
}

/** Complete keys of some indexes: attributes that are no longer part of them are removed. Indexes may share attributes. */
function keyEffects(codec: ItemCodec, indexes: readonly IndexKeyInfo[], values: Values): Effect[] {
  const key: StoredItem = {};
  for (const index of indexes) Object.assign(key, codec.indexKey(codec.entity.indexes.indexOf(index), values));
  const slots = indexes.flatMap(({ forms }) => forms.flatMap(slotsOf));
  const absent = new Set(
    slots.filter(({ attribute, own }) => !own && key[attribute] === undefined).map(({ attribute }) => attribute),
  );
  return [
    ...Object.entries(key).map(([name, value]): Effect => ({ kind: 'set', path: [name], value })),
    ...[...absent].map((attribute): Effect => ({ kind: 'remove', path: [attribute] })),
  ];
}
