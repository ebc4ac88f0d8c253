import type { MigrateOptions, Migration, MigrationReport } from '@singlet/model/migrate';
import { Command, Option } from 'commander';
import { counted } from '../../values/counted.ts';
import { errorOutput } from '../error-output.ts';
import { UsageError } from '../usage-error.ts';
import { withClient, withConnection } from './connection.ts';
import { changesText } from './diff-command.ts';
import { compareCommand, followCommand } from './follow-command.ts';
import { loadModel } from './load-models.ts';
import {
  begin,
  explained,
  type ModelFlags,
  positive,
  ratesOf,
  storeFrom,
  withStore,
  type WorkFlags,
} from './migrate-flags.ts';
import { chosenMigration, plannedMigration } from './migration-files.ts';
import { progressBar } from './progress-bar.ts';
import { refuseUnproven } from './refuse-unproven.ts';

const examples = `
Examples:
  $ singlet migrate plan shop.model.ts                     shows what has to be done, and writes the migration
  $ singlet migrate run shop.model.ts --dry-run            counts what would be written
  $ singlet migrate run shop.model.ts --write-units 100
  $ singlet migrate resume shop.model.ts                   after an interruption: Ctrl-C, a crash, an error
  $ singlet migrate verify shop.model.ts                   reads everything again and compares
  $ singlet migrate follow shop.model.ts --into Shop=shop-2   copies into a new table while the old one is written
  $ singlet migrate compare shop.model.ts --into Shop=shop-2
  $ singlet accept shop.model.ts                           once the new version is in use

The application keeps running meanwhile; plan says which version may run.`;

export function migrateCommand(): Command {
  return new Command('migrate')
    .summary('migrate stored items to a new version of a model')
    .description('Migrates tables from the accepted version of a model to the current one, while they are in use.')
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
    .configureOutput(errorOutput('singlet migrate --help'))
    .addHelpText('after', examples)
    .addCommand(planCommand())
    .addCommand(workCommand('run', 'carry out the plan'))
    .addCommand(statusCommand())
    .addCommand(workCommand('resume', 'continue after an interruption'))
    .addCommand(verifyCommand())
    .addCommand(workCommand('undo', 'remove what a migration added'))
    .addCommand(followCommand())
    .addCommand(compareCommand());
}

function planCommand(): Command {
  return begin('plan', 'show what has to be done, and write the migration')
    .option('--accepted <file>', 'the version that runs; by default NAME.accepted.json beside the model')
    .option('--json', 'print the plan as JSON')
    .action(async (path: string, flags: ModelFlags & { readonly json?: boolean }) => {
      const loaded = await loadModel(path, flags.model);
      // What it would write could not run.
      await refuseUnproven(loaded);
      const { migration, file, made } = await plannedMigration(loaded, flags);
      const { plan, refusals, stepText } = await import('@singlet/model/migrate');
      const planned = plan(migration);
      if (made === 'not' && flags.json !== true) {
        process.stdout.write(changesText(planned.changes));
        return;
      }
      if (flags.json === true) {
        process.stdout.write(
          `${JSON.stringify({ ...planned, ...(made !== 'not' && { file }), refusals: refusals(migration) }, undefined, 2)}\n`,
        );
        return;
      }
      const steps = planned.steps.map((step, index) => `  ${index + 1}. ${stepText(step)}\n`);
      const order = planned.order.map((sentence, index) => `  ${index + 1}. ${sentence}\n`);
      const missing = refusals(migration).map((sentence) => `  - ${sentence}\n`);
      process.stdout.write(
        [
          changesText(planned.changes),
          steps.length === 0 ? '\nNo step.\n' : `\nSteps\n${steps.join('')}`,
          `\nOrder of work\n${order.join('')}`,
          missing.length === 0 ? '' : `\nMissing before it can run\n${missing.join('')}`,
          `\n${made === 'now' ? 'Written' : 'Known as'}: ${file}\n`,
        ].join(''),
      );
    });
}

function workCommand(name: 'run' | 'resume' | 'undo', summary: string): Command {
  const command = withStore(begin(name, summary))
    .option('--migration <number>', 'number of the migration; by default the last')
    .addOption(
      new Option('--read-units <number>', 'maximum read capacity units per second').argParser(positive('--read-units')),
    )
    .addOption(
      new Option('--write-units <number>', 'maximum write capacity units per second').argParser(
        positive('--write-units'),
      ),
    );
  if (name !== 'resume') {
    command
      .addOption(
        new Option('--segments <number>', 'parts of a table to scan in parallel')
          .default(4)
          .argParser(positive('--segments')),
      )
      .option('--dry-run', 'write nothing, and count the writes');
  }
  command.addOption(
    new Option('--failures <number>', 'number of items that may fail; they are left unchanged and reported').argParser(
      positive('--failures'),
    ),
  );
  if (name !== 'undo') command.option('--drop', 'drop indexes that the new version does not have');
  return command.action(async (path: string, flags: WorkFlags) => work(name, path, flags));
}

function statusCommand(): Command {
  return withStore(begin('status', 'show the progress of a migration'))
    .option('--migration <number>', 'number of the migration; by default the last')
    .option('--json', 'print the status as JSON')
    .action(async (path: string, flags: WorkFlags) => {
      const migration = await chosenMigration(await loadModel(path, flags.model), flags);
      const { status, stepText } = await import('@singlet/model/migrate');
      const state = await withClient(flags, async (client) =>
        status(migration, { client, tables: flags.table, ...storeFrom(flags) }).catch((error: unknown) => {
          throw explained(error, flags);
        }),
      );
      if (flags.json === true) process.stdout.write(`${JSON.stringify(state ?? null, undefined, 2)}\n`);
      else if (state === undefined) process.stdout.write(`${migration.id} has not started.\n`);
      else {
        const step = state.steps[state.step];
        const where =
          state.endedAt === undefined
            ? `step ${state.step + 1} of ${state.steps.length}`
            : `ended ${new Date(state.endedAt).toISOString()}`;
        const doing =
          step === undefined || state.endedAt !== undefined ? '' : `${stepText(step)}\n${countText(state.count)}`;
        process.stdout.write(
          `${migration.id} ${state.direction}: ${where}, begun ${new Date(state.begunAt).toISOString()}\n${doing}`,
        );
      }
    });
}

