import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { HttpConnection } from './http-connection.ts';
import { drive, sendAll } from './load-client.ts';
import { httpRequest } from './requests.ts';

const servers: Server[] = [];
const sockets: Socket[] = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await Promise.all(servers.splice(0).map((server) => new Promise((resolve) => server.close(resolve))));
});

async function listening(server: Server): Promise<number> {
  servers.push(server);
  server.on('connection', (socket) => sockets.push(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

const httpServer = async (listener: RequestListener): Promise<number> => await listening(createServer(listener));

/** Answers every request with its own body, in chunks when the body asks for it. */
const echo: RequestListener = (request, response) => {
  const pieces: Buffer[] = [];
  request.on('data', (piece: Buffer) => pieces.push(piece));
  request.on('end', () => {
    const body = Buffer.concat(pieces);
    if (body.includes('chunked')) {
      response.write(body.subarray(0, 5));
      response.end(body.subarray(5));
    } else {
      response.writeHead(body.includes('refuse') ? 400 : 200, { 'content-length': body.length });
      response.end(body);
    }
  });
};

describe('a connection', () => {
  it('carries one request after another and understands both ways of framing a reply', async () => {
    const connection = await HttpConnection.open(await httpServer(echo), { keepBodies: true });
    for (const word of ['sized', 'chunked', 'sized again', 'refuse']) {
      const { status, body } = await connection.call(httpRequest({ action: 'GetItem', input: { word } }));
      expect(status).toBe(word === 'refuse' ? 400 : 200);
      expect(JSON.parse(body.toString())).toEqual({ word });
    }
    connection.close();
  });

  it('fails when the server hangs up in the middle of a reply', async () => {
    const port = await listening(
      createTcpServer((socket) =>
        socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nab')),
      ),
    );
    const connection = await HttpConnection.open(port, { keepBodies: true });
    await expect(connection.call(httpRequest({ action: 'GetItem', input: {} }))).rejects.toThrow(
      /closed the connection/,
    );
  });

  it('fails when what comes back is not HTTP', async () => {
    const port = await listening(createTcpServer((socket) => socket.once('data', () => socket.write('hello\r\n\r\n'))));
    const connection = await HttpConnection.open(port, { keepBodies: true });
    await expect(connection.call(httpRequest({ action: 'GetItem', input: {} }))).rejects.toThrow(/not a status line/);
  });

  it('says which port does not answer', async () => {
    const port = await httpServer(echo);
    await Promise.all(servers.splice(0).map((server) => new Promise((resolve) => server.close(resolve))));
    await expect(HttpConnection.open(port, { keepBodies: false })).rejects.toThrow(`port ${port}`);
  });
});

describe('the load generator', () => {
  it('keeps every connection busy, counts answers and errors, and goes round the ring', async () => {
    const seen = new Set<string>();
    let connections = 0;
    const port = await httpServer((request, response) => {
      request.on('data', (piece: Buffer) => seen.add(piece.toString()));
      echo(request, response);
    });
    servers[0]?.on('connection', () => (connections += 1));
    const requests = ['a', 'b', 'refuse'].map((word) => httpRequest({ action: 'GetItem', input: { word } }));
    const timing = { concurrency: 4, warmUpMs: 20, durationMs: 150 };
    const looked = new Map<number, string>();
    const figures = await drive({
      ...timing,
      port,
      requests,
      firstRequest: 7,
      restEvery: 1,
      fault: (index, body) => void looked.set(index, body.toString()),
      serverProcessId: process.pid,
    });
    expect(connections).toBe(4);
    expect([...seen].sort()).toEqual(['{"word":"a"}', '{"word":"b"}', '{"word":"refuse"}']);
    expect(figures.requests).toBeGreaterThan(3);
    expect(figures.errors).toBeGreaterThan(0);
    expect(figures.errors).toBeLessThan(figures.requests);
    expect(figures.firstError).toBe('400 {"word":"refuse"}');
    expect(figures.requestsPerSecond).toBeCloseTo(figures.requests / figures.seconds);
    // The first request is always part of the sample.
    expect(looked.get(1)).toBe('{"word":"b"}');
    expect(figures.p50Ms).toBeGreaterThan(0);
    expect(figures.p99Ms).toBeGreaterThanOrEqual(figures.p50Ms);
  });

  it('counts an answer of the sample that is wrong', async () => {
    const figures = await drive({
      concurrency: 1,
      warmUpMs: 0,
      durationMs: 30,
      port: await httpServer(echo),
      requests: [httpRequest({ action: 'GetItem', input: { word: 'a' } })],
      firstRequest: 0,
      restEvery: 1,
      fault: () => 'another item',
      serverProcessId: process.pid,
    });
    expect(figures.errors).toBeGreaterThan(0);
    expect(figures.firstError).toBe('another item');
  });

  it('begins and ends where the requests rest', async () => {
    const seen: string[] = [];
    const port = await httpServer((request, response) => {
      request.on('data', (piece: Buffer) => seen.push(piece.toString()));
      echo(request, response);
    });
    const requests = [0, 1, 2, 3, 4, 5].map((at) => httpRequest({ action: 'PutItem', input: { at } }));
    await drive({
      concurrency: 2,
      warmUpMs: 0,
      durationMs: 20,
      port,
      requests,
      firstRequest: 5,
      restEvery: 3,
      fault: () => undefined,
      serverProcessId: process.pid,
    });
    expect(seen.length % 3).toBe(0);
    expect(seen.slice(0, 3).sort()).toEqual(['{"at":3}', '{"at":4}', '{"at":5}']);
  });

  it('sends each of a list of requests once', async () => {
    const seen: string[] = [];
    await sendAll({
      port: await httpServer(echo),
      connections: 3,
      requests: Array.from({ length: 20 }, (_, index) => httpRequest({ action: 'PutItem', input: { index } })),
      onReply: ({ body }) => seen.push(body.toString()),
    });
    expect(seen.sort()).toEqual(Array.from({ length: 20 }, (_, index) => JSON.stringify({ index })).sort());
  });

  it('sends again what was under way when a connection broke, and gives up in the end', async () => {
    const seen: string[] = [];
    let broken = 0;
    const port = await httpServer((request, response) => {
      if (request.headers['x-amz-target']?.includes('Never') === true || (broken += 1) === 2) request.socket.destroy();
      else echo(request, response);
    });
    const sent = async (action: string): Promise<void> =>
      await sendAll({
        port,
        connections: 1,
        requests: [1, 2, 3].map((at) => httpRequest({ action, input: { at } })),
        onReply: ({ body }) => seen.push(body.toString()),
      });
    await sent('PutItem');
    expect(seen).toEqual(['{"at":1}', '{"at":2}', '{"at":3}']);
    await expect(sent('Never')).rejects.toThrow(/closed the connection|broke/);
  });

  it('stops at a reply that its caller refuses', async () => {
    const refusing = sendAll({
      port: await httpServer(echo),
      connections: 1,
      requests: [httpRequest({ action: 'PutItem', input: {} })],
      onReply: () => {
        throw new RangeError('refused');
      },
    });
    await expect(refusing).rejects.toThrow('refused');
  });
});
