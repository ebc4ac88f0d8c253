import { typeOfItem } from '../run/stored-item.ts';
import type { StoredItem } from '../run/attribute-value.ts';
import { turnedItem } from '../run/coded.ts';
import { contextOf } from '../run/connect.ts';
import { codecOf, type Values } from '../run/item-codec.ts';
import type { KeySlot } from '../resolve/resolved.ts';
import { InputError } from '../model-error.ts';

/** A record of a stream as the service delivers it: the images are attribute values. */
export interface ImageRecord {
  /** The item before the change; absent for a new one. */
  readonly oldImage?: StoredItem;
  /** The item after the change; absent for a deleted one. */
  readonly newImage?: StoredItem;
}

/** A change of one item of the model, as the application sees it. */
export interface ItemChange {
  /** The entity of the item. */
  readonly entity: string;
  /** Undefined if the item was created, or the stream does not contain old images. */
  readonly before: Values | undefined;
  /** Undefined if the item was deleted. */
  readonly after: Values | undefined;
}

/** Reads a record of the stream of a model's table. Undefined for anything that is not an item of the model, such as a guard. */
export function changeOf(db: object, { oldImage, newImage }: ImageRecord): ItemChange | undefined {
  const context = contextOf(db);
  const image = newImage ?? oldImage;
  if (image === undefined) return undefined;
  const entity = [...context.resolved.entities.values()].find((each) => typeOfItem(image, each) === each.type);
  if (entity === undefined) return undefined;
  const read = (stored: StoredItem | undefined): Values | undefined =>
    stored === undefined ? undefined : turnedItem('decode', entity, codecOf(context, entity).decode(stored));
  return { entity: entity.name, before: read(oldImage), after: read(newImage) };
}

/** A filter of a stream's records by the prefix of an entity's key, in the form of event source mappings. */
export function streamFilter(db: object, entity: string): { readonly [name: string]: unknown } {
  const info = contextOf(db).resolved.entities.get(entity);
  if (info === undefined) throw new InputError('unknown-entity', entity, 'is not an entity of the model');
  const slots = [...info.key.partition, ...info.key.sort].flatMap(matcher);
  return { dynamodb: { Keys: Object.fromEntries(slots) } };
}

function matcher({ attribute, type, template }: KeySlot): (readonly [attribute: string, test: object])[] {
  if (type !== 'S' || template.prefix === '') return [];
  return [[attribute, { S: [template.variables.length === 0 ? template.prefix : { prefix: template.prefix }] }]];
}
