import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDatabase } from '../src/index.ts';
import { useCommands } from './singlet-commands.ts';

/** A file or directory that a command cannot use is reported in a sentence that names it, without a stack trace. */
const shop = fileURLToPath(new URL('../../model/test/shop.model.ts', import.meta.url));
const command = useCommands();

let cwd: string;
beforeAll(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'singlet-files-'));
  writeFileSync(join(cwd, 'file'), '');
  mkdirSync(join(cwd, 'folder'));
  await (await createDatabase({ directory: join(cwd, 'data') })).close();
});
afterAll(() => rmSync(cwd, { recursive: true }));

test.each([
  [['docs', shop, '--out', 'folder'], 'folder cannot be used: it is a directory, not a file.'],
  [['docs', shop, '--out', 'file/shop.html'], 'file cannot be used: there is a file of that name.'],
  [['docs', shop, '--out', 'x'.repeat(300)], `${'x'.repeat(300)} cannot be used: its name is too long.`],
  [['init', 'file/shop.model.ts'], 'file cannot be used: there is a file of that name.'],
  [['generate', shop, '--out', 'file'], 'file cannot be used: there is a file of that name.'],
  [['backup', 'file', '--data', 'data'], 'PATH/file cannot be used: there is a file of that name.'],
  [
    ['deploy', 'file'],
    'The file contains no template, plan or definition of a table. For Terraform it is what terraform show -json prints of a plan.',
  ],
])('%j', async (args, problem) => {
  expect(await command(args, { cwd })).toEqual({
    code: 1,
    stdout: '',
    stderr: `singlet: ${problem.replace('PATH', cwd)}\n`,
  });
});

// Linux answers "no such file" to a new directory there, although its parent exists. Node's recursive mkdir repeats itself for ever.
const refusing = '/proc/singlet';
test.runIf(process.platform === 'linux').each([
  ['generate', shop, '--out', refusing],
  ['docs', shop, '--out', `${refusing}/shop.md`],
  ['init', `${refusing}/shop.model.ts`],
])('%j ends in a directory that accepts no others', async (...args) => {
  expect(await command(args, { cwd })).toEqual({
    code: 1,
    stdout: '',
    stderr: `singlet: ${refusing} cannot be used: the directory above it does not exist, or accepts no others; choose another place.\n`,
  });
});

test('the doctor has a code of its own for a directory that cannot be read', async () => {
  const { code, stderr } = await command(['doctor', 'file'], { cwd });
  expect({ code, stderr }).toEqual({
    code: 3,
    stderr: `singlet: ${join(cwd, 'file/data.mdb')} cannot be used: its path leads through a file.\n`,
  });
});
