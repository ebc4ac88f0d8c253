import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { BenchError } from './bench-error.ts';
import { Worker } from './child-processes.ts';
import type { LoadedMemory, MemoryCalls } from './memory-process.ts';
import type { Progress } from './progress.ts';
import type { Problem } from './measurement.ts';

export const memorySubjects = { lmdb: 'LMDB alone', singlet: 'Singlet, in process' } as const;
export type MemorySubject = keyof typeof memorySubjects;

export interface MemoryFigures extends LoadedMemory {
  readonly subject: MemorySubject;
  readonly itemCount: number;
}

export type MemoryResult = readonly MemoryFigures[];

/** The store alone and a database on it, each filled with a tenth of the items and with all of them, one after the other. */
export async function measureMemory(options: {
  readonly directory: string;
  readonly itemCount: number;
  readonly progress: Progress;
  readonly problems: Problem[];
}): Promise<MemoryResult> {
  const figures: MemoryFigures[] = [];
  for (const itemCount of [Math.ceil(options.itemCount / 10), options.itemCount]) {
    for (const subject of Object.keys(memorySubjects) as MemorySubject[]) {
      const what = `memory: ${memorySubjects[subject]}, ${itemCount.toLocaleString('en-US')} items`;
      const directory = join(options.directory, `memory-${subject}-${itemCount}`);
      mkdirSync(directory);
      const worker = new Worker<MemoryCalls>('./memory-process.ts', (text) =>
        options.progress.step(`${what}, ${text}`),
      );
      try {
        figures.push({ subject, itemCount, ...(await worker.call('load', { subject, directory, itemCount })) });
      } catch (error) {
        if (!(error instanceof BenchError)) throw error;
        options.problems.push({ what, reason: error.message });
      } finally {
        await worker.stop();
      }
    }
  }
  return figures;
}
