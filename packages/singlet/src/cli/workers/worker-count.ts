import { availableParallelism } from 'node:os';
import { UsageError } from '../usage-error.ts';

/**
 * The maximum number of processes that serve one directory. LMDB has 126 reader slots in all. Each process takes one or two, and processes that
 * copy or inspect the data take others.
 */
export const workersMax = 32;

/**
 * The number of processes that `--workers` requests.
 *
 * @param cores - processors available to this process, the value of `auto`.
 * @throws {UsageError} if the text is neither `auto` nor a number from 1 to {@link workersMax}.
 */
export function workerCountOf(text: string, cores: number = availableParallelism()): number {
  if (text === 'auto') return Math.min(cores, workersMax);
  const count = Number(text);
  if (!/^\d+$/.test(text) || count < 1 || count > workersMax) {
    throw new UsageError(`--workers takes auto or a number from 1 to ${workersMax}, not ${JSON.stringify(text)}.`);
  }
  return count;
}
