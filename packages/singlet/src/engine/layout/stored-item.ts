import { type AttributeMap, type AttributeValue, getAttribute } from '../../values/attribute-value.ts';
import { attributeValuesEqual } from '../../values/compare.ts';
import { mayTakeFastPath } from '../../values/invariants.ts';
import { type AttributePosition, AttributeReader } from '../../values/attribute-reader.ts';

/**
 * An item as it is stored: the JSON text of its attribute map (UTF-8), decoded only when its content is needed.
 *
 * A whole item that is answered unchanged is never decoded: the server splices its bytes into the answer. A filter, a condition or a
 * projection decodes only the attributes that it names.
 */
export class StoredItem {
  /** UTF-8 JSON text `{"name":{"S":"…"},…}`, from `start` up to and excluding `end`. A reference to the item keeps all of these bytes. */
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly end: number;
  /** Size by the service's formula, bytes (names and values). */
  readonly sizeBytes: number;
  /** CRC-32 of the text as a signed integer, where it is known. */
  checksum: number | undefined;
  #json: Buffer | undefined;
  #map: AttributeMap | undefined;
  #reader: AttributeReader | undefined;

  constructor(
    bytes: Uint8Array,
    sizeBytes: number,
    map?: AttributeMap,
    start = 0,
    end: number = bytes.length,
    checksum?: number,
  ) {
    this.bytes = bytes;
    this.start = start;
    this.end = end;
    this.sizeBytes = sizeBytes;
    this.checksum = checksum;
    this.#map = map;
  }

  /** The text alone, in the same memory. */
  get json(): Buffer {
    const { buffer, byteOffset } = this.bytes;
    return (this.#json ??= Buffer.from(buffer, byteOffset + this.start, this.end - this.start));
  }

  getAttribute(name: string): AttributeValue | undefined {
    if (this.#map !== undefined) return getAttribute(this.#map, name);
    // Fast path: one attribute is read out of the text. The slow path reads all of it (values/attribute-reader.test.ts).
    return mayTakeFastPath() ? this.#read().get(name) : getAttribute(this.toMap(), name);
  }

  /** Where an attribute is in `json`. */
  placeOf(name: string): AttributePosition | undefined {
    return this.#read().placeOf(name);
  }

  attributeNames(): readonly string[] {
    return this.#read().names();
  }

  /** The whole item, for readers of more than a few attributes. */
  toMap(): AttributeMap {
    // This engine encoded the text from a checked map, so its shape needs no second check.
    return (this.#map ??= JSON.parse(this.json.toString('utf8')) as AttributeMap);
  }

  /** Makes JSON.stringify print the item alone, and not the bytes around it. */
  toJSON(): AttributeMap {
    return this.toMap();
  }

  #read(): AttributeReader {
    return (this.#reader ??= new AttributeReader(this.json));
  }
}

/**
 * Whether two items are equal. Texts of the same bytes may differ in the order of attributes and of the elements of sets. Then
 * the attributes are compared one by one, up to the first that differs.
 */
export function sameItem(a: StoredItem, b: StoredItem, shared?: SharedEnds): boolean {
  if (a.sizeBytes !== b.sizeBytes) return false; // equal items have equal sizes
  if (a.json.length !== b.json.length) return false; // and texts of equal lengths
  if (a.json.equals(b.json)) return true;
  if (!haveSameBytes(a.json, b.json, shared ?? sharedEnds(a.json, b.json))) return false;
  const names = a.attributeNames();
  return names.length === b.attributeNames().length && names.every((name) => sameAttribute(a, b, name));
}

/**
 * A value has one text, except for the order of attributes and of the elements of sets, which does not change which bytes it has.
 *
 * @param b - as long as `a`.
 */
function haveSameBytes(a: Buffer, b: Buffer, { start, end }: SharedEnds): boolean {
  let difference = 0;
  for (let at = start; at < a.length - end; at += 1) difference += (a[at] as number) - (b[at] as number);
  return difference === 0;
}

/** How many bytes two texts share at their beginnings, and how many of the rest at their ends. */
export interface SharedEnds {
  readonly start: number;
  readonly end: number;
}

/** Size of the pieces that are compared as a whole, bytes: faster than byte by byte. */
const pieceBytes = 256;

export function sharedEnds(a: Buffer, b: Buffer): SharedEnds {
  const length = Math.min(a.length, b.length);
  let start = 0;
  while (start + pieceBytes <= length && a.compare(b, start, start + pieceBytes, start, start + pieceBytes) === 0) {
    start += pieceBytes;
  }
  while (start < length && a[start] === b[start]) start += 1;
  const rest = length - start;
  const [endA, endB] = [a.length, b.length];
  let end = 0;
  while (
    end + pieceBytes <= rest &&
    a.compare(b, endB - end - pieceBytes, endB - end, endA - end - pieceBytes, endA - end) === 0
  ) {
    end += pieceBytes;
  }
  while (end < rest && a[endA - 1 - end] === b[endB - 1 - end]) end += 1;
  return { start, end };
}

function sameAttribute(a: StoredItem, b: StoredItem, name: string): boolean {
  const [left, right] = [a.placeOf(name), b.placeOf(name)];
  if (left === undefined || right === undefined) return false;
  if (a.json.compare(b.json, right.valueStart, right.end, left.valueStart, left.end) === 0) return true;
  const [leftValue, rightValue] = [a.getAttribute(name), b.getAttribute(name)];
  return leftValue !== undefined && rightValue !== undefined && attributeValuesEqual(leftValue, rightValue);
}

/** An item in an answer: as stored, or a part of it. */
export type ItemOutput = StoredItem | AttributeMap;
