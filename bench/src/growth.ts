import { mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { BenchError } from './bench-error.ts';
import { Worker } from './child-processes.ts';
import type { InProcessCalls } from './in-process.ts';
import type { Progress } from './progress.ts';
import type { Problem } from './results.ts';
import type { RunFigures, Timing } from './run-figures.ts';
import type { ScenarioName } from './scenarios.ts';

export const growthScenarios = ['get', 'put', 'query'] as const satisfies ScenarioName[];
export type GrowthScenario = (typeof growthScenarios)[number];

export interface GrowthSize {
  readonly itemCount: number;
  readonly loadSeconds: number;
  readonly diskBytes: number;
  /** One request at a time, in process, on data on disk; one entry per round. */
  readonly rounds: Readonly<Record<GrowthScenario, readonly RunFigures[]>>;
}

export type GrowthResult = readonly GrowthSize[];

/** 10,000 and its multiples by ten, up to the largest. */
export function growthSizes(itemsMax: number): number[] {
  const sizes: number[] = [];
  for (let size = 10_000; size <= itemsMax; size *= 10) sizes.push(size);
  return sizes;
}

/**
 * Fills one database per size, in process and in batches, then asks each in turn. One request at a time: what grows with
 * the table is the time of a request, and a queue or a socket before it would hide that.
 */
export async function measureGrowth(options: {
  readonly directory: string;
  readonly itemsMax: number;
  readonly rounds: number;
  readonly timing: Omit<Timing, 'concurrency'>;
  readonly progress: Progress;
  readonly problems: Problem[];
}): Promise<GrowthResult> {
  const databases: GrowingDatabase[] = [];
  try {
    for (const itemCount of growthSizes(options.itemsMax)) {
      databases.push(await GrowingDatabase.fill(itemCount, options));
    }
    for (const scenario of growthScenarios) {
      for (let round = 0; round < options.rounds; round += 1) {
        for (const database of databases) {
          options.progress.step(`growth: ${scenario} of ${database.itemCount} items, round ${round + 1}`);
          await database.run(scenario, options.timing, round);
        }
      }
    }
  } catch (error) {
    if (!(error instanceof BenchError)) throw error;
    options.problems.push({ what: 'growth', reason: error.message });
  } finally {
    for (const database of databases) await database.stop();
  }
  return databases.filter((database) => database.complete(options.rounds)).map((database) => database.result());
}

class GrowingDatabase {
  readonly itemCount: number;
  readonly #worker: Worker<InProcessCalls>;
  readonly #loadSeconds: number;
  readonly #diskBytes: number;
  readonly #rounds: Record<GrowthScenario, RunFigures[]> = { get: [], put: [], query: [] };

  private constructor(worker: Worker<InProcessCalls>, loaded: Omit<GrowthSize, 'rounds'>) {
    this.#worker = worker;
    this.itemCount = loaded.itemCount;
    this.#loadSeconds = loaded.loadSeconds;
    this.#diskBytes = loaded.diskBytes;
  }

  static async fill(
    itemCount: number,
    options: { readonly directory: string; readonly progress: Progress },
  ): Promise<GrowingDatabase> {
    const directory = join(options.directory, `growth-${itemCount}`);
    mkdirSync(directory);
    const worker = new Worker<InProcessCalls>('./in-process.ts', (text) => options.progress.step(`growth: ${text}`));
    try {
      await worker.call('open', { kind: 'singlet', directory });
      const startMs = performance.now();
      await worker.call('load', { itemCount });
      const loadSeconds = (performance.now() - startMs) / 1000;
      return new GrowingDatabase(worker, { itemCount, loadSeconds, diskBytes: allocatedBytes(directory) });
    } catch (error) {
      await worker.stop();
      throw error;
    }
  }

  async run(scenario: GrowthScenario, timing: Omit<Timing, 'concurrency'>, round: number): Promise<void> {
    const prepared = { scenario, mode: { kind: 'request' }, itemCount: this.itemCount } as const;
    if (round === 0) {
      const fault = await this.#worker.call('check', prepared);
      if (fault !== null) throw new BenchError('wrong-answer', `${this.itemCount} items: ${scenario}: ${fault}`);
    }
    // The rounds start at different places of the ring of requests.
    const firstRequest = round * 33_331;
    this.#rounds[scenario].push(
      await this.#worker.call('run', { ...prepared, ...timing, concurrency: 1, firstRequest }),
    );
  }

  complete(rounds: number): boolean {
    return growthScenarios.every((scenario) => this.#rounds[scenario].length === rounds);
  }

  result(): GrowthSize {
    return {
      itemCount: this.itemCount,
      loadSeconds: this.#loadSeconds,
      diskBytes: this.#diskBytes,
      rounds: this.#rounds,
    };
  }

  async stop(): Promise<void> {
    await this.#worker.call('close', null);
    await this.#worker.stop();
  }
}

/** Disk space that the files of a directory take up; a file with holes counts what is allocated. */
function allocatedBytes(directory: string): number {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).blocks * 512, 0);
}
