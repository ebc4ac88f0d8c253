import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

/** A decision record is found from the files that it explains, by its number, and from the index, by its subject. */
const root = fileURLToPath(new URL('../../..', import.meta.url));
const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '--deduplicate'], {
  cwd: root,
  encoding: 'utf8',
});
const files = listed.split('\n').filter((file) => file !== '');
const records = files
  .filter((file) => /^docs\/decisions\/\d{4}-/.test(file))
  .map((file) => file.slice('docs/decisions/'.length));
const numbers: ReadonlySet<string> = new Set(records.map((record) => record.slice(0, 4)));
const read = (file: string): string => readFileSync(join(root, file), 'utf8');

/** @returns the numbers of the records that a text names: "decision 0026", "decisions 0030 and 0032", a link to a record. */
function namedIn(text: string): readonly string[] {
  const inWords = [...text.matchAll(/\bdecisions? ((?:\d{4}(?:, | and )?)+)/gi)].flatMap(
    ([, list = '']) => list.match(/\d{4}/g) ?? [],
  );
  const inLinks = [...text.matchAll(/\bdecisions\/(\d{4})-/g)].map(([, number = '']) => number);
  return [...inWords, ...inLinks];
}

const citing = files.filter((file) => /\.(ts|tsx|mjs|md)$/.test(file) && !file.startsWith('docs/decisions/'));
const citations = citing.map((file) => ({ file, cited: namedIn(read(file)) })).filter(({ cited }) => cited.length > 0);

describe('decision records', () => {
  test('are named by the files that they explain', () => {
    const cited = new Set(citations.flatMap(({ cited: each }) => each));
    expect(records.length).toBeGreaterThan(60);
    expect(records.filter((record) => !cited.has(record.slice(0, 4)))).toEqual([]);
  });

  test('are there where a file names them', () => {
    const missing = citations.flatMap(({ file, cited }) =>
      cited.filter((number) => !numbers.has(number)).map((number) => `${file}: ${number}`),
    );
    expect(missing).toEqual([]);
  });

  test('are in the index once, under the title that they have', () => {
    const index = read('docs/decisions/README.md');
    const entries = [...index.matchAll(/^- \[(\d{4})\]\(([^)]+)\) (.+)$/gm)].map(([, number, file, title]) => ({
      number,
      file,
      title,
    }));
    const expected = records.map((record) => ({
      number: record.slice(0, 4),
      file: record,
      title: /^# \d{4} (.+)$/m.exec(read(`docs/decisions/${record}`))?.[1],
    }));
    const byNumber = <T extends { readonly number: string | undefined }>(list: readonly T[]): readonly T[] =>
      list.toSorted((a, b) => ((a.number ?? '') < (b.number ?? '') ? -1 : 1));
    expect(byNumber(entries)).toEqual(byNumber(expected));
  });

  test('are read in words and in links', () => {
    expect(namedIn('Decision 0026 says why; decisions 0030, 0031 and 0032 too.')).toEqual([
      '0026',
      '0030',
      '0031',
      '0032',
    ]);
    expect(namedIn('([decision 0005](decisions/0005-fences.md))')).toEqual(['0005', '0005']);
    expect(namedIn('in 2026')).toEqual([]);
  });
});
