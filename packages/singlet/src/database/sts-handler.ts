import { randomUUID } from 'node:crypto';
import type { StsAnswer, StsService } from '../access/index.ts';
import type { RequestEvent, WireHandler, WireRequest, WireResponse } from '../server/index.ts';

export interface StsHandlerOptions {
  readonly sts: StsService;
  /** The region of requests without a verified sender. */
  readonly region: string;
  /** Called for every request once it is answered. */
  readonly onRequest?: ((event: RequestEvent) => void) | undefined;
  /** Called for every failure that is not an error of the API. */
  readonly onInternalError: (requestId: string, error: unknown) => void;
}

/** Answers requests for STS, which have their own form, and passes all others on. */
export function withSts(handler: WireHandler, options: StsHandlerOptions): WireHandler {
  return (request) => (isStsRequest(request) ? answerSts(request, options) : handler(request));
}

function isStsRequest({ method, headers, isRefused, browsers }: WireRequest): boolean {
  if (method !== 'POST' || isRefused === true) return false;
  const type = headers['content-type'];
  // Forms name their action in the body. curl sends this type, too, unless it is given another.
  if (headers['x-amz-target'] !== undefined) return false;
  // If the rules for browsers refuse the request, the handler of the API answers it.
  return type !== undefined && formType.test(type) && browsers?.refusal(headers) === undefined;
}

const formType = /^application\/x-www-form-urlencoded\s*(;|$)/i;

function answerSts(request: WireRequest, options: StsHandlerOptions): WireResponse {
  const startedMs = performance.now();
  const requestId = randomUUID();
  const answer = options.sts.answer(request, requestId);
  if (answer.internal !== undefined) options.onInternalError(requestId, answer.internal);
  const body = Buffer.from(answer.text, 'utf8');
  options.onRequest?.(eventOf(request, answer, { requestId, startedMs, body, region: options.region }));
  return {
    status: answer.status,
    headers: ['x-amzn-RequestId', requestId, 'content-type', 'text/xml', 'content-length', String(body.length)],
    body,
  };
}

function eventOf(
  { body: sent, peer }: WireRequest,
  { status, action, error, requester }: StsAnswer,
  {
    requestId,
    startedMs,
    body,
    region,
  }: { readonly requestId: string; readonly startedMs: number; readonly body: Buffer; readonly region: string },
): RequestEvent {
  return {
    requestId,
    region: requester?.context.region ?? region,
    action,
    table: undefined,
    status,
    error,
    caller: requester?.caller.arn,
    sourceIp: peer?.address,
    durationMs: performance.now() - startedMs,
    requestBytes: sent.length,
    responseBytes: body.length,
  };
}
