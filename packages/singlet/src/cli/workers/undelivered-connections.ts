import type { Worker } from 'node:cluster';

/** A connection in the primary: accepted, but not read. */
interface ConnectionHandle {
  /** May be called repeatedly. */
  close(): void;
}

/**
 * Connections that were being sent to a worker when it exited.
 *
 * The primary of `node:cluster` keeps a connection open until the worker has confirmed that it took it. If the worker exits before that, the
 * confirmation never arrives: the connection stays open and unread, and a client without a timeout waits for ever. (Observed with Node.js 20 in
 * about every other kill, with clients that constantly open connections.) So connections sent to a worker are recorded here, and closed when
 * the worker exits. The client sees a broken connection, like all others of that worker, and retries.
 *
 * `node:cluster` sends connections by the public `send` of the worker's process, one at a time. If a version of Node.js does it differently,
 * nothing is recorded here, and nothing else changes.
 */
export class UndeliveredConnections {
  readonly #lastByWorker: Map<Worker, ConnectionHandle> = new Map();

  /** Call this before the worker is given connections. */
  watch(worker: Worker): void {
    const { process } = worker;
    // Its overloads differ in the arguments after the handle, which are passed on unchanged.
    const send = process.send.bind(process) as (...values: readonly unknown[]) => boolean;
    process.send = (...values: readonly unknown[]): boolean => {
      if (isConnection(values[1])) this.#note(worker, values[1]);
      return send(...values);
    };
    worker.once('exit', () => {
      // If the worker took the connection, the primary's handle is closed already, and the worker's stays open.
      this.#lastByWorker.get(worker)?.close();
      this.#lastByWorker.delete(worker);
    });
  }

  #note(worker: Worker, connection: ConnectionHandle): void {
    // A worker that is about to stop refuses new connections, which are then sent to another one.
    for (const [other, last] of this.#lastByWorker) {
      if (last === connection) this.#lastByWorker.delete(other);
    }
    this.#lastByWorker.set(worker, connection);
  }
}

function isConnection(value: unknown): value is ConnectionHandle {
  return typeof value === 'object' && value !== null && 'close' in value && typeof value.close === 'function';
}
