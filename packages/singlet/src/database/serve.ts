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

/** How a database is served over HTTP. */
export interface ServeOptions {
  /** 0, the default, takes any free port. */
  readonly port?: number | undefined;
  /** Loopback by default. */
  readonly host?: string | undefined;
  /**
   * Pages in browsers that may use the server, by their origin: `https://shop.example`; `*` for all. Those of this machine may in any case.
   */
  readonly cors?: readonly string[] | undefined;
  /**
   * How many bytes of requests and answers are held at one time, over all connections: 64 MB by default, at least 32 MB. Requests for which there is
   * no room wait for up to five seconds, then are answered with ServiceUnavailable.
   */
  readonly memoryBudgetBytes?: number | undefined;
  /** How many connections one address may have at a time: 1,024 by default. Further ones are closed at once. */
  readonly connectionsPerAddress?: number | undefined;
  /** Sees errors of the listening socket. */
  readonly onError?: ((error: Error) => void) | undefined;
}

/** A server that listens. */
export interface DatabaseServer {
  /** Such as `http://127.0.0.1:8000`. */
  readonly url: string;
  /** The port it listens on; the one that was free, where 0 was asked for. */
  readonly port: number;
  /** Stops listening and finishes running requests. Does not close the database. */
  close(): Promise<void>;
}

/**
 * Serves a database over HTTP, and at `/studio` the workbench, where the package `@singlet/studio` is installed.
 *
 * @throws {TypeError} for a memory budget that is too small for the largest request, and for a number of connections that is none.
 * @throws {ListenError} when the address cannot be listened on; `code` is the system's (`EADDRINUSE`).
 */
export async function serve(
  database: Pick<Database, 'handle' | 'request'>,
  options: ServeOptions = {},
): Promise<DatabaseServer> {
  const listener = await serveHandler(database, (request) => database.handle(request), options);
  return { url: listener.url, port: listener.port, close: () => listener.close() };
}

/** What only the command may ask for. */
export interface HandlerOptions extends ServeOptions {
  /** Every request has to be signed, so that it does not matter by which name the server is called. */
  readonly isAuthenticated?: boolean;
  /** Serves over TLS. */
  readonly tls?: Certificate | undefined;
  /** Is told the address of every connection that one address had too many. */
  readonly onConnectionRefused?: ((address: string) => void) | undefined;
  /** Further pages, asked in their order. */
  readonly routes?: readonly Route[] | undefined;
}

/** {@link serve} with a handler around that of the database. */
export async function serveHandler(
  database: Pick<Database, 'request'>,
  handler: WireHandler,
  options: HandlerOptions,
): Promise<HttpListener> {
  const { memoryBudgetBytes, connectionsPerAddress: perAddress, onConnectionRefused: onRefused } = options;
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
    connectionLimit: new ConnectionLimit({ perAddress, onRefused }),
    routes: (request, response) => routes.some((route) => route(request, response)),
    ...(memoryBudgetBytes !== undefined && { memory: new MemoryBudget({ bytes: memoryBudgetBytes }) }),
    ...(options.onError && { onError: options.onError }),
  });
}

/** One table name, at most, is read. */
async function answersReads(database: Pick<Database, 'request'>): Promise<boolean> {
  await database.request('ListTables', { Limit: 1 });
  return true;
}
