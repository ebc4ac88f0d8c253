import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useCommands } from './singlet-commands.ts';
import { SingletProcess } from './singlet-process.ts';

/*
 * The commands of the README that design a table, in their order, in a folder with the packages and a server. Needs `npm run build`.
 */
const root = fileURLToPath(new URL('../../../', import.meta.url));
const [, block = ''] =
  /## Design the table[\s\S]*?```\n([\s\S]*?)```/.exec(readFileSync(join(root, 'README.md'), 'utf8')) ?? [];
const commands = [...block.matchAll(/^npx singlet (.+?)(?: {2,}.*)?$/gm)].map(([, command = '']) => command);

const command = useCommands();
let folder: string;
let server: SingletProcess;
let endpoint: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'singlet-readme-'));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  server = new SingletProcess(['serve', '--memory', '--port', '0']);
  endpoint = await server.ready();
});

afterAll(async () => {
  await server.end('SIGTERM');
  rmSync(folder, { recursive: true });
});

test('the README has commands that design a table', () => {
  expect(commands.map((command) => command.split(' ')[0])).toEqual(
    'init check check prove cost docs seed run'.split(' '),
  );
});

// `--watch` does not end by itself.
test.each(commands.filter((command) => !command.includes('--watch')))('npx singlet %s', async (line) => {
  // The port of the README may be in use on this machine.
  const where = /^(seed|run) /.test(line) ? ['--endpoint', endpoint] : [];
  const { code, stdout, stderr } = await command([...line.split(' '), ...where], { cwd: folder });
  expect(code, stderr).toBe(0);
  if (line.startsWith('run ')) expect(JSON.parse(stdout)).toHaveProperty('orders.0.customerId', 'ada');
});

test('a pattern whose inputs have other names would be noticed', async () => {
  const { code, stderr } = await command(
    ['run', 'shop.model.ts', 'customerWithOrders', '--username', 'ada', '--endpoint', endpoint],
    { cwd: folder },
  );
  expect(code).toBe(1);
  expect(stderr).toContain('customerWithOrders has no input username; it takes --customerId.');
});
