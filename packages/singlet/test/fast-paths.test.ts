import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { sourceFiles } from './module-graph.ts';

/** A fast path names the slow path that it replaces, and the test that compares their results. */
const root = fileURLToPath(new URL('../../..', import.meta.url));
const source = 'packages/singlet/src';
const files = sourceFiles(root).filter(
  (file) => file.startsWith(source) && !file.endsWith('.test.ts') && !file.endsWith('values/invariants.ts'),
);
const marker = /\bfast paths?\b/i;

/** The comments around the lines that match a pattern: each with the comment lines above and below. */
function commentsWith(pattern: RegExp, text: string): readonly string[] {
  const lines = text.split('\n');
  const isComment = (at: number): boolean => /^\s*(\/\*|\*|\/\/)/.test(lines[at] ?? '');
  return lines.flatMap((line, at) => {
    if (!pattern.test(line)) return [];
    let from = at;
    let to = at;
    while (isComment(from - 1)) from -= 1;
    while (isComment(to + 1)) to += 1;
    return [lines.slice(from, to + 1).join('\n')];
  });
}

/** @returns the tests that a comment names, by path, without those that do not exist. */
function testsNamedIn(comment: string, file: string): readonly string[] {
  const names = [...comment.matchAll(/[\w./-]+\.test\.ts/g)].map(([name]) => name);
  const folders = [dirname(file), source, `${source}/engine`, `${source}/${file.split('/')[3] ?? ''}`];
  return names.filter((name) => folders.some((folder) => existsSync(join(root, folder, name))));
}

const marked = files.flatMap((file) =>
  commentsWith(marker, readFileSync(join(root, file), 'utf8')).map((comment) => ({ file, comment })),
);

describe('fast paths', () => {
  test('are marked', () => {
    expect(marked.length).toBeGreaterThan(14);
    const names = new Set(marked.map(({ file }) => basename(file)));
    const known = ['plain-connections.ts', 'event-loop-batch.ts', 'direct-call.ts', 'wire-copy.ts', 'item-texts.ts'];
    for (const name of known) expect(names).toContain(name);
  });

  test('that invariants leave out at random are marked where they are taken', () => {
    const taken = files.filter((file) => readFileSync(join(root, file), 'utf8').includes('mayTakeFastPath()'));
    expect(taken.length).toBeGreaterThan(4);
    expect(taken.filter((file) => !marked.some((each) => each.file === file))).toEqual([]);
  });

  test.each(marked)('name a test that holds them to the same result: $file', ({ file, comment }) => {
    expect(testsNamedIn(comment, file), comment).not.toEqual([]);
  });

  test('a comment without a test, or with one that is not there, is found', () => {
    const [comment = ''] = commentsWith(marker, 'a();\n// The fast path of b,\n// with the same result.\nb();\n');
    expect(comment).toBe('// The fast path of b,\n// with the same result.');
    const file = `${source}/server/wire-copy.ts`;
    expect(testsNamedIn(comment, file)).toEqual([]);
    expect(testsNamedIn(`${comment} (gone.test.ts)`, file)).toEqual([]);
    expect(testsNamedIn(`${comment} (wire-copy.test.ts)`, file)).toEqual(['wire-copy.test.ts']);
  });
});
