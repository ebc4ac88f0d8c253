import { isUtf8 } from 'node:buffer';
import { crc32 } from 'node:zlib';
import { attempt, type Awaitable, chain } from '../values/awaitable.ts';
import type { Engine, Random, RequestContext } from '../engine/index.ts';
import { DynamoError } from '../values/service-error.ts';
import { carriedCopy } from './carried-copy.ts';
import { deflate, inflate } from './compression.ts';
import { errorResponse } from './error-response.ts';
import { actionsByTarget, operationOf } from './operations/index.ts';
import type { ActionName, DecodedCall } from './operations/operation.ts';
import { type ReplicaAction, replicaSignatureHeader, replicaTarget } from './replica-action.ts';
import { type AccountOf, createContextReader } from './request-context.ts';
import { takeItems } from './item-texts.ts';
import { reportPage, reportPath } from './report-page.ts';
import { createRequestIds } from './request-id.ts';
import { SerializationException } from './serialization-exception.ts';

/** An HTTP request without its socket. */
export interface WireRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The body as sent, undecoded. The handler does not keep it. */
  readonly body: Uint8Array;
}

/** An HTTP response without its socket. */
export interface WireResponse {
  readonly status: number;
  /** Names and values in turn, as `http.ServerResponse.writeHead` takes them. `content-length` is among them. */
  readonly headers: readonly string[];
  readonly body: Uint8Array;
}

/** Answers a request. Never rejects or throws: a failure of any kind is an answer. */
export type WireHandler = (request: WireRequest) => Awaitable<WireResponse>;

export interface WireOptions {
  readonly random: Random;
  /** Milliseconds from some fixed point in time; never goes back. */
  readonly monotonicMs: () => number;
  /** Where a request without a credential scope comes from. Defaults: account `000000000000`, region `us-east-1`. */
  readonly accountId?: string;
  readonly region?: string;
  /** Whose an access key is. Without it, and for keys it does not know, the account above. */
  readonly accountOf?: AccountOf;
  /** Decides whether a decoded call may run; throws the `DynamoError` to be answered if not. Without it all may. */
  readonly authorize?: Authorize;
  /** Answers the replicas that other servers have. Without it there is no such action. */
  readonly replicaAction?: ReplicaAction;
  /** Sees every request once it is answered. Must not throw. */
  readonly onRequest?: (event: RequestEvent) => void;
  /** Sees every failure that was answered with InternalServerError or ServiceUnavailable. Must not throw. */
  readonly onInternalError?: (event: InternalErrorEvent) => void;
}

export type Authorize = (authorization: Authorization) => Awaitable<void>;

/** What there is to decide on. */
export interface Authorization {
  readonly call: DecodedCall;
  readonly context: RequestContext;
  readonly request: WireRequest;
}

/** One line of an access log. */
export interface RequestEvent {
  readonly requestId: string;
  readonly region: string;
  /** The action, once the request is known to be one; `GetItem`. */
  readonly action: string | undefined;
  /** The table, if the request is about one. */
  readonly table: string | undefined;
  readonly status: number;
  /** Wire name of the error that was answered. */
  readonly error: string | undefined;
  readonly durationMs: number;
  /** Bodies as they went over the wire. */
  readonly requestBytes: number;
  readonly responseBytes: number;
}

export interface InternalErrorEvent {
  readonly requestId: string;
  readonly action: string | undefined;
  readonly error: unknown;
}

/** Largest body of a request as it is sent, bytes. */
export const requestBytesMax: number = 16 * 1024 * 1024;

/** Largest body inflated, bytes. The service is not known to have such a limit; without it a small body could fill the memory. */
const inflatedBytesMax = 4 * requestBytesMax;

const jsonType = 'application/json';
const amazonJsonType = 'application/x-amz-json-1.0';
const emptyBody = Buffer.alloc(0);
const unknownPage = Buffer.from('<UnknownOperationException/>\n');
const preflightSecondsMax = 172_800;

