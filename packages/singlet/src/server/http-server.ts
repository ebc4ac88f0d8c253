import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import { createServer as createSecureServer, type Server as SecureServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server as TcpServer, type Socket } from 'node:net';
import { createSecureContext } from 'node:tls';
import { attempt, type Awaitable, chain } from '../values/awaitable.ts';
import { BodyReader } from './body-reader.ts';
import { ConnectionLimit } from './connection-limit.ts';
import { EventStreams } from './event-streams.ts';
import { BrowserRules } from './browser-rules.ts';
import { MemoryBudget } from './memory-budget.ts';
import { isOverdue } from './pace.ts';
import { Peer } from './peer.ts';
import { PlainConnections } from './plain-connections.ts';
import { EventLoopBatch } from './event-loop-batch.ts';
import { requestBytesMax, type WireHandler, type WireRequest, type WireResponse } from './wire.ts';

export interface HttpOptions {
  readonly host: string;
  /** 0 lets the system choose one. */
  readonly port: number;
  /**
   * Pages outside the protocol (metrics, the workbench). Sees every request that is not a POST and that `browsers` allows, before the
   * protocol does, and returns whether it answers it.
   */
  readonly routes?: (request: IncomingMessage, response: ServerResponse) => boolean;
  /** Which requests of browsers are answered. By default those that are addressed to `host`, from pages of this machine. */
  readonly browsers?: BrowserRules | undefined;
  /** Called with errors of the listening socket, such as running out of file descriptors. */
  readonly onError?: (error: Error) => void;
  /** Serves over TLS, 1.2 or newer. */
  readonly tls?: Certificate | undefined;
  readonly timeouts?: Partial<HttpTimeouts>;
  /** The memory budget of all connections together, for requests and answers. By default 64 MB. */
  readonly memory?: MemoryBudget | undefined;
  /** How many connections one address may have. By default 1,024; further ones are closed at once. */
  readonly connectionLimit?: ConnectionLimit | undefined;
}

/** A certificate with its chain, and its key: in PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** All in milliseconds. */
export interface HttpTimeouts {
  /** How long a connection may idle between requests. Longer than clients keep theirs open, so that they close first. */
  readonly idleMs: number;
  /** How long a client may take to send the headers, and the whole request: slow senders hold a connection. */
  readonly headersMs: number;
  readonly requestMs: number;
  /** How often the two above are checked. */
  readonly checkMs: number;
  /** After this many milliseconds, a body or an answer must keep the minimum rate. */
  readonly paceAfterMs: number;
  /** How long a refused upload is still read, so that the client sees the refusal. */
  readonly lingerMs: number;
  /** How long closing waits for running requests before it aborts them. */
  readonly closeMs: number;
  /** How long a TLS handshake may take. */
  readonly handshakeMs: number;
}

const defaultTimeouts: HttpTimeouts = {
  idleMs: 75_000,
  headersMs: 30_000,
  requestMs: 120_000,
  checkMs: 5_000,
  paceAfterMs: 10_000,
  lingerMs: 1_000,
  closeMs: 30_000,
  handshakeMs: 10_000,
};

/** Largest header block, bytes. Credentials and session tokens take a few thousand. */
const headerBytesMax = 16 * 1024;

