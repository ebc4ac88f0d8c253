import { type HttpListener, listen } from '../server/index.ts';
import type { Database } from './create-database.ts';

export interface ServeOptions {
  /** 0, the default, takes any free port. */
  readonly port?: number | undefined;
  /** Loopback by default. */
  readonly host?: string | undefined;
  /** Sees errors of the listening socket. */
  readonly onError?: ((error: Error) => void) | undefined;
}

/** A server that listens. */
export interface DatabaseServer {
  /** Such as `http://127.0.0.1:8000`. */
  readonly url: string;
  readonly port: number;
  /** Stops listening and finishes running requests. Does not close the database. */
  close(): Promise<void>;
}

/**
 * Serves a database over HTTP.
 *
 * @throws {ListenError} when the address cannot be listened on; `code` is the system's (`EADDRINUSE`).
 */
export async function serve(database: Database, options: ServeOptions = {}): Promise<DatabaseServer> {
  const listener: HttpListener = await listen((request) => database.handle(request), {
    host: options.host ?? '127.0.0.1',
    port: options.port ?? 0,
    ...(options.onError && { onError: options.onError }),
  });
  return { url: listener.url, port: listener.port, close: () => listener.close() };
}
