import { timingSafeEqual } from 'node:crypto';
import { HttpError } from './http-error.ts';
import { bytesFrom } from './idempotency.ts';

const SEAL_BYTES = 12;

/**
 * A place in a list as a text that callers hand back and cannot make: it is good for one list of one person.
 *
 * @param scope - what it is good for: the list, and whose.
 */
export function sealed(secret: string, scope: readonly string[], place: string): string {
  const text = Buffer.from(place, 'utf8');
  return Buffer.concat([sealOf(secret, scope, text), text]).toString('base64url');
}

/** @throws {HttpError} 400 for a cursor of another list, of another person, or made by a caller. */
export function opened(secret: string, scope: readonly string[], cursor: string): string {
  const bytes = Buffer.from(cursor, 'base64url');
  const text = bytes.subarray(SEAL_BYTES);
  const seal = sealOf(secret, scope, text);
  if (bytes.length <= SEAL_BYTES || !timingSafeEqual(bytes.subarray(0, SEAL_BYTES), seal)) {
    throw new HttpError(400, 'invalid', 'The cursor does not belong to this list. Begin at its first page.');
  }
  return text.toString('utf8');
}

function sealOf(secret: string, scope: readonly string[], text: Buffer): Buffer {
  return bytesFrom(secret, ['cursor', ...scope, text.toString('base64')]).subarray(0, SEAL_BYTES);
}
