import { nameText, scalarText } from './shape.ts';

/** Source text that is inserted unchanged. */
export class Code {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A property value with comments above it. */
export class Noted {
  readonly notes: readonly string[];
  readonly value: unknown;

  constructor(notes: readonly string[], value: unknown) {
    this.notes = notes;
    this.value = value;
  }
}

const lineMax = 120;

/**
 * Plain data as TypeScript: on one line if it fits, otherwise with one line for each member.
 *
 * @param indent - spaces at the start of its line.
 * @param before - number of characters before it on that line, and after it.
 */
export function sourceText(value: unknown, indent = 0, before = 0): string {
  const line = oneLine(value);
  if (line !== undefined && indent + before + line.length <= lineMax) return line;
  const inner = ' '.repeat(indent + 2);
  const end = ' '.repeat(indent);
  if (Array.isArray(value)) {
    const lines = value.map((each) => `${inner}${sourceText(each, indent + 2, 1)},\n`);
    return `[\n${lines.join('')}${end}]`;
  }
  if (value instanceof Code || typeof value !== 'object' || value === null) return line ?? '';
  const lines = Object.entries(value).flatMap(([name, each]: [string, unknown]) => {
    if (each === undefined) return [];
    const { notes, value: content } = each instanceof Noted ? each : { notes: [], value: each };
    const head = `${nameText(name)}: `;
    return [...comments(notes, indent + 2), `${inner}${head}${sourceText(content, indent + 2, head.length + 1)},\n`];
  });
  return `{\n${lines.join('')}${end}}`;
}

/** Comment lines. Their content comes from data, and must not be able to end the comment. */
export function comments(notes: readonly string[], indent = 0): string[] {
  const start = `${' '.repeat(indent)}//`;
  return notes
    .flatMap((note) => wrapped(note.replaceAll(/[\r\n\u2028\u2029]+/g, ' '), lineMax - start.length - 1))
    .map((line) => `${start} ${line}\n`);
}

function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + word.length + 1 > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

function oneLine(value: unknown): string | undefined {
  if (value instanceof Code) return value.text;
  if (value instanceof Noted) return value.notes.length > 0 ? undefined : oneLine(value.value);
  if (Array.isArray(value)) return joined(value.map(oneLine), '[', ']');
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).filter(([, each]) => each !== undefined);
    if (entries.length === 0) return '{}';
    const members = entries.map(([name, each]) => {
      const text = oneLine(each);
      return text === undefined ? undefined : `${nameText(name)}: ${text}`;
    });
    return joined(members, '{ ', ' }');
  }
  return value === null ? 'null' : scalarText(value as string | number | boolean);
}

function joined(parts: readonly (string | undefined)[], start: string, end: string): string | undefined {
  return parts.includes(undefined) ? undefined : `${start}${parts.join(', ')}${end}`;
}
