import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { BenchError } from './bench-error.ts';
import { Worker } from './child-processes.ts';
import type { LoadCalls } from './load-process.ts';
import type { BenchCase } from './plan.ts';
import type { Progress } from './progress.ts';
import type { Problem } from './measurement.ts';
import type { RunFigures, Timing } from './run-figures.ts';
import { ringCountMax } from './requests.ts';
import { ServerSubject } from './server-subject.ts';
import { singletCommand } from './servers.ts';
import { type WireObject, wholePartitions } from './workload.ts';

/** How a running index backfill affects requests that read the same table. */
export interface BackfillResult {
  readonly itemCount: number;
  /** GetItem while no backfill runs, one entry per round. */
  readonly usual: readonly RunFigures[];
  /** GetItem during the backfill, as many runs as fit. */
  readonly during: readonly RunFigures[];
  /** How long the backfill took under this load. */
  readonly backfillSeconds: readonly number[];
}

/** A run that outlasts the backfill is discarded. Short runs lose little. */
const runMs = 500;
const pollMs = 20;
const indexName = 'ByStatus';
const tableName = 'Bench';

/**
 * Reads a table over HTTP, alternating between no backfill and a running one. Each round removes its index, so that the
 * next round fills it again.
 */
export async function measureBackfill(options: {
  readonly directory: string;
  readonly itemCount: number;
  readonly rounds: number;
  readonly timing: Timing;
  readonly progress: Progress;
  readonly problems: Problem[];
}): Promise<BackfillResult | undefined> {
  const { rounds, timing, progress } = options;
  const itemCount = wholePartitions(options.itemCount);
  const table = { name: tableName, itemCount, itemBytes: 1024, indexCount: 0, stream: false };
  const ring = { scenario: 'get', table, countMax: ringCountMax } as const;
  const benchCase: BenchCase = { id: 'backfill', title: '', ring, concurrency: timing.concurrency };
  const generator = new Worker<LoadCalls>('./load-process.ts');
  const directory = join(options.directory, 'backfill');
  mkdirSync(directory);
  const subject = new ServerSubject({
    id: 'singlet-disk',
    title: 'Singlet, disk (synced)',
    generator,
    client: 'node',
    command: async () => await singletCommand({ directory }),
  });
  const result = { itemCount, usual: [] as RunFigures[], during: [] as RunFigures[], backfillSeconds: [] as number[] };
  try {
    progress.step('backfill: filling the table');
    await subject.start();
    await subject.fillTable(table);
    await subject.prepare(benchCase);
    for (let round = 0; round < rounds; round += 1) {
      progress.step(`backfill: round ${round + 1} of ${rounds}, without`);
      result.usual.push(await subject.run(benchCase, timing, round * 33_331));
      progress.step(`backfill: round ${round + 1} of ${rounds}, with an index being filled`);
      const startMs = performance.now();
      await update(subject, { Create: indexDefinition });
      const runs = await runsUntil(
        async (runsSoFar) =>
          await subject.run(benchCase, { ...timing, warmUpMs: 0, durationMs: runMs }, runsSoFar * 7_919),
        async () => ((await indexStatus(subject)) === 'ACTIVE' ? 'over' : 'going on'),
      );
      if (runs.length === 0) {
        throw new BenchError('usage', `Filling an index of ${itemCount} items is over too soon: ask for more --items.`);
      }
      result.backfillSeconds.push((performance.now() - startMs) / 1000);
      result.during.push(...runs);
      await update(subject, { Delete: { IndexName: indexName } });
      while ((await indexStatus(subject)) !== undefined) await pause();
    }
    return result;
  } catch (error) {
    if (!(error instanceof BenchError)) throw error;
    options.problems.push({ what: 'backfill', reason: error.message });
    return undefined;
  } finally {
    await subject.stop();
    await generator.stop();
  }
}

const indexDefinition = {
  IndexName: indexName,
  KeySchema: [
    { AttributeName: 'Status', KeyType: 'HASH' },
    { AttributeName: 'SK', KeyType: 'RANGE' },
  ],
  Projection: { ProjectionType: 'ALL' },
};

/** Repeats runs until the work has ended. The run during which it ended does not count. */
async function runsUntil(
  oneRun: (runsSoFar: number) => Promise<RunFigures>,
  state: () => Promise<'over' | 'going on'>,
): Promise<RunFigures[]> {
  const runs: RunFigures[] = [];
  for (;;) {
    const run = await oneRun(runs.length);
    if ((await state()) === 'over') return runs;
    runs.push(run);
  }
}

async function update(subject: ServerSubject, change: WireObject): Promise<void> {
  await subject.request({
    action: 'UpdateTable',
    input: {
      TableName: tableName,
      AttributeDefinitions: ['PK', 'SK', 'Status'].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
      GlobalSecondaryIndexUpdates: [change],
    },
  });
}

/** @returns undefined once the index is gone. */
async function indexStatus(subject: ServerSubject): Promise<string | undefined> {
  const { Table } = (await subject.request({ action: 'DescribeTable', input: { TableName: tableName } })) as {
    readonly Table: {
      readonly GlobalSecondaryIndexes?: readonly { readonly IndexName: string; readonly IndexStatus: string }[];
    };
  };
  return Table.GlobalSecondaryIndexes?.find((index) => index.IndexName === indexName)?.IndexStatus;
}

async function pause(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, pollMs));
}
