import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

/*
 * The projects of docs/testing.md, run by their test runners: each block that begins with the name of a file
 * is written to that file, and the packages are the ones installed and built here.
 */
const root = fileURLToPath(new URL('../../../', import.meta.url));
const guide = readFileSync(join(root, 'docs/testing.md'), 'utf8');
const blocks = new Map(
  [...guide.matchAll(/```\w+\n(?:\/\/|#) (\S+\.\w+)\n([\s\S]*?)```/g)].map(([, name = '', code = '']) => [name, code]),
);

let project: string;

beforeAll(() => {
  project = mkdtempSync(join(tmpdir(), 'singlet-guide-'));
  symlinkSync(join(root, 'node_modules'), join(project, 'node_modules'));
  writeFileSync(join(project, 'package.json'), '{}');
});

afterAll(() => rmSync(project, { recursive: true }));

/** Runs a test runner in the project. */
async function run(
  name: string,
  code: string,
  command: readonly string[],
): Promise<{ code: number | null; output: string }> {
  writeFileSync(join(project, name), code);
  // A test runner started by another would behave as a part of it.
  const { VITEST: _, NODE_ENV: __, JEST_WORKER_ID: ___, ...environment } = process.env;
  const child = spawn(process.execPath, command, { cwd: project, env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [output, errors] = await Promise.all([textOf(child.stdout), textOf(child.stderr)]);
  return { code: await ended, output: output + errors };
}

/** A test ends when it is done. How long that takes depends on the machine. */
const patient = '--testTimeout=600000';
const bin = (path: string): string => join(root, 'node_modules', path);

describe.each([
  ['songs.test.ts', [bin('vitest/vitest.mjs'), 'run', patient, 'songs.test.ts'], /Tests .*2 passed/],
  ['songs.test.js', [bin('jest/bin/jest.js'), patient, 'songs.test.js'], /Tests: .*1 passed/],
  ['songs.test.mjs', ['--test', 'songs.test.mjs'], /pass 2/],
])('docs/testing.md: %s', (name, command, expected) => {
  test('passes as it is written', async () => {
    const code = blocks.get(name);
    expect(code, `the guide has no ${name}`).toBeDefined();
    const ended = await run(name, code ?? '', command);
    expect(ended.output).toMatch(expected);
    expect(ended.code).toBe(0);
  });

  test('fails where what it expects is not so', async () => {
    const wrong = (blocks.get(name) ?? '')
      .replaceAll("{ N: '7' }", "{ N: '6' }")
      .replace('equal(Count, 0)', 'equal(Count, 1)')
      .replace("toEqual({ N: '8' })", "toEqual({ N: '9' })")
      .replace("expect(Item.plays).toEqual({ N: '6' })", "expect(Item.plays).toEqual({ N: '7' })");
    const ended = await run(name, wrong, command);
    expect(ended.code).not.toBe(0);
  });
});

const hasPytest = spawnSync('python3', ['-c', 'import boto3, pytest']).status === 0;

test.skipIf(!hasPytest)('docs/testing.md: the tests in Python pass, and fail where what they expect is not so', () => {
  const pytest = (): { readonly status: number | null; readonly stdout: string } =>
    spawnSync('python3', ['-m', 'pytest', '-q', '-p', 'no:cacheprovider'], { cwd: project, encoding: 'utf8' });
  for (const name of ['conftest.py', 'test_songs.py']) writeFileSync(join(project, name), blocks.get(name) ?? '');
  const passed = pytest();
  expect(passed.stdout).toMatch(/2 passed/);
  expect(passed.status).toBe(0);
  writeFileSync(join(project, 'test_songs.py'), (blocks.get('test_songs.py') ?? '').replace('== 8', '== 9'));
  expect(pytest().stdout).toMatch(/1 failed, 1 passed/);
});

test('the guide has these files, and no other', () => {
  const files = 'songs.test.ts songs.test.js jest-singlet-config.js songs.test.mjs conftest.py test_songs.py';
  expect([...blocks.keys()]).toEqual(files.split(' '));
});
