import { StorageError } from '../storage-error.ts';
import { headOf } from './key-heads.ts';

/** The address of a record: the number of its slab, and the offset in units. Fits the integers that V8 keeps without an object. */
export type RecordAddress = number;

/** Records begin at multiples of this. */
const unitBytes = 16;
const unitBits = 14;
const unitMask = 2 ** unitBits - 1;

/** The size of slabs. The first ones are smaller, so that a small store takes little memory. */
const slabBytesMax = unitBytes * 2 ** unitBits;
const slabBytesMin = 16 * 1024;

/** A record that is larger gets a slab of its own. */
const sharedBytesMax = slabBytesMax / 4;

/** 32 GB, if no record has a slab of its own. */
const slabsMax = 2 ** (31 - unitBits);

/** How much of the memory may be unused, as a share of the used memory. A lower share means more moving. */
const unusedShareMax = 1 / 2;

/** Unused memory up to this amount is never worth moving records. */
const unusedBytesMin = 1024 * 1024;

/** Before each record: the length of its key (its bitwise complement when the record was removed), and the length of its value. */
const headBytes = 8;

/**
 * Keys with their values, in slabs that hold many of them: a separate array for each would take more memory than its contents.
 *
 *     slab   | key length 4 | value length 4 | key | value | up to 16 | key length 4 | ...
 *
 * Records are appended and never change; views of them stay valid even when the record is removed. When too much memory
 * is unused, the records left in the emptiest slab are moved (`tidy`), and the slab is released.
 *
 * Decision 0033 says why.
 */
export class Records {
  readonly #slabs: (Slab | undefined)[] = [];
  readonly #freeNumbers: number[] = [];
  #open: Slab | undefined;
  #heldBytes = 0;
  #usedBytes = 0;

  /** Bytes of all slabs. */
  get heldBytes(): number {
    return this.#heldBytes;
  }

  /**
   * Stores copies of a key and a value.
   *
   * @throws {StorageError} `'io'` when out of memory.
   */
  add(key: Uint8Array, value: Uint8Array): RecordAddress {
    const bytes = spaceOf(key.length, value.length);
    const slab = this.#roomFor(bytes);
    const at = slab.end;
    slab.words[at / 4] = key.length;
    slab.words[at / 4 + 1] = value.length;
    slab.bytes.set(key, at + headBytes);
    slab.bytes.set(value, at + headBytes + key.length);
    slab.end += bytes;
    slab.usedBytes += bytes;
    this.#usedBytes += bytes;
    return placeOf(slab, at);
  }

