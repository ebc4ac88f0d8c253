import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { DeleteTableCommand, DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { expect, test } from 'vitest';
import { drawn } from './testing/drawn.ts';
import { signedIn } from './testing/visitor.ts';

const root = new URL('./', import.meta.url);
const program = fileURLToPath(new URL('./start.mjs', import.meta.url));

test('every application that has an HTTP API can be named', async () => {
  const folders = (await readdir(root)).filter((name) => existsSync(new URL(`${name}/http/`, root)));
  const { stdout } = await promisify(execFile)(process.execPath, [program, '--help']);
  const named = [...stdout.matchAll(/^ {2}([a-z][a-z-]+) {2,}at scale/gm)].map(([, name = '']) => name);
  expect(named.toSorted()).toEqual(folders.toSorted());
  expect(folders).toHaveLength(12);
});

// Applications that start the same way as another are omitted here: their own tests open them. Two have tests of links besides; a run draws two of the
// others.
const others = ['github', 'big-time-deals', 'support-desk', 'session-store', 'access-control'];
test.each(['e-commerce', 'blog', ...drawn('applications that are served', others)])(
  '%s is served, with its page and its description, until it is told to end',
  async (name) => {
    const child = spawn(process.execPath, [program, name, '--port', '0', '--scale', '0.002'], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const ended = once(child, 'exit');
    let faults = '';
    child.stderr.on('data', (chunk) => (faults += String(chunk)));
    try {
      let database = '';
      let workbench: string | undefined;
      let url: string | undefined;
      for await (const line of createInterface(child.stdout)) {
        database = /^The database is on (\S+)/.exec(line)?.[1] ?? database;
        workbench = /^The workbench is on (\S+)/.exec(line)?.[1] ?? workbench;
        url = /^The application is on (\S+);/.exec(line)?.[1];
        if (url !== undefined) break;
      }
      expect(url).toBeDefined();
      const page = await fetch(`${url}/`);
      expect([page.status, page.headers.get('content-type')]).toEqual([
        200,
        expect.stringContaining('text/html') as string,
      ]);
      expect(await page.text()).toContain('<title>');
      const description = (await (await fetch(`${url}/openapi.json`)).json()) as { openapi: string };
      expect(description.openapi).toMatch(/^3\.1/);
      expect(faults).toBe('');
      if (name === 'e-commerce') {
        const cookie = (await signedIn(`${url}`)) ?? '';
        const orders = await (await fetch(`${url}/`, { headers: { cookie } })).text();
        expect(orders).toContain(
          `EC-06 <span class="mono">customerWithOrders</span> <a class="mono" href="${database}/studio/docs/`,
        );
        const [, strategy = ''] = /href="([^"]*\/strategies\/s-29\.html)"/.exec(orders) ?? [];
        expect(await (await fetch(strategy)).text()).toContain('<h1');
      }
      if (name === 'blog') {
        // The build of the workbench is beside the database.
        expect(workbench).toBe(`${database}/studio`);
        const author = await (await fetch(`${url}/authors/u000001`)).text();
        const [, link = ''] = /href="([^"]*\/studio\/t\/[^"]*)"/.exec(author) ?? [];
        expect(link).toMatch(new RegExp(`^${database}/studio/t/blog-single-table\\?pk=`));
        expect((await fetch(link.replaceAll('&amp;', '&'))).headers.get('content-type')).toMatch(/^text\/html/);
        await deleteTables(database);
        const broken = await fetch(`${url}/authors/u000001`);
        expect([broken.status, await broken.text()]).toEqual([500, expect.not.stringContaining('ResourceNotFound')]);
        await expect
          .poll(() => faults)
          .toMatch(
            /^Fault in GET \/authors\/u000001: ResourceNotFoundException: .*\n(?: +at .*\n)* +at .*systems\/.*\.ts:\d/,
          );
      }
    } finally {
      child.kill('SIGTERM');
    }
    expect(await ended).toEqual([0, null]);
  },
);

/** Starts an application that cannot start, and returns what it says. */
async function refused(...args: readonly string[]): Promise<unknown> {
  const child = spawn(process.execPath, [program, 'blog', '--scale', '0', ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let stderr = '';
  child.stderr.on('data', (chunk) => (stderr += String(chunk)));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stderr };
}

test('what keeps an application from starting is said in a sentence', async () => {
  const other = createServer();
  other.listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  try {
    expect(await refused('--port', String(port))).toEqual({
      code: 1,
      stderr: `Port ${port} is in use: choose another with --port.\n`,
    });
  } finally {
    other.close();
  }
  const file = fileURLToPath(import.meta.url);
  expect(await refused('--port', '0', '--data', file)).toEqual({
    code: 1,
    stderr: `The path ${file} is not a directory, or leads through a file: name a directory.\n`,
  });
  // The port of the server that has ended.
  const endpoint = `http://127.0.0.1:${port}`;
  expect(await refused('--port', '0', '--endpoint', endpoint)).toEqual({
    code: 1,
    stderr: `Nothing answers at ${endpoint}: start a server with npx singlet serve, or name another --endpoint.\n`,
  });
  expect(await refused('--endpoint', 'localhost:8000')).toEqual({
    code: 2,
    stderr: expect.stringMatching(/^--endpoint takes a URL such as .*, not "localhost:8000"\n/) as string,
  });
});

async function deleteTables(endpoint: string): Promise<void> {
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const client = new DynamoDBClient({ endpoint, region: 'us-east-1', credentials });
  const { TableNames = [] } = await client.send(new ListTablesCommand({}));
  for (const TableName of TableNames) await client.send(new DeleteTableCommand({ TableName }));
  client.destroy();
}
