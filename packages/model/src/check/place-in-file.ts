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
  let within = membersIn(source, source.indexOf('(', at) + 1);
  for (const name of names) {
    // A pattern may have the name of a property of another one, such as `order`.
    const found = within.filter((member) => member.name === name).sort((a, b) => a.depth - b.depth)[0];
    if (found === undefined) break;
    at = found.at;
    within = membersIn(source, found.value);
  }
  const before = source.slice(0, at).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

/** A member of an object literal: where it begins, and where its value does. */
interface Member {
  readonly name: string;
  readonly at: number;
  readonly value: number;
  /** The brackets around it, since the beginning of the text that is looked at. */
  readonly depth: number;
}

const comment = String.raw`\/\/[^\n]*|\/\*[^]*?\*\/`;
const text = String.raw`'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|\x60(?:\\[^]|[^\x60\\])*\x60`;
/** Only where no operand can be in front of it: elsewhere, a slash divides. */
const pattern = String.raw`(?<=[(,=:[!&|?{};]\s*)\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/`;
const tokens = new RegExp(`${comment}|${pattern}|(?<name>${text}|[\\w$]+)(?<colon>\\s*:)?|[()[\\]{},]`, 'g');

/** The members of all objects from here to the end of the value or of the arguments that begin here. */
function membersIn(source: string, from: number): Member[] {
  const members: Member[] = [];
  let depth = 0;
  for (const { 0: token, index, groups } of source.slice(from).matchAll(tokens)) {
    if (/^[([{]$/.test(token)) depth += 1;
    else if (/^[)\]}]$/.test(token)) depth -= 1;
    else if (groups?.['colon'] !== undefined)
      members.push({
        name: (groups['name'] ?? '').replaceAll(/^['"`]|['"`]$/g, ''),
        at: from + index,
        value: from + index + token.length,
        depth,
      });
    if (depth < 0 || (depth === 0 && token === ',')) break;
  }
  return members;
}

/** `model('shop')` */
function declaration(model: string): RegExp {
  return new RegExp(`\\bmodel\\s*\\(\\s*['"\`]${model.replaceAll(/[^\w$]/g, '\\$&')}['"\`]`);
}

/** Sections that are written inside the call of another. */
const sections: Readonly<Record<string, string>> = { storage: 'keys' };
