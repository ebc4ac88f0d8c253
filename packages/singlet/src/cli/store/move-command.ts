import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { Command, Option } from 'commander';
import { regionOf } from '../endpoint-client.ts';
import { errorOutput } from '../error-output.ts';
import { UsageError } from '../usage-error.ts';
import type { TableDifference } from './move/compare-tables.ts';
import type { MoveStep, TableMove } from './move/move-table.ts';
import type { Place } from './move/place.ts';
import type { PlacedTable } from './move/table-items.ts';

interface MoveFlags {
  readonly from: string;
  readonly to: string;
  readonly table?: readonly string[];
  readonly region?: string;
  readonly segments: number;
  readonly settle: number;
  readonly continue?: boolean;
  readonly cutOver?: string;
  readonly compare?: boolean;
}

const examples = `
A place is the URL of an endpoint, lmdb:DIRECTORY, postgres://HOST/DATABASE?schema=NAME, or aws. A server may serve the directory or the
database meanwhile.

Examples:
  $ singlet store move --from lmdb:./singlet-data --to postgres://db.internal/shop
  $ singlet store move --from http://127.0.0.1:8000 --to aws --region eu-west-1 --table Shop
  $ singlet store move --from http://old:8000 --to http://new:8000 --cut-over ./stop-the-clients.sh
  $ singlet store move --from http://old:8000 --to http://new:8000 --compare

1. Tables are created in the target, with their indexes, streams and tags.
2. All items are copied while clients continue to write to the source, and their changes are followed by the stream of each table.
3. When few changes are left, the clients must be stopped: by the command of --cut-over, which ends when they have stopped, or
   by you; then press Enter. The last changes are followed.
4. Every item is compared, in both directions, and time to live is enabled. Then let the clients use the target.

Not moved: backups, records in streams, resource policies, scaling policies, Kinesis destinations, replicas.
The exit code is 1 if anything differs. The source is not changed, except that a table without a stream has one meanwhile.`;

/** `singlet store move` */
export function moveCommand(): Command {
  return new Command('move')
    .summary('move the tables of a live database to another place')
    .description('Moves tables to another store or endpoint while clients write to them, and compares every item.')
    .helpOption('-h, --help', 'print this help')
    .configureOutput(errorOutput('singlet store move --help'))
    .addOption(new Option('--from <place>', 'where the tables are').makeOptionMandatory())
    .addOption(new Option('--to <place>', 'where to move them').makeOptionMandatory())
    .addOption(new Option('--table <name...>', 'the tables to move; by default all'))
    .addOption(new Option('--region <name>', 'region of the tables').argParser(regionOf()))
    .addOption(
      new Option('--segments <number>', 'parts of a table to read in parallel')
        .default(4)
        .argParser(numberOf('--segments', { least: 1, most: 1000 })),
    )
    .addOption(
      new Option('--settle <seconds>', 'time without changes to wait for, after the clients have stopped')
        .default(5)
        .argParser(numberOf('--settle', { least: 0, most: 3600 })),
    )
    .addOption(
      new Option(
        '--continue',
        'resume an interrupted move: tables may exist in the target, and items that are not in the source are deleted there',
      ),
    )
    .addOption(new Option('--cut-over <command>', 'a shell command that stops the clients'))
    .addOption(new Option('--compare', 'compare only, and change nothing').conflicts(['continue', 'cutOver', 'settle']))
    .addHelpText('after', examples)
    .action(move);
}

async function move(flags: MoveFlags): Promise<void> {
  const { openPlace } = await import('./move/place.ts');
  const { region, compare = false } = flags;
  const source = await openPlace('--from', flags.from, { region, mustExist: true });
  try {
    const target = await openPlace('--to', flags.to, { region, mustExist: compare });
    try {
      await (compare ? compareAll(source, target, flags) : moveAll(source, target, flags));
    } finally {
      await target.close();
    }
  } catch (error) {
    throw asUsageError(error);
  } finally {
    await source.close();
  }
}

