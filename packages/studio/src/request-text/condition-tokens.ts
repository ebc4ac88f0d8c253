import type { AttributeMap, AttributeValue } from '../../../singlet/src/values/attribute-value.ts';

// Conditions in three similar languages: expressions of the API (`#n = :v`), WHERE clauses (`"n" = 'v'`), and typed text
// (`n = 'v'`). All are parsed into the same tokens, and written from them.

export type Token =
  | { readonly kind: 'path'; readonly path: Path }
  | { readonly kind: 'value'; readonly value: AttributeValue }
  /** A keyword in capitals, or a function in lower case. */
  | { readonly kind: 'word'; readonly text: string }
  | { readonly kind: 'sign'; readonly text: string };

/** Names of attributes, and indexes of lists. */
export type Path = readonly [string, ...(string | number)[]];

/** The syntax error, in one sentence. */
export class TextProblem extends Error {
  override readonly name = 'TextProblem';
}

interface Placeholders {
  readonly names?: Readonly<Record<string, string>> | undefined;
  readonly values?: AttributeMap | undefined;
}

const words: ReadonlySet<string> = new Set(
  'AND OR NOT BETWEEN IN IS MISSING SELECT FROM WHERE ORDER BY ASC DESC INSERT INTO UPDATE DELETE SET REMOVE VALUE RETURNING'.split(
    ' ',
  ),
);
export const functionNames: ReadonlySet<string> = new Set(
  'attribute_exists attribute_not_exists attribute_type begins_with contains size'.split(' '),
);

/** The maximum depth of a value in an item. */
const nestingMax = 32;

/**
 * Parses a condition.
 *
 * @param placeholders - the values of `#name` and `:value`.
 * @throws {TextProblem}
 */
export function readTokens(text: string, placeholders: Placeholders = {}): readonly Token[] {
  const reader = new Reader(text, placeholders);
  const tokens: Token[] = [];
  for (let token = reader.next(); token !== undefined; token = reader.next()) tokens.push(token);
  return tokens;
}

class Reader {
  readonly #text: string;
  readonly #placeholders: Placeholders;
  #at = 0;

  constructor(text: string, placeholders: Placeholders) {
    this.#text = text;
    this.#placeholders = placeholders;
  }

