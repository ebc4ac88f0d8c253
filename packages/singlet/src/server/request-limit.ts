import { CallerCounts } from './caller-counts.ts';
import { rateExceeded } from './request-rate.ts';

/** Most concurrent requests of one identity, by default. */
export const requestsPerIdentityMax = 1024;

export interface RequestLimitOptions {
  /** Most concurrent requests of one identity. */
  readonly perIdentity?: number | undefined;
  /** Most bytes in flight of one identity, in this process; at least the share of the largest body. Without it, any number. */
  readonly bytesPerIdentity?: number | undefined;
  /** Called with the identity of every request that is refused. */
  readonly onRefused?: ((identity: string) => void) | undefined;
}

/**
 * Counts the requests of each identity that are being answered, by all processes of the server, and its bytes in flight in this process: the
 * shares of the memory budget of these requests, and its answers that have not been read yet.
 */
export class RequestLimit {
  readonly #perIdentity: number;
  readonly #bytesPerIdentity: number;
  readonly #onRefused: ((identity: string) => void) | undefined;
  /** By the ARN of the identity. */
  readonly counts: CallerCounts = new CallerCounts();
  readonly #bytes: CallerCounts = new CallerCounts();

  constructor({
    perIdentity = requestsPerIdentityMax,
    bytesPerIdentity = Number.POSITIVE_INFINITY,
    onRefused,
  }: RequestLimitOptions) {
    this.#perIdentity = perIdentity;
    this.#bytesPerIdentity = bytesPerIdentity;
    this.#onRefused = onRefused;
  }

  /** How many identities have requests that this process is answering. */
  get identityCount(): number {
    return this.counts.ownCallerCount;
  }

  /** The bytes of an identity that are in flight in this process. */
  bytesOf(identity: string): number {
    return this.#bytes.of(identity);
  }

  /**
   * @param identity - the ARN of the user, session or root user.
   * @param bytes - the request's share of the memory budget.
   * @throws {DynamoError} ThrottlingException when the identity is at one of its limits.
   */
  check(identity: string, bytes: number): void {
    const exceeds =
      this.counts.of(identity) >= this.#perIdentity || this.#bytes.of(identity) + bytes > this.#bytesPerIdentity;
    if (!exceeds) return;
    this.#onRefused?.(identity);
    throw rateExceeded();
  }

  /** Counts a request, and its bytes, until {@link end} is called for it. */
  begin(identity: string, bytes: number): void {
    this.counts.add(identity);
    this.#bytes.add(identity, bytes);
  }

  end(identity: string, bytes: number): void {
    this.counts.remove(identity);
    this.#bytes.remove(identity, bytes);
  }

  /** Counts bytes that cannot be refused any more: what a compressed body became, and an answer. Negative to return them. */
  hold(identity: string, bytes: number): void {
    if (bytes > 0) this.#bytes.add(identity, bytes);
    else this.#bytes.remove(identity, -bytes);
  }
}
