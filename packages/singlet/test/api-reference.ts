import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { format } from 'prettier';

/*
 * Pages of reference, from declaration files: each exported name with its signature, its doc comment and its members. A declaration that
 * several entries export is on the page of the first one; the others link to it.
 */

/** An entry of a package, as it is imported, and the page that describes it. */
export interface ReferencedEntry {
  /** `singlet/testing`. */
  readonly specifier: string;
  /** Path of its declaration file. */
  readonly types: string;
  /** Name of its page, without a folder. */
  readonly page: string;
  /** A sentence on what it is for. */
  readonly summary: string;
}

/** An exported declaration, with all overloads. */
interface Export {
  readonly name: string;
  readonly declarations: readonly Declaration[];
  /** The page and heading that describe it. */
  readonly page: string;
  readonly anchor: string;
  /** Whether an earlier entry's page describes it. */
  readonly isElsewhere: boolean;
  /** Whether the entry exports it. Otherwise it is a type that exported signatures mention. */
  readonly isExported: boolean;
}

interface Declaration {
  /** Its file. */
  readonly path: string;
  /** Its file and name in that file. */
  readonly key: string;
  readonly doc: string;
  readonly lines: readonly string[];
}

interface DeclarationFile {
  readonly local: ReadonlyMap<string, readonly Declaration[]>;
  readonly elsewhere: ReadonlyMap<string, { readonly from: string; readonly name: string }>;
  readonly exported: readonly string[];
}

const start = /^(?:export |declare |abstract )*(?:class|function|const|let|interface|type|enum) ([\w$]+)/;
const kinds = ['function', 'const', 'class', 'interface', 'type'];

/**
 * @returns for each entry its exports (functions and constants first, then classes, then types), and after them the object types that these
 *   mention and no entry exports.
 */
export function exportsOfEntries(entries: readonly ReferencedEntry[]): ReadonlyMap<ReferencedEntry, readonly Export[]> {
  const files = new Map<string, DeclarationFile>();
  const described = new Map<string, { page: string; anchor: string }>();
  const anchorsOf = new Map(entries.map(({ page }) => [page, new Map<string, number>()]));
  const describe = (name: string, declarations: readonly Declaration[], page: string, isExported: boolean): Export => {
    const key = declarations[0]?.key ?? `${page} ${name}`;
    const known = described.get(key);
    if (known !== undefined) return { name, declarations, ...known, isElsewhere: true, isExported };
    const place = { page, anchor: nextAnchor(name, anchorsOf.get(page)) };
    described.set(key, place);
    return { name, declarations, ...place, isElsewhere: false, isExported };
  };
  const exported = entries.map((entry): [ReferencedEntry, Export[]] => {
    const names = fileAt(files, entry.types).exported;
    const found = names.map((name) => ({ name, declarations: declarationsOf(files, entry.types, name) }));
    const ordered = found.toSorted((a, b) => rank(a.declarations) - rank(b.declarations) || compare(a.name, b.name));
    return [entry, ordered.map(({ name, declarations }) => describe(name, declarations, entry.page, true))];
  });
  for (const [{ page }, exports] of exported) {
    const waiting = exports.flatMap(({ declarations }) => declarations);
    const mentioned: { name: string; declarations: readonly Declaration[] }[] = [];
    const seen = new Set<string>();
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      for (const name of namesIn(next.lines)) {
        const declarations = declarationsOf(files, next.path, name);
        const [first] = declarations;
        if (first === undefined || described.has(first.key) || seen.has(first.key)) continue;
        seen.add(first.key);
        if (isObject(first)) mentioned.push({ name, declarations });
        waiting.push(...declarations);
      }
    }
    const ordered = mentioned.toSorted((a, b) => compare(a.name, b.name));
    exports.push(...ordered.map(({ name, declarations }) => describe(name, declarations, page, false)));
  }
  return new Map(exported);
}

