import { isUtf8 } from 'node:buffer';
import type { Caller, RequestOrigin } from '../access/caller.ts';
import { attempt, type Awaitable, chain } from '../values/awaitable.ts';
import type { ActionName, Engine, Random, RequestContext, Touch } from '../engine/index.ts';
import { DynamoError } from '../values/service-error.ts';
import { BrowserRules } from './browser-rules.ts';
import { compress, compressedBytesMin, type ContentCoding, inflate, inflatedBytesBound } from './compression.ts';
import { errorResponse, serviceUnavailable } from './error-response.ts';
import { Gate } from './gate.ts';
import { checkJsonSize, unscannedBytesMax } from './json-limits.ts';
import { bodyShareBytes, type MemoryBudget } from './memory-budget.ts';
import { type AnswerBytes, joinedBytes, UnjoinedBytes } from './encode/answer-bytes.ts';
import { bodyChecksum } from './encode/body-checksum.ts';
import { bodyOf, UnjoinedResponse } from './unjoined-response.ts';
import { actionsByTarget, operationOf } from './operations/index.ts';
import type { DecodedCall, Permit } from './operations/operation.ts';
import { type ReplicaAction, replicaSignatureHeader, replicaTarget } from './replica-action.ts';
import { type AccountOf, createContextReader } from './request-context.ts';
import { takeItems } from './item-texts.ts';
import { isForScaling, scalingActionOf } from './scaling/scaling-target.ts';
import type { RequestLimit } from './request-limit.ts';
import type { RequestRate } from './request-rate.ts';
import type { RequestObserver } from './request-observer.ts';
import type { EventSource, Inspect, InspectionPermission } from './inspection.ts';
import { inspectionPage, type PermitInspection, reportPath } from './inspection-page.ts';
import { parseText } from './parse-text.ts';
import type { Peer } from './peer.ts';
import { createRequestIds } from './request-id.ts';
import { SerializationException } from './serialization-exception.ts';

/** An HTTP request without its socket. */
export interface WireRequest {
  /** The HTTP method, in capitals. */
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The body as sent, undecoded. The handler does not keep it. */
  readonly body: Uint8Array;
  /** The memory budget of the server; the output of a compressed body is taken from it, too. */
  readonly memory?: MemoryBudget;
  /** Which requests of browsers the listener answers. Without it, those from pages of this machine. */
  readonly browsers?: BrowserRules;
  /** The other end of the connection; absent for callers in this process. */
  readonly peer?: Peer;
  /** There was no memory for the body. It was not read, and the request is answered with ServiceUnavailable. */
  readonly isRefused?: boolean;
}

/** An HTTP response without its socket. */
export interface WireResponse {
  /** The HTTP status. */
  readonly status: number;
  /** Names and values in turn, as `http.ServerResponse.writeHead` takes them. `content-length` is among them. */
  readonly headers: readonly string[];
  /** The bytes to send; none for an empty answer. */
  readonly body: Uint8Array;
  /** Sent instead of a body, for as long as the client reads it. */
  readonly events?: EventSource;
  /** Called with the bytes of the answer that the client has not read when it is sent, and with their negative once it has. */
  readonly onUnread?: ((bytes: number) => void) | undefined;
}

/** Answers a request. Never rejects or throws: a failure of any kind is an answer. */
export type WireHandler = (request: WireRequest) => Awaitable<WireResponse>;

