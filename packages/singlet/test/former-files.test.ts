import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { build } from 'esbuild';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { KEPT_BYTES_MAX, KEPT_MS, removeFormerFiles } from '../../../scripts/former-files.mjs';
import { environment } from './packed-packages.ts';

// A program in a folder, built as the packages are. It loads a module when it reads a line, and answers with what that says.

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'former-files-'));
  mkdirSync(join(root, 'src'));
  writeFileSync(
    join(root, 'package.json'),
    JSON.stringify({ name: 'p', version: '1.0.0', type: 'module', files: ['dist'] }),
  );
});
afterEach(() => rmSync(root, { recursive: true }));

const main = `
  import { createInterface } from 'node:readline';
  process.stdout.write('ready\\n');
  for await (const line of createInterface({ input: process.stdin })) {
    const answer = await import('./later.ts').then(({ text }) => text, ({ code }) => code);
    process.stdout.write(answer + '\\n');
  }
`;

/** Builds the program so that its module says `text`. @returns the file of the module */
async function built(text: string, now?: number): Promise<string> {
  writeFileSync(join(root, 'src/main.ts'), main);
  writeFileSync(join(root, 'src/later.ts'), `export const text = ${JSON.stringify(text)};`);
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: ['src/main.ts'],
    outdir: 'dist',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    sourcemap: true,
    metafile: true,
  });
  const written = new Set(Object.keys(metafile.outputs).map((file) => file.slice('dist/'.length)));
  removeFormerFiles({
    folder: join(root, 'dist'),
    isOurs: (file) => /\.js(\.map)?$/.test(file),
    written,
    ...(now !== undefined && { now }),
  });
  return [...written].find((file) => /^later.*js$/.test(file)) ?? '';
}

function packedFiles(): readonly string[] {
  const output = execFileSync('npm', ['pack', '--json', '--dry-run'], {
    cwd: root,
    env: environment,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [pack] = JSON.parse(output) as { readonly files: { readonly path: string }[] }[];
  return (pack?.files ?? []).map(({ path }) => path).sort();
}

async function nextLine(process: ChildProcessWithoutNullStreams): Promise<string> {
  for await (const line of createInterface({ input: process.stdout })) return line;
  return 'ended';
}

test('a process that runs loads what its own build wrote, after a build that wrote something else', async () => {
  await built('one');
  const process = spawn(globalThis.process.execPath, [join(root, 'dist/main.js')]);
  try {
    expect(await nextLine(process)).toBe('ready');
    await built('two');
    await built('three');
    process.stdin.write('\n');
    expect(await nextLine(process)).toBe('one');
  } finally {
    process.kill('SIGKILL');
  }
});

test('a package contains the files of the last build only', async () => {
  const former = await built('one');
  const last = await built('two');
  expect(existsSync(join(root, 'dist', former))).toBe(true);
  expect(packedFiles()).toEqual(
    ['dist/main.js', 'dist/main.js.map', `dist/${last}`, `dist/${last}.map`, 'package.json'].sort(),
  );
});

test('files are removed a day after the build that replaced them, their source maps at once', async () => {
  const start = Date.now();
  const first = await built('one', start);
  const second = await built('two', start + 10 * KEPT_MS);
  expect(existsSync(join(root, 'dist', `${first}.map`))).toBe(false);
  await built('three', start + 10.5 * KEPT_MS);
  expect([first, second].map((file) => existsSync(join(root, 'dist', file)))).toEqual([true, true]);
  await built('four', start + 11 * KEPT_MS);
  expect([first, second].map((file) => existsSync(join(root, 'dist', file)))).toEqual([false, true]);
  expect(await built('two', start + 11.1 * KEPT_MS)).toBe(second);
  await built('five', start + 12 * KEPT_MS);
  expect(existsSync(join(root, 'dist', second))).toBe(true);
});

test('of many builds in a day it keeps the last ones, within a limit; it leaves what builds do not write', () => {
  const folder = join(root, 'dist');
  mkdirSync(folder);
  const name = (number: number): string => `chunk-AAAAAAA${'BCDE'[number]}.js`;
  writeFileSync(join(folder, 'index.d.ts'), '');
  writeFileSync(join(folder, 'old-entry.js'), '');
  for (const number of [0, 1, 2, 3]) {
    writeFileSync(join(folder, name(number)), Buffer.alloc(KEPT_BYTES_MAX / 2));
    const now = Date.now() + number * 1000;
    removeFormerFiles({ folder, isOurs: (file) => file.endsWith('.js'), written: new Set([name(number)]), now });
  }
  expect(readdirSync(folder).sort()).toEqual(['.npmignore', name(1), name(2), name(3), 'index.d.ts']);
  expect(readFileSync(join(folder, '.npmignore'), 'utf8')).toMatch(new RegExp(`\n${name(2)}\n${name(1)}\n$`));
});
