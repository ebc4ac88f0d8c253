import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pageRoute } from './page-files.ts';
import type { PageLocation } from './page-location.ts';
import { type Credentials, signedHeaders } from './request-signature.ts';

/** The maximum size of a forwarded request, bytes; the service's own limit. */
const requestBytesMax = 16 * 1024 * 1024;
const answersInMsMax = 60_000;
const targetPattern = /^(DynamoDB|DynamoDBStreams)_20120810\.\w{1,64}$/;
const passedOn = ['content-type', 'x-amzn-requestid', 'x-amz-crc32'] as const;

export interface ForwarderOptions {
  /** The endpoint that requests are forwarded to. */
  readonly endpoint: URL;
  readonly region: string;
  /** Called for each request, since credentials may be renewed. */
  readonly credentials: () => Promise<Credentials>;
  /** 0 selects any free port. */
  readonly port: number;
  readonly nowMs: () => number;
  readonly findPage?: () => PageLocation;
}

export interface Forwarder {
  /** The address of the page. */
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Serves the workbench alone, on this machine only, and forwards its requests to one endpoint, signed. Requests from other pages and for other
 * host names are refused, because every client that reaches the port has the rights of the credentials.
 *
 * @throws the system's error if the server cannot listen on the port.
 */
export async function startForwarder(options: ForwarderOptions): Promise<Forwarder> {
  const page = pageRoute({
    endpoint: options.endpoint.host,
    ...(options.findPage && { find: options.findPage }),
  });
  let port = 0;
  const server = createServer((request, response) => {
    const problem = refusal(request, port);
    if (problem !== undefined) answer(response, problem);
    else if (request.method === 'GET' && request.url === '/') redirect(response);
    else if (!page(request, response)) void forward(request, response, options);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, '127.0.0.1', resolve);
  });
  ({ port } = server.address() as AddressInfo); // a listening TCP server has one
  return {
    url: `http://127.0.0.1:${port}/studio`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface Answer {
  readonly status: number;
  readonly name: string;
  readonly message: string;
}

/** A page of another origin may send requests here, or make its own host name resolve to this server. Both are refused. */
function refusal({ headers, method, url }: IncomingMessage, port: number): Answer | undefined {
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`];
  const { host = '', origin } = headers;
  if (!hosts.includes(host)) return { status: 421, name: 'MisdirectedRequest', message: `This is not ${host}.` };
  if (origin !== undefined && !hosts.includes(origin.replace(/^http:\/\//, ''))) return otherOrigin;
  if (!['same-origin', 'none', undefined].includes(headers['sec-fetch-site']) && method !== 'GET') return otherOrigin;
  if (method === 'GET' || method === 'HEAD') return undefined;
  if (method !== 'POST' || url !== '/') return { status: 404, name: 'UnknownOperationException', message: '' };
  // A form cannot send these headers, and a script of another origin needs a preflight request, which is refused.
  if (headers['x-singlet-studio'] !== '1' || !targetPattern.test(String(headers['x-amz-target']))) return otherOrigin;
  return undefined;
}

const otherOrigin: Answer = {
  status: 403,
  name: 'AccessDeniedException',
  message: 'Only the workbench that is served here may send requests.',
};

async function forward(
  request: IncomingMessage,
  response: ServerResponse,
  { endpoint, region, credentials, nowMs }: ForwarderOptions,
): Promise<void> {
  if (request.method !== 'POST')
    return answer(response, { status: 404, name: 'UnknownOperationException', message: '' });
  try {
    const body = await bodyOf(request);
    if (body === undefined)
      return answer(response, { status: 413, name: 'RequestTooLarge', message: 'The request is larger than 16 MB.' });
    const target = String(request.headers['x-amz-target']);
    const { host: _, ...headers } = signedHeaders({ url: endpoint, target, body }, await credentials(), {
      region,
      nowMs: nowMs(),
    });
    const signal = AbortSignal.timeout(answersInMsMax);
    const answered = await fetch(endpoint, { method: 'POST', headers, body, redirect: 'error', signal });
    const bytes = Buffer.from(await answered.arrayBuffer());
    const names = passedOn.filter((name) => answered.headers.has(name));
    const kept = Object.fromEntries(names.map((name) => [name, answered.headers.get(name) ?? '']));
    response.writeHead(answered.status, { ...kept, 'content-length': bytes.length });
    response.end(bytes);
  } catch (error) {
    const message = `${endpoint.host} does not answer: ${reasonOf(error)}`;
    answer(response, { status: 502, name: 'EndpointUnreachable', message });
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}

/** @returns undefined if the body is too large. */
async function bodyOf(request: IncomingMessage): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > requestBytesMax) return undefined;
    chunks.push(chunk);
  }
  return new Uint8Array(Buffer.concat(chunks));
}

function answer(response: ServerResponse, { status, name, message }: Answer): void {
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close' });
  response.end(JSON.stringify({ __type: name, message }));
}

function redirect(response: ServerResponse): void {
  response.writeHead(302, { location: '/studio' });
  response.end();
}