export interface WireOptions {
  readonly random: Random;
  /** Milliseconds from some fixed point in time; never goes back. */
  readonly monotonicMs: () => number;
  /** The account of a request without a credential scope. Defaults: account `000000000000`, region `us-east-1`. */
  readonly accountId?: string;
  readonly region?: string;
  /** Finds the account of an access key. Without it, and for unknown keys, the account above applies. */
  readonly accountOf?: AccountOf;
  /** Every request belongs to `region`, whatever its credential scope says. */
  readonly oneRegion?: boolean;
  /**
   * Authenticates the sender of a request by its signature; throws the `DynamoError` to be answered if the signature is missing or not valid. It is
   * called before any part of the body is read. Without it any credentials are accepted, and nothing is verified.
   */
  readonly authenticate?: (request: WireRequest, service: 'dynamodb' | 'application-autoscaling') => WireRequester;
  /** How many requests each authenticated identity may have at a time. Without it any number. */
  readonly requestLimit?: RequestLimit | undefined;
  /** How many requests a second each of them may make. Without it any number. */
  readonly requestRate?: RequestRate | undefined;
  /** Decides whether a decoded call may run; throws the `DynamoError` to be answered if not. Without it all may. */
  readonly authorize?: Authorize;
  /** Decides whether a caller may inspect what is below `/_singlet/`. Without it none may, if requests are authenticated. */
  readonly authorizeInspection?: AuthorizeInspection;
  /** Answers the pages below `/_singlet/` other than the reports. Without it only the reports exist. */
  readonly inspect?: Inspect;
  /** Answers the replicas of other servers. Without it this action does not exist. */
  readonly replicaAction?: ReplicaAction;
  /** Called for every request once it is answered. Must not throw. Read when the request arrives, so it may come and go. */
  readonly onRequest?: ((event: RequestEvent) => void) | undefined;
  /** Observes the requests of the API with their contents, while it is on. */
  readonly observer?: RequestObserver;
  /** Called for every failure that was answered with InternalServerError or ServiceUnavailable. Must not throw. */
  readonly onInternalError?: (event: InternalErrorEvent) => void;
}

/** @returns how the call may run; undefined: unchanged. */
export type Authorize = (authorization: Authorization) => Awaitable<Permit | undefined>;

/** Throws the `DynamoError` to be answered if the requester may not inspect. */
export type AuthorizeInspection = (
  requester: WireRequester,
  permission: InspectionPermission,
  context: RequestContext,
) => Awaitable<void>;

/** The verified sender of a request. */
export interface WireRequester {
  readonly caller: Caller;
  readonly origin: RequestOrigin;
  readonly context: RequestContext;
}

/** The information for an authorization decision. */
export interface Authorization {
  readonly call: DecodedCall;
  /** The permissions that the call needs. @throws {ValidationException} for what the engine would refuse. */
  readonly touches: () => Awaitable<readonly Touch[]>;
  readonly context: RequestContext;
  /** The account of the tables that the call names by ARN; undefined when it names none by ARN. */
  readonly tableOwner: string | undefined;
  readonly request: WireRequest;
  /** Present if requests are authenticated. */
  readonly requester: WireRequester | undefined;
}

/** One line of an access log. */
export interface RequestEvent {
  /** The id in the answer's header `x-amzn-RequestId`. */
  readonly requestId: string;
  /** The region in the request's signature, or the database's own. */
  readonly region: string;
  /** The action, once the request is known to be one; `GetItem`. */
  readonly action: string | undefined;
  /** The table, if the request is about one. */
  readonly table: string | undefined;
  /** The HTTP status of the answer. */
  readonly status: number;
  /** Wire name of the error that was answered. */
  readonly error: string | undefined;
  /** The ARN of the verified sender; undefined if requests are not authenticated, or the signature was missing or not valid. */
  readonly caller?: string | undefined;
  /** The IP address of the other end of the connection, if requests are authenticated. */
  readonly sourceIp?: string | undefined;
  /** The client's trace, in the form of W3C Trace Context. */
  readonly traceparent?: string | undefined;
  /** From the start of handling the request to its answer, in milliseconds. */
  readonly durationMs: number;
  /** Bytes of the body as sent over the wire. */
  readonly requestBytes: number;
  /** Bytes of the answer's body. */
  readonly responseBytes: number;
}

export interface InternalErrorEvent {
  readonly requestId: string;
  readonly action: string | undefined;
  readonly error: unknown;
}

/** Largest body of a request as it is sent, bytes. */
export const requestBytesMax: number = 16 * 1024 * 1024;

