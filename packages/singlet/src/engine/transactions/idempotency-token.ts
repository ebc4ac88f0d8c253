import * as crypto from 'node:crypto';
import { StorageError } from '../../storage/storage-error.ts';
import type { Store, StoreValue, StoreWrite } from '../../storage/store.ts';
import { IdempotentParameterMismatchException } from '../../values/service-error.ts';
import type { RequestContext } from '../environment.ts';
import { textHash } from '../layout/partition-hash.ts';
import { restOf, space, storeKey } from '../layout/spaces.ts';

/*
 * Stored under a token: | format 1 | expiry 8 (double, epoch ms) | digest of the request 32 | item sizes 4 each |
 * and, so that the expired can be found, an empty entry under its expiry.
 */
const formatVersion = 1;
const digestBytes = 32;
const headerBytes: number = 1 + 8 + digestBytes;

/** A transaction's client request token: makes the same request, sent again within its validity, do nothing. */
export class IdempotencyToken {
  readonly key: Buffer;
  readonly #hash: Uint8Array;
  readonly #digest: Buffer;
  readonly #nowMs: number;
  readonly #expiresAtMs: number;

  constructor(
    context: RequestContext,
    clientRequestToken: string,
    request: unknown,
    { nowMs, validMs }: { readonly nowMs: number; readonly validMs: number },
  ) {
    this.#hash = textHash(context.accountId, context.region, clientRequestToken);
    this.key = storeKey(space.idempotency, this.#hash);
    this.#digest = crypto.createHash('sha256').update(JSON.stringify(request)).digest();
    this.#nowMs = nowMs;
    this.#expiresAtMs = nowMs + validMs;
  }

  /**
   * What is stored under the token, if it is still valid: the sizes of the items that the request was carried out on, bytes.
   *
   * @throws {IdempotentParameterMismatchException} when it was used for another request.
   */
  check(stored: StoreValue): readonly number[] | undefined {
    if (stored === undefined) return undefined;
    const bytes = Buffer.from(stored.buffer, stored.byteOffset, stored.byteLength);
    if (bytes[0] !== formatVersion) {
      throw new StorageError('format', `A client token is stored in the unknown format ${String(bytes[0])}.`);
    }
    if (bytes.readDoubleBE(1) <= this.#nowMs) return undefined;
    if (!bytes.subarray(9, headerBytes).equals(this.#digest)) throw new IdempotentParameterMismatchException();
    const sizes: number[] = [];
    for (let offset = headerBytes; offset < bytes.length; offset += 4) sizes.push(bytes.readUInt32BE(offset));
    return sizes;
  }

  /** The writes that keep the token, in the decision that carries the request out. */
  remember(sizesBytes: readonly number[]): readonly StoreWrite[] {
    const value = Buffer.allocUnsafe(headerBytes + 4 * sizesBytes.length);
    value[0] = formatVersion;
    value.writeDoubleBE(this.#expiresAtMs, 1);
    this.#digest.copy(value, 9);
    sizesBytes.forEach((size, at) => value.writeUInt32BE(size, headerBytes + 4 * at));
    return [
      { key: this.key, value },
      { key: expiryKey(this.#expiresAtMs, this.#hash), value: Buffer.alloc(0) },
    ];
  }
}

/** How many expired tokens one decision removes. */
const sweepBatchCount = 100;

/** Removes the tokens that are no longer valid. @returns how many there were. */
export async function sweepIdempotencyTokens(store: Store, nowMs: number): Promise<number> {
  for (let swept = 0; ;) {
    const expired: Buffer[] = [];
    await store.range({ from: expiryKey(0), to: expiryKey(nowMs), limit: sweepBatchCount }, (key) => {
      expired.push(Buffer.from(key));
      return true;
    });
    if (expired.length === 0) return swept;
    const tokenKeys = expired.map((key) => storeKey(space.idempotency, restOf(key).subarray(8)));
    await store.write(tokenKeys, (values) => ({
      answer: undefined,
      writes: [
        ...expired.map((key) => ({ key, value: undefined })),
        // A token may have been used again after it ran out: then it is not the expired one that is stored.
        ...tokenKeys.filter((_key, at) => isExpired(values[at], nowMs)).map((key) => ({ key, value: undefined })),
      ],
    }));
    swept += expired.length;
  }
}

function isExpired(stored: StoreValue, nowMs: number): boolean {
  return stored !== undefined && new DataView(stored.buffer, stored.byteOffset).getFloat64(1) <= nowMs;
}

/** Positive doubles sort as bytes the way they sort as numbers. */
function expiryKey(expiresAtMs: number, hash: Uint8Array = new Uint8Array()): Buffer {
  const expiry = Buffer.allocUnsafe(8);
  expiry.writeDoubleBE(expiresAtMs, 0);
  return storeKey(space.tokenExpiry, undefined, expiry, hash);
}
