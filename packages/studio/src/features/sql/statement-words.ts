// Completions for a statement, and the history of statements that were run.

export interface Vocabulary {
  readonly tables: readonly {
    readonly name: string;
    readonly indexes: readonly string[];
    readonly attributes: readonly string[];
  }[];
  /** Names of entities by table. */
  readonly entities: ReadonlyMap<string, readonly string[]>;
}

export interface Completion {
  /** The start of the text to replace. */
  readonly from: number;
  readonly choices: readonly string[];
}

const keywords: readonly string[] =
  'SELECT FROM WHERE AND OR NOT IN BETWEEN IS MISSING ORDER BY ASC DESC INSERT INTO VALUE UPDATE SET REMOVE DELETE RETURNING begins_with( contains( size( attribute_type('.split(
    ' ',
  );
const choicesMax = 8;

/** Completions before the caret: tables and indexes after FROM, entities in a string, otherwise attributes and keywords. */
export function completionsOf(text: string, caret: number, vocabulary: Vocabulary): Completion | undefined {
  const before = text.slice(0, caret);
  const table = tableOf(text, vocabulary);
  const [, literal] = /=\s*'([^']*)$/.exec(before) ?? [];
  if (literal !== undefined) {
    const names = (table && vocabulary.entities.get(table.name)) ?? [];
    return fitting(caret - literal.length, literal, names);
  }
  if (isInText(before)) return undefined;
  const [, place] = /\b(?:FROM|INTO|UPDATE)\s+((?:"[^"]*"|[\w.])*(?:"[^"]*)?)$/i.exec(before) ?? [];
  if (place !== undefined) {
    const places = vocabulary.tables.flatMap(({ name, indexes }) => [
      quoted(name),
      ...indexes.map((index) => `${quoted(name)}.${quoted(index)}`),
    ]);
    return fitting(caret - place.length, place, places);
  }
  const [word = ''] = /"?\w+$/.exec(before) ?? [];
  if (word === '') return undefined;
  return fitting(caret - word.length, word, [...(table?.attributes ?? []).map(quoted), ...keywords]);
}

/** The table that a statement names. */
export function tableOf(text: string, { tables }: Vocabulary): Vocabulary['tables'][number] | undefined {
  const [, name] = /\b(?:FROM|INTO|UPDATE)\s+"?([\w.-]+?)"?(?:\s|\.|$)/i.exec(text) ?? [];
  return tables.find((table) => table.name === name);
}

function fitting(from: number, typed: string, names: readonly string[]): Completion | undefined {
  const wanted = typed.replaceAll('"', '').toLowerCase();
  const plain = (name: string): string => name.replaceAll('"', '').toLowerCase();
  const fit = names.filter((name) => plain(name).startsWith(wanted) && name !== typed);
  return fit.length === 0 ? undefined : { from, choices: [...new Set(fit)].slice(0, choicesMax) };
}

function isInText(before: string): boolean {
  return (before.match(/'/g)?.length ?? 0) % 2 === 1;
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** A statement without its values, which may be personal data. */
export function withoutValues(statement: string): string {
  return statement
    .replaceAll(/'(?:[^']|'')*'/g, '?')
    .replaceAll(/(?<![\w"#])-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w"])/g, '?')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

const storageKey = 'singlet.statements';
const keptMax = 50;

/** Statements that were run, the most recent first. */
export function statementHistory(): readonly string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(storageKey) ?? '[]');
    return Array.isArray(kept) ? kept.filter((each) => typeof each === 'string') : [];
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}

export function keepStatement(statement: string): readonly string[] {
  const kept = withoutValues(statement);
  const history = [kept, ...statementHistory().filter((each) => each !== kept)].slice(0, keptMax);
  localStorage.setItem(storageKey, JSON.stringify(history));
  return history;
}
