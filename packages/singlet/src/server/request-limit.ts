import { CallerCounts } from './caller-counts.ts';
import { rateExceeded } from './request-rate.ts';

/** Most concurrent requests of one identity, by default. */
export const requestsPerIdentityMax = 1024;

export interface RequestLimitOptions {
  /** Most concurrent requests of one identity. */
  readonly perIdentity?: number | undefined;
  /** Called with the identity of every request that is refused. */
  readonly onRefused?: ((identity: string) => void) | undefined;
}

/** Counts the requests of each identity that are being answered, by all processes of the server. */
export class RequestLimit {
  readonly #perIdentity: number;
  readonly #onRefused: ((identity: string) => void) | undefined;
  /** By the ARN of the identity. */
  readonly counts: CallerCounts = new CallerCounts();

  constructor({ perIdentity = requestsPerIdentityMax, onRefused }: RequestLimitOptions) {
    this.#perIdentity = perIdentity;
    this.#onRefused = onRefused;
  }

  /** How many identities have requests that this process is answering. */
  get identityCount(): number {
    return this.counts.ownCallerCount;
  }

  /**
   * @param identity - the ARN of the user, session or root user.
   * @throws {DynamoError} ThrottlingException when the identity is at its limit.
   */
  check(identity: string): void {
    if (this.counts.of(identity) < this.#perIdentity) return;
    this.#onRefused?.(identity);
    throw rateExceeded();
  }

  /** Counts a request until {@link end} is called for it. */
  begin(identity: string): void {
    this.counts.add(identity);
  }

  end(identity: string): void {
    this.counts.remove(identity);
  }
}
