import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useCommands } from '../packages/singlet/test/singlet-commands.ts';

/**
 * Types the tutorial in, as a reader would: files are written, changes applied, commands run, and what they print is compared with the
 * page. `…` in an expected text matches anything. The server listens on a free port, and the commands are sent there.
 */
const root = fileURLToPath(new URL('..', import.meta.url));
const page = readFileSync(join(root, 'docs/tutorial.md'), 'utf8');

interface Block {
  readonly language: string;
  readonly text: string;
  /** The comment above the block, without its brackets. */
  readonly remark: string;
  readonly line: number;
}

/** @returns the fenced blocks of a page, with the comments directly above them. */
function blocksOf(markdown: string): readonly Block[] {
  return [...markdown.matchAll(/(?:<!-- ([^>]*) -->\n\n)?^```(\w+)\n([\s\S]*?)^```$/gm)].map((found) => ({
    remark: found[1] ?? '',
    language: found[2] ?? '',
    text: found[3] ?? '',
    line: markdown.slice(0, found.index).split('\n').length,
  }));
}

/** Applies a block of changed lines: the unchanged and removed ones must be in the text exactly once, one after the other. */
function changed(text: string, diff: string): string {
  const lines = diff.trimEnd().split('\n');
  const side = (sign: '-' | '+'): string =>
    lines
      .filter((line) => line.startsWith(sign) || line.startsWith(' '))
      .map((line) => `${line.slice(1)}\n`)
      .join('');
  const [before, after] = [side('-'), side('+')];
  const parts = text.split(before);
  if (parts.length !== 2) throw new Error(`These lines are ${parts.length - 1} times in the file:\n${before}`);
  return parts.join(after);
}

function matches(printed: string, expected: string): boolean {
  const pattern = expected
    .trimEnd()
    .split('…')
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('[\\s\\S]*?');
  return new RegExp(`^\\s*${pattern}\\s*$`).test(printed);
}

let folder: string;
let server: ChildProcess | undefined;
let endpoint = '';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'singlet-tutorial-'));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }\n');
});

const command = useCommands();

afterAll(async () => {
  if (server !== undefined) {
    const ended = new Promise((resolve) => server?.once('exit', resolve));
    server.kill('SIGTERM');
    await ended;
  }
  rmSync(folder, { recursive: true, force: true });
});

const { NODE_OPTIONS: _, ...environment } = process.env;

function start(
  program: string,
  args: readonly string[],
): { readonly process: ChildProcess; readonly printed: () => string } {
  const child = spawn(program, [...args], { cwd: folder, env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
  return { process: child, printed: () => text };
}

/** Runs the lines of a block. @returns what they print. */
async function run(commands: string): Promise<string> {
  let printed = '';
  for (const line of commands.trim().split('\n')) printed += await runLine(line);
  return printed;
}

async function runLine(line: string): Promise<string> {
  const args = singletArguments(line);
  if (args !== undefined) {
    const { stdout, stderr } = await command(args, { cwd: folder, env: environment });
    return stdout + stderr;
  }
  const started = start('sh', ['-c', line]);
  await new Promise((resolve) => started.process.once('close', resolve));
  return started.printed();
}

/** Commands that send requests. */
const asks = /^(?:seed|run|explain|migrate run) /;

/** @returns the arguments of `npx singlet …`, with the server of this test; undefined for another command. */
function singletArguments(line: string): readonly string[] | undefined {
  const [, words] = /^npx singlet ([\w@./: -]+)$/.exec(line) ?? [];
  return words?.split(' ').concat(asks.test(words) ? ['--endpoint', endpoint] : []);
}

describe('the tutorial', () => {
  const blocks = blocksOf(page);
  let printed = '';

  test('has its twelve steps, and almost all blocks are run', () => {
    expect(page.match(/^## \d+\. /gm)).toHaveLength(12);
    expect(blocks.length).toBeGreaterThan(35);
    expect(blocks.filter(({ remark }) => remark.startsWith('not run'))).toHaveLength(1);
  });

  test.each(blocks.map((block) => [`${block.line}: ${block.language} ${block.remark}`.trim(), block] as const))(
    'line %s',
    async (_, { language, remark, text }) => {
      if (remark.startsWith('not run')) return;
      const file = /^(?:file|change): (.+)$/.exec(remark)?.[1];
      if (remark.startsWith('background')) {
        const main = join(root, 'packages/singlet/dist/cli/main.js');
        const started = start(process.execPath, [main, ...(singletArguments(text.trim()) ?? []), '--port', '0']);
        server = started.process;
        await expect.poll(started.printed).toMatch(/http:\/\/127\.0\.0\.1:\d+/);
        endpoint = /http:\/\/127\.0\.0\.1:\d+/.exec(started.printed())?.[0] ?? '';
      } else if (file !== undefined) {
        const path = join(folder, file);
        writeFileSync(path, language === 'diff' ? changed(readFileSync(path, 'utf8'), text) : text);
      } else if (language === 'sh') {
        printed = await run(text);
      } else {
        expect(language).toBe('text');
        expect(matches(printed, text), `printed:\n${printed}\nexpected:\n${text}`).toBe(true);
      }
    },
  );
});

describe('the comparison', () => {
  test.each([
    ['a\nb\n', '…\nb', true],
    ['a\nb\n', 'a\n…', true],
    ['a\nb\n', 'b', false],
    ['6 of 6 served; 0 errors\n', '6 of 6 served; …', true],
    ['5 of 6 served\n', '6 of 6 served', false],
  ])('of %j with %j is %s', (text, expected, isSame) => {
    expect(matches(text, expected)).toBe(isSame);
  });

  test('refuses a change whose lines are not in the file, or twice', () => {
    expect(changed('a\nb\nc\n', ' a\n-b\n+d\n')).toBe('a\nd\nc\n');
    expect(() => changed('a\n', '-b\n+c\n')).toThrow('0 times');
    expect(() => changed('b\nb\n', '-b\n+c\n')).toThrow('2 times');
  });
});
