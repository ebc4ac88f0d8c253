import type { Socket } from 'node:net';

/** The other end of a connection. What is not asked for is not found out. */
export class Peer {
  readonly #socket: Socket;
  #address: string | undefined;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  /** Its IP address; of a connection that is gone, the empty text. An IPv4 address is written as one, whatever the server listens on. */
  get address(): string {
    this.#address ??= (this.#socket.remoteAddress ?? '').replace(/^::ffff:(?=\d+\.)/i, '');
    return this.#address;
  }

  /** Whether what goes over the connection is encrypted. */
  get isSecure(): boolean {
    return isEncrypted(this.#socket);
  }
}

/** Whether a socket is one of TLS. */
export function isEncrypted(socket: Socket): boolean {
  return 'encrypted' in socket && socket.encrypted === true;
}
