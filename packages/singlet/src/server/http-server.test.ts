import { Agent, type IncomingHttpHeaders, request as httpRequest, type RequestOptions } from 'node:http';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { type HttpListener, type HttpOptions, listen, ListenError } from './http-server.ts';
import { MemoryBudget } from './memory-budget.ts';
import { createProbeEngine, type ProbeEngine } from './testing/probe-engine.ts';
import { testOptions } from './testing/wire-client.ts';
import { createWireHandler, type WireHandler } from './wire.ts';

const listeners: HttpListener[] = [];
const agents: Agent[] = [];
const sockets: Socket[] = [];

afterEach(async () => {
  for (const agent of agents.splice(0)) agent.destroy();
  for (const socket of sockets.splice(0)) socket.destroy();
  await Promise.all(listeners.splice(0).map((listener) => listener.close()));
});

async function serve(handler: WireHandler, options: Partial<HttpOptions> = {}): Promise<HttpListener> {
  const listener = await listen(handler, { host: '127.0.0.1', port: 0, ...options });
  listeners.push(listener);
  return listener;
}

async function serveProbe(
  options: Partial<HttpOptions> = {},
): Promise<{ engine: ProbeEngine; listener: HttpListener }> {
  const engine = createProbeEngine();
  return { engine, listener: await serve(createWireHandler(engine, testOptions()), options) };
}

function keepAliveAgent(): Agent {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  agents.push(agent);
  return agent;
}

interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** One request; `writeBody` writes the body in its own way. */
function send(
  listener: HttpListener,
  options: RequestOptions,
  body: Buffer | string | ((write: (chunk: Buffer) => Promise<void>) => Promise<void>) = '',
): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest({ host: '127.0.0.1', port: listener.port, ...options }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
      });
    });
    outgoing.on('error', reject);
    if (typeof body === 'function') {
      void body((chunk) => new Promise((done) => outgoing.write(chunk, () => done()))).then(() => outgoing.end());
    } else {
      outgoing.end(body);
    }
  });
}

function action(name: string, headers: Record<string, string> = {}): RequestOptions {
  return {
    method: 'POST',
    path: '/',
    headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': `DynamoDB_20120810.${name}`, ...headers },
  };
}

/** A connection for writing raw bytes, and all bytes that came back once it is closed. */
async function rawConnection(
  listener: HttpListener,
  localAddress = '127.0.0.1',
): Promise<{ socket: Socket; received: Promise<string> }> {
  const socket = connect({ port: listener.port, host: '127.0.0.1', localAddress });
  sockets.push(socket);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  const received = new Promise<string>((resolve) => {
    socket.on('error', () => undefined); // a reset ends the connection like any other close
    socket.on('close', () => resolve(Buffer.concat(chunks).toString()));
  });
  await new Promise<void>((resolve) => socket.once('connect', () => resolve()));
  return { socket, received };
}

/** Resolves once a condition holds: waits for an event, not for a time. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 1));
}

/** The responses of the first connections to close. */
function all(
  connections: readonly { readonly received: Promise<string> }[],
  count: number,
): Promise<readonly string[]> {
  return new Promise((resolve) => {
    const texts: string[] = [];
    for (const { received } of connections) {
      void received.then((text) => {
        texts.push(text);
        if (texts.length === count) resolve(texts);
      });
    }
  });
}

/** A promise and the functions that settle it. */
function deferred<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((settle) => (resolve = settle));
  return { promise, resolve };
}

