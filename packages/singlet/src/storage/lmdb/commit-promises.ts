import { runTransaction } from './exit-guard.ts';
import type { LmdbDatabase } from './lmdb-database.ts';
import { reasonOf } from './lmdb-failure.ts';

/** After so long without an answer it is asked whether there will be one. Milliseconds. */
const askMs = 1_000;

/**
 * Waits for what was handed to LMDB. Writes of one transaction share a promise, which is listened to at once: it may fail long before the
 * last is put.
 *
 * Now and then the package forgets to tell that a commit has failed (seen with a full disk, in one of some ten runs). Writes are made in
 * order, so once a later transaction has ended, a promise that is still open is such a one.
 */
export class CommitPromises {
  readonly #database: LmdbDatabase;
  readonly #problems = new Map<Promise<unknown>, Promise<unknown>>();

  constructor(database: LmdbDatabase) {
    this.#database = database;
  }

  add(commit: Promise<unknown>): void {
    if (!this.#problems.has(commit))
      this.#problems.set(
        commit,
        commit.then(() => undefined, reasonOf),
      );
  }

  /** @throws what the commit failed with. What was written may be written again. */
  async done(): Promise<void> {
    const problems = Promise.all(this.#problems.values());
    const found = (await within(askMs, problems)) ?? (await this.#ask(problems));
    for (const problem of found) {
      if (problem !== undefined) throw problem;
    }
  }

  async #ask(problems: Promise<unknown[]>): Promise<unknown[]> {
    await runTransaction(this.#database, () => undefined).catch(() => undefined);
    return (await within(askMs, problems)) ?? [new Error('a commit failed for an unknown reason')];
  }
}

/** @returns undefined if it takes longer. */
async function within<T>(ms: number, promise: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
