import { readdir, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

/** S-01 to S-85 and P-01 to P-55: each strategy and each pattern has a test with its id. */
const ids = [
  ...Array.from({ length: 85 }, (_, n) => `S-${String(n + 1).padStart(2, '0')}`),
  ...Array.from({ length: 55 }, (_, n) => `P-${String(n + 1).padStart(2, '0')}`),
];

const folders = { S: new URL('./', import.meta.url), P: new URL('../patterns/', import.meta.url) };

/** Examples, by the ids at the start of their tests' names. */
async function testFilesById(): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const found = new Map<string, Set<string>>();
  for (const [folder, url] of [
    ['strategies', folders.S],
    ['patterns', folders.P],
  ] as const) {
    for (const file of await readdir(url)) {
      if (!file.endsWith('.test.ts') || file === 'catalogue.test.ts') continue;
      for (const [, id = ''] of (await readFile(new URL(file, url), 'utf8')).matchAll(namedTest)) {
        found.set(id, (found.get(id) ?? new Set()).add(`${folder}/${file.replace('.test.ts', '')}`));
      }
    }
  }
  return found;
}

/** `test('S-27 …`, or the name of a table of tests: `] as const)('S-32 %s'`. */
const namedTest = /(?:\btest\(\s*['`]|\)\(\s*['`])([SPT]-\d\d)\b/g;

test('every strategy and pattern has a test that is named by it', async () => {
  const found = await testFilesById();
  expect(ids.filter((id) => !found.has(id))).toEqual([]);
});

test('a missing one would be noticed', () => {
  const planted = `test('S-27 a test')\n] as const)('S-32 %s'\n// S-99 in a comment\nexpect('S-98')`;
  expect([...planted.matchAll(namedTest)].map(([, id]) => id)).toEqual(['S-27', 'S-32']);
});

test('the tables of the READMEs name the example of each', async () => {
  const found = await testFilesById();
  const named = new Map<string, readonly string[]>();
  for (const folder of ['strategies', 'patterns']) {
    const readme = await readFile(new URL(`../${folder}/README.md`, import.meta.url), 'utf8');
    for (const [, id = '', files = ''] of readme.matchAll(/^\| ([SPT]-\d\d) +\| .* \| (.+?) +\|$/gm)) {
      named.set(
        id,
        [...files.matchAll(/\(([^)]+)\)/g)].map(([, file = '']) => `${folder}/${file.replace(/(?:\.test)?\.ts$/, '')}`),
      );
    }
  }
  const sorted = (map: ReadonlyMap<string, Iterable<string>>) =>
    [...map].map(([id, files]) => `${id} ${[...files].sort().join(', ')}`).sort();
  expect(sorted(named)).toEqual(sorted(found));
});
