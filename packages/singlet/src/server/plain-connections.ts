import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { chain } from '../values/awaitable.ts';
import type { BrowserRules } from './browser-rules.ts';
import { bodyKind, bodyShareBytes, type MemoryBudget } from './memory-budget.ts';
import { type ConnectionReader, readConnection } from './connection-reader.ts';
import { isOverdue, isTooSlow } from './pace.ts';
import { isEncrypted, Peer } from './peer.ts';
import { UnjoinedBytes } from './encode/answer-bytes.ts';
import { readRequestHead, type RequestHead } from './request-head.ts';
import type { EventLoopBatch } from './event-loop-batch.ts';
import { bodyOf } from './unjoined-response.ts';
import type { WireHandler, WireResponse } from './wire.ts';

export interface PlainConnectionsOptions {
  /** Answers; never rejects. */
  readonly handler: WireHandler;
  readonly batch: EventLoopBatch;
  /** Takes over a connection, and the bytes that were read of a request that is not plain. */
  readonly handOver: (socket: Socket, read: Buffer) => void;
  /** The memory budget of all connections together. */
  readonly memory: MemoryBudget;
  /** Which requests of browsers are answered. */
  readonly browsers: BrowserRules;
  /** How long a connection may idle, a request may take to arrive, and how often both are checked: milliseconds. */
  readonly idleMs: number;
  readonly requestMs: number;
  readonly checkMs: number;
  /** After this many milliseconds, a body or an answer must have kept the minimum rate. */
  readonly paceAfterMs: number;
  /** How long a refused upload is still read, so that the client sees the refusal. */
  readonly lingerMs: number;
}

