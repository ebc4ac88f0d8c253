import { execFile } from 'node:child_process';
import { createWriteStream, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { BenchError } from './bench-error.ts';
import { Worker } from './child-processes.ts';
import { InProcessHost } from './in-process-subject.ts';
import type { LoadCalls } from './load-process.ts';
import type { Progress } from './progress.ts';
import type { Problem } from './measurement.ts';
import { attempt, rotated } from './rounds.ts';
import { ServerSubject, type ServerSubjectOptions } from './server-subject.ts';
import { dynaliteCommand, dynoxideCommand, singletCommand, singletProgram } from './servers.ts';
import { createTableRequest, itemOf, type TableSpec, wholePartitions } from './workload.ts';

/** How fast a table is filled, in one of several ways. */
export interface LoadWay {
  readonly title: string;
  /** One per round. */
  readonly itemsPerSecond: readonly number[];
}

export interface LoadResult {
  readonly itemCount: number;
  readonly ways: readonly LoadWay[];
}

/** A way to fill a table. Each round uses a new table. */
interface Way {
  readonly title: string;
  /** How long it takes to fill the table. */
  readonly seconds: (table: TableSpec) => Promise<number>;
}

const roundsMax = 3;
const importFiles = 4;
const importPollMs = 20;
const importPatienceMs = 600_000;
const bucket = 'bench';

/** Fills new tables in turn: over HTTP from 32 connections, by each bulk method, and in the storage engine alone. */
export async function measureLoad(options: {
  readonly directory: string;
  readonly itemCount: number;
  readonly rounds: number;
  readonly progress: Progress;
  readonly problems: Problem[];
}): Promise<LoadResult> {
  const { progress, problems } = options;
  const itemCount = wholePartitions(options.itemCount);
  const place = (name: string): string => {
    const directory = join(options.directory, `load-${name}`);
    mkdirSync(directory, { recursive: true });
    return directory;
  };
  const tableOf = (round: number): TableSpec => ({
    name: `Load-${round}`,
    itemCount,
    itemBytes: 1024,
    indexCount: 0,
    stream: false,
  });
  const onProgress = (text: string): void => progress.step(`load: ${text}`);
  const generator = new Worker<LoadCalls>('./load-process.ts');
  const server = (title: string, id: ServerSubjectOptions['id'], command: ServerSubjectOptions['command']) =>
    new ServerSubject({ id, title, generator, client: 'node', command });
  const singlet = server(
    'Singlet, disk (synced)',
    'singlet-disk',
    async () => await singletCommand({ directory: place('singlet'), buckets: place('buckets') }),
  );
  const servers = [
    server('dynalite, memory', 'dynalite-memory', async () => await dynaliteCommand()),
    server('dynalite, disk (not synced)', 'dynalite-disk', async () => await dynaliteCommand(place('dynalite'))),
    server('dynoxide, memory', 'dynoxide-memory', async () => await dynoxideCommand()),
    server('dynoxide, disk (synced)', 'dynoxide-disk', async () => await dynoxideCommand(place('dynoxide'))),
    server('Singlet, memory', 'singlet-memory', async () => await singletCommand()),
    singlet,
  ];
  const lmdb = new InProcessHost({ kind: 'lmdb', directory: place('lmdb') }, onProgress);
  const database = new InProcessHost({ kind: 'singlet', directory: place('in-process') }, onProgress);
  const ways = new Map<Way, number[]>();
  try {
    progress.step('load: writing the files of the imports');
    await writeFiles(join(place('buckets'), bucket), tableOf(0));
    for (const each of servers) {
      const title = `${each.title}, over HTTP`;
      const started = await attempt(problems, `load: ${each.title}`, async () => await each.start());
      if (!started) continue;
      const seconds = async (table: TableSpec): Promise<number> => {
        await each.createTable(table);
        return await each.load(table, { ahead: true });
      };
      ways.set({ title, seconds }, []);
    }
    for (const [title, host] of [
      ['Singlet, disk, in process', database],
      ['LMDB alone, in bulk', lmdb],
    ] as const) {
      const opened = await attempt(problems, `load: ${title}`, async () => await host.open());
      if (opened) ways.set({ title, seconds: async (table) => await host.fillTable(table) }, []);
    }
    ways.set(
      {
        title: 'Singlet, disk, `singlet import`',
        seconds: async (table) => await importByCommand(singlet, table, join(place('buckets'), bucket)),
      },
      [],
    );
    ways.set(
      { title: 'Singlet, disk, ImportTable', seconds: async (table) => await importByAction(singlet, table) },
      [],
    );

    const rounds = Math.min(options.rounds, roundsMax);
    for (let round = 0; round < rounds; round += 1) {
      for (const [way, rates] of rotated([...ways], round)) {
        progress.step(`load: ${way.title}, round ${round + 1} of ${rounds}`);
        const done = await attempt(problems, `load: ${way.title}`, async () => {
          // ImportTable creates its table itself, in addition to the command's table.
          rates.push(
            itemCount /
              (await way.seconds({ ...tableOf(round), name: `Load-${round}-${[...ways.keys()].indexOf(way)}` })),
          );
        });
        if (!done) ways.delete(way);
      }
    }
  } finally {
    await Promise.all(servers.map(async (each) => await each.stop()));
    await Promise.all([lmdb.stop(), database.stop()]);
    await generator.stop();
  }
  return { itemCount, ways: [...ways].map(([{ title }, itemsPerSecond]) => ({ title, itemsPerSecond })) };
}

/** DynamoDB JSON, as in exports. */
async function writeFiles(directory: string, table: TableSpec): Promise<void> {
  mkdirSync(directory, { recursive: true });
  const perFile = Math.ceil(table.itemCount / importFiles);
  for (let file = 0; file < importFiles; file += 1) {
    const lines = function* (): Generator<string> {
      const end = Math.min(table.itemCount, (file + 1) * perFile);
      for (let index = file * perFile; index < end; index += 1) {
        yield `${JSON.stringify({ Item: itemOf(table, index) })}\n`;
      }
    };
    await pipeline(Readable.from(lines()), createWriteStream(join(directory, `items-${file}.json`)));
  }
}

async function importByCommand(server: ServerSubject, table: TableSpec, directory: string): Promise<number> {
  await server.createTable(table);
  const endpoint = `http://127.0.0.1:${server.port}`;
  const args = [singletProgram(), 'import', directory, '--table', table.name, '--endpoint', endpoint];
  const checkpoint = ['--checkpoint', `${directory}.checkpoint-${table.name}`];
  const startMs = performance.now();
  try {
    await promisify(execFile)(process.execPath, [...args, ...checkpoint], {
      env: {
        ...process.env,
        AWS_ACCESS_KEY_ID: 'AKIAIOSFODNN7EXAMPLE',
        AWS_SECRET_ACCESS_KEY: 'secret',
        AWS_REGION: 'us-east-1',
      },
    });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new BenchError('process', `singlet import failed: ${reason.slice(-1000)}`, { cause: error });
  }
  return (performance.now() - startMs) / 1000;
}

async function importByAction(server: ServerSubject, table: TableSpec): Promise<number> {
  const startMs = performance.now();
  const begun = await server.request({
    action: 'ImportTable',
    input: {
      ClientToken: table.name,
      S3BucketSource: { S3Bucket: bucket },
      InputFormat: 'DYNAMODB_JSON',
      InputCompressionType: 'NONE',
      TableCreationParameters: createTableRequest(table),
    },
  });
  const { ImportArn } = begun['ImportTableDescription'] as { readonly ImportArn: string };
  for (;;) {
    const told = await server.request({ action: 'DescribeImport', input: { ImportArn } });
    const { ImportStatus } = told['ImportTableDescription'] as { readonly ImportStatus: string };
    if (ImportStatus === 'COMPLETED') return (performance.now() - startMs) / 1000;
    if (ImportStatus !== 'IN_PROGRESS' || performance.now() - startMs > importPatienceMs) {
      throw new BenchError('wrong-answer', `The import is ${ImportStatus}.`);
    }
    await new Promise((resolve) => setTimeout(resolve, importPollMs));
  }
}
