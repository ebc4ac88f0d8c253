import type { MigrateOptions } from '@singlet/model/migrate';
import { Command } from 'commander';
import { endpointName, endpointProblem, regionOrDefault } from '../endpoint-client.ts';
import { errorOutput } from '../error-output.ts';
import { UsageError } from '../usage-error.ts';
import { type ConnectionFlags, withConnection } from './connection.ts';
import { fileCheckpoints } from './file-checkpoints.ts';
import type { MigrationFlags } from './migration-files.ts';

/** Selects a model. */
export interface ModelFlags extends MigrationFlags {
  readonly model?: string;
}

/** Options of commands that read and write items. */
export interface WorkFlags extends ModelFlags, ConnectionFlags {
  readonly segments?: number;
  readonly readUnits?: number;
  readonly writeUnits?: number;
  readonly failures?: number;
  readonly checkpoints?: string;
  readonly dryRun?: boolean;
  readonly drop?: boolean;
  readonly json?: boolean;
}

/** Creates a command of `migrate` that takes a model. */
export function begin(name: string, summary: string): Command {
  return new Command(name)
    .summary(summary)
    .description(`${summary.slice(0, 1).toUpperCase()}${summary.slice(1)}.`)
    .helpOption('-h, --help', 'print this help')
    .configureOutput(errorOutput(`singlet migrate ${name} --help`))
    .argument('<model>', 'a file that exports a model')
    .option('--model <name>', 'name of the model, if the file exports several')
    .option('--migrations <directory>', 'directory of migrations; by default migrations/ beside the model');
}

/** Adds the options for where the tables are, and where progress is recorded. */
export function withStore(command: Command): Command {
  return withConnection(command).option('--checkpoints <file>', 'keep checkpoints in a file; by default in the table');
}

export function storeFrom({ checkpoints, ...flags }: WorkFlags): Pick<MigrateOptions, 'checkpoints'> {
  if (checkpoints === undefined) return {};
  const region = flags.aws === true ? flags.region : regionOrDefault(flags);
  const tables = Object.entries(flags.table).map(([name, table]) => `, ${name}=${table}`);
  const place = `${endpointName(flags)}${region === undefined ? '' : ` in ${region}`}${tables.sort().join('')}`;
  return { checkpoints: fileCheckpoints(checkpoints, place) };
}

export function ratesOf({
  segments,
  readUnits,
  writeUnits,
}: WorkFlags): Pick<MigrateOptions, 'segments' | 'readUnits' | 'writeUnits'> {
  return {
    ...(segments !== undefined && { segments }),
    ...(readUnits !== undefined && { readUnits }),
    ...(writeUnits !== undefined && { writeUnits }),
  };
}

/** Converts an error to a message for the terminal. */
export function explained(error: unknown, flags: ConnectionFlags): unknown {
  if (error instanceof Error && error.name === 'MigrationError') return new UsageError(error.message, { cause: error });
  if (error instanceof Error && error.name === 'ResourceNotFoundException') {
    const advice = 'name it with --table MODEL=NAME';
    return new UsageError(`${endpointName(flags)} lacks a table of the old version: ${advice}.`, { cause: error });
  }
  return endpointProblem(error, flags);
}

/** Parses an option that takes a number. */
export function positive(flag: string): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!(value > 0)) throw new UsageError(`${flag} takes a number above 0, not ${JSON.stringify(text)}.`);
    return value;
  };
}
