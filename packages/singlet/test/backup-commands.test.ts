/** `singlet serve --backup-to`, `backup`, `restore` and `verify`, as installed. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startSmallS3 } from '../src/transfer/buckets/testing/small-s3.ts';
import { type CommandEnd, useCommands } from './singlet-commands.ts';
import { SingletProcess } from './singlet-process.ts';
import { wireResult } from './wire-call.ts';

let parent: string;
beforeEach(() => (parent = mkdtempSync(join(tmpdir(), 'singlet-backup-commands-'))));
afterEach(() => rmSync(parent, { recursive: true, force: true }));

const table = {
  TableName: 'Songs',
  BillingMode: 'PAY_PER_REQUEST',
  AttributeDefinitions: [
    { AttributeName: 'Id', AttributeType: 'S' },
    { AttributeName: 'Artist', AttributeType: 'S' },
  ],
  KeySchema: [{ AttributeName: 'Id', KeyType: 'HASH' }],
  GlobalSecondaryIndexes: [
    {
      IndexName: 'ByArtist',
      KeySchema: [{ AttributeName: 'Artist', KeyType: 'HASH' }],
      Projection: { ProjectionType: 'ALL' },
    },
  ],
};

const command = useCommands();
const run = async (...args: readonly string[]): Promise<CommandEnd> => command(args);

async function put(url: string, id: string): Promise<void> {
  await wireResult(url, 'PutItem', { TableName: 'Songs', Item: { Id: { S: id }, Artist: { S: `artist of ${id}` } } });
}

async function idsIn(directory: string): Promise<readonly string[]> {
  const server = new SingletProcess(['serve', '--data', directory, '--port', '0']);
  const url = await server.ready();
  const answer = await wireResult(url, 'Scan', { TableName: 'Songs', IndexName: 'ByArtist' });
  await server.end('SIGTERM');
  return (answer['Items'] as { Id: { S: string } }[]).map(({ Id }) => Id.S).sort();
}

test('a server is killed, its directory is lost, and every moment of it is restored', async () => {
  const [data, target] = [join(parent, 'data'), join(parent, 'target')];
  const args = ['serve', '--data', data, '--port', '0', '--backup-to', target, '--backup-every', '10ms'];
  const first = new SingletProcess(args);
  let url = await first.ready();
  await wireResult(url, 'CreateTable', table);
  await put(url, 'a');
  await first.until(() => first.stderr.includes('backup-snapshot-written'));
  await put(url, 'b');
  await first.end('SIGKILL');
  const second = new SingletProcess(args);
  url = await second.ready();
  await put(url, 'c');
  await new Promise((resolve) => setTimeout(resolve, 5));
  const between = new Date().toISOString();
  await new Promise((resolve) => setTimeout(resolve, 5));
  await put(url, 'd');
  expect((await second.end('SIGTERM')).code).toBe(0);
  expect(second.stderr).not.toContain('backup-chain-ended');
  rmSync(data, { recursive: true });

  const verified = await run('verify', target);
  expect(verified.stderr).toBe('');
  expect(verified.code).toBe(0);
  expect(verified.stdout).toMatch(/every moment from .* to /);
  for (const [name, at, wanted] of [
    ['last', [], ['a', 'b', 'c', 'd']],
    ['earlier', ['--at', between], ['a', 'b', 'c']],
  ] as const) {
    const restored = await run('restore', target, '--data', join(parent, name), ...at);
    expect(restored.stderr).toBe('');
    expect(restored.stdout).toContain('is as the database was at');
    expect(await idsIn(join(parent, name))).toEqual(wanted);
  }
  // Backups are as private as the data.
  expect(statSync(target).mode & 0o777).toBe(0o700);
});

test('workers share a directory that is backed up, and one of them is killed', async () => {
  const [data, target] = [join(parent, 'data'), join(parent, 'target')];
  const args = ['serve', '--data', data, '--port', '0', '--backup-to', target, '--backup-every', '10ms'];
  const several = new SingletProcess([...args, '--workers', '2']);
  let url = await several.ready();
  await wireResult(url, 'CreateTable', table);
  await put(url, 'a');
  await several.until(() => several.stderr.includes('backup-snapshot-written'));
  const other = await run(...args, '--workers', '2');
  expect(other.stderr).toMatch(/Another process uses the directory/);
  // The process that ships.
  const [, pid] = /background-work-assigned pid=(\d+)/.exec(several.stderr) ?? [];
  process.kill(Number(pid), 'SIGKILL');
  await several.until(() => several.stderr.split('background-work-assigned').length > 2);
  await put(url, 'b');
  expect((await several.end('SIGTERM')).code).toBe(0);
  const alone = new SingletProcess(args);
  url = await alone.ready();
  await put(url, 'c');
  expect((await alone.end('SIGTERM')).code).toBe(0);
  expect(several.stderr + alone.stderr).not.toContain('backup-chain-ended');
  rmSync(data, { recursive: true });
  expect((await run('verify', target)).code).toBe(0);
  expect((await run('restore', target, '--data', join(parent, 'again'))).code).toBe(0);
  expect(await idsIn(join(parent, 'again'))).toEqual(['a', 'b', 'c']);
});

test('each snapshot is verified by restoring it, and damage is reported', async () => {
  const [data, target] = [join(parent, 'data'), join(parent, 'target')];
  const args = ['serve', '--data', data, '--port', '0', '--backup-to', target, '--backup-every', '10ms'];
  const first = new SingletProcess([...args, '--backup-verify']);
  const url = await first.ready();
  await wireResult(url, 'CreateTable', table);
  await put(url, 'a');
  await first.until(() => first.stderr.includes('backup-verified'));
  expect(first.stderr).not.toContain('backup-damaged');
  await first.end('SIGTERM');
  const parts = readdirSync(target, { recursive: true, encoding: 'utf8' }).filter((name) => /snapshot.*\d$/.test(name));
  expect(parts).not.toEqual([]);
  for (const name of parts) {
    const file = join(target, name);
    if (!statSync(file).isFile()) continue;
    const bytes = readFileSync(file);
    bytes[bytes.length - 5]! ^= 4;
    writeFileSync(file, bytes);
  }
  // Another snapshot immediately: the damage is in the previous one.
  const second = new SingletProcess([...args, '--backup-verify', '--backup-snapshot-every', '1s']);
  await second.ready();
  await second.until(() => second.stderr.includes('backup-damaged'));
  expect(second.stderr).toMatch(/backup-damaged.*damaged/);
  await second.end('SIGTERM');
});

test('commands that find the directory in use do not disturb its backup', async () => {
  const [data, target] = [join(parent, 'data'), join(parent, 'target')];
  const args = ['serve', '--data', data, '--port', '0', '--backup-every', '10ms'];
  const server = new SingletProcess([...args, '--backup-to', target]);
  const url = await server.ready();
  await wireResult(url, 'CreateTable', table);
  await server.until(() => server.stderr.includes('backup-snapshot-written'));
  const other = new SingletProcess([...args, '--backup-to', join(parent, 'other')]);
  expect((await other.ended).code).toBe(1);
  expect(other.stderr).toMatch(/Another process uses the directory/);
  const backup = await run('backup', join(parent, 'other'), '--data', data);
  expect(backup.stderr).toMatch(/A server uses/);
  // Longer than a server needs to notice that another process has the directory open.
  await new Promise((resolve) => setTimeout(resolve, 200));
  await put(url, 'a');
  await server.end('SIGTERM');
  expect(server.stderr).not.toContain('backup-interrupted');
  expect((await run('restore', target, '--data', join(parent, 'again'))).code).toBe(0);
  expect(await idsIn(join(parent, 'again'))).toEqual(['a']);
});

test('a target that refuses, belongs to others, or has no place, ends the command with one sentence', async () => {
  const [data, target] = [join(parent, 'data'), join(parent, 'target')];
  const server = new SingletProcess(['serve', '--data', data, '--port', '0']);
  await wireResult(await server.ready(), 'CreateTable', table);
  await server.end('SIGTERM');
  mkdirSync(target);
  writeFileSync(join(target, 'chains'), 'a file where a directory would be');
  const refused = await run('backup', target, '--data', data);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toMatch(/^singlet: backup-target-failed: .*\nsinglet: The target cannot be used: .*\n$/);
  rmSync(target, { recursive: true });

  expect((await run('backup', target, '--data', data)).code).toBe(0);
  const copy = join(parent, 'copy');
  expect((await run('restore', target, '--data', copy)).code).toBe(0);
  const other = await run('backup', target, '--data', copy);
  expect(other.code).toBe(1);
  expect(other.stderr).toMatch(/^singlet: [^\n]* holds the backups of another database: [^\n]*\n$/);

  const nowhere = await run('restore', target, '--data', join(parent, 'missing', 'again'));
  expect(nowhere.code).toBe(1);
  expect(nowhere.stderr).toMatch(/^singlet: [^\n]*again cannot be created: [^\n]*missing does not exist\.\n$/);
});

test('a directory that no server uses is backed up; damage is found, and not restored', async () => {
  const [data, target] = [join(parent, 'data'), join(parent, 'target')];
  const server = new SingletProcess(['serve', '--data', data, '--port', '0']);
  const url = await server.ready();
  await wireResult(url, 'CreateTable', table);
  await put(url, 'a');
  const used = await run('backup', target, '--data', data);
  expect(used.stderr).toMatch(/A server uses .*--backup-to/);
  expect(used.code).toBe(1);
  await server.end('SIGTERM');
  for (let round = 0; round < 2; round += 1) {
    const backup = await run('backup', target, '--data', data);
    expect(backup.stderr).toBe('');
    expect(backup.stdout).toMatch(/^\d+ entries, \d+ bytes, are in /);
  }
  expect((await run('restore', target, '--data', join(parent, 'again'))).code).toBe(0);
  expect(await idsIn(join(parent, 'again'))).toEqual(['a']);
  const [part] = (readdirSync(target, { recursive: true }) as string[])
    .filter((name) => /snapshots\/[^/]+\/\d+$/.test(name))
    .sort()
    .slice(-1);
  const bytes = readFileSync(join(target, part!));
  bytes[60]! ^= 4;
  writeFileSync(join(target, part!), bytes);
  const damaged = await run('verify', target);
  expect(damaged.code).toBe(2);
  expect(damaged.stdout).toContain(`damaged: The object ${part} is damaged`);
  const refused = await run('restore', target, '--data', join(parent, 'never'));
  expect(refused.code).toBe(1);
  expect(refused.stderr).toMatch(/^singlet: The object .* is damaged/);
  expect(readdirSync(parent).sort()).toEqual(['again', 'data', 'target']);
});

test('over the protocol of S3', async () => {
  const s3 = await startSmallS3(['backups']);
  const data = join(parent, 'data');
  process.env['AWS_ACCESS_KEY_ID'] ??= 'test';
  process.env['AWS_SECRET_ACCESS_KEY'] ??= 'test';
  try {
    const where = ['--s3-endpoint', s3.url, '--region', 'us-east-1'];
    const server = new SingletProcess([
      'serve',
      '--data',
      data,
      '--port',
      '0',
      '--backup-to',
      's3://backups/shop',
      ...where,
    ]);
    const url = await server.ready();
    await wireResult(url, 'CreateTable', table);
    await put(url, 'a');
    await server.until(() => server.stderr.includes('backup-snapshot-written'));
    await put(url, 'b');
    await server.end('SIGTERM');
    expect((await run('restore', 's3://backups/shop', '--data', join(parent, 'again'), ...where)).stderr).toBe('');
    expect(await idsIn(join(parent, 'again'))).toEqual(['a', 'b']);
    expect([...s3.objects.keys()].every((name) => name.startsWith('backups/shop/'))).toBe(true);
  } finally {
    await s3.close();
  }
});

test.each([
  [['serve', '--memory', '--backup-to', 'x'], /cannot be used with/],
  [['serve', '--backup-every', 'often'], /--backup-every takes a time such as/],
  [['restore', 'nowhere', '--data', 'x'], /There is no directory .*nowhere\./],
  [['restore', 'empty', '--data', 'x'], /empty holds no backup of Singlet: the directory is empty\./],
  [['restore', 'nowhere', '--data', 'x', '--at', 'noon'], /--at takes a time such as/],
  [['verify', 'nowhere'], /There is no directory .*nowhere\./],
  [['verify', 'empty'], /empty holds no backup of Singlet: the directory is empty\./],
  [['verify', 'other'], /other holds no backup of Singlet, but other files, such as notes\.txt\./],
  [['verify', 'other/notes.txt'], /notes\.txt is not a directory\./],
  [['backup', 'x', '--data', 'nowhere'], /has no data file/],
])('%j is refused in a sentence', async (args, words) => {
  for (const directory of ['empty', 'other']) mkdirSync(join(parent, directory), { recursive: true });
  writeFileSync(join(parent, 'other', 'notes.txt'), '');
  const process = new SingletProcess(args, { cwd: parent });
  expect((await process.ended).code).toBe(1);
  expect(process.stderr).toMatch(words);
  expect(process.stderr.trim().split('\n')).toHaveLength(1);
});
