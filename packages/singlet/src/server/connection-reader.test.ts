import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { switchInvariants } from '../values/invariants.ts';
import { type ConnectionReader, readConnection } from './connection-reader.ts';

/** Accepts one connection, and records what its reader passes on. */
async function accept(): Promise<{
  readonly server: Server;
  readonly client: Socket;
  readonly accepted: Socket;
  readonly reader: ConnectionReader;
  readonly chunks: Buffer[];
}> {
  const server = createServer({ allowHalfOpen: true });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const [accepted] = (await once(server, 'connection')) as [Socket];
  const chunks: Buffer[] = [];
  const reader = readConnection(accepted, (chunk) => void chunks.push(chunk));
  return { server, client, accepted, reader, chunks };
}

describe.each([
  ['directly', 1],
  ['as a stream', 0],
])('a connection that is read %s', (kind, chance) => {
  let before: (() => number) | undefined;
  beforeEach(() => {
    before = switchInvariants(() => chance);
  });
  afterEach(() => {
    switchInvariants(before);
  });

  it('has a socket of its own, or none', async () => {
    const { server, client, accepted, reader } = await accept();
    expect(reader.socket === accepted).toBe(kind === 'as a stream');
    expect(reader.socket.remoteAddress).toBe('127.0.0.1');
    await close(server, client, reader);
  });

  it('passes on pieces that later ones do not change, and answers', async () => {
    const { server, client, reader, chunks } = await accept();
    client.write('first');
    await expect.poll(() => chunks.map(String)).toEqual(['first']);
    client.write('other');
    await expect.poll(() => chunks.map(String)).toEqual(['first', 'other']);
    reader.socket.write('answer');
    expect(String((await once(client, 'data'))[0])).toBe('answer');
    await close(server, client, reader);
  });

  it('passes on all of what takes several reads', async () => {
    const { server, client, reader, chunks } = await accept();
    const sent = Buffer.from(Array.from({ length: 300_000 }, (_, at) => at % 251));
    client.end(sent);
    await once(reader.socket, 'end');
    expect(Buffer.concat(chunks).equals(sent)).toBe(true);
    reader.socket.end();
    await once(client.resume(), 'close');
    server.close();
  });

  it('is not read while it is paused', async () => {
    const { server, client, reader, chunks } = await accept();
    reader.socket.pause();
    client.write('waiting');
    // Bytes sent later, over another connection, have arrived.
    const other = connect((server.address() as AddressInfo).port, '127.0.0.1');
    other.write('later');
    const [second] = (await once(server, 'connection')) as [Socket];
    await once(second, 'data');
    second.destroy();
    other.destroy();
    expect(chunks).toEqual([]);
    reader.socket.resume();
    await expect.poll(() => chunks.map(String)).toEqual(['waiting']);
    await close(server, client, reader);
  });

  it('is a stream once it is released, beginning with what is put back', async () => {
    const { server, client, reader, chunks } = await accept();
    client.write('head');
    await expect.poll(() => chunks.map(String)).toEqual(['head']);
    reader.release();
    reader.socket.unshift(chunks[0]);
    const received: string[] = [];
    reader.socket.on('data', (chunk: Buffer) => received.push(String(chunk)));
    client.write('rest');
    await expect.poll(() => received.join()).toBe('head,rest');
    expect(chunks).toHaveLength(1);
    await close(server, client, reader);
  });

  it('counts as a connection of its server until it is closed', async () => {
    const { server, client, accepted, reader } = await accept();
    let isClosed = false;
    server.close(() => {
      isClosed = true;
    });
    reader.socket.write('still open');
    await once(client, 'data');
    expect(isClosed).toBe(false);
    reader.socket.destroy();
    if (!accepted.destroyed) await once(accepted, 'close');
    await expect.poll(() => isClosed).toBe(true);
    client.destroy();
  });
});

async function close(server: Server, client: Socket, { socket }: ConnectionReader): Promise<void> {
  client.destroy();
  socket.destroy();
  await new Promise((resolve) => server.close(resolve));
}
