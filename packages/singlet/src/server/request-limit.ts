import { rateExceeded } from './request-rate.ts';

/** Most concurrent requests of one identity, by default. */
export const requestsPerIdentityMax = 1024;

export interface RequestLimitOptions {
  /** Most concurrent requests of one identity. */
  readonly perIdentity?: number | undefined;
  /** Called with the identity of every request that is refused. */
  readonly onRefused?: ((identity: string) => void) | undefined;
}

/**
 * Counts the requests of each identity that are being answered. It holds one number for each identity that has any, so it cannot outgrow the
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
   * @throws {DynamoError} ThrottlingException when the identity is at its limit; the request is not counted then.
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
