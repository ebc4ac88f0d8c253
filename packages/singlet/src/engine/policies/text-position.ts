/** Where something stands in a text: both count from 1. */
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
 * @param text - known to be JSON.
 * @param path - of a value that is there; of several members of one name the last is meant, as with `JSON.parse`.
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
      name = JSON.parse(part) as string; // within an object a string that is not a value is a name
      here[here.length - 1] = name;
    } else {
      if (JSON.stringify(here) === wanted) offset = index;
      if (part === '{' || part === '[') {
        here.push(part === '{' ? '' : 0);
        name = undefined;
      }
    }
  }
  const before = text.slice(0, offset).split('\n');
  return { row: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}
