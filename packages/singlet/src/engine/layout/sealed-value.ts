import { DamagedValueError } from './damaged-value.ts';
import { checkedHeaderBytes, isIntact, sealValue } from './value-checksum.ts';

/*
 * Small numeric values (counts, heads, sizes) are stored as
 *
 *     | 2 | checksum 4 | content |
 *
 * Their checksum is combined with what they are and not with their keys, because decisions pass them on without keys. Where such
 * a value was once stored without a checksum, its first byte or its length reveals that, and it is still read.
 */
const sealedFormat = 2;

/** One kind of small value. */
export class SealedKind {
  readonly #subject: string;
  readonly #seed: Uint8Array;

  /** @param subject - how errors name such a value: "The size of an item collection". */
  constructor(subject: string) {
    this.#subject = subject;
    this.#seed = Buffer.from(subject, 'utf8');
  }

  /** A value with room for `contentBytes` from {@link checkedHeaderBytes} on, to be sealed once they are written. */
  allocate(contentBytes: number): Buffer {
    return Buffer.allocUnsafe(checkedHeaderBytes + contentBytes);
  }

  seal(value: Buffer): Buffer {
    return sealValue(this.#seed, sealedFormat, value);
  }

  /**
   * The content of a value, which shares its memory.
   *
   * @param isOlder - whether a value looks like one without a checksum; `olderOffset` is where its content begins.
   * @throws {StorageError} `damaged`.
   */
  open(value: Uint8Array, isOlder: (value: Uint8Array) => boolean, olderOffset: number): DataView {
    const isSealed = value[0] === sealedFormat && isIntact(this.#seed, value);
    if (!isSealed && !isOlder(value)) throw new DamagedValueError(this.#subject, undefined);
    const offset = isSealed ? checkedHeaderBytes : olderOffset;
    return new DataView(value.buffer, value.byteOffset + offset, value.byteLength - offset);
  }

  /** A value that holds one number. */
  number(content: number): Buffer {
    const value = this.allocate(8);
    value.writeDoubleBE(content, checkedHeaderBytes);
    return this.seal(value);
  }
}

export { checkedHeaderBytes };
