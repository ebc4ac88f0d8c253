import type * as OpenTelemetry from '@opentelemetry/api';
import type { RequestEvent } from '../../server/index.ts';
import { missingPackage } from '../../values/missing-package.ts';
import { UsageError } from '../usage-error.ts';

type Api = typeof OpenTelemetry;

/**
 * Creates an OpenTelemetry span for each request when it is answered. The tracer provider that the operator loads before the server
 * (`NODE_OPTIONS=--import=./tracing.mjs`) decides where spans are sent: this package uses the API of OpenTelemetry and none of its exporters.
 *
 * Decision 0088 says why.
 */
export class ServerTraces {
  readonly #api: Api;
  readonly #tracer: ReturnType<Api['trace']['getTracer']>;
  readonly #nowMs: () => number;

  constructor(api: Api, nowMs: () => number) {
    this.#api = api;
    this.#tracer = api.trace.getTracer('singlet');
    this.#nowMs = nowMs;
  }

  /** Creates the span of a request. It continues the client's trace, which is sent as `traceparent`. */
  observe({ action, table, region, status, error, requestId, durationMs, traceparent }: RequestEvent): void {
    const { propagation, ROOT_CONTEXT, SpanKind, SpanStatusCode } = this.#api;
    const endMs = this.#nowMs();
    const parent = traceparent === undefined ? ROOT_CONTEXT : propagation.extract(ROOT_CONTEXT, { traceparent });
    const attributes = {
      'rpc.system': 'aws-api',
      'rpc.service': 'DynamoDB',
      'cloud.region': region,
      'aws.request_id': requestId,
      'http.response.status_code': status,
      ...(action !== undefined && { 'rpc.method': action }),
      ...(table !== undefined && { 'aws.dynamodb.table_names': [table] }),
      ...(error !== undefined && { 'error.type': error }),
    };
    const span = this.#tracer.startSpan(
      action === undefined ? 'request' : `DynamoDB.${action}`,
      { kind: SpanKind.SERVER, startTime: endMs - durationMs, attributes },
      parent,
    );
    if (error !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: error });
    span.end(endMs);
  }
}

/**
 * Loads the API of OpenTelemetry, if traces are enabled.
 *
 * @throws {UsageError} if the package is not installed, or no tracer provider is registered.
 */
export async function openServerTraces({ traces }: { readonly traces?: boolean }): Promise<ServerTraces | undefined> {
  if (traces !== true) return undefined;
  const api = await loadApi();
  const provider = api.trace.getTracerProvider();
  if (provider instanceof api.ProxyTracerProvider && provider.getDelegateTracer('singlet') === undefined)
    throw new UsageError(
      '--traces finds no tracer provider of OpenTelemetry, so spans would be lost: load one first, as in NODE_OPTIONS=--import=./tracing.mjs (docs/operations.md).',
    );
  return new ServerTraces(api, () => Date.now());
}

async function loadApi(): Promise<Api> {
  try {
    return await import('@opentelemetry/api');
  } catch (error) {
    const missing = missingPackage('singlet serve', error);
    throw missing === undefined ? error : new UsageError(missing.message, { cause: error });
  }
}
