import cluster from 'node:cluster';
import type { LogLevelSwitch } from '../log-level-switch.ts';
import { stopOnSignals } from '../stop-on-signals.ts';
import { UsageError } from '../usage-error.ts';
import { WorkerPool, type WorkerPoolOptions } from './worker-pool.ts';

/**
 * Serves with several processes until a signal ends them. This process is the primary: it opens no data and answers no requests.
 *
 * @throws {UsageError} if workers cannot start, or repeatedly exit.
 */
export async function serveWithWorkers({
  level,
  ...options
}: WorkerPoolOptions & { readonly level: LogLevelSwitch }): Promise<void> {
  if (!cluster.isPrimary) {
    throw new UsageError('--workers starts its own processes: omit it if another program runs several.');
  }
  const pool = new WorkerPool(options);
  stopOnSignals(
    options.log,
    () => pool.stop(),
    () => pool.kill(),
  );
  level.listen(options.log, () => pool.signal('SIGUSR2'));
  pool.start();
  if (!(await pool.ended)) process.exitCode = 1;
}
