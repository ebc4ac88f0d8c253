import type { Store, StoreValue, StoreWrite } from '../../storage/store.ts';
import { IdempotentParameterMismatchException } from '../../values/service-error.ts';
import type { RequestContext } from '../environment.ts';
import { textDigest, textHash } from '../layout/partition-hash.ts';
import { checkedHeaderBytes, SealedKind } from '../layout/sealed-value.ts';
import { restOf, space, storeKey } from '../layout/spaces.ts';

/*
 * Stored under a token, sealed (before there were checksums, after a byte of 1):
 * | expiry 8 (double, epoch ms) | digest of the request 32 | item sizes 4 each |
 * and an empty entry under its expiry, by which expired tokens are found.
 */
const tokens = new SealedKind('A client token');
const digestBytes = 32;
const headerBytes: number = 8 + digestBytes;

/** A transaction's client request token: a request that is sent again within the token's validity changes nothing. */
export class IdempotencyToken {
  readonly key: Buffer;
  readonly #hash: Uint8Array;
  readonly #digest: Buffer;
  readonly #nowMs: number;
  readonly #expiresAtMs: number;

  /** @param requestText - the request's JSON text, the same for equal requests. */
  constructor(
    context: RequestContext,
    clientRequestToken: string,
    requestText: string,
    { nowMs, validMs }: { readonly nowMs: number; readonly validMs: number },
  ) {
    this.#hash = textHash(context.accountId, context.region, clientRequestToken);
    this.key = storeKey(space.idempotency, this.#hash);
    this.#digest = textDigest(requestText);
    this.#nowMs = nowMs;
    this.#expiresAtMs = nowMs + validMs;
  }

  /**
   * What is stored under the token, if it is still valid: the sizes of the items that the request read or wrote, bytes.
   *
   * @throws {IdempotentParameterMismatchException} if it was used for another request.
   */
  check(stored: StoreValue): readonly number[] | undefined {
    if (stored === undefined) return undefined;
    const content = contentOf(stored);
    const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
    if (bytes.readDoubleBE(0) <= this.#nowMs) return undefined;
    if (!bytes.subarray(8, headerBytes).equals(this.#digest)) throw new IdempotentParameterMismatchException();
    const sizes: number[] = [];
    for (let offset = headerBytes; offset < bytes.length; offset += 4) sizes.push(bytes.readUInt32BE(offset));
    return sizes;
  }

  /** The writes that store the token, in the decision that executes the request. */
  remember(sizesBytes: readonly number[]): readonly StoreWrite[] {
    const value = tokens.allocate(headerBytes + 4 * sizesBytes.length);
    const content = value.subarray(checkedHeaderBytes);
    content.writeDoubleBE(this.#expiresAtMs, 0);
    this.#digest.copy(content, 8);
    sizesBytes.forEach((size, at) => content.writeUInt32BE(size, headerBytes + 4 * at));
    return [
      { key: this.key, value: tokens.seal(value) },
      { key: expiryKey(this.#expiresAtMs, this.#hash), value: Buffer.alloc(0) },
    ];
  }
}

/** How many expired tokens one decision removes. */
const sweepBatchCount = 100;

/** Removes expired tokens. @returns how many there were. */
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
        // A token may have been used again after it expired; then the stored one is not the expired one.
        ...tokenKeys.filter((_key, at) => isExpired(values[at], nowMs)).map((key) => ({ key, value: undefined })),
      ],
    }));
    swept += expired.length;
  }
}

function isExpired(stored: StoreValue, nowMs: number): boolean {
  return stored !== undefined && contentOf(stored).getFloat64(0) <= nowMs;
}

/** @throws {StorageError} `damaged` if the stored token is damaged. */
function contentOf(stored: Uint8Array): DataView {
  return tokens.open(stored, (older) => older[0] === 1 && older.length > headerBytes, 1);
}

/** Positive doubles sort as bytes the way they sort as numbers. */
function expiryKey(expiresAtMs: number, hash: Uint8Array = new Uint8Array()): Buffer {
  const expiry = Buffer.allocUnsafe(8);
  expiry.writeDoubleBE(expiresAtMs, 0);
  return storeKey(space.tokenExpiry, undefined, expiry, hash);
}
