import { execFile } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';

// Starts a program of two modules, as `npm start` starts that of a starter.

let folder: string;

const write = (path: string, text: string): void => writeFileSync(join(folder, path), text);

async function started(...words: readonly string[]): Promise<{ readonly stdout: string; readonly stderr: string }> {
  return await promisify(execFile)(process.execPath, [join(folder, 'start.mjs'), ...words]);
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'start-'));
  copyFileSync(fileURLToPath(new URL('start.mjs', import.meta.url)), join(folder, 'start.mjs'));
  mkdirSync(join(folder, 'node_modules'));
  const esbuild = fileURLToPath(new URL('../', import.meta.resolve('esbuild')));
  symlinkSync(esbuild, join(folder, 'node_modules/esbuild'));
  mkdirSync(join(folder, 'parts'));
  write('parts/beside.txt', 'a text');
  write(
    'app.ts',
    `import { said } from './parts/part.ts';\nconst words: string[] = process.argv.slice(2);\nconsole.log(await said(words));\n`,
  );
  write(
    'parts/part.ts',
    `import { readFile } from 'node:fs/promises';
export async function said(words: readonly string[]): Promise<string> {
  if (words.includes('fault')) throw new Error('a fault');
  return [await readFile(new URL('beside.txt', import.meta.url), 'utf8'), ...words].join(' ');
}
`,
  );
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('a module reads the file beside it, and the program gets its words', async () => {
  expect((await started('--port', '0')).stdout).toBe('a text --port 0\n');
});

test('the bundle is used again, until a module has changed or gone', async () => {
  const bundle = join(folder, 'node_modules/.cache/start/app.mjs');
  await started();
  const first = statSync(bundle).ino;
  expect((await started()).stdout).toBe('a text\n');
  expect(statSync(bundle).ino).toBe(first);

  write('parts/part.ts', `export const said = (): string => 'changed';\n`);
  expect((await started()).stdout).toBe('changed\n');

  write('app.ts', `console.log('alone');\n`);
  rmSync(join(folder, 'parts'), { recursive: true });
  // A change that an editor dates before the bundle.
  utimesSync(join(folder, 'app.ts'), new Date(0), new Date(0));
  expect((await started()).stdout).toBe('alone\n');
});

test('several that start at the same time without a bundle all work', async () => {
  const all = await Promise.all(Array.from({ length: 3 }, async (_, at) => await started(String(at))));
  expect(all.map(({ stdout }) => stdout)).toEqual(['a text 0\n', 'a text 1\n', 'a text 2\n']);
});

test('a fault names the line of its module', async () => {
  const fault = await started('fault').catch((error: { readonly stderr: string }) => error);
  expect(fault.stderr).toMatch(/Error: a fault\n +at said \(.*parts\/part\.ts:3:/);
});

test('what cannot be read is reported with its place, and ends the start', async () => {
  write('parts/part.ts', 'export const said = (: string;\n');
  await expect(started()).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/parts\/part\.ts:1:/) as string,
  });
});
