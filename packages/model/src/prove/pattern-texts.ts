import type { RandomSource } from './random-source.ts';

/**
 * Texts that match a regular expression, for attributes whose schema has one. Classes, groups, alternatives, counts
 * and anchors are supported; other syntax, such as lookahead, is not.
 *
 * @returns a text that may match, to be checked by the schema, or undefined if the syntax is not supported.
 */
export function patternText(source: string, random: RandomSource): string | undefined {
  try {
    return new PatternWriter(source, random).write();
  } catch (error) {
    if (error instanceof UnknownPattern) return undefined;
    throw error;
  }
}

class UnknownPattern extends TypeError {}

const repeatsUsual = 3;
const digits = '0123456789';
const word = 'ABCYZabcyz019_';
const anything = 'aZ09-_.~ ';

/** Parses an expression and writes a text for it at the same time. */
class PatternWriter {
  readonly #source: string;
  readonly #random: RandomSource;
  #at = 0;

  constructor(source: string, random: RandomSource) {
    this.#source = source;
    this.#random = random;
  }

  write(): string {
    const text = this.#alternatives();
    if (this.#at < this.#source.length) throw new UnknownPattern();
    return text;
  }

  #alternatives(): string {
    const written = [this.#sequence()];
    while (this.#takes('|')) written.push(this.#sequence());
    return this.#random.pick(written);
  }

  #sequence(): string {
    let text = '';
    while (this.#at < this.#source.length && !'|)'.includes(this.#peek())) text += this.#repeated();
    return text;
  }

  /** One piece, repeated as its quantifier says. Each repetition is drawn again, by parsing the piece again. */
  #repeated(): string {
    const begin = this.#at;
    let text = this.#piece();
    const end = this.#at;
    const [least, most] = this.#counts();
    const after = this.#at;
    const times = this.#random.between(least, most);
    if (times === 0) return '';
    for (let i = 1; i < times; i += 1) {
      this.#at = begin;
      text += this.#piece();
      if (this.#at !== end) throw new UnknownPattern();
    }
    this.#at = after;
    return text;
  }

  #piece(): string {
    const next = this.#source[this.#at++] ?? '';
    switch (next) {
      case '^':
      case '$':
        return '';
      case '.':
        return this.#random.pick(Array.from(anything));
      case '[':
        return this.#random.pick(this.#class());
      case '(':
        return this.#group();
      case '\\':
        return this.#random.pick(this.#escaped());
      case '*':
      case '+':
      case '?':
      case '{':
        throw new UnknownPattern();
      default:
        return next;
    }
  }

  #group(): string {
    if (this.#source.startsWith('?:', this.#at)) this.#at += 2;
    else if (this.#peek() === '?') throw new UnknownPattern();
    const text = this.#alternatives();
    if (!this.#takes(')')) throw new UnknownPattern();
    return text;
  }

  #class(): string[] {
    const negated = this.#takes('^');
    const members: string[] = [];
    while (!this.#takes(']')) {
      const from = this.#member();
      const [first = '', second] = from;
      if (second !== undefined || this.#peek() !== '-' || this.#source[this.#at + 1] === ']') {
        members.push(...from);
        continue;
      }
      this.#at += 1;
      const [to = ''] = this.#member();
      for (let code = first.codePointAt(0) ?? 0; code <= (to.codePointAt(0) ?? 0) && members.length < 512; code += 1)
        members.push(String.fromCodePoint(code));
    }
    const allowed = negated ? Array.from(`${anything}${word}`).filter((each) => !members.includes(each)) : members;
    if (allowed.length === 0) throw new UnknownPattern();
    return allowed;
  }

  #member(): string[] {
    const next = this.#source[this.#at++];
    if (next === undefined) throw new UnknownPattern();
    return next === '\\' ? this.#escaped() : [next];
  }

  #escaped(): string[] {
    const next = this.#source[this.#at++] ?? '';
    if (next === 'd') return Array.from(digits);
    if (next === 'w') return Array.from(word);
    if (next === 's') return [' '];
    if (/[a-zA-Z0-9]/.test(next)) throw new UnknownPattern();
    return [next];
  }

  #counts(): readonly [least: number, most: number] {
    if (this.#takes('*')) return [0, repeatsUsual];
    if (this.#takes('+')) return [1, repeatsUsual];
    if (this.#takes('?')) return [0, 1];
    const [whole, least, comma, most] = /^\{(\d+)(,?)(\d*)\}/.exec(this.#source.slice(this.#at)) ?? [];
    if (whole === undefined) return [1, 1];
    this.#at += whole.length;
    const first = Number(least);
    return [first, comma === '' ? first : most === '' ? first + repeatsUsual : Number(most)];
  }

  #peek(): string {
    return this.#source[this.#at] ?? '';
  }

  #takes(character: string): boolean {
    const found = this.#peek() === character;
    if (found) this.#at += 1;
    return found;
  }
}
