import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { StorageError } from '../storage-error.ts';
import { keyBytes, type WrappingKey } from './wrapping-keys.ts';

const ringFormat = 1;
const cipherName = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

/** Every rotation adds a data key. The number of each is stored in two bytes. */
const epochsMax = 0xffff;

/**
 * The data keys of a store. Each value is encrypted under the newest key and names it. A rotation adds a key, and older values
 * stay readable.
 *
 * Stored, they are encrypted with a wrapping key:
 *
 *     {"format":1,"kind":"singlet-data-keys","wrappedBy":"…","dataKeys":["nonce 12 | key 32 | tag 16, as base64",…]}
 */
export class KeyRing {
  readonly wrappedBy: string;
  /** By epoch, which counts from 0. */
  readonly #dataKeys: readonly KeyObject[];

  private constructor(wrappedBy: string, dataKeys: readonly KeyObject[]) {
    this.wrappedBy = wrappedBy;
    this.#dataKeys = dataKeys;
  }

  /** A ring with one data key, for a store without data. */
  static create(wrappingKey: WrappingKey): KeyRing {
    return new KeyRing(wrappingKey.id, [newDataKey()]);
  }

  /**
   * Decrypts a stored ring.
   *
   * @throws {StorageError} `open` when none of the wrapping keys matches, `damaged` when the text is not as it was written, `format`
   *   when it is newer.
   */
  static unwrap(text: string, wrappingKeys: readonly WrappingKey[]): KeyRing {
    const { wrappedBy, wrapped } = parseRing(text);
    const wrappingKey = wrappingKeys.find(({ id }) => id === wrappedBy);
    if (wrappingKey === undefined) {
      const given = wrappingKeys.map(({ id }) => id).join(', ');
      throw new StorageError(
        'open',
        `The data keys are encrypted with the key ${wrappedBy}, and the file of encryption keys has ${given}: use the file that this data was written with.`,
      );
    }
    return new KeyRing(
      wrappedBy,
      wrapped.map((entry, epoch) => unwrapKey(entry, epoch, wrappingKey)),
    );
  }

  /** The same data keys and a new one, to be wrapped with another key, or the same. @throws {StorageError} `io` when there are too many. */
  rotated(wrappingKey: WrappingKey): KeyRing {
    if (this.#dataKeys.length >= epochsMax) throw new StorageError('io', `There are ${epochsMax} data keys already.`);
    return new KeyRing(wrappingKey.id, [...this.#dataKeys, newDataKey()]);
  }

  get newestEpoch(): number {
    return this.#dataKeys.length - 1;
  }

  dataKey(epoch: number): KeyObject | undefined {
    return this.#dataKeys[epoch];
  }

  /** @param wrappingKey - the one that the ring was made for. */
  toText(wrappingKey: WrappingKey): string {
    const dataKeys = this.#dataKeys.map((key, epoch) => wrapKey(key, epoch, wrappingKey).toString('base64'));
    return `${JSON.stringify({ format: ringFormat, kind: 'singlet-data-keys', wrappedBy: wrappingKey.id, dataKeys })}\n`;
  }
}

function newDataKey(): KeyObject {
  return createSecretKey(randomBytes(keyBytes));
}

/** Binds a wrapped key to its position, so that swapping two keys of a ring is detected. */
function placeOf(epoch: number): Buffer {
  return Buffer.from(`singlet data key ${epoch}`, 'utf8');
}

function wrapKey(dataKey: KeyObject, epoch: number, { secret }: WrappingKey): Buffer {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(cipherName, secret, nonce).setAAD(placeOf(epoch));
  return Buffer.concat([nonce, cipher.update(dataKey.export()), cipher.final(), cipher.getAuthTag()]);
}

function unwrapKey(entry: string, epoch: number, { secret }: WrappingKey): KeyObject {
  const bytes = Buffer.from(entry, 'base64');
  if (bytes.length !== nonceBytes + keyBytes + tagBytes) throw damagedRing();
  const nonce = bytes.subarray(0, nonceBytes);
  const decipher = createDecipheriv(cipherName, secret, nonce, { authTagLength: tagBytes })
    .setAAD(placeOf(epoch))
    .setAuthTag(bytes.subarray(nonceBytes + keyBytes));
  try {
    const key = Buffer.concat([decipher.update(bytes.subarray(nonceBytes, nonceBytes + keyBytes)), decipher.final()]);
    return createSecretKey(key);
  } catch (error) {
    throw damagedRing(error);
  }
}

function parseRing(text: string): { readonly wrappedBy: string; readonly wrapped: readonly string[] } {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    throw damagedRing(error);
  }
  const fields: Readonly<Record<string, unknown>> = typeof parsed === 'object' && parsed !== null ? { ...parsed } : {};
  const { format, kind, wrappedBy, dataKeys } = fields;
  if (kind !== 'singlet-data-keys' || typeof format !== 'number') throw damagedRing();
  if (format > ringFormat) {
    throw new StorageError(
      'format',
      `The data keys have format ${format}, and this version of Singlet reads format ${ringFormat}: open the data with the version that wrote it.`,
    );
  }
  if (typeof wrappedBy !== 'string' || !Array.isArray(dataKeys) || dataKeys.length === 0) throw damagedRing();
  return { wrappedBy, wrapped: dataKeys.map(String) };
}

function damagedRing(cause?: unknown): StorageError {
  return new StorageError(
    'damaged',
    'The stored ring of data keys is damaged: restore a backup. Without it nothing that is encrypted with its keys can be read.',
    { cause },
  );
}
