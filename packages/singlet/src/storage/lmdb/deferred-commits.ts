import type { Decision, StoreValue } from '../store.ts';
import type { Commits } from './commits.ts';

/**
 * Commits that cost something to begin, so they begin with the first write. A directory that is only read is not written to.
 *
 * @param begin - if it fails, every write that waits for it rejects with its error, and the next write calls it again.
 */
export class DeferredCommits implements Commits {
  readonly #begin: () => Promise<Commits>;
  #begun: Promise<Commits> | undefined;

  constructor(begin: () => Promise<Commits>) {
    this.#begin = begin;
  }

  async write<T>(keys: readonly Uint8Array[], decide: (values: readonly StoreValue[]) => Decision<T>): Promise<T> {
    const commits = await this.#commits();
    return commits.write(keys, decide);
  }

  async settled(): Promise<void> {
    await this.#begun?.then((commits) => commits.settled()).catch(() => undefined);
  }

  async idle(): Promise<void> {
    await this.#begun?.then((commits) => commits.idle()).catch(() => undefined);
  }

  #commits(): Promise<Commits> {
    this.#begun ??= this.#begin().catch((error: unknown) => {
      this.#begun = undefined;
      throw error;
    });
    return this.#begun;
  }
}
