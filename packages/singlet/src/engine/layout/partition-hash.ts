import * as crypto from 'node:crypto';
import { partitionPrefixBytes } from '../../storage/store.ts';
import { hashBytes } from './spaces.ts';

/**
 * The hash that places a partition key: the first 128 bits of SHA-256.
 *
 * Wide enough that two keys never collide, and that a hostile client cannot aim at a hash, so the key itself need not be
 * compared on read. Scan order is the order of this hash.
 *
 * @param key - bytes, or a text that represents its UTF-8 bytes.
 */
export function partitionHash(key: Uint8Array | string): Uint8Array {
  return Buffer.from(sha256(key).slice(0, hashBytes), 'latin1');
}

/** The store key `space | hash of the partition key | sort key`, built without a buffer for the hash. */
export function hashedStoreKey(spaceId: number, partitionKey: Uint8Array | string, sortKey: Uint8Array): Buffer {
  const key = Buffer.allocUnsafe(partitionPrefixBytes + sortKey.length);
  key.writeUInt32BE(spaceId, 0);
  key.write(sha256(partitionKey), partitionPrefixBytes - hashBytes, hashBytes, 'latin1');
  key.set(sortKey, partitionPrefixBytes);
  return key;
}

/** The hash of a text that identifies something: a table in its account and region, an idempotency token. */
export function textHash(...parts: readonly string[]): Uint8Array {
  return partitionHash(parts.join('\u0000'));
}

/** SHA-256 of a text in UTF-8, 32 bytes. */
export function textDigest(text: string): Buffer {
  return Buffer.from(sha256(text), 'latin1');
}

// The hash is a text of one character per byte, because that is cheaper to make than a buffer. crypto.hash (Node 20.12) is several
// times cheaper than a Hash object; older versions of Node use the slower object.
const sha256: (key: Uint8Array | string) => string =
  typeof crypto.hash === 'function'
    ? (key) => crypto.hash('sha256', key, 'binary')
    : (key) => crypto.createHash('sha256').update(key).digest('binary');
