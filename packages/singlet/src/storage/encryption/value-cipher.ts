import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto';
import { StorageError } from '../storage-error.ts';
import type { KeyRing } from './key-ring.ts';
import { keyBytes } from './wrapping-keys.ts';

const cipherName = 'aes-256-gcm';
const valueFormat = 1;
const saltBytes = 8;
const counterBytes = 6;
const epochAt = 1;
const saltAt = 3;
const counterAt: number = saltAt + saltBytes;
const headerBytes: number = counterAt + counterBytes;
const nonceBytes = 12;
const tagBytes = 16;

/** How many bytes longer an encrypted value is. */
export const sealedOverheadBytes: number = headerBytes + tagBytes;

/** How many derived keys are cached. The others are derived again when needed. */
const keptKeysMax = 20_000;

/**
 * Encrypts values, each bound to the key it is stored under: AES-256-GCM.
 *
 *     | 1 | epoch of the data key 2 | salt 8 | counter 6 | as long as the value | tag 16 |
 *
 * The key of a value is derived (HKDF-SHA-256) from three inputs: the data key; the space of the value, that is, its table, index or
 * stream; and the salt, which is random in each process. The counter is the nonce and is never used twice under such a key.
 * With random nonces, a busy table would need a new key every few days.
 */
export class ValueCipher {
  readonly #ring: KeyRing;
  readonly #salt: Buffer = randomBytes(saltBytes);
  readonly #saltText: string = this.#salt.toString('latin1');
  readonly #ownKeys = new Map<number, KeyObject>();
  readonly #otherKeys = new Map<string, KeyObject>();
  readonly #nonce: Buffer = Buffer.alloc(nonceBytes);
  #counter = 0;

  constructor(ring: KeyRing) {
    this.#ring = ring;
  }

  /** @param key - the key that the value is stored under: at least the space, 4 bytes. */
  seal(key: Uint8Array, value: Uint8Array): Buffer {
    const sealed = Buffer.allocUnsafe(headerBytes + value.length + tagBytes);
    this.#counter += 1;
    sealed[0] = valueFormat;
    sealed.writeUInt16BE(this.#ring.newestEpoch, epochAt);
    sealed.set(this.#salt, saltAt);
    // A process would have to write for ten thousand years to get here: a counter that is too large throws.
    sealed.writeUIntBE(this.#counter, counterAt, counterBytes);
    const cipher = createCipheriv(cipherName, this.#ownKey(spaceOf(key)), this.#nonceOf(sealed)).setAAD(key);
    sealed.set(cipher.update(value), headerBytes);
    cipher.final();
    sealed.set(cipher.getAuthTag(), headerBytes + value.length);
    return sealed;
  }

  /** @throws {StorageError} `damaged` when the bytes are not what was stored under this key. */
  open(key: Uint8Array, sealed: Uint8Array): Buffer {
    if (sealed.length < sealedOverheadBytes || sealed[0] !== valueFormat) throw damagedValue(key);
    const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.length);
    const derived = this.#keyOf(spaceOf(key), bytes);
    if (derived === undefined) throw damagedValue(key);
    const tagAt = bytes.length - tagBytes;
    const decipher = createDecipheriv(cipherName, derived, this.#nonceOf(bytes), { authTagLength: tagBytes })
      .setAAD(key)
      .setAuthTag(bytes.subarray(tagAt));
    const value = decipher.update(bytes.subarray(headerBytes, tagAt));
    try {
      decipher.final();
    } catch (error) {
      throw damagedValue(key, error);
    }
    return value;
  }

  /** Returns the same buffer every time: a cipher copies it. */
  #nonceOf(sealed: Buffer): Buffer {
    sealed.copy(this.#nonce, nonceBytes - counterBytes, counterAt, headerBytes);
    return this.#nonce;
  }

  #ownKey(space: number): KeyObject {
    let key = this.#ownKeys.get(space);
    if (key === undefined) {
      key = this.#derived(this.#ring.newestEpoch, this.#salt, space);
      // The newest key is in the ring.
      if (key === undefined) throw new TypeError('a ring has a key of its newest epoch');
      if (this.#ownKeys.size >= keptKeysMax) this.#ownKeys.clear();
      this.#ownKeys.set(space, key);
    }
    return key;
  }

  #keyOf(space: number, sealed: Buffer): KeyObject | undefined {
    const epoch = sealed.readUInt16BE(epochAt);
    const salt = sealed.toString('latin1', saltAt, counterAt);
    if (salt === this.#saltText && epoch === this.#ring.newestEpoch) return this.#ownKey(space);
    const name = `${epoch} ${space} ${salt}`;
    const known = this.#otherKeys.get(name);
    if (known !== undefined) return known;
    const key = this.#derived(epoch, sealed.subarray(saltAt, counterAt), space);
    if (key === undefined) return undefined;
    if (this.#otherKeys.size >= keptKeysMax) this.#otherKeys.clear();
    this.#otherKeys.set(name, key);
    return key;
  }

  #derived(epoch: number, salt: Buffer, space: number): KeyObject | undefined {
    const dataKey = this.#ring.dataKey(epoch);
    if (dataKey === undefined) return undefined;
    const bytes = hkdfSync('sha256', dataKey, salt, `singlet values of space ${space}`, keyBytes);
    return createSecretKey(Buffer.from(bytes));
  }
}

/** The space that a store key begins with, see `../store.ts`. */
function spaceOf(key: Uint8Array): number {
  return new DataView(key.buffer, key.byteOffset).getUint32(0);
}

function damagedValue(key: Uint8Array, cause?: unknown): StorageError {
  return new StorageError(
    'damaged',
    `A value of space ${spaceOf(key)} is not what was stored, or was encrypted with other keys: it cannot be decrypted.`,
    { cause },
  );
}
