/** Fits `requestHandler` of the AWS SDK's clients, without depending on the package that declares its type. */
export interface PlainHttpHandler {
  readonly metadata: { readonly handlerProtocol: string };
  handle(request: SdkHttpRequest, options?: { readonly abortSignal?: unknown }): Promise<{ response: SdkHttpResponse }>;
  destroy(): void;
  updateHttpClientConfig(): void;
  httpHandlerConfigs(): Record<string, never>;
}

interface SdkHttpRequest {
  readonly method: string;
  readonly protocol: string;
  readonly hostname: string;
  readonly port?: number | undefined;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

interface SdkHttpResponse {
  readonly statusCode: number;
  readonly headers: Record<string, string>;
  readonly body: Uint8Array;
}

/** How long an answer may take, in milliseconds. */
const timeoutMs = 5000;

/** Sends requests over HTTP/1.1. */
export function plainHttpHandler(): PlainHttpHandler {
  return {
    metadata: { handlerProtocol: 'http/1.1' },
    async handle({ method, protocol, hostname, port, path, headers, body }) {
      const { host: _host, 'content-length': _length, ...others } = headers;
      const response = await fetch(`${protocol}//${hostname}${port === undefined ? '' : `:${port}`}${path}`, {
        method,
        headers: others,
        body: bodyOf(body),
        signal: AbortSignal.timeout(timeoutMs),
      });
      return {
        response: {
          statusCode: response.status,
          headers: Object.fromEntries(response.headers),
          body: new Uint8Array(await response.arrayBuffer()),
        },
      };
    },
    destroy: () => undefined,
    updateHttpClientConfig: () => undefined,
    httpHandlerConfigs: () => ({}),
  };
}

function bodyOf(body: unknown): string | Uint8Array<ArrayBuffer> | null {
  if (body === undefined) return null;
  if (typeof body === 'string') return body;
  if (body instanceof Uint8Array) return new Uint8Array(body);
  throw new TypeError('requests have bodies of text or bytes');
}
