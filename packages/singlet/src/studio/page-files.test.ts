import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request as ask, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pageRoute } from './page-files.ts';
import type { PageLocation } from './page-location.ts';

const html = '<!doctype html><head></head>the page';
const script = 'export const answer = 42;';
let directory: string;
let server: Server;
let location: PageLocation;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'singlet-page-'));
  mkdirSync(join(directory, 'assets'));
  writeFileSync(join(directory, 'index.html'), html);
  writeFileSync(join(directory, 'assets/main-ABC.js'), script);
  writeFileSync(join(directory, 'assets/main-ABC.js.br'), brotliCompressSync(script));
  writeFileSync(join(directory, 'secret.txt'), 'not for the net');
  mkdirSync(join(directory, 'docs/rules'), { recursive: true });
  writeFileSync(join(directory, 'docs/index.html'), '<!doctype html>documentation');
  writeFileSync(join(directory, 'docs/rules/index.html'), '<!doctype html>rules');
  writeFileSync(join(directory, 'docs/rules/scan.html'), '<!doctype html>scan');
  location = { directory };
  const route = pageRoute({ find: () => location });
  server = createServer((request, response) => {
    if (route(request, response)) return;
    response.writeHead(418);
    response.end('another');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

afterAll(async () => {
  await new Promise((resolve) => server.close(resolve));
  rmSync(directory, { recursive: true });
});

interface Answered {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: Buffer;
}

/** The path is sent exactly as written; fetch() would normalise it. */
function get(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answered> {
  const { port } = server.address() as AddressInfo;
  return new Promise((resolve, reject) => {
    const sent = ask({ host: '127.0.0.1', port, path, method, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks) }),
      );
    });
    sent.on('error', reject);
    sent.end();
  });
}

describe('the documentation', () => {
  test.each([
    ['/studio/docs/', 'documentation'],
    ['/studio/docs/?q=a', 'documentation'],
    ['/studio/docs/rules/', 'rules'],
    ['/studio/docs/rules/scan.html', 'scan'],
  ])('is at %s', async (path, text) => {
    const { status, headers, body } = await get(path);
    expect([status, body.toString()]).toEqual([200, `<!doctype html>${text}`]);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(headers['content-security-policy']).toContain("script-src 'self'");
  });

  test('has a slash at the end of its address, because its links are relative', async () => {
    const { status, headers } = await get('/studio/docs');
    expect([status, headers['location']]).toEqual([308, '/studio/docs/']);
  });

  test.each([
    '/studio/docs/../index.html',
    '/studio/docs/../secret.txt',
    '/studio/docs/%2e%2e/secret.txt',
    '/studio/docs/rules/../../secret.txt',
    '/studio/docs//etc/passwd',
    '/studio/docs/rules',
  ])('has no page %s', async (path) => {
    expect((await get(path)).status).toBe(404);
  });

  test('says how it is built if it is missing', async () => {
    const bare = mkdtempSync(join(tmpdir(), 'singlet-page-'));
    mkdirSync(join(bare, 'assets'));
    const built = location;
    location = { directory: bare };
    const route = pageRoute({ find: () => location });
    const answered = await new Promise<string>((resolve) => {
      const response = { writeHead: () => undefined, end: resolve } as unknown as Parameters<typeof route>[1];
      route({ url: '/studio/docs/', method: 'GET', headers: {} } as Parameters<typeof route>[0], response);
    });
    location = built;
    rmSync(bare, { recursive: true });
    expect(answered).toBe('The documentation was not built: npm run docs\n');
  });
});

describe('the page of the workbench', () => {
  test.each(['/studio', '/studio/', '/studio/tables?q=a', '/studio/t/Shop/i/GSI1?pk=S%3Aa', '/studio/t/a.js'])(
    'is at %s',
    async (path) => {
      const { status, headers, body } = await get(path);
      expect([status, body.toString()]).toEqual([200, html]);
      expect(headers['content-type']).toBe('text/html; charset=utf-8');
      expect(headers['cache-control']).toBe('no-cache');
    },
  );

  test('WB-58: says what it may do: its own files and its own server, in no frame', async () => {
    const { headers } = await get('/studio');
    const policy = String(headers['content-security-policy']).split('; ');
    expect(policy).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "connect-src 'self'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
      ]),
    );
    expect(policy.join()).not.toContain('unsafe');
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
    });
    expect(headers).not.toHaveProperty('access-control-allow-origin');
  });

  test('assets are sent as they were compressed, to those who take that', async () => {
    const plain = await get('/studio/assets/main-ABC.js');
    expect([plain.status, plain.body.toString()]).toEqual([200, script]);
    expect(plain.headers['cache-control']).toContain('immutable');
    expect(plain.headers['content-type']).toBe('text/javascript; charset=utf-8');
    const packed = await get('/studio/assets/main-ABC.js', { 'accept-encoding': 'gzip, br' });
    expect(packed.headers['content-encoding']).toBe('br');
    expect(brotliDecompressSync(packed.body).toString()).toBe(script);
    const refused = await get('/studio/assets/main-ABC.js', { 'accept-encoding': 'gzip, br;q=0' });
    expect(refused.headers).not.toHaveProperty('content-encoding'); // there is no gzip beside it
    const head = await get('/studio/assets/main-ABC.js', {}, 'HEAD');
    expect([head.headers['content-length'], head.body.length]).toEqual([String(script.length), 0]);
  });

  test.each([
    '/studio/assets/../secret.txt',
    '/studio/assets/..%2fsecret.txt',
    '/studio/assets/%2e%2e/secret.txt',
    '/studio/assets//etc/passwd',
    '/studio/assets/main-ABC.js.br',
    '/studio/assets/',
    '/studio/assets/toString',
  ])('%s is not a file', async (path) => {
    const { status, body } = await get(path);
    expect([status, body.toString()]).toEqual([404, 'There is no such file.\n']);
  });

  test('it leaves other paths alone, and is read only', async () => {
    for (const path of ['/', '/studios', '/_singlet/info', '//studio']) expect((await get(path)).status).toBe(418);
    const { status, headers } = await get('/studio', {}, 'PUT');
    expect([status, headers['allow']]).toEqual([405, 'GET, HEAD']);
  });

  test('without the package it says what to install', async () => {
    const problem = 'The workbench needs the package @singlet/studio';
    const before = location;
    location = { problem };
    const route = pageRoute({ find: () => location });
    const missing = createServer((request, response) => void route(request, response));
    await new Promise<void>((resolve) => missing.listen(0, '127.0.0.1', resolve));
    const { port } = missing.address() as AddressInfo;
    const ask = (): Promise<Response> => fetch(`http://127.0.0.1:${port}/studio`);
    const first = await ask();
    expect([first.status, await first.text()]).toEqual([404, `${problem}\n`]);
    location = before; // installed meanwhile
    expect((await ask()).status).toBe(200);
    await new Promise((resolve) => missing.close(resolve));
  });
});
