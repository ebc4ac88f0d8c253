import type { IncomingMessage, ServerResponse } from 'node:http';

export interface HealthOptions {
  /** Whether the database answers. */
  readonly isReady: () => Promise<boolean>;
}

/** Answers pages outside the protocol: {@link HttpOptions.routes}. */
export type Route = (request: IncomingMessage, response: ServerResponse) => boolean;

/** How long the check of the database may take, milliseconds. */
const readyMs = 2000;

/**
 * Health checks, without a signature; they reveal only that the server runs.
 *
 * - `GET /health/live`: 200 while the process answers. If it does not, it has to be restarted.
 * - `GET /health/ready`: 200 while the database answers reads; otherwise 503, and requests should be routed elsewhere.
 */
export function healthRoute({ isReady }: HealthOptions): Route {
  return ({ url, method }, response) => {
    if (method !== 'GET' && method !== 'HEAD') return false;
    if (url === '/health/live') {
      answer(response, 200, 'live');
    } else if (url === '/health/ready') {
      void within(readyMs, isReady()).then((ready) =>
        answer(response, ready ? 200 : 503, ready ? 'ready' : 'not ready'),
      );
    } else {
      return false;
    }
    return true;
  };
}

function answer(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain', 'cache-control': 'no-store' }).end(`${text}\n`);
}

/** @returns false if the work fails or takes too long. */
async function within(ms: number, work: Promise<boolean>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => (timer = setTimeout(() => resolve(false), ms)));
  try {
    return await Promise.race([work.catch(() => false), late]);
  } finally {
    clearTimeout(timer);
  }
}
