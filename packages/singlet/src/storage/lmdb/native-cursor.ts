import { keyBytesMax } from './key-bytes-max.ts';
import type { KeptCursor, LmdbRangeOptions, LmdbReadTransaction } from './lmdb-package.ts';

/** The part of the package's native code that its own ranges use. Addresses are those of native objects and of memory. */
export interface NativeCursors {
  readonly Cursor: new (
    database: object,
    transactionAddress: number,
  ) => { readonly address: number; readonly close: () => void };
  /** Moves to the first entry of a range. @returns as `iterate`. */
  position(cursor: number, flags: number, offset: number, keyBytes: number, endAddress: number): number;
  /** Moves to the next entry. @returns the length of its key; 0 after the last entry; an error if negative. */
  iterate(cursor: number): number;
  getAddress(memory: ArrayBufferLike): number;
  /** Throws the error of a number. */
  lmdbError(code: number): never;
  /** Where values are copied to, up to 16 MB. */
  readonly globalBuffer: Uint8Array;
}

const withValues = 0x100;
const reversed = 0x400;
/** Takes the snapshot of the environment's read transaction, which begins one if it has none. */
const renewed = 0x2000;
const endInclusive = 0x8000;
const startExclusive = 0x10000;

/** The code of an entry that is not found. */
const notFound = -30_798;

/** Where the native code puts the key of an entry in the buffer of keys. Before it are the length of the value, and the number of a shared buffer. */
const keyOffset = 32;

/**
 * Reads ranges with a single cursor of the package's native code.
 *
 * The package's own ranges (`getRange`) make a cursor for each range, and two objects for each entry. V8 keeps a native object with properties until
 * all memory is collected, however short its use was, and a tenth of a query went into such collections. This is the fast path of `getRange`: it
 * makes the same native calls, and visits the same entries (`native-cursor.test.ts`). Simulations have no native code and use `getRange`.
 *
 * Decision 0147 says why.
 */
class NativeCursor implements KeptCursor {
  readonly #native: NativeCursors;
  readonly #cursor: { readonly address: number; readonly close: () => void };
  readonly #address: number;
  readonly #keyBuffer: Uint8Array;
  /** Length of the value, and the number of the shared buffer that it is in; 0 if there is none. */
  readonly #sizes: Uint32Array;
  /** Length of the end, and the end. The native code reads it until the next range begins. */
  readonly #end: Uint8Array = new Uint8Array(new ArrayBuffer(4 + keyBytesMax + 1));
  readonly #endLength = new Uint32Array(this.#end.buffer, 0, 1);
  readonly #endAddress: number;
  #range: LmdbRangeOptions | undefined;
  #key: Uint8Array = new Uint8Array();
  #value: Uint8Array = new Uint8Array();

  constructor(native: NativeCursors, database: object, transaction: LmdbReadTransaction, keyBuffer: Uint8Array) {
    this.#native = native;
    this.#cursor = new native.Cursor(database, transaction.address);
    this.#address = this.#cursor.address;
    this.#keyBuffer = keyBuffer;
    this.#sizes = new Uint32Array(keyBuffer.buffer, keyBuffer.byteOffset, 2);
    this.#endAddress = native.getAddress(this.#end.buffer);
  }

  get key(): Uint8Array {
    return this.#key;
  }

  get value(): Uint8Array {
    return this.#value;
  }

  begin(range: LmdbRangeOptions): void {
    this.#range = range;
  }

  next(): boolean {
    const range = this.#range;
    this.#range = undefined;
    const keyLength = range === undefined ? this.#native.iterate(this.#address) : this.#position(range);
    if (keyLength <= 0) {
      if (keyLength < 0 && keyLength !== notFound) this.#native.lmdbError(keyLength);
      return false;
    }
    const valueLength = this.#sizes[0] as number; // there are two
    if (this.#sizes[1] !== 0) throw new Error('a value is longer than the driver writes');
    // Entries of a range often have the same lengths. Making a view costs more than reading.
    if (this.#key.length !== keyLength) this.#key = viewOfPart(this.#keyBuffer, keyOffset, keyLength);
    if (this.#value.length !== valueLength) this.#value = viewOfPart(this.#native.globalBuffer, 0, valueLength);
    return true;
  }

  close(): void {
    this.#cursor.close();
  }

  #position({ start, end, reverse, exclusiveStart, inclusiveEnd }: LmdbRangeOptions): number {
    this.#endLength[0] = end.length;
    this.#end.set(end, 4);
    this.#keyBuffer.set(start, 0);
    const flags =
      withValues |
      renewed |
      (reverse ? reversed : 0) |
      (inclusiveEnd ? endInclusive : 0) |
      (exclusiveStart ? startExclusive : 0);
    return this.#native.position(this.#address, flags, 0, start.length, this.#endAddress);
  }
}

function viewOfPart({ buffer, byteOffset }: Uint8Array, start: number, length: number): Uint8Array {
  return new Uint8Array(buffer, byteOffset + start, length);
}

/**
 * How cursors of a database are opened; undefined where the native code of the package is not as expected.
 *
 * @param keyBufferOf - returns the buffer through which the package passes keys.
 */
export function nativeCursorOf<File extends object>(
  native: Partial<NativeCursors>,
  file: File,
  keyBufferOf: (file: File, transaction: LmdbReadTransaction) => Uint8Array | undefined,
): ((transaction: LmdbReadTransaction) => KeptCursor) | undefined {
  const database = (file as { readonly db?: object }).db;
  if (!isComplete(native) || database === undefined) return undefined;
  return (transaction) => {
    const keyBuffer = keyBufferOf(file, transaction);
    if (keyBuffer === undefined) throw new Error('the package has no buffer for keys');
    return new NativeCursor(native, database, transaction, keyBuffer);
  };
}

function isComplete(native: Partial<NativeCursors>): native is NativeCursors {
  const functions = [native.Cursor, native.position, native.iterate, native.getAddress, native.lmdbError];
  return functions.every((each) => typeof each === 'function') && native.globalBuffer instanceof Uint8Array;
}
