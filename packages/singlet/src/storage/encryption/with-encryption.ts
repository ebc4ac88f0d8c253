import { StorageError } from '../storage-error.ts';
import { partitionPrefixBytes, type Store } from '../store.ts';
import { encryptedStore, type EncryptedStoreOptions } from './encrypted-store.ts';
import { KeyRing } from './key-ring.ts';
import { ValueCipher } from './value-cipher.ts';
import type { WrappingKey } from './wrapping-keys.ts';

/** Where the data keys are in the store, encrypted: in a space that no table is given. Every copy of the data has them. */
export const keyRingKey: Uint8Array = Buffer.alloc(partitionPrefixBytes, 0xff);

/**
 * The store as the engine is to use it: encrypted when it is already, or is to be because it is empty and there are keys.
 *
 * @throws {StorageError} `open` when it is encrypted and there are no keys, or others, and when there is data that is not encrypted;
 *   `damaged` when its data keys are. The store is open still.
 */
export async function withEncryption(
  store: Store,
  wrappingKeys: readonly WrappingKey[] | undefined,
  options: Omit<EncryptedStoreOptions, 'cipher'> = {},
): Promise<Store> {
  const ring = (await storedRing(store)) ?? (wrappingKeys && (await newRing(store, wrappingKeys)));
  return ring === undefined ? store : encryptedStore(store, { ...options, cipher: cipherOf(ring, wrappingKeys) });
}

/** What decrypts the values of a store whose ring this is. @throws {StorageError} as {@link withEncryption}. */
export function cipherOf(ring: Uint8Array, wrappingKeys: readonly WrappingKey[] | undefined): ValueCipher {
  if (wrappingKeys === undefined) {
    throw new StorageError('open', 'The data is encrypted: name the file with its encryption key (--encryption-key).');
  }
  return new ValueCipher(KeyRing.unwrap(Buffer.from(ring).toString('utf8'), wrappingKeys));
}

/**
 * Adds a data key, under which everything is encrypted from now on, and wraps all with the first of the keys. No other process may use the
 * store: it would continue with the keys that it knows, and could not read what is written under the new one.
 *
 * @throws {StorageError} `open` when the data is not encrypted, or with other keys.
 */
export async function rotateKeys(
  store: Store,
  wrappingKeys: readonly WrappingKey[],
): Promise<{ readonly wrappedBy: string; readonly dataKeyCount: number }> {
  const present = await storedRing(store);
  const [first] = wrappingKeys;
  if (present === undefined || first === undefined) throw new StorageError('open', 'The data is not encrypted.');
  const ring = KeyRing.unwrap(present.toString('utf8'), wrappingKeys).rotated(first);
  const value = Buffer.from(ring.toText(first), 'utf8');
  await store.write([keyRingKey], () => ({ answer: undefined, writes: [{ key: keyRingKey, value }] }));
  return { wrappedBy: ring.wrappedBy, dataKeyCount: ring.newestEpoch + 1 };
}

async function storedRing(store: Store): Promise<Buffer | undefined> {
  return store.read([keyRingKey], ([value]) => value && Buffer.from(value));
}

async function newRing(store: Store, wrappingKeys: readonly WrappingKey[]): Promise<Buffer | undefined> {
  const [first] = wrappingKeys;
  if (first === undefined) return undefined;
  if (!(await isEmpty(store))) {
    // Another process may have begun in the meantime.
    const ring = await storedRing(store);
    if (ring !== undefined) return ring;
    throw new StorageError(
      'open',
      'The data is not encrypted. Encryption begins with an empty directory: export the tables, and import them into a new one.',
    );
  }
  const created = Buffer.from(KeyRing.create(first).toText(first), 'utf8');
  // Of several processes that come first, one makes the ring of all.
  return store.write([keyRingKey], ([present]) =>
    present === undefined
      ? { answer: created, writes: [{ key: keyRingKey, value: created }] }
      : { answer: Buffer.from(present), writes: [] },
  );
}

async function isEmpty(store: Store): Promise<boolean> {
  let hasEntries = false;
  await store.range({ from: new Uint8Array(0), to: keyRingKey, limit: 1 }, () => {
    hasEntries = true;
    return false;
  });
  return !hasEntries;
}
