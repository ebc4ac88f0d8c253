import { BenchError } from './bench-error.ts';
import { openLmdbFloor } from './floors.ts';
import type { InProcessTarget } from './in-process-target.ts';
import type { MemorySubject } from './memory.ts';
import { type MemoryUse, memoryUse } from './process-cpu.ts';
import { openSinglet } from './singlet-target.ts';
import { answerCalls } from './worker-calls.ts';
import { wholePartitions } from './workload.ts';

/** A worker that fills one store and samples its own memory meanwhile. */
export interface MemoryCalls {
  readonly [name: string]: (argument: never) => Promise<unknown>;
  readonly load: (argument: {
    readonly subject: MemorySubject;
    readonly directory: string;
    readonly itemCount: number;
  }) => Promise<LoadedMemory>;
}

/** At the end, and the maximum observed. */
export interface LoadedMemory extends MemoryUse {
  readonly seconds: number;
  readonly privatePeakBytes: number;
}

const watchMs = 200;

const calls: MemoryCalls = {
  load: async ({ subject, directory, itemCount }) => {
    const target: InProcessTarget = subject === 'lmdb' ? openLmdbFloor(directory) : await openSinglet(directory);
    let privatePeakBytes = memory().privateBytes;
    const watch = setInterval(() => {
      privatePeakBytes = Math.max(privatePeakBytes, memory().privateBytes);
    }, watchMs);
    const startMs = performance.now();
    const name = 'Bench';
    await target.load({ name, itemCount: wholePartitions(itemCount), itemBytes: 1024, indexCount: 0, stream: false });
    const seconds = (performance.now() - startMs) / 1000;
    clearInterval(watch);
    const loaded = { seconds, privatePeakBytes, ...memory() };
    await target.close();
    return loaded;
  },
};

function memory(): MemoryUse {
  const parts = memoryUse(process.pid);
  if (parts === undefined) throw new BenchError('missing', 'This system does not tell what memory a process has.');
  return parts;
}

answerCalls(calls);
