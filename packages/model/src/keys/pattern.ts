/** What is known about the texts that a regular expression matches from end to end. */
export interface TextShape {
  /** Minimum and maximum number of characters. */
  readonly least: number;
  readonly most: number;
  /** The characters that may occur, as ranges of code points. */
  readonly characters: readonly (readonly [number, number])[];
}

const last = 0x10ffff;
/** Any text. */
export const anyText: TextShape = { least: 0, most: Infinity, characters: [[0, last]] };

/**
 * The shape of the texts that a pattern accepts. It is any text if the pattern is not anchored at both ends, or uses more than classes,
 * groups, alternatives and repetitions. It may be wider than what the pattern accepts, but never narrower.
 *
 * @param options.ignoreCase - whether the pattern has the flag `i`.
 */
export function shapeOfPattern(
  source: string,
  { ignoreCase = false }: { readonly ignoreCase?: boolean } = {},
): TextShape {
  try {
    const reader = new PatternReader(source);
    const shape = reader.alternatives();
    if (!reader.atEnd() || !shape.begins || !shape.ends) return anyText;
    return ignoreCase ? { ...shape, characters: [...shape.characters, ...cased] } : shape;
  } catch (error) {
    if (error instanceof UnreadablePattern) return anyText;
    throw error;
  }
}

/** Characters that a letter may match where its case is ignored: any letter, and any character beyond ASCII. */
const cased: TextShape['characters'] = [
  [65, 90],
  [97, 122],
  [128, last],
];

class UnreadablePattern extends Error {
  override readonly name: string = 'UnreadablePattern';
}

interface Piece extends TextShape {
  /** Every match begins, or ends, where the text does. */
  readonly begins: boolean;
  readonly ends: boolean;
}

const nothing: Piece = { least: 0, most: 0, characters: [], begins: false, ends: false };

/** Reads a regular expression by recursive descent. */
class PatternReader {
  readonly #source: readonly string[];
  #at = 0;

  constructor(source: string) {
    this.#source = Array.from(source);
  }

  atEnd(): boolean {
    return this.#at >= this.#source.length;
  }

  alternatives(): Piece {
    const found = [this.#sequence()];
    while (this.#take('|')) found.push(this.#sequence());
    return {
      least: Math.min(...found.map(({ least }) => least)),
      most: Math.max(...found.map(({ most }) => most)),
      characters: found.flatMap(({ characters }) => characters),
      begins: found.every(({ begins }) => begins),
      ends: found.every(({ ends }) => ends),
    };
  }

  #sequence(): Piece {
    let all = nothing;
    let first = true;
    while (!this.atEnd() && this.#peek() !== '|' && this.#peek() !== ')') {
      const piece = this.#repeated();
      all = {
        least: all.least + piece.least,
        most: all.most + piece.most,
        characters: [...all.characters, ...piece.characters],
        begins: first ? piece.begins : all.begins,
        ends: piece.ends,
      };
      first = false;
    }
    return all;
  }

  #repeated(): Piece {
    const piece = this.#atom();
    const [from, to] = this.#times();
    if (from === 1 && to === 1) return piece;
    this.#take('?');
    return {
      least: piece.least * from,
      most: piece.most === 0 || to === 0 ? 0 : piece.most * to,
      characters: piece.characters,
      begins: piece.begins && from > 0,
      ends: piece.ends && from > 0,
    };
  }

  #times(): readonly [number, number] {
    if (this.#take('*')) return [0, Infinity];
    if (this.#take('+')) return [1, Infinity];
    if (this.#take('?')) return [0, 1];
    const [text, from, comma, to] =
      /^\{(\d+)(,?)(\d*)\}/.exec(this.#source.slice(this.#at, this.#at + 20).join('')) ?? [];
    if (text === undefined) return [1, 1];
    this.#at += text.length;
    return [Number(from), comma === '' ? Number(from) : to === '' ? Infinity : Number(to)];
  }

  #atom(): Piece {
    const next = this.#next();
    switch (next) {
      case '^':
        return { ...nothing, begins: true };
      case '$':
        return { ...nothing, ends: true };
      case '(':
        return this.#group();
      case '[':
        return one(this.#class());
      case '.':
        return one([[0, last]]);
      case '\\':
        return one(this.#escaped());
      case '*':
      case '+':
      case '?':
      case '{':
        throw new UnreadablePattern(next);
      default:
        return one([character(next)]);
    }
  }

  #group(): Piece {
    if (this.#take('?') && !this.#take(':')) throw new UnreadablePattern('a group that looks ahead or has a name');
    const piece = this.alternatives();
    if (!this.#take(')')) throw new UnreadablePattern('an open group');
    return piece;
  }

  #class(): (readonly [number, number])[] {
    const negated = this.#take('^');
    const ranges: (readonly [number, number])[] = [];
    while (!this.#take(']')) {
      const next = this.#next();
      const from = next === '\\' ? this.#escaped() : [character(next)];
      const [only] = from;
      if (only !== undefined && only[0] === only[1] && this.#peek() === '-' && this.#source[this.#at + 1] !== ']') {
        this.#at++;
        const end = this.#next();
        const to = end === '\\' ? this.#escaped() : [character(end)];
        const [top = only] = to;
        // In front of a class such as \w, the dash is one of the characters.
        if (to.length === 1 && top[0] === top[1]) ranges.push([only[0], top[1]]);
        else ranges.push(only, character('-'), ...to);
      } else ranges.push(...from);
    }
    return negated ? without(ranges) : ranges;
  }

  #escaped(): (readonly [number, number])[] {
    const next = this.#next();
    const known = classes[next];
    if (known !== undefined) return [...known];
    if (/[A-Za-z0-9]/.test(next)) {
      const control = { n: 10, r: 13, t: 9, f: 12, v: 11 }[next];
      if (control === undefined) throw new UnreadablePattern(next);
      return [[control, control]];
    }
    return [character(next)];
  }

  #peek(): string | undefined {
    return this.#source[this.#at];
  }

  #next(): string {
    const next = this.#source[this.#at++];
    if (next === undefined) throw new UnreadablePattern('it ends too early');
    return next;
  }

  #take(wanted: string): boolean {
    if (this.#peek() !== wanted) return false;
    this.#at++;
    return true;
  }
}

function one(characters: readonly (readonly [number, number])[]): Piece {
  return { least: 1, most: 1, characters, begins: false, ends: false };
}

function character(text: string): readonly [number, number] {
  const point = text.codePointAt(0) ?? 0;
  return [point, point];
}

function without(ranges: readonly (readonly [number, number])[]): (readonly [number, number])[] {
  const rest: (readonly [number, number])[] = [];
  let from = 0;
  for (const [low, high] of [...ranges].sort(([a], [b]) => a - b)) {
    if (low > from) rest.push([from, low - 1]);
    from = Math.max(from, high + 1);
  }
  if (from <= last) rest.push([from, last]);
  return rest;
}

const digit: readonly (readonly [number, number])[] = [[48, 57]];
const word: readonly (readonly [number, number])[] = [...digit, [65, 90], [95, 95], [97, 122]];
const space: readonly (readonly [number, number])[] = [
  [9, 13],
  [32, 32],
  [160, 160],
  [5760, 5760],
  [8192, 8202],
  [8232, 8233],
  [8239, 8239],
  [8287, 8287],
  [12288, 12288],
  [65279, 65279],
];
const classes: Readonly<Record<string, readonly (readonly [number, number])[]>> = {
  d: digit,
  D: without(digit),
  w: word,
  W: without(word),
  s: space,
  S: without(space),
};
