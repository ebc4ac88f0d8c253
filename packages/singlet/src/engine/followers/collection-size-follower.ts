import { ItemCollectionSizeLimitExceededException } from '../../values/service-error.ts';
import type { StoreValue } from '../../storage/store.ts';
import { SealedKind } from '../layout/sealed-value.ts';
import { hashOf, space, storeKey } from '../layout/spaces.ts';
import type { Table } from '../catalog/table.ts';
import type { FollowedChange, ItemFollower } from './item-follower.ts';

/**
 * Keeps the sizes of item collections within their limit. In a table with a local index, the items of a partition key and their
 * entries in local indexes form a collection.
 */
export function collectionSizeFollower({ localIndexes, record }: Table): ItemFollower | undefined {
  return localIndexes.length === 0 ? undefined : new CollectionSizeFollower(record.itemSpace);
}

class CollectionSizeFollower implements ItemFollower {
  readonly keyCount = 1;
  readonly #itemSpaceBytes: Buffer;

  constructor(itemSpace: number) {
    this.#itemSpaceBytes = Buffer.allocUnsafe(4);
    this.#itemSpaceBytes.writeUInt32BE(itemSpace, 0);
  }

  keyOf(itemKey: Buffer): Buffer {
    return storeKey(space.collectionSizes, hashOf(itemKey), this.#itemSpaceBytes);
  }

  follow(change: FollowedChange): void {
    const { before, after, indexChanges, limits } = change;
    let sizeBytesDelta = (after?.sizeBytes ?? 0) - (before?.sizeBytes ?? 0);
    for (const { index, sizeBytesDelta: entryDelta } of indexChanges) {
      if (index.kind === 'local') sizeBytesDelta += entryDelta;
    }
    const sizeBytes = decodeCollectionSize(change.read(0)) + sizeBytesDelta;
    // A write that another replica has accepted is part of the global table, so this replica must accept it too.
    const isBounded = change.replicatedFrom === undefined && sizeBytesDelta > 0;
    if (isBounded && sizeBytes > limits.itemCollectionBytesMax) throw new ItemCollectionSizeLimitExceededException();
    change.collectionSizeBytes = sizeBytes;
    change.replace(0, sizeBytes === 0 ? undefined : encodeCollectionSize(sizeBytes));
  }
}

/** The key of the stored size of an item's collection. */
export function collectionSizeKey(itemSpace: number, itemKey: Uint8Array): Buffer {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeUInt32BE(itemSpace, 0);
  return storeKey(space.collectionSizes, hashOf(itemKey), bytes);
}

const sizes = new SealedKind('The size of an item collection');
const olderBytes = 8;

export function encodeCollectionSize(sizeBytes: number): Buffer {
  return sizes.number(sizeBytes);
}

/** @throws {StorageError} `damaged` when the size is not the one that was stored. */
export function decodeCollectionSize(value: StoreValue): number {
  return value === undefined ? 0 : sizes.open(value, (older) => older.length === olderBytes, 0).getFloat64(0);
}
