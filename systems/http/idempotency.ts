import { createHmac } from 'node:crypto';
import { z } from 'zod';
import { HttpError } from './http-error.ts';

/** The header with which a caller marks a request as a repetition of one whose answer was lost. */
export const IDEMPOTENCY_HEADER = 'idempotency-key';

/** What may be a key. */
export const idempotencyKey: z.ZodString = z.string().regex(/^[\x21-\x7e]{8,100}$/);

/**
 * The idempotency key of a request.
 *
 * @returns undefined if the caller sent none: then each request is a new one.
 * @throws {HttpError} 400 for a key that is too short to be unique, or too long.
 */
export function idempotencyKeyOf({ headers }: Pick<Request, 'headers'>): string | undefined {
  const key = headers.get(IDEMPOTENCY_HEADER);
  if (key === null) return undefined;
  if (idempotencyKey.safeParse(key).success) return key;
  const detail = 'has to have 8 to 100 printable characters without spaces';
  throw new HttpError(400, 'invalid', `The header Idempotency-Key ${detail}.`, {}, [
    { field: 'Idempotency-Key', detail },
  ]);
}

/**
 * Bytes derived from a key. A repeated request has the same bytes, so an id made of them is that of the first
 * attempt, and a condition on the id finds what it wrote. Without the secret they cannot be guessed.
 *
 * @param secret - of the application.
 * @param parts - further input: the caller, and the subject of the request.
 * @returns 32 bytes.
 */
export function bytesFrom(secret: string, parts: readonly string[]): Buffer {
  return createHmac('sha256', secret).update(JSON.stringify(parts)).digest();
}
