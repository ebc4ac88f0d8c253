import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useCommands } from './singlet-commands.ts';
import { SingletProcess } from './singlet-process.ts';

/** Commands that share a process leave what those with a process of their own leave. */
const shop = fileURLToPath(new URL('../../model/test/shop.model.ts', import.meta.url));
const command = useCommands();

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'singlet-commands-'));
  writeFileSync(join(directory, 'thrower.model.ts'), "throw new RangeError('too many');\n");
});
afterAll(() => rmSync(directory, { recursive: true }));

describe('a command in the shared process leaves what its own process leaves', () => {
  test.each([
    [['--version']],
    [['check', shop]],
    [['check', 'thrower.model.ts']],
    [['check', '--no-such-flag']],
    [['run', shop, 'customer', '--username', 'alex', '--endpoint', 'http://127.0.0.1:1']],
    [['ksuid', '1YnlHOfSSk3DhX4BR6lMAceAo1V']],
  ])('%j', async (args) => {
    const own = new SingletProcess(args, { cwd: directory });
    const [{ code }, shared] = await Promise.all([own.ended, command(args, { cwd: directory })]);
    expect(shared).toEqual({ code, stdout: own.stdout, stderr: own.stderr });
  });
});

test('each command has its own environment, directory and exit code', async () => {
  const args = ['run', shop, 'customer', '--username', 'alex', '--endpoint', 'http://127.0.0.1:1'];
  const env = { ...process.env, AWS_REGION: 'not a region' };
  expect((await command(args, { env })).stderr).toContain('not a region');
  expect((await command(args)).stderr).toContain('Nothing answers at http://127.0.0.1:1');
  expect((await command(['check', 'thrower.model.ts'], { cwd: directory })).code).toBe(1);
  expect(await command(['check', 'thrower.model.ts'])).toMatchObject({
    code: 1,
    stderr: 'singlet: There is no thrower.model.ts.\n',
  });
  expect((await command(['--version'])).code).toBe(0);
});

test('a file that was written again is read again', async () => {
  const file = join(directory, 'changing.model.ts');
  for (const message of ['first', 'second']) {
    writeFileSync(file, `throw new RangeError('${message}');\n`);
    expect((await command(['check', file])).stderr).toContain(message);
  }
  const changing = join(directory, 'again.model.ts');
  for (const name of ['a', 'b']) {
    writeFileSync(changing, `export { shop as ${name} } from ${JSON.stringify(shop)};\nexport const other = 1;\n`);
    expect((await command(['explain', changing, '--model', name])).code).toBe(0);
  }
});

test('the process of the commands ends with the tests, however they end', async () => {
  const host = fork(fileURLToPath(new URL('command-host.mjs', import.meta.url)), { execArgv: [] });
  await once(host, 'spawn');
  host.disconnect();
  expect(await once(host, 'exit')).toEqual([0, null]);
});