  next(): Token | undefined {
    this.#take(/\s+/y);
    if (this.#at >= this.#text.length) return undefined;
    const name = this.#name();
    if (name !== undefined) return name;
    const placeholder = this.#take(/:\w+/y);
    if (placeholder !== undefined) return { kind: 'value', value: this.#valueOf(placeholder) };
    const value = this.#value(0);
    if (value !== undefined) return { kind: 'value', value };
    const sign = this.#take(/<>|<=|>=|!=|[=<>(),*?[\]]/y);
    if (sign !== undefined) return { kind: 'sign', text: sign === '!=' ? '<>' : sign };
    throw new TextProblem(`Syntax error at “${this.#text.slice(this.#at, this.#at + 12)}”.`);
  }

  /** A path, a word, or a constant. */
  #name(): Token | undefined {
    const quoted = this.#take(/"(?:[^"]|"")*"/y);
    if (quoted !== undefined) return this.#path(unquoted(quoted));
    const placeholder = this.#take(/#\w+/y);
    if (placeholder !== undefined) return this.#path(this.#nameOf(placeholder));
    const bare = this.#take(/[A-Za-z_]\w*/y);
    if (bare === undefined) return undefined;
    const upper = bare.toUpperCase();
    if (words.has(upper)) return { kind: 'word', text: upper };
    if (functionNames.has(bare.toLowerCase()) && /^\s*\(/.test(this.#text.slice(this.#at)))
      return { kind: 'word', text: bare.toLowerCase() };
    const constant = constantOf(upper);
    return constant === undefined ? this.#path(bare) : { kind: 'value', value: constant };
  }

  #path(first: string): Token {
    const parts: (string | number)[] = [];
    for (;;) {
      const index = this.#take(/\[\s*\d+\s*\]/y);
      if (index !== undefined) {
        parts.push(Number(index.slice(1, -1)));
        continue;
      }
      if (this.#take(/\s*\.\s*/y) === undefined) return { kind: 'path', path: [first, ...parts] };
      const quoted = this.#take(/"(?:[^"]|"")*"/y);
      const bare = quoted ?? this.#take(/#?\w+/y);
      if (bare === undefined) throw new TextProblem(`After “${first}.” the name of an attribute is missing.`);
      parts.push(quoted === undefined ? (bare.startsWith('#') ? this.#nameOf(bare) : bare) : unquoted(quoted));
    }
  }

  /** A literal; undefined if there is none. */
  #value(depth: number): AttributeValue | undefined {
    if (depth > nestingMax) throw new TextProblem(`Values are nested at most ${nestingMax} levels deep.`);
    const string = this.#take(/'(?:[^']|'')*'/y);
    if (string !== undefined) return { S: string.slice(1, -1).replaceAll("''", "'") };
    const number = this.#take(/[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?/y);
    if (number !== undefined) return { N: number.replace(/^\+/, '') };
    if (this.#take(/<</y) !== undefined) return setOf(this.#elements('>>', depth));
    if (this.#take(/\[/y) !== undefined) return { L: [...this.#elements(']', depth)] };
    if (this.#take(/\{/y) !== undefined) return { M: this.#members(depth) };
    return undefined;
  }

  #elements(end: string, depth: number): readonly AttributeValue[] {
    const elements: AttributeValue[] = [];
    this.#take(/\s+/y);
    if (this.#takeText(end)) return elements;
    for (;;) {
      elements.push(this.#nested(depth));
      if (this.#takeText(end)) return elements;
      if (!this.#takeText(',')) throw new TextProblem(`A list or set ends with ${end}.`);
    }
  }

  #members(depth: number): AttributeMap {
    const members: Record<string, AttributeValue> = Object.create(null) as Record<string, AttributeValue>;
    this.#take(/\s+/y);
    if (this.#takeText('}')) return members;
    for (;;) {
      this.#take(/\s+/y);
      const name = this.#take(/'(?:[^']|'')*'/y);
      if (name === undefined || !this.#takeText(':')) throw new TextProblem("A map has the form { 'name': value }.");
      members[name.slice(1, -1).replaceAll("''", "'")] = this.#nested(depth);
      if (this.#takeText('}')) return members;
      if (!this.#takeText(',')) throw new TextProblem('A map ends with }.');
    }
  }

  #nested(depth: number): AttributeValue {
    this.#take(/\s+/y);
    const word = this.#take(/[A-Za-z]+/y);
    const value = word === undefined ? this.#value(depth + 1) : constantOf(word.toUpperCase());
    if (value === undefined) throw new TextProblem('Between brackets, values are separated by commas.');
    this.#take(/\s+/y);
    return value;
  }

  #nameOf(placeholder: string): string {
    const name = this.#placeholders.names?.[placeholder];
    if (name === undefined) throw new TextProblem(`${placeholder} is not in ExpressionAttributeNames.`);
    return name;
  }

  #valueOf(placeholder: string): AttributeValue {
    const value = this.#placeholders.values?.[placeholder];
    if (value === undefined) throw new TextProblem(`${placeholder} is not in ExpressionAttributeValues.`);
    return value;
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found !== undefined) this.#at += found.length;
    return found;
  }

  #takeText(text: string): boolean {
    this.#take(/\s+/y);
    const isThere = this.#text.startsWith(text, this.#at);
    if (isThere) this.#at += text.length;
    return isThere;
  }
}

function unquoted(name: string): string {
  return name.slice(1, -1).replaceAll('""', '"');
}

function constantOf(word: string): AttributeValue | undefined {
  if (word === 'TRUE' || word === 'FALSE') return { BOOL: word === 'TRUE' };
  return word === 'NULL' ? { NULL: true } : undefined;
}

function setOf(elements: readonly AttributeValue[]): AttributeValue {
  if (elements.length > 0 && elements.every((each) => 'S' in each)) return { SS: elements.map(({ S }) => S) };
  if (elements.length > 0 && elements.every((each) => 'N' in each)) return { NS: elements.map(({ N }) => N) };
  throw new TextProblem('A set holds texts or numbers, at least one.');
}