/** Bodies beyond this size are large, bytes: at most {@link largeBodiesMax} of them are parsed and answered at a time. */
const largeBodyBytes = 1024 * 1024;
const largeBodiesMax = 2;

const pagesOfThisMachine = new BrowserRules();

const jsonType = 'application/json';
const amazonJsonType = 'application/x-amz-json-1.0';
/** Application Auto Scaling speaks the later version of the protocol. */
const scalingJsonType = 'application/x-amz-json-1.1';
const emptyBody = Buffer.alloc(0);
const unknownPage = Buffer.from('<UnknownOperationException/>\n');
const preflightSecondsMax = 172_800;

/** What pages of other origins may read of an answer; recorded from preflight answers of services with the same front end, October 2020. */
const exposedHeaders = 'x-amzn-RequestId,x-amzn-ErrorType,x-amzn-ErrorMessage,Date';

/** The DynamoDB protocol over an engine: decodes, runs, encodes. Safe to call concurrently. */
export function createWireHandler(engine: Engine, options: WireOptions): WireHandler {
  const { accountId = '000000000000', region = 'us-east-1' } = options;
  const contextOf = createContextReader({ accountId, region }, options);
  const nextRequestId = createRequestIds(options.random);
  const largeBodies = new Gate(largeBodiesMax);
  const inflations = new Gate(1);
  const unreadCounters = new WeakMap<Caller, (bytes: number) => void>();
  // If callers have permissions, the inspection pages are answered only if their permissions can be checked.
  const isInspected =
    (options.authenticate === undefined && options.authorize === undefined) ||
    options.authorizeInspection !== undefined;
  const healthPage = Buffer.from(`healthy: dynamodb.${region}.amazonaws.com `); // the blank at the end is also in the service's answer

  return (request) => {
    const isObserved = options.observer?.isOn === true && !isForScaling(request);
    const { onRequest } = options;
    const startedMs = onRequest === undefined && !isObserved ? 0 : options.monotonicMs();
    const exchange = new Exchange(request, nextRequestId(), isObserved);
    const answered = answer(exchange);
    if (!(answered instanceof Promise)) return finish(exchange, startedMs, onRequest);
    const end = beginCount(exchange);
    return answered.then(() => {
      end?.();
      return finish(exchange, startedMs, onRequest);
    });
  };

  function finish(exchange: Exchange, startedMs: number, onRequest: WireOptions['onRequest']): WireResponse {
    const response = exchange.response();
    if (onRequest === undefined && !exchange.isObserved) return response;
    const event = {
      requestId: exchange.requestId,
      region: exchange.context?.region ?? region,
      action: exchange.action,
      table: exchange.table,
      status: response.status,
      error: exchange.error,
      ...(options.authenticate !== undefined && {
        caller: exchange.requester?.caller.arn,
        sourceIp: exchange.request.peer?.address,
      }),
      ...(exchange.request.headers['traceparent'] !== undefined && {
        traceparent: exchange.request.headers['traceparent'],
      }),
      durationMs: options.monotonicMs() - startedMs,
      requestBytes: exchange.request.body.length,
      responseBytes: bodyOf(response).length,
    };
    onRequest?.(event);
    // A request outside the API may be one for the observations themselves.
    if (exchange.isObserved && exchange.action !== undefined) {
      const { request, result } = exchange;
      options.observer?.observed({ event, request, answer: response.body, result });
    }
    return response;
  }

  function answer(exchange: Exchange): Awaitable<void> {
    const { request } = exchange;
    const { method } = request;
    const refusal = (request.browsers ?? pagesOfThisMachine).refusal(request.headers);
    if (refusal !== undefined) {
      return answerError(exchange, new DynamoError('AccessDeniedException', refusal, { status: 403 }), jsonType);
    }
    if (method === 'POST') return answerPost(exchange);
    if (request.url.startsWith(reportPath)) return answerInspection(exchange);
    if (method === 'OPTIONS' && request.headers.origin !== undefined) {
      exchange.answerPreflight();
    } else if (method === 'GET' && isHealthPath(request.url)) {
      exchange.answer(200, undefined, healthPage);
    } else {
      exchange.answer(404, undefined, unknownPage);
    }
  }

  /** If requests are authenticated, an inspection is a signed request, too, and needs its own permission. */
  async function answerInspection(exchange: Exchange): Promise<void> {
    const { request } = exchange;
    try {
      if (options.authenticate !== undefined) settleRequester(exchange, options.authenticate(request, 'dynamodb'));
      const context = exchange.requester?.context ?? contextOf(request);
      exchange.context = context;
      const page =
        isInspected && options.inspect !== undefined
          ? await inspectionPage(options.inspect, request, context, permitOf(exchange))
          : undefined;
      if (page === undefined) exchange.answer(404, undefined, unknownPage);
      else if ('events' in page) exchange.answerEvents(page.events);
      else exchange.answerSameOrigin(page.status, page.body);
    } catch (error) {
      answerError(exchange, error, jsonType);
    }
  }

  function permitOf({ requester }: Exchange): PermitInspection | undefined {
    const decide = options.authorizeInspection;
    return requester && decide && ((permission, context) => decide(requester, permission, context));
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
    if (request.url !== '/' && pathOf(request.url) !== '/') return answerElsewhere(exchange);
    if (request.isRefused === true) return answerError(exchange, serviceUnavailable, jsonType);
    if (request.body.length > requestBytesMax) return exchange.answer(413, undefined, emptyBody);
    const ownType = isForScaling(request) ? scalingJsonType : amazonJsonType;
    if (request.body.length > 0 && contentType !== ownType && contentType !== jsonType) {
      return exchange.answer(404, undefined, unknownPage);
    }
    const responseType = contentType === ownType ? ownType : jsonType;
    return attempt(
      () => {
        if (options.authenticate !== undefined) authenticate(exchange, options.authenticate);
        return request.headers['content-encoding'] === undefined
          ? chain(runInTurn(exchange, request.body), (result) => answerResult(exchange, responseType, result))
          : answerEncoded(exchange, responseType, request.headers['content-encoding']);
      },
      (error) => answerError(exchange, error, responseType),
    );
  }

  /**
   * Unlike the service, which reports bad JSON first, this does not inflate or parse a body without a valid signature. The action is checked first,
   * because an unknown one is reported before a missing signature. Other servers with replicas have their own kind of signature.
   */
  function authenticate(exchange: Exchange, verify: NonNullable<WireOptions['authenticate']>): void {
    const { request } = exchange;
    if (options.replicaAction !== undefined && request.headers['x-amz-target'] === replicaTarget) return;
    const isScaling = isForScaling(request);
    exchange.action = isScaling ? scalingActionOf(request) : actionOf(request);
    settleRequester(exchange, verify(request, isScaling ? 'application-autoscaling' : 'dynamodb'));
  }

  /** Records the requester, unless it is at its limits. */
  function settleRequester(exchange: Exchange, requester: WireRequester): void {
    exchange.requester = requester;
    exchange.context = requester.context;
    options.requestRate?.take(requester.caller.arn);
    options.requestLimit?.check(requester.caller.arn, bodyShareBytes(exchange.request.body.length));
    exchange.isAdmitted = true;
    exchange.onUnread = unreadCounterOf(requester.caller);
  }

  /**
   * What counts a caller's unread answers, which is the same for all its requests: a connection keeps it until its next answer. A function for
   * each request would keep the whole request, so that V8 copies it instead of dropping it.
   */
  function unreadCounterOf(caller: Caller): ((bytes: number) => void) | undefined {
    const { requestLimit } = options;
    if (requestLimit === undefined) return undefined;
    let counter = unreadCounters.get(caller);
    if (counter === undefined) unreadCounters.set(caller, (counter = (bytes) => requestLimit.hold(caller.arn, bytes)));
    return counter;
  }

  /** Counts an admitted request for its requester. Requests that are answered at once are never concurrent, so they are not counted. */
  function beginCount({ isAdmitted, requester, request }: Exchange): (() => void) | undefined {
    const { requestLimit } = options;
    if (!isAdmitted || requester === undefined || requestLimit === undefined) return undefined;
    const { arn } = requester.caller;
    const bytes = bodyShareBytes(request.body.length);
    requestLimit.begin(arn, bytes);
    return () => requestLimit.end(arn, bytes);
  }

  /** Counts bytes for the verified sender of a request, if there is one. Negative to return them. */
  function countBytes({ requester }: Exchange, bytes: number): void {
    if (requester !== undefined) options.requestLimit?.hold(requester.caller.arn, bytes);
  }

  /** Answers a POST to another path than the API's. */
  function answerElsewhere(exchange: Exchange): Awaitable<void> {
    const { request } = exchange;
    if (!request.url.startsWith(reportPath)) return exchange.answer(404, undefined, unknownPage);
    if (request.isRefused === true) return answerError(exchange, serviceUnavailable, jsonType);
    if (request.body.length > requestBytesMax) return exchange.answer(413, undefined, emptyBody);
    return answerInspection(exchange);
  }

  /** Answers a request whose body has a content coding. */
  async function answerEncoded(exchange: Exchange, responseType: string, encoding: string): Promise<void> {
    const { request } = exchange;
    const inflated = await inflations.run(() => inflatedBody(request, encoding));
    countBytes(exchange, inflated.shareBytes);
    try {
      if (inflated.body === undefined) return exchange.answer(413, undefined, emptyBody);
      await answerResult(exchange, responseType, await runInTurn(exchange, inflated.body));
    } finally {
      request.memory?.give(inflated.shareBytes, networkOf(request));
      countBytes(exchange, -inflated.shareBytes);
    }
  }

  /** Answers with a result, compressed if the client accepts that and it pays. Most answers are too small and are sent at once. */
  function answerResult(exchange: Exchange, responseType: string, result: AnswerBytes): Awaitable<void> {
    const accepted = exchange.request.headers['accept-encoding'];
    if (accepted === undefined || result.length < compressedBytesMin) {
      return exchange.answer(200, responseType, result);
    }
    return compress(joinedBytes(result), accepted).then((compressed) =>
      exchange.answer(200, responseType, compressed?.bytes ?? result, compressed?.coding),
    );
  }

  /** Large bodies take much memory and time once they are parsed: only a few of them run at a time, first come first served. */
  function runInTurn(exchange: Exchange, body: Uint8Array): Awaitable<AnswerBytes> {
    return body.length <= largeBodyBytes ? run(exchange, body) : largeBodies.run(() => run(exchange, body));
  }

  /** These steps are in the order in which the service reports errors. */
  function run(exchange: Exchange, body: Uint8Array): Awaitable<AnswerBytes> {
    const { request } = exchange;
    if (options.replicaAction !== undefined && request.headers['x-amz-target'] === replicaTarget) {
      return options.replicaAction(request.headers[replicaSignatureHeader], body);
    }
    const json = body.length > 0 ? parseJson(body, request.headers['x-amz-target']) : undefined;
    if (isForScaling(request)) return runForScaling(exchange, json);
    const action = actionOf(request);
    exchange.action = action;
    const requester = exchange.requester?.context ?? contextOf(request);
    exchange.context = requester;
    const { host } = request.headers;
    const context = action === 'DescribeEndpoints' && host !== undefined ? { ...requester, host } : requester;
    if (json === undefined) throw new SerializationException();
    const operation = operationOf(action);
    return chain(operation, (loaded) => {
      const prepared = loaded.prepare(json, context);
      exchange.table = prepared.table;
      const carryOut = (permit?: Permit): Awaitable<AnswerBytes> =>
        exchange.isObserved
          ? prepared.runObserved(engine, (result) => (exchange.result = result), permit)
          : prepared.run(engine, permit);
      if (options.authorize === undefined) return carryOut();
      const { call, tableOwner } = prepared;
      const touches = (): Awaitable<readonly Touch[]> => prepared.touches();
      const { requester } = exchange;
      return chain(options.authorize({ call, touches, context, tableOwner, request, requester }), carryOut);
    });
  }

  /** An action of another service, which is answered at the same path. */
  async function runForScaling(exchange: Exchange, json: unknown): Promise<Buffer> {
    const { request, requester } = exchange;
    const action = scalingActionOf(request);
    exchange.action = action;
    const context = requester?.context ?? contextOf(request);
    exchange.context = context;
    if (json === undefined) throw new SerializationException();
    const { prepareScaling } = await import('./scaling/scaling-operations.ts');
    const { permission, run: carryOut } = prepareScaling(action, json, context);
    exchange.table = permission.table;
    await options.authorize?.({ ...permission, context, tableOwner: undefined, request, requester });
    return carryOut(engine);
  }
}

