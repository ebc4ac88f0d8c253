import { hashBytes, storeKey } from '../../layout/spaces.ts';

/*
 * The keys of a shard's entries, in the space of its stream:
 *
 *     space 4 | first hash of the shard's range 16 | shard number 4 | position 8     change record
 *     space 4 | first hash of the shard's range 16 | shard number 4 | 0xff × 8       head: the next position
 *
 * A shard covers a range of hashes, and the keys of its entries have the first of them: a store that is spread by ranges of hashes
 * keeps items and their records together. The head comes right after the records, so that it and the newest record are
 * neighbours, and a reader that reaches the end of the records learns in the same snapshot where they end.
 */

/** Shards begin at hashes of which only the first two bytes may differ from zero. */
export const hashPrefixCount = 0x1_0000;

const positionBytes = 8;
const headMark: Uint8Array = new Uint8Array(positionBytes).fill(0xff);

/** The parts of a shard's keys. */
export interface ShardKeyParts {
  readonly number: number;
  /** The first two bytes of the first hash in the shard's range, as a number. */
  readonly hashFrom: number;
}

/** The first two bytes of a hash. */
export function hashPrefixOf(hash: Uint8Array): number {
  return ((hash[0] ?? 0) << 8) | (hash[1] ?? 0);
}

/** The common prefix of all keys of a shard. */
export function shardPrefix(streamSpace: number, { number, hashFrom }: ShardKeyParts): Buffer {
  const hash = Buffer.alloc(hashBytes);
  hash.writeUInt16BE(hashFrom, 0);
  const numberBytes = Buffer.allocUnsafe(4);
  numberBytes.writeUInt32BE(number, 0);
  return storeKey(streamSpace, hash, numberBytes);
}

/** @param prefix - from {@link shardPrefix}. */
export function headKey(prefix: Buffer): Buffer {
  return Buffer.concat([prefix, headMark]);
}

/** @param prefix - from {@link shardPrefix}. */
export function recordKey(prefix: Buffer, position: number): Buffer {
  const key = Buffer.allocUnsafe(prefix.length + positionBytes);
  prefix.copy(key);
  key.writeUInt32BE(Math.floor(position / 2 ** 32), prefix.length);
  key.writeUInt32BE(position % 2 ** 32, prefix.length + 4);
  return key;
}

/** The position in the key of a record; undefined for a head. */
export function positionOf(key: Uint8Array): number | undefined {
  const view = new DataView(key.buffer, key.byteOffset + key.byteLength - positionBytes, positionBytes);
  const high = view.getUint32(0);
  return high === 0xffff_ffff ? undefined : high * 2 ** 32 + view.getUint32(4);
}