describe('serving', () => {
  it('DB-125 answers one action per request, on one connection or several', async () => {
    const { engine, listener } = await serveProbe();
    engine.answers.ListTables = { tableNames: ['Users'] };
    expect(listener.url).toBe(`http://127.0.0.1:${listener.port}`);
    const agent = keepAliveAgent();
    for (const options of [{ agent }, { agent }, {}]) {
      const answer = await send(listener, { ...action('ListTables'), ...options }, '{}');
      expect(answer).toMatchObject({ status: 200, text: '{"TableNames":["Users"]}' });
      expect(answer.headers).toMatchObject({
        'content-type': 'application/x-amz-json-1.0',
        'content-length': '24',
        'x-amz-crc32': expect.stringMatching(/^\d+$/) as string,
        'x-amzn-requestid': expect.stringMatching(/^[0-9A-Z]{52}$/) as string,
      });
    }
  });

  it('DB-004 answers many clients at once', async () => {
    const { engine, listener } = await serveProbe();
    const answers = await Promise.all(Array.from({ length: 200 }, () => send(listener, action('ListTables'), '{}')));
    expect(new Set(answers.map((answer) => answer.status))).toStrictEqual(new Set([200]));
    expect(engine.calls).toHaveLength(200);
  });

  it('puts a body together from its chunks', async () => {
    const { engine, listener } = await serveProbe();
    const body = Buffer.from(JSON.stringify({ ExclusiveStartTableName: 'abc' }));
    const answer = await send(listener, action('ListTables'), async (write) => {
      for (const byte of body) await write(Buffer.from([byte]));
    });
    expect(answer.status).toBe(200);
    expect(engine.calls[0]?.request).toStrictEqual({ exclusiveStartTableName: 'abc' });
  });

  it('answers pipelined requests in order', async () => {
    const { engine, listener } = await serveProbe();
    const { socket, received } = await rawConnection(listener);
    const first = deferred<void>();
    engine.answers.ListTables = async () => {
      if (engine.calls.length === 1) await first.promise;
      return { tableNames: [`t${engine.calls.length}`] };
    };
    const one = (connection: string): string =>
      'POST / HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\nx-amz-target: DynamoDB_20120810.ListTables\r\n' +
      `connection: ${connection}\r\ncontent-length: 2\r\n\r\n{}`;
    socket.write(one('keep-alive') + one('close'));
    first.resolve();
    const text = await received;
    expect(text.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(2);
  });

  it('survives clients that go away in the middle of a request or of an answer', async () => {
    const { engine, listener } = await serveProbe();
    const half = await rawConnection(listener);
    half.socket.write('POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\n{');
    half.socket.destroy();
    await half.received;

    const started = deferred<void>();
    const gone = deferred<void>();
    engine.answers.ListTables = async () => {
      started.resolve();
      await gone.promise;
      return { tableNames: [] };
    };
    const waiting = await rawConnection(listener);
    waiting.socket.write(
      'POST / HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n' +
        'x-amz-target: DynamoDB_20120810.ListTables\r\ncontent-length: 2\r\n\r\n{}',
    );
    await started.promise;
    waiting.socket.destroy();
    await waiting.received;
    gone.resolve();
    expect((await send(listener, action('DescribeLimits'), '{}')).status).toBe(200);
  });

  it('answers what is not HTTP, and continues', async () => {
    const { listener } = await serveProbe();
    const { socket, received } = await rawConnection(listener);
    socket.write('hello\r\n\r\n');
    expect(await received).toMatch(/^HTTP\/1\.1 400 Bad Request/);
    expect((await send(listener, action('ListTables'), '{}')).status).toBe(200);
  });

  it('does not leave a client waiting when a handler breaks its promise', async () => {
    const listener = await serve(() => Promise.reject(new Error('broken')));
    expect(await send(listener, action('ListTables'), '{}')).toMatchObject({ status: 500, text: '' });
  });

  it('gives up on clients that send too slowly', async () => {
    const { listener } = await serveProbe({ timeouts: { headersMs: 30, requestMs: 60, checkMs: 10 } });
    const headers = await rawConnection(listener);
    headers.socket.write('POST / HTTP/1.1\r\nhost:');
    const body = await rawConnection(listener);
    body.socket.write('POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\n{');
    expect(await headers.received).toMatch(/^HTTP\/1\.1 408/);
    expect(await body.received).toMatch(/^HTTP\/1\.1 408/);
  });
});

describe('plain requests', () => {
  const plain = (body: string, ...headers: string[]): string =>
    [
      'POST / HTTP/1.1',
      'host: localhost',
      'content-type: application/x-amz-json-1.0',
      'x-amz-target: DynamoDB_20120810.ListTables',
      `content-length: ${Buffer.byteLength(body)}`,
      ...headers,
      '',
      body,
    ].join('\r\n');
  const body = (name: string): string => JSON.stringify({ name });
  const answersIn = (text: string): string[] => text.match(/\{"name":"\w*"\}/g) ?? [];

  /** Answers each request with its own body, a moment later. */
  function serveEcho(options: Partial<HttpOptions> = {}): Promise<HttpListener> {
    return serve(async (request) => {
      await new Promise((resolve) => setImmediate(resolve));
      return { status: 200, headers: ['content-length', String(request.body.length)], body: request.body };
    }, options);
  }

  it.each([1, 7, 100, 100_000])(
    'are answered in order, in pieces of %s bytes, however they are mixed with others',
    async (piece) => {
      const listener = await serveEcho();
      const { socket, received } = await rawConnection(listener);
      const chunked = `${body('fourth').length.toString(16)}\r\n${body('fourth')}\r\n0\r\n\r\n`;
      const requests = [
        plain(body('first')),
        plain(body('second'), 'Connection: keep-alive'),
        plain(body('third'.padEnd(200, 'd'))),
        plain('').replace('content-length: 0', 'transfer-encoding: chunked') + chunked,
        plain(body('fifth'), 'Connection: close'),
      ].join('');
      for (let at = 0; at < requests.length; at += piece) {
        socket.write(requests.slice(at, at + piece));
        if (piece < 100_000) await new Promise((resolve) => setImmediate(resolve));
      }
      const names = ['first', 'second', 'third'.padEnd(200, 'd'), 'fourth', 'fifth'];
      expect(answersIn(await received)).toEqual(names.map(body));
    },
  );

  it('are answered as node:http answers', async () => {
    const listener = await serveEcho();
    const headOf = async (...headers: string[]): Promise<string[]> => {
      const { socket, received } = await rawConnection(listener);
      socket.write(plain(body('name'), ...headers));
      const first = await new Promise<string>((resolve) =>
        socket.once('data', (chunk: Buffer) => resolve(chunk.toString())),
      );
      socket.destroy();
      await received;
      return first.replace(/(RequestId|Date): .*/g, '$1: ?').split('\r\n');
    };
    // A trailer does not affect this request, but makes it not plain.
    expect(await headOf()).toEqual(await headOf('TE: trailers'));
  });

  it('give up a client that ends its side, after its answer', async () => {
    const listener = await serveEcho();
    const { socket, received } = await rawConnection(listener);
    socket.end(plain(body('last')));
    const text = await received;
    expect(answersIn(text)).toEqual([body('last')]);
    expect(text).toContain('Connection: close');
  });

  it('may take their time between them, and no more', async () => {
    const listener = await serveEcho({ timeouts: { idleMs: 40, headersMs: 60, requestMs: 60, checkMs: 10 } });
    const idle = await rawConnection(listener);
    idle.socket.write(plain(body('one')));
    expect(answersIn(await idle.received)).toEqual([body('one')]);
    const slow = await rawConnection(listener);
    slow.socket.write(plain('{}').slice(0, -1));
    expect(await slow.received).toMatch(/^HTTP\/1\.1 408/);
  });

  it('that are large are read in their pieces', async () => {
    const listener = await serveEcho();
    const { socket, received } = await rawConnection(listener);
    const large = body('x'.repeat(3_000_000));
    socket.write(plain(large));
    socket.end(plain(body('small')));
    const text = await received;
    expect(text.length).toBeGreaterThan(3_000_000);
    expect(text).toContain(body('small'));
  });
});

describe('DB-124 a body over 16 MB', () => {
  const sixteenMegabytes = 16 * 1024 * 1024;

  it('is refused by its declared length before it is read', async () => {
    const { engine, listener } = await serveProbe();
    const { socket, received } = await rawConnection(listener);
    socket.write(`POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: ${sixteenMegabytes + 1}\r\n\r\n{`);
    const text = await new Promise<string>((resolve) => {
      socket.once('data', (chunk: Buffer) => resolve(chunk.toString()));
    });
    expect(text).toMatch(/^HTTP\/1\.1 413 .*\r\n/);
    expect(text.toLowerCase()).toContain('connection: close');
    socket.end();
    await received;
    expect(engine.calls).toHaveLength(0);
  });

  it('is refused before it is sent when the client asks', async () => {
    const { listener } = await serveProbe();
    const { socket, received } = await rawConnection(listener);
    socket.write(
      `POST / HTTP/1.1\r\nhost: localhost\r\nexpect: 100-continue\r\ncontent-length: ${sixteenMegabytes + 1}\r\n\r\n`,
    );
    const text = await new Promise<string>((resolve) => {
      socket.once('data', (chunk: Buffer) => resolve(chunk.toString()));
    });
    expect(text).toMatch(/^HTTP\/1\.1 413 /);
    socket.end();
    await received;
  });

  it('is refused when it turns out too long, and the client sees why', async () => {
    const { engine, listener } = await serveProbe();
    const megabyte = Buffer.alloc(1024 * 1024, ' ');
    const answer = await send(listener, action('ListTables'), async (write) => {
      for (let index = 0; index < 17; index += 1) await write(megabyte);
    });
    expect(answer).toMatchObject({ status: 413, text: '' });
    expect(engine.calls).toHaveLength(0);
  });

  it('is not read on without end', async () => {
    const { listener } = await serveProbe({ timeouts: { lingerMs: 20 } });
    const { socket, received } = await rawConnection(listener);
    socket.write(`POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: ${sixteenMegabytes * 2}\r\n\r\n{`);
    expect(await received).toMatch(/^HTTP\/1\.1 413 /); // the server closes, although nothing more was sent
  });

  it('is taken at exactly 16 MB', async () => {
    const { listener } = await serveProbe();
    const body = Buffer.alloc(sixteenMegabytes, ' ');
    body.write('{}');
    expect((await send(listener, action('ListTables', { expect: '100-continue' }), body)).status).toBe(200);
  });
});

describe('memory', () => {
  const megabyte = 1024 * 1024;
  const head = (bodyBytes: number, ...headers: string[]): string =>
    [
      'POST / HTTP/1.1',
      'host: localhost',
      'content-type: application/x-amz-json-1.0',
      'x-amz-target: DynamoDB_20120810.ListTables',
      `content-length: ${bodyBytes}`,
      ...headers,
      '',
      '',
    ].join('\r\n');
  /** Makes node:http read the request. */
  const oddHeader = 'te: trailers';
  const ways = [['plain', []] as const, ['node:http', [oddHeader]] as const];
  const padded = (bytes: number): string => '{}'.padEnd(bytes);

  it.each(ways)('is kept for bodies that are being read, and given back: %s', async (_, headers) => {
    const memory = new MemoryBudget();
    const { listener } = await serveProbe({ memory });
    const { socket, received } = await rawConnection(listener);
    socket.write(head(10 * megabyte, ...headers) + '{');
    await until(() => memory.usedBytes === 10 * megabyte);
    socket.destroy();
    await received;
    await until(() => memory.usedBytes === 0);
    const { socket: next } = await rawConnection(listener);
    next.write(head(10 * megabyte, ...headers) + padded(10 * megabyte));
    await once(next, 'data');
    await until(() => memory.usedBytes === 0);
  });

  it.each(ways)('is shared by all connections; who gets none is told so: %s', async (_, headers) => {
    const memory = new MemoryBudget({ waitMs: 30 });
    const { listener } = await serveProbe({ memory, timeouts: { lingerMs: 20 } });
    const connections = await Promise.all(Array.from({ length: 30 }, () => rawConnection(listener)));
    for (const { socket } of connections) socket.write(`${head(15 * megabyte, ...headers)}{${' '.repeat(30_000)}`);
    // Three times fifteen megabytes fit into three quarters of 64.
    const answers = await all(connections, 27);
    expect(answers).toHaveLength(27);
    for (const answer of answers) {
      expect(answer).toMatch(/^HTTP\/1\.1 503 Service Unavailable/);
      expect(answer.toLowerCase()).toContain('connection: close');
      expect(answer).toContain('#ServiceUnavailable');
    }
    expect(memory.usedBytes).toBe(45 * megabyte);
    // Small ones are answered nevertheless.
    expect((await send(listener, action('ListTables'), '{}')).status).toBe(200);
    for (const { socket } of connections) socket.destroy();
    await until(() => memory.usedBytes === 0);
  });

  it.each(ways)('is waited for, without reading on: %s', async (_, headers) => {
    const memory = new MemoryBudget();
    const { listener, engine } = await serveProbe({ memory });
    memory.hold(memory.bytes, '');
    const { socket } = await rawConnection(listener);
    let isDrained = true;
    const body = Buffer.alloc(15 * megabyte, ' ');
    body.write('{}');
    socket.write(head(body.length, ...headers));
    isDrained = socket.write(body);
    socket.once('drain', () => (isDrained = true));
    await until(() => socket.bytesWritten > 100_000);
    for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(isDrained).toBe(false);
    expect(engine.calls).toHaveLength(0);
    memory.give(memory.bytes, '');
    await once(socket, 'data');
    expect(engine.calls).toHaveLength(1);
    await until(() => memory.usedBytes === 0);
  });

  it.each(ways)('is not held by who sends too slowly: %s', async (_, headers) => {
    const memory = new MemoryBudget();
    const { listener } = await serveProbe({ memory, timeouts: { paceAfterMs: 30, checkMs: 10, lingerMs: 20 } });
    const { socket, received } = await rawConnection(listener);
    socket.write(head(10 * megabyte, ...headers) + '{');
    expect(await received).toMatch(/^HTTP\/1\.1 408/);
    await until(() => memory.usedBytes === 0);
  });

  it.each(ways)('is not held by who does not take an answer: %s', async (_, headers) => {
    const memory = new MemoryBudget();
    const answer = Buffer.alloc(40 * megabyte, 'x');
    const listener = await serve(
      () => ({ status: 200, headers: ['content-length', String(answer.length)], body: answer }),
      { memory, timeouts: { paceAfterMs: -700_000, checkMs: 10 } },
    );
    const { socket, received } = await rawConnection(listener);
    socket.pause();
    socket.write(head(2, ...headers) + '{}');
    // It ends after the 640 seconds that such an answer may take at the lowest rate, which have passed already.
    await until(() => memory.usedBytes === 0);
    socket.resume();
    expect((await received).length).toBeLessThan(answer.length);
  });

  it.each(ways)('counts answers until they are taken: %s', async (_, headers) => {
    const memory = new MemoryBudget();
    const answer = Buffer.alloc(40 * megabyte, 'x');
    const listener = await serve(
      () => ({ status: 200, headers: ['content-length', String(answer.length)], body: answer }),
      { memory },
    );
    const { socket } = await rawConnection(listener);
    socket.pause();
    socket.write(head(2, ...headers) + '{}');
    await until(() => memory.usedBytes > 20 * megabyte);
    socket.resume();
    await until(() => memory.usedBytes === 0);
  });

  it.each(ways)('is used by one address up to its part, while others are answered: %s', async (_, headers) => {
    const memory = new MemoryBudget({ bytesPerAddress: 32 * megabyte, waitMs: 30 });
    const { listener, engine } = await serveProbe({ memory, timeouts: { lingerMs: 20 } });
    const connections = await Promise.all(Array.from({ length: 5 }, () => rawConnection(listener)));
    for (const { socket } of connections) socket.write(`${head(10 * megabyte, ...headers)}{${' '.repeat(30_000)}`);
    // Two fit into three quarters of the part, four into those of the total.
    for (const answer of await all(connections, 3)) expect(answer).toMatch(/^HTTP\/1\.1 503 Service Unavailable/);
    expect(memory.usedBytes).toBe(20 * megabyte);
    const { socket: other } = await rawConnection(listener, '127.0.0.2');
    other.write(head(10 * megabyte, ...headers) + padded(10 * megabyte));
    expect(String(await once(other, 'data'))).toMatch(/^HTTP\/1\.1 200/);
    expect(engine.calls).toHaveLength(1);
    for (const { socket } of connections) socket.destroy();
    await until(() => memory.usedBytes === 0);
  });

  it('has one body for each connection, however many are sent at once', async () => {
    const memory = new MemoryBudget();
    let most = 0;
    let running = 0;
    const listener = await serve(
      async ({ body }) => {
        running += 1;
        most = Math.max(most, running, memory.usedBytes / (8 * megabyte));
        for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
        running -= 1;
        return { status: 200, headers: ['content-length', '1'], body: body.subarray(0, 1) };
      },
      { memory },
    );
    for (const headers of [[], [oddHeader]]) {
      const { socket, received } = await rawConnection(listener);
      const one = head(megabyte, ...headers) + padded(megabyte);
      socket.write(one.repeat(5) + head(2, 'connection: close') + '{}');
      expect((await received).match(/200 OK/g)).toHaveLength(6);
    }
    expect(most).toBe(1);
    await until(() => memory.usedBytes === 0);
  });
});

describe('requests that could be read in two ways', () => {
  it('are refused: two Host headers', async () => {
    const { engine, listener } = await serveProbe();
    const { socket, received } = await rawConnection(listener);
    socket.write(
      'POST / HTTP/1.1\r\nhost: a\r\nHost: b\r\ncontent-type: application/json\r\n' +
        'x-amz-target: DynamoDB_20120810.ListTables\r\ncontent-length: 2\r\n\r\n{}',
    );
    const text = await received;
    expect(text).toMatch(/^HTTP\/1\.1 400 Bad Request/);
    expect(text).toContain('more than one Host header');
    expect(engine.calls).toHaveLength(0);
  });

  it('are refused: too long headers', async () => {
    const { engine, listener } = await serveProbe();
    const withHeader = (bytes: number): string =>
      `POST / HTTP/1.1\r\nhost: localhost\r\nx-long: ${'x'.repeat(bytes)}\r\ncontent-type: application/json\r\n` +
      'x-amz-target: DynamoDB_20120810.ListTables\r\nconnection: close\r\ncontent-length: 2\r\n\r\n{}';
    const small = await rawConnection(listener);
    small.socket.write(withHeader(15_000));
    expect(await small.received).toMatch(/^HTTP\/1\.1 200 OK/);
    const large = await rawConnection(listener);
    large.socket.write(withHeader(17_000));
    const text = await large.received;
    expect(text).toMatch(/^HTTP\/1\.1 431 Request Header Fields Too Large/);
    expect(text).toContain('more than 16 KB of headers');
    expect(engine.calls).toHaveLength(1);
  });
});

describe('routes', () => {
  it('take what they know and leave the rest to the protocol', async () => {
    const { listener } = await serveProbe({
      routes(request, response) {
        if (request.url !== '/metrics') return false;
        response.end('requests 1');
        return true;
      },
    });
    expect(await send(listener, { path: '/metrics' })).toMatchObject({ status: 200, text: 'requests 1' });
    expect((await send(listener, { path: '/' })).text).toMatch(/^healthy/);
    expect(await send(listener, { ...action('ListTables'), path: '/metrics' }, '{}')).toMatchObject({
      status: 404,
      text: '<UnknownOperationException/>\n',
    });
  });
});

describe('closing', () => {
  it('finishes what runs, drops idle connections and accepts nothing new', async () => {
    const { engine, listener } = await serveProbe();
    const started = deferred<void>();
    const finish = deferred<void>();
    const idle = keepAliveAgent();
    await send(listener, { ...action('ListTables'), agent: idle }, '{}');
    const silent = await rawConnection(listener);
    engine.answers.ListTables = async () => {
      started.resolve();
      await finish.promise;
      return { tableNames: ['late'] };
    };
    const busy = keepAliveAgent();
    const running = send(listener, { ...action('ListTables'), agent: busy }, '{}');
    await started.promise;

    let closed = false;
    const closing = listener.close().then(() => (closed = true));
    expect(await silent.received).toBe('');
    await expect(send(listener, action('ListTables'), '{}')).rejects.toThrow(/ECONNREFUSED|ECONNRESET/);
    expect(closed).toBe(false);

    finish.resolve();
    const answer = await running;
    expect(answer.text).toBe('{"TableNames":["late"]}');
    expect(answer.headers.connection).toBe('close');
    await closing;
    await expect(listener.close()).resolves.toBeUndefined();
  });

  it('does not wait for ever', async () => {
    const { engine, listener } = await serveProbe({ timeouts: { closeMs: 20 } });
    const started = deferred<void>();
    engine.answers.ListTables = () => {
      started.resolve();
      return new Promise(() => undefined);
    };
    const running = send(listener, action('ListTables'), '{}');
    const failed = expect(running).rejects.toThrow();
    await started.promise;
    await listener.close();
    await failed;
  });
});

describe('listening', () => {
  it('tells why it cannot', async () => {
    const { listener } = await serveProbe();
    const failure = serve(() => Promise.reject(new Error('never called')), { port: listener.port });
    await expect(failure).rejects.toThrow(ListenError);
    await expect(failure).rejects.toMatchObject({ name: 'ListenError', code: 'EADDRINUSE' });
  });

  it('gives an IPv6 address its brackets', async () => {
    const listener = await serve(() => Promise.reject(new Error('never called')), { host: '::1' });
    expect(listener.url).toBe(`http://[::1]:${listener.port}`);
  });
});

describe('requests of browsers', () => {
  it('are not answered under a name that is not of this machine, whichever way they are read', async () => {
    const { engine, listener } = await serveProbe();
    const routed: string[] = [];
    const withRoutes = await serve(createWireHandler(engine, testOptions()), {
      routes(request, response) {
        routed.push(request.url ?? '');
        response.end('page');
        return true;
      },
    });
    for (const host of [`attacker.example:${listener.port}`, 'attacker.example']) {
      for (const options of [
        action('ListTables', { host }),
        action('ListTables', { host, connection: 'close' }),
        { method: 'GET', path: '/_singlet/capacity/Users', headers: { host } },
        { method: 'GET', path: '/', headers: { host } },
      ]) {
        const answer = await send(listener, options, options.method === 'POST' ? '{}' : '');
        expect(answer.status).toBe(403);
        expect(answer.text).toContain(`This server is not ${host}`);
      }
      expect((await send(withRoutes, { method: 'GET', path: '/studio', headers: { host } })).status).toBe(403);
    }
    expect(engine.calls).toEqual([]);
    expect(routed).toEqual([]);
    expect((await send(withRoutes, { method: 'GET', path: '/studio' })).text).toBe('page');
    expect((await send(listener, action('ListTables', { host: 'localhost:1' }), '{}')).status).toBe(200);
  });
});
