import { readFileSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Explains why a file cannot be run, beginning with the place: `shop.model.ts:12 cannot be run: TypeError: …`. The place is the first one in
 * the user's own code, which may be in a file that the model imports.
 */
export function whyNotRun(error: unknown, file: string, shown: string): string {
  if (!(error instanceof Error)) return `${shown} cannot be run: ${String(error)}`;
  const [message = '', ...more] = asWritten(error.message)
    .split('\n')
    .map((line) => line.trim());
  const parsed = more.map((line) => placePattern.exec(line)).find((match) => match !== null);
  if (parsed?.groups !== undefined) {
    const { path = file, line = '', column = '' } = parsed.groups;
    // The parser counts columns from 0, editors from 1.
    return `${shownPath(path)}:${line}:${Number(column) + 1} cannot be read: ${message.replace(/^ParseError: /, '')}`;
  }
  const place = importPlace(error, message) ?? stackPlace(error);
  const cause = error.name === 'Error' ? message : `${error.name}: ${message}`;
  return `${place ?? shown} cannot be run: ${cause}${orderOfSections(message)}`;
}

/** A call of what is imported is transpiled to `(0, _model.entity)(…)`, which error messages quote. */
function asWritten(message: string): string {
  return message.replaceAll(/\(0 ?, ?_\w+\.(\w+)\)/g, '$1');
}

const sections = ['entities', 'relationships', 'patterns', 'tables', 'keys', 'served'];

/** For a section that does not follow the one before it. */
function orderOfSections(message: string): string {
  const [, method = ''] = /\)\.(\w+) is not a function$/.exec(message) ?? [];
  return sections.includes(method)
    ? `. A model states ${sections.join(', ')}, in this order. A section may be empty: .relationships([])`
    : '';
}

const ownDirectory = dirname(fileURLToPath(import.meta.url));

const placePattern = /^(?<path>.+):(?<line>\d+):(?<column>\d+)$/;

/** For a missing module: the line that imports it. */
function importPlace(error: Error, message: string): string | undefined {
  const { requireStack } = error as { readonly requireStack?: readonly string[] }; // of Node's MODULE_NOT_FOUND
  const specifier = /^Cannot find (?:module|package) '([^']+)'/.exec(message)?.[1];
  const [importer] = requireStack ?? [];
  if (importer === undefined || specifier === undefined) return undefined;
  try {
    const lines = readFileSync(importer, 'utf8').split('\n');
    const index = lines.findIndex((line) => line.includes(`'${specifier}'`) || line.includes(`"${specifier}"`));
    return index < 0 ? shownPath(importer) : `${shownPath(importer)}:${index + 1}`;
  } catch {
    return undefined;
  }
}

/** The first frame outside packages and Node itself. Columns are those of the transpiled text; lines match the file. */
function stackPlace({ stack = '' }: Error): string | undefined {
  for (const frame of stack.split('\n')) {
    const match = /(?:\(|at )(?<path>(?:file:\/\/|\/|[A-Za-z]:\\)[^()]+?):(?<line>\d+):\d+\)?$/.exec(frame.trim());
    if (match?.groups === undefined) continue;
    const { path = '', line = '' } = match.groups;
    const file = path.startsWith('file://') ? fileURLToPath(path) : path;
    if (/[/\\]node_modules[/\\]/.test(file) || file.startsWith(ownDirectory)) continue;
    return `${shownPath(file)}:${line}`;
  }
  return undefined;
}

function shownPath(file: string): string {
  return relative(process.cwd(), file);
}
