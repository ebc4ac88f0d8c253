import { BenchError } from './bench-error.ts';
import { HttpConnection } from './http-connection.ts';
import { cpuMicroseconds } from './process-cpu.ts';
import { LatencyRecorder, type RunFigures, type Timing } from './run-figures.ts';

export interface Drive extends Timing {
  readonly port: number;
  /** Sent in a ring, one after the other, by whichever connection is free. */
  readonly requests: readonly Buffer[];
  /** Where in the ring to start, so that rounds do not repeat each other's keys. */
  readonly firstRequest: number;
  /** The server, for its CPU time. */
  readonly serverProcessId: number;
}

/**
 * A closed loop over HTTP: each connection sends its next request as soon as the last one is answered. What is answered
 * after the warm-up and before the end counts; requests still in flight at the end are waited for, and do not count.
 */
export async function drive(run: Drive): Promise<RunFigures> {
  const opening = Array.from({ length: run.concurrency }, () => HttpConnection.open(run.port, { keepBodies: false }));
  const connections = await Promise.all(opening);
  const recorder = new LatencyRecorder();
  let next = run.firstRequest % run.requests.length;
  let errors = 0;
  let firstError: string | undefined;
  const startMs = performance.now() + run.warmUpMs;
  const endMs = startMs + run.durationMs;
  const usage = measureCpu(run.serverProcessId, { startMs, endMs });

  const loop = async (connection: HttpConnection): Promise<void> =>
    await new Promise((resolve, reject) => {
      const step = (): void => {
        const request = run.requests[next];
        if (request === undefined) return reject(new BenchError('usage', 'There are no requests to send.'));
        next = next + 1 === run.requests.length ? 0 : next + 1;
        const sentMs = performance.now();
        connection.send(
          request,
          (response) => {
            const nowMs = performance.now();
            if (nowMs >= startMs && nowMs < endMs) {
              recorder.add(nowMs - sentMs);
              if (response.status !== 200) {
                errors += 1;
                firstError ??= `${response.status} ${response.body.toString()}`;
              }
            }
            if (nowMs < endMs) step();
            else resolve();
          },
          reject,
        );
      };
      step();
    });

  try {
    await Promise.all(connections.map(loop));
    return {
      ...recorder.figures(run.durationMs / 1000),
      errors,
      ...(firstError === undefined ? {} : { firstError }),
      ...(await usage)(recorder.count),
    };
  } finally {
    for (const connection of connections) connection.close();
  }
}

/** Sends every request once, over so many connections. `onReply` throws to stop them all. */
export async function sendAll(options: {
  readonly port: number;
  readonly connections: number;
  readonly requests: Iterable<Buffer>;
  readonly onReply: (response: { readonly status: number; readonly body: Buffer }) => void;
}): Promise<void> {
  const requests = options.requests[Symbol.iterator]();
  const failure = new AbortController();
  const work = async (): Promise<void> => {
    const connection = await HttpConnection.open(options.port, { keepBodies: true });
    try {
      for (let next = requests.next(); next.done !== true && !failure.signal.aborted; next = requests.next()) {
        options.onReply(await connection.call(next.value));
      }
    } catch (error) {
      failure.abort();
      throw error;
    } finally {
      connection.close();
    }
  };
  await Promise.all(Array.from({ length: options.connections }, work));
}

type CpuFigures = (requests: number) => Pick<RunFigures, 'subjectCpuMicroseconds' | 'generatorCpuShare'>;

/** Reads both processes' CPU clocks at the start and at the end of the measured window. */
async function measureCpu(
  serverProcessId: number,
  window: { readonly startMs: number; readonly endMs: number },
): Promise<CpuFigures> {
  await until(window.startMs);
  const serverStart = cpuMicroseconds(serverProcessId);
  const ownStart = process.cpuUsage();
  const startMs = performance.now();
  await until(window.endMs);
  const serverEnd = cpuMicroseconds(serverProcessId);
  const own = process.cpuUsage(ownStart);
  const elapsedMs = performance.now() - startMs;
  return (requests) => ({
    ...(serverStart === undefined || serverEnd === undefined || requests === 0
      ? {}
      : { subjectCpuMicroseconds: (serverEnd - serverStart) / requests }),
    generatorCpuShare: (own.user + own.system) / 1000 / elapsedMs,
  });
}

async function until(timeMs: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, Math.max(0, timeMs - performance.now())));
}
