import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * The undocumented exports of a package's entry: exported names, and members of exported interfaces, classes
 * and object types, that have no doc comment in the declaration files.
 *
 * Exempt are constructors without parameters, members of classes that implement an interface or extend a class, which
 * document them there, and the alternatives of a union, which the type's own comment covers.
 *
 * @param entry - path of the entry's declaration file.
 * @returns `name` and `name.member`, in the order of the entry.
 */
export function undocumentedExports(entry: string): readonly string[] {
  const files = new Map<string, DeclarationFile>();
  const fileAt = (path: string): DeclarationFile => {
    const known = files.get(path) ?? readDeclarations(path);
    files.set(path, known);
    return known;
  };
  return fileAt(entry).exported.flatMap((name) => {
    const declarations = find(fileAt, entry, name);
    if (declarations === undefined) return [`${name}: no declaration was found`];
    const undocumented = declarations.some(({ isDocumented }) => isDocumented) ? [] : [name];
    return [...undocumented, ...declarations.flatMap(({ members }) => members.map((member) => `${name}.${member}`))];
  });
}

interface Declaration {
  readonly isDocumented: boolean;
  /** Names of members without a comment. */
  readonly members: readonly string[];
}

interface DeclarationFile {
  /** Several of one name are overloads: one comment is enough for all. */
  readonly local: ReadonlyMap<string, readonly Declaration[]>;
  readonly elsewhere: ReadonlyMap<string, { readonly from: string; readonly name: string }>;
  readonly exported: readonly string[];
}

function find(
  fileAt: (path: string) => DeclarationFile,
  path: string,
  name: string,
): readonly Declaration[] | undefined {
  const { local, elsewhere } = fileAt(path);
  const there = elsewhere.get(name);
  if (there === undefined) return local.get(name);
  return find(fileAt, join(dirname(path), there.from.replace(/(\.d)?\.ts$/, '.d.ts')), there.name);
}

const statementStart = /^(?:export |declare |abstract )*(?:class|function|const|let|interface|type|enum) ([\w$]+)/;

function readDeclarations(path: string): DeclarationFile {
  const local = new Map<string, Declaration[]>();
  const elsewhere = new Map<string, { from: string; name: string }>();
  const exported: string[] = [];
  const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n') : [];
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    if (/^(import|export) (type )?\{/.test(line)) {
      const from = at;
      while (!/\}( from .*)?;$/.test(lines[at] ?? ';}')) at += 1;
      readList(lines.slice(from, at + 1).join(' '), exported, elsewhere);
      continue;
    }
    const name = statementStart.exec(line)?.[1];
    if (name === undefined) continue;
    if (line.startsWith('export ') && !exported.includes(name)) exported.push(name);
    const end = lines.findIndex((later, index) => index > at && (/^[}\])]/.test(later) || /^\S/.test(later)));
    const isUnion = /^} (\||&) \{?/.test(lines[end] ?? '');
    const body = line.endsWith('{') && end > at && !isUnion ? lines.slice(at + 1, end) : [];
    const isDocumented = isAfterComment(lines, at);
    local.set(name, [...(local.get(name) ?? []), { isDocumented, members: undocumentedMembers(line, body) }]);
  }
  return { local, elsewhere, exported };
}

function readList(statement: string, exported: string[], elsewhere: Map<string, { from: string; name: string }>): void {
  const [, verb, names = '', from] =
    /^(import|export) (?:type )?\{([^}]*)\}(?: from ['"]([^'"]+)['"])?/.exec(statement) ?? [];
  for (const part of names.split(',')) {
    const [name = '', as = name] = part
      .trim()
      .replace(/^type /, '')
      .split(' as ');
    if (name === '') continue;
    if (verb === 'export') exported.push(as);
    if (from?.startsWith('.') === true) elsewhere.set(as, { from, name });
  }
}

/** The top-level members of an interface, a class or an object type. */
function undocumentedMembers(head: string, body: readonly string[]): readonly string[] {
  if (!/\b(interface|class)\b/.test(head) && !/^(export |declare )*type [^=]*= (\w+<)?\{$/.test(head)) return [];
  const isDerived = /\bclass\b.*\b(implements|extends)\b/.test(head);
  const seen = new Set<string>();
  return body.flatMap((line, at) => {
    const member =
      /^ {4}(?! )(?:readonly |static |get |set |abstract |override |protected )*(\[?[\w$.]+\]?|"[^"]+")[?(<:]/.exec(
        line,
      );
    const [, name = ''] = member ?? [];
    if (name === '' || /^ {4}(private|#)/.test(line) || seen.has(name)) return [];
    seen.add(name);
    if (isDerived || name === '[Symbol.asyncDispose]' || /^ {4}constructor\(\);/.test(line)) return [];
    return isAfterComment(body, at) ? [] : [name];
  });
}

function isAfterComment(lines: readonly string[], at: number): boolean {
  return (lines[at - 1] ?? '').trimEnd().endsWith('*/');
}
