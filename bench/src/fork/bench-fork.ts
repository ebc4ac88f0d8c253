import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createDatabase, type Database } from 'singlet';
import { BenchError } from '../bench-error.ts';
import { percentile } from '../statistics.ts';
import { textTable } from '../text-table.ts';

const help = `How long a test waits for its own copy of a seeded database.

  npm run bench -- fork [options]

  --items NUMBERS  items of 500 bytes in the seeded database, separated by commas (default 1000,100000)
  --forks N        forks of each, one after another; at least 10 (default 1000)
  --help           this text

Each fork reads an item, writes one and is closed again, as a test would do with it.
`;

interface Figures {
  /** Milliseconds of each, ascending. */
  readonly fork: readonly number[];
  /** Of the first read and the first write in a fork, together. */
  readonly firstRequests: readonly number[];
}

/** `npm run bench -- fork`. @returns the exit code. */
export async function benchFork(argv: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      items: { type: 'string', default: '1000,100000' },
      forks: { type: 'string', default: '1000' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(help);
    return 0;
  }
  const counts = values.items.split(',').map(Number);
  const forks = Number(values.forks);
  if (!counts.every((count) => Number.isInteger(count) && count >= 1)) {
    throw new BenchError('usage', '--items takes whole numbers, separated by commas');
  }
  if (!(Number.isInteger(forks) && forks >= 10)) throw new BenchError('usage', '--forks takes a whole number from 10');
  const rows: string[][] = [];
  for (const itemCount of counts) {
    for (const where of ['memory', 'a directory'] as const) {
      const { fork, firstRequests } = await figuresOf(where, itemCount, forks);
      const of = (figures: readonly number[], fraction: number): string => percentile(figures, fraction).toFixed(2);
      rows.push([
        `${itemCount.toLocaleString('en')} items in ${where}`,
        of(fork, 0.5),
        of(fork, 0.99),
        of(firstRequests, 0.5),
        of(firstRequests, 0.99),
      ]);
    }
  }
  const header = ['ms', 'fork p50', 'p99', 'first GetItem and PutItem p50', 'p99'];
  process.stdout.write(`${textTable(header, rows)}\n`);
  return 0;
}

async function figuresOf(where: 'memory' | 'a directory', itemCount: number, forks: number): Promise<Figures> {
  const directory = mkdtempSync(join(tmpdir(), 'singlet-bench-fork-'));
  const seeded = await createDatabase(where === 'memory' ? {} : { directory: join(directory, 'data') });
  try {
    await fill(seeded, itemCount);
    const fork: number[] = [];
    const firstRequests: number[] = [];
    for (let n = 0; n < forks; n += 1) {
      const startedMs = performance.now();
      const forked = await seeded.fork();
      const forkedMs = performance.now();
      await forked.request('GetItem', { TableName: table, Key: { pk: { S: `item ${n % itemCount}` } } });
      await forked.request('PutItem', { TableName: table, Item: { pk: { S: 'of this fork' } } });
      firstRequests.push(performance.now() - forkedMs);
      fork.push(forkedMs - startedMs);
      await forked.close();
    }
    const ascending = (figures: readonly number[]): number[] => figures.toSorted((a, b) => a - b);
    return { fork: ascending(fork), firstRequests: ascending(firstRequests) };
  } finally {
    await seeded.close();
    rmSync(directory, { recursive: true });
  }
}

const table = 'Items';
const batchItems = 25;

async function fill(database: Database, itemCount: number): Promise<void> {
  await database.request('CreateTable', {
    TableName: table,
    AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
    BillingMode: 'PAY_PER_REQUEST',
  });
  const text = { S: 'x'.repeat(480) };
  for (let from = 0; from < itemCount; from += batchItems) {
    const length = Math.min(batchItems, itemCount - from);
    const puts = Array.from({ length }, (_, n) => ({ PutRequest: { Item: { pk: { S: `item ${from + n}` }, text } } }));
    await database.request('BatchWriteItem', { RequestItems: { [table]: puts } });
  }
}
