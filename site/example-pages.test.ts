import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { examplePart, idsOf, kinds, listMark, listPart, mark, pagePath, parts } from './example-pages.ts';

/**
 * The second part of a page says what the example is today. `UPDATE_GOLDEN=1 npx vitest run site/example-pages.test.ts` writes it again.
 */
const root = fileURLToPath(new URL('..', import.meta.url));
const isUpdate = process.env['UPDATE_GOLDEN'] === '1';
const wordsMax = 350;

function held(path: string, markOf: string, generated: string): void {
  const text = readFileSync(`${root}${path}`, 'utf8');
  const at = text.indexOf(markOf);
  expect(at, `${path} contains ${markOf}`).toBeGreaterThan(0);
  if (isUpdate) writeFileSync(`${root}${path}`, text.slice(0, at) + generated);
  else expect(text.slice(at), path).toBe(generated);
}

describe.each(kinds)('the pages of $folder', (kind) => {
  test('are one for each id, and no other', () => {
    const expected = idsOf(kind).map((id) => `${id.toLowerCase()}.md`);
    expect(readdirSync(`${root}docs/${kind.folder}`).sort()).toEqual(['README.md', ...expected].sort());
  });

  test.each(idsOf(kind))('%s has a question, all parts, and is short', (id) => {
    const text = readFileSync(`${root}${pagePath(kind, id)}`, 'utf8');
    const written = text.slice(0, text.indexOf(mark));
    expect(written).toMatch(new RegExp(`^# ${id} \\S.*\\n\\n_[^_\\n]+[?.]_\\n\\n`));
    for (const part of parts)
      expect(written.match(new RegExp(`^\\*\\*${part}\\.\\*\\* \\S`, 'gm')), part).toHaveLength(1);
    expect(written.split(/\s+/).length).toBeLessThan(wordsMax);
  });

  test.each(idsOf(kind))('%s shows its example as it is', async (id) => {
    const generated = await examplePart(kind, id);
    expect(generated, `${id} has an example and a test`).toMatch(/```ts\n[\s\S]+Its tests show:\n\n- \S/);
    held(pagePath(kind, id), mark, generated);
  });

  test('are listed with their questions', () => {
    held(`docs/${kind.folder}/README.md`, listMark, listPart(kind));
  });

  test('have the titles of the table beside the examples', () => {
    const readme = readFileSync(`${root}systems/${kind.folder}/README.md`, 'utf8');
    const table = new Map(
      [...readme.matchAll(/^\| ([SP]-\d\d) +\| (.+?) +\| /gm)].map(([, id = '', title = '']) => [id, title]),
    );
    const titles = new Map(
      idsOf(kind).map((id) => [
        id,
        new RegExp(`^# ${id} (.+)$`, 'm').exec(readFileSync(`${root}${pagePath(kind, id)}`, 'utf8'))?.[1],
      ]),
    );
    expect(titles).toEqual(new Map([...table].filter(([id]) => titles.has(id))));
  });
});
