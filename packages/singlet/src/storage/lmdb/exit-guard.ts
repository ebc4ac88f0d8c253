import { isMainThread } from 'node:worker_threads';
import { reasonOf } from './lmdb-failure.ts';
import type { LmdbDatabase } from './lmdb-package.ts';

/** Transactions that have started on their thread and wait for the event loop to run their callback. */
const waiting = new Set<object>();

let installed = false;

/** Runs a transaction of the data file, and `action` on this thread, once no process is opening the file. */
export function runTransaction(
  database: Pick<LmdbDatabase, 'transaction' | 'committing'>,
  action: () => void,
): Promise<void> {
  return database.committing(() => runGuarded(database, action));
}

/**
 * Runs a transaction of the package, and `action` on this thread.
 *
 * Between the start of a transaction and its callback, a thread of the package holds the write lock of all processes and
 * waits for this process's event loop. If the process exits just then (`process.exit`, an uncaught exception), Node waits
 * for that thread and that thread waits for Node: forever, and with the lock held. No call ends that wait. So the guard
 * kills the process, which the data survives as it survives any kill; only the exit code is lost. A process that closes the store
 * before exiting avoids this.
 *
 * @throws what LMDB says of the failure. The package's own error only carries a promise of it, which ends the process when it rejects unobserved.
 */
export async function runGuarded(database: Pick<LmdbDatabase, 'transaction'>, action: () => void): Promise<void> {
  let entered = (): void => undefined;
  const committed = database.transaction(() => {
    entered();
    action();
  });
  entered = transactionRequested();
  try {
    await committed;
  } catch (error) {
    throw await reasonOf(error);
  } finally {
    // The transaction may have ended without running its callback.
    entered();
  }
}

/** Must be called right after `transaction()`. @returns what to call when the callback runs, or the transaction has ended without it. */
function transactionRequested(): () => void {
  installOnce();
  const token = {};
  // The package starts the thread in its own immediate, requested just before this one.
  const started = setImmediate(() => waiting.add(token));
  return () => {
    clearImmediate(started);
    waiting.delete(token);
  };
}

function installOnce(): void {
  // The end of a worker thread must not end the process.
  if (installed || !isMainThread) return;
  installed = true;
  process.on('exit', () => {
    if (waiting.size > 0) process.kill(process.pid, 'SIGKILL');
  });
}
