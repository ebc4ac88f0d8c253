import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DynamoError } from '../values/service-error.ts';
import { pageRoute } from './page-files.ts';
import type { PageLocation } from './page-location.ts';
import { type Credentials, signedHeaders } from './request-signature.ts';

/** The maximum size of a forwarded request, bytes; the service's own limit. */
const requestBytesMax = 16 * 1024 * 1024;
const answersInMsMax = 60_000;
const targetPattern = /^(DynamoDB|DynamoDBStreams)_20120810\.\w{1,64}$/;
const passedOn = ['content-type', 'x-amzn-requestid', 'x-amz-crc32'] as const;

/** An endpoint, and what signs requests to it. */
export interface SignedEndpoint {
  readonly endpoint: URL;
  readonly region: string;
  /** Called for each request, since credentials may be renewed. */
  readonly credentials: () => Promise<Credentials>;
  readonly nowMs: () => number;
}

export interface ForwarderOptions extends SignedEndpoint {
  /** Answers what is below `/_singlet/`: models of files on this machine. The endpoint is not asked. */
  readonly inspection?: LocalInspection | undefined;
  /** 0 selects any free port. */
  readonly port: number;
  readonly findPage?: () => PageLocation;
}

/** Answers requests below `/_singlet/` in this process. */
export interface LocalInspection {
  /** @returns false if nothing exists at the path; then nothing has been sent. */
  answer(request: IncomingMessage, body: Uint8Array, response: ServerResponse): Promise<boolean>;
  /** Ends answers that have no end of their own. */
  close(): void;
}

const inspectionPath = '/_singlet/';

export interface Forwarder {
  /** The address of the page. */
  readonly url: string;
  close(): Promise<void>;
}

/** How long a connection stays open between requests: a server that is busy for longer must not close one on which a request is arriving. */
const idleMs = 75_000;

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
  const server = createServer({ keepAliveTimeout: idleMs }, (request, response) => {
    const problem = refusal(request, port);
    if (problem !== undefined) answer(response, problem);
    else if (request.method === 'GET' && request.url === '/') redirect(response);
    else if (isInspection(request)) void inspected(request, response, options);
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
        options.inspection?.close();
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
  const isForeign = !['same-origin', 'none', undefined].includes(headers['sec-fetch-site']);
  if (isForeign && (method !== 'GET' || isInspection({ url }))) return otherOrigin;
  if (method === 'GET' || method === 'HEAD') return undefined;
  if (method === 'POST' && isInspection({ url })) return headers['x-singlet-studio'] === '1' ? undefined : otherOrigin;
  if (method !== 'POST' || url !== '/') return unknownPath;
  // A form cannot send these headers, and a script of another origin needs a preflight request, which is refused.
  if (headers['x-singlet-studio'] !== '1' || !targetPattern.test(String(headers['x-amz-target']))) return otherOrigin;
  return undefined;
}

const unknownPath: Answer = { status: 404, name: 'UnknownOperationException', message: '' };

const otherOrigin: Answer = {
  status: 403,
  name: 'AccessDeniedException',
  message: 'Only the workbench that is served here may send requests.',
};

function isInspection({ url = '' }: Pick<IncomingMessage, 'url'>): boolean {
  return url.startsWith(inspectionPath);
}

/** Refuses what is too large or unknown; the rest is answered in this process. */
async function inspected(
  request: IncomingMessage,
  response: ServerResponse,
  { inspection }: ForwarderOptions,
): Promise<void> {
  if (inspection === undefined) return answer(response, unknownPath);
  try {
    const body = await bodyOf(request);
    if (body === undefined) return answer(response, tooLarge);
    if (!(await inspection.answer(request, body, response))) answer(response, unknownPath);
  } catch (error) {
    answer(response, { status: 500, name: 'InternalServerError', message: reasonOf(error) });
  }
}

const tooLarge: Answer = { status: 413, name: 'RequestTooLarge', message: 'The request is larger than 16 MB.' };

/** Sends a request to the endpoint, signed. @throws {TypeError} if nothing answers there. */
async function sent(
  { endpoint, region, credentials, nowMs }: SignedEndpoint,
  target: string,
  body: Uint8Array<ArrayBuffer>,
): Promise<Response> {
  const { host: _, ...headers } = signedHeaders({ url: endpoint, target, body }, await credentials(), {
    region,
    nowMs: nowMs(),
  });
  const signal = AbortSignal.timeout(answersInMsMax);
  return fetch(endpoint, { method: 'POST', headers, body, redirect: 'error', signal });
}

/**
 * Calls an action of the endpoint, with its input and its answer in wire form.
 *
 * @throws {DynamoError} the error that the endpoint returned.
 */
export async function callEndpoint(to: SignedEndpoint, action: string, input: object): Promise<unknown> {
  const answered = await sent(to, `DynamoDB_20120810.${action}`, Buffer.from(JSON.stringify(input)));
  const output: unknown = await answered.json();
  if (answered.ok) return output;
  const { __type: type = 'InternalServerError', message = '' } = output as { __type?: string; message?: string };
  throw new DynamoError(type.slice(type.lastIndexOf('#') + 1), message, { status: answered.status });
}

async function forward(request: IncomingMessage, response: ServerResponse, options: ForwarderOptions): Promise<void> {
  const { endpoint } = options;
  if (request.method !== 'POST') return answer(response, unknownPath);
  try {
    const body = await bodyOf(request);
    if (body === undefined) return answer(response, tooLarge);
    const answered = await sent(options, String(request.headers['x-amz-target']), body);
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
