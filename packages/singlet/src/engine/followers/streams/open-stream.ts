import { assert } from '../../../values/assert.ts';
import type { StreamViewType } from '../../catalog/table-description.ts';
import { hashPrefixOf, headKey, type ShardKeyParts, shardPrefix } from './shard-keys.ts';

/** The images that the records of a stream hold, by its view type. */
export interface ImageSelection {
  readonly oldImage: boolean;
  readonly newImage: boolean;
}

export function imagesOf(viewType: StreamViewType): ImageSelection {
  return {
    oldImage: viewType === 'OLD_IMAGE' || viewType === 'NEW_AND_OLD_IMAGES',
    newImage: viewType === 'NEW_IMAGE' || viewType === 'NEW_AND_OLD_IMAGES',
  };
}

/** An open shard, with the keys that a write to it needs. */
export interface OpenShard {
  readonly prefix: Buffer;
  readonly headKey: Buffer;
}

/** A stream that is on, as item writes see it. Immutable: when shards are replaced, the table's record changes. */
export class OpenStream {
  readonly images: ImageSelection;
  readonly #shards: readonly (OpenShard & { readonly hashFrom: number })[];

  /** @param openShards - in the order of their hashes; the first begins at 0. */
  constructor(streamSpace: number, viewType: StreamViewType, openShards: readonly ShardKeyParts[]) {
    assert(openShards[0]?.hashFrom === 0, 'the open shards cover all hashes');
    this.images = imagesOf(viewType);
    this.#shards = openShards.map((shard) => {
      const prefix = shardPrefix(streamSpace, shard);
      return { hashFrom: shard.hashFrom, prefix, headKey: headKey(prefix) };
    });
  }

  /** The shard of an item, by its partition hash. */
  shardOf(hash: Uint8Array): OpenShard {
    const prefix = hashPrefixOf(hash);
    let at = this.#shards.length - 1;
    while (at > 0 && (this.#shards[at]?.hashFrom ?? 0) > prefix) at -= 1;
    return this.#shards[at] as OpenShard; // there is at least one, and the first begins at 0
  }
}
