import { existsSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeDirectories } from './make-directories.ts';

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'singlet-directories-'))));
afterEach(() => rmSync(folder, { recursive: true }));

test('makes what is missing, and names the topmost', async () => {
  expect(await makeDirectories(join(folder, 'a/b/c'))).toBe(join(folder, 'a'));
  expect(await makeDirectories(join(folder, 'a/b/d'))).toBe(join(folder, 'a/b/d'));
  expect(readdirSync(join(folder, 'a/b'))).toEqual(['c', 'd']);
});

test('nothing is made where all exists', async () => {
  expect(await makeDirectories(folder)).toBeUndefined();
  expect(await makeDirectories('/')).toBeUndefined();
  expect(await makeDirectories('.')).toBeUndefined();
});

test('a link to a directory is one', async () => {
  symlinkSync(folder, join(folder, 'link'));
  expect(await makeDirectories(join(folder, 'link/a'))).toBe(join(folder, 'link/a'));
});

test('several callers at once', async () => {
  const paths = Array.from({ length: 20 }, (_, at) => join(folder, 'a/b/c', String(at % 3)));
  await Promise.all(paths.map((path) => makeDirectories(path)));
  expect(readdirSync(join(folder, 'a/b/c'))).toEqual(['0', '1', '2']);
});

test('a file in the way', async () => {
  writeFileSync(join(folder, 'file'), '');
  await expect(makeDirectories(join(folder, 'file'))).rejects.toMatchObject({ code: 'EEXIST' });
  await expect(makeDirectories(join(folder, 'file/a/b'))).rejects.toMatchObject({ code: 'ENOTDIR' });
});

test('a link to nothing in the way', async () => {
  symlinkSync(join(folder, 'absent'), join(folder, 'link'));
  await expect(makeDirectories(join(folder, 'link/a'))).rejects.toMatchObject({ code: 'EEXIST' });
  expect(existsSync(join(folder, 'absent'))).toBe(false);
});

test.runIf(process.platform === 'linux')('a directory that accepts no others', async () => {
  await expect(makeDirectories('/proc/singlet/a')).rejects.toMatchObject({ code: 'ENOENT', path: '/proc/singlet' });
});
