import type { RequestRing } from './in-process-target.ts';
import { MeasuredWindow, restingPoint, type RunFigures, type Timing } from './run-figures.ts';

/** How many requests a loop makes in a row before it yields to timers and sockets. */
const turnRequests = 256;
/** One in this many answers is kept and checked after the run. */
const sampledOneIn = 211;
const samplesMax = 24;

/**
 * The closed loop of `load-client.ts` without sockets: several loops, each making its next request as soon as its last
 * one is answered. The measured code runs in this process, so the CPU figure includes making the requests.
 */
export async function closedLoop(ring: RequestRing, timing: Timing, firstRequest: number): Promise<RunFigures> {
  const samples: { readonly index: number; readonly answer: unknown }[] = [];
  let next = restingPoint(firstRequest % ring.count, ring.restEvery);
  let sent = 0;
  let errors = 0;
  let firstError: string | undefined;
  let cpuStart: NodeJS.CpuUsage | undefined;
  let cpuUsed: NodeJS.CpuUsage | undefined;
  const window = new MeasuredWindow(performance.now(), timing);

  const loop = async (): Promise<void> => {
    for (let turn = 1; ; turn += 1) {
      const index = next;
      next = next + 1 === ring.count ? 0 : next + 1;
      const sentMs = performance.now();
      let failure: string | undefined;
      try {
        const isSample = sent++ % sampledOneIn === 0 && samples.length < samplesMax;
        let answer = ring.perform(index);
        // A synchronous answer is not awaited, because that would measure the promise.
        if (answer instanceof Promise) answer = await answer;
        if (isSample) samples.push({ index, answer });
      } catch (error) {
        failure =
          error instanceof Error ? `${error.name}: ${error.message}` : 'rejected with something that is no error';
      }
      const nowMs = performance.now();
      const when = window.add(nowMs, nowMs - sentMs);
      if (when === 'inside') {
        cpuStart ??= process.cpuUsage();
        if (failure !== undefined) {
          errors += 1;
          firstError ??= failure;
        }
      } else if (when === 'after') {
        cpuUsed ??= process.cpuUsage(cpuStart);
        if (next % ring.restEvery === 0) return;
      }
      if (turn % turnRequests === 0) await new Promise((resolve) => setImmediate(resolve));
    }
  };

  await Promise.all(Array.from({ length: timing.concurrency }, loop));
  const cpu = cpuUsed ?? { user: 0, system: 0 };
  for (const { index, answer } of samples) {
    const fault = ring.fault(index, answer);
    if (fault === undefined) continue;
    errors += 1;
    firstError ??= fault;
  }
  return {
    ...window.figures(),
    errors,
    ...(firstError === undefined ? {} : { firstError }),
    ...(window.count === 0 ? {} : { subjectCpuMicroseconds: (cpu.user + cpu.system) / window.count }),
  };
}
