import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { exportsOfEntries, indexOfEntries, pageOfEntry, type ReferencedEntry } from './api-reference.ts';
import { manifestEntries } from './package-entries.ts';

/*
 * docs/api is generated from the declaration files, which carry the doc comments of the sources.
 * `npm run build && UPDATE_GOLDEN=1 npx vitest run packages/singlet/test/api-reference.test.ts` rewrites it.
 */
const folder = fileURLToPath(new URL('../../../docs/api/', import.meta.url));

/** What each entry is for. An entry of a manifest without a line here fails. */
const summaries: Readonly<Record<string, string>> = {
  singlet:
    'The database: open it in process, send it requests, serve it over HTTP, fork it, and replace its clock, its store and its limits.',
  'singlet/testing': 'Databases for tests, in any test runner: seeds, a database for each test, fixtures.',
  'singlet/vitest': 'The same for vitest: a fixture that gives each test its own database.',
  'singlet/jest': "Jest's test environment, loaded by its name: `testEnvironment: 'singlet/jest'`.",
  'singlet/jest-preset': 'Jest\'s preset, loaded as `"preset": "singlet"`.',
  'singlet/consumer': 'Reads the stream of a table with leases and checkpoints, here or in AWS.',
  'singlet/cache': 'A client of the AWS SDK with a cache in front, by the rules of DAX.',
  'singlet/storage': 'The contract of a store, for drivers of your own.',
  'singlet/storage/conformance': 'The tests that every driver has to pass.',
  '@singlet/model': 'Declares a model (entities, access patterns, keys) and connects it to a table.',
  '@singlet/model/resolved': 'A model with its plans, for programs that read models.',
  '@singlet/model/bridges': 'Models from and to the formats of other tools.',
  '@singlet/model/check': 'Checks that every pattern is the bounded operation that it claims to be.',
  '@singlet/model/cost': 'Estimates what a model costs.',
  '@singlet/model/docs': 'Documents a model, as a page or as Markdown.',
  '@singlet/model/prove': 'Searches for a wrong answer of a model, with adversarial items.',
  '@singlet/model/samples': 'Sample items of a model, and tables filled with them.',
  '@singlet/model/propagate': 'Keeps duplicated attributes equal to their sources.',
  '@singlet/model/versions': 'Compares two versions of a model.',
  '@singlet/model/migrate':
    'Takes stored items from one version of a model to the next while the application keeps writing.',
  '@singlet/model/maintenance':
    'Reads a whole table in parallel, for exports, repairs and counts, which no pattern may do.',
  '@singlet/model/follow': 'Migrates into new tables: copies the items, then follows the streams of the old tables.',
};

const pageName = (specifier: string): string => `${specifier.replace('@', '').replaceAll('/', '-')}.md`;
const entries = manifestEntries.flatMap(({ specifier, typed }): readonly ReferencedEntry[] => {
  const summary = summaries[specifier] ?? `${specifier} has no summary in api-reference.test.ts.`;
  return typed === undefined ? [] : [{ specifier, types: typed.types, page: pageName(specifier), summary }];
});
const exports = exportsOfEntries(entries);

const introduction = `# Exports of the packages

Every name that the packages export, by entry: its signature, what it does, and its options or members. \`readonly\` is left out of members.
[The commands](../commands.md) have a reference of their own; \`@singlet/studio\` and \`create-singlet\` export nothing.
\`@singlet/testing\` exports what \`singlet\` and \`singlet/testing\` do, and has the same entries for vitest and jest.
These pages are generated from the sources.

${manifestEntries
  .filter(({ typed }) => typed === undefined)
  .map(({ specifier }) => `- \`${specifier}\`: ${summaries[specifier] ?? ''}\n`)
  .join('')}`;

const pages: ReadonlyMap<string, () => Promise<string>> = new Map([
  ['README.md', async () => indexOfEntries(introduction, exports)],
  ...entries.map((entry) => [entry.page, async () => pageOfEntry(entry, exports)] as const),
]);

describe('docs/api', () => {
  test.each([...pages.keys()])('%s is what the sources say', async (page) => {
    const generated = (await pages.get(page)?.()) ?? '';
    if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(folder + page, generated);
    expect(readFileSync(folder + page, 'utf8')).toBe(generated);
  });

  test('has a page for each entry, and no other', () => {
    expect(readdirSync(folder).toSorted()).toEqual([...pages.keys()].toSorted());
    expect(Object.keys(summaries).toSorted()).toEqual(manifestEntries.map(({ specifier }) => specifier).toSorted());
  });

  test('has no text outside of code that a page would take for an element', async () => {
    for (const [page, make] of pages) {
      const prose = (await make()).replaceAll(/```[\s\S]*?```/g, '').replaceAll(/(`+)[\s\S]*?\1/g, '');
      expect(prose.match(/<[a-z][^>]*>|\{@\w+/gi), page).toBeNull();
    }
  });
});

describe('a page', () => {
  const files: Readonly<Record<string, string>> = {
    'index.d.ts':
      "export { type Shown, show, type Choice } from './show.ts';\n/** One. Like {@link show}. */\nexport declare const show2: (to: Shown) => void;\n",
    'other.d.ts': "export { type Shown } from './show.ts';\n",
    'show.d.ts': `/** Of a name. */
interface Hidden {
    /** A part. */
    readonly part: string;
    readonly plain?: number;
}
/**
 * Shows.
 *
 * @param text - what to show.
 * @throws {Missing} if there is none, see {@link Shown.run}.
 */
export declare function show(text: string): Hidden;
export declare function show(text: number, options?: {
    /** How often. */
    readonly times?: number;
}): Hidden;
/** Can be shown. */
export interface Shown extends Hidden {
    /** Runs it. */
    run(): void;
}
/** Which. */
export type Choice = 
/** The first. */
'one'
/** The other. */
 | 'two';
`,
  };

  async function made(): Promise<readonly string[]> {
    const directory = mkdtempSync(join(tmpdir(), 'singlet-reference-'));
    try {
      for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
      const planted = ['index', 'other'].map((name) => ({
        specifier: name,
        types: join(directory, `${name}.d.ts`),
        page: `${name}.md`,
        summary: `Of ${name}.`,
      }));
      const all = exportsOfEntries(planted);
      return await Promise.all(planted.map(async (entry) => pageOfEntry(entry, all)));
    } finally {
      rmSync(directory, { recursive: true });
    }
  }

  test('has overloads, tags, nested options, members, alternatives and links', async () => {
    const [page = '', other = ''] = await made();
    for (const part of [
      'function show(text: string): Hidden;\n',
      'function show(\n  text: number,\n  options?: {\n    readonly times?: number;\n  },\n): Hidden;\n',
      '- `text`: what to show.',
      '- Throws `Missing` if there is none, see [`Shown.run`](#shown).',
      '- `times?: number`: How often.',
      'One. Like [`show`](#show).',
      '`interface Shown extends Hidden`\n',
      '- `run(): void`: Runs it.',
      "- `'two'`: The other.",
      '## Types that are not exported',
      '### Hidden',
      '- `part: string`: A part.',
      '- `plain?: number`\n',
    ]) {
      expect(page).toContain(part);
    }
    expect(other).toContain('- [`Shown`](index.md#shown)');
    expect(other).not.toContain('Runs it.');
  });
});
