import { createHash, randomBytes } from 'node:crypto';
import { Agent as HttpAgent, request as httpRequest } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { deflateSync, gzipSync } from 'node:zlib';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { JsonObject } from './row.ts';

/** Sends one request of the DynamoDB protocol and returns the answer unchanged. */
export interface Transport {
  request(action: string, body: string | JsonObject, options?: WireOptions): Promise<Reply>;
  close(): Promise<void>;
}

/** How a request differs from an ordinary one. */
export interface WireOptions {
  readonly method?: string;
  /** The X-Amz-Target header; null sends none. */
  readonly target?: string | null;
  /** The Content-Type header; null sends none. */
  readonly contentType?: string | null;
  /** The Authorization header; null sends none. */
  readonly authorization?: string | null;
  /** Further headers. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The path; `/` when absent. */
  readonly path?: string;
  /** Compresses the body and says so in Content-Encoding. */
  readonly compress?: 'gzip' | 'deflate';
}

export interface Reply {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body parsed as JSON; its text when it is not JSON; undefined when it is empty. */
  readonly body: unknown;
  readonly rawBody: Uint8Array;
}

/** The request handler of a database in this process. */
export type Handler = (request: {
  readonly method: string;
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: Uint8Array;
}) => Promise<{
  readonly status: number;
  /** Names and values, alternating. */
  readonly headers: readonly string[];
  readonly body: Uint8Array;
}>;

/** The actions of the API for streams; all others belong to the API for tables and items. */
const streamActions: ReadonlySet<string> = new Set(['DescribeStream', 'GetRecords', 'GetShardIterator', 'ListStreams']);

/** Calls a handler directly: no socket, the same bytes. */
export function inProcessTransport(handle: Handler): Transport {
  return {
    async request(action, body, options = {}) {
      const bytes = bodyBytes(body, options);
      const headers = {
        host: 'in.process',
        'content-length': String(bytes.length),
        ...wireHeaders(action, bytes, options),
      };
      const answer = await handle({ method: options.method ?? 'POST', url: options.path ?? '/', headers, body: bytes });
      return reply(answer.status, pairs(answer.headers), answer.body);
    },
    close: async () => {},
  };
}

/** HTTP or HTTPS over keep-alive connections. Requests to AWS endpoints are signed with the SDK's credentials. */
export function httpTransport(endpoint: string): Transport {
  const itemsUrl = new URL(endpoint);
  const secure = itemsUrl.protocol === 'https:';
  const agent = secure ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true });
  const signer = isAmazonEndpoint(endpoint) ? sdkSigner(itemsUrl) : undefined;
  // DynamoDB Streams has its own endpoint.
  const streamsUrl = signer === undefined ? itemsUrl : new URL(endpoint.replace('://', '://streams.'));
  return {
    async request(action, body, options = {}) {
      const url = new URL(options.path ?? '', streamActions.has(action) ? streamsUrl : itemsUrl);
      const bytes = bodyBytes(body, options);
      const method = options.method ?? 'POST';
      let headers = { host: url.host, ...wireHeaders(action, bytes, options) };
      if (signer !== undefined && options.authorization === undefined) {
        headers = await signer(url, method, headers, bytes);
      }
      return await new Promise<Reply>((resolve, reject) => {
        const send = secure ? httpsRequest : httpRequest;
        const request = send(
          url,
          { method, agent, headers: { ...headers, 'content-length': bytes.length } },
          (response) => void readReply(response).then(resolve, reject),
        );
        request.on('error', reject);
        request.end(bytes);
      });
    },
    close: async () => agent.destroy(),
  };
}

export function isAmazonEndpoint(endpoint: string): boolean {
  return new URL(endpoint).hostname.endsWith('.amazonaws.com');
}

async function readReply(response: IncomingMessage): Promise<Reply> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const headers = Object.entries(response.headers).map(([name, value]) => [name, String(value)] as const);
  return reply(response.statusCode ?? 0, Object.fromEntries(headers), Buffer.concat(chunks));
}

function reply(status: number, headers: Readonly<Record<string, string>>, rawBody: Uint8Array): Reply {
  const lowerCase = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  return { status, headers: Object.fromEntries(lowerCase), body: parseBody(rawBody), rawBody };
}

/** `['a', '1', 'b', '2']` as an object. */
function pairs(namesAndValues: readonly string[]): Record<string, string> {
  const found: Record<string, string> = {};
  for (let index = 0; index + 1 < namesAndValues.length; index += 2) {
    found[namesAndValues[index] ?? ''] = namesAndValues[index + 1] ?? '';
  }
  return found;
}

function parseBody(rawBody: Uint8Array): unknown {
  if (rawBody.length === 0) return undefined;
  const text = Buffer.from(rawBody).toString('utf8');
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

function bodyBytes(body: string | JsonObject, { compress }: WireOptions): Uint8Array {
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body), 'utf8');
  if (compress === undefined) return bytes;
  return compress === 'gzip' ? gzipSync(bytes) : deflateSync(bytes);
}

function wireHeaders(action: string, bytes: Uint8Array, options: WireOptions): Record<string, string> {
  const date = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const api = streamActions.has(action) ? 'DynamoDBStreams_20120810' : 'DynamoDB_20120810';
  const target = options.target === undefined ? `${api}.${action}` : options.target;
  const contentType = options.contentType === undefined ? 'application/x-amz-json-1.0' : options.contentType;
  const authorization =
    options.authorization === undefined ? unsignedAuthorization(date, bytes) : options.authorization;
  return {
    'x-amz-date': date,
    ...(target === null ? {} : { 'x-amz-target': target }),
    ...(contentType === null ? {} : { 'content-type': contentType }),
    ...(options.compress === undefined ? {} : { 'content-encoding': options.compress }),
    ...(authorization === null ? {} : { authorization }),
    ...options.headers,
  };
}

/** A Signature Version 4 header of the right shape, for endpoints that do not verify it. */
function unsignedAuthorization(date: string, bytes: Uint8Array): string {
  const scope = `${date.slice(0, 8)}/us-east-1/dynamodb/aws4_request`;
  const signature = createHash('sha256').update(bytes).update(randomBytes(8)).digest('hex');
  return (
    `AWS4-HMAC-SHA256 Credential=conformance/${scope}, ` +
    `SignedHeaders=content-type;host;x-amz-date;x-amz-target, Signature=${signature}`
  );
}

type Sign = (
  url: URL,
  method: string,
  headers: Record<string, string>,
  body: Uint8Array,
) => Promise<Record<string, string> & { host: string }>;

function sdkSigner(endpoint: URL): Sign {
  const region = endpoint.hostname.split('.')[1] ?? 'us-east-1';
  const client = new DynamoDBClient({ region });
  return async (url, method, headers, body) => {
    const signer = await client.config.signer({
      name: 'sigv4',
      signingName: 'dynamodb',
      signingRegion: region,
      properties: {},
    });
    const { authorization: _replaced, ...unsigned } = headers;
    const signed = await signer.sign({
      method,
      protocol: url.protocol,
      hostname: url.hostname,
      path: '/',
      query: {},
      headers: unsigned,
      body,
    });
    return { host: url.host, ...signed.headers };
  };
}