function verifyCommand(): Command {
  const command = begin('verify', 'read everything again and compare')
    .option('--migration <number>', 'number of the migration; by default the last')
    .addOption(
      new Option('--read-units <number>', 'maximum read capacity units per second').argParser(positive('--read-units')),
    )
    .addOption(
      new Option('--segments <number>', 'parts of a table to scan in parallel')
        .default(4)
        .argParser(positive('--segments')),
    )
    .option('--json', 'print the faults as JSON');
  return withConnection(command).action(async (path: string, flags: WorkFlags) => {
    const migration = await chosenMigration(await loadModel(path, flags.model), flags);
    const { verify } = await import('@singlet/model/migrate');
    const report = await withClient(flags, async (client) =>
      verify(migration, { client, tables: flags.table, ...ratesOf(flags) }).catch((error: unknown) => {
        throw explained(error, flags);
      }),
    );
    const faults = report.faults.map(
      ({ code, entity, key, message }) =>
        `${[code, entity, Object.values(key).map(String).join(' / ')].filter((text) => text !== '').join(' ')}: ${message}\n`,
    );
    const counts = Object.entries(report.entities).map(([entity, count]) => `${entity}: ${count}\n`);
    const indexes = Object.entries(report.indexes).flatMap(([index, kinds]) =>
      Object.entries(kinds).map(([kind, { items, entries }]) => `${index}, ${kind}: ${entries} of ${items}\n`),
    );
    process.stdout.write(
      flags.json === true
        ? `${JSON.stringify(report, undefined, 2)}\n`
        : `${faults.join('')}${counts.join('')}${indexes.join('')}${counted(report.scanned, 'item')} read, ${counted(report.faultCount, 'fault')}\n`,
    );
    if (!report.ok) process.exitCode = 1;
  });
}

async function work(name: 'run' | 'resume' | 'undo', path: string, flags: WorkFlags): Promise<void> {
  const loaded = await loadModel(path, flags.model);
  // A migration that has begun can always be undone.
  if (name !== 'undo') await refuseUnproven(loaded);
  const migration = await chosenMigration(loaded, flags);
  const library = await import('@singlet/model/migrate');
  const report = await withClient(flags, async (client) => {
    const sizes = await tableSizes(client, migration, flags);
    const bar = await progressBar((table) => sizes.get(table) ?? 0, library.stepText);
    const stop = new AbortController();
    const onSignal = (): void => stop.abort();
    process.once('SIGINT', onSignal).once('SIGTERM', onSignal);
    const options: MigrateOptions = {
      client,
      tables: flags.table,
      ...ratesOf(flags),
      ...storeFrom(flags),
      ...(flags.drop !== undefined && { drop: flags.drop }),
      ...(flags.failures !== undefined && { failuresMax: flags.failures }),
      onFailure: ({ message }) => process.stderr.write(`${message}\n`),
      dryRun: flags.dryRun === true,
      signal: stop.signal,
      onProgress: (progress) => bar.show(progress),
    };
    try {
      return await library[name](migration, options);
    } catch (error) {
      if (stop.signal.aborted)
        throw new UsageError(`Interrupted. Continue with singlet migrate resume ${path}.`, { cause: error });
      throw explained(error, flags);
    } finally {
      bar.end();
      process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
    }
  });
  process.stdout.write(reportText(report, library.stepText));
  if (report.steps.some(({ count }) => count.failed > 0)) process.exitCode = 1;
}

function reportText(
  { direction, dryRun, steps }: MigrationReport,
  stepText: (step: MigrationReport['steps'][number]['step']) => string,
): string {
  const lines = steps.map(
    ({ step, count }) =>
      `${stepText(step)}\n${step.kind === 'items' || step.kind === 'counts' ? countText(count) : ''}`,
  );
  const end = dryRun
    ? 'Dry run: nothing was written.'
    : direction === 'undo'
      ? 'Undone.'
      : 'Done. Check the result with singlet migrate verify.';
  return `${lines.join('')}${end}\n`;
}

function countText(count: MigrationReport['steps'][number]['count']): string {
  const { scanned, matched, written, current, gone, failed } = count;
  const failures = failed === 0 ? '' : `, ${failed} failed`;
  return `  ${scanned} read, ${matched} of them in scope: ${written} written, ${current} already correct, ${gone} deleted meanwhile${failures}\n`;
}

/** Approximately how many items the tables have: the total of the progress bar. */
async function tableSizes(
  client: MigrateOptions['client'],
  migration: Migration,
  flags: WorkFlags,
): Promise<ReadonlyMap<string, number>> {
  const { DescribeTableCommand } = await import('@aws-sdk/client-dynamodb');
  const sizes = new Map<string, number>();
  for (const step of migration.steps) {
    if (step.kind !== 'items') continue;
    try {
      const { Table } = await client.send(
        new DescribeTableCommand({ TableName: flags.table[step.table] ?? step.table }),
      );
      sizes.set(step.table, Table?.ItemCount ?? 0);
    } catch (error) {
      throw explained(error, flags);
    }
  }
  return sizes;
}
