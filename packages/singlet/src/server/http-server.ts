import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { attempt, type Awaitable, chain } from '../values/awaitable.ts';
import { PlainConnections } from './plain-connections.ts';
import { Turn } from './turn.ts';
import { requestBytesMax, type WireHandler, type WireRequest, type WireResponse } from './wire.ts';

export interface HttpOptions {
  readonly host: string;
  /** 0 lets the system choose one. */
  readonly port: number;
  /**
   * Pages beside the protocol (metrics, the workbench). Sees every request that is not a POST, before the protocol does,
   * and returns whether it takes care of it.
   */
  readonly routes?: (request: IncomingMessage, response: ServerResponse) => boolean;
  /** Sees errors of the listening socket, such as having no file descriptors left. */
  readonly onError?: (error: Error) => void;
  readonly timeouts?: Partial<HttpTimeouts>;
}

/** All in milliseconds. */
export interface HttpTimeouts {
  /** How long a connection may idle between requests. Longer than clients keep theirs, so that they close first. */
  readonly idleMs: number;
  /** How long a client may take to send the headers, and the whole request: slow senders hold a connection. */
  readonly headersMs: number;
  readonly requestMs: number;
  /** How often the two above are looked at. */
  readonly checkMs: number;
  /** How long a refused upload is read on, for the client to see the refusal. */
  readonly lingerMs: number;
  /** How long closing waits for running requests before it cuts them off. */
  readonly closeMs: number;
}

const defaultTimeouts: HttpTimeouts = {
  idleMs: 75_000,
  headersMs: 30_000,
  requestMs: 120_000,
  checkMs: 5_000,
  lingerMs: 1_000,
  closeMs: 30_000,
};

/** Largest header block, bytes. Credentials and session tokens take a few thousand. */
const headerBytesMax = 64 * 1024;

export interface HttpListener {
  /** Such as `http://127.0.0.1:8000`. */
  readonly url: string;
  readonly port: number;
  /** Stops accepting, lets running requests finish and resolves when all connections are gone. May be called again. */
  close(): Promise<void>;
}

/** The server could not be started. `code` is the system's, such as `EADDRINUSE` or `EACCES`. */
export class ListenError extends Error {
  readonly code: string;

  constructor(code: string, message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.name = 'ListenError';
    this.code = code;
  }
}

/**
 * Serves a handler over HTTP/1.1.
 *
 * @throws {ListenError} if the address cannot be listened on.
 */
export async function listen(handler: WireHandler, options: HttpOptions): Promise<HttpListener> {
  const timeouts = { ...defaultTimeouts, ...options.timeouts };
  const connections = new Connections();
  const turn = new Turn();
  const server = createServer(
    {
      keepAliveTimeout: timeouts.idleMs,
      headersTimeout: timeouts.headersMs,
      requestTimeout: timeouts.requestMs,
      connectionsCheckingInterval: timeouts.checkMs,
      maxHeaderSize: headerBytesMax,
    },
    (request, response) => {
      connections.track(request, response);
      if (request.method !== 'POST' && options.routes?.(request, response) === true) return;
      collectBody(
        request,
        (body) =>
          void chain(handled(handler, wireRequestOf(request, body)), (answer) =>
            turn.send(() => send(response, answer, connections)),
          ),
        () => refuse(request, response, timeouts.lingerMs),
      );
    },
  );
  // A client that waits for permission to send is refused before it has sent anything.
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    if (!declaresTooMuch(request)) response.writeContinue();
    server.emit('request', request, response);
  });
  const [serveByNode] = server.listeners('connection') as ((socket: Socket) => void)[];
  server.removeAllListeners('connection');
  const plain = new PlainConnections({
    handler: (request) => handled(handler, request),
    turn,
    idleMs: timeouts.idleMs,
    requestMs: timeouts.requestMs,
    checkMs: timeouts.checkMs,
    handOver(socket, read) {
      connections.add(socket);
      socket.unshift(read);
      serveByNode?.call(server, socket);
    },
  });
  server.on('connection', (socket) => plain.add(socket));
  await start(server, options);
  server.on('error', (error) => options.onError?.(error));
  const { port } = server.address() as AddressInfo; // a listening TCP server has one
  const host = options.host.includes(':') ? `[${options.host}]` : options.host;
  let closing: Promise<void> | undefined;
  return {
    url: `http://${host}:${port}`,
    port,
    close: () => (closing ??= stop(server, { connections, plain }, timeouts.closeMs)),
  };
}

