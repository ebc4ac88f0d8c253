import { backslash, closeBrace, closeBracket, comma, openBrace, openBracket, quote } from './json-bytes.ts';

/*
 * Skips over JSON text without parsing it. Fast paths of `JSON.parse`: a caller that skips a value does not look into it, and a caller
 * that wants it parses the bytes between the two positions. All of these functions take well-formed UTF-8 and never read past its end. Invalid
 * JSON makes them stop somewhere, where their callers find no comma or bracket and leave the text to the parser.
 * `json-text.test.ts` compares every position with that of the parser.
 */

/** Most strings end within this many bytes, sooner than a search by the runtime has begun. */
const shortStringBytes = 32;

/**
 * Finds the end of a string: in short pieces byte by byte, in long ones at memory speed.
 *
 * @param start - the position of the opening quote.
 * @returns the position after the closing one; or the end of the text, if there is none.
 */
export function endOfString(json: Uint8Array, start: number): number {
  for (let at = start + 1; at < json.length;) {
    for (const soon = at + shortStringBytes; at < soon; at += 1) {
      if (json[at] === quote) return at + 1;
      if (json[at] === backslash) at += 1;
    }
    const end = json.indexOf(quote, at);
    if (end < 0) break;
    let backslashes = 0;
    while (end - 1 - backslashes >= at && json[end - 1 - backslashes] === backslash) backslashes += 1;
    if (backslashes % 2 === 0) return end + 1;
    // After an odd number of backslashes a quote is a character of the string. Where there is one there may be many.
    at = end + 1;
  }
  return json.length;
}

/**
 * @param start - where a value begins, or the blanks before it.
 * @returns the position after it: after a string, an object or an array; for anything else, at the comma or bracket that follows.
 */
export function endOfValue(text: Buffer, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length;) {
    switch (text[at]) {
      case quote:
        at = endOfString(text, at);
        if (depth === 0) return at;
        break;
      case openBrace:
      case openBracket:
        depth += 1;
        at += 1;
        break;
      case closeBrace:
      case closeBracket:
        if (depth === 0) return at;
        depth -= 1;
        at += 1;
        if (depth === 0) return at;
        break;
      case comma:
        if (depth === 0) return at;
        at += 1;
        break;
      default:
        at += 1;
    }
  }
  return text.length;
}

/** The position after the closing quote, or -1 if no plain string begins here: a name with escapes may be any name. */
export function endOfPlainName(text: Buffer, start: number): number {
  if (text[start] !== quote) return -1;
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === quote) return at + 1;
    if (text[at] === backslash) return -1;
  }
  return -1;
}

/** Names whose text is the same in JSON, one byte per character. */
const plainName = /^[\w.:#/-]*$/;

export function isPlainName(name: string): boolean {
  return plainName.test(name);
}

/** Whether the string between two positions, quotes included, is this plain name. */
export function isNamed(text: Buffer, start: number, end: number, name: string): boolean {
  if (end - start !== name.length + 2) return false;
  for (let index = 0; index < name.length; index += 1) {
    if (text[start + 1 + index] !== name.charCodeAt(index)) return false;
  }
  return true;
}
