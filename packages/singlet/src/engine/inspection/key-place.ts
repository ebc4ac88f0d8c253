import { type AttributeMap, type AttributeValue, getAttribute, typeTag } from '../../values/attribute-value.ts';
import { encodeKeyValue } from '../../values/key-bytes.ts';
import { ValidationException } from '../../values/service-error.ts';
import type { RequestContext } from '../environment.ts';
import { readSizes } from '../catalog/statistics.ts';
import { isEmptyKeyValue } from '../catalog/item-key.ts';
import { globalIndexHash, partOf } from '../followers/indexes/index-entry.ts';
import { copyStoredItem } from '../layout/item-codec.ts';
import { partitionHash } from '../layout/partition-hash.ts';
import { hashBytes, spaceStart, storeKey } from '../layout/spaces.ts';
import type { EngineServices } from '../services.ts';
import {
  type InspectedSpace,
  inspectedSpace,
  keyAtPlace,
  placeCount,
  placeOfHash,
  type Subject,
} from './inspected-space.ts';

/** A place in hash space: that of a key, or a fraction of the whole. */
export type PlaceRequest = Subject & ({ readonly key: AttributeMap } | { readonly fraction: number });

export interface KeyPlace {
  /** In hexadecimal. */
  readonly hash: string;
  /** From 0 to less than 1: the fraction of hash space before the place. */
  readonly fraction: number;
  /** The number of its partition, from 0, in the order of the capacity report. */
  readonly partition: number;
  /** Key of the first item at or after the place; null when there is none. */
  readonly firstKey: AttributeMap | null;
  /**
   * The ExclusiveStartKey with which a Scan begins at `firstKey`: the key of the last item before the place; null if a scan
   * without one begins there.
   */
  readonly startKey: AttributeMap | null;
}

/**
 * Finds a place in hash space and the items around it, by two reads whatever the size of the table.
 *
 * @param request.key - the partition key attributes of the table or index; other attributes are ignored.
 * @param request.fraction - from 0 to 1, of the whole.
 * @throws {ResourceNotFoundException}
 * @throws {ValidationException} for an index that does not exist, and for an invalid key.
 */
export async function keyPlace(
  services: EngineServices,
  request: PlaceRequest,
  context: RequestContext,
): Promise<KeyPlace> {
  const inspected = await inspectedSpace(services, request, context);
  const { table, index, space } = inspected;
  const hash = 'key' in request ? hashOfKey(inspected, request.key) : hashAt(request.fraction);
  const place = storeKey(space, hash);
  const sizes = await readSizes(services.store, table.record.itemSpace);
  const { partitions } = services.capacity.capacityOf(table, index, sizes);
  const partition = partitions.find(place);
  return {
    hash: Buffer.from(hash).toString('hex'),
    fraction: placeOfHash(hash) / placeCount,
    partition: partitions.placed().findIndex((placed) => placed.partition === partition),
    firstKey: await nearestKey(services, inspected, { from: place, to: spaceStart(space + 1) }),
    startKey: await nearestKey(services, inspected, { from: spaceStart(space), to: place, reverse: true }),
  };
}

async function nearestKey(
  { store }: EngineServices,
  { keyNames }: InspectedSpace,
  range: { readonly from: Buffer; readonly to: Buffer; readonly reverse?: boolean },
): Promise<AttributeMap | null> {
  let found: AttributeMap | null = null;
  await store.range({ ...range, limit: 1 }, (key, value) => {
    found = partOf(copyStoredItem(key, value), keyNames);
    return false;
  });
  return found;
}

function hashAt(fraction: number): Uint8Array {
  if (!(fraction >= 0 && fraction <= 1)) throw new ValidationException('A place is a number from 0 to 1.');
  // The end has no hash of its own, so this is the last hash.
  if (fraction === 1) return new Uint8Array(hashBytes).fill(0xff);
  return keyAtPlace(0, fraction * placeCount).subarray(-hashBytes);
}

function hashOfKey({ table, index }: InspectedSpace, key: AttributeMap): Uint8Array {
  const attributes = index?.kind === 'global' ? index.keySchema.partition : [table.partitionKey];
  const values = attributes.map(({ attributeName, attributeType }): AttributeValue => {
    const value = getAttribute(key, attributeName);
    if (value === undefined || typeTag(value) !== attributeType || isEmptyKeyValue(value)) {
      throw new ValidationException(`The key has no ${attributeName} of type ${attributeType}.`);
    }
    return value;
  });
  return index?.kind === 'global'
    ? globalIndexHash(values)
    : partitionHash(encodeKeyValue(values[0] as AttributeValue, table.partitionKey.attributeType)); // every table has one
}
