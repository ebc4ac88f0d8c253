import { readFileSync } from 'node:fs';
import { transform } from 'esbuild';
import { expect, test } from 'vitest';
import { exportsOfEntries } from '../packages/singlet/test/api-reference.ts';
import { manifestEntries } from '../packages/singlet/test/package-entries.ts';
import { pagesOf, repositoryFiles, root } from './pages.mjs';

/*
 * Code blocks of all pages: TypeScript parses, and imports what the packages export; JSON parses; scripts of npm exist; lines for the AWS CLI
 * work on a machine without a configured region. The tutorial's blocks, the README's and those of the testing guide run in tests of their own.
 */
interface Block {
  /** The page and the line of the fence. */
  readonly place: string;
  readonly language: string;
  readonly text: string;
}

function blocksOf(file: string, text: string): readonly Block[] {
  return [...text.matchAll(/^( *)```(\w*)[^\n]*\n([\s\S]*?)^\1```/gm)].map(
    ({ index, 1: indent = '', 2: language = '', 3: block = '' }) => ({
      place: `${file}:${text.slice(0, index).split('\n').length}`,
      language,
      text: block.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    }),
  );
}

const entries = manifestEntries.flatMap(({ specifier, typed }) =>
  typed === undefined ? [] : [{ specifier, types: typed.types, page: specifier, summary: '' }],
);
const exported = new Map(
  [...exportsOfEntries(entries)].map(([{ specifier }, all]) => [
    specifier,
    new Set(all.filter(({ isExported }) => isExported).map(({ name }) => name)),
  ]),
);

const scripts = new Set(
  Object.keys((JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as { scripts: object }).scripts),
);

/** @returns what is wrong with a block. */
async function problemsOf({ language, text }: Block): Promise<readonly string[]> {
  if (language === 'ts' || language === 'tsx') return [...(await syntaxProblems(text)), ...importProblems(text)];
  if (language === 'json') return jsonProblems(text);
  return ['', 'sh', 'text', 'console', 'bash'].includes(language) ? shellProblems(text) : [];
}

/** A block may be a file, the members of an object or a class, an expression, or the rest of one. An ellipsis is something left out. */
async function syntaxProblems(text: string): Promise<readonly string[]> {
  const code = text.replaceAll(/(…|\.\.\.(?=\s*[,}])),?/g, '');
  const forms = [
    code,
    `const value = {\n${code}\n};`,
    `class Some {\n${code}\n}`,
    `const value = (\n${code}\n);`,
    `const value = other\n${code}`,
  ];
  const failures: string[] = [];
  for (const form of forms) {
    try {
      await transform(form, { loader: 'tsx', logLevel: 'silent' });
      return [];
    } catch (error) {
      failures.push(error instanceof Error ? (error.message.split('\n')[1] ?? error.message) : String(error));
    }
  }
  return [`does not parse: ${failures[0] ?? ''}`];
}

function importProblems(text: string): readonly string[] {
  return [...text.matchAll(/import (?:type )?\{([^}]*)\} from '((?:@singlet\/|singlet)[^']*)'/g)].flatMap(
    ([, names = '', specifier = '']) => {
      const known = exported.get(specifier);
      if (known === undefined) return [`there is no entry ${specifier}`];
      return names
        .split(',')
        .map(
          (name) =>
            name
              .trim()
              .replace(/^type /, '')
              .split(' as ')[0] ?? '',
        )
        .filter((name) => name !== '' && !known.has(name))
        .map((name) => `${specifier} does not export ${name}`);
    },
  );
}

function jsonProblems(text: string): readonly string[] {
  try {
    JSON.parse(text.replaceAll(/,?\s*…/g, ''));
    return [];
  } catch (error) {
    return [String(error)];
  }
}

function shellProblems(text: string): readonly string[] {
  const lines = text.replaceAll(/ *\\\n\s*/g, ' ').split('\n');
  return lines.flatMap((line) => {
    const script = /\bnpm run (?:--silent )?([\w:-]+)/.exec(line)?.[1];
    const isUnknown = script !== undefined && !scripts.has(script);
    const needsRegion = /\baws [a-z-]+ .*--endpoint-url/.test(line) && !/--(region|profile) /.test(line);
    return [...(isUnknown ? [`there is no script ${script}`] : []), ...(needsRegion ? ['names no region'] : [])];
  });
}

test('the blocks of the pages are valid', async () => {
  const blocks = pagesOf(repositoryFiles())
    .filter(({ file }) => !file.startsWith('docs/api/'))
    .flatMap(({ file, text }) => blocksOf(file, text));
  expect(blocks.length).toBeGreaterThan(300);
  const problems: string[] = [];
  for (const block of blocks)
    problems.push(...(await problemsOf(block)).map((problem) => `${block.place}: ${problem}`));
  expect(problems).toEqual([]);
});

test.each([
  ['ts', 'const a = {;', 'does not parse'],
  ['ts', "import { createDatabse } from 'singlet';", 'singlet does not export createDatabse'],
  ['ts', "import { x } from 'singlet/nowhere';", 'there is no entry singlet/nowhere'],
  ['json', '{ "a": }', 'SyntaxError'],
  ['sh', 'npm run nothing', 'there is no script nothing'],
  ['', 'aws dynamodb list-tables --endpoint-url http://127.0.0.1:8000', 'names no region'],
])('a block of %s that is wrong would be noticed: %s', async (language, text, problem) => {
  expect((await problemsOf({ place: '', language, text })).join()).toContain(problem);
});
