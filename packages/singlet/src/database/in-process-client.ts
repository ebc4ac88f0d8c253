import type { WireRequest, WireResponse } from '../server/index.ts';

/** Fits the constructor of the AWS SDK's `DynamoDBClient`, without depending on it. */
export interface InProcessClientConfig {
  /** The database's region. */
  readonly region: string;
  /** A name that is never connected to; the SDK requires one. */
  readonly endpoint: string;
  /** Placeholders: the signatures of requests within the process are not checked. */
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
  /** Passes requests to the database instead of a socket. */
  readonly requestHandler: InProcessRequestHandler;
}

/** What the SDK requires of an HTTP handler. */
export interface InProcessRequestHandler {
  readonly metadata: { readonly handlerProtocol: string };
  handle(request: SdkHttpRequest, options?: SdkHandlerOptions): Promise<{ response: SdkHttpResponse }>;
  destroy(): void;
  updateHttpClientConfig(): void;
  httpHandlerConfigs(): Record<string, never>;
}

interface SdkHttpRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

interface SdkHandlerOptions {
  readonly abortSignal?: SdkAbortSignal | undefined;
}

/** The members used here that the signals of the platform and of the SDK have in common. */
interface SdkAbortSignal {
  readonly aborted: boolean;
}

interface SdkHttpResponse {
  readonly statusCode: number;
  readonly headers: Record<string, string>;
  readonly body: Uint8Array;
}

/** A configuration that passes requests directly to a database in this process. */
export function inProcessClientConfig(
  database: { handle(request: WireRequest): Promise<WireResponse> },
  region: string,
): InProcessClientConfig {
  return {
    region,
    endpoint: 'http://singlet.in-process',
    credentials: { accessKeyId: 'in-process', secretAccessKey: 'in-process' },
    requestHandler: {
      metadata: { handlerProtocol: 'in-process' },
      handle: async (request, options) => {
        throwIfAborted(options);
        const response = await database.handle({
          method: request.method,
          url: request.path,
          headers: lowerCaseNames(request.headers),
          body: bytesOf(request.body),
        });
        // Without a network there is no reason to stop waiting, but a caller that has aborted gets an error, as over HTTP.
        throwIfAborted(options);
        return { response: { statusCode: response.status, headers: pairs(response.headers), body: response.body } };
      },
      destroy: () => undefined,
      updateHttpClientConfig: () => undefined,
      httpHandlerConfigs: () => ({}),
    },
  };
}

function throwIfAborted(options: SdkHandlerOptions | undefined): void {
  if (options?.abortSignal?.aborted === true) throw new DOMException('The request was aborted.', 'AbortError');
}

/**
 * The DynamoDB client sends text or, since version 3.1169, bytes of a class of its own, which warns when its methods are called, and
 * `Buffer.from` calls one. So the rest of the program has a plain view of them.
 */
function bytesOf(body: unknown): Uint8Array {
  if (typeof body === 'string') return Buffer.from(body, 'utf8');
  if (body instanceof Uint8Array) return Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  if (body === undefined) return new Uint8Array();
  throw new TypeError('the in-process client takes request bodies of text or bytes');
}

function lowerCaseNames(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

function pairs(headers: readonly string[]): Record<string, string> {
  const object: Record<string, string> = {};
  for (let at = 0; at + 1 < headers.length; at += 2) {
    object[(headers[at] as string).toLowerCase()] = headers[at + 1] as string; // names and values come in pairs
  }
  return object;
}
