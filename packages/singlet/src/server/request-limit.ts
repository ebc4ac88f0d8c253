import { rateExceeded } from './request-rate.ts';

/** Most requests of one identity that are being answered at a time, by default. */
export const requestsPerIdentityMax = 1024;

export interface RequestLimitOptions {
  /** Most requests of one identity at a time. */
  readonly perIdentity?: number | undefined;
  /** Is told the identity of every request that is refused. */
  readonly onRefused?: ((identity: string) => void) | undefined;
}

/**
 * How many requests of each identity are being answered. It holds one number for each identity that has any, so it cannot grow beyond the
 * requests themselves.
 */
export class RequestLimit {
  readonly #perIdentity: number;
  readonly #onRefused: ((identity: string) => void) | undefined;
  readonly #counts = new Map<string, number>();

  constructor({ perIdentity = requestsPerIdentityMax, onRefused }: RequestLimitOptions) {
    this.#perIdentity = perIdentity;
    this.#onRefused = onRefused;
  }

  /** How many identities have requests that are being answered. */
  get identityCount(): number {
    return this.#counts.size;
  }

  /**
   * Counts a request until {@link end} is called for it.
   *
   * @param identity - the ARN of the user, session or root user.
   * @throws {DynamoError} ThrottlingException when the identity has as many as it may; the request is not counted then.
   */
  begin(identity: string): void {
    const count = this.#counts.get(identity) ?? 0;
    if (count >= this.#perIdentity) {
      this.#onRefused?.(identity);
      throw rateExceeded();
    }
    this.#counts.set(identity, count + 1);
  }

  end(identity: string): void {
    const count = (this.#counts.get(identity) ?? 0) - 1;
    if (count > 0) this.#counts.set(identity, count);
    else this.#counts.delete(identity);
  }
}
