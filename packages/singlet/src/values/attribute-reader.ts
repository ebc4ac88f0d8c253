import type { AttributeValue } from './attribute-value.ts';
import { quote, backslash, openBrace, closeBrace, openBracket, closeBracket } from './json-bytes.ts';

/** Where an attribute stands in the text: `"name":value`. Offsets in bytes. */
export interface AttributePlace {
  /** The opening quote of the name. */
  readonly start: number;
  readonly valueStart: number;
  /** After the value: at the comma, or at the end of it all. */
  readonly end: number;
}

/**
 * Finds attributes in the text of a stored item and decodes those that are asked for; over the others it only steps.
 *
 * The text is what `JSON.stringify` makes of an attribute map, without blanks: `{"name":{"S":"…"},…}`. Whatever is large in it is strings, and
 * their ends are found at the speed of memory.
 */
export class AttributeReader {
  readonly #json: Buffer;
  /** Attributes that were passed, by name. */
  readonly #passed = new Map<string, AttributePlace>();
  /** Those whose names nobody has read yet. */
  #unnamed: AttributePlace[] = [];
  readonly #values = new Map<string, AttributeValue>();
  /** Where the next name begins, at its quote. */
  #at = 1;

  constructor(json: Buffer) {
    this.#json = json;
  }

  get(name: string): AttributeValue | undefined {
    const known = this.#values.get(name);
    if (known !== undefined) return known;
    const place = this.placeOf(name);
    if (place === undefined) return undefined;
    const value = JSON.parse(this.#json.toString('utf8', place.valueStart, place.end)) as AttributeValue;
    this.#values.set(name, value);
    return value;
  }

  /** Of all attributes. */
  names(): readonly string[] {
    for (let place = this.#next(); place !== undefined; place = this.#next()) this.#unnamed.push(place);
    this.#nameThem();
    return [...this.#passed.keys()];
  }

  placeOf(name: string): AttributePlace | undefined {
    this.#nameThem();
    return this.#passed.get(name) ?? this.#goTo(name);
  }

  #goTo(name: string): AttributePlace | undefined {
    const isPlain = plainName.test(name);
    for (let place = this.#next(); place !== undefined; place = this.#next()) {
      if (isPlain ? isNamed(this.#json, place, name) : this.#nameAt(place) === name) {
        this.#passed.set(name, place);
        return place;
      }
      this.#unnamed.push(place);
    }
    return undefined;
  }

  #next(): AttributePlace | undefined {
    const json = this.#json;
    const start = this.#at;
    if (json[start] !== quote) return undefined;
    const valueStart = endOfString(json, start) + 1; // after the colon
    const end = endOfValue(json, valueStart);
    this.#at = end + 1; // after the comma, or after the end of it all
    return { start, valueStart, end };
  }

  #nameThem(): void {
    for (const place of this.#unnamed) this.#passed.set(this.#nameAt(place), place);
    this.#unnamed = [];
  }

  #nameAt({ start, valueStart }: AttributePlace): string {
    const text = this.#json.toString('utf8', start + 1, valueStart - 2);
    return text.includes('\\') ? (JSON.parse(`"${text}"`) as string) : text;
  }
}

/** Names that stand in the text as they are, a byte for each character. */
const plainName = /^[\w.:#/-]*$/;

function isNamed(json: Buffer, { start, valueStart }: AttributePlace, name: string): boolean {
  if (valueStart - start - 3 !== name.length) return false; // two quotes and a colon
  for (let index = 0; index < name.length; index += 1) {
    if (json[start + 1 + index] !== name.charCodeAt(index)) return false;
  }
  return true;
}

/** Most strings end within so many bytes, sooner than a search by the runtime has begun. */
const shortStringBytes = 24;

/** @param start - the place of the opening quote. @returns the place after the closing one. */
function endOfString(json: Buffer, start: number): number {
  let at = start + 1;
  for (const soon = at + shortStringBytes; at < soon; at += 1) {
    if (json[at] === quote) return at + 1;
    if (json[at] === backslash) at += 1;
  }
  for (;;) {
    const end = json.indexOf(quote, at);
    let backslashes = 0;
    while (json[end - 1 - backslashes] === backslash) backslashes += 1;
    if (backslashes % 2 === 0) return end + 1;
    at = end + 1;
  }
}

/** @param start - where a value begins. @returns the place after it. */
function endOfValue(json: Buffer, start: number): number {
  let depth = 0;
  for (let at = start; ;) {
    switch (json[at]) {
      case quote:
        at = endOfString(json, at);
        break;
      case openBrace:
      case openBracket:
        depth += 1;
        at += 1;
        break;
      case closeBrace:
      case closeBracket:
        depth -= 1;
        at += 1;
        if (depth === 0) return at;
        break;
      default:
        at += 1;
    }
  }
}