  /** Views of the record stay valid. */
  remove(place: RecordAddress): void {
    const slab = this.#slabOf(place);
    const word = wordOf(place);
    const keyLength = slab.words[word] as number; // of a record
    const bytes = spaceOf(keyLength, slab.words[word + 1] as number);
    slab.words[word] = ~keyLength;
    slab.usedBytes -= bytes;
    this.#usedBytes -= bytes;
    if (slab.usedBytes === 0 && slab !== this.#open) this.#release(slab);
  }

  key(place: RecordAddress): Uint8Array {
    const { buffer, words } = this.#slabOf(place);
    const word = wordOf(place);
    return new Uint8Array(buffer, word * 4 + headBytes, words[word]);
  }

  value(place: RecordAddress): Uint8Array {
    const { buffer, words } = this.#slabOf(place);
    const word = wordOf(place);
    return new Uint8Array(buffer, word * 4 + headBytes + (words[word] as number), words[word + 1]);
  }

  /** @returns `headOf` the key of a record, from byte `start` of the key on. */
  headOf(place: RecordAddress, start: number): number {
    const { bytes, words } = this.#slabOf(place);
    const word = wordOf(place);
    const at = word * 4 + headBytes;
    return headOf(bytes, at + start, at + (words[word] as number));
  }

  /** Compares the key of a record with another, from byte `start` on. @returns as `compareBytes`. */
  compareKey(place: RecordAddress, key: Uint8Array, start: number): number {
    const { bytes, words } = this.#slabOf(place);
    const word = wordOf(place);
    const length = words[word] as number;
    const at = word * 4 + headBytes;
    const shared = Math.min(length, key.length);
    for (let index = start; index < shared; index += 1) {
      const difference = (bytes[at + index] as number) - (key[index] as number); // inside both
      if (difference !== 0) return difference;
    }
    return length - key.length;
  }

  /**
   * When too much memory is unused, moves the records of one slab. Must be called after every removal.
   *
   * @param onMove - called with each record, which still exists in both places.
   * @throws {StorageError} `'io'` when out of memory. The records that were passed to `onMove` have been moved.
   */
  tidy(onMove: (from: RecordAddress, to: RecordAddress) => void): void {
    if (this.#heldBytes - this.#usedBytes <= Math.max(unusedShareMax * this.#usedBytes, unusedBytesMin)) return;
    const slab = this.#emptiest();
    if (slab === undefined) return;
    for (let at = 0; at < slab.end;) {
      const word = at / 4;
      const keyLength = slab.words[word] as number;
      const place = placeOf(slab, at);
      at += spaceOf(keyLength < 0 ? ~keyLength : keyLength, slab.words[word + 1] as number);
      if (keyLength < 0) continue;
      onMove(place, this.add(this.key(place), this.value(place)));
      this.remove(place);
    }
  }

  #slabOf(place: RecordAddress): Slab {
    return this.#slabs[place >>> unitBits] as Slab; // as long as it holds a record
  }

  #roomFor(bytes: number): Slab {
    if (bytes > sharedBytesMax) return this.#newSlab(bytes);
    if (this.#open !== undefined && this.#open.end + bytes <= this.#open.bytes.length) return this.#open;
    const size = Math.max(slabBytesMin, Math.min(slabBytesMax, this.#heldBytes));
    const closed = this.#open;
    this.#open = this.#newSlab(Math.max(size, bytes));
    if (closed?.usedBytes === 0) this.#release(closed);
    return this.#open;
  }

  #newSlab(bytes: number): Slab {
    const number = this.#freeNumbers.at(-1) ?? this.#slabs.length;
    if (number === slabsMax) throw new StorageError('io', `memory holds no more than ${slabsMax} pieces of data`);
    const slab = new Slab(number, allocate(bytes));
    this.#freeNumbers.pop();
    this.#slabs[number] = slab;
    this.#heldBytes += slab.bytes.length;
    return slab;
  }

  #release(slab: Slab): void {
    this.#slabs[slab.number] = undefined;
    this.#freeNumbers.push(slab.number);
    this.#heldBytes -= slab.bytes.length;
  }

  /** The slab with the most unused memory, among those that no record is added to. */
  #emptiest(): Slab | undefined {
    let emptiest: Slab | undefined;
    for (const slab of this.#slabs) {
      if (slab === undefined || slab === this.#open) continue;
      if (emptiest === undefined || slab.unusedBytes > emptiest.unusedBytes) emptiest = slab;
    }
    return emptiest;
  }
}

class Slab {
  readonly number: number;
  readonly buffer: ArrayBuffer;
  readonly bytes: Uint8Array;
  readonly words: Int32Array;
  /** Where the next record goes. */
  end = 0;
  /** Bytes of records that have not been removed. */
  usedBytes = 0;

  constructor(number: number, buffer: ArrayBuffer) {
    this.number = number;
    this.buffer = buffer;
    this.bytes = new Uint8Array(buffer);
    this.words = new Int32Array(buffer);
  }

  get unusedBytes(): number {
    return this.bytes.length - this.usedBytes;
  }
}

function allocate(bytes: number): ArrayBuffer {
  try {
    return new ArrayBuffer(bytes);
  } catch (error) {
    throw new StorageError('io', 'there is no memory left for data', { cause: error });
  }
}

function spaceOf(keyLength: number, valueLength: number): number {
  return Math.ceil((headBytes + keyLength + valueLength) / unitBytes) * unitBytes;
}

function placeOf(slab: Slab, at: number): RecordAddress {
  return slab.number * (unitMask + 1) + at / unitBytes;
}

/** Where the head of a record is in its slab, in units of four bytes. */
function wordOf(place: RecordAddress): number {
  return (place & unitMask) * (unitBytes / 4);
}
