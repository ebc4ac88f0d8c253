import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';

/*
 * Projects with `"preset": "singlet"`, run by jest: with their own seed, and with the configurations of `jest-dynalite` and
 * `@shelf/jest-dynamodb`. Needs `npm run build`.
 */
const root = fileURLToPath(new URL('../../../', import.meta.url));
let project: string;

beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), 'singlet-jest-'));
  symlinkSync(join(root, 'node_modules'), join(project, 'node_modules'));
  writeFileSync(join(project, 'package.json'), JSON.stringify({ jest: { preset: 'singlet', testTimeout: 600_000 } }));
});

afterEach(() => rmSync(project, { recursive: true }));

async function jest(files: Readonly<Record<string, string>>): Promise<{ code: number | null; output: string }> {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(project, name), text);
  // A test runner started by another would behave as a part of it.
  const { VITEST: _, NODE_ENV: __, JEST_WORKER_ID: ___, AWS_REGION: ____, ...env } = process.env;
  const child = spawn(process.execPath, [join(root, 'node_modules/jest/bin/jest.js'), '--ci'], {
    cwd: project,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [output, errors] = await Promise.all([textOf(child.stdout), textOf(child.stderr)]);
  return { code: await ended, output: output + errors };
}

const table = `{
  TableName: 'files',
  KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
  AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
  ProvisionedThroughput: { ReadCapacityUnits: 1, WriteCapacityUnits: 1 },`;

/** Puts an item and counts. The names show which items of each other the tests see. */
const counting = (client: string): string => `
const { DynamoDBClient } = require('@aws-sdk/client-dynamodb');
const { DynamoDBDocumentClient, PutCommand, ScanCommand } = require('@aws-sdk/lib-dynamodb');
const client = DynamoDBDocumentClient.from(new DynamoDBClient(${client}));
const ids = async () => (await client.send(new ScanCommand({ TableName: 'files' }))).Items.map(({ id }) => id).sort();
const put = async (id) => client.send(new PutCommand({ TableName: 'files', Item: { id } }));
`;

const perTest = (client: string): string => `${counting(client)}
test('writes', async () => { await put('mine'); expect(await ids()).toEqual(['mine', 'seeded']); });
test('starts over', async () => expect(await ids()).toEqual(['seeded']));`;

test('with the configuration of jest-dynalite each test begins with its tables and items', async () => {
  const config = `module.exports = { tables: async () => [${table} data: [{ id: 'seeded', at: 7, tags: ['a'] }] }] };`;
  const client = "{ endpoint: process.env.MOCK_DYNAMODB_ENDPOINT, region: 'local' }";
  const text = perTest(client);
  const { code, output } = await jest({ 'jest-dynalite-config.js': config, 'a.test.js': text, 'b.test.js': text });
  expect(output).toMatch(/Tests: +4 passed/);
  expect(code).toBe(0);
});

test('with a seed, and a client that is not told where the database is', async () => {
  const config = `module.exports = () => ({ tables: [${table} }], items: { files: [{ id: { S: 'seeded' } }] }, failOnScan: true });`;
  const text = `${perTest('{}')}\ntest('only writes', async () => put('mine'));`;
  const { output } = await jest({ 'jest-singlet-config.js': config, 'a.test.js': text });
  expect(output).toMatch(/● writes\n\n.*the test scans a table or index: Scan on files/);
  expect(output).toMatch(/Tests: +2 failed, 1 passed/);
});

test('with the configuration of @shelf/jest-dynamodb all test files share one server', async () => {
  const port = await freePort();
  const config = `module.exports = { tables: [${table} }], port: ${port} };`;
  const shared = (id: string): string => `${counting(`{ endpoint: 'http://localhost:${port}', region: 'local-env' }`)}
test('writes', async () => { await put('${id}'); expect(await ids()).toContain('${id}'); });
test('and finds it in the next test', async () => expect(await ids()).toContain('${id}'));`;
  const { code, output } = await jest({
    'jest-dynamodb-config.js': config,
    'a.test.js': shared('a'),
    'b.test.js': shared('b'),
  });
  expect(output).toMatch(/Tests: +4 passed/);
  expect(code).toBe(0);
});

test('a port in use is reported with the setting to change', async () => {
  const other = createServer();
  await new Promise<void>((resolve) => void other.listen(0, '127.0.0.1', resolve));
  const { port } = other.address() as { readonly port: number };
  try {
    const { code, output } = await jest({
      'jest-dynamodb-config.js': `module.exports = { tables: [${table} }], port: ${port} };`,
      'a.test.js': "test('runs', () => undefined);",
    });
    expect(code).toBe(1);
    expect(output).toContain(
      `port ${port} is in use: stop the program that uses it, or change \`port\` in jest-dynamodb-config`,
    );
  } finally {
    other.close();
  }
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { readonly port: number };
  await new Promise((resolve) => void server.close(resolve));
  return port;
}
