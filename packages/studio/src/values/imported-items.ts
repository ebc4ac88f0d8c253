import type { AttributeMap, AttributeValue, KeyAttributeType } from '../../../singlet/src/values/attribute-value.ts';
import { parseItem, ValueError } from './value-problem.ts';

// Items from a file: DynamoDB JSON or plain JSON, an object on each line or a list of them, or CSV. Numbers stay text.

export const importFormats = [
  { format: 'dynamodb-json', title: 'DynamoDB JSON' },
  { format: 'json', title: 'JSON' },
  { format: 'csv', title: 'CSV' },
] as const;
export type ImportFormat = (typeof importFormats)[number]['format'];

/** An item of a file, or why there is none. */
export type ImportedItem =
  { readonly line: number; readonly item: AttributeMap } | { readonly line: number; readonly problem: string };

/** A list in JSON is read as a whole, unlike objects on lines. */
export const listLengthMax = 64 * 1024 ** 2;
const lineLengthMax = 4 * 1024 ** 2;

/** The format that the name and the beginning of a file suggest. */
export function likelyFormat(name: string, beginning: string): ImportFormat {
  if (/\.csv(\.gz)?$/i.test(name)) return 'csv';
  const [first = ''] = beginning
    .trimStart()
    .replace(/^\[\s*/, '')
    .split('\n');
  return /^\{\s*("Item"\s*:\s*\{\s*)?"(?:[^"\\]|\\.)*"\s*:\s*\{\s*"(S|N|B|BOOL|NULL|M|L|SS|NS|BS)"\s*:/.test(first) ||
    /^\{\s*$/.test(first)
    ? 'dynamodb-json'
    : 'json';
}

/**
 * @param texts - the file, in pieces of any length.
 * @param keyTypes - of the key attributes, which CSV does not say. Other cells become text, as in an import of the service.
 */
export async function* importedItems(
  format: ImportFormat,
  texts: AsyncIterable<string>,
  keyTypes: Readonly<Record<string, KeyAttributeType>>,
): AsyncGenerator<ImportedItem> {
  if (format === 'csv') yield* itemsOfCsv(texts, keyTypes);
  else yield* itemsOfJson(format, texts);
}

async function* itemsOfJson(
  format: 'dynamodb-json' | 'json',
  texts: AsyncIterable<string>,
): AsyncGenerator<ImportedItem> {
  let rest = '';
  let line = 0;
  let isList: boolean | undefined;
  for await (const text of texts) {
    rest += text;
    isList ??= rest.trimStart() === '' ? undefined : rest.trimStart().startsWith('[');
    if (isList === true) {
      if (rest.length > listLengthMax) {
        yield {
          line: 1,
          problem: `A list of more than ${listLengthMax / 1024 ** 2} MB is not read: put each object on its own line`,
        };
        return;
      }
      continue;
    }
    const lines = rest.split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > lineLengthMax) {
      yield { line: line + lines.length + 1, problem: 'This line is longer than 4 MB; an item has at most 400 KB' };
      return;
    }
    for (const each of lines) {
      line += 1;
      if (each.trim() !== '') yield itemOfJson(format, each, line);
    }
  }
  if (isList === true) yield* itemsOfList(format, rest);
  else if (rest.trim() !== '') yield itemOfJson(format, rest, line + 1);
}

function* itemsOfList(format: 'dynamodb-json' | 'json', text: string): Generator<ImportedItem> {
  let list: unknown;
  try {
    list = parsedWithNumbers(text);
  } catch (error) {
    yield { line: 1, problem: error instanceof Error ? error.message : String(error) };
    return;
  }
  // What was parsed begins with a bracket.
  for (const [at, each] of (list as unknown[]).entries()) yield itemOfParsed(format, each, at + 1);
}

function itemOfJson(format: 'dynamodb-json' | 'json', text: string, line: number): ImportedItem {
  try {
    return itemOfParsed(format, parsedWithNumbers(text), line);
  } catch (error) {
    return { line, problem: error instanceof Error ? error.message : String(error) };
  }
}

function itemOfParsed(format: 'dynamodb-json' | 'json', parsed: unknown, line: number): ImportedItem {
  try {
    if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
      throw new ValueError('An item is an object');
    if (format === 'json') return { line, item: plainMap(parsed) };
    const { Item = parsed, ...others } = parsed as { Item?: unknown };
    const item = Object.keys(others).length === 0 ? Item : parsed;
    return {
      line,
      item: parseItem(
        JSON.stringify(item, (_, value: unknown) => (value instanceof NumberText ? Number(value.text) : value)),
      ),
    };
  } catch (error) {
    return { line, problem: error instanceof Error ? error.message : String(error) };
  }
}

/** A number of JSON, as it is written there. */
class NumberText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** JSON whose numbers are not rounded. */
function parsedWithNumbers(text: string): unknown {
  JSON.parse(text); // the message of an error is about the text itself
  // A member that the text itself does not have marks a number.
  let member = '\u0001';
  while (text.includes(JSON.stringify(member).slice(1, -1))) member += '\u0001';
  const marked = text.replaceAll(/"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g, (token) =>
    token.startsWith('"') ? token : `{${JSON.stringify(member)}:"${token}"}`,
  );
  return JSON.parse(marked, (_, value: unknown) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    const number = (value as Readonly<Record<string, unknown>>)[member];
    return typeof number === 'string' ? new NumberText(number) : value;
  });
}

