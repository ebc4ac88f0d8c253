import { codingOf } from '../entities/codec.ts';
import type { Entities, ItemOf } from '../entities/entity.ts';
import { ModelError } from '../model-error.ts';
import type { Model, Needs } from '../model.ts';
import { resolve } from '../resolve/resolve.ts';
import type { EntityInfo } from '../resolve/resolved.ts';
import type { StoredItem } from './attribute-value.ts';
import { slotsOf } from '../resolve/slots.ts';
import { itemDecoder } from './item-decoder.ts';

/** An item of a model with its entity: `{ entity: 'Deal', item: { dealId, title, … } }`. */
export type EntityItem<D extends Entities> = {
  [N in keyof D & string]: { readonly entity: N; readonly item: ItemOf<D[N]> };
}[keyof D & string];

/** Decodes stored items that did not come from a pattern. */
export type ItemReader<D extends Entities> = (stored: StoredItem) => EntityItem<D> | undefined;

/**
 * A decoder of stored items that did not come from a pattern, such as the images of a stream's records. The type attribute identifies
 * the entity. Anything else (a guard of a unique value, a key alone) is undefined.
 *
 * @throws {ModelError} if the model has faults.
 */
export function itemReader<D extends Entities, P extends Needs>(model: Model<D, P>): ItemReader<D> {
  const read = storedReader(model);
  return (stored) => {
    const found = read(stored);
    if (found === undefined) return undefined;
    const { entity, item } = found;
    for (const { name, schema } of entity.attributes.values()) {
      const coding = codingOf(schema);
      if (coding && (item[name] ?? undefined) !== undefined) item[name] = coding.decode(item[name]);
    }
    // The entity was found by the type that only its items have, and the decoder returns the attributes that it declares.
    return { entity: entity.name, item } as EntityItem<D>;
  };
}

/** The same, with attributes in their stored form. */
export function storedReader(
  model: Model,
): (stored: StoredItem) => { readonly entity: EntityInfo; readonly item: Record<string, unknown> } | undefined {
  const { entities, problems } = resolve(model);
  if (problems.length > 0) throw new ModelError(problems);
  const known = [...entities.values()].map((entity) => ({ entity, decode: itemDecoder(entity) }));
  return (stored) => {
    // The only entity of a table without types is told by its keys, once no type says otherwise.
    const found =
      known.find(({ entity: { table, type } }) => table.typeAttribute && stored[table.typeAttribute]?.S === type) ??
      known.find(
        ({ entity: { table, key } }) => !table.typeAttribute && slotsOf(key).every((slot) => stored[slot.attribute]),
      );
    return found && { entity: found.entity, item: found.decode(stored) };
  };
}