/** The DynamoDB protocol over an engine: decodes, runs, encodes. Safe to call concurrently. */
export function createWireHandler(engine: Engine, options: WireOptions): WireHandler {
  const { accountId = '000000000000', region = 'us-east-1' } = options;
  const contextOf = createContextReader({ accountId, region }, options.accountOf);
  const nextRequestId = createRequestIds(options.random);
  const healthPage = Buffer.from(`healthy: dynamodb.${region}.amazonaws.com `); // the blank at the end is the service's

  return (request) => {
    const startedMs = options.onRequest === undefined ? 0 : options.monotonicMs();
    const exchange = new Exchange(request, nextRequestId());
    return chain(answer(exchange), () => finish(exchange, startedMs));
  };

  function finish(exchange: Exchange, startedMs: number): WireResponse {
    const response = exchange.response();
    options.onRequest?.({
      requestId: exchange.requestId,
      region: exchange.context?.region ?? region,
      action: exchange.action,
      table: exchange.table,
      status: response.status,
      error: exchange.error,
      durationMs: options.monotonicMs() - startedMs,
      requestBytes: exchange.request.body.length,
      responseBytes: response.body.length,
    });
    return response;
  }

  function answer(exchange: Exchange): Awaitable<void> {
    const { request } = exchange;
    const { method } = request;
    if (method === 'POST') return answerPost(exchange);
    if (method === 'GET' && request.url.startsWith(reportPath)) return answerReport(exchange);
    if (method === 'OPTIONS' && request.headers.origin !== undefined) {
      exchange.answerPreflight();
    } else if (method === 'GET' && isHealthPath(request.url)) {
      exchange.answer(200, undefined, healthPage);
    } else {
      exchange.answer(404, undefined, unknownPage);
    }
  }

  /** Where calls have to be authorised, nothing is told about tables beside them. */
  async function answerReport(exchange: Exchange): Promise<void> {
    const { request } = exchange;
    const context = contextOf(request);
    exchange.context = context;
    try {
      const page = options.authorize === undefined ? await reportPage(engine, request.url, context) : undefined;
      if (page === undefined) exchange.answer(404, undefined, unknownPage);
      else exchange.answerSameOrigin(page.status, page.body);
    } catch (error) {
      answerError(exchange, error, jsonType);
    }
  }

  function answerError(exchange: Exchange, error: unknown, contentType: string): void {
    const described = errorResponse(error);
    exchange.error = described.name;
    exchange.answer(described.status, contentType, described.body);
    if (described.internal !== undefined) {
      options.onInternalError?.({ requestId: exchange.requestId, action: exchange.action, error });
    }
  }

  function answerPost(exchange: Exchange): Awaitable<void> {
    const { request } = exchange;
    const contentType = mediaType(request.headers['content-type']);
    if (request.body.length > requestBytesMax) return exchange.answer(413, undefined, emptyBody);
    if (request.body.length > 0 && contentType !== amazonJsonType && contentType !== jsonType) {
      return exchange.answer(404, undefined, unknownPage);
    }
    const responseType = contentType === amazonJsonType ? amazonJsonType : jsonType;
    return attempt(
      () =>
        isCompressed(request)
          ? answerCompressed(exchange, responseType)
          : chain(run(exchange, request.body), (result) => exchange.answer(200, responseType, result)),
      (error) => answerError(exchange, error, responseType),
    );
  }

  /** A request that came compressed, or an answer that may go so. */
  async function answerCompressed(exchange: Exchange, responseType: string): Promise<void> {
    const { request } = exchange;
    const encoding = request.headers['content-encoding'];
    const body = encoding === undefined ? request.body : await inflatedBody(request.body, encoding);
    if (body === undefined) return exchange.answer(413, undefined, emptyBody);
    const result = await run(exchange, body);
    const accepted = request.headers['accept-encoding'];
    const compressed = accepted === undefined ? undefined : await deflate(result, accepted);
    exchange.answer(200, responseType, compressed ?? result, compressed === undefined ? undefined : 'gzip');
  }

  /** The order of these steps is the order in which the service reports what is wrong. */
  function run(exchange: Exchange, body: Uint8Array): Awaitable<Buffer> {
    const { request } = exchange;
    if (options.replicaAction !== undefined && request.headers['x-amz-target'] === replicaTarget) {
      return options.replicaAction(request.headers[replicaSignatureHeader], body);
    }
    // Who decides on calls may want to look at the attributes of items.
    const target = options.authorize === undefined ? request.headers['x-amz-target'] : undefined;
    const json = body.length > 0 ? parseJson(body, target) : undefined;
    const action = actionOf(request);
    exchange.action = action;
    const context = contextOf(request);
    exchange.context = context;
    if (json === undefined) throw new SerializationException();
    const operation = operationOf(action);
    return chain(operation, (loaded) => {
      const prepared = loaded.prepare(json, context);
      exchange.table = prepared.table;
      if (options.authorize === undefined) return prepared.run(engine);
      return chain(options.authorize({ call: prepared.call, context, request }), () => prepared.run(engine));
    });
  }
}

