import type { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import type { FollowCount } from '@singlet/model/follow';
import { type Command, Option } from 'commander';
import { counted } from '../../values/counted.ts';
import { endpointConfig } from '../endpoint-client.ts';
import { renamedTable, withClient } from './connection.ts';
import { loadModel } from './load-models.ts';
import { begin, explained, positive, ratesOf, storeFrom, withStore, type WorkFlags } from './migrate-flags.ts';
import { chosenMigration } from './migration-files.ts';
import { refuseUnproven } from './refuse-unproven.ts';

interface FollowFlags extends WorkFlags {
  readonly into: Readonly<Record<string, string>>;
  readonly back?: boolean;
  readonly stay?: boolean;
}

/** `migrate follow`: migrates to new tables, by a copy and the streams. */
export function followCommand(): Command {
  const command = withStore(begin('follow', 'copy into new tables, and keep the copies up to date'))
    .addOption(
      new Option('--write-units <number>', 'maximum write capacity units per second').argParser(
        positive('--write-units'),
      ),
    )
    .option('--stay', 'keep following until Ctrl-C; by default it exits when it has caught up');
  return withSides(command).action(async (path: string, flags: FollowFlags) => {
    const loaded = await loadModel(path, flags.model);
    await refuseUnproven(loaded);
    const migration = await chosenMigration(loaded, flags);
    const { follow } = await import('@singlet/model/follow');
    const stop = new AbortController();
    const onSignal = (): void => stop.abort();
    process.once('SIGINT', onSignal).once('SIGTERM', onSignal);
    try {
      const count = await withBoth(flags, async (clients) =>
        follow(migration, {
          ...clients,
          ...sidesOf(flags),
          ...ratesOf(flags),
          ...storeFrom(flags),
          until: flags.stay === true ? 'stopped' : 'caught-up',
          signal: stop.signal,
          onProgress: (done) => void process.stderr.write(process.stderr.isTTY ? `\r${countText(done)}` : ''),
        }),
      );
      if (process.stderr.isTTY) process.stderr.write('\n');
      process.stdout.write(`${countText(count)}\n${endText(count, path)}\n`);
    } catch (error) {
      throw explained(error, flags);
    } finally {
      process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
    }
  });
}

/** `migrate compare`: compares every item with its copy. */
export function compareCommand(): Command {
  const command = withStore(begin('compare', 'compare every item with its copy in the new tables')).option(
    '--json',
    'print the faults as JSON',
  );
  return withSides(command).action(async (path: string, flags: FollowFlags) => {
    const migration = await chosenMigration(await loadModel(path, flags.model), flags);
    const { compareCopies } = await import('@singlet/model/follow');
    const report = await withClient(flags, async (client) =>
      compareCopies(migration, { client, ...sidesOf(flags), ...ratesOf(flags) }).catch((error: unknown) => {
        throw explained(error, flags);
      }),
    );
    const faults = report.faults.map(
      ({ code, entity, key, message }) =>
        `${code} ${entity} ${Object.values(key).map(String).join(' / ')}: ${message}\n`,
    );
    process.stdout.write(
      flags.json === true
        ? `${JSON.stringify(report, undefined, 2)}\n`
        : `${faults.join('')}${counted(report.scanned, 'item')} compared, ${counted(report.faultCount, 'fault')}\n`,
    );
    if (!report.ok) process.exitCode = 1;
  });
}

function withSides(command: Command): Command {
  return command
    .option('--migration <number>', 'number of the migration; by default the last')
    .addOption(
      new Option('--into <model=name>', 'the new table for a table of the model; may be repeated')
        .default({}, 'the names of the new version')
        .argParser((text: string, before: Readonly<Record<string, string>>) => ({
          ...before,
          ...renamedTable('--into', text),
        })),
    )
    .option(
      '--back',
      'in the other direction: from the new tables to the old ones, to be able to return after the cut-over',
    )
    .addOption(
      new Option('--read-units <number>', 'maximum read capacity units per second').argParser(positive('--read-units')),
    )
    .addOption(
      new Option('--segments <number>', 'parts of a table to scan in parallel')
        .default(4)
        .argParser(positive('--segments')),
    );
}

function sidesOf({ table, into, back }: FollowFlags): {
  readonly tables: Readonly<Record<string, string>>;
  readonly into: Readonly<Record<string, string>>;
  readonly direction: 'there' | 'back';
} {
  return { tables: table, into, direction: back === true ? 'back' : 'there' };
}

/** Calls a function with both clients of the endpoint, and then closes them. */
async function withBoth<T>(
  flags: FollowFlags,
  run: (clients: {
    readonly client: Parameters<Parameters<typeof withClient>[1]>[0];
    readonly streams: DynamoDBStreamsClient;
  }) => Promise<T>,
): Promise<T> {
  return withClient(flags, async (client) => {
    const { DynamoDBStreamsClient: StreamsClient } = await import('@aws-sdk/client-dynamodb-streams');
    const streams = new StreamsClient(endpointConfig(flags));
    try {
      return await run({ client, streams });
    } finally {
      streams.destroy();
    }
  });
}

function countText({ scanned, followed, written, current, gone }: FollowCount): string {
  return `${scanned} scanned, ${followed} changes followed: ${written} written, ${current} already correct, ${gone} deleted meanwhile`;
}

function endText({ copied, caughtUp }: FollowCount, path: string): string {
  if (copied && caughtUp) return 'Caught up. Check the copies with singlet migrate compare.';
  return `${copied ? 'Everything is copied' : 'Not everything is copied yet'}. Continue with singlet migrate follow ${path}.`;
}