/** The id that a repository browser and the site give to a heading. */
function nextAnchor(name: string, used = new Map<string, number>()): string {
  const slug = name.toLowerCase().replaceAll(/[^\w-]/g, '');
  const count = used.get(slug) ?? 0;
  used.set(slug, count + 1);
  return count === 0 ? slug : `${slug}-${String(count)}`;
}

function namesIn(lines: readonly string[]): readonly string[] {
  return [...withoutComments(lines).matchAll(/(?<![.\w$'"])[A-Z][\w$]*/g)].map(([name]) => name);
}

function rank(declarations: readonly Declaration[]): number {
  return kinds.indexOf(kindOf(declarations[0]?.lines[0] ?? ''));
}

function kindOf(line: string): string {
  return /\b(class|function|const|interface|type)\b/.exec(line)?.[1] ?? '';
}

function compare(a: string, b: string): number {
  return a < b ? -1 : 1;
}

function declarationsOf(files: Map<string, DeclarationFile>, path: string, name: string): readonly Declaration[] {
  const { local, elsewhere } = fileAt(files, path);
  const there = elsewhere.get(name);
  if (there === undefined) return local.get(name) ?? [];
  return declarationsOf(files, join(dirname(path), there.from.replace(/(\.d)?\.ts$/, '.d.ts')), there.name);
}

function fileAt(files: Map<string, DeclarationFile>, path: string): DeclarationFile {
  const known = files.get(path) ?? readDeclarations(path);
  files.set(path, known);
  return known;
}

/** Reads a file as the compiler writes it: statements begin in the first column, members are indented by four. */
function readDeclarations(path: string): DeclarationFile {
  const local = new Map<string, Declaration[]>();
  const elsewhere = new Map<string, { from: string; name: string }>();
  const exported: string[] = [];
  const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n') : [];
  let doc: string[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    if (line.startsWith('/**')) {
      const end = lines.findIndex((later, index) => index >= at && later.trimEnd().endsWith('*/'));
      doc = lines.slice(at, end + 1);
      at = end;
    } else if (/^(import|export) (type )?\{/.test(line)) {
      const end = lines.findIndex((later, index) => index >= at && /\}( from .*)?;$/.test(later));
      readList(lines.slice(at, end + 1).join(' '), exported, elsewhere);
      at = end;
      doc = [];
    } else {
      const name = start.exec(line)?.[1];
      if (name === undefined) continue;
      if (line.startsWith('export ') && !exported.includes(name)) exported.push(name);
      let end = at + 1;
      while (end < lines.length && !beginsStatement(lines, end)) end += 1;
      const declaration = { path, key: `${path} ${name}`, doc: textOf(doc), lines: trimmed(lines.slice(at, end)) };
      local.set(name, [...(local.get(name) ?? []), declaration]);
      at = end - 1;
      doc = [];
    }
  }
  return { local, elsewhere, exported };
}

/** Whether a statement, or the comment of one, begins at a line. Comments within a union are in the first column, too. */
function beginsStatement(lines: readonly string[], at: number): boolean {
  const line = lines[at] ?? '';
  if (!line.startsWith('/**')) return start.test(line) || /^(import|export|\/\/)/.test(line);
  const end = lines.findIndex((later, index) => index >= at && later.trimEnd().endsWith('*/'));
  return start.test(lines[end + 1] ?? '') || (lines[end + 1] ?? '').startsWith('export ');
}

function trimmed(lines: readonly string[]): readonly string[] {
  return lines.filter((line) => line.trim() !== '');
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

/** The text of a doc comment, without its stars. */
function textOf(comment: readonly string[]): string {
  const lines = comment.map((line) =>
    line
      .trim()
      .replace(/^\/\*\*/, '')
      .replace(/\*\/$/, '')
      .replace(/^\* ?/, '')
      .trimEnd(),
  );
  return lines.join('\n').trim();
}

/** @returns the page of an entry, as Markdown. */
export async function pageOfEntry(
  entry: ReferencedEntry,
  entries: ReadonlyMap<ReferencedEntry, readonly Export[]>,
): Promise<string> {
  const exports = entries.get(entry) ?? [];
  const known = new Map<string, Export>();
  for (const each of [...entries.values()].flat()) if (!known.has(each.name)) known.set(each.name, each);
  for (const each of exports) known.set(each.name, each);
  const link = (name: string, text = name): string | undefined => {
    const target = known.get(name.split('.')[0] ?? '');
    return target && `[\`${text}\`](${target.page === entry.page ? '' : target.page}#${target.anchor})`;
  };
  const own = exports.filter(({ isElsewhere, isExported }) => !isElsewhere && isExported);
  const mentioned = exports.filter(({ isElsewhere, isExported }) => !isElsewhere && !isExported);
  const others = exports.filter(({ isElsewhere, isExported }) => isElsewhere && isExported);
  const sections: string[] = [];
  for (const each of own) sections.push(await sectionOf(each, link));
  const elsewhere =
    others.length === 0
      ? []
      : [`## Described elsewhere\n\n${others.map(({ name }) => `- ${link(name) ?? name}\n`).join('')}`];
  const types =
    mentioned.length === 0 ? [] : ['## Types that are not exported\n\nSignatures on this page mention them.\n'];
  for (const each of mentioned) types.push((await sectionOf(each, link)).replace('## ', '### '));
  return [
    `# ${entry.specifier}\n\n${entry.summary} This page is generated from the sources; [the index](README.md) lists all entries.\n`,
    ...sections,
    ...elsewhere,
    ...types,
  ].join('\n');
}

/** @returns the index: every entry with its summary and its exports. */
export function indexOfEntries(introduction: string, entries: ReadonlyMap<ReferencedEntry, readonly Export[]>): string {
  const sections = [...entries].map(([{ specifier, page, summary }, exports]) => {
    const links = exports
      .filter(({ isExported }) => isExported)
      .map((each) => `[\`${each.name}\`](${each.page}#${each.anchor})`);
    return `## [${specifier}](${page})\n\n${summary}\n\n${links.join(', ')}\n`;
  });
  return [introduction, ...sections].join('\n');
}

type Link = (name: string, text?: string) => string | undefined;

async function sectionOf({ name, declarations }: Export, link: Link): Promise<string> {
  const [first] = declarations;
  const head = first?.lines[0] ?? '';
  const hasMembers = first !== undefined && (isObject(first) || kindOf(head) === 'class');
  const parts = [`## ${name}\n`];
  const docs = [...new Set(declarations.map(({ doc }) => doc).filter((doc) => doc !== ''))];
  if (hasMembers) parts.push(`\`${headOf(head)}\`\n`);
  else for (const { lines } of declarations) parts.push(fence(await formatted(withoutComments(lines))));
  for (const doc of docs) parts.push(`${prose(doc, link, '')}\n`);
  const members = declarations.flatMap(({ lines }) => membersOf(lines.slice(1), hasMembers));
  if (members.length > 0) {
    parts.push(members.map((member) => bullet(member, link)).join(''));
  }
  const mentioned = new Set(declarations.flatMap(({ lines }) => namesIn(lines)));
  mentioned.delete(name);
  const types = [...mentioned].toSorted().flatMap((type) => link(type) ?? []);
  if (types.length > 0) parts.push(`Types: ${types.join(', ')}\n`);
  return parts.join('\n');
}

/** Whether it is an interface or an object type, rather than a class, a union or a computed type. */
function isObject({ lines }: Declaration): boolean {
  const [head = ''] = lines;
  const isUnion = lines.some((line) => /^\} (\||&)/.test(line));
  return kindOf(head) === 'interface' || (!isUnion && /^(export |declare )*type [^=]*= (\w+<)?\{$/.test(head));
}

/** Long computed types are not coloured, because colours are three quarters of a page. */
function fence(code: string): string {
  return `\`\`\`${code.split('\n').length > 5 ? 'text' : 'ts'}\n${code}\n\`\`\`\n`;
}

function headOf(line: string): string {
  return line
    .replace(/^export /, '')
    .replace(/^declare /, '')
    .replace(/ = (\w+<)?\{$/, '')
    .replace(/ \{$/, '');
}

function withoutComments(lines: readonly string[]): string {
  return lines.join('\n').replaceAll(/\/\*[\s\S]*?\*\//g, '');
}

/** A signature, broken into lines as all code is. */
async function formatted(declaration: string): Promise<string> {
  const declared = declaration.replace(/^export /, '').replace(/^(?!declare )/, 'declare ');
  const text = await format(declared, { parser: 'typescript', printWidth: 100, singleQuote: true });
  return text
    .trim()
    .replace(/^declare /, '')
    .replaceAll(/\n\s*\n/g, '\n');
}

interface Member {
  readonly signature: string;
  readonly doc: string;
  readonly depth: number;
}

/**
 * The members of a declaration. A nested member is listed only if it has a comment of its own, because the signature of the outer one
 * shows it.
 */
function membersOf(lines: readonly string[], hasMembers: boolean): readonly Member[] {
  const found: Member[] = [];
  let doc: readonly string[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    if (line.trim().startsWith('/**')) {
      const end = lines.findIndex((later, index) => index >= at && later.trimEnd().endsWith('*/'));
      doc = lines.slice(at, end + 1);
      at = end;
      continue;
    }
    const indent = line.length - line.trimStart().length;
    const isListed = doc.length > 0 || (hasMembers && indent === 4 && /^\s*[\w["[]/.test(line));
    if (isListed && !/^\s*(private|#)/.test(line)) {
      let end = at + 1;
      while (end < lines.length && isInside(lines[end] ?? '', indent)) end += 1;
      found.push({ signature: collapsed(lines.slice(at, end)), doc: textOf(doc), depth: indent / 4 });
    }
    doc = [];
  }
  const least = Math.min(...found.map(({ depth }) => depth));
  return found.map((member) => ({ ...member, depth: Math.round(member.depth - least) }));
}

function isInside(line: string, indent: number): boolean {
  const own = line.length - line.trimStart().length;
  return own > indent || (own === indent && /^[)}\]|&]/.test(line.trimStart()));
}

function collapsed(lines: readonly string[]): string {
  return withoutComments(lines)
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replace(/;$/, '')
    .replace(/^\| /, '')
    .replaceAll(/\breadonly (?=[\w["])/g, '')
    .replaceAll(/; \}/g, ' }');
}

function bullet({ signature, doc, depth }: Member, link: Link): string {
  const indent = '  '.repeat(depth);
  const text = doc === '' ? '' : `: ${prose(doc, link, `${indent}  `)}`;
  return `${indent}- \`${signature}\`${text}\n`;
}

/** A doc comment as Markdown: its links, and its tags as lists. */
function prose(doc: string, link: Link, indent: string): string {
  const linked = doc.replaceAll(/\{@link\s+([\w.]+)\s*\}/g, (_, name: string) => link(name, name) ?? `\`${name}\``);
  const [text = '', ...tags] = linked.split(/\n(?=@)|^(?=@)/);
  const items = tags.filter((tag) => tag !== '').map((tag) => tagLine(tag.replaceAll(/\s*\n\s*/g, ' '), link));
  const isList = items.length > 0;
  return [text.trim(), ...(isList ? [items.map((item) => `- ${item}`).join('\n')] : [])]
    .filter((part) => part !== '')
    .join('\n\n')
    .split('\n')
    .map((line, at) => (at === 0 || line === '' ? line : indent + line))
    .join('\n');
}

function tagLine(tag: string, link: Link): string {
  const [, kind = '', rest = ''] = /^@(\w+)\s*(.*)$/.exec(tag) ?? [];
  if (kind === 'param') {
    const [, name = '', text = ''] = /^([\w.[\]]+)\s*(?:-\s*)?(.*)$/.exec(rest) ?? [];
    return `\`${name}\`: ${text}`;
  }
  if (kind === 'returns') return `Returns ${rest}`;
  if (kind === 'throws') {
    return `Throws ${rest.replace(/^\{([\w. |]+)\}/, (_, name: string) => link(name) ?? `\`${name}\``)}`;
  }
  return `${kind}: ${rest}`;
}
