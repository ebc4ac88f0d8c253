import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { check, type OperationText } from '@singlet/model/check';
import { costOf } from '@singlet/model/cost';
import type { Model } from '@singlet/model';

// The pages of strategies and patterns have two parts. A writer writes the first: question, how, when, cost, when not. The second is
// generated from the live example (decision 0117): its code, what the checker plans for it, the units of a call, and what its tests show.

const root = fileURLToPath(new URL('..', import.meta.url));

/** What begins the generated part of a page. */
export const mark = '<!-- The rest of this page is generated from the example. -->';

/** Parts that a writer provides, in their order. */
export const parts = ['How', 'When', 'Cost', 'When not'] as const;

export const kinds = [
  { letter: 'S', count: 85, folder: 'strategies', title: 'Strategies' },
  { letter: 'P', count: 55, folder: 'patterns', title: 'Patterns' },
] as const;

export type Kind = (typeof kinds)[number];

export function idsOf({ letter, count }: Kind): readonly string[] {
  return Array.from({ length: count }, (_, n) => `${letter}-${String(n + 1).padStart(2, '0')}`);
}

export function pagePath({ folder }: Kind, id: string): string {
  return `docs/${folder}/${id.toLowerCase()}.md`;
}

interface Source {
  /** From the root of the repository. */
  readonly file: string;
  readonly text: string;
}

function sourcesOf({ folder }: Kind): readonly Source[] {
  return readdirSync(`${root}systems/${folder}`)
    .filter((name) => name.endsWith('.ts'))
    .sort()
    .map((name) => ({
      file: `systems/${folder}/${name}`,
      text: readFileSync(`${root}systems/${folder}/${name}`, 'utf8'),
    }));
}

/** A declaration whose comment names an id. */
interface Declared {
  readonly file: string;
  readonly name: string;
  readonly code: string;
}

/** @returns the exported declarations whose comment names the id, with their comments. */
function declarationsOf(id: string, sources: readonly Source[]): readonly Declared[] {
  return sources
    .filter(({ file }) => !file.endsWith('.test.ts'))
    .flatMap(({ file, text }) =>
      statementsOf(text)
        .filter(({ comment, name }) => name !== undefined && new RegExp(`\\b${id}\\b`).test(comment))
        .map(({ code, name = '' }) => ({ file, name, code })),
    );
}

interface Statement {
  readonly comment: string;
  readonly name: string | undefined;
  readonly code: string;
}

/** Top-level statements with a comment. Formatted code has nothing at the start of a line but statements and their ends. */
function statementsOf(text: string): readonly Statement[] {
  return [...text.matchAll(/^\/\*\*(?:[^*]|\*(?!\/))*\*\/\n(?=export )/gm)].map((found) => {
    const comment = found[0];
    const rest = text.slice(found.index + comment.length);
    const end = rest.search(/\n+(?=\n[^\s)\]}.])/);
    const code = (end === -1 ? rest : rest.slice(0, end)).trimEnd();
    return {
      comment,
      name: /^export (?:async )?(?:const|function|class|interface|type) (\w+)/.exec(code)?.[1],
      code: `${comment}${code}`,
    };
  });
}

/** Tests named by an id, with their code. */
function testsOf(id: string, sources: readonly Source[]): readonly Declared[] {
  return sources
    .filter(({ file }) => file.endsWith('.test.ts'))
    .flatMap(({ file, text }) =>
      [...text.matchAll(new RegExp(`^(?:test\\(|\\] as const\\)\\()'${id} ((?:[^'\\\\]|\\\\.)*)'`, 'gm'))].map(
        (found) => {
          const start = found[0].startsWith('test') ? found.index : text.lastIndexOf('\ntest.each', found.index) + 1;
          const end = text.indexOf('\n});\n', found.index);
          return { file, name: (found[1] ?? '').replaceAll("\\'", "'"), code: text.slice(start, end + 4) };
        },
      ),
    );
}

/** @returns the generated part of a page, mark included. */
export async function examplePart(kind: Kind, id: string): Promise<string> {
  const sources = sourcesOf(kind);
  const declared = declarationsOf(id, sources);
  const tests = testsOf(id, sources);
  const shown = declared.length > 0 ? declared : tests.map(({ file, name, code }) => ({ file, name, code }));
  const links = [...new Set([...shown, ...tests].map(({ file }) => file))].map((file) => `[${file}](../../${file})`);
  const plans = await plansOf(id, declared);
  return [
    mark,
    '## Example',
    `From ${new Intl.ListFormat('en-GB').format(links)}. To run it in a checkout: \`npx vitest run systems/${kind.folder} -t '${id}'\`.`,
    ...shown.map(({ code }) => `\`\`\`ts\n${code}\n\`\`\``),
    ...(plans === '' ? [] : ['What the checker plans, with the units of one call:', `\`\`\`text\n${plans}\n\`\`\``]),
    'Its tests show:',
    tests.map(({ name }) => `- ${asSentence(name)}`).join('\n'),
    ...rulesOf(id),
  ]
    .join('\n\n')
    .concat('\n');
}

