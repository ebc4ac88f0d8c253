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
 * @param model - the name of the model, if the file may declare several.
 * @returns undefined if the model is not written out as literal sections.
 */
export function placeInFile(source: string, path: string, model?: string): PlaceInFile | undefined {
  const [section = '', ...names] = path.split('.');
  const declared = model === undefined ? 0 : Math.max(0, source.search(declaration(model)));
  const begins = source.slice(declared).search(new RegExp(`\\.${sections[section] ?? section}\\s*\\(`));
  if (begins < 0) return undefined;
  let at = declared + begins + 1;
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

/** `model('shop')` */
function declaration(model: string): RegExp {
  return new RegExp(`\\bmodel\\s*\\(\\s*['"\`]${model.replaceAll(/[^\w$]/g, '\\$&')}['"\`]`);
}

/** Sections that are written inside the call of another. */
const sections: Readonly<Record<string, string>> = { storage: 'keys' };
