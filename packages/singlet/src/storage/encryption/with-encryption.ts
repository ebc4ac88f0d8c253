import { StorageError } from '../storage-error.ts';
import { partitionPrefixBytes, type Store } from '../store.ts';
import { encryptedStore, type EncryptedStoreOptions } from './encrypted-store.ts';
import { KeyRing } from './key-ring.ts';
import { ValueCipher } from './value-cipher.ts';
import type { WrappingKey } from './wrapping-keys.ts';

/** The key under which the store holds the data keys, encrypted. Its space is never given to a table, and every copy of the data has it. */
export const keyRingKey: Uint8Array = Buffer.alloc(partitionPrefixBytes, 0xff);

/**
 * The store for the engine to use: encrypted if it already is, or if it is empty and keys are given.
 *
 * @throws {StorageError} `open` when the store is encrypted and the keys are missing or do not match, and when it holds unencrypted data;
 *   `damaged` when its data keys are. The store is still open then.
 */
export async function withEncryption(
  store: Store,
  wrappingKeys: readonly WrappingKey[] | undefined,
  options: Omit<EncryptedStoreOptions, 'cipher'> = {},
): Promise<Store> {
  const ring = (await storedRing(store)) ?? (wrappingKeys && (await newRing(store, wrappingKeys)));
  return ring === undefined ? store : encryptedStore(store, { ...options, cipher: cipherOf(ring, wrappingKeys) });
}

/** The cipher for the values of a store with this ring. @throws {StorageError} as {@link withEncryption}. */
export function cipherOf(ring: Uint8Array, wrappingKeys: readonly WrappingKey[] | undefined): ValueCipher {
  if (wrappingKeys === undefined) {
    throw new StorageError('open', 'The data is encrypted: name the file with its encryption key (--encryption-key).');
  }
  return new ValueCipher(KeyRing.unwrap(Buffer.from(ring).toString('utf8'), wrappingKeys));
}

/**
 * Adds a data key, which encrypts everything from now on, and wraps all of them with the first of the keys. No other process may use the
 * store: it would continue with the keys it knows, and could not read values written under the new one.
 *
 * @throws {StorageError} `open` when the data is not encrypted, or is encrypted with other keys.
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
    // Another process may have started in the meantime.
    const ring = await storedRing(store);
    if (ring !== undefined) return ring;
    throw new StorageError(
      'open',
      'The data is not encrypted. Encryption begins with an empty directory: export the tables, and import them into a new one.',
    );
  }
  const created = Buffer.from(KeyRing.create(first).toText(first), 'utf8');
  // When several processes start at once, the first one makes the ring for all of them.
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
