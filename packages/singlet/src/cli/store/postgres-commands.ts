import { Command, Option } from 'commander';
import { isPostgresUrl } from '../../storage/postgres/connection-settings.ts';
import type { PostgresStoreStatus } from '../../storage/postgres/store-status.ts';
import { errorOutput } from '../error-output.ts';
import { UsageError } from '../usage-error.ts';

interface StoreFlags {
  readonly store: string;
  readonly json?: boolean;
}

/** `singlet store init`: creates the schema, so that servers need no right to create anything. */
export function initCommand(): Command {
  return new Command('init')
    .summary('create a store in PostgreSQL')
    .description('Creates the schema and tables of a store in PostgreSQL, unless they exist.')
    .helpOption('-h, --help', 'print this help')
    .configureOutput(errorOutput('singlet store init --help'))
    .addOption(storeOption())
    .action(async ({ store }: StoreFlags) => {
      const { createPostgresStore } = await import('../../storage/postgres/store-status.ts');
      const isNew = await createPostgresStore(postgresUrlOf(store));
      console.log(isNew ? 'The store has been created.' : 'The store was there already.');
    });
}

/** `singlet store status` */
export function statusCommand(): Command {
  return new Command('status')
    .summary('describe a store in PostgreSQL')
    .description('Shows the format, size and writers of a store in PostgreSQL.')
    .helpOption('-h, --help', 'print this help')
    .configureOutput(errorOutput('singlet store status --help'))
    .addOption(storeOption())
    .addOption(new Option('--json', 'print it as JSON'))
    .action(async ({ store, json }: StoreFlags) => {
      const { postgresStoreStatus } = await import('../../storage/postgres/store-status.ts');
      const status = await postgresStoreStatus(postgresUrlOf(store));
      console.log(json === true ? JSON.stringify(status, undefined, 2) : describe(status));
    });
}

function storeOption(): Option {
  return new Option('--store <url>', 'postgres://USER@HOST:PORT/DATABASE?schema=NAME').makeOptionMandatory();
}

function postgresUrlOf(store: string): string {
  if (isPostgresUrl(store)) return store;
  throw new UsageError('--store takes the URL of a store in PostgreSQL here: postgres://HOST/DATABASE.');
}

function describe(status: PostgresStoreStatus): string {
  const { estimatedEntries, writers } = status;
  const lines: readonly (readonly [string, string])[] = [
    ['store', `${status.store}, schema ${status.schema}, format ${status.format}`],
    ['PostgreSQL', status.serverVersion],
    ['size', `${(status.sizeBytes / 2 ** 20).toFixed(1)} MB`],
    ['entries', estimatedEntries === undefined ? 'not counted yet' : `about ${estimatedEntries.toLocaleString('en')}`],
    ['rows to be removed', status.deadRows.toLocaleString('en')],
    ['writers', `${writers.length}`],
    ...writers.map(
      ({ id, groups, idleSeconds }) =>
        [`  ${id}`, `${groups.toLocaleString('en')} groups, the last ${idleSeconds} s ago`] as const,
    ),
  ];
  const width = Math.max(...lines.map(([name]) => name.length));
  return lines.map(([name, value]) => `${name.padEnd(width)}  ${value}`).join('\n');
}
