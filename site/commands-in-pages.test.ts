import { expect, test } from 'vitest';
import { commands } from '../packages/singlet/src/cli/commands.ts';
import { pagesOf, repositoryFiles } from './pages.mjs';

type Command = Awaited<ReturnType<(typeof commands)[string]>>;

/** A command line in a page: `singlet NAME …`, with or without npx, after a prompt or without one. */
interface CommandLine {
  readonly file: string;
  readonly line: string;
}

/** Code blocks of a page; examples in prose (`singlet check`) are not looked at, because they are often parts of a command. */
function commandLines(file: string, text: string): readonly CommandLine[] {
  // Blocks of all languages, because the end of one looks like the start of one without a language.
  return [...text.matchAll(/^( *)```(\w*)[^\n]*\n([\s\S]*?)^\1```/gm)]
    .filter(([, , language = '']) => ['', 'sh', 'console', 'text', 'bash'].includes(language))
    .flatMap(([, , , block = '']) =>
      block
        .replaceAll(/ *\\\n\s*/g, ' ')
        .split('\n')
        .map((line) =>
          line
            .trim()
            .replace(/^\$ /, '')
            .replace(/^(?:[A-Z_]+=\S+ +)*(?:npx +)?(?=singlet )/, ''),
        )
        .filter((line) => /^singlet (?!.*…\s*$)[a-z]/.test(line))
        .map((line) => ({ file, line })),
    );
}

/** @returns what is wrong with a command line, or undefined. */
function problemOf(line: string, known: ReadonlyMap<string, Command>): string | undefined {
  const words = line.replace(/\s+#.*$/, '').split(/\s+/);
  let command = known.get(words[1] ?? '');
  if (command === undefined) return `there is no command ${words[1]}`;
  let at = 2;
  for (;;) {
    const below: Command | undefined = command.commands.find((each) => each.name() === words[at]);
    if (below === undefined) break;
    command = below;
    at += 1;
  }
  // Flags of DynamoDB Local, and inputs of a pattern.
  const takesOthers = ['local', 'run'].includes(command.name()) || /^singlet explain \S+\.ts /.test(line);
  if (takesOthers) return undefined;
  const flags = new Set(command.options.flatMap(({ long, short }) => [long, short]));
  const unknown = words
    .slice(at)
    .map((word) => /^\[?(--?[a-z][a-z-]*)/.exec(word)?.[1])
    .find((flag) => flag !== undefined && flag !== '--help' && flag !== '-h' && !flags.has(flag));
  return unknown === undefined ? undefined : `${command.name()} has no flag ${unknown}`;
}

async function knownCommands(): Promise<ReadonlyMap<string, Command>> {
  const loaded = await Promise.all(Object.values(commands).map(async (load) => await load('0.0.0')));
  return new Map(loaded.map((command) => [command.name(), command]));
}

test('a command after a block in another language is found', () => {
  const text = '```ts\nconst a = 1;\n```\n\n```sh\nnpx singlet serve --prot 1\n```\n';
  expect(commandLines('page.md', text)).toEqual([{ file: 'page.md', line: 'singlet serve --prot 1' }]);
});

test('the commands and flags in the pages exist', async () => {
  const known = await knownCommands();
  const lines = pagesOf(repositoryFiles())
    .filter(({ file }) => file !== 'docs/commands.md')
    .flatMap(({ file, text }) => commandLines(file, text));
  expect(lines.length).toBeGreaterThan(60);
  expect(
    lines.flatMap(({ file, line }) => {
      const problem = problemOf(line, known);
      return problem === undefined ? [] : [`${file}: ${line}: ${problem}`];
    }),
  ).toEqual([]);
});

test.each([
  ['singlet serv --port 8000', 'there is no command serv'],
  ['singlet serve --prot 8000', 'serve has no flag --prot'],
  ['singlet policy for shop.model.ts --tabel x', 'for has no flag --tabel'],
])('%s would be noticed', async (line, problem) => {
  expect(problemOf(line, await knownCommands())).toBe(problem);
});
