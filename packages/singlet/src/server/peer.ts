import type { Socket } from 'node:net';
import { networkOf } from './network-of.ts';

/** The other end of a connection. Each property is determined only when it is read. */
export class Peer {
  readonly #socket: Socket;
  #address: string | undefined;
  #network: string | undefined;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  /** Its IP address; empty for a closed connection. An IPv4 address is written as one, whatever the server listens on. */
  get address(): string {
    this.#address ??= (this.#socket.remoteAddress ?? '').replace(/^::ffff:(?=\d+\.)/i, '');
    return this.#address;
  }

  /** What limits by address count: see {@link networkOf}. It stays the same when the connection is closed, once it has been read. */
  get network(): string {
    this.#network ??= networkOf(this.address);
    return this.#network;
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