/** One request and what becomes of it. */
class Exchange {
  readonly request: WireRequest;
  readonly requestId: string;
  action: string | undefined;
  table: string | undefined;
  context: RequestContext | undefined;
  error: string | undefined;
  #status = 500;
  #headers: string[] = [];
  #body: Uint8Array = emptyBody;

  constructor(request: WireRequest, requestId: string) {
    this.request = request;
    this.requestId = requestId;
  }

  answer(status: number, contentType: string | undefined, body: Uint8Array, contentEncoding?: string): void {
    this.#status = status;
    this.#body = body;
    this.#headers = ['server', 'Server', 'x-amzn-RequestId', this.requestId, 'content-length', String(body.length)];
    // The checksum is that of the bytes as sent, compressed if they are: so clients of the service compute it.
    this.#headers.push('x-amz-crc32', String(crc32(body)));
    if (contentType !== undefined) this.#headers.push('content-type', contentType);
    if (contentEncoding !== undefined) this.#headers.push('content-encoding', contentEncoding);
    if (this.request.headers.origin !== undefined) this.#headers.push('access-control-allow-origin', '*');
  }

  /** An answer in JSON for pages of this server only: unlike the API it has nothing to tell those of other origins. */
  answerSameOrigin(status: number, body: Uint8Array): void {
    this.#status = status;
    this.#body = body;
    this.#headers = ['x-amzn-RequestId', this.requestId, 'content-length', String(body.length)];
    this.#headers.push('content-type', jsonType, 'cache-control', 'no-store', 'x-content-type-options', 'nosniff');
  }

  /** Lets a page of any origin send what it asks to send. */
  answerPreflight(): void {
    this.#status = 200;
    this.#headers = ['x-amzn-RequestId', this.requestId, 'content-length', '0', 'access-control-allow-origin', '*'];
    const allowedHeaders = this.request.headers['access-control-request-headers'];
    const allowedMethods = this.request.headers['access-control-request-method'];
    if (allowedHeaders !== undefined) this.#headers.push('access-control-allow-headers', allowedHeaders);
    if (allowedMethods !== undefined) this.#headers.push('access-control-allow-methods', allowedMethods);
    this.#headers.push('access-control-max-age', String(preflightSecondsMax));
  }

  response(): WireResponse {
    return { status: this.#status, headers: this.#headers, body: this.#body };
  }
}

function isCompressed({ headers }: WireRequest): boolean {
  return headers['content-encoding'] !== undefined || headers['accept-encoding'] !== undefined;
}

function isHealthPath(url: string): boolean {
  const query = url.indexOf('?');
  const path = query < 0 ? url : url.slice(0, query);
  return path === '/' || path === '/ping';
}

function mediaType(contentType: string | undefined): string {
  if (contentType === undefined || contentType === amazonJsonType) return contentType ?? '';
  return (contentType.split(';', 1)[0] ?? '').trim().toLowerCase();
}

/** @returns undefined when there is too much of it. */
async function inflatedBody(body: Uint8Array, encoding: string): Promise<Uint8Array | undefined> {
  const coding = encoding.trim().toLowerCase();
  if (coding === '' || coding === 'identity') return body;
  const inflated = await inflate(body, coding, inflatedBytesMax);
  // The service answers InternalServerError here; but it is the request that is wrong, and sending it again will not help.
  if (inflated === 'unreadable') throw new SerializationException();
  return inflated === 'too-large' ? undefined : inflated;
}

/** @param target - the action, of which items may be taken out before the rest is parsed. */
function parseJson(body: Uint8Array, target: string | undefined): unknown {
  if (!isUtf8(body)) throw new SerializationException();
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const taken = takeItems(target, bytes);
  if (taken === undefined) return parseText(bytes.toString('utf8'));
  const json = parseText(taken.rest);
  taken.putBack(json);
  return json;
}

function parseText(text: string): unknown {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new SerializationException();
  }
  return surrogateEscape.test(text) ? carriedCopy(json) : json;
}

/** UTF-8 holds no lone surrogates, but escapes can write them. */
const surrogateEscape = /\\u[dD][89a-fA-F]/;

function actionOf(request: WireRequest): ActionName {
  const action = actionsByTarget.get(request.headers['x-amz-target'] ?? '');
  if (action === undefined) throw new DynamoError('UnknownOperationException', '');
  return action;
}