/** One request and its answer. */
class Exchange {
  readonly request: WireRequest;
  readonly requestId: string;
  action: string | undefined;
  table: string | undefined;
  context: RequestContext | undefined;
  requester: WireRequester | undefined;
  /** Whether the requester is known and within its limits. */
  isAdmitted = false;
  /** See {@link WireResponse.onUnread}. */
  onUnread: ((bytes: number) => void) | undefined;
  error: string | undefined;
  readonly isObserved: boolean;
  /** The engine's answer, if it is observed. */
  result: object | undefined;
  #status = 500;
  #headers: string[] = [];
  #body: Uint8Array | UnjoinedBytes = emptyBody;
  #events: EventSource | undefined;

  constructor(request: WireRequest, requestId: string, isObserved: boolean) {
    this.request = request;
    this.requestId = requestId;
    this.isObserved = isObserved;
  }

  answer(
    status: number,
    contentType: string | undefined,
    body: Uint8Array | UnjoinedBytes,
    contentEncoding?: ContentCoding,
  ): void {
    this.#status = status;
    this.#body = body;
    this.#headers = ['server', 'Server', 'x-amzn-RequestId', this.requestId, 'content-length', String(body.length)];
    // The checksum is that of the bytes as sent, compressed if they are: clients of the service compute it that way.
    this.#headers.push('x-amz-crc32', String(bodyChecksum(body)));
    if (contentType !== undefined) this.#headers.push('content-type', contentType);
    if (contentEncoding !== undefined) this.#headers.push('content-encoding', contentEncoding);
    if (this.request.headers.origin === undefined) return;
    this.#headers.push(...this.#allowedOrigin());
  }

