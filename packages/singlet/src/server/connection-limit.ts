import type { Socket } from 'node:net';
import { CallerCounts } from './caller-counts.ts';
import { Peer } from './peer.ts';

/** Most connections of one address at a time, by default. Clients of the AWS SDK keep 50. */
export const connectionsPerAddressMax = 1024;

export interface ConnectionLimitOptions {
  /** Most connections of one address at a time. */
  readonly perAddress?: number | undefined;
  /** Called with the address of every connection that is refused. */
  readonly onRefused?: ((address: string) => void) | undefined;
}

/**
 * Counts the connections of each address, to all processes of the server.
 */
export class ConnectionLimit {
  readonly #perAddress: number;
  readonly #onRefused: ((address: string) => void) | undefined;
  /** By network. */
  readonly counts: CallerCounts = new CallerCounts();

  constructor({ perAddress = connectionsPerAddressMax, onRefused }: ConnectionLimitOptions) {
    this.#perAddress = perAddress;
    this.#onRefused = onRefused;
  }

  /** How many addresses have connections to this process. */
  get addressCount(): number {
    return this.counts.ownCallerCount;
  }

  /** Counts a connection until it is closed, and closes it at once if it exceeds the limit. @returns whether it may be served. */
  admits(socket: Socket): boolean {
    const { address, network } = new Peer(socket);
    if (this.counts.of(network) >= this.#perAddress) {
      socket.destroy();
      this.#onRefused?.(address);
      return false;
    }
    this.counts.add(network);
    socket.once('close', () => this.counts.remove(network));
    return true;
  }
}
