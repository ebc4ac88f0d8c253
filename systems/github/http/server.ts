import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { BODY_BYTES_MAX } from './service.ts';

/** A service on a port. */
export interface RunningServer {
  readonly url: string;
  readonly close: () => Promise<void>;
}

/**
 * Serves a function from request to response over HTTP, on this machine only.
 *
 * @param port - 0 takes a free one.
 */
export async function listen(
  service: (request: Request) => Promise<Response>,
  { port }: { readonly port: number },
): Promise<RunningServer> {
  const server = createServer((incoming, outgoing) => {
    void answer(service, incoming, outgoing);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const { port: taken } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${taken}`,
    close: async () => {
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
      });
    },
  };
}

async function answer(
  service: (request: Request) => Promise<Response>,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  try {
    const body = await bodyOf(incoming);
    if (body === undefined) {
      outgoing.writeHead(413, { connection: 'close' }).end();
      return;
    }
    const request = requestOf(incoming, body);
    if (request === undefined) {
      outgoing.writeHead(400, { connection: 'close' }).end();
      return;
    }
    const response = await service(request);
    const content = Buffer.from(await response.arrayBuffer());
    const headers = Object.fromEntries(response.headers);
    outgoing.writeHead(
      response.status,
      response.status === 204 ? headers : { ...headers, 'content-length': content.length },
    );
    outgoing.end(content);
  } catch {
    // The connection broke.
    outgoing.destroy();
  }
}

/** Undefined where host and path are no address. */
function requestOf(incoming: IncomingMessage, body: Buffer): Request | undefined {
  const { method = 'GET', url = '/', headers } = incoming;
  const given = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value === 'string') {
      given.set(name, value);
    }
  }
  const address = `http://${headers.host ?? 'localhost'}`;
  if (!URL.canParse(url, address)) {
    return undefined;
  }
  return new Request(new URL(url, address), {
    method,
    headers: given,
    ...(body.length > 0 && method !== 'GET' && method !== 'HEAD' && { body }),
  });
}

/** The whole body, undefined where it is too long. */
async function bodyOf(incoming: IncomingMessage): Promise<Buffer | undefined> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of incoming as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > BODY_BYTES_MAX) {
      return undefined;
    }
    parts.push(part);
  }
  return Buffer.concat(parts);
}
