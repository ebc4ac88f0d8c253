import * as crypto from 'node:crypto';
import { hashBytes } from './spaces.ts';

/**
 * The hash that places a partition key: the first 128 bits of SHA-256.
 *
 * Wide enough that two keys never meet, and not to be aimed at by a hostile client, so the key itself need not be
 * compared on read. Scan order is the order of this hash.
 */
export function partitionHash(bytes: Uint8Array): Uint8Array {
  return sha256(bytes).subarray(0, hashBytes);
}

/** The hash of a text that names something: a table in its account and region, an idempotency token. */
export function textHash(...parts: readonly string[]): Uint8Array {
  return partitionHash(Buffer.from(parts.join('\u0000'), 'utf8'));
}

// crypto.hash (Node 20.12) is several times cheaper than a Hash object; older Nodes take the long way.
const sha256: (bytes: Uint8Array) => Uint8Array =
  typeof crypto.hash === 'function'
    ? (bytes) => crypto.hash('sha256', bytes, 'buffer')
    : (bytes) => crypto.createHash('sha256').update(bytes).digest();