export interface HttpListener {
  /** Such as `http://127.0.0.1:8000`. */
  readonly url: string;
  readonly port: number;
  /**
   * Uses this certificate for new connections; open ones keep theirs.
   *
   * @throws {ListenError} for a certificate or key that is not valid, or that do not match; nothing changes then.
   */
  setCertificate(certificate: Certificate): void;
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
 * @throws {ListenError} if the server cannot listen on the address.
 */
export async function listen(handler: WireHandler, options: HttpOptions): Promise<HttpListener> {
  const timeouts = { ...defaultTimeouts, ...options.timeouts };
  const memory = options.memory ?? new MemoryBudget();
  const browsers = options.browsers ?? new BrowserRules({ listensOn: options.host });
  const connections = new Connections();
  const streams = new EventStreams();
  const batch = new EventLoopBatch();
  const bodies = new BodyReader({ memory, timeouts });
  const { server, connectionEvent, setCertificate } = serverOf(
    {
      keepAliveTimeout: timeouts.idleMs,
      headersTimeout: timeouts.headersMs,
      requestTimeout: timeouts.requestMs,
      connectionsCheckingInterval: timeouts.checkMs,
      maxHeaderSize: headerBytesMax,
      handshakeTimeout: timeouts.handshakeMs,
    },
    options.tls,
    (request, response) => {
      connections.track(request, response);
      if (hasSeveralHosts(request)) {
        response.writeHead(400, ['connection', 'close', 'content-type', 'text/plain']);
        response.end('The request has more than one Host header.\n');
        return;
      }
      const { routes } = options;
      if (routes !== undefined && request.method !== 'POST' && browsers.refusal(request.headers) === undefined) {
        if (routes(request, response)) return;
      }
      bodies.read(request, response, (outcome) => {
        if (outcome.kind !== 'done') {
          refuse(request, response, refusals[outcome.kind], timeouts.lingerMs);
          return;
        }
        void chain(handled(handler, wireRequestOf(request, { memory, browsers, body: outcome.body })), (answer) => {
          outcome.release();
          if (outcome.body === undefined) refuse(request, response, answer, timeouts.lingerMs);
          else if (answer.events !== undefined) void streams.send(response, answer, answer.events);
          else batch.send(() => send(response, answer, { connections, memory, timeouts }));
        });
      });
    },
  );
  server.on('clientError', answerClientError);
  // A client that waits for `100 Continue` is refused before it has sent anything.
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    if (Number(request.headers['content-length'] ?? 0) <= requestBytesMax) response.writeContinue();
    server.emit('request', request, response);
  });
  const [serveByNode] = server.listeners(connectionEvent) as ((socket: Socket) => void)[];
  server.removeAllListeners(connectionEvent);
  const plain = new PlainConnections({
    handler: (request) => handled(handler, request),
    batch,
    memory,
    browsers,
    ...timeouts,
    handOver(socket, read) {
      connections.add(socket);
      socket.unshift(read);
      serveByNode?.call(server, socket);
    },
  });
  server.on(connectionEvent, (socket: Socket) => plain.add(socket));
  limitConnections(server, options.connectionLimit ?? new ConnectionLimit({}));
  await start(server, options);
  server.on('error', (error) => options.onError?.(error));
  const { port } = server.address() as AddressInfo; // a listening TCP server has one
  const host = options.host.includes(':') ? `[${options.host}]` : options.host;
  let closing: Promise<void> | undefined;
  return {
    url: `${options.tls === undefined ? 'http' : 'https'}://${host}:${port}`,
    port,
    setCertificate,
    close() {
      streams.close();
      return (closing ??= stop(server, { connections, plain }, timeouts.closeMs));
    },
  };
}

/**
 * Checks that a server could listen with these options, by listening for a moment. For programs that prepare something before they listen.
 *
 * @throws {ListenError} as {@link listen}.
 */
export async function checkListen(options: Pick<HttpOptions, 'host' | 'port' | 'tls'>): Promise<void> {
  if (options.tls !== undefined) checkCertificate(options.tls);
  const server = createTcpServer((socket) => socket.destroy());
  await start(server, options);
  await new Promise((resolve) => server.close(resolve));
}

/** Connections beyond the limit reach neither HTTP nor a TLS handshake. */
function limitConnections(server: Server | SecureServer, limit: ConnectionLimit): void {
  const serveConnection = server.listeners('connection') as ((socket: Socket) => void)[];
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    if (!limit.admits(socket)) return;
    for (const serve of serveConnection) serve.call(server, socket);
  });
}

/** A server, the event that reports connections ready for HTTP, and how its certificate is changed. */
function serverOf(
  options: ServerOptions & { readonly handshakeTimeout: number },
  tls: Certificate | undefined,
  listener: RequestListener,
): {
  readonly server: Server | SecureServer;
  readonly connectionEvent: 'connection' | 'secureConnection';
  readonly setCertificate: (certificate: Certificate) => void;
} {
  if (tls === undefined) {
    const setCertificate = (): void => {
      throw new ListenError('ERR_NO_TLS', 'a server without TLS has no certificate');
    };
    return { server: createServer(options, listener), connectionEvent: 'connection', setCertificate };
  }
  const server = withCertificate(() => createSecureServer({ ...options, ...tls, minVersion }, listener));
  const setCertificate = (certificate: Certificate): void =>
    withCertificate(() => server.setSecureContext({ ...certificate, minVersion }));
  return { server, connectionEvent: 'secureConnection', setCertificate };
}

const minVersion = 'TLSv1.2';

function checkCertificate(certificate: Certificate): void {
  withCertificate(() => createSecureContext({ ...certificate, minVersion }));
}

/** @throws {ListenError} when OpenSSL throws. */
function withCertificate<T>(use: () => T): T {
  try {
    return use();
  } catch (cause) {
    const { code = 'ERR_TLS', message } = cause as NodeJS.ErrnoException; // OpenSSL's
    const reason = certificateProblems[code] ?? message;
    throw new ListenError(code, `the certificate and its key cannot be used: ${reason}`, { cause });
  }
}

/** By OpenSSL's codes. */
const certificateProblems: Readonly<Record<string, string>> = {
  ERR_OSSL_PEM_NO_START_LINE: 'the certificate is not in PEM',
  ERR_OSSL_UNSUPPORTED: 'the key is not a private key in PEM',
  ERR_OSSL_X509_KEY_VALUES_MISMATCH: 'the key is that of another certificate',
  ERR_OSSL_BAD_DECRYPT: 'the key is encrypted with a passphrase, and has to be written without one',
};

