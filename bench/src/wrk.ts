import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { BenchError } from './bench-error.ts';
import { cpuMicroseconds } from './process-cpu.ts';
import type { RunFigures } from './run-figures.ts';

/*
 * wrk as the load client: a closed loop written in C. The client of load-client.ts uses as much CPU per request as an empty
 * server. On few cores it therefore limits fast servers, and their ratios look too good.
 */

const script = fileURLToPath(new URL('./wrk-script.lua', import.meta.url));
const run = promisify(execFile);

/** Whether wrk is installed. */
export function isWrkInstalled(): boolean {
  // Without arguments it prints its usage and exits with 1.
  return spawnSync('wrk', [], { stdio: 'ignore' }).error === undefined;
}

/** wrk measures whole seconds. */
export function canWrkMeasure(durationMs: number): boolean {
  return durationMs >= 1000 && durationMs % 1000 === 0;
}

/** The requests of a ring, in files that wrk reads. */
export class WrkRing {
  readonly #directory = mkdtempSync(join(tmpdir(), 'singlet-wrk-'));
  readonly #requests = join(this.#directory, 'requests');
  readonly #lengths = join(this.#directory, 'lengths');
  readonly #count: number;

  constructor(requests: readonly Buffer[]) {
    this.#count = requests.length;
    writeFileSync(this.#requests, Buffer.concat(requests));
    writeFileSync(this.#lengths, requests.map(({ length }) => `${length}\n`).join(''));
  }

  /** @returns wrk's arguments after `--`. */
  argumentsFrom(firstRequest: number): readonly string[] {
    return [this.#requests, this.#lengths, String(firstRequest % this.#count)];
  }

  remove(): void {
    rmSync(this.#directory, { recursive: true, force: true });
  }
}

export interface WrkRun {
  readonly port: number;
  readonly serverProcessId: number;
  readonly concurrency: number;
  /** Whole seconds. */
  readonly durationMs: number;
  readonly ring: WrkRing;
  readonly firstRequest: number;
}

/** The output of the script. Times in microseconds. */
interface WrkFigures {
  readonly requests: number;
  readonly microseconds: number;
  readonly p50: number;
  readonly p99: number;
  /** Answers whose status was not a success. */
  readonly status: number;
  readonly broken: number;
  readonly cpuSeconds: number;
}

/**
 * One run without a warm-up.
 *
 * @throws {BenchError} `connection` when connections broke; `process` when wrk failed.
 */
export async function driveWithWrk(options: WrkRun): Promise<RunFigures> {
  const { port, serverProcessId, concurrency, durationMs, ring, firstRequest } = options;
  const cpuStart = cpuMicroseconds(serverProcessId);
  const load = ['-t', '1', '-c', String(concurrency), '-d', `${durationMs / 1000}s`, '-s', script];
  const figures = await wrkFigures([...load, `http://127.0.0.1:${port}/`, '--', ...ring.argumentsFrom(firstRequest)]);
  const cpuEnd = cpuMicroseconds(serverProcessId);
  const { requests, microseconds, status, broken, cpuSeconds } = figures;
  if (broken > 0) throw new BenchError('connection', `${broken} requests of wrk were not answered.`);
  if (requests === 0) throw new BenchError('connection', 'No request of wrk was answered.');
  return {
    requests,
    errors: status,
    ...(status === 0 ? {} : { firstError: 'wrk counted answers that are no success, and keeps none' }),
    seconds: microseconds / 1e6,
    requestsPerSecond: (requests / microseconds) * 1e6,
    p50Ms: figures.p50 / 1000,
    p99Ms: figures.p99 / 1000,
    ...(cpuStart === undefined || cpuEnd === undefined
      ? {}
      : { subjectCpuMicroseconds: (cpuEnd - cpuStart) / requests }),
    generatorCpuMicroseconds: (cpuSeconds * 1e6) / requests,
    generatorCpuShare: (cpuSeconds * 1e6) / microseconds,
  };
}

async function wrkFigures(args: readonly string[]): Promise<WrkFigures> {
  try {
    const { stdout } = await run('wrk', args, { encoding: 'utf8' });
    const line = stdout.split('\n').find((each) => each.startsWith('{'));
    if (line === undefined) throw new BenchError('process', `wrk printed no figures: ${stdout.slice(-500)}`);
    return JSON.parse(line) as WrkFigures;
  } catch (error) {
    if (error instanceof BenchError) throw error;
    throw new BenchError('process', `wrk failed: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}
