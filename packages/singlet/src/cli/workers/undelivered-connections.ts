import type { Worker } from 'node:cluster';

/** A connection as the primary has it: accepted, and not read. */
interface ConnectionHandle {
  /** May be called again. */
  close(): void;
}

/**
 * Connections that were on their way to a worker when it ended.
 *
 * The primary of `node:cluster` keeps a connection open until the worker has said that it took it. When the worker ends before that,
 * nothing is ever said: the connection stays open and unread, and a client without a time limit waits for ever. (Seen with
 * Node.js 20 about once in every other kill, where clients open connections all the time.) So what goes to a worker is noted
 * here, and closed when the worker ends. The client sees a broken connection, as all others of that worker do, and tries again.
 *
 * `node:cluster` hands over by the public `send` of the worker's process, one connection at a time. Should a version of Node.js
 * do it otherwise, nothing is noted here, and nothing else changes.
 */
export class UndeliveredConnections {
  readonly #lastByWorker: Map<Worker, ConnectionHandle> = new Map();

  /** To be called before the worker is given connections. */
  watch(worker: Worker): void {
    const { process } = worker;
    // Its overloads differ in what follows the handle, which is passed on as it is.
    const send = process.send.bind(process) as (...values: readonly unknown[]) => boolean;
    process.send = (...values: readonly unknown[]): boolean => {
      if (isConnection(values[1])) this.#note(worker, values[1]);
      return send(...values);
    };
    worker.once('exit', () => {
      // One that was taken has been closed here before, and stays open there.
      this.#lastByWorker.get(worker)?.close();
      this.#lastByWorker.delete(worker);
    });
  }

  #note(worker: Worker, connection: ConnectionHandle): void {
    // A worker that is about to stop refuses what comes, and it goes to another one.
    for (const [other, last] of this.#lastByWorker) {
      if (last === connection) this.#lastByWorker.delete(other);
    }
    this.#lastByWorker.set(worker, connection);
  }
}

function isConnection(value: unknown): value is ConnectionHandle {
  return typeof value === 'object' && value !== null && 'close' in value && typeof value.close === 'function';
}
