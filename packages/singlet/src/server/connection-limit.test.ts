import { readFileSync } from 'node:fs';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { ConnectionLimit } from './connection-limit.ts';
import { networkOf } from './network-of.ts';
import { type HttpListener, type HttpOptions, listen } from './http-server.ts';
import { createProbeEngine } from './testing/probe-engine.ts';
import { testOptions } from './testing/wire-client.ts';
import { createWireHandler } from './wire.ts';

const testdata = fileURLToPath(new URL('../../test/testdata/tls/', import.meta.url));
const listeners: HttpListener[] = [];
const sockets: Socket[] = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await Promise.all(listeners.splice(0).map((listener) => listener.close()));
});

async function serve(connectionLimit: ConnectionLimit, options: Partial<HttpOptions> = {}): Promise<HttpListener> {
  const handler = createWireHandler(createProbeEngine(), testOptions());
  const listener = await listen(handler, { host: '127.0.0.1', port: 0, connectionLimit, ...options });
  listeners.push(listener);
  return listener;
}

interface Connection {
  readonly socket: Socket;
  /** All bytes that arrived, once the connection is closed. */
  readonly received: Promise<string>;
  /** Sends a request. @returns the first part of its answer, or what arrived before the connection was closed. */
  readonly ask: () => Promise<string>;
}

async function open(
  listener: HttpListener,
  { tls = false, from = '127.0.0.1' }: { readonly tls?: boolean; readonly from?: string } = {},
): Promise<Connection> {
  const address = { port: listener.port, host: '127.0.0.1', localAddress: from };
  const socket = tls ? connectSecurely({ ...address, rejectUnauthorized: false }) : connect(address);
  sockets.push(socket);
  let text = '';
  socket.on('error', () => undefined); // a reset ends the connection like any other close
  socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const received = new Promise<string>((resolve) => socket.once('close', () => resolve(text)));
  const ready = once(socket, tls ? 'secureConnect' : 'connect').then(() => undefined);
  await Promise.race([ready.catch(() => undefined), received]);
  return {
    socket,
    received,
    ask: () => {
      const answered = new Promise<string>((resolve) =>
        socket.once('data', (chunk: Buffer) => resolve(chunk.toString())),
      );
      socket.write('GET /ping HTTP/1.1\r\nhost: localhost\r\n\r\n');
      return Promise.race([answered, received]);
    },
  };
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 1));
}

const certificate = {
  cert: readFileSync(`${testdata}first.cert.pem`, 'utf8'),
  key: readFileSync(`${testdata}first.key.pem`, 'utf8'),
};

describe.each([
  { protocol: 'HTTP', tls: undefined },
  { protocol: 'TLS', tls: certificate },
])('connections of one address, over $protocol', ({ tls }) => {
  const isSecure = tls !== undefined;

  it('are served up to the limit, further ones are closed at once, and a place is free once one ends', async () => {
    const refused: string[] = [];
    const limit = new ConnectionLimit({ perAddress: 2, onRefused: (address) => refused.push(address) });
    const listener = await serve(limit, { tls });
    const first = await open(listener, { tls: isSecure });
    const second = await open(listener, { tls: isSecure });
    expect(await first.ask()).toMatch(/^HTTP\/1\.1 200 OK/);
    expect(await second.ask()).toMatch(/^HTTP\/1\.1 200 OK/);
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      const third = await open(listener, { tls: isSecure });
      expect(await third.received).toBe('');
      expect(refused).toHaveLength(attempt);
    }
    expect(new Set(refused)).toEqual(new Set(['127.0.0.1']));
    expect(await first.ask()).toMatch(/^HTTP\/1\.1 200 OK/);
    second.socket.destroy();
    await second.received;
    // The server notices it a moment later.
    let again = await open(listener, { tls: isSecure });
    while (!(await again.ask()).startsWith('HTTP/1.1 200 OK')) again = await open(listener, { tls: isSecure });
    first.socket.destroy();
    again.socket.destroy();
    await until(() => limit.addressCount === 0);
  });

  it('do not count for other addresses', async () => {
    const limit = new ConnectionLimit({ perAddress: 1 });
    const listener = await serve(limit, { tls });
    const one = await open(listener, { tls: isSecure });
    const other = await open(listener, { tls: isSecure, from: '127.0.0.2' });
    expect(await one.ask()).toMatch(/^HTTP\/1\.1 200 OK/);
    expect(await other.ask()).toMatch(/^HTTP\/1\.1 200 OK/);
    expect(limit.addressCount).toBe(2);
  });
});

it('counts connections that never send anything', async () => {
  const limit = new ConnectionLimit({ perAddress: 3 });
  const listener = await serve(limit, { tls: certificate });
  for (let count = 0; count < 3; count += 1) await open(listener);
  const fourth = await open(listener);
  expect(await fourth.received).toBe('');
});

describe('the network of an address', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::6', '2001:db8:1:2::/64'],
    ['2001:db8::6', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['2001:db8:1::', '2001:db8:1:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['', ''],
  ])('of %j is %j', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });

  it('is that of all addresses with the same first 64 bits, however they are written', () => {
    const group = fc.integer({ min: 0, max: 0xffff }).map((bits) => bits.toString(16));
    const half = fc.array(group, { minLength: 4, maxLength: 4 });
    fc.assert(
      fc.property(half, half, half, (first, host, otherHost) => {
        const network = `${first.join(':')}::/64`;
        for (const rest of [host, otherHost]) {
          const written = [...first, ...rest].join(':');
          expect(networkOf(written)).toBe(network);
          // In the form that systems print: the longest run of zeros is omitted.
          expect(networkOf(new URL(`http://[${written}]/`).hostname.slice(1, -1))).toBe(network);
        }
      }),
    );
  });
});
