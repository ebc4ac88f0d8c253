import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import { assert } from '../../values/assert.ts';
import { BoundedMap } from '../bounded-map.ts';
import type { CredentialScope } from './credential-scope.ts';

/** Bytes of a block of SHA-256, and of its output in hexadecimal. */
const blockBytes = 64;
const hashLength = 64;
const dateLength = '20261120T120000Z'.length;

/** The two signatures that are compared, in hexadecimal. */
const compared = Buffer.alloc(2 * hashLength);
const expected = compared.subarray(0, hashLength);
const given = compared.subarray(hashLength);

/**
 * The key of a signature, valid for one day, region and service.
 *
 * HMAC is two hashes (RFC 2104). Computed with `crypto.hash`, they take a third of the time of `createHmac`, which creates a stream for each.
 * The hashed text is the same for all requests except for the time and the hash of the request, which are written into it.
 */
export class SigningKey {
  /** The inner block, followed by the string to sign. */
  readonly #inner: Buffer;
  readonly #outer: Buffer = Buffer.alloc(blockBytes + hashLength / 2, 0x5c);
  /** The date in the inner block. Requests of the same second have the same one. */
  #date = '';
  readonly #dateAt: number;
  readonly #hashAt: number;

  /**
   * @param key - at most as long as a block.
   * @param scope - `20261120/eu-west-1/dynamodb/aws4_request`.
   */
  constructor(key: Buffer, scope: string) {
    const start = `${signatureAlgorithm}\n`;
    const text = `${start}${'0'.repeat(dateLength)}\n${scope}\n${'0'.repeat(hashLength)}`;
    this.#inner = Buffer.concat([Buffer.alloc(blockBytes, 0x36), Buffer.from(text, 'utf8')]);
    this.#dateAt = blockBytes + start.length;
    this.#hashAt = this.#inner.length - hashLength;
    for (const [at, byte] of key.entries()) {
      this.#inner[at] = 0x36 ^ byte;
      this.#outer[at] = 0x5c ^ byte;
    }
  }

  /** Whether a signature is that of a request, compared in constant time. */
  hasSigned(date: string, requestHash: string, signature: string): boolean {
    if (signature.length !== hashLength) return false;
    // In UTF-8 only the hexadecimal digits themselves become their bytes. In Latin-1 other characters with the same low byte would, too.
    compared.write(this.sign(date, requestHash) + signature, 0, compared.length, 'utf8');
    return timingSafeEqual(expected, given);
  }

  /**
   * HMAC-SHA256 of the string to sign, in hexadecimal.
   *
   * @param date - `20261120T120000Z`.
   * @param requestHash - SHA-256 of the canonical request, in hexadecimal.
   */
  sign(date: string, requestHash: string): string {
    assert(date.length === dateLength, 'the time of a signature is in the basic form');
    assert(requestHash.length === hashLength, 'the hash of a request is that of SHA-256, in hexadecimal');
    if (date !== this.#date) this.#inner.write(date, this.#dateAt, dateLength, 'latin1');
    this.#date = date;
    this.#inner.write(requestHash, this.#hashAt, hashLength, 'latin1');
    this.#outer.write(hash('sha256', this.#inner, 'binary'), blockBytes, 'latin1');
    return hash('sha256', this.#outer, 'hex');
  }
}

/** The algorithm of Signature Version 4. */
export const signatureAlgorithm = 'AWS4-HMAC-SHA256';

interface KeptKey {
  readonly secret: string;
  readonly key: SigningKey;
}

/** The maximum number of keys that are kept: one for each access key, day, region and service. */
const keysMax = 1024;

/**
 * Signing keys, derived from secret keys. Deriving one takes longer than the rest of a request, and it is valid for a day.
 *
 * A key is kept together with its secret, so a changed secret takes effect at once.
 */
export class SigningKeys {
  readonly #kept: BoundedMap<string, KeptKey> = new BoundedMap(keysMax);

  /** The key for a scope, from the cache or newly derived. */
  of(credential: string, scope: CredentialScope, secret: string): SigningKey {
    const kept = this.#kept.get(credential);
    return kept !== undefined && kept.secret === secret ? kept.key : signingKey(secret, scope);
  }

  /** Keeps a key after it has verified a signature. Otherwise keys of wrong signatures would displace others. */
  keep(credential: string, secret: string, key: SigningKey): void {
    if (this.#kept.get(credential)?.key !== key) this.#kept.set(credential, { secret, key });
  }
}

function signingKey(secret: string, { date, region, service, text }: CredentialScope): SigningKey {
  const ofDate = hmac(`AWS4${secret}`, date);
  return new SigningKey(hmac(hmac(hmac(ofDate, region), service), 'aws4_request'), text);
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text, 'utf8').digest();
}
