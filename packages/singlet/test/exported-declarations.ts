import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/**
 * The exports of a package's entry, from its declaration files: each exported name with its declaration, and every
 * declaration of the package that these refer to, without comments.
 *
 * @param entry - path of the entry's declaration file.
 * @param root - folder of the package's declaration files.
 * @param beside - the declaration file of another entry. Declarations that both refer to are listed only there.
 */
export function exportedDeclarations(entry: string, root: string, beside?: string): string {
  const surface = new Surface(root);
  const told = beside === undefined ? new Set<string>() : new Surface(root).all(beside);
  const names = surface.exportsOf(entry).toSorted();
  const exported = names.map((name) => surface.take(entry, name));
  return [
    ...exported.map((found, at) => found ?? `${names[at] ?? ''}: no declaration was found`),
    '// What these are made of',
    ...surface.rest(told),
    '',
  ].join('\n\n');
}

interface Declaration {
  readonly file: string;
  readonly text: string;
}

/** A declaration file, statement by statement. The compiler starts each in the first column. */
interface Declarations {
  readonly local: ReadonlyMap<string, string>;
  /** Names imported from another file of the package, and their names there. */
  readonly elsewhere: ReadonlyMap<string, { readonly from: string; readonly name: string }>;
  readonly exported: readonly string[];
}

class Surface {
  readonly #root: string;
  readonly #files = new Map<string, Declarations>();
  /** By file and name: first the exports, then the declarations that they refer to, as they are found. */
  readonly #found = new Map<string, string>();
  readonly #isExported = new Set<string>();
  readonly #waiting: Declaration[] = [];

  constructor(root: string) {
    this.#root = root;
  }

  exportsOf(file: string): readonly string[] {
    return this.#read(file).exported;
  }

  /** The declaration of an exported name. */
  take(file: string, name: string): string | undefined {
    const key = this.#find(file, name);
    if (key === undefined) return undefined;
    this.#isExported.add(key);
    return `// ${name}\n${this.#found.get(key) ?? ''}`;
  }

  /** Everything that an entry exports or refers to, by file and name. */
  all(entry: string): ReadonlySet<string> {
    for (const name of this.exportsOf(entry)) this.take(entry, name);
    this.rest(new Set());
    return new Set(this.#found.keys());
  }

  /** All others, except those listed elsewhere, by file and name. */
  rest(told: ReadonlySet<string>): readonly string[] {
    for (let next = this.#waiting.pop(); next !== undefined; next = this.#waiting.pop()) {
      const { file, text } = next;
      for (const [, from = '', name = ''] of text.matchAll(/import\("([^"]+)"\)\.(\w+)/g)) {
        if (from.startsWith('.')) this.#find(declarationFile(file, from), name);
      }
      for (const [name] of text.matchAll(/(?<![.\w$])[A-Za-z_$][\w$]*/g)) this.#find(file, name);
    }
    return [...this.#found]
      .filter(([key]) => !this.#isExported.has(key) && !told.has(key))
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, text]) => `// ${key}\n${text}`);
  }

  /** @returns its key, `file name`; undefined for names that the package does not declare. */
  #find(file: string, name: string): string | undefined {
    const declarations = this.#read(file);
    const elsewhere = declarations.elsewhere.get(name);
    if (elsewhere !== undefined) return this.#find(declarationFile(file, elsewhere.from), elsewhere.name);
    const text = declarations.local.get(name);
    if (text === undefined) return undefined;
    const key = `${relative(this.#root, file).replaceAll('\\', '/')} ${name}`;
    if (!this.#found.has(key)) {
      this.#found.set(key, text);
      this.#waiting.push({ file, text });
    }
    return key;
  }

  #read(file: string): Declarations {
    const known = this.#files.get(file);
    if (known !== undefined) return known;
    const read = existsSync(file) ? declarationsOf(readFileSync(file, 'utf8')) : declarationsOf('');
    this.#files.set(file, read);
    return read;
  }
}

function declarationFile(from: string, specifier: string): string {
  return join(dirname(from), specifier.replace(/(\.d)?\.ts$/, '.d.ts'));
}

function declarationsOf(text: string): Declarations {
  const local = new Map<string, string>();
  const elsewhere = new Map<string, { from: string; name: string }>();
  const exported: string[] = [];
  for (const statement of statementsOf(text)) {
    const list = /^(import|export) (?:type )?\{([^}]*)\}(?: from ['"]([^'"]+)['"])?/.exec(statement);
    if (list !== null) {
      const [, verb, names = '', from] = list;
      for (const part of names.split(',')) {
        const [name = '', as = name] = part
          .trim()
          .replace(/^type /, '')
          .split(' as ');
        if (name === '') continue;
        if (verb === 'export') exported.push(as);
        if (from?.startsWith('.') === true) elsewhere.set(as, { from, name });
      }
      continue;
    }
    const named =
      /^(export )?(?:declare )?(?:abstract )?(?:class|function|const|let|interface|type|enum) ([\w$]+)/.exec(statement);
    const name = named?.[2];
    if (name === undefined) continue;
    if (named?.[1] !== undefined && !exported.includes(name)) exported.push(name);
    // Overloads are several statements.
    local.set(name, [local.get(name), statement].filter((each) => each !== undefined).join('\n'));
  }
  return { local, elsewhere, exported };
}

function statementsOf(text: string): readonly string[] {
  const statements: string[] = [];
  const code = text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/^\/\/.*$/gm, '');
  for (const line of code.split('\n')) {
    if (line.trim() === '') continue;
    if (/^(?:export|import|declare|interface|type|abstract|class|function|const|let|enum)\b/.test(line))
      statements.push(line);
    else if (statements.length > 0) statements.push(`${statements.pop() ?? ''}\n${line}`);
  }
  return statements.map((statement) => statement.trimEnd());
}
