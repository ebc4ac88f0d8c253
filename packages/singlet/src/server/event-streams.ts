import type { ServerResponse } from 'node:http';
import type { EventSource } from './inspection.ts';
import type { WireResponse } from './wire.ts';

/** Most event streams that a server sends at one time; further clients are refused with 503. */
export const eventStreamsMax = 32;

/** Answers that continue until the client disconnects, or the server stops. */
export class EventStreams {
  readonly #running = new Set<AbortController>();
  #isClosing = false;

  /** Sends the events of the source, no faster than the client reads them. Never rejects. */
  async send(response: ServerResponse, { status, headers }: WireResponse, source: EventSource): Promise<void> {
    if (response.destroyed) return; // the client disconnected
    if (this.#isClosing || this.#running.size >= eventStreamsMax) {
      response.writeHead(503, ['content-length', '0', 'retry-after', '5']);
      response.end();
      return;
    }
    const end = new AbortController();
    this.#running.add(end);
    response.once('close', () => end.abort());
    response.shouldKeepAlive = false;
    response.writeHead(status, headers as string[]); // not changed, only declared mutable
    response.flushHeaders();
    try {
      for await (const text of source(end.signal)) {
        if (end.signal.aborted) break;
        if (!response.write(text)) await drained(response, end.signal);
      }
    } catch {
      // The database was closed, or has failed: the client sees the end of the stream, reconnects, and then gets the error.
    }
    this.#running.delete(end);
    response.end();
  }

  /** Ends all streams. */
  close(): void {
    this.#isClosing = true;
    for (const end of this.#running) end.abort();
  }
}

function drained(response: ServerResponse, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done);
      signal.removeEventListener('abort', done);
      resolve();
    };
    response.on('drain', done);
    signal.addEventListener('abort', done);
    if (signal.aborted) done();
  });
}
