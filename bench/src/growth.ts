import { createReadStream, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { itemSizeBytes } from '../../packages/singlet/src/values/item-size.ts';
import type { AttributeMap } from '../../packages/singlet/src/values/attribute-value.ts';
import { allocatedBytes } from './allocated-bytes.ts';
import { BenchError } from './bench-error.ts';
import { Worker } from './child-processes.ts';
import { InProcessHost } from './in-process-subject.ts';
import type { CallMode } from './in-process-target.ts';
import type { LoadCalls } from './load-process.ts';
import type { BenchCase } from './plan.ts';
import type { MemoryUse } from './process-cpu.ts';
import type { Progress } from './progress.ts';
import type { Problem } from './measurement.ts';
import type { RunFigures, Timing } from './run-figures.ts';
import type { ScenarioName } from './scenarios.ts';
import { ServerSubject } from './server-subject.ts';
import { singletCommand } from './servers.ts';
import { itemOf, type TableSpec } from './workload.ts';

export const growthScenarios = ['get', 'query', 'put'] as const satisfies ScenarioName[];
export type GrowthScenario = (typeof growthScenarios)[number];

/** How requests reach the growing tables. */
export const growthModes = {
  lmdb: 'LMDB alone, one at a time',
  'in-process': 'in process, one at a time',
  'http-1': 'over HTTP, 1 connection',
  'http-32': 'over HTTP, 32 connections',
} as const;
export type GrowthMode = keyof typeof growthModes;

export interface GrowthSeries {
  readonly mode: GrowthMode;
  readonly scenario: GrowthScenario;
  /** One entry per round. */
  readonly rounds: readonly RunFigures[];
}

export interface GrowthSize {
  readonly itemCount: number;
  /** Loading in process, in batches of 25. */
  readonly loadSeconds: number;
  readonly diskBytes: number;
  /** The size of the items as DynamoDB counts it, without indexes. */
  readonly countedBytes: number;
  /** Memory of a server on the table, after all requests to it. */
  readonly memory?: MemoryUse;
  readonly series: readonly GrowthSeries[];
}

export type GrowthResult = readonly GrowthSize[];

const itemBytes = 1024;
const httpConcurrency = { 'http-1': 1, 'http-32': 32 } as const;

/** 10,000 and its multiples by powers of ten, up to the largest. */
export function growthSizes(itemsMax: number): number[] {
  const sizes: number[] = [];
  for (let size = 10_000; size <= itemsMax; size *= 10) sizes.push(size);
  return sizes;
}

interface GrowthOptions {
  readonly directory: string;
  readonly itemsMax: number;
  readonly rounds: number;
  /** The maximum number of requests of each kind that are made in advance. */
  readonly ringCountMax: number;
  readonly timing: Omit<Timing, 'concurrency'>;
  readonly progress: Progress;
  readonly problems: Problem[];
}

/**
 * Fills one database per size, then sends requests to each in turn. First in process, one request at a time: the table's size affects
 * the time of a request, and a queue or a socket would hide that. Then over HTTP, as an application sees it. A table
 * larger than the machine's memory is measured together with the disk that holds it.
 */
export async function measureGrowth(options: GrowthOptions): Promise<GrowthResult> {
  const { directory, progress, problems } = options;
  const tables: GrowingTable[] = [];
  try {
    for (const itemCount of growthSizes(options.itemsMax)) {
      tables.push(new GrowingTable(itemCount, directory, (text) => progress.step(`growth: ${text}`)));
    }
    // One after the other, so that they do not compete for the page cache.
    for (const table of tables) await table.fillLmdb();
    await eachInTurn(tables, options, ['lmdb']);
    for (const table of tables) await table.removeLmdb();
    for (const table of tables) await table.fill();
    await eachInTurn(tables, options, ['in-process']);
    for (const table of tables) await table.serve();
    await eachInTurn(tables, options, ['http-1', 'http-32']);
    for (const table of tables) table.noteMemory();
  } catch (error) {
    if (!(error instanceof BenchError)) throw error;
    problems.push({ what: 'growth', reason: error.message });
    return [];
  } finally {
    for (const table of tables) await table.stop();
  }
  return tables.map((table) => table.result());
}

const readBytes = 4 * 1024 * 1024;

async function readThrough(file: string): Promise<void> {
  const chunks = createReadStream(file, { highWaterMark: readBytes });
  for await (const chunk of chunks) void chunk;
}

async function eachInTurn(
  tables: readonly GrowingTable[],
  { rounds, ringCountMax, timing, progress }: GrowthOptions,
  modes: readonly GrowthMode[],
): Promise<void> {
  for (const mode of modes) {
    for (const scenario of growthScenarios) {
      for (const table of tables) await table.readFiles();
      for (let round = 0; round < rounds; round += 1) {
        for (const table of tables) {
          progress.step(`growth: ${scenario}, ${growthModes[mode]}, ${table.spec.itemCount} items, round ${round + 1}`);
          await table.run({ mode, scenario, ringCountMax }, timing, round);
        }
      }
      for (const table of tables) await table.forget();
    }
  }
}

class GrowingTable {
  readonly spec: TableSpec;
  readonly #directory: string;
  readonly #lmdbDirectory: string;
  readonly #host: InProcessHost;
  readonly #lmdb: InProcessHost;
  readonly #generator: Worker<LoadCalls>;
  readonly #server: ServerSubject;
  readonly #series = new Map<string, GrowthSeries & { readonly rounds: RunFigures[] }>();
  #loadSeconds = 0;
  #diskBytes = 0;
  #memory: MemoryUse | undefined;

  constructor(itemCount: number, parent: string, onProgress: (text: string) => void) {
    this.spec = { name: 'Bench', itemCount, itemBytes, indexCount: 0, stream: false };
    const place = (name: string): string => {
      const directory = join(parent, `growth-${name}-${itemCount}`);
      mkdirSync(directory);
      return directory;
    };
    this.#directory = place('singlet');
    this.#lmdbDirectory = place('lmdb');
    this.#host = new InProcessHost({ kind: 'singlet', directory: this.#directory }, onProgress);
    this.#lmdb = new InProcessHost({ kind: 'lmdb', directory: this.#lmdbDirectory }, onProgress);
    this.#generator = new Worker<LoadCalls>('./load-process.ts');
    this.#server = new ServerSubject({
      id: 'singlet-disk',
      title: `Singlet, ${itemCount} items`,
      generator: this.#generator,
      client: 'node',
      isFilled: true,
      command: async () => await singletCommand({ directory: this.#directory }),
    });
  }

  async fillLmdb(): Promise<void> {
    await this.#lmdb.open();
    await this.#lmdb.fillTable(this.spec);
  }

  async removeLmdb(): Promise<void> {
    await this.#lmdb.stop();
    rmSync(this.#lmdbDirectory, { recursive: true });
  }

  async fill(): Promise<void> {
    await this.#host.open();
    this.#loadSeconds = await this.#host.fillTable(this.spec);
    this.#diskBytes = allocatedBytes(this.#directory);
  }

  /** Closes the in-process database, and serves the same data. */
  async serve(): Promise<void> {
    await this.#host.stop();
    await this.#server.start();
  }

  /**
   * Reads all files once, so that as many of their pages as fit are in memory. This measures the size of the table, not which pages the
   * system happened to evict in the meantime.
   */
  async readFiles(): Promise<void> {
    for (const directory of [this.#lmdbDirectory, this.#directory].filter((path) => existsSync(path))) {
      for (const entry of readdirSync(directory, { withFileTypes: true, recursive: true })) {
        if (entry.isFile()) await readThrough(join(entry.parentPath, entry.name));
      }
    }
  }

  async run(
    {
      mode,
      scenario,
      ringCountMax,
    }: { readonly mode: GrowthMode; readonly scenario: GrowthScenario; readonly ringCountMax: number },
    timing: Omit<Timing, 'concurrency'>,
    round: number,
  ): Promise<void> {
    const name = `${mode} ${scenario}`;
    const series = this.#series.get(name) ?? { mode, scenario, rounds: [] };
    this.#series.set(name, series);
    const ring = { scenario, table: this.spec, countMax: ringCountMax };
    // The rounds start at different positions of the ring of requests.
    const firstRequest = round * 33_331;
    if (mode === 'lmdb' || mode === 'in-process') {
      const callMode: CallMode = mode === 'lmdb' ? { kind: 'engine' } : { kind: 'request' };
      const { worker } = mode === 'lmdb' ? this.#lmdb : this.#host;
      const fault = round === 0 ? await worker.call('check', { ring, mode: callMode }) : null;
      if (fault !== null) throw new BenchError('wrong-answer', `${this.spec.itemCount} items: ${scenario}: ${fault}`);
      series.rounds.push(await worker.call('run', { ring, mode: callMode, ...timing, concurrency: 1, firstRequest }));
    } else {
      const concurrency = httpConcurrency[mode];
      const benchCase: BenchCase = { id: 'growth', title: '', ring, concurrency };
      if (round === 0) await this.#server.prepare(benchCase);
      series.rounds.push(await this.#server.run(benchCase, { ...timing, concurrency }, firstRequest));
    }
    const failed = series.rounds.find(({ errors }) => errors > 0);
    if (failed !== undefined) {
      throw new BenchError('wrong-answer', `${this.spec.itemCount} items: ${scenario}: ${failed.firstError ?? ''}`);
    }
  }

  noteMemory(): void {
    this.#memory = this.#server.memory();
  }

  result(): GrowthSize {
    const { itemCount } = this.spec;
    // Items differ by a byte or two, so a sample gives the mean. `itemOf` returns items in wire format, which the cast asserts.
    const sample = Array.from({ length: 1000 }, (_, index) => itemSizeBytes(itemOf(this.spec, index) as AttributeMap));
    return {
      itemCount,
      loadSeconds: this.#loadSeconds,
      diskBytes: this.#diskBytes,
      countedBytes: (itemCount * sample.reduce((sum, bytes) => sum + bytes, 0)) / sample.length,
      ...(this.#memory === undefined ? {} : { memory: this.#memory }),
      series: [...this.#series.values()],
    };
  }

  /** Releases the requests made so far, in all processes. */
  async forget(): Promise<void> {
    await this.#server.release();
    await this.#host.forget();
    await this.#lmdb.forget();
  }

  async stop(): Promise<void> {
    await this.#lmdb.stop();
    await this.#host.stop();
    await this.#server.stop();
    await this.#generator.stop();
  }
}
