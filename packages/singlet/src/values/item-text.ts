import { AttributeReader } from './attribute-reader.ts';
import type { AttributeMap } from './attribute-value.ts';
import { base64ByteLength, isCanonicalBase64 } from './base64.ts';
import { isPlainlyCanonical, significantDigitCountMax } from './decimal.ts';
import { documentBytes, documentElementBytes, integerSizeBytes, numberSizeBytes } from './item-size.ts';
import { backslash, closeBrace, closeBracket, colon, comma, openBrace, openBracket, quote } from './json-bytes.ts';
import { mayTakeFastPath } from './invariants.ts';
import { serviceLimits } from './limits.ts';
import { isSetOrder } from './set-order.ts';

const letterB = 0x42;
const letterL = 0x4c;
const letterM = 0x4d;
const letterN = 0x4e;
const letterS = 0x53;
const digit0 = 0x30;
const digit9 = 0x39;

/** The characters that may follow a backslash in the output of `JSON.stringify`, except `u`. */
const escapes = new Uint8Array(256);
for (const character of '"\\bfnrt') escapes[character.charCodeAt(0)] = 1;

/** Most strings end within this many bytes, sooner than a search by words has begun. */
const shortStringBytes = 24;

/** Most names of one map; more are not compared with each other. */
const namesMax = 64;

/** An item that is written in a text as it would be stored. It is in the memory of that text, and valid as long as that is. */
export class ItemText {
  /** Well-formed UTF-8, with the item from `start` (inclusive) to `end` (exclusive). */
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly end: number;
  /** Size by the service's formula, bytes. */
  readonly sizeBytes: number;
  /** Whether a name in it begins with a digit: `JSON.parse` moves names that are numbers to the front. */
  readonly #hasNumericNames: boolean;

  constructor(bytes: Uint8Array, start: number, end: number, scanned: ScannedItem) {
    this.bytes = bytes;
    this.start = start;
    this.end = end;
    this.sizeBytes = scanned.sizeBytes;
    this.#hasNumericNames = scanned.hasNumericNames;
  }

  /** The item's text, in the same memory. */
  get json(): Buffer {
    const { buffer, byteOffset } = this.bytes;
    return Buffer.from(buffer, byteOffset + this.start, this.end - this.start);
  }

  /** The text of one attribute's value; undefined when the attribute is missing. */
  valueText(name: string): string | undefined {
    const { json } = this;
    const place = new AttributeReader(json).placeOf(name);
    return place && json.toString('utf8', place.valueStart, place.end);
  }

  /** Prevents `JSON.stringify` from printing the bytes around the item. */
  toJSON(): AttributeMap {
    return this.toMap();
  }

  toMap(): AttributeMap {
    // The text is what printing a checked map makes.
    return JSON.parse(this.json.toString('utf8')) as AttributeMap;
  }

