import { randomFillSync } from 'node:crypto';
import { setImmediate as immediately, setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import type { Clock, EngineEnvironment, EngineLogEvent, Random, Tasks } from '../engine/index.ts';

/** The engine's environment in production: this machine's clock, randomness and event loop. */
export function hostEnvironment(options: {
  readonly clock?: Clock | undefined;
  readonly log?: ((event: EngineLogEvent) => void) | undefined;
}): EngineEnvironment {
  const log = options.log ?? ((): void => undefined);
  return { clock: options.clock ?? hostClock, random: hostRandom, tasks: hostTasks(log), log };
}

const hostClock: Clock = { nowMs: () => Date.now() };

/** How many random bytes are drawn at a time, since a system call for each id would take longer than creating the id. */
const randomPoolBytes = 4096;

const randomPool = Buffer.alloc(randomPoolBytes);
let randomUsed: number = randomPoolBytes;

const hostRandom: Random = {
  bytes(count) {
    if (count > randomPoolBytes) return randomFillSync(Buffer.alloc(count));
    if (randomUsed + count > randomPoolBytes) {
      randomFillSync(randomPool);
      randomUsed = 0;
    }
    randomUsed += count;
    return Uint8Array.prototype.slice.call(randomPool, randomUsed - count, randomUsed);
  },
};

function hostTasks(log: (event: EngineLogEvent) => void): Tasks {
  const running = new Set<Promise<void>>();
  return {
    spawn(name, work) {
      const task = work()
        .catch((error: unknown) =>
          log({ level: 'error', event: 'background-work-failed', name, error: inspect(error) }),
        )
        .finally(() => running.delete(task));
      running.add(task);
    },
    async pause(delayMs, signal) {
      if (signal?.aborted === true) return;
      // After the requests that have already arrived; a timer would take a millisecond even when idle.
      if (delayMs <= 0) return await immediately();
      // A pending sweep must not keep the process alive. A request must: its caller waits for the answer.
      await sleep(delayMs, undefined, signal === undefined ? {} : { ref: false, signal }).catch((error: unknown) => {
        if (signal?.aborted !== true) throw error;
      });
    },
    async settle() {
      while (running.size > 0) await Promise.all(running);
    },
  };
}
