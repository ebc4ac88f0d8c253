import { type Grammar, type Keyword, keywordsOf } from './expression-kind.ts';

/**
 * Cuts an expression into tokens. The lexer refuses nothing: a character that no token begins with is a token of its own,
 * of type `'unknown'`, at which the parser fails and which it can then name.
 */
export interface Token {
  readonly type: TokenType;
  /** As written; `<EOF>` for the end. */
  readonly text: string;
  /** Position of the first character, and of the one after the last, in UTF-16 code units. */
  readonly start: number;
  readonly end: number;
}

export type TokenType = 'identifier' | 'name' | 'value' | 'index' | 'unknown' | 'end' | TokenSymbol | Keyword;

export type Comparator = '=' | '<>' | '<' | '<=' | '>' | '>=';

export type TokenSymbol = Comparator | '(' | ')' | '[' | ']' | ',' | '.' | '+' | '-';

const singleCharacterSymbols = '=<>()[],.+-';

/** The tokens of an expression, the last of type `'end'`. */
export function tokenize(text: string, grammar: Grammar): readonly Token[] {
  const tokens: Token[] = [];
  let position = 0;
  while (position < text.length) {
    if (isWhitespace(text.charCodeAt(position))) {
      position += 1;
      continue;
    }
    const token = readToken(text, position, grammar);
    tokens.push(token);
    position = token.end;
  }
  tokens.push({ type: 'end', text: '<EOF>', start: text.length, end: text.length });
  return tokens;
}

function readToken(text: string, start: number, grammar: Grammar): Token {
  const code = text.charCodeAt(start);
  if (isLetter(code)) {
    const end = wordEnd(text, start + 1);
    const word = text.slice(start, end);
    return { type: keyword(word, grammar) ?? 'identifier', text: word, start, end };
  }
  if (code === codeHash || code === codeColon) {
    const end = wordEnd(text, start + 1);
    const type = end === start + 1 ? 'unknown' : code === codeHash ? 'name' : 'value';
    return { type, text: text.slice(start, end), start, end };
  }
  if (isDigit(code)) return readIndex(text, start);
  return readSymbol(text, start);
}

/** A list position has no leading zeros: `007` is three tokens, and so a syntax error. */
function readIndex(text: string, start: number): Token {
  let end = start + 1;
  if (text.charCodeAt(start) !== code0) while (isDigit(text.charCodeAt(end))) end += 1;
  return { type: 'index', text: text.slice(start, end), start, end };
}

function readSymbol(text: string, start: number): Token {
  const pair = text.slice(start, start + 2);
  if (pair === '<>' || pair === '<=' || pair === '>=') return { type: pair, text: pair, start, end: start + 2 };
  const single = text.charAt(start);
  if (singleCharacterSymbols.includes(single)) {
    return { type: single as TokenSymbol, text: single, start, end: start + 1 }; // one of those listed
  }
  // A whole code point, so that an error text never holds half a surrogate pair.
  const character = String.fromCodePoint(text.codePointAt(start) ?? 0);
  return { type: 'unknown', text: character, start, end: start + character.length };
}

/** Keywords are recognised in any case. */
function keyword(word: string, grammar: Grammar): Keyword | undefined {
  const upper = word.toUpperCase();
  return keywordsOf[grammar].find((candidate) => candidate === upper);
}

function wordEnd(text: string, from: number): number {
  let end = from;
  while (end < text.length && isWordCharacter(text.charCodeAt(end))) end += 1;
  return end;
}

const codeHash = 35;
const code0 = 48;
const codeColon = 58;
const codeUnderscore = 95;

function isWhitespace(code: number): boolean {
  return code === 32 || code === 9 || code === 10 || code === 13;
}

function isDigit(code: number): boolean {
  return code >= code0 && code <= 57;
}

function isLetter(code: number): boolean {
  const lower = code | 32;
  return lower >= 97 && lower <= 122;
}

function isWordCharacter(code: number): boolean {
  return isLetter(code) || isDigit(code) || code === codeUnderscore;
}