function plainMap(value: object): AttributeMap {
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, plainValue(each)]));
}

function plainValue(value: unknown): AttributeValue {
  if (value instanceof NumberText) return { N: value.text };
  if (typeof value === 'string') return { S: value };
  if (typeof value === 'boolean') return { BOOL: value };
  if (Array.isArray(value)) return { L: value.map(plainValue) };
  return typeof value === 'object' && value !== null ? { M: plainMap(value) } : { NULL: true };
}

async function* itemsOfCsv(
  texts: AsyncIterable<string>,
  keyTypes: Readonly<Record<string, KeyAttributeType>>,
): AsyncGenerator<ImportedItem> {
  let names: readonly string[] | undefined;
  for await (const { line, cells } of recordsOfCsv(texts)) {
    if (names === undefined) {
      names = cells.map(({ text }) => text);
      continue;
    }
    if (cells.length === 1 && cells[0]?.text === '' && names.length > 1) continue; // an empty line
    if (cells.length !== names.length) {
      yield { line, problem: `${cells.length} cells, but the first line has ${names.length}` };
      continue;
    }
    const found = names.flatMap((name, at) => {
      const { text = '', isQuoted = false } = cells[at] ?? {};
      return text === '' && !isQuoted ? [] : [[name, { [keyTypes[name] ?? 'S']: text }] as const];
    });
    try {
      yield { line, item: parseItem(JSON.stringify(Object.fromEntries(found))) };
    } catch (error) {
      yield { line, problem: error instanceof Error ? error.message : String(error) };
    }
  }
}

interface Cell {
  readonly text: string;
  readonly isQuoted: boolean;
}

/** RFC 4180. A quoted cell may hold line ends; `line` is the one on which its record begins. */
async function* recordsOfCsv(
  texts: AsyncIterable<string>,
): AsyncGenerator<{ readonly line: number; readonly cells: readonly Cell[] }> {
  let [text, isQuoted, isInside, wasQuote, line, begins] = ['', false, false, false, 1, 1];
  let cells: Cell[] = [];
  const endCell = (): void => {
    cells.push({ text: isQuoted ? text : text.replace(/\r$/, ''), isQuoted });
    [text, isQuoted, isInside, wasQuote] = ['', false, false, false];
  };
  for await (const piece of texts) {
    for (const character of piece) {
      if (character === '\n') line += 1;
      if (isInside && !(wasQuote && character !== '"')) {
        if (character === '"' && !wasQuote) wasQuote = true;
        else {
          text += character;
          wasQuote = false;
        }
        continue;
      }
      if (character === ',') endCell();
      else if (character === '\n') {
        endCell();
        yield { line: begins, cells };
        cells = [];
        begins = line;
      } else if (character === '"' && text === '' && !isQuoted) [isQuoted, isInside] = [true, true];
      else if (!(isQuoted && character === '\r')) text += character;
    }
  }
  if (text !== '' || cells.length > 0 || isQuoted) {
    endCell();
    yield { line: begins, cells };
  }
}