  /** What `JSON.stringify` prints for the item. */
  toText(): string {
    // Fast path of parsing the text and printing it again, with the same result (item-text.test.ts).
    if (!this.#hasNumericNames && mayTakeFastPath()) return this.json.toString('utf8');
    return JSON.stringify(this);
  }
}

/** What is known of an item once it has been read. */
interface ScannedItem {
  readonly sizeBytes: number;
  readonly hasNumericNames: boolean;
}

/**
 * Finds an item in a text, if it is written as it would be stored: as `JSON.stringify` prints a checked attribute map. Then
 * it has been checked and measured byte by byte; parsing it, checking it, measuring it and printing it again costs five times as
 * much.
 *
 * Anything less plain is left to the slow path, which reports what is wrong with it, if anything: blanks, other
 * escapes, sets in another order, numbers that are not canonical, names that may be the same.
 *
 * @param bytes - well-formed UTF-8.
 * @param start - where the item begins, at its brace.
 */
export function findItemText(bytes: Uint8Array, start: number): ItemText | undefined {
  const scanner = new ItemScanner(bytes);
  const end = scanner.map(start, 1, 0);
  return end < 0 ? undefined : new ItemText(bytes, start, end, scanner);
}

/** Every method takes the position where an element begins, and returns where it ends; or -1, if it is not plain. */
class ItemScanner implements ScannedItem {
  /** Size by the service's formula, so far. */
  sizeBytes = 0;
  hasNumericNames = false;
  readonly #bytes: Uint8Array;
  #view: DataView | undefined;
  /** Hash of the name that was read last. */
  #hash = 0;
  /** Whether the string that was read last has escapes. */
  #hasEscapes = false;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /**
   * @param level - the level of its values.
   * @param elementBytes - what an element costs in addition to its contents.
   */
  map(start: number, level: number, elementBytes: number): number {
    const bytes = this.#bytes;
    if (bytes[start] !== openBrace) return -1;
    if (bytes[start + 1] === closeBrace) return start + 2;
    const hashes: number[] = [];
    for (let at = start + 1; ; at += 1) {
      const nameEnd = this.#name(at);
      if (nameEnd < 0 || bytes[nameEnd] !== colon) return -1;
      const nameBytes = nameEnd - at - 2;
      if (nameBytes === 0 || nameBytes > serviceLimits.attributeNameBytesMax) return -1;
      if (hashes.length === namesMax || hashes.includes(this.#hash)) return -1;
      hashes.push(this.#hash);
      this.sizeBytes += nameBytes + elementBytes;
      at = this.#value(nameEnd + 1, level);
      if (at < 0) return -1;
      if (bytes[at] === closeBrace) return at + 1;
      if (bytes[at] !== comma) return -1;
    }
  }

  #list(start: number, level: number): number {
    const bytes = this.#bytes;
    if (bytes[start] !== openBracket) return -1;
    if (bytes[start + 1] === closeBracket) return start + 2;
    for (let at = start + 1; ; at += 1) {
      this.sizeBytes += documentElementBytes;
      at = this.#value(at, level);
      if (at < 0) return -1;
      if (bytes[at] === closeBracket) return at + 1;
      if (bytes[at] !== comma) return -1;
    }
  }

  /** `{"S":"…"}` and the like: one tag and its content. */
  #value(start: number, level: number): number {
    const bytes = this.#bytes;
    if (level > serviceLimits.nestingDepthMax) return -1;
    if (bytes[start] !== openBrace || bytes[start + 1] !== quote) return -1;
    let end: number;
    if (bytes[start + 3] === quote) end = this.#short(start, level);
    else if (bytes[start + 4] === quote) end = this.#set(start);
    else end = this.#word(start);
    return end >= 0 && bytes[end] === closeBrace ? end + 1 : -1;
  }

  /** A value with a tag of one letter. */
  #short(start: number, level: number): number {
    const bytes = this.#bytes;
    if (bytes[start + 4] !== colon) return -1;
    const at = start + 5;
    switch (bytes[start + 2]) {
      case letterS: {
        const before = this.sizeBytes;
        const end = this.#string(at);
        // Only the second byte of an escape counts.
        if (this.#hasEscapes) this.sizeBytes = before + unescapedBytes(bytes, at + 1, end - 1);
        else this.sizeBytes = before + end - at - 2;
        return end;
      }
      case letterN:
        return this.#number(at);
      case letterB:
        return this.#binary(at);
      case letterM:
        this.sizeBytes += documentBytes;
        return this.map(at, level + 1, documentElementBytes);
      case letterL:
        this.sizeBytes += documentBytes;
        return this.#list(at, level + 1);
      default:
        return -1;
    }
  }

  #number(start: number): number {
    const plain = this.#plainInteger(start);
    if (plain >= 0) return plain;
    const end = this.#string(start);
    if (end < 0) return -1;
    const text = this.#text(start, end);
    if (!isPlainlyCanonical(text)) return -1;
    this.sizeBytes += numberSizeBytes(text);
    return end;
  }

  /** A positive integer, as most numbers are: measured without making a string of it. -1 for any other number. */
  #plainInteger(start: number): number {
    const bytes = this.#bytes;
    const first = start + 1;
    if (bytes[start] !== quote || bytes[first] === digit0) return -1;
    let zeros = 0;
    let at = first;
    for (; ; at += 1) {
      const byte = bytes[at];
      if (!isDigit(byte)) break;
      zeros = byte === digit0 ? zeros + 1 : 0;
    }
    const digits = at - first;
    if (bytes[at] !== quote || digits === 0 || digits > significantDigitCountMax) return -1;
    this.sizeBytes += integerSizeBytes(digits - zeros);
    return at + 1;
  }

