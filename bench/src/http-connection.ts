import { connect, type Socket } from 'node:net';
import { BenchError } from './bench-error.ts';
import { type HttpResponse, HttpResponseParser } from './http-response-parser.ts';

/** One keep-alive connection to a server on the loopback, with one request in flight at a time. */
export class HttpConnection {
  readonly #socket: Socket;
  #onResponse: (response: HttpResponse) => void = () => undefined;
  #onFailure: (error: BenchError) => void = () => undefined;
  #inFlight = false;

  private constructor(socket: Socket, options: { keepBodies: boolean }) {
    this.#socket = socket;
    socket.setNoDelay(true);
    const parser = new HttpResponseParser((response) => this.#settle(response), options);
    socket.on('data', (chunk) => {
      try {
        parser.push(chunk);
      } catch (error) {
        this.#fail(error instanceof BenchError ? error : broken('The reply could not be read.', error));
      }
    });
    socket.on('error', (error) => this.#fail(broken(`The connection broke: ${error.message}`, error)));
    socket.on('close', () => this.#fail(broken('The server closed the connection before it answered.')));
  }

  static async open(port: number, options: { keepBodies: boolean }): Promise<HttpConnection> {
    return await new Promise((resolve, reject) => {
      const socket = connect({ port, host: '127.0.0.1' });
      const refused = (error: Error): void => reject(broken(`Cannot connect to port ${port}: ${error.message}`, error));
      socket.once('error', refused);
      socket.once('connect', () => {
        socket.off('error', refused);
        resolve(new HttpConnection(socket, options));
      });
    });
  }

  /** Writes a request. Exactly one of the callbacks is called, once. There must be no other request in flight. */
  send(request: Buffer, onResponse: (response: HttpResponse) => void, onFailure: (error: BenchError) => void): void {
    this.#onResponse = onResponse;
    this.#onFailure = onFailure;
    this.#inFlight = true;
    this.#socket.write(request);
  }

  async call(request: Buffer): Promise<HttpResponse> {
    return await new Promise((resolve, reject) => this.send(request, resolve, reject));
  }

  close(): void {
    this.#socket.destroy();
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
