import { BenchError } from './bench-error.ts';

export interface HttpResponse {
  readonly status: number;
  /** Empty unless the parser keeps bodies, or the status is not 200. */
  readonly body: Buffer;
}

const headerBytesMax = 64 * 1024;
const endOfHeaders = Buffer.from('\r\n\r\n');
const noBytes = Buffer.alloc(0);

/**
 * Reads HTTP/1.1 responses from a byte stream cut anywhere. To be cheap, it parses only the status, the length and
 * the chunk sizes, and skips bodies that are not wanted.
 *
 * Refuses bodies that end with the connection, because the connections of the benchmark stay open.
 */
export class HttpResponseParser {
  readonly #keepBodies: boolean;
  readonly #onResponse: (response: HttpResponse) => void;
  /** Bytes of an incomplete header block, chunk size line or trailer. */
  #pending: Buffer = noBytes;
  #state: 'headers' | 'body' | 'chunk-size' | 'chunk-data' | 'trailer' = 'headers';
  #status = 0;
  /** Bytes left of the body, or of the chunk with its line end. */
  #remaining = 0;
  #kept: Buffer[] = [];
  #keepsNext = false;

  constructor(onResponse: (response: HttpResponse) => void, options: { keepBodies: boolean }) {
    this.#onResponse = onResponse;
    this.#keepBodies = options.keepBodies;
  }

  /** Keeps the body of the next response, regardless of the setting for the others. */
  keepNextBody(): void {
    this.#keepsNext = true;
  }

  /** Whether the stream could end here without truncating a response. */
  get idle(): boolean {
    return this.#state === 'headers' && this.#pending.length === 0;
  }

  /** @throws {BenchError} `connection` when the bytes are not a response this parser understands. */
  push(chunk: Buffer): void {
    let bytes = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk]);
    this.#pending = noBytes;
    while (bytes.length > 0) {
      const used = this.#step(bytes);
      if (used === 0) {
        if (bytes.length > headerBytesMax) throw malformed('a header block or chunk size line does not end');
        // Copied, because a few bytes would keep the socket's whole chunk alive, which may be large.
        this.#pending = Buffer.from(bytes);
        return;
      }
      bytes = bytes.subarray(used);
    }
  }

  /** Consumes the next piece. Returns 0 when it is not complete yet. */
  #step(bytes: Buffer): number {
    switch (this.#state) {
      case 'headers':
        return this.#headers(bytes);
      case 'body':
        return this.#body(bytes);
      case 'chunk-size':
        return this.#chunkSize(bytes);
      case 'chunk-data':
        return this.#chunkData(bytes);
      case 'trailer':
        return this.#trailer(bytes);
    }
  }

  #headers(bytes: Buffer): number {
    const end = bytes.indexOf(endOfHeaders);
    if (end < 0) return 0;
    const head = bytes.toString('latin1', 0, end + 2);
    const status = /^HTTP\/1\.[01] (\d{3})[ \r]/.exec(head)?.[1];
    if (status === undefined) throw malformed(`not a status line: ${JSON.stringify(head.slice(0, 60))}`);
    this.#status = Number(status);
    this.#kept = [];
    this.#bodyFollows(head);
    return end + endOfHeaders.length;
  }

  #bodyFollows(head: string): void {
    // An interim response (100 Continue) is followed by the real one.
    if (this.#status < 200) return;
    if (this.#status === 204 || this.#status === 304) return this.#finish();
    const length = /\r\ncontent-length:[ \t]*(\d+)[ \t]*\r/i.exec(head)?.[1];
    if (length !== undefined) {
      this.#remaining = Number(length);
      if (this.#remaining === 0) return this.#finish();
      this.#state = 'body';
    } else if (/\r\ntransfer-encoding:[^\r]*\bchunked[ \t]*\r/i.test(head)) {
      this.#state = 'chunk-size';
    } else {
      throw malformed('a response has neither a content length nor chunks');
    }
  }

  #body(bytes: Buffer): number {
    const used = Math.min(this.#remaining, bytes.length);
    this.#keep(bytes.subarray(0, used));
    this.#remaining -= used;
    if (this.#remaining === 0) this.#finish();
    return used;
  }

  #chunkSize(bytes: Buffer): number {
    const end = bytes.indexOf('\r\n');
    if (end < 0) return 0;
    const size = /^([0-9a-f]+)[ \t]*(;|$)/i.exec(bytes.toString('latin1', 0, end))?.[1];
    if (size === undefined) throw malformed('a chunk has no size');
    const length = Number.parseInt(size, 16);
    this.#remaining = length + 2;
    this.#state = length === 0 ? 'trailer' : 'chunk-data';
    return end + 2;
  }

  #chunkData(bytes: Buffer): number {
    const used = Math.min(this.#remaining, bytes.length);
    // The last two bytes are the line end, not data.
    this.#keep(bytes.subarray(0, Math.max(0, Math.min(used, this.#remaining - 2))));
    this.#remaining -= used;
    if (this.#remaining === 0) this.#state = 'chunk-size';
    return used;
  }

  #trailer(bytes: Buffer): number {
    const end = bytes.indexOf('\r\n');
    if (end < 0) return 0;
    if (end === 0) this.#finish();
    return end + 2;
  }

  #keep(bytes: Buffer): void {
    // Copied, because the buffer that contains it is reused.
    if (this.#keepBodies || this.#keepsNext || this.#status !== 200) this.#kept.push(Buffer.from(bytes));
  }

  #finish(): void {
    const body = this.#kept.length === 0 ? noBytes : Buffer.concat(this.#kept);
    this.#kept = [];
    this.#keepsNext = false;
    this.#state = 'headers';
    this.#onResponse({ status: this.#status, body });
  }
}

function malformed(reason: string): BenchError {
  return new BenchError('connection', `The server's bytes are not HTTP as expected: ${reason}.`);
}
