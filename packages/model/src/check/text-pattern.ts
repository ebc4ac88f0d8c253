import type { KeyTemplate, TemplateVariable } from '../keys/template.ts';

/** What a position of a key contains: a character, or one or more characters of a kind. */
type Token = { readonly character: string } | { readonly some: CharacterKind };

/** Digits only; anything but the separator; anything. */
type CharacterKind = 'digits' | 'part' | 'any';

/** The texts that a template can produce. */
export interface TextPattern {
  readonly tokens: readonly Token[];
  readonly separator: string;
}

/** The texts of a template, or of its prefix followed by anything. */
export function textPattern(
  template: KeyTemplate,
  separator: string,
  options: { readonly open?: boolean } = {},
): TextPattern {
  const whole = template.parts.length === 1;
  const tokens = template.parts.flatMap((part): Token[] =>
    typeof part === 'string'
      ? Array.from(part, (character) => ({ character }))
      : [{ some: kindOf(part, whole, separator) }],
  );
  return { tokens: options.open === true ? [...tokens, { some: 'any' }] : tokens, separator };
}

function kindOf({ encoders }: TemplateVariable, whole: boolean, separator: string): CharacterKind {
  const last = encoders.at(-1)?.name ?? '';
  if (/^(0|inverse|tens|shard)\d+$/.test(last)) return 'digits';
  if (encoders.some(({ rest }) => rest === true)) return 'any';
  // What an encoder makes is not tested for the separator, and times have these characters.
  if (encoders.some(({ safe }) => safe) && /^[-:.+]/.test(separator)) return 'any';
  // A variable that is the whole key may contain the separator, because the key is not parsed.
  return whole && !encoders.some(({ safe }) => safe) ? 'any' : 'part';
}

/** Whether both have a text in common. */
export function canBeEqual(a: TextPattern, b: TextPattern): boolean {
  const seen = new Set<string>();
  const open: (readonly [number, number, boolean, boolean])[] = [[0, 0, false, false]];
  // A state is the position in each pattern, and whether its current token has matched its first character.
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const key = next.join();
    if (seen.has(key)) continue;
    seen.add(key);
    const [i, j, startedA, startedB] = next;
    if (i === a.tokens.length && j === b.tokens.length) return true;
    if (startedA) open.push([i + 1, j, false, startedB]);
    if (startedB) open.push([i, j + 1, startedA, false]);
    const [left, right] = [a.tokens[i], b.tokens[j]];
    if (left === undefined || right === undefined || !meet(left, right, a.separator)) continue;
    open.push(step(left, i, right, j));
  }
  return false;
}

function step(left: Token, i: number, right: Token, j: number): readonly [number, number, boolean, boolean] {
  const [nextI, startedA] = advanced(left, i);
  const [nextJ, startedB] = advanced(right, j);
  return [nextI, nextJ, startedA, startedB];
}

function advanced(token: Token, at: number): readonly [number, boolean] {
  return 'character' in token ? [at + 1, false] : [at, true];
}

/** Whether one character matches both tokens. */
function meet(left: Token, right: Token, separator: string): boolean {
  if ('character' in left) {
    return 'character' in right ? left.character === right.character : holds(right.some, left.character, separator);
  }
  if ('character' in right) return holds(left.some, right.character, separator);
  return true; // every kind includes digits
}

function holds(kind: CharacterKind, character: string, separator: string): boolean {
  if (kind === 'digits') return character >= '0' && character <= '9';
  return kind === 'any' || character !== separator;
}

/** A text that is greater than every text with this prefix, by bytes; undefined for the empty text. */
export function after(prefix: string): string | undefined {
  const characters = Array.from(prefix);
  const last = characters.pop()?.codePointAt(0);
  if (last === undefined) return undefined;
  // Surrogates are no characters, and nothing is above the last one.
  const next = last === 0xd7ff ? 0xe000 : last + 1;
  return next > 0x10ffff ? undefined : characters.join('') + String.fromCodePoint(next);
}

/** Whether some text of a template is also one of another's, or (`open`) begins with one. */
export function canBeginWith(template: KeyTemplate, beginning: KeyTemplate, separator: string, open: boolean): boolean {
  const text = textPattern(template, separator);
  if (canBeEqual(text, textPattern(beginning, separator))) return true;
  return open && canBeEqual(text, textPattern(beginning, separator, { open }));
}