/**
 * Connections whose requests have the form that clients of DynamoDB send, one after the other.
 *
 * node:http makes some twenty objects and streams for each request, for everything that HTTP allows; that costs as much as answering
 * a GetItem. These requests need none of it: they are a head and a body of known length. At the first request in another form
 * the connection is handed over to node:http permanently. This is the fast path of node:http: the answers are the same, up to
 * the bytes of the head (`http-server.test.ts`).
 *
 * Decision 0027 says why.
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

  /** Lets running requests finish, and then closes their connections. */
  close(): void {
    this.#heads.closing = true;
    for (const connection of this.#connections) connection.closeIfIdle();
  }

  /** Aborts the requests that still run. */
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
 * - `waiting`: a head has arrived, but there is no memory for the body: reading is paused.
 * - `reading`: a head has arrived, but not all of the body.
 * - `running`: a request is being answered. Further input has to wait.
 * - `sending`: an answer is being sent, and the client has not read all of it. Further input has to wait.
 * - `gone`: ended, or handed over.
 */
type State = 'idle' | 'waiting' | 'reading' | 'running' | 'sending' | 'gone';

class PlainConnection {
  whenGone: (() => void) | undefined;
  readonly #reader: ConnectionReader;
  readonly #socket: Socket;
  readonly #peer: Peer;
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
  /** Input that arrived while a request was running. */
  #early: Buffer | undefined;
  /** The request's share of the memory budget. */
  #shareBytes = 0;
  /** The memory of answers that the client has not read. */
  #answerBytes = 0;
  /** {@link WireResponse.onUnread} of the last answer. */
  #onUnread: ((bytes: number) => void) | undefined;
  #cancelWait: (() => void) | undefined;
  #hasEnded = false;

  constructor(accepted: Socket, options: PlainConnectionsOptions, heads: ResponseHeads, outbox: Outbox) {
    this.#outbox = outbox;
    this.#reader = readConnection(accepted, this.#onData);
    const { socket } = this.#reader;
    this.#socket = socket;
    this.#peer = new Peer(socket);
    this.#options = options;
    this.#heads = heads;
    socket.on('end', this.#onEnd);
    socket.on('error', this.#onError);
    socket.on('close', this.#onClose);
  }

  closeIfIdle(): void {
    if (this.#state === 'idle' || this.#state === 'waiting' || this.#state === 'reading') this.#socket.destroy();
  }

  destroy(): void {
    this.#socket.destroy();
  }

  /** Closes the connection of a client that is silent, or too slow. */
  check(nowMs: number): void {
    const { idleMs, requestMs, paceAfterMs } = this.#options;
    const elapsedMs = nowMs - this.#sinceMs;
    if (this.#state === 'idle' && elapsedMs > idleMs) this.#socket.destroy();
    if (this.#state === 'sending' && isOverdue(this.#answerBytes, elapsedMs, paceAfterMs)) this.#socket.destroy();
    if (this.#state !== 'reading') return;
    if (elapsedMs <= requestMs && !isTooSlow(this.#byteLength, elapsedMs, paceAfterMs)) return;
    this.#release();
    this.#state = 'gone';
    this.#chunks = [];
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
      case 'waiting':
      case 'running':
      case 'sending':
        // The next request, before this one is answered. One chunk is read, and no more until it is processed.
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
    const { bodyBytes } = head;
    const shareBytes = bodyShareBytes(bodyBytes);
    if (this.#options.memory.tryTake(shareBytes, bodyKind(bodyBytes), this.#peer.network)) {
      this.#shareBytes = shareBytes;
      this.#read(head, chunk);
    } else {
      this.#wait(head, chunk, shareBytes);
    }
  }

  /** Pauses reading until there is memory for the body. */
  #wait(head: RequestHead, chunk: Buffer, shareBytes: number): void {
    this.#state = 'waiting';
    this.#socket.pause();
    const share = { bytes: shareBytes, kind: bodyKind(head.bodyBytes), network: this.#peer.network };
    this.#cancelWait = this.#options.memory.wait(share, (isTaken) => {
      this.#cancelWait = undefined;
      if (!isTaken) {
        this.#refuse(head);
        return;
      }
      this.#shareBytes = shareBytes;
      const early = this.#early;
      this.#early = undefined;
      this.#socket.resume();
      this.#read(head, early === undefined ? chunk : Buffer.concat([chunk, early]));
    });
  }

  #read(head: RequestHead, chunk: Buffer): void {
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
    const { handler, batch, memory, browsers } = this.#options;
    batch.handle(() => {
      const answer = handler({ method: 'POST', url: '/', headers, body, memory, browsers, peer: this.#peer });
      void chain(answer, (ready) => batch.send(() => this.#send(ready)));
    });
  }

  #send(answer: WireResponse): void {
    const { status, headers, onUnread } = answer;
    this.#release();
    this.#onUnread = onUnread;
    const socket = this.#socket;
    if (socket.destroyed) return; // the client disconnected
    const isLast = this.#heads.closing || (this.#hasEnded && this.#early === undefined);
    const head = this.#heads.of(status, headers, isLast);
    if (isLast) {
      this.#endWith(head, answer.body);
      socket.end(() => socket.destroy());
      return;
    }
    if (this.#outbox.write(socket, head, answer)) {
      this.#next();
      return;
    }
    this.#state = 'sending';
    this.#sinceMs = performance.now();
    this.#holdAnswer();
    socket.once('drain', this.#next);
  }

  /** Writes the last answer; the caller decides what happens to the connection then. */
  #endWith(head: string, body: Uint8Array): void {
    const socket = this.#socket;
    socket.cork();
    socket.write(head, 'latin1');
    socket.write(body);
    socket.uncork();
    this.#state = 'sending';
    this.#sinceMs = performance.now();
    this.#holdAnswer();
  }

  #holdAnswer(): void {
    this.#answerBytes = this.#socket.writableLength;
    this.#options.memory.hold(this.#answerBytes, this.#peer.network);
    this.#onUnread?.(this.#answerBytes);
  }

  /** There is no memory for the body. Discards the part that has arrived and, for a while, what still arrives. */
  #refuse({ headers }: RequestHead): void {
    const { handler, lingerMs, memory, browsers } = this.#options;
    const request = {
      method: 'POST',
      url: '/',
      headers,
      body: noBody,
      memory,
      browsers,
      peer: this.#peer,
      isRefused: true,
    };
    this.#chunks = [];
    this.#early = undefined;
    void chain(handler(request), (answer) => {
      const socket = this.#socket;
      if (socket.destroyed) return;
      this.#onUnread = answer.onUnread;
      this.#endWith(this.#heads.of(answer.status, answer.headers, true), answer.body);
      this.#state = 'gone';
      socket.end();
      socket.resume();
      setTimeout(() => socket.destroy(), lingerMs);
    });
  }

  /** Returns the request's share to the memory budget. */
  #release(): void {
    const bytes = this.#shareBytes + this.#answerBytes;
    if (bytes === 0) return;
    if (this.#answerBytes > 0) this.#onUnread?.(-this.#answerBytes);
    this.#shareBytes = 0;
    this.#answerBytes = 0;
    this.#options.memory.give(bytes, this.#peer.network);
  }

  readonly #next = (): void => {
    this.#release();
    this.#state = 'idle';
    this.#sinceMs = performance.now();
    if (this.#early === undefined) return;
    const chunk = this.#early;
    this.#early = undefined;
    this.#socket.resume();
    this.#onData(chunk);
    // The rest of a request will not arrive any more.
    if (this.#hasEnded && !this.#isAnswering()) this.#socket.destroy();
  };

  #isAnswering(): boolean {
    return this.#state === 'waiting' || this.#state === 'running' || this.#state === 'sending';
  }

  #handOver(read: Buffer): void {
    this.#state = 'gone';
    const socket = this.#socket;
    this.#reader.release();
    socket.off('end', this.#onEnd);
    socket.off('error', this.#onError);
    socket.off('close', this.#onClose);
    this.whenGone?.();
    this.#options.handOver(socket, read);
  }

  readonly #onEnd = (): void => {
    this.#hasEnded = true;
    if (!this.#isAnswering()) this.#socket.destroy();
  };

  readonly #onError = (): void => {
    // The close event that follows is sufficient.
  };

  readonly #onClose = (): void => {
    this.#cancelWait?.();
    // A running request keeps its memory until it is answered.
    if (this.#state !== 'running') this.#release();
    this.#state = 'gone';
    this.whenGone?.();
  };
}

const noBody = Buffer.alloc(0);

/** Answers with bodies up to this size are copied together with their heads. */
const joinedBodyBytesMax = 64 * 1024;

/** Larger than the head of any answer. */
const headBytesMax = 16 * 1024;

/**
 * Writes answers to sockets.
 *
 * One buffer is one system call. A small copy costs less than passing a second buffer to it; a large one costs more. Usually the system accepts
 * all of it at once: then the buffer is reused for the next answer. New memory for each would have to be collected, and V8 scans all
 * its memory when as much has been allocated.
 */
class Outbox {
  #bytes = Buffer.allocUnsafeSlow(headBytesMax + joinedBodyBytesMax);

  /** @returns whether there is room for more. */
  write(socket: Socket, head: string, answer: WireResponse): boolean {
    const body = bodyOf(answer);
    if (body.length >= joinedBodyBytesMax || head.length > headBytesMax) {
      socket.cork();
      socket.write(Buffer.from(head, 'latin1'));
      const hasRoom = socket.write(answer.body);
      socket.uncork();
      return hasRoom;
    }
    // TLS keeps reading the buffer in any case.
    const bytes = isEncrypted(socket) ? Buffer.allocUnsafe(head.length + body.length) : this.#bytes;
    bytes.write(head, 0, 'latin1');
    if (body instanceof UnjoinedBytes) body.copyTo(bytes, head.length);
    else bytes.set(body, head.length);
    const hasRoom = socket.write(bytes.subarray(0, head.length + body.length));
    // The socket still reads the old buffer.
    if (bytes === this.#bytes && socket.writableLength > 0) this.#bytes = Buffer.allocUnsafeSlow(bytes.length);
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
    // Not a template literal, which costs more: it has to find out that its parts are strings.
    for (let at = 0; at < headers.length; at += 2) head += headers[at] + ': ' + headers[at + 1] + '\r\n';
    return head + this.#dateLine() + (isLast ? 'Connection: close\r\n\r\n' : this.#keepAlive);
  }

  /** The date in HTTP's format, in whole seconds: made once per second. */
  #dateLine(): string {
    const nowMs = Date.now();
    if (nowMs >= this.#dateUntilMs) {
      this.#date = `Date: ${new Date(nowMs).toUTCString()}\r\n`;
      this.#dateUntilMs = nowMs - (nowMs % 1000) + 1000;
    }
    return this.#date;
  }
}