interface PreparedTable {
  readonly tableName: string;
  readonly move: TableMove;
  readonly hasNewStream: boolean;
}

async function moveAll(source: Place, target: Place, flags: MoveFlags): Promise<void> {
  const { copyTimeToLive, disableStream } = await import('./move/target-table.ts');
  const names = await tableNames(source, flags);
  await checkTargets(source, target, names, flags);
  const tables: PreparedTable[] = [];
  try {
    for (const name of names) tables.push(await prepared(source, target, name, flags));
    for (const { tableName, move } of tables) {
      await move.copy();
      say(`${tableName}: copied`);
    }
    // The first tables have changed while the last were copied.
    await catchUpAll(tables);
    await cutOver(flags, () => catchUpAll(tables));
    for (const { move } of tables) await move.finish(flags.settle * 1000);
    let isSame = true;
    for (const { tableName, move } of tables) isSame = reported(tableName, await move.compare()) && isSame;
    if (!isSame) throw new UsageError('The target differs. Have all clients stopped? Move again with --continue.');
    for (const { tableName } of tables) await copyTimeToLive(source, target, tableName);
  } finally {
    for (const { tableName, hasNewStream } of tables) if (hasNewStream) await disableStream(source, tableName);
  }
  say(`Moved to ${target.name}: let the clients use it.`);
}

async function catchUpAll(tables: readonly PreparedTable[]): Promise<void> {
  for (const { move } of tables) await move.catchUp();
}

/** Nothing is created before all tables have been checked. */
async function checkTargets(source: Place, target: Place, names: readonly string[], flags: MoveFlags): Promise<void> {
  const { checkSameKeys, tableAt } = await import('./move/target-table.ts');
  for (const name of names) {
    const [table, existing] = [await tableAt(source, name), await tableAt(target, name)];
    if (table === undefined) throw new UsageError(`There is no table ${name} at ${source.name}.`);
    if (existing === undefined) continue;
    if (flags.continue !== true)
      throw new UsageError(`Table ${name} exists at ${target.name}. Use --continue if an earlier move has created it.`);
    checkSameKeys(table, existing);
  }
}

async function prepared(source: Place, target: Place, tableName: string, flags: MoveFlags): Promise<PreparedTable> {
  const { createLike, keyNamesOf, streamOf, tableAt } = await import('./move/target-table.ts');
  const { TableMove: Move } = await import('./move/move-table.ts');
  const table = await tableAt(source, tableName);
  if (table === undefined) throw new UsageError(`There is no table ${tableName} at ${source.name}.`);
  const exists = (await tableAt(target, tableName)) !== undefined;
  if (!exists) await createLike(source, target, table);
  const { streamArn, isNew } = await streamOf(source, table);
  const keyNames = keyNamesOf(table);
  const move = await Move.begin({
    source: { place: source, tableName, keyNames },
    target: { place: target, tableName, keyNames },
    streamArn,
    segments: flags.segments,
    targetHasItems: exists,
    onProgress: progressOf(tableName),
  });
  return { tableName, move, hasNewStream: isNew };
}

async function compareAll(source: Place, target: Place, flags: MoveFlags): Promise<void> {
  const { compareTables } = await import('./move/compare-tables.ts');
  const { checkSameKeys, keyNamesOf, tableAt } = await import('./move/target-table.ts');
  let isSame = true;
  for (const tableName of await tableNames(source, flags)) {
    const [table, other] = [await tableAt(source, tableName), await tableAt(target, tableName)];
    if (table === undefined) throw new UsageError(`There is no table ${tableName} at ${source.name}.`);
    if (other === undefined) throw new UsageError(`There is no table ${tableName} at ${target.name}.`);
    checkSameKeys(table, other);
    const at = (place: Place): PlacedTable => ({ place, tableName, keyNames: keyNamesOf(table) });
    const progress = progressOf(tableName);
    let count = 0;
    const difference = await compareTables(at(source), at(target), flags.segments, (items) =>
      progress('compared', (count += items)),
    );
    isSame = reported(tableName, difference) && isSame;
  }
  if (!isSame) process.exitCode = 1;
}

