import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { packageNameOf } from './create.ts';
import { run } from './run.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'create-singlet-'));
  const templates = ['diary', 'shop'].map((name) => ({ name, summary: `A ${name}.` }));
  for (const { name } of templates) {
    mkdirSync(join(folder, 'templates', name, name), { recursive: true });
    writeFileSync(join(folder, 'templates', name, 'package.json'), JSON.stringify({ name, private: true }));
    writeFileSync(join(folder, 'templates', name, '_gitignore'), 'node_modules/\n');
    writeFileSync(join(folder, 'templates', name, name, 'model.ts'), `// ${name}\n`);
  }
  writeFileSync(join(folder, 'templates/templates.json'), JSON.stringify(templates));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface Ran {
  readonly code: number;
  readonly said: string;
  readonly complained: string;
  /** The questions printed on the terminal. */
  readonly asked: string;
}

/** @param answers - typed on a terminal, followed by end of input; without them there is no terminal. */
async function ran(args: readonly string[], answers?: string): Promise<Ran> {
  const texts = { said: '', complained: '' };
  const [input, output] = [new PassThrough(), new PassThrough()];
  input.end(answers);
  const code = await run({
    args,
    workingDirectory: folder,
    templates: pathToFileURL(`${join(folder, 'templates')}/`),
    terminal: answers === undefined ? undefined : { input, output },
    say: (line) => (texts.said += line),
    complain: (line) => (texts.complained += line),
  });
  output.end();
  return { code, ...texts, asked: await text(output) };
}

const contentOf = (path: string): string => readFileSync(join(folder, path), 'utf8');

describe('creates an application', () => {
  test('in the directory that is named, with a package of its name', async () => {
    const { code, said, complained } = await ran(['--template', 'shop', 'apps/My Shop']);
    expect([code, complained]).toEqual([0, '']);
    expect(said).toContain('  cd "apps/My Shop"\n  npm install\n  npm start\n');
    expect(contentOf('apps/My Shop/shop/model.ts')).toBe('// shop\n');
    expect(contentOf('apps/My Shop/.gitignore')).toBe('node_modules/\n');
    expect(existsSync(join(folder, 'apps/My Shop/_gitignore'))).toBe(false);
    expect(JSON.parse(contentOf('apps/My Shop/package.json'))).toEqual({ name: 'my-shop', private: true });
  });

  test('in a directory of its own name, where none is named', async () => {
    expect((await ran(['--template=diary'])).said).toContain('  cd diary\n');
    expect(contentOf('diary/diary/model.ts')).toBe('// diary\n');
  });

  test('in a directory that is there and empty', async () => {
    mkdirSync(join(folder, 'mine'));
    expect((await ran(['-t', 'diary', './mine'])).code).toBe(0);
    expect(contentOf('mine/diary/model.ts')).toBe('// diary\n');
  });

  test.each([
    ['2\n', 'shop'],
    ['diary\n', 'diary'],
    ['0\n3\n\nDiary\n 1 \n', 'diary'],
  ])('that is chosen on a terminal by %j', async (answers, name) => {
    const { code, asked } = await ran(['mine'], answers);
    expect(code).toBe(0);
    expect(asked).toContain(' 1  diary\n    A diary.\n 2  shop\n    A shop.\n');
    expect(contentOf(`mine/${name}/model.ts`)).toBe(`// ${name}\n`);
  });
});

describe('refuses, and creates nothing', () => {
  test.each([
    [['--template', 'shopp', 'mine'], 'There is no application "shopp". There are: diary, shop.'],
    [['mine'], 'Name an application with --template: diary, shop.'],
    [['-t', 'shop', 'mine', 'other'], 'There is one directory to create, but these were named: mine, other.'],
    [['--tempalte', 'shop', 'mine'], "Unknown option '--tempalte'; --help lists the options."],
    [['mine', '--template'], "Option '-t, --template <value>' argument missing; --help lists the options."],
  ])('%j', async (args, message) => {
    const { code, said, complained } = await ran(args);
    expect([code, said]).toEqual([1, '']);
    expect(complained).toBe(`create-singlet: ${message}\n`);
    expect(existsSync(join(folder, 'mine'))).toBe(false);
  });

  test('a directory that is not empty', async () => {
    mkdirSync(join(folder, 'mine'));
    writeFileSync(join(folder, 'mine/notes.txt'), 'kept');
    const { code, complained } = await ran(['-t', 'shop', 'mine']);
    expect([code, complained]).toEqual([
      1,
      `create-singlet: The directory ${join(folder, 'mine')} is not empty. Name another, or one that does not exist.\n`,
    ]);
    expect(contentOf('mine/notes.txt')).toBe('kept');
    expect(existsSync(join(folder, 'mine/package.json'))).toBe(false);
  });

  test.each(['notes.txt', 'notes.txt/mine'])('%s, where notes.txt is a file', async (directory) => {
    writeFileSync(join(folder, 'notes.txt'), 'kept');
    const { code, complained } = await ran(['-t', 'shop', directory]);
    expect(code).toBe(1);
    expect(complained).toContain('a file has this name, or that of a folder above it');
    expect(contentOf('notes.txt')).toBe('kept');
  });

  // Linux answers "no such file" to a new directory there, although its parent exists. Node's recursive mkdir repeats itself for ever.
  test.runIf(process.platform === 'linux')('a directory where no others can be', async () => {
    expect(await ran(['-t', 'shop', '/proc/singlet/shop'])).toMatchObject({
      code: 1,
      complained:
        'create-singlet: The directory /proc/singlet/shop cannot be created: the folder above it accepts no others. Name another.\n',
    });
  });

  test('the end of the input, where a person was asked', async () => {
    const { code, complained } = await ran(['mine'], '7\n');
    expect([code, complained]).toEqual([1, 'create-singlet: No application was chosen.\n']);
    expect(existsSync(join(folder, 'mine'))).toBe(false);
  });
});

test('lists the applications, and says how it is used', async () => {
  expect((await ran(['--list'])).said).toBe('diary\n    A diary.\nshop\n    A shop.\n');
  expect((await ran(['--help', '--template', 'none'])).said).toMatch(/^Usage: npm create singlet -- /);
});

test.each([
  ['My Shop', 'my-shop'],
  ['.hidden', 'hidden'],
  ['été', 't'],
  ['日本', undefined],
  ['node_modules', undefined],
])('the directory %j gives the package name %j', (directory, name) => {
  expect(packageNameOf(directory)).toBe(name);
});
