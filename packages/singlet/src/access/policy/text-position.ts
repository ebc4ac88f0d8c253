/** A position in a text; both count from 1. */
export interface TextPosition {
  readonly row: number;
  readonly column: number;
}

/** The names and indexes that lead to a value of a JSON document. */
export type JsonPath = readonly (string | number)[];

const token = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/**
 * Finds a value in the text of a JSON document.
 *
 * @param text - must be valid JSON.
 * @param path - of an existing value; of duplicate members, the last, as with `JSON.parse`.
 */
export function positionInJson(text: string, path: JsonPath): TextPosition {
  const wanted = JSON.stringify(path);
  const here: (string | number)[] = [];
  let name: string | undefined;
  let offset = 0;
  for (const { 0: part, index } of text.matchAll(token)) {
    const isName = name === undefined && typeof here.at(-1) === 'string';
    if (part === ':') continue;
    if (part === ',') {
      const last = here.pop();
      here.push(typeof last === 'number' ? last + 1 : '');
      name = undefined;
    } else if (part === '}' || part === ']') {
      here.pop();
    } else if (isName) {
      name = JSON.parse(part) as string; // within an object, a string that is not a value is a name
      here[here.length - 1] = name;
    } else {
      if (JSON.stringify(here) === wanted) offset = index;
      if (part === '{' || part === '[') {
        here.push(part === '{' ? '' : 0);
        name = undefined;
      }
    }
  }
  return positionAt(text, offset);
}

/** The first duplicate member of an object. `JSON.parse` silently keeps only the last one. */
export interface RepeatedMember {
  readonly name: string;
  /** Where the duplicate is. */
  readonly position: TextPosition;
}

/** @param text - must be valid JSON. */
export function repeatedMember(text: string): RepeatedMember | undefined {
  // The names of each open object, outermost first; undefined represents a list.
  const open: (Set<string> | undefined)[] = [];
  let isName = false;
  for (const { 0: part, index } of text.matchAll(token)) {
    if (part === '{' || part === '[') {
      open.push(part === '{' ? new Set() : undefined);
      isName = part === '{';
    } else if (part === '}' || part === ']') {
      open.pop();
      isName = false;
    } else if (part === ',') {
      isName = open.at(-1) !== undefined;
    } else if (part === ':') {
      isName = false;
    } else if (isName) {
      const names = open.at(-1);
      const name = JSON.parse(part) as string; // a name is a string
      if (names?.has(name) === true) return { name, position: positionAt(text, index) };
      names?.add(name);
    }
  }
  return undefined;
}

function positionAt(text: string, offset: number): TextPosition {
  const before = text.slice(0, offset).split('\n');
  return { row: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}
