import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BenchError } from '../bench-error.ts';
import { killChildren, Worker } from '../child-processes.ts';
import type { LoadCalls } from '../load-process.ts';
import { wireCallOf } from '../operations.ts';
import type { BenchCase } from '../plan.ts';
import { watchOtherLoad } from '../process-cpu.ts';
import { createProgress, type Progress } from '../progress.ts';
import { httpRequest, operationsOf, type RingSpec } from '../requests.ts';
import { ServerSubject } from '../server-subject.ts';
import { singletCommand } from '../servers.ts';
import { textTable } from '../text-table.ts';
import { wholePartitions } from '../workload.ts';
import type { LatencyHistogram } from './latency-histogram.ts';
import { parseSoakOptions, type SoakOptions, soakHelpText } from './options.ts';
import { PacedLoad } from './paced-load.ts';

const windowCount = 6;
const ratioMax = 1.3;
/** Of the maximum, which is measured first. */
const maximumTiming = { warmUpMs: 3_000, durationMs: 10_000 };
const ringCount = 20_000;
const megabyte = 1024 * 1024;

interface Window {
  readonly latencies: LatencyHistogram;
  readonly memoryBytes: number | undefined;
  readonly diskBytes: number;
}

/** `npm run bench -- soak`. @returns the exit code. */
export async function benchSoak(argv: readonly string[]): Promise<number> {
  const options = parseSoakOptions(argv);
  if (options === 'help') {
    process.stdout.write(soakHelpText);
    return 0;
  }
  const parent = options.directory ?? fileURLToPath(new URL('../../results/', import.meta.url));
  mkdirSync(parent, { recursive: true });
  const directory = mkdtempSync(join(parent, 'soak-'));
  const progress = createProgress();
  const generator = new Worker<LoadCalls>('./load-process.ts');
  const subject = new ServerSubject({
    id: 'singlet-disk',
    title: 'Singlet, disk (synced)',
    generator,
    client: 'node',
    command: async () => await singletCommand({ directory }),
  });
  try {
    process.stdout.write(await soak(options, { subject, directory, progress }));
    return 0;
  } finally {
    await subject.stop();
    await generator.stop();
    killChildren();
    rmSync(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
}

/** @returns the report. */
async function soak(
  { minutes, itemCount, connections, share }: SoakOptions,
  {
    subject,
    directory,
    progress,
  }: { readonly subject: ServerSubject; readonly directory: string; readonly progress: Progress },
): Promise<string> {
  const table = { name: 'Bench', itemCount: wholePartitions(itemCount), itemBytes: 1024, indexCount: 0, stream: false };
  const ring: RingSpec = { scenario: 'mixed', table, countMax: ringCount };
  const benchCase: BenchCase = { id: 'soak', title: '', ring, concurrency: connections };
  progress.step('filling the table');
  await subject.start();
  await subject.fillTable(table);
  await subject.prepare(benchCase);
  progress.step('measuring the maximum');
  const maximum = await subject.run(benchCase, { ...maximumTiming, concurrency: connections }, 0);
  const requestsPerSecond = maximum.requestsPerSecond * share;
  const requests = operationsOf(ring).map((operation) => httpRequest(wireCallOf(operation, table)));
  const otherLoad = watchOtherLoad();
  const load = await PacedLoad.open({ port: subject.port, connections, requestsPerSecond, requests });
  const windows: Window[] = [];
  try {
    for (let at = 0; at < windowCount; at += 1) {
      progress.step(`${Math.round(requestsPerSecond)} requests a second: part ${at + 1} of ${windowCount}`);
      const latencies = await load.run((minutes * 60_000) / windowCount);
      windows.push({ latencies, memoryBytes: subject.memory()?.privateBytes, diskBytes: bytesIn(directory) });
    }
  } finally {
    load.close();
  }
  progress.end();
  if (load.errors > 0) {
    throw new BenchError('wrong-answer', `${load.errors} requests failed, the first with ${load.firstError}`);
  }
  const others = otherLoad();
  const head = `${minutes} minutes at ${Math.round(share * 100)} % of ${Math.round(maximum.requestsPerSecond)} requests a second (80 % GetItem, 20 % PutItem, ${table.itemCount} items, ${connections} connections)`;
  const busy = others === undefined ? '' : `Other processes took ${Math.round(others * 100)} % of the machine.\n`;
  return `${head}\n\n${tableOf(windows)}\n\n${verdictOf(windows)}\n${busy}`;
}

function tableOf(windows: readonly Window[]): string {
  const header = ['part', 'requests', 'p50 ms', 'p99 ms', 'longest ms', 'private MB', 'disk MB'];
  const rows = windows.map(({ latencies, memoryBytes, diskBytes }, at) => [
    `${at + 1} of ${windows.length}`,
    String(latencies.count),
    latencies.percentileMs(0.5).toFixed(2),
    latencies.percentileMs(0.99).toFixed(2),
    latencies.maxMs.toFixed(0),
    memoryBytes === undefined ? '' : (memoryBytes / megabyte).toFixed(0),
    (diskBytes / megabyte).toFixed(0),
  ]);
  return textTable(header, rows);
}

function verdictOf(windows: readonly Window[]): string {
  const p99 = windows.map(({ latencies }) => latencies.percentileMs(0.99));
  const ratio = (p99.at(-1) ?? Number.NaN) / (p99[0] ?? Number.NaN);
  const isMet = ratio <= ratioMax;
  return `p99 of the last part against the first: ${ratio.toFixed(2)}, wanted at most ${ratioMax}: ${isMet ? 'met' : 'missed'}`;
}

function bytesIn(directory: string): number {
  return readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { name }) => sum + statSync(join(directory, name)).size, 0);
}