  /** Answers in JSON for pages of this server only: unlike the API, it has no answers for other origins. */
  answerSameOrigin(status: number, body: Uint8Array): void {
    this.#status = status;
    this.#body = body;
    this.#headers = ['x-amzn-RequestId', this.requestId, 'content-length', String(body.length)];
    this.#headers.push('content-type', jsonType, 'cache-control', 'no-store', 'x-content-type-options', 'nosniff');
  }

  answerEvents(events: EventSource): void {
    this.#status = 200;
    this.#events = events;
    this.#headers = ['x-amzn-RequestId', this.requestId, 'content-type', 'text/event-stream'];
    this.#headers.push('cache-control', 'no-store', 'x-content-type-options', 'nosniff');
  }

  /** Allows a page that may use the server to send its request. */
  answerPreflight(): void {
    this.#status = 200;
    this.#headers = ['x-amzn-RequestId', this.requestId, 'content-length', '0', ...this.#allowedOrigin()];
    const allowedHeaders = this.request.headers['access-control-request-headers'];
    const allowedMethods = this.request.headers['access-control-request-method'];
    if (allowedHeaders !== undefined) this.#headers.push('access-control-allow-headers', allowedHeaders);
    if (allowedMethods !== undefined) this.#headers.push('access-control-allow-methods', allowedMethods);
    this.#headers.push('access-control-max-age', String(preflightSecondsMax));
  }

