import { runGuarded } from './exit-guard.ts';
import type { LmdbDatabase } from './lmdb-package.ts';
import { reasonOf } from './lmdb-failure.ts';

/** How long to wait for an answer before checking whether one will come. Milliseconds. */
const askMs = 1_000;

/**
 * Waits for writes that were passed to LMDB. Writes of one transaction share a promise. A rejection handler is attached at once,
 * because the promise may reject long before the last write is put.
 *
 * Sometimes the package does not report that a commit has failed (seen with a full disk, in about one of ten runs). Writes are made in
 * order, so once a later transaction has ended, a promise that is still pending belongs to a failed commit.
 *
 * Both the writes and `done` belong inside `LmdbDatabase.committing`.
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

  /** @throws the error of the failed commit. The writes may be repeated. */
  async done(): Promise<void> {
    const problems = Promise.all(this.#problems.values());
    const found = (await within(askMs, problems)) ?? (await this.#ask(problems));
    for (const problem of found) {
      if (problem !== undefined) throw problem;
    }
  }

  async #ask(problems: Promise<unknown[]>): Promise<unknown[]> {
    await runGuarded(this.#database, () => undefined).catch(() => undefined);
    return (await within(askMs, problems)) ?? [new Error('a commit failed for an unknown reason')];
  }
}

/** @returns undefined on timeout. */
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
