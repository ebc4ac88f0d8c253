import { availableParallelism } from 'node:os';
import { UsageError } from '../usage-error.ts';

/**
 * Most processes that serve one directory. LMDB has 126 places for readers in all, of which each takes one or two, and
 * processes that copy or inspect the data take others.
 */
export const workersMax = 32;

/**
 * The number of processes that `--workers` asks for.
 *
 * @param cores - processors that this process may use: what `auto` represents.
 * @throws {UsageError} for what is neither `auto` nor a number from 1 to {@link workersMax}.
 */
export function workerCountOf(text: string, cores: number = availableParallelism()): number {
  if (text === 'auto') return Math.min(cores, workersMax);
  const count = Number(text);
  if (!/^\d+$/.test(text) || count < 1 || count > workersMax) {
    throw new UsageError(`--workers takes auto or a number from 1 to ${workersMax}, not ${JSON.stringify(text)}.`);
  }
  return count;
}
