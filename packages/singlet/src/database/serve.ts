import {
  BrowserRules,
  type Certificate,
  ConnectionLimit,
  type HttpListener,
  listen,
  MemoryBudget,
  memoryBudgetBytesMin,
  type WireHandler,
} from '../server/index.ts';
import { healthRoute, type Route } from './health-route.ts';
import { pageRoute } from '../studio/page-files.ts';
import type { Database } from './create-database.ts';

/** Options for serving a database over HTTP. */
export interface ServeOptions {
  /** 0, the default, takes any free port. */
  readonly port?: number | undefined;
  /** Loopback by default. */
  readonly host?: string | undefined;
  /**
   * Origins of browser pages that may use the server: `https://shop.example`; `*` for all. Pages of this machine always may.
   */
  readonly cors?: readonly string[] | undefined;
  /**
   * How many bytes of requests and answers are held at one time, over all connections: 64 MB by default, at least 32 MB. Requests that do not
   * fit wait for up to five seconds, and are then answered with ServiceUnavailable.
   */
  readonly memoryBudgetBytes?: number | undefined;
  /** How many connections one address may have at a time: 1,024 by default. Additional ones are closed at once. */
  readonly connectionsPerAddress?: number | undefined;
  /** Called with errors of the listening socket. */
  readonly onError?: ((error: Error) => void) | undefined;
}

/** A listening server. */
export interface DatabaseServer {
  /** Such as `http://127.0.0.1:8000`. */
  readonly url: string;
  /** The port it listens on; the chosen one, if the option was 0. */
  readonly port: number;
  /** Stops listening and finishes running requests. Does not close the database. */
  close(): Promise<void>;
}

/**
 * Serves a database over HTTP, and the workbench at `/studio`, if the package `@singlet/studio` is installed.
 *
 * @throws {TypeError} for a memory budget that is too small for the largest request, and for an invalid number of connections.
 * @throws {ListenError} if the server cannot listen on the address; `code` is the system's (`EADDRINUSE`).
 */
export async function serve(
  database: Pick<Database, 'handle' | 'request'>,
  options: ServeOptions = {},
): Promise<DatabaseServer> {
  const listener = await serveHandler(database, (request) => database.handle(request), options);
  return { url: listener.url, port: listener.port, close: () => listener.close() };
}

/** Options that only the command uses. */
export interface HandlerOptions extends ServeOptions {
  /** Every request has to be signed, so the host name in the request need not be checked. */
  readonly isAuthenticated?: boolean;
  /** Serves over TLS. */
  readonly tls?: Certificate | undefined;
  /** How much of the memory budget one address may use. Without it, all of it. */
  readonly memoryBytesPerAddress?: number | undefined;
  /** Instead of `connectionsPerAddress`. */
  readonly connectionLimit?: ConnectionLimit | undefined;
  /** Additional routes, tried in their order. */
  readonly routes?: readonly Route[] | undefined;
}

/** {@link serve} with a handler that wraps that of the database. */
export async function serveHandler(
  database: Pick<Database, 'request'>,
  handler: WireHandler,
  options: HandlerOptions,
): Promise<HttpListener> {
  const { memoryBudgetBytes, connectionsPerAddress: perAddress } = options;
  if (memoryBudgetBytes !== undefined && !(memoryBudgetBytes >= memoryBudgetBytesMin)) {
    throw new TypeError(`a memory budget must be at least ${memoryBudgetBytesMin} bytes, not ${memoryBudgetBytes}`);
  }
  if (perAddress !== undefined && !(Number.isSafeInteger(perAddress) && perAddress > 0)) {
    throw new TypeError(`connections per address must be a whole number above zero, not ${perAddress}`);
  }
  const health = healthRoute({ isReady: () => answersReads(database) });
  const routes = [health, ...(options.routes ?? []), pageRoute()];
  const host = options.host ?? '127.0.0.1';
  return listen(handler, {
    host,
    browsers: new BrowserRules({
      listensOn: options.isAuthenticated === true ? undefined : host,
      origins: options.cors,
    }),
    tls: options.tls,
    port: options.port ?? 0,
    connectionLimit: options.connectionLimit ?? new ConnectionLimit({ perAddress }),
    routes: (request, response) => routes.some((route) => route(request, response)),
    memory: new MemoryBudget({ bytes: memoryBudgetBytes, bytesPerAddress: options.memoryBytesPerAddress }),
    ...(options.onError && { onError: options.onError }),
  });
}

/** Reads at most one table name. */
async function answersReads(database: Pick<Database, 'request'>): Promise<boolean> {
  await database.request('ListTables', { Limit: 1 });
  return true;
}
