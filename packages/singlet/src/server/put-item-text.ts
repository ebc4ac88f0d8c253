import { type FoundItem, readItemText } from '../engine/index.ts';

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const backslash = 0x5c;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;

/** The item of a PutItem, and the text of its other members. */
export interface PutItemText {
  readonly item: FoundItem['item'];
  /** Of the whole input, with nothing in the item's place but `null`. */
  readonly rest: string;
}

/**
 * Takes the item out of the text of a PutItem, where the text is plain enough for that: then only what is left has to be
 * parsed.
 *
 * @param body - well-formed UTF-8.
 * @see readItemText
 */
export function takeItem(body: Buffer): PutItemText | undefined {
  if (body[0] !== openBrace) return undefined;
  let found: { readonly start: number; readonly item: FoundItem } | undefined;
  for (let at = 1; ; at += 1) {
    const nameEnd = endOfString(body, at);
    if (nameEnd < 0 || body[nameEnd] !== colon) return undefined;
    const start = nameEnd + 1;
    if (isItem(body, at, nameEnd)) {
      // Of members with the same name the last counts; that is for the parser to see to.
      const item = found === undefined ? readItemText(body, start) : undefined;
      if (item === undefined) return undefined;
      found = { start, item };
      at = item.end;
    } else {
      at = endOfValue(body, start);
    }
    if (body[at] === comma) continue;
    if (body[at] !== closeBrace || at + 1 !== body.length || found === undefined) return undefined;
    const { item, end } = found.item;
    return { item, rest: `${body.toString('utf8', 0, found.start)}null${body.toString('utf8', end)}` };
  }
}

/** Whether a name is `"Item"`. One that is written with escapes is none here, and is left to the parser as a second one. */
function isItem(body: Buffer, start: number, end: number): boolean {
  return (
    end - start === 6 &&
    body[start + 1] === 0x49 &&
    body[start + 2] === 0x74 &&
    body[start + 3] === 0x65 &&
    body[start + 4] === 0x6d
  );
}

/** After the closing quote, or -1 if no plain string begins here: a name with escapes may be any. */
function endOfString(body: Buffer, start: number): number {
  if (body[start] !== quote) return -1;
  for (let at = start + 1; at < body.length; at += 1) {
    if (body[at] === quote) return at + 1;
    if (body[at] === backslash) return -1;
  }
  return -1;
}

/** Where a comma or brace follows on a value, whatever it is: the parser will look at it. */
function endOfValue(body: Buffer, start: number): number {
  let depth = 0;
  let isInString = false;
  let at = start;
  for (; at < body.length; at += 1) {
    const byte = body[at];
    if (isInString) {
      if (byte === backslash) at += 1;
      else if (byte === quote) isInString = false;
    } else if (byte === quote) {
      isInString = true;
    } else if (byte === openBrace || byte === openBracket) {
      depth += 1;
    } else if (depth === 0 && (byte === comma || byte === closeBrace)) {
      break;
    } else if (byte === closeBrace || byte === closeBracket) {
      depth -= 1;
    }
  }
  return at;
}
