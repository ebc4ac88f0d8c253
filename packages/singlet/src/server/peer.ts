import type { Socket } from 'node:net';

/** The other end of a connection. Each property is determined only when it is read. */
export class Peer {
  readonly #socket: Socket;
  #address: string | undefined;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  /** Its IP address; empty for a closed connection. An IPv4 address is written as one, whatever the server listens on. */
  get address(): string {
    this.#address ??= (this.#socket.remoteAddress ?? '').replace(/^::ffff:(?=\d+\.)/i, '');
    return this.#address;
  }

  /** Whether the connection is encrypted. */
  get isSecure(): boolean {
    return isEncrypted(this.#socket);
  }
}

/** Whether a socket uses TLS. */
export function isEncrypted(socket: Socket): boolean {
  return 'encrypted' in socket && socket.encrypted === true;
}
