import type { AttributeValue } from './attribute-value.ts';
import { quote } from './json-bytes.ts';
import { endOfString, endOfValue, isNamed, isPlainName } from './json-text.ts';

/** Where an attribute is in the text: `"name":value`. Offsets in bytes. */
export interface AttributePosition {
  /** The opening quote of the name. */
  readonly start: number;
  readonly valueStart: number;
  /** After the value: at the comma, or at the end of the map. */
  readonly end: number;
}

interface FoundAttribute extends AttributePosition {
  /** Once it has been read. */
  value: AttributeValue | undefined;
}

/**
 * Finds attributes in the text of a stored item and decodes those that are requested; it skips the others. The fast path
 * of `JSON.parse` of the whole text, with the same values (`attribute-reader.test.ts`).
 *
 * The text is what `JSON.stringify` makes of an attribute map, without blanks: `{"name":{"S":"…"},…}`. Its large parts are strings, whose
 * ends are found at memory speed.
 */
export class AttributeReader {
  readonly #json: Buffer;
  /** Attributes that were found, by name. */
  readonly #passed = new Map<string, FoundAttribute>();
  /** Skipped attributes whose names have not been decoded yet. */
  #unnamed: FoundAttribute[] = [];
  /** Where the next name begins, at its quote. */
  #at = 1;

  constructor(json: Buffer) {
    this.#json = json;
  }

  get(name: string): AttributeValue | undefined {
    const found = this.#find(name);
    return found && (found.value ??= valueAt(this.#json, found));
  }

  /** The names of all attributes. */
  names(): readonly string[] {
    for (let place = this.#next(); place !== undefined; place = this.#next()) this.#unnamed.push(place);
    this.#nameThem();
    return [...this.#passed.keys()];
  }

  placeOf(name: string): AttributePosition | undefined {
    return this.#find(name);
  }

  #find(name: string): FoundAttribute | undefined {
    return this.#passed.get(name) ?? this.#findSkipped(name) ?? this.#goTo(name);
  }

  /** Names are decoded only when an attribute is looked for that was not found before. */
  #findSkipped(name: string): FoundAttribute | undefined {
    if (this.#unnamed.length === 0) return undefined;
    this.#nameThem();
    return this.#passed.get(name);
  }

  #goTo(name: string): FoundAttribute | undefined {
    const isPlain = isPlainName(name);
    for (let place = this.#next(); place !== undefined; place = this.#next()) {
      if (isPlain ? isNamed(this.#json, place.start, place.valueStart - 1, name) : this.#nameAt(place) === name) {
        this.#passed.set(name, place);
        return place;
      }
      this.#unnamed.push(place);
    }
    return undefined;
  }

  #next(): FoundAttribute | undefined {
    const json = this.#json;
    const start = this.#at;
    if (json[start] !== quote) return undefined;
    const valueStart = endOfString(json, start) + 1; // after the colon
    const end = endOfValue(json, valueStart);
    this.#at = end + 1; // after the comma, or after the end of the map
    return { start, valueStart, end, value: undefined };
  }

  #nameThem(): void {
    for (const place of this.#unnamed) this.#passed.set(this.#nameAt(place), place);
    this.#unnamed = [];
  }

  #nameAt({ start, valueStart }: AttributePosition): string {
    const text = this.#json.toString('utf8', start + 1, valueStart - 2);
    return text.includes('\\') ? (JSON.parse(`"${text}"`) as string) : text;
  }
}

function valueAt(json: Buffer, { valueStart, end }: AttributePosition): AttributeValue {
  return plainValueAt(json, valueStart, end) ?? (JSON.parse(json.toString('utf8', valueStart, end)) as AttributeValue);
}

/**
 * A string, number or binary value without escapes: `{"S":"…"}`, as keys, counters and most other attributes are. The fast path of
 * parsing its text, which costs three times as much (`attribute-reader.test.ts`).
 */
function plainValueAt(json: Buffer, start: number, end: number): AttributeValue | undefined {
  if (json[start + 3] !== quote || json[start + 5] !== quote) return undefined;
  const text = json.toString('utf8', start + 6, end - 2);
  if (text.includes('\\')) return undefined;
  switch (json[start + 2]) {
    case letterS:
      return { S: text };
    case letterN:
      return { N: text };
    case letterB:
      return { B: text };
    default:
      return undefined;
  }
}

const letterS = 0x53;
const letterN = 0x4e;
const letterB = 0x42;
