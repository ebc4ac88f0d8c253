import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type BodyKind, bodyKind, bodyShareBytes, type MemoryBudget, smallBodyBytesMax } from './memory-budget.ts';
import { isTooSlow } from './pace.ts';
import { Peer } from './peer.ts';
import { requestBytesMax } from './wire.ts';

/** The outcome of reading a body. */
export type BodyOutcome =
  /** The body was read, or (without a body) there was no memory for it. `release` returns the memory that it uses. */
  | { readonly kind: 'done'; readonly body: Uint8Array | undefined; readonly release: () => void }
  | { readonly kind: 'too-large' | 'too-slow' };

export interface BodyReaderOptions {
  readonly memory: MemoryBudget;
  /** All in milliseconds. */
  readonly timeouts: { readonly checkMs: number; readonly paceAfterMs: number };
}

/**
 * Reads the bodies of requests that node:http serves. It reads as much as there is memory for, one body at a time on each connection, and refuses
 * clients that send too slowly.
 */
export class BodyReader {
  readonly #options: BodyReaderOptions;
  /** Resolves when the last request of a connection has been answered: pipelined requests wait for earlier ones. */
  readonly #answered = new WeakMap<Socket, Promise<void>>();

  constructor(options: BodyReaderOptions) {
    this.#options = options;
  }

  /** @param done - called once, unless the client disconnects first. */
  read(request: IncomingMessage, response: ServerResponse, done: (outcome: BodyOutcome) => void): void {
    const { socket } = request;
    const before = this.#answered.get(socket);
    const own = new Promise<void>((resolve) => response.once('close', () => resolve()));
    this.#answered.set(socket, own);
    const begin = (): void => {
      if (!response.destroyed) new IncomingBody(request, this.#options, done).begin();
    };
    if (before === undefined) begin();
    else void before.then(begin);
    void own.then(() => {
      if (this.#answered.get(socket) === own) this.#answered.delete(socket);
    });
  }
}

/** One body that is being read. A body that came in a single chunk is not copied. */
class IncomingBody {
  readonly #request: IncomingMessage;
  readonly #network: string;
  readonly #options: BodyReaderOptions;
  readonly #done: (outcome: BodyOutcome) => void;
  #chunks: Buffer[] = [];
  #byteLength = 0;
  #shareBytes = 0;
  /** How many bytes have been reserved. */
  #bytesMax = 0;
  #cancelWait: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;

  constructor(request: IncomingMessage, options: BodyReaderOptions, done: (outcome: BodyOutcome) => void) {
    this.#request = request;
    this.#network = new Peer(request.socket).network;
    this.#options = options;
    this.#done = done;
  }

  begin(): void {
    const declared = Number(this.#request.headers['content-length'] ?? smallBodyBytesMax);
    if (declared > requestBytesMax) {
      this.#done({ kind: 'too-large' });
      return;
    }
    this.#request.once('close', this.#onClose);
    this.#take(declared, () => this.#start());
  }

  #start(): void {
    const request = this.#request;
    const startedMs = performance.now();
    const { checkMs, paceAfterMs } = this.#options.timeouts;
    this.#timer = setInterval(() => {
      if (!isTooSlow(this.#byteLength, performance.now() - startedMs, paceAfterMs)) return;
      this.#finish();
      this.#release();
      this.#done({ kind: 'too-slow' });
    }, checkMs);
    request.on('data', this.#onData);
    request.on('end', this.#onEnd);
  }

  readonly #onData = (chunk: Buffer): void => {
    this.#byteLength += chunk.length;
    if (this.#byteLength > requestBytesMax) {
      this.#finish();
      this.#release();
      this.#done({ kind: 'too-large' });
      return;
    }
    this.#chunks.push(chunk);
    if (this.#byteLength <= this.#bytesMax) return;
    // Of unknown length, and no longer small: then it may be as large as any.
    this.#request.pause();
    this.#take(requestBytesMax, () => this.#request.resume());
  };

  readonly #onEnd = (): void => {
    this.#finish();
    const [only] = this.#chunks;
    const body = this.#chunks.length === 1 && only !== undefined ? only : Buffer.concat(this.#chunks);
    this.#done({ kind: 'done', body, release: () => this.#release() });
  };

  readonly #onClose = (): void => {
    const wasOver = this.#isOver;
    this.#finish();
    // A body that was read completely is being answered, and keeps its memory until then.
    if (!wasOver) this.#release();
  };

  /** Continues when there is memory for this many bytes of the body; otherwise the request is refused. */
  #take(bodyBytes: number, then: () => void): void {
    const { memory } = this.#options;
    const bytes = bodyShareBytes(bodyBytes) - this.#shareBytes;
    const kind: BodyKind = bodyKind(bodyBytes);
    const taken = (): void => {
      this.#shareBytes += bytes;
      this.#bytesMax = bodyBytes;
      then();
    };
    const share = { bytes, kind, network: this.#network };
    if (memory.tryTake(bytes, kind, this.#network)) {
      taken();
      return;
    }
    this.#cancelWait = memory.wait(share, (isTaken) => {
      this.#cancelWait = undefined;
      if (isTaken) {
        taken();
        return;
      }
      this.#finish();
      this.#release();
      this.#done({ kind: 'done', body: undefined, release: () => undefined });
    });
  }

  /** Stops reading. */
  #finish(): void {
    this.#isOver = true;
    clearInterval(this.#timer);
    this.#cancelWait?.();
    this.#cancelWait = undefined;
    this.#request.off('data', this.#onData);
    this.#request.off('end', this.#onEnd);
  }

  #release(): void {
    const bytes = this.#shareBytes;
    this.#shareBytes = 0;
    this.#chunks = [];
    if (bytes > 0) this.#options.memory.give(bytes, this.#network);
  }
}
