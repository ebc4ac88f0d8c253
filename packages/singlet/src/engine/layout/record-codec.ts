import { StorageError } from '../../storage/storage-error.ts';
import type { StoreWrite } from '../../storage/store.ts';
import { damagedValue } from './damaged-value.ts';
import { checkedHeaderBytes, isIntact, sealValue } from './value-checksum.ts';

/*
 * Records are what the engine stores besides items: tables, streams, backups, leases and so on. A record is an object with
 * a format number, stored as
 *
 *     | 2 | checksum 4 (`value-checksum.ts`) | JSON text, UTF-8 |
 *
 * Before there were checksums, the text was stored alone. That form is still read: no text begins with a byte of 2.
 */
const envelopeFormat = 2;
const openBrace = 0x7b;

/** The stored form of one kind of record. */
export class RecordCodec<T extends { readonly format?: number }> {
  readonly #format: number;
  readonly #nameOf: (record: T) => string;

  /**
   * @param format - the number that records of this kind carry; any other is refused. A record without one counts as 1.
   * @param nameOf - how errors name a record, at the beginning of a sentence. A record of an unknown format may lack members.
   */
  constructor(format: number, nameOf: (record: T) => string) {
    this.#format = format;
    this.#nameOf = nameOf;
  }

  encode(key: Uint8Array, record: T): Buffer {
    const text = JSON.stringify(record);
    const value = Buffer.allocUnsafe(checkedHeaderBytes + Buffer.byteLength(text, 'utf8'));
    value.write(text, checkedHeaderBytes, 'utf8');
    return sealValue(key, envelopeFormat, value);
  }

  /** The write that stores a record under a key. */
  write(key: Uint8Array, record: T): StoreWrite {
    return { key, value: this.encode(key, record) };
  }

  /**
   * @param key - of the record.
   * @throws {StorageError} `damaged` if it is not what was stored there, `format` if another version of Singlet wrote it.
   */
  decode(key: Uint8Array, value: Uint8Array): T {
    // The codec of a kind wrote everything under its keys; the format number guards what the type promises.
    const record = parse(key, recordText(key, value)) as T;
    const format = record.format ?? 1;
    if (format !== this.#format) {
      throw new StorageError(
        'format',
        `${this.#nameOf(record)} is stored in format ${format}, and this version of Singlet reads format ${this.#format}. Use the version that wrote it, or a newer one.`,
      );
    }
    return record;
  }
}

function parse(key: Uint8Array, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw damagedValue(key, { cause: error }); // only a record without a checksum gets here
  }
}

/**
 * The text of a record of any kind.
 *
 * @throws {StorageError} `damaged` if the value is not what was stored under `key`.
 */
export function recordText(key: Uint8Array, value: Uint8Array): string {
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  if (bytes[0] === openBrace) return bytes.toString('utf8');
  if (bytes[0] !== envelopeFormat || !isIntact(key, bytes)) throw damagedValue(key);
  return bytes.toString('utf8', checkedHeaderBytes);
}
