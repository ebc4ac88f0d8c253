import { BenchError } from './bench-error.ts';
import { openLmdbFloor } from './floors.ts';
import type { InProcessTarget } from './in-process-target.ts';
import type { MemorySubject } from './memory.ts';
import { residentParts } from './process-cpu.ts';
import { openSinglet } from './singlet-target.ts';
import { answerCalls } from './worker-calls.ts';

/** A worker that fills one store and watches its own memory meanwhile. */
export interface MemoryCalls {
  readonly [name: string]: (argument: never) => Promise<unknown>;
  readonly load: (argument: {
    readonly subject: MemorySubject;
    readonly directory: string;
    readonly itemCount: number;
  }) => Promise<LoadedMemory>;
}

export interface LoadedMemory {
  readonly seconds: number;
  /** Memory of the process's own, without files it has mapped: the most that was seen, and at the end. Bytes. */
  readonly privatePeakBytes: number;
  readonly privateBytes: number;
  /** Pages of the mapped data file: the system takes them back when it needs them. */
  readonly mappedBytes: number;
}

const watchMs = 200;

const calls: MemoryCalls = {
  load: async ({ subject, directory, itemCount }) => {
    const target: InProcessTarget =
      subject === 'lmdb' ? openLmdbFloor(directory, { keepsKeys: false }) : await openSinglet(directory);
    let privatePeakBytes = memory().privateBytes;
    const watch = setInterval(() => {
      privatePeakBytes = Math.max(privatePeakBytes, memory().privateBytes);
    }, watchMs);
    const startMs = performance.now();
    await target.load(itemCount);
    const seconds = (performance.now() - startMs) / 1000;
    clearInterval(watch);
    const loaded = { seconds, privatePeakBytes, ...memory() };
    await target.close();
    return loaded;
  },
};

function memory(): { readonly privateBytes: number; readonly mappedBytes: number } {
  const parts = residentParts(process.pid);
  if (parts === undefined) throw new BenchError('missing', 'This system does not tell what memory a process has.');
  return parts;
}

answerCalls(calls);
