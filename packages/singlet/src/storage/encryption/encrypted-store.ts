import { assertKey } from '../caller-checks.ts';
import type {
  CheckpointLag,
  Decision,
  RangeEnd,
  RangeRequest,
  RangeVisitor,
  Store,
  StoreManifest,
  StoreValue,
} from '../store.ts';
import type { ValueCipher } from './value-cipher.ts';

export interface EncryptedStoreOptions {
  readonly cipher: ValueCipher;
  /**
   * What to do with a value that cannot be decrypted. `refuse`: the call fails. `hand-out`: the stored bytes are returned, for a caller
   * that checks values one by one and finds by the checksum that they are damaged.
   */
  readonly unreadable?: 'refuse' | 'hand-out';
}

/**
 * A store whose driver sees encrypted values only: in its files, in its log, and in copies of both. Keys are not encrypted, because a driver
 * orders them. So the values of attributes that are keys of tables and indexes are in the files in plain text.
 *
 * Closing it closes the store inside. Decision 0069 says why.
 */
export function encryptedStore(inner: Store, options: EncryptedStoreOptions): Store {
  return new EncryptedStore(inner, options);
}

class EncryptedStore implements Store {
  readonly manifest: StoreManifest;
  readonly #inner: Store;
  readonly #cipher: ValueCipher;
  readonly #handsOut: boolean;

  constructor(inner: Store, { cipher, unreadable }: EncryptedStoreOptions) {
    this.manifest = { ...inner.manifest, atRest: 'encrypted' };
    this.#inner = inner;
    this.#cipher = cipher;
    this.#handsOut = unreadable === 'hand-out';
  }

  read<T>(keys: readonly Uint8Array[], body: (values: readonly StoreValue[]) => T): T | Promise<T> {
    return this.#inner.read(keys, (values) => body(this.#openAll(keys, values)));
  }

  range(request: RangeRequest, visit: RangeVisitor): RangeEnd | Promise<RangeEnd> {
    const { guard } = request;
    const opened = guard && {
      ...guard,
      check: (values: readonly StoreValue[]) => guard.check(this.#openAll(guard.keys, values)),
    };
    return this.#inner.range({ ...request, ...(opened && { guard: opened }) }, (key, value) =>
      visit(key, this.#open(key, value)),
    );
  }

  write<T>(keys: readonly Uint8Array[], decide: (values: readonly StoreValue[]) => Decision<T>): Promise<T> {
    return this.#inner.write(keys, (values) => {
      const { answer, writes } = decide(this.#openAll(keys, values));
      return {
        answer,
        writes: writes.map(({ key, value }) => {
          assertKey(key, this.manifest.keyBytesMax);
          return { key, value: value && this.#cipher.seal(key, value) };
        }),
      };
    });
  }

  checkpointLag(): CheckpointLag {
    return this.#inner.checkpointLag?.() ?? { bytes: 0, ageMs: 0 };
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  #openAll(keys: readonly Uint8Array[], values: readonly StoreValue[]): readonly StoreValue[] {
    return keys.map((key, at) => {
      const value = values[at];
      return value && this.#open(key, value);
    });
  }

  #open(key: Uint8Array, value: Uint8Array): Uint8Array {
    if (!this.#handsOut) return this.#cipher.open(key, value);
    try {
      return this.#cipher.open(key, value);
    } catch {
      return value;
    }
  }
}
