/** A position in a text, both from 1. */
export interface PlaceInFile {
  /** The line, from 1. */
  readonly line: number;
  /** The column, from 1. */
  readonly column: number;
}

/**
 * Where a finding's path is in the source of a model: `served.openOrders` is the member `openOrders` in the argument of `.served(`.
 *
 * @returns undefined if the model is not written out as literal sections.
 */
export function placeInFile(source: string, path: string): PlaceInFile | undefined {
  const [section = '', ...names] = path.split('.');
  const begins = source.search(new RegExp(`\\.${sections[section] ?? section}\\s*\\(`));
  if (begins < 0) return undefined;
  let at = begins + 1;
  for (const name of names) {
    const found = new RegExp(`(?<![\\w$.])['"\`]?${name.replaceAll(/[^\w$]/g, '\\$&')}['"\`]?\\s*:`).exec(
      source.slice(at),
    );
    if (found === null) break;
    at += found.index;
  }
  const before = source.slice(0, at).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

/** Sections that are written inside the call of another. */
const sections: Readonly<Record<string, string>> = { storage: 'keys' };