  #binary(start: number): number {
    const end = this.#string(start);
    if (end < 0) return -1;
    const text = this.#text(start, end);
    if (!isCanonicalBase64(text)) return -1;
    this.sizeBytes += base64ByteLength(text);
    return end;
  }

  /** A set whose elements are in stored order, without duplicates. */
  #set(start: number): number {
    const bytes = this.#bytes;
    if (bytes[start + 3] !== letterS || bytes[start + 5] !== colon || bytes[start + 6] !== openBracket) return -1;
    const kind = bytes[start + 2];
    const elements: string[] = [];
    let before = -1;
    for (let at = start + 7; ; at += 1) {
      let end: number;
      if (kind === letterS) {
        end = this.#string(at);
        if (end < 0 || this.#hasEscapes || (before >= 0 && !this.#isLess(before, at))) return -1;
        this.sizeBytes += end - at - 2;
        before = at;
      } else if (kind === letterN || kind === letterB) {
        end = kind === letterN ? this.#number(at) : this.#binary(at);
        if (end < 0) return -1;
        elements.push(this.#text(at, end));
      } else {
        return -1;
      }
      at = end;
      if (bytes[at] === closeBracket) {
        const isOrdered = kind === letterS || isSetOrder(elements, kind === letterN ? 'NS' : 'BS');
        return isOrdered ? at + 1 : -1;
      }
      if (bytes[at] !== comma) return -1;
    }
  }

  /** Whether one string sorts before another, by their bytes. A quote ends either of them. */
  #isLess(left: number, right: number): boolean {
    const bytes = this.#bytes;
    for (let offset = 1; ; offset += 1) {
      const [a, b] = [bytes[left + offset] as number, bytes[right + offset] as number]; // both strings end
      if (a === quote) return b !== quote;
      if (b === quote) return false;
      if (a !== b) return a < b;
    }
  }

  /** `{"BOOL":true`, `{"BOOL":false` or `{"NULL":true`. */
  #word(start: number): number {
    this.sizeBytes += 1;
    for (const word of words) if (isAt(this.#bytes, start, word)) return start + word.length;
    return -1;
  }

  /** A name without escapes. */
  #name(start: number): number {
    const bytes = this.#bytes;
    const { length } = bytes;
    if (bytes[start] !== quote) return -1;
    if (isDigit(bytes[start + 1])) this.hasNumericNames = true;
    let hash = 0;
    for (let at = start + 1; at < length; at += 1) {
      const byte = bytes[at] as number; // within the bounds
      if (byte === quote) {
        this.#hash = hash;
        return at + 1;
      }
      if (byte === backslash || byte < 0x20) return -1;
      hash = (Math.imul(hash, 31) + byte) | 0;
    }
    return -1;
  }

  #string(start: number): number {
    const bytes = this.#bytes;
    if (bytes[start] !== quote) return -1;
    this.#hasEscapes = false;
    let at = start + 1;
    for (let soon = at + shortStringBytes; ;) {
      if (at >= soon) {
        at = this.#skipPlain(at);
        soon = at + shortStringBytes;
      }
      const byte = bytes[at];
      at += 1;
      if (byte === quote) return at;
      if (byte === backslash) {
        if (at >= bytes.length || escapes[bytes[at] as number] === 0) return -1;
        this.#hasEscapes = true;
        at += 1;
      } else if (byte === undefined || byte < 0x20) {
        return -1;
      }
    }
  }

  /** Skips bytes that neither end a string nor need a closer look, four at a time: a third of the time of one by one. */
  #skipPlain(start: number): number {
    const { length, buffer, byteOffset } = this.#bytes;
    const view = (this.#view ??= new DataView(buffer, byteOffset, length));
    let at = start;
    for (; at <= length - 4; at += 4) {
      const four = view.getInt32(at, true);
      const quotes = four ^ 0x2222_2222;
      const backslashes = four ^ 0x5c5c_5c5c;
      // The highest bit of each byte: whether it is less than a blank, or zero in one of the others. A carry adds hits, and hides none.
      const hits =
        ((four - 0x2020_2020) & ~four) |
        ((quotes - 0x0101_0101) & ~quotes) |
        ((backslashes - 0x0101_0101) & ~backslashes);
      if ((hits & 0x8080_8080) !== 0) break;
    }
    return at;
  }

  /** The text between the quotes; if it is valid, it is ASCII. */
  #text(start: number, end: number): string {
    return Buffer.from(this.#bytes.buffer, this.#bytes.byteOffset + start + 1, end - start - 2).toString('latin1');
  }
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= digit0 && byte <= digit9;
}

function unescapedBytes(bytes: Uint8Array, start: number, end: number): number {
  let count = 0;
  for (let at = start; at < end; at += 1) {
    if (bytes[at] === backslash) at += 1;
    count += 1;
  }
  return count;
}

const words = ['{"BOOL":true', '{"BOOL":false', '{"NULL":true'].map((word) => Buffer.from(word, 'latin1'));

function isAt(bytes: Uint8Array, start: number, word: Uint8Array): boolean {
  for (let at = 0; at < word.length; at += 1) if (bytes[start + at] !== word[at]) return false;
  return true;
}
