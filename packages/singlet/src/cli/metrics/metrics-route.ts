import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';

export interface MetricsRouteOptions {
  /** The required token in `Authorization: Bearer …`; undefined: none is required. */
  readonly token: string | undefined;
  readonly page: () => Promise<{ readonly contentType: string; readonly text: string }>;
  readonly onError: (error: unknown) => void;
}

/** `GET /metrics`, for Prometheus. Prometheus does not sign requests, so if requests have to be signed it sends a token. */
export function metricsRoute({
  token,
  page,
  onError,
}: MetricsRouteOptions): (request: IncomingMessage, response: ServerResponse) => boolean {
  return ({ url, method, headers }, response) => {
    if (url !== '/metrics' || (method !== 'GET' && method !== 'HEAD')) return false;
    if (token !== undefined && !isBearer(headers.authorization, token)) {
      response.writeHead(401, { 'www-authenticate': 'Bearer', 'content-type': 'text/plain' }).end('unauthorized\n');
      return true;
    }
    void page().then(
      ({ contentType, text }) =>
        response.writeHead(200, { 'content-type': contentType, 'cache-control': 'no-store' }).end(text),
      (error: unknown) => {
        onError(error);
        response.writeHead(500, { 'content-type': 'text/plain' }).end('the metrics could not be collected\n');
      },
    );
    return true;
  };
}

/** Compares in constant time, independently of the token's length. */
function isBearer(authorization: string | undefined, token: string): boolean {
  const [, given] = /^Bearer +(\S+)$/i.exec(authorization ?? '') ?? [];
  return given !== undefined && timingSafeEqual(digest(given), digest(token));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text, 'utf8').digest();
}
