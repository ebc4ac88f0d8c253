import { isReservedWord, wordPairs } from './keywords.ts';
import { malformedStatement } from './statement-problem.ts';

/** A token of a PartiQL statement. Comments, of a line (`--`) and of a block, count as white space. */
export interface Token {
  readonly type: TokenType;
  /**
   * What it represents: for a name or string its contents, for a keyword or operator its lower-case name, for a number the
   * text as written.
   */
  readonly text: string;
  /** Position of the first character, and of the one after the last, in UTF-16 code units. */
  readonly start: number;
  readonly end: number;
}

export type TokenType =
  | 'identifier'
  | 'quotedIdentifier'
  | 'string'
  | 'number'
  /** `true`, `false`, `null`, `missing`. */
  | 'constant'
  | 'keyword'
  | 'operator'
  /** `as`, `at`, `by`, `for`, `asc`, `desc`: words with a place of their own in the grammar. */
  | 'clauseWord'
  | 'parameter'
  | '*'
  | '('
  | ')'
  | '['
  | ']'
  | '{'
  | '}'
  | '<<'
  | '>>'
  | ','
  | '.'
  | ':'
  | ';'
  | 'end';

const constants: ReadonlySet<string> = new Set(['true', 'false', 'null', 'missing']);
const clauseWords: ReadonlySet<string> = new Set(['as', 'at', 'by', 'for', 'asc', 'desc']);
const wordOperators: ReadonlySet<string> = new Set([
  'and',
  'or',
  'not',
  'is',
  'in',
  'between',
  'like',
  'union',
  'except',
  'intersect',
]);

/**
 * The tokens of a statement, the last of type `'end'`.
 *
 * @throws {ValidationException} for a character that no token begins with, for an unterminated quote or comment, and for a
 *   number whose exponent or scale does not fit 32 bits.
 */
export function tokenize(text: string): readonly Token[] {
  const tokens: Token[] = [];
  let position = skipBlanks(text, 0);
  while (position < text.length) {
    const token = readToken(text, position);
    const joined = joinWords(tokens[tokens.length - 1], token);
    if (joined) tokens[tokens.length - 1] = joined;
    else tokens.push(token);
    position = skipBlanks(text, token.end);
  }
  tokens.push({ type: 'end', text: '', start: text.length, end: text.length });
  return tokens;
}

/** `NOT IN`, `IS NOT`, `INSERT INTO`, `ALL OLD` … become one token. */
function joinWords(first: Token | undefined, second: Token): Token | undefined {
  if (first === undefined || first.type === 'quotedIdentifier' || first.type === 'string') return undefined;
  if (second.type === 'quotedIdentifier' || second.type === 'string') return undefined;
  if (!wordPairs.get(first.text)?.includes(second.text)) return undefined;
  const type = first.text === 'not' || first.text === 'is' ? 'operator' : 'keyword';
  return { type, text: `${first.text}_${second.text}`, start: first.start, end: second.end };
}

function readToken(text: string, start: number): Token {
  const character = text.charAt(start);
  if (isWordStart(text.charCodeAt(start))) return readWord(text, start);
  if (isDigit(text.charCodeAt(start))) return readNumber(text, start);
  if (character === '.' && isDigit(text.charCodeAt(start + 1))) return readNumber(text, start);
  if (character === "'") return readQuoted(text, start, 'string');
  if (character === '"') return readQuoted(text, start, 'quotedIdentifier');
  return readSymbol(text, start);
}

function readWord(text: string, start: number): Token {
  let end = start + 1;
  while (isWordStart(text.charCodeAt(end)) || isDigit(text.charCodeAt(end))) end += 1;
  const written = text.slice(start, end);
  const word = written.toLowerCase();
  if (!isReservedWord(word)) return { type: 'identifier', text: written, start, end };
  return { type: wordType(word), text: word, start, end };
}

function wordType(word: string): TokenType {
  if (constants.has(word)) return 'constant';
  if (clauseWords.has(word)) return 'clauseWord';
  return wordOperators.has(word) ? 'operator' : 'keyword';
}

function readNumber(text: string, start: number): Token {
  let end = skipDigits(text, start);
  let fractionDigits = 0;
  if (text.charAt(end) === '.') {
    const fractionEnd = skipDigits(text, end + 1);
    fractionDigits = fractionEnd - end - 1;
    end = fractionEnd;
  }
  if (text.charAt(end).toLowerCase() === 'e') {
    const signEnd = '+-'.includes(text.charAt(end + 1) || ' ') ? end + 2 : end + 1;
    const exponentEnd = skipDigits(text, signEnd);
    if (exponentEnd === signEnd) throw malformedStatement();
    const exponent = Number(text.slice(end + 1, exponentEnd));
    if (!isInt32(exponent) || !isInt32(fractionDigits - exponent)) throw malformedStatement();
    end = exponentEnd;
  }
  return { type: 'number', text: text.slice(start, end), start, end };
}

/** A quote inside is written twice. */
function readQuoted(text: string, start: number, type: 'string' | 'quotedIdentifier'): Token {
  const quote = text.charAt(start);
  let contents = '';
  let from = start + 1;
  for (;;) {
    const close = text.indexOf(quote, from);
    if (close < 0) throw malformedStatement();
    contents += text.slice(from, close);
    if (text.charAt(close + 1) !== quote) return { type, text: contents, start, end: close + 1 };
    contents += quote;
    from = close + 2;
  }
}

const pairs: ReadonlyMap<string, readonly [TokenType, string]> = new Map([
  ['<<', ['<<', '<<']],
  ['>>', ['>>', '>>']],
  ['<=', ['operator', '<=']],
  ['>=', ['operator', '>=']],
  ['<>', ['operator', '<>']],
  ['!=', ['operator', '<>']],
  ['||', ['operator', '||']],
]);
const operators = '=<>+-/%@~';
const punctuation = '*()[]{},.:;';

function readSymbol(text: string, start: number): Token {
  const pair = pairs.get(text.slice(start, start + 2));
  if (pair !== undefined) return { type: pair[0], text: pair[1], start, end: start + 2 };
  const character = text.charAt(start);
  if (character === '?') return { type: 'parameter', text: '?', start, end: start + 1 };
  if (operators.includes(character)) return { type: 'operator', text: character, start, end: start + 1 };
  if (!punctuation.includes(character)) throw malformedStatement();
  return { type: character as TokenType, text: character, start, end: start + 1 }; // one of those listed
}

function skipBlanks(text: string, from: number): number {
  let position = from;
  for (;;) {
    while (isBlank(text.charCodeAt(position))) position += 1;
    const pair = text.slice(position, position + 2);
    if (pair === '--') {
      const lineEnd = text.indexOf('\n', position);
      position = lineEnd < 0 ? text.length : lineEnd + 1;
    } else if (pair === '/*') {
      const close = text.indexOf('*/', position + 2);
      if (close < 0) throw malformedStatement();
      position = close + 2;
    } else {
      return position;
    }
  }
}

function skipDigits(text: string, from: number): number {
  let position = from;
  while (isDigit(text.charCodeAt(position))) position += 1;
  return position;
}

function isInt32(value: number): boolean {
  return value >= -(2 ** 31) && value < 2 ** 31;
}

function isBlank(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13);
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

function isWordStart(code: number): boolean {
  const lower = code | 32;
  return (lower >= 97 && lower <= 122) || code === 95 || code === 36;
}