function start(server: TcpServer, { host, port }: Pick<HttpOptions, 'host' | 'port'>): Promise<void> {
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
  server: Server | SecureServer,
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

/** Tracks which connections of node:http have a request running. Node.js counts those that never sent one as busy; here they are idle. */
class Connections {
  closing = false;
  readonly #runningBySocket = new Map<Socket, number>();

  add(socket: Socket): void {
    this.#runningBySocket.set(socket, 0);
    socket.once('close', () => this.#runningBySocket.delete(socket));
  }

  /** Counts a request until its response has been sent or aborted. Pipelined requests run concurrently. */
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

/** Of two Host headers, a proxy may have read one and this server the other. Node.js takes the first. */
function hasSeveralHosts({ rawHeaders }: IncomingMessage): boolean {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) if (rawHeaders[at]?.toLowerCase() === 'host') count += 1;
  return count > 1;
}

/** Answers a request that is not valid HTTP. Node.js gives the same answer, without the reason. */
function answerClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const [status, text] = clientErrors.get(error.code) ?? [400, 'The request is not valid HTTP/1.1.'];
  const body = `${text}\n`;
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Type: text/plain\r\n`;
  socket.end(`${head}Content-Length: ${body.length}\r\n\r\n${body}`, () => socket.destroy());
}

const clientErrors: ReadonlyMap<string | undefined, readonly [status: number, text: string]> = new Map([
  ['HPE_HEADER_OVERFLOW', [431, `The request has more than ${headerBytesMax / 1024} KB of headers.`]],
  ['HPE_CHUNK_EXTENSIONS_OVERFLOW', [413, 'The chunk extensions of the request are too long.']],
  ['ERR_HTTP_REQUEST_TIMEOUT', [408, 'The request did not arrive in time.']],
]);

/**
 * Refuses an upload without reading all of it. The answer is complete once it is sent. What the client still
 * sends is discarded for a while, because closing on unread data would make its system drop the answer.
 */
function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers, body }: WireResponse,
  lingerMs: number,
): void {
  response.writeHead(status, [...headers, 'connection', 'close']);
  response.flushHeaders();
  if (body.length > 0) response.write(body);
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

const emptyBody = Buffer.alloc(0);

/** Answers to bodies that are not read to the end. */
const refusals: Readonly<Record<'too-large' | 'too-slow', WireResponse>> = {
  'too-large': { status: 413, headers: ['content-length', '0'], body: emptyBody },
  'too-slow': { status: 408, headers: ['content-length', '0'], body: emptyBody },
};

function wireRequestOf(
  request: IncomingMessage,
  {
    memory,
    browsers,
    body,
  }: { readonly memory: MemoryBudget; readonly browsers: BrowserRules; readonly body: Uint8Array | undefined },
): WireRequest {
  return {
    method: request.method ?? '',
    url: request.url ?? '',
    // Node.js joins repeated headers into one string, except `set-cookie`, which has no meaning here.
    headers: request.headers as WireRequest['headers'],
    body: body ?? emptyBody,
    memory,
    browsers,
    peer: new Peer(request.socket),
    ...(body === undefined && { isRefused: true }),
  };
}

function send(
  response: ServerResponse,
  answer: WireResponse,
  { connections, memory, timeouts }: { connections: Connections; memory: MemoryBudget; timeouts: HttpTimeouts },
): void {
  if (response.destroyed) return; // the client disconnected
  if (connections.closing) response.shouldKeepAlive = false;
  response.writeHead(answer.status, answer.headers as string[]); // not changed, only declared mutable
  response.end(answer.body);
  if (response.writableLength > 0) holdUntilTaken(response, answer, memory, timeouts);
}

/** An answer counts against the memory budget until the client has read it, and the client has limited time for that. */
function holdUntilTaken(
  response: ServerResponse,
  { body, onUnread }: WireResponse,
  memory: MemoryBudget,
  { checkMs, paceAfterMs }: HttpTimeouts,
): void {
  const answerBytes = body.length;
  const { network } = new Peer(response.req.socket);
  memory.hold(answerBytes, network);
  onUnread?.(answerBytes);
  const sinceMs = performance.now();
  const timer = setInterval(() => {
    if (isOverdue(answerBytes, performance.now() - sinceMs, paceAfterMs)) response.destroy();
  }, checkMs);
  response.once('close', () => {
    clearInterval(timer);
    memory.give(answerBytes, network);
    onUnread?.(-answerBytes);
  });
}

function handled(handler: WireHandler, request: WireRequest): Awaitable<WireResponse> {
  return attempt(
    () => handler(request),
    // A handler that breaks its promise never to reject must not leave the client waiting.
    () => ({ status: 500, headers: ['content-length', '0'], body: Buffer.alloc(0) }),
  );
}
