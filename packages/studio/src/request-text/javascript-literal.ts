import { TextProblem } from './condition-tokens.ts';

// The subset of JavaScript in which requests are written: objects, lists, strings, numbers, constants, and `Buffer.from('…', 'base64')`. It is
// parsed, never run.

const nestingMax = 64;

/** Parses an object up to the bracket that closes the call whose argument it is. @throws {TextProblem} */
export function readLiteral(text: string): object {
  const reader = new LiteralReader(text);
  const value = reader.value(0);
  reader.end();
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new TextProblem('The input of the command must be an object literal.');
  return value;
}

class LiteralReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  value(depth: number): unknown {
    if (depth > nestingMax) throw this.#problem();
    if (this.#take(/\{/y) !== undefined) return this.#members(depth);
    if (this.#take(/\[/y) !== undefined) return this.#elements(depth);
    const text = this.#string();
    if (text !== undefined) return text;
    const bytes = this.#take(/Buffer\.from\(\s*/y);
    if (bytes !== undefined) {
      const base64 = this.#string();
      if (base64 === undefined || this.#take(/,\s*(['"])base64\1\s*,?\s*\)/y) === undefined) throw this.#problem();
      return base64;
    }
    const number = this.#take(/-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/y);
    if (number !== undefined) return Number(number);
    const word = this.#take(/true|false|null/y);
    if (word === undefined) throw this.#problem();
    return word === 'null' ? null : word === 'true';
  }

  end(): void {
    if (this.#take(/,?\s*\)/y) === undefined) throw this.#problem();
  }

  #members(depth: number): object {
    const entries: [string, unknown][] = [];
    while (this.#take(/\}/y) === undefined) {
      const name = this.#string() ?? this.#take(/\['__proto__'\]/y)?.slice(2, -2) ?? this.#take(/[A-Za-z_$][\w$]*/y);
      if (name === undefined || this.#take(/:/y) === undefined) throw this.#problem();
      entries.push([name, this.value(depth + 1)]);
      if (this.#take(/,/y) === undefined && !this.#isNext('}')) throw this.#problem();
    }
    return Object.fromEntries(entries);
  }

  #elements(depth: number): readonly unknown[] {
    const elements: unknown[] = [];
    while (this.#take(/\]/y) === undefined) {
      elements.push(this.value(depth + 1));
      if (this.#take(/,/y) === undefined && !this.#isNext(']')) throw this.#problem();
    }
    return elements;
  }

  #string(): string | undefined {
    const found = this.#take(/'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/y);
    if (found === undefined) return undefined;
    const json = found.slice(1, -1).replaceAll(/\\'|"/g, (part) => (part === '"' ? '\\"' : "'"));
    try {
      return JSON.parse(`"${found.startsWith('"') ? found.slice(1, -1) : json}"`) as string; // it is in quotes
    } catch {
      throw this.#problem();
    }
  }

  #isNext(text: string): boolean {
    return this.#text.startsWith(text, this.#at);
  }

  #take(pattern: RegExp): string | undefined {
    const space = /(?:\s|\/\/[^\n]*)*/y;
    space.lastIndex = this.#at;
    this.#at += space.exec(this.#text)?.[0].length ?? 0;
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found !== undefined) {
      this.#at += found.length;
      space.lastIndex = this.#at;
      this.#at += space.exec(this.#text)?.[0].length ?? 0;
    }
    return found;
  }

  #problem(): TextProblem {
    return new TextProblem(
      `Syntax error in the input of the command, at “${this.#text.slice(this.#at, this.#at + 16)}”.`,
    );
  }
}
