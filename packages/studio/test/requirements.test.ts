import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

/*
 * The list in the package's README names the tests of each requirement. It is made from the titles of the tests: `UPDATE_GOLDEN=1` writes it.
 */

const root = fileURLToPath(new URL('../../../', import.meta.url));
const readme = join(root, 'packages/studio/README.md');

const requirements: readonly string[] = [
  'served at `/studio`, and by itself for another endpoint',
  'no request leaves its origin',
  '200 KB of script and style, 250 KB with fonts; the build fails above',
  'the address is the state: reload, back, a copied link',
  'the palette finds keys, tables, indexes, patterns, places, commands',
  'the twelve tasks by keys, in few steps',
  'the title names view, table and server',
  'from 360 to 2560 px nothing is cut off',
  'system, light and dark theme without a reload; contrast',
  'axe finds nothing, dark and light',
  'items by partition key, in the order of the service',
  'entities have colours and badges',
  'each row tells in which indexes the item is, and why not',
  'an index shows which part of the items it contains',
  'a million items: no long task, rows painted at once, the last one reached',
  'at most 60 rows and 20,000 items are held',
  'large collections are skipped by one request',
  'a jump to any place takes at most two requests',
  'reading on from any place meets every key once',
  'the ruler shows partitions, heat, and where one is',
  'the same item in the next index',
  'requests, items, units and time of what is shown',
  'what others write appears without moving what is read',
  'empty, loading, failing and refused views say what they are',
  'values of every kind come back unchanged',
  'a save sends changed paths, on condition that they are as they were read',
  'the preview is what happens',
  'typing and foreign chords change no data',
  'unsaved changes are marked, and leaving asks once',
  'a changed key is a move, in one transaction',
  'undo of saves, deletions, moves and bulk edits',
  'many items: progress, stop, failures, second try, undo',
  'long values are cut in the grid only',
  'versions of an item, any two compared, one restored',
  'every part of a read',
  'four forms of a request return the same items',
  'an edit of one form updates the others, or says why it cannot',
  'a scan is named so before it runs, with items and units',
  'PartiQL: completion, explanation, a history without values',
  'results as DynamoDB JSON, JSON and CSV, whole',
  'the model is what check, docs and explain say',
  'a saved model shows new verdicts, a broken one its place',
  'each pattern has a form from its schema',
  'a run marks the rows that it read and those that it filtered away',
  'a pattern that writes is previewed first',
  'a finding opens its place and its rule',
  'every strategy in the tour, all steps run',
  'heat by hash and time; the planted key is the first',
  'what sharding would make of a hot key',
  'changes with differences, none lost or twice',
  'lag of shards, of time to live and of replicas',
  'a collection as it was at a moment',
  'requests as they come, a thousand a second',
  'why a request cost what it cost',
  'weather by scope and seed, visible where it acts',
  'migrations as the command line has them',
  'tables and indexes created, changed, deleted; files imported and exported',
  'other origins, forms, frames and hosts are refused',
  'credentials are in no address, storage, log or error',
  'all of it by `npm ci && npm test`',
];

/** Folders with tests of the workbench and of what serves it. */
const folders = ['packages/studio/src', 'packages/studio/test', 'packages/singlet/src/studio', 'packages/singlet/test'];
const self = fileURLToPath(import.meta.url);

function testFiles(): readonly string[] {
  return folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.test.ts'))
      .map(({ parentPath, name }) => join(parentPath, name)),
  );
}

/** The names of requirements in titles: what a test is called by, not what comments say. */
function namedIn(text: string): readonly string[] {
  const titles = [...text.matchAll(/\b(?:test|it)(?:\.each\([\s\S]*?\))?\(\s*(['"`])((?:(?!\1)[\s\S])*)\1/g)];
  return titles.flatMap(([, , title = '']) => title.match(/WB-\d\d/g) ?? []);
}

const found = new Map<string, Set<string>>();
for (const file of testFiles()) {
  if (file === self) continue;
  for (const name of namedIn(readFileSync(file, 'utf8'))) {
    const path = relative(root, file).replace(/\.test\.ts$/, '');
    found.set(name, (found.get(name) ?? new Set()).add(path));
  }
}
const names = requirements.map((_, at) => `WB-${String(at + 1).padStart(2, '0')}`);

function shown(path: string): string {
  return `\`${path.replace(/^packages\/studio\/(test|src\/\w+(\/\w+)?)\//, '').replace(/^packages\//, '')}\``;
}

function table(): string {
  const rows = names.map((name, at) => {
    const tests = [...(found.get(name) ?? [])].map(shown).toSorted();
    return `| ${name} | ${requirements[at] ?? ''} | ${tests.join(', ')} |\n`;
  });
  return `| | Statement | Test |\n| --- | --- | --- |\n${rows.join('')}`;
}

test('each requirement of the workbench is in the title of a test, and no other is', () => {
  expect(names.filter((name) => !found.has(name))).toEqual([]);
  expect([...found.keys()].filter((name) => !names.includes(name))).toEqual([]);
  expect(namedIn("test.each([[1, 'a']])('WB-99: x', () => 1); // WB-98")).toEqual(['WB-99']);
});

test('the list in the README names the tests of each requirement', () => {
  const text = readFileSync(readme, 'utf8');
  const [before = '', rest = ''] = text.split('<!-- requirements -->\n\n');
  const [, after = ''] = rest.split('\n<!-- end of requirements -->');
  const wanted = `${before}<!-- requirements -->\n\n${table()}\n<!-- end of requirements -->${after}`;
  if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(readme, wanted);
  // The formatter aligns the columns.
  const plain = (all: string): string => all.replaceAll(/ +/g, ' ').replaceAll(/-{3,}/g, '---');
  expect(plain(readFileSync(readme, 'utf8')), 'UPDATE_GOLDEN=1 writes it').toBe(plain(wanted));
});
