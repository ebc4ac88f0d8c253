/**
 * How a key is stored in the columns of a table.
 *
 * A row of a B-tree of PostgreSQL holds at most 2,704 bytes, and keys have up to 3,110. So a key is cut: `head` is its first bytes, `tail` the
 * rest, and the index is on `head` and on a digest of the tail, which is empty for all keys that are not cut. Almost no key is cut.
 *
 * Invariant: comparing heads, and tails where heads are equal, gives the order of the keys. A key that is not cut has an empty tail, and one
 * that is cut has a head of exactly {@link headBytesMax} bytes, so a shorter head always ends a key.
 */
import { createHash } from 'node:crypto';

/** Longest part of a key that is in the index, bytes. */
export const headBytesMax = 2_560;

const digestBytes = 16;

/** A key as PostgreSQL's text for bytes: `\x` and hexadecimal digits. */
export interface KeyColumns {
  readonly head: string;
  readonly digest: string;
  readonly tail: string;
}

/** The text of bytes in parameters and results. */
export function byteaText(bytes: Uint8Array): string {
  return `\\x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex')}`;
}

/** The bytes of such a text. */
export function bytesOfText(text: string): Buffer {
  return Buffer.from(text.slice(2), 'hex');
}

const nothing = '\\x';

export function keyColumns(key: Uint8Array): KeyColumns {
  if (key.length <= headBytesMax) return { head: byteaText(key), digest: nothing, tail: nothing };
  const tail = key.subarray(headBytesMax);
  const digest = createHash('sha256').update(tail).digest().subarray(0, digestBytes);
  return { head: byteaText(key.subarray(0, headBytesMax)), digest: byteaText(digest), tail: byteaText(tail) };
}

/** The whole key, as text, from the columns. */
export function keyText(head: string, tail: string): string {
  return tail === nothing ? head : head + tail.slice(2);
}

/** Whether the columns hold a key that was cut. */
export function isCut(tail: string): boolean {
  return tail !== nothing;
}
