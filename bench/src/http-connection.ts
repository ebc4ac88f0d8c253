import { connect, type Socket } from 'node:net';
import { BenchError } from './bench-error.ts';
import { type HttpResponse, HttpResponseParser } from './http-response-parser.ts';

/**
 * The read buffer that all connections share. A reply is processed before the next one is read, and what is kept of it is
 * copied. A buffer for each read would cost the generator more than parsing its contents.
 */
const readBuffer = Buffer.allocUnsafeSlow(256 * 1024);

/** One keep-alive connection to a server on the loopback, with one request in flight at a time. */
export class HttpConnection {
  readonly #socket: Socket;
  readonly #parser: HttpResponseParser;
  #onResponse: (response: HttpResponse) => void = () => undefined;
  #onFailure: (error: BenchError) => void = () => undefined;
  #inFlight = false;

  private constructor(port: number, options: { keepBodies: boolean }) {
    this.#parser = new HttpResponseParser((response) => this.#settle(response), options);
    const socket = connect({
      port,
      host: '127.0.0.1',
      noDelay: true,
      onread: {
        buffer: readBuffer,
        callback: (byteCount) => {
          this.#read(readBuffer.subarray(0, byteCount));
          return true;
        },
      },
    });
    this.#socket = socket;
    socket.on('error', (error) => this.#fail(broken(`The connection broke: ${error.message}`, error)));
    socket.on('close', () => this.#fail(broken('The server closed the connection before it answered.')));
  }

  static async open(port: number, options: { keepBodies: boolean }): Promise<HttpConnection> {
    return await new Promise((resolve, reject) => {
      const connection = new HttpConnection(port, options);
      const refused = (error: Error): void => reject(broken(`Cannot connect to port ${port}: ${error.message}`, error));
      connection.#socket.once('error', refused);
      connection.#socket.once('connect', () => {
        connection.#socket.off('error', refused);
        resolve(connection);
      });
    });
  }

  /**
   * Writes a request. Exactly one of the callbacks is called, once. No other request may be in flight.
   *
   * @param keepsBody - keeps this body even if the connection otherwise skips bodies.
   */
  send(
    request: Buffer,
    onResponse: (response: HttpResponse) => void,
    onFailure: (error: BenchError) => void,
    keepsBody = false,
  ): void {
    this.#onResponse = onResponse;
    this.#onFailure = onFailure;
    this.#inFlight = true;
    if (keepsBody) this.#parser.keepNextBody();
    this.#socket.write(request);
  }

  async call(request: Buffer): Promise<HttpResponse> {
    return await new Promise((resolve, reject) => this.send(request, resolve, reject));
  }

  close(): void {
    this.#socket.destroy();
  }

  #read(bytes: Buffer): void {
    try {
      this.#parser.push(bytes);
    } catch (error) {
      this.#fail(error instanceof BenchError ? error : broken('The reply could not be read.', error));
    }
  }

  #settle(response: HttpResponse): void {
    if (!this.#inFlight) return;
    this.#inFlight = false;
    this.#onResponse(response);
  }

  #fail(error: BenchError): void {
    if (!this.#inFlight) return;
    this.#inFlight = false;
    this.#socket.destroy();
    this.#onFailure(error);
  }
}

function broken(message: string, cause?: unknown): BenchError {
  return new BenchError('connection', message, { cause });
}
