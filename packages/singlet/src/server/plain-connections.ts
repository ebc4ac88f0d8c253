import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { chain } from '../values/awaitable.ts';
import { readRequestHead, type RequestHead } from './request-head.ts';
import type { Turn } from './turn.ts';
import type { WireHandler, WireResponse } from './wire.ts';

export interface PlainConnectionsOptions {
  /** Answers; never rejects. */
  readonly handler: WireHandler;
  readonly turn: Turn;
  /** Takes over a connection, and what has been read of a request that is not plain. */
  readonly handOver: (socket: Socket, read: Buffer) => void;
  /** How long a connection may idle, a request may take to arrive, and how often both are looked at: milliseconds. */
  readonly idleMs: number;
  readonly requestMs: number;
  readonly checkMs: number;
}

/**
 * Connections whose requests come in the form that clients of DynamoDB send, one after the other.
 *
 * node:http makes some twenty objects and streams for each request, for all that HTTP can be; that costs as much as answering
 * a GetItem. These requests need none of it: they are a head and a body of known length. At the first request in another form
 * the connection is handed over to node:http, for good.
 */
export class PlainConnections {
  readonly #options: PlainConnectionsOptions;
  readonly #connections = new Set<PlainConnection>();
  readonly #heads: ResponseHeads;
  readonly #outbox = new Outbox();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: PlainConnectionsOptions) {
    this.#options = options;
    this.#heads = new ResponseHeads(options.idleMs);
  }

  add(socket: Socket): void {
    const connection = new PlainConnection(socket, this.#options, this.#heads, this.#outbox);
    this.#connections.add(connection);
    connection.whenGone = () => this.#connections.delete(connection);
    this.#timer ??= setInterval(() => this.#check(), this.#options.checkMs).unref();
  }

  /** Lets running requests finish, and their connections end with them. */
  close(): void {
    this.#heads.closing = true;
    for (const connection of this.#connections) connection.closeIfIdle();
  }

  /** Cuts off what still runs. */
  destroy(): void {
    for (const connection of this.#connections) connection.destroy();
  }

  #check(): void {
    if (this.#connections.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
      return;
    }
    const nowMs = performance.now();
    for (const connection of this.#connections) connection.check(nowMs);
  }
}

/**
 * - `idle`: the next byte begins a request.
 * - `reading`: a head has come, and the body not yet.
 * - `running`: a request is being answered, or its answer is not on its way yet. What comes meanwhile has to wait.
 * - `gone`: ended, or handed over.
 */
type State = 'idle' | 'reading' | 'running' | 'gone';

class PlainConnection {
  whenGone: (() => void) | undefined;
  readonly #socket: Socket;
  readonly #options: PlainConnectionsOptions;
  readonly #heads: ResponseHeads;
  readonly #outbox: Outbox;
  #state: State = 'idle';
  /** When this state began. */
  #sinceMs: number = performance.now();
  #head: RequestHead | undefined;
  /** The request so far, head and all. */
  #chunks: Buffer[] = [];
  #byteLength = 0;
  /** What came while a request was running. */
  #early: Buffer | undefined;
  #hasEnded = false;

  constructor(socket: Socket, options: PlainConnectionsOptions, heads: ResponseHeads, outbox: Outbox) {
    this.#outbox = outbox;
    this.#socket = socket;
    this.#options = options;
    this.#heads = heads;
    socket.on('data', this.#onData);
    socket.on('end', this.#onEnd);
    socket.on('error', this.#onError);
    socket.on('close', this.#onClose);
  }

  closeIfIdle(): void {
    if (this.#state === 'idle' || this.#state === 'reading') this.#socket.destroy();
  }

  destroy(): void {
    this.#socket.destroy();
  }

  /** Gives up on a client that is silent, or too slow. */
  check(nowMs: number): void {
    const { idleMs, requestMs } = this.#options;
    if (this.#state === 'idle' && nowMs - this.#sinceMs > idleMs) this.#socket.destroy();
    if (this.#state !== 'reading' || nowMs - this.#sinceMs <= requestMs) return;
    this.#socket.end('HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n', () => this.#socket.destroy());
  }

  readonly #onData = (chunk: Buffer): void => {
    switch (this.#state) {
      case 'idle':
        this.#begin(chunk);
        break;
      case 'reading':
        this.#add(chunk);
        break;
      case 'running':
        // The next request, before this one is answered. One chunk is taken, and no more until its turn comes.
        this.#early = this.#early === undefined ? chunk : Buffer.concat([this.#early, chunk]);
        this.#socket.pause();
        break;
      case 'gone':
        break;
    }
  };

  #begin(chunk: Buffer): void {
    const head = readRequestHead(chunk);
    if (head === undefined) {
      this.#handOver(chunk);
      return;
    }
    this.#head = head;
    const end = head.headBytes + head.bodyBytes;
    if (chunk.length === end) {
      this.#run(head, chunk.subarray(head.headBytes));
      return;
    }
    this.#state = 'reading';
    this.#sinceMs = performance.now();
    this.#add(chunk);
  }

  #add(chunk: Buffer): void {
    const head = this.#head as RequestHead; // there is one while a request is being read
    this.#chunks.push(chunk);
    this.#byteLength += chunk.length;
    const end = head.headBytes + head.bodyBytes;
    if (this.#byteLength < end) return;
    const request = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks, this.#byteLength);
    this.#chunks = [];
    this.#byteLength = 0;
    if (request.length > end) this.#early = request.subarray(end);
    this.#run(head, request.subarray(head.headBytes, end));
  }

  #run({ headers }: RequestHead, body: Buffer): void {
    this.#state = 'running';
    const { handler, turn } = this.#options;
    turn.handle(() => {
      const answer = handler({ method: 'POST', url: '/', headers, body });
      void chain(answer, (ready) => turn.send(() => this.#send(ready)));
    });
  }

  #send({ status, headers, body }: WireResponse): void {
    const socket = this.#socket;
    if (socket.destroyed) return; // the client went away
    const isLast = this.#heads.closing || (this.#hasEnded && this.#early === undefined);
    const head = this.#heads.of(status, headers, isLast);
    if (isLast) {
      this.#state = 'gone';
      socket.cork();
      socket.write(head, 'latin1');
      socket.end(body, () => socket.destroy());
      return;
    }
    if (this.#outbox.write(socket, head, body)) this.#next();
    else socket.once('drain', this.#next);
  }

  readonly #next = (): void => {
    this.#state = 'idle';
    this.#sinceMs = performance.now();
    if (this.#early === undefined) return;
    const chunk = this.#early;
    this.#early = undefined;
    this.#socket.resume();
    this.#onData(chunk);
    // The rest of a request will not come any more.
    if (this.#hasEnded && !this.#isRunning()) this.#socket.destroy();
  };

  #isRunning(): boolean {
    return this.#state === 'running';
  }

  #handOver(read: Buffer): void {
    this.#state = 'gone';
    const socket = this.#socket;
    socket.off('data', this.#onData);
    socket.off('end', this.#onEnd);
    socket.off('error', this.#onError);
    socket.off('close', this.#onClose);
    this.whenGone?.();
    this.#options.handOver(socket, read);
  }

  readonly #onEnd = (): void => {
    this.#hasEnded = true;
    if (this.#state !== 'running') this.#socket.destroy();
  };

  readonly #onError = (): void => {
    // The close that follows is all there is to know.
  };

  readonly #onClose = (): void => {
    this.#state = 'gone';
    this.whenGone?.();
  };
}

/** Answers of up to so many bytes of body are copied behind their heads. */
const joinedBodyBytesMax = 64 * 1024;

/** Larger than the head of any answer. */
const headBytesMax = 16 * 1024;

/**
 * Writes answers to sockets.
 *
 * One buffer is one system call, and a small copy costs less than a second buffer in it; a large one costs more. As a rule the system takes
 * all of it at once: then the buffer serves for the next answer. Memory for each would have to be collected, and V8 looks through all that
 * it has when as much has been allocated.
 */
class Outbox {
  #bytes = Buffer.allocUnsafeSlow(headBytesMax + joinedBodyBytesMax);

  /** @returns whether there is room for more. */
  write(socket: Socket, head: string, body: Uint8Array): boolean {
    if (body.length >= joinedBodyBytesMax || head.length > headBytesMax) {
      socket.cork();
      socket.write(Buffer.from(head, 'latin1'));
      const hasRoom = socket.write(body);
      socket.uncork();
      return hasRoom;
    }
    const bytes = this.#bytes;
    bytes.write(head, 0, 'latin1');
    bytes.set(body, head.length);
    const hasRoom = socket.write(bytes.subarray(0, head.length + body.length));
    // It goes on being read.
    if (socket.writableLength > 0) this.#bytes = Buffer.allocUnsafeSlow(bytes.length);
    return hasRoom;
  }
}

const okLine = 'HTTP/1.1 200 OK\r\n';

/** Writes the heads of answers. */
class ResponseHeads {
  closing = false;
  readonly #keepAlive: string;
  #date = '';
  #dateUntilMs = 0;

  constructor(idleMs: number) {
    this.#keepAlive = `Connection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(idleMs / 1000)}\r\n\r\n`;
  }

  of(status: number, headers: readonly string[], isLast: boolean): string {
    let head = status === 200 ? okLine : `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n`;
    // Not as a template, which costs more: it has to find out that its parts are texts.
    for (let at = 0; at < headers.length; at += 2) head += headers[at] + ': ' + headers[at + 1] + '\r\n';
    return head + this.#dateLine() + (isLast ? 'Connection: close\r\n\r\n' : this.#keepAlive);
  }

  /** The date as HTTP writes it, with whole seconds: made once in each. */
  #dateLine(): string {
    const nowMs = Date.now();
    if (nowMs >= this.#dateUntilMs) {
      this.#date = `Date: ${new Date(nowMs).toUTCString()}\r\n`;
      this.#dateUntilMs = nowMs - (nowMs % 1000) + 1000;
    }
    return this.#date;
  }
}