function start(server: Server, { host, port }: HttpOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException): void => {
      const code = error.code ?? 'UNKNOWN';
      reject(new ListenError(code, `cannot listen on ${host}:${port}: ${code}`, { cause: error }));
    };
    server.once('error', fail);
    server.listen(port, host, () => {
      server.off('error', fail);
      resolve();
    });
  });
}

async function stop(
  server: Server,
  { connections, plain }: { readonly connections: Connections; readonly plain: PlainConnections },
  closeMs: number,
): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  connections.closeIdle();
  plain.close();
  const deadline = setTimeout(() => {
    server.closeAllConnections();
    plain.destroy();
  }, closeMs);
  await closed;
  clearTimeout(deadline);
}

/** Which of the connections that node:http serves have a request running. Node.js counts those that never sent one as busy; here they are idle. */
class Connections {
  closing = false;
  readonly #runningBySocket = new Map<Socket, number>();

  add(socket: Socket): void {
    this.#runningBySocket.set(socket, 0);
    socket.once('close', () => this.#runningBySocket.delete(socket));
  }

  /** Counts a request until its response has been sent or given up. Pipelined requests run side by side. */
  track(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    this.#count(socket, 1);
    response.once('close', () => this.#count(socket, -1));
  }

  closeIdle(): void {
    this.closing = true;
    for (const [socket, running] of this.#runningBySocket) {
      if (running === 0) socket.destroy();
    }
  }

  #count(socket: Socket, change: number): void {
    const running = this.#runningBySocket.get(socket);
    if (running !== undefined) this.#runningBySocket.set(socket, running + change);
  }
}

function declaresTooMuch(request: IncomingMessage): boolean {
  return Number(request.headers['content-length'] ?? 0) > requestBytesMax;
}

/** Reads a body. One that came in a single chunk is not copied. */
function collectBody(request: IncomingMessage, done: (body: Uint8Array) => void, refused: () => void): void {
  if (declaresTooMuch(request)) {
    refused();
    return;
  }
  const chunks: Buffer[] = [];
  let byteLength = 0;
  const onData = (chunk: Buffer): void => {
    byteLength += chunk.length;
    if (byteLength <= requestBytesMax) {
      chunks.push(chunk);
      return;
    }
    request.off('data', onData);
    request.off('end', onEnd);
    refused();
  };
  const onEnd = (): void => done(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks));
  request.on('data', onData);
  request.on('end', onEnd);
}

/**
 * Refuses an upload without reading all of it. The answer is complete once its headers are out; what the client still
 * sends is thrown away for a while, because closing on unread data would make its system drop the answer.
 */
function refuse(request: IncomingMessage, response: ServerResponse, lingerMs: number): void {
  response.writeHead(413, ['content-length', '0', 'connection', 'close']);
  response.flushHeaders();
  const timer = setTimeout(finish, lingerMs);
  request.on('end', finish);
  response.on('close', finish);
  request.resume();

  function finish(): void {
    clearTimeout(timer);
    request.pause();
    response.end();
  }
}

function wireRequestOf(request: IncomingMessage, body: Uint8Array): WireRequest {
  return {
    method: request.method ?? '',
    url: request.url ?? '',
    // Node.js joins repeated headers into one string, except `set-cookie`, which nobody reads here.
    headers: request.headers as WireRequest['headers'],
    body,
  };
}

function send(response: ServerResponse, answer: WireResponse, connections: Connections): void {
  if (response.destroyed) return; // the client went away
  if (connections.closing) response.shouldKeepAlive = false;
  response.writeHead(answer.status, answer.headers as string[]); // not changed, only declared so
  response.end(answer.body);
}

function handled(handler: WireHandler, request: WireRequest): Awaitable<WireResponse> {
  return attempt(
    () => handler(request),
    // A handler that breaks its promise never to reject must not leave the client waiting.
    () => ({ status: 500, headers: ['content-length', '0'], body: Buffer.alloc(0) }),
  );
}
