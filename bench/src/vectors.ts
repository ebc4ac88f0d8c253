import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { BenchError } from './bench-error.ts';
import { Worker } from './child-processes.ts';
import type { Progress } from './progress.ts';
import type { Problem } from './measurement.ts';
import type { VectorCalls } from './vector-process.ts';

/** SearchVectors on an index of a given size, in process, on disk, one request at a time. */
export interface VectorSize {
  readonly itemCount: number;
  readonly dimensions: number;
  readonly loadSeconds: number;
  /** From the first search that was too large until the approximate index is ready. */
  readonly buildSeconds: number;
  readonly exact: VectorLatency;
  readonly approximate: VectorLatency;
  /** Share of the ten nearest that the approximate index finds. */
  readonly recallAt10: number;
}

export interface VectorLatency {
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export type VectorResult = readonly VectorSize[];

const dimensions = 128;

/** The sizes of the measured indexes, in entries. */
export function vectorSizes(quick: boolean): readonly number[] {
  return quick ? [2000] : [5000, 20_000];
}

/** Measures each size in its own process, one after the other. */
export async function measureVectors(options: {
  readonly directory: string;
  readonly quick: boolean;
  readonly progress: Progress;
  readonly problems: Problem[];
}): Promise<VectorResult> {
  const sizes: VectorSize[] = [];
  for (const itemCount of vectorSizes(options.quick)) {
    const directory = join(options.directory, `vectors-${itemCount}`);
    mkdirSync(directory);
    const worker = new Worker<VectorCalls>('./vector-process.ts', (text) => options.progress.step(`vectors: ${text}`));
    try {
      const queryCount = options.quick ? 40 : 100;
      sizes.push(await worker.call('measure', { directory, itemCount, dimensions, queryCount }));
    } catch (error) {
      if (!(error instanceof BenchError)) throw error;
      options.problems.push({ what: `vectors, ${itemCount} items`, reason: error.message });
    } finally {
      await worker.stop();
    }
  }
  return sizes;
}
