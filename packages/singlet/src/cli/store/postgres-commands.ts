import { Command, Option } from 'commander';
import type { HeldLease } from '../../engine/doctor.ts';
import { isPostgresUrl } from '../../storage/postgres/connection-settings.ts';
import type { PostgresReplicaStatus, PostgresStoreStatus } from '../../storage/postgres/store-status.ts';
import { errorOutput } from '../error-output.ts';
import { UsageError } from '../usage-error.ts';

interface StoreFlags {
  readonly store: string;
  readonly readStore?: string;
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

/** `singlet store plan`: the statements of `init`, for operators whose servers may not create anything. */
export function planCommand(): Command {
  return new Command('plan')
    .summary('print the statements that create a store in PostgreSQL')
    .description('Prints the SQL statements that singlet store init runs. Does not connect to PostgreSQL.')
    .helpOption('-h, --help', 'print this help')
    .configureOutput(errorOutput('singlet store plan --help'))
    .addOption(storeOption())
    .action(async ({ store }: StoreFlags) => {
      const { postgresStorePlan } = await import('../../storage/postgres/store-status.ts');
      for (const statement of postgresStorePlan(postgresUrlOf(store))) console.log(`${statement};`);
    });
}

/** `singlet store status` */
export function statusCommand(): Command {
  return new Command('status')
    .summary('describe a store in PostgreSQL')
    .description(
      'Shows the format, size and writers of a store in PostgreSQL, and which server has which background work.',
    )
    .helpOption('-h, --help', 'print this help')
    .configureOutput(errorOutput('singlet store status --help'))
    .addOption(storeOption())
    .addOption(new Option('--read-store <url>', 'a standby: also shows how far it is behind'))
    .addOption(new Option('--json', 'print the status as JSON'))
    .action(async ({ store, readStore, json }: StoreFlags) => {
      const { postgresReplicaStatus, postgresStoreStatus } = await import('../../storage/postgres/store-status.ts');
      const status = await postgresStoreStatus(postgresUrlOf(store));
      const replica = readStore === undefined ? undefined : await postgresReplicaStatus(readStore, store);
      const leases = await leasesOf(store);
      console.log(
        json === true
          ? JSON.stringify({ ...status, leases, replica }, undefined, 2)
          : describe(status, leases, replica),
      );
    });
}

/** Read as from a standby of the store, so that this command does not become one of its writers. */
async function leasesOf(url: string): Promise<readonly HeldLease[]> {
  const { heldLeases } = await import('../../engine/doctor.ts');
  const { openPostgresReplica } = await import('../../storage/postgres/postgres-replica.ts');
  const store = await openPostgresReplica({ url, of: url });
  try {
    return await heldLeases(store);
  } finally {
    await store.close();
  }
}

function storeOption(): Option {
  return new Option('--store <url>', 'postgres://USER@HOST:PORT/DATABASE?schema=NAME').makeOptionMandatory();
}

function postgresUrlOf(store: string): string {
  if (isPostgresUrl(store)) return store;
  throw new UsageError('--store takes the URL of a store in PostgreSQL here: postgres://HOST/DATABASE.');
}

function describe(
  status: PostgresStoreStatus,
  leases: readonly HeldLease[],
  replica: PostgresReplicaStatus | undefined,
): string {
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
    ['leases', `${leases.length}`],
    ...leases.map(({ work, holder, token }) => [`  ${work}`, `server ${holder}, token ${token}`] as const),
    ...(replica === undefined ? [] : replicaLines(replica)),
  ];
  const width = Math.max(...lines.map(([name]) => name.length));
  return lines.map(([name, value]) => `${name.padEnd(width)}  ${value}`).join('\n');
}

function replicaLines({
  store,
  bytesBehind,
  lastAppliedSeconds,
}: PostgresReplicaStatus): readonly (readonly [string, string])[] {
  const last = lastAppliedSeconds === undefined ? 'none applied yet' : `${lastAppliedSeconds.toFixed(1)} s ago`;
  return [
    ['standby', store],
    ['  behind', `${bytesBehind.toLocaleString('en')} bytes`],
    ['  last transaction', last],
  ];
}
