import { BenchError } from './bench-error.ts';
import { HttpConnection } from './http-connection.ts';
import type { HttpResponse } from './http-response-parser.ts';
import { cpuMicroseconds } from './process-cpu.ts';
import { MeasuredWindow, restingPoint, type RunFigures, type Timing } from './run-figures.ts';

export interface Drive extends Timing {
  readonly port: number;
  /** Sent in order, around the ring, by the next free connection. */
  readonly requests: readonly Buffer[];
  /** The position in the ring to start at, so that rounds do not repeat each other's keys. */
  readonly firstRequest: number;
  /** A run starts and ends at a position in the ring that is a multiple of this. */
  readonly restEvery: number;
  /** What is wrong with the answer (of status 200) to the request at a position of the ring. Called after the run, on a sample. */
  readonly fault: (index: number, body: Buffer) => string | undefined;
  /** The process of the server, to read its CPU time. */
  readonly serverProcessId: number;
}

/** One in this many answers is kept and checked after the run. A prime, so that no pattern in the ring is missed. */
const sampledOneIn = 211;
const samplesMax = 24;

/**
 * A closed loop over HTTP: each connection sends its next request as soon as the last one is answered. Answers that arrive
 * after the warm-up and before the end count. Requests still in flight at the end are awaited, and do not count.
 */
export async function drive(run: Drive): Promise<RunFigures> {
  const opening = Array.from({ length: run.concurrency }, () => HttpConnection.open(run.port, { keepBodies: false }));
  const connections = await Promise.all(opening);
  const samples: { readonly index: number; readonly body: Buffer }[] = [];
  let next = restingPoint(run.firstRequest % run.requests.length, run.restEvery);
  let sent = 0;
  let errors = 0;
  let firstError: string | undefined;
  const window = new MeasuredWindow(performance.now(), run);
  const usage = measureCpu(run.serverProcessId, window);

  const loop = async (connection: HttpConnection): Promise<void> =>
    await new Promise((resolve, reject) => {
      const step = (): void => {
        const index = next;
        const request = run.requests[index];
        if (request === undefined) return reject(new BenchError('usage', 'There are no requests to send.'));
        next = next + 1 === run.requests.length ? 0 : next + 1;
        const isSample = sent++ % sampledOneIn === 0 && samples.length < samplesMax;
        const sentMs = performance.now();
        connection.send(
          request,
          (response) => {
            const nowMs = performance.now();
            if (isSample && response.status === 200) samples.push({ index, body: response.body });
            const when = window.add(nowMs, nowMs - sentMs);
            if (when === 'inside' && response.status !== 200) {
              errors += 1;
              firstError ??= `${response.status} ${response.body.toString()}`;
            }
            if (when !== 'after' || next % run.restEvery !== 0) step();
            else resolve();
          },
          reject,
          isSample,
        );
      };
      step();
    });

  try {
    await Promise.all(connections.map(loop));
    for (const { index, body } of samples) {
      const fault = run.fault(index, body);
      if (fault === undefined) continue;
      errors += 1;
      firstError ??= fault;
    }
    return {
      ...window.figures(),
      errors,
      ...(firstError === undefined ? {} : { firstError }),
      ...(await usage)(window),
    };
  } finally {
    for (const connection of connections) connection.close();
  }
}

/** How often a request is sent when its connection breaks: a server that was busy for seconds closes connections as idle. */
const sendsMax = 3;

/**
 * Sends every request over the given number of connections. If a connection breaks, its request is sent again on another one,
 * so requests must be safe to repeat. `onReply` throws to stop all connections.
 */
export async function sendAll(options: {
  readonly port: number;
  readonly connections: number;
  readonly requests: Iterable<Buffer>;
  readonly onReply: (response: { readonly status: number; readonly body: Buffer }) => void;
}): Promise<void> {
  const requests = options.requests[Symbol.iterator]();
  const failure = new AbortController();
  const open = async (): Promise<HttpConnection> => await HttpConnection.open(options.port, { keepBodies: true });
  const work = async (): Promise<void> => {
    let connection = await open();
    const call = async (request: Buffer): Promise<HttpResponse> => {
      for (let sends = 1; ; sends += 1) {
        try {
          return await connection.call(request);
        } catch (error) {
          if (!(error instanceof BenchError) || sends === sendsMax) throw error;
          connection = await open();
        }
      }
    };
    try {
      for (let next = requests.next(); next.done !== true && !failure.signal.aborted; next = requests.next()) {
        options.onReply(await call(next.value));
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

type CpuFigures = (
  window: MeasuredWindow,
) => Pick<RunFigures, 'subjectCpuMicroseconds' | 'generatorCpuMicroseconds' | 'generatorCpuShare'>;

/** Reads both processes' CPU clocks at the start and at the end of the window. */
async function measureCpu(serverProcessId: number, { startMs, endMs }: MeasuredWindow): Promise<CpuFigures> {
  await until(startMs);
  const serverStart = cpuMicroseconds(serverProcessId);
  const ownStart = process.cpuUsage();
  const readMs = performance.now();
  await until(endMs);
  const serverEnd = cpuMicroseconds(serverProcessId);
  const own = process.cpuUsage(ownStart);
  const elapsedMs = performance.now() - readMs;
  const generatorCpuShare = (own.user + own.system) / 1000 / elapsedMs;
  return (window) => {
    const requestsPerMs = window.figures().requestsPerSecond / 1000;
    if (requestsPerMs === 0) return { generatorCpuShare };
    const perRequest = (microseconds: number): number => microseconds / elapsedMs / requestsPerMs;
    return {
      ...(serverStart === undefined || serverEnd === undefined
        ? {}
        : { subjectCpuMicroseconds: perRequest(serverEnd - serverStart) }),
      generatorCpuMicroseconds: perRequest(own.user + own.system),
      generatorCpuShare,
    };
  };
}

async function until(timeMs: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, Math.max(0, timeMs - performance.now())));
}