  /** Empty for a page that may not use the server: it cannot read the answer. */
  #allowedOrigin(): readonly string[] {
    const { browsers = pagesOfThisMachine, headers } = this.request;
    const { origin } = headers;
    if (origin === undefined || browsers.refusal(headers) !== undefined) return [];
    const allowed = browsers.allowOrigin(origin);
    const vary = allowed === '*' ? [] : ['vary', 'Origin'];
    return ['access-control-allow-origin', allowed, ...vary, 'access-control-expose-headers', exposedHeaders];
  }

  response(): WireResponse {
    const body = this.#body;
    if (body instanceof UnjoinedBytes) return new UnjoinedResponse(this.#status, this.#headers, body, this.onUnread);
    const response = { status: this.#status, headers: this.#headers, body, onUnread: this.onUnread };
    return this.#events === undefined ? response : { ...response, events: this.#events };
  }
}

function isHealthPath(url: string): boolean {
  const path = pathOf(url);
  return path === '/' || path === '/ping';
}

function pathOf(url: string): string {
  const query = url.indexOf('?');
  return query < 0 ? url : url.slice(0, query);
}

function mediaType(contentType: string | undefined): string {
  if (contentType === undefined || contentType === amazonJsonType) return contentType ?? '';
  return (contentType.split(';', 1)[0] ?? '').trim().toLowerCase();
}

/** The body to be parsed, and its share of the memory budget in addition to the body as it was sent. */
interface InflatedBody {
  /** Undefined when it is too large. */
  readonly body: Uint8Array | undefined;
  readonly shareBytes: number;
}

function plainBody(body: Uint8Array): InflatedBody {
  return { body, shareBytes: 0 };
}

/**
 * Inflates a body, up to the size limit of a plain one. First takes the maximum size of the output from the memory budget. Inflates one body
 * at a time, since inflating uses threads that writing to disk needs.
 *
 * @throws {DynamoError} ServiceUnavailable when there is no memory for it.
 */
async function inflatedBody(request: WireRequest, encoding: string): Promise<InflatedBody> {
  const { body, memory } = request;
  const network = networkOf(request);
  const coding = encoding.trim().toLowerCase();
  if (coding === '' || coding === 'identity') return plainBody(body);
  const boundBytes = inflatedBytesBound(body, requestBytesMax);
  if (memory !== undefined) await takeShare(memory, boundBytes, network);
  let shareBytes = 0;
  try {
    const inflated = await inflate(body, coding, requestBytesMax);
    // The service answers InternalServerError here; but the request is at fault, and sending it again will not help.
    if (inflated === 'unreadable') throw new SerializationException();
    if (inflated === 'too-large') return { body: undefined, shareBytes };
    shareBytes = bodyShareBytes(inflated.length);
    memory?.hold(shareBytes, network);
    return { body: inflated, shareBytes };
  } finally {
    memory?.give(boundBytes, network);
  }
}

async function takeShare(memory: MemoryBudget, bytes: number, network: string): Promise<void> {
  const kind = 'large';
  if (memory.tryTake(bytes, kind, network)) return;
  const isTaken = await new Promise<boolean>((done) => void memory.wait({ bytes, kind, network }, done));
  if (!isTaken) throw serviceUnavailable;
}

/** Whose part of the memory budget a request uses. Callers in this process have one together. */
function networkOf({ peer }: WireRequest): string {
  return peer?.network ?? '';
}

/** @param target - the action, as it is named in the request. */
function parseJson(body: Uint8Array, target: string | undefined): unknown {
  if (!isUtf8(body)) throw new SerializationException();
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const taken = takeItems(target, bytes);
  if (taken === undefined) {
    checkJsonSize(target, bytes);
    return parseText(bytes.toString('utf8'));
  }
  if (taken.rest.length > unscannedBytesMax) checkJsonSize(target, Buffer.from(taken.rest, 'utf8'));
  const json = parseText(taken.rest);
  taken.putBack(json);
  return json;
}

function actionOf(request: WireRequest): ActionName {
  const action = actionsByTarget.get(request.headers['x-amz-target'] ?? '');
  if (action === undefined) throw new DynamoError('UnknownOperationException', '');
  return action;
}