function asSentence(name: string): string {
  const text = name.replace(/:? ?%s.*$/, '');
  return `${text[0]?.toUpperCase() ?? ''}${text.slice(1)}.`;
}

interface Row {
  readonly pattern: string;
  readonly operation: string;
  readonly condition: string;
  readonly units: string;
}

/** The plans of patterns that name the strategy; if none does, of all patterns that read. */
async function plansOf(id: string, declared: readonly Declared[]): Promise<string> {
  const rows: Row[] = [];
  for (const { file, name } of declared) {
    const module = (await import(`${root}${file}`)) as Readonly<Record<string, unknown>>;
    const model = module[name];
    if (!isModel(model)) continue;
    const costs = new Map(costOf(model).patterns.map((cost) => [cost.pattern, cost]));
    const { patterns } = check(model);
    const named = patterns.filter(({ pattern }) => strategyOf(model, pattern) === id);
    const chosen = named.length > 0 ? named : patterns.filter(({ verb }) => verb === 'reads');
    for (const { pattern, served } of chosen) {
      const { readUnits = 0, writeUnits = 0 } = costs.get(pattern) ?? {};
      rows.push({ pattern, ...described(served), units: unitsOf(readUnits, writeUnits) });
    }
  }
  const width = (of: (row: Row) => string): number => Math.max(...rows.map((row) => of(row).length));
  return rows
    .map((row) =>
      [
        row.pattern.padEnd(width(({ pattern }) => pattern)),
        row.operation.padEnd(width(({ operation }) => operation)),
        row.units.padStart(width(({ units }) => units)),
        row.condition,
      ]
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function described(served: OperationText | undefined): Omit<Row, 'pattern' | 'units'> {
  if (served === undefined) return { operation: 'not served', condition: '' };
  const { operation, place, requests, keyCondition = '' } = served;
  return {
    operation: `${operation} on ${place}${requests > 1 ? `, ${requests} requests` : ''}`,
    condition: keyCondition,
  };
}

function unitsOf(read: number, write: number): string {
  const of = (count: number, kind: string): string => `${count} ${kind}`;
  return [...(read > 0 ? [of(read, 'RCU')] : []), ...(write > 0 ? [of(write, 'WCU')] : [])].join(' + ');
}

function isModel(value: unknown): value is Model {
  return typeof value === 'object' && value !== null && 'entities' in value && 'served' in value;
}

function strategyOf(model: Model, pattern: string): string | undefined {
  const declared = model.patterns[pattern];
  return typeof declared === 'object' && 'strategy' in declared ? declared.strategy : undefined;
}

/** Headings of an index, each with its first number. */
const sections: Readonly<Record<Kind['letter'], readonly (readonly [first: number, title: string])[]>> = {
  S: [
    [1, 'The process'],
    [7, 'One table'],
    [19, 'The data layer'],
    [26, 'One-to-many'],
    [33, 'Many-to-many'],
    [39, 'Filtering'],
    [48, 'Sorting'],
    [57, 'Changing the model'],
    [65, 'Uniqueness, numbers, pages and counts'],
    [70, 'Capacity, guards and structures'],
  ],
  P: [
    [1, 'Item collections and relationships'],
    [9, 'Uniqueness, numbers and expiry'],
    [13, 'Large items, hot keys and copies'],
    [21, 'Rules for writes'],
    [27, 'Versions and keys'],
    [30, 'Streams and migrations'],
    [40, 'Further examples'],
  ],
};

/** What begins the generated part of an index. */
export const listMark = '<!-- The list is generated from the pages. -->';

/** @returns the generated part of the index, mark included. */
export function listPart(kind: Kind): string {
  const starts = new Map(sections[kind.letter].map(([first, title]) => [first, title]));
  const lines = idsOf(kind).flatMap((id, index) => {
    const text = readFileSync(`${root}${pagePath(kind, id)}`, 'utf8');
    const title = /^# (.+)$/m.exec(text)?.[1] ?? id;
    const question = /^_(.+)_$/m.exec(text)?.[1] ?? '';
    const heading = starts.get(index + 1);
    return [
      ...(heading === undefined ? [] : [`${index === 0 ? '' : '\n'}## ${heading}\n`]),
      `- [${title}](${id.toLowerCase()}.md): ${question}`,
    ];
  });
  return `${listMark}\n\n${lines.join('\n')}\n`;
}

/** The rules of the checker that name the strategy on their page. */
function rulesOf(id: string): readonly string[] {
  const folder = `${root}docs/rules`;
  if (!existsSync(folder)) return [];
  const links = readdirSync(folder)
    .filter((name) => name !== 'README.md' && new RegExp(`\\b${id}\\b`).test(readFileSync(`${folder}/${name}`, 'utf8')))
    .map((name) => `[${name.replace('.md', '')}](../rules/${name})`);
  return links.length === 0 ? [] : [`Rules of the checker: ${links.join(', ')}.`];
}
