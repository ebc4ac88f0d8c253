import { randomBytes, timingSafeEqual } from 'node:crypto';
import { HttpError } from './http-error.ts';
import { bytesFrom } from './idempotency.ts';

const SEAL_BYTES = 12;

/**
 * The secret that seals cursors and leases, and from which ids and tokens of repeated requests are derived: that of the environment, so
 * that they outlive this process and are those of the processes beside it, or a new one.
 */
export function cursorSecret(): string {
  return process.env['CURSOR_SECRET'] ?? randomBytes(32).toString('base64');
}

/**
 * A cursor as a text that callers return but cannot forge: it is valid for one list of one user.
 *
 * @param scope - where it is valid: the list, and its user.
 */
export function sealed(secret: string, scope: readonly string[], place: string): string {
  const text = Buffer.from(place, 'utf8');
  return Buffer.concat([sealOf(secret, scope, text), text]).toString('base64url');
}

/** @throws {HttpError} 400 for a cursor of another list or user, or a forged one. */
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
