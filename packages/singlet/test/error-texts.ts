import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** An error as the code makes it. */
export interface ErrorText {
  readonly name: string;
  /** Its stable code, for errors that have one. */
  readonly code: string | undefined;
  /** Its text. What differs from case to case is an ellipsis. */
  readonly text: string;
}

/** Classes of errors in the sources of folders, each with the class that it extends. */
export function errorClasses(folders: readonly string[]): ReadonlyMap<string, string> {
  const classes = folders.flatMap((folder) =>
    sourcesIn(folder).flatMap((file) =>
      [
        ...readFileSync(join(folder, file), 'utf8').matchAll(/class (\w+) extends (Error|\w+(?:Error|Exception))\b/g),
      ].map(([, name = '', base = '']): [string, string] => [name, base]),
    ),
  );
  return new Map(classes);
}

/**
 * Every error that sources make with a text in place: `new StorageError('code', 'text')`, or `super('name', 'text')` in a class.
 *
 * @param classes - names of classes.
 */
export function errorTexts(source: string, classes: readonly string[]): readonly ErrorText[] {
  const begins = new RegExp(`(?:\\bnew (${classes.join('|')})|\\b(super))\\(`, 'g');
  return [...source.matchAll(begins)].flatMap((match): ErrorText[] => {
    const texts = textsOf(source, match.index + match[0].length);
    const [, first] = /^\s*(['"][\w-]+['"])\s*,/.exec(source.slice(match.index + match[0].length)) ?? [];
    const literal = first?.slice(1, -1);
    // The general classes take the name on the wire as their first argument, the others a code.
    const isNamed = named.has(match[1] ?? 'super');
    const code = isNamed ? undefined : literal;
    const name = isNamed ? literal : match[1];
    if (name === undefined || !/^[A-Z]/.test(name)) return [];
    // A choice between texts is several errors.
    return texts.filter((each) => /\s/.test(each)).map((text) => ({ name, code, text }));
  });
}

/** Classes whose first argument is the name of the error; `super` is the constructor of one that extends them. */
const named: ReadonlySet<string> = new Set(['DynamoError', 'StsError', 'super']);

/** The errors of all sources of a folder, sorted, each once. */
export function errorTextsIn(folder: string, classes: readonly string[]): readonly ErrorText[] {
  const found = new Map<string, ErrorText>();
  for (const file of sourcesIn(folder)) {
    for (const error of errorTexts(readFileSync(join(folder, file), 'utf8'), classes)) {
      found.set(`${error.name} ${error.code ?? ''} ${error.text}`, error);
    }
  }
  return [...found.entries()].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, error]) => error);
}

function sourcesIn(folder: string): readonly string[] {
  const names = readdirSync(folder, { recursive: true }) as string[];
  return names.filter(
    (name) => name.endsWith('.ts') && !/\.(test|d)\.ts$/.test(name) && !/(^|\/)(test|testing)\//.test(name),
  );
}

/** The texts among the arguments of a call that begins at a position: pieces joined by `+` are one. */
function textsOf(source: string, from: number): readonly string[] {
  const texts: string[] = [];
  let current: string | undefined;
  let depth = 0;
  for (let at = from; at < source.length; at += 1) {
    const character = source[at] ?? '';
    if (character === "'" || character === '"' || character === '`') {
      const { text, end } = literalAt(source, at);
      if (depth === 0) current = (current ?? '') + text;
      at = end;
    } else if ('([{'.includes(character)) depth += 1;
    else if (')]}'.includes(character)) {
      if (depth === 0) break;
      depth -= 1;
    } else if (depth === 0 && (character === ',' || character === '?' || character === ':')) {
      if (current !== undefined) texts.push(current);
      current = undefined;
    }
  }
  return current === undefined ? texts : [...texts, current];
}

/** A string or template. Each `${…}` of a template is an ellipsis. */
function literalAt(source: string, start: number): { readonly text: string; readonly end: number } {
  const quote = source[start];
  let text = '';
  for (let at = start + 1; at < source.length; at += 1) {
    const character = source[at] ?? '';
    if (character === quote) return { text, end: at };
    if (character === '\\') {
      at += 1;
      text += source[at] === 'n' ? ' ' : (source[at] ?? '');
    } else if (quote === '`' && character === '$' && source[at + 1] === '{') {
      at = endOfHole(source, at + 2);
      text += '…';
    } else text += character;
  }
  return { text, end: source.length };
}

function endOfHole(source: string, from: number): number {
  let depth = 0;
  for (let at = from; at < source.length; at += 1) {
    const character = source[at] ?? '';
    if (character === "'" || character === '"' || character === '`') at = literalAt(source, at).end;
    else if (character === '{') depth += 1;
    else if (character === '}' && depth === 0) return at;
    else if (character === '}') depth -= 1;
  }
  return source.length;
}