async function tableNames(source: Place, { table }: MoveFlags): Promise<readonly string[]> {
  const { tableNamesAt } = await import('./move/target-table.ts');
  const names = table ?? (await tableNamesAt(source));
  if (names.length === 0) throw new UsageError(`There are no tables at ${source.name}.`);
  return names;
}

/** Waits until the clients have stopped; changes are followed meanwhile. */
async function cutOver({ cutOver: command }: MoveFlags, follow: () => Promise<void>): Promise<void> {
  const stop = new AbortController();
  const stopped = (command === undefined ? enterPressed() : commandEnded(command)).finally(() => stop.abort());
  const following = (async () => {
    while (!stop.signal.aborted) {
      await follow();
      await Promise.race([stopped.catch(() => undefined), pause()]);
    }
  })();
  await Promise.all([stopped, following]);
}

const followPauseMs = 500;

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, followPauseMs));
}

async function enterPressed(): Promise<void> {
  say('The target has caught up. Stop the clients, and press Enter when they have stopped.');
  const input = createInterface({ input: process.stdin });
  const ended = once(input, 'close').then(() => 'closed' as const);
  const line = once(input, 'line').then(() => 'line' as const);
  const which = await Promise.race([line, ended]);
  input.close();
  if (which === 'closed') {
    throw new UsageError('Nothing was moved over: no line was read. Use --cut-over where there is no terminal.');
  }
}

async function commandEnded(command: string): Promise<void> {
  say(`The target has caught up. Stopping the clients: ${command}`);
  const child = spawn(command, { shell: true, stdio: ['ignore', 'inherit', 'inherit'] });
  const [code, signal] = (await once(child, 'close')) as readonly (number | string | null)[];
  if (code !== 0)
    throw new UsageError(`The command of --cut-over ended with ${signal ?? code}: the clients still use the source.`);
}

/** How many keys of each kind are printed. */
const shownMax = 10;

/** @returns whether the tables are the same. */
function reported(tableName: string, { missing, extra, different, comparedCount, isCut }: TableDifference): boolean {
  const count = missing.length + extra.length + different.length;
  if (count === 0) {
    say(`${tableName}: ${comparedCount.toLocaleString('en')} items are the same in both`);
    return true;
  }
  say(`${tableName}: ${isCut ? 'more than ' : ''}${count.toLocaleString('en')} items differ`);
  for (const [keys, what] of [
    [missing, 'only in the source'],
    [extra, 'only in the target'],
    [different, 'different'],
  ] as const) {
    for (const key of keys.slice(0, shownMax)) say(`  ${what}: ${JSON.stringify(key)}`);
    if (keys.length > shownMax) say(`  ${what}: ${(keys.length - shownMax).toLocaleString('en')} more`);
  }
  return false;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** How often progress is printed, milliseconds. */
const progressMs = 5_000;

function progressOf(tableName: string): (step: MoveStep, count: number) => void {
  let nextMs = performance.now() + progressMs;
  return (step, count) => {
    if (performance.now() < nextMs) return;
    nextMs = performance.now() + progressMs;
    process.stderr.write(`${tableName}: ${count.toLocaleString('en')} items ${step}\n`);
  };
}

/** An error of an endpoint, or of the network, in a sentence. */
function asUsageError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  if ('$metadata' in error || ('code' in error && typeof error.code === 'string' && error.code.startsWith('E'))) {
    return new UsageError(`${error.name}: ${error.message}`, { cause: error });
  }
  return error;
}

function numberOf(flag: string, { least, most }: { readonly least: number; readonly most: number }) {
  return (text: string): number => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= least && value <= most) return value;
    throw new UsageError(`${flag} takes a number from ${least} to ${most}, not ${JSON.stringify(text)}.`);
  };
}
