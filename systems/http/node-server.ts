import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { BODY_BYTES_MAX } from './body-text.ts';
import type { Handler } from './router.ts';

export interface HttpServer {
  readonly url: string;
  /** Waits for requests in flight. */
  close(): Promise<void>;
}

export interface HttpServerOptions {
  /** 0 for any free port. */
  readonly port: number;
  /** Only this machine by default. */
  readonly host?: string;
}

/**
 * How long an idle connection stays open: longer than clients and proxies keep theirs. A server that closes first may do so at the moment when a client sends
 * the next request, which is then lost.
 */
const IDLE_MS_MAX = 72_000;
const LOOKS_FOR_IDLE_EVERY_MS = 20;

/** Serves a handler on `node:http`. */
export async function serveHttp(
  handler: Handler,
  { port, host = '127.0.0.1' }: HttpServerOptions,
): Promise<HttpServer> {
  const server = createServer((incoming, outgoing) => {
    // A caller who disconnects, in the middle of a request or of its answer, is not a fault of the server.
    answer(handler, incoming, outgoing).catch(() => outgoing.destroy());
  });
  server.keepAliveTimeout = IDLE_MS_MAX;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  // A server that listens on a port has such an address.
  const { port: actualPort } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${actualPort}`,
    close: async () => {
      const ended = once(server, 'close');
      server.close();
      // A connection whose last answer was on its way is idle a moment later.
      const closing = setInterval(() => server.closeIdleConnections(), LOOKS_FOR_IDLE_EVERY_MS);
      await ended;
      clearInterval(closing);
    },
  };
}

async function answer(handler: Handler, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const request = requestOf(incoming, await bodyOf(incoming));
  if (request === undefined) {
    outgoing.writeHead(400).end();
    return;
  }
  const response = await handler(request);
  const { status, headers, body } = response;
  // A body that was not read to its end cannot be followed by another request.
  if (!incoming.complete) outgoing.setHeader('connection', 'close');
  outgoing.writeHead(status, Object.fromEntries(headers));
  if (body === null) outgoing.end();
  else await pipeline(Readable.fromWeb(body), outgoing);
}

/**
 * A body of a usual length, whole: an answer that comes before the body has arrived closes the connection, and a caller that still writes may find it
 * reset instead of the answer. A longer body, or one of unknown length, is a stream, so that no more of it is read than is wanted.
 */
async function bodyOf(incoming: IncomingMessage): Promise<RequestInit> {
  const { method = 'GET', headers } = incoming;
  if (method === 'GET' || method === 'HEAD') return {};
  if (!(Number(headers['content-length']) <= BODY_BYTES_MAX)) {
    return { body: Readable.toWeb(incoming), duplex: 'half' as const };
  }
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer); // no encoding is set
  return { body: Buffer.concat(chunks) };
}

/** @returns undefined for an invalid target, host or method. */
function requestOf(incoming: IncomingMessage, body: RequestInit): Request | undefined {
  const { method = 'GET', url = '/' } = incoming;
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers)) {
    for (const each of [value ?? []].flat()) headers.append(name, each);
  }
  try {
    return new Request(new URL(url.replace(/^\/+/, '/'), `http://${incoming.headers.host ?? 'application'}`), {
      method,
      headers,
      ...body,
    });
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}
