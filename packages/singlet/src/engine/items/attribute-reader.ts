import type { AttributeValue } from '../../values/attribute-value.ts';

const quote = 0x22;
const backslash = 0x5c;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;

/**
 * Finds attributes in the text of a stored item and decodes those that are asked for; over the others it only steps.
 *
 * The text is what `JSON.stringify` makes of an attribute map, without blanks: `{"name":{"S":"…"},…}`. Whatever is large in it is strings, and
 * their ends are found at the speed of memory.
 */
export class AttributeReader {
  readonly #json: Buffer;
  /** The text of each attribute that was passed, by name, from where to where. */
  readonly #passed = new Map<string, readonly [number, number]>();
  /** Where the next name begins, at its quote. */
  #at = 1;

  constructor(json: Buffer) {
    this.#json = json;
  }

  get(name: string): AttributeValue | undefined {
    const place = this.#passed.get(name) ?? this.#goTo(name);
    return place && (JSON.parse(this.#json.toString('utf8', place[0], place[1])) as AttributeValue);
  }

  #goTo(name: string): readonly [number, number] | undefined {
    const json = this.#json;
    while (json[this.#at] === quote) {
      const nameEnd = endOfString(json, this.#at);
      const start = nameEnd + 1; // after the colon
      const end = endOfValue(json, start);
      const found = nameIn(json, this.#at, nameEnd);
      const place = [start, end] as const;
      this.#passed.set(found, place);
      this.#at = end + 1; // after the comma, or after the end of it all
      if (found === name) return place;
    }
    return undefined;
  }
}

function nameIn(json: Buffer, start: number, end: number): string {
  const text = json.toString('utf8', start + 1, end - 1);
  return text.includes('\\') ? (JSON.parse(`"${text}"`) as string) : text;
}

/** @param start - the place of the opening quote. @returns the place after the closing one. */
function endOfString(json: Buffer, start: number): number {
  for (let at = start + 1; ;) {
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
