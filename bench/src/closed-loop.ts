import type { RequestRing } from './in-process-target.ts';
import { LatencyRecorder, type RunFigures, type Timing } from './run-figures.ts';

/** So many requests of one loop in a row before timers and sockets get their turn. */
const turnRequests = 256;

/**
 * The closed loop of `load-client.ts` without sockets: so many loops, each making its next request as soon as its last
 * one is answered. The measured code runs in this process, so the CPU figure includes making the requests.
 */
export async function closedLoop(ring: RequestRing, timing: Timing, firstRequest: number): Promise<RunFigures> {
  const recorder = new LatencyRecorder();
  let next = firstRequest % ring.count;
  let errors = 0;
  let firstError: string | undefined;
  let cpuStart: NodeJS.CpuUsage | undefined;
  const startMs = performance.now() + timing.warmUpMs;
  const endMs = startMs + timing.durationMs;

  const loop = async (): Promise<void> => {
    for (let turn = 1; ; turn += 1) {
      const index = next;
      next = next + 1 === ring.count ? 0 : next + 1;
      const sentMs = performance.now();
      let failure: string | undefined;
      try {
        const answer = ring.perform(index);
        // A synchronous answer is not awaited: that would measure the promise.
        if (answer instanceof Promise) await answer;
      } catch (error) {
        failure =
          error instanceof Error ? `${error.name}: ${error.message}` : 'rejected with something that is no error';
      }
      const nowMs = performance.now();
      if (nowMs >= startMs) {
        if (nowMs >= endMs) return;
        cpuStart ??= process.cpuUsage();
        recorder.add(nowMs - sentMs);
        if (failure !== undefined) {
          errors += 1;
          firstError ??= failure;
        }
      }
      if (turn % turnRequests === 0) await new Promise((resolve) => setImmediate(resolve));
    }
  };

  await Promise.all(Array.from({ length: timing.concurrency }, loop));
  const cpu = process.cpuUsage(cpuStart);
  return {
    ...recorder.figures(timing.durationMs / 1000),
    errors,
    ...(firstError === undefined ? {} : { firstError }),
    ...(recorder.count === 0 ? {} : { subjectCpuMicroseconds: (cpu.user + cpu.system) / recorder.count }),
  };
}
