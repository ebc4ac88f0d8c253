import type { ConnectOptions } from '@singlet/model';
import {
  migration,
  type MigrateOptions,
  type Migration,
  type MigrationReport,
  resume,
  run,
  undo,
  verify,
  type VerifyReport,
} from '@singlet/model/migrate';
import { snapshot } from '@singlet/model/versions';
import type { Readers } from './readers.ts';
import { type MigrationName, VERSIONS } from './versions.ts';

/** The number of attempts for an item that writers keep changing. After that it counts as a failure. */
const REREADS = 3;
/** The number of items that a run may skip and report, before it stops. */
const FAILURES_MAX = 100;
/** Counted by the application: the open ones among the children. */
const OPEN_COUNTS = ['Repo.openIssueCount', 'Repo.openPullRequestCount'];
/** Correct at any moment, but children and parents are not read at the same one. */
const MOVING_COUNTS = ['Repo.starCount', 'Repo.forkCount'];

/** The changes of the first year, in the order in which they are made. */
export const MIGRATIONS: Readonly<Record<MigrationName, Migration>> = {
  /** MIG-1 Codes of conduct: an attribute that may be missing. No step. */
  'MIG-1': made('MIG-1'),
  /** MIG-2 Gists: new items in existing collections. No step. */
  'MIG-2': made('MIG-2'),
  /** MIG-3 Apps: accounts get the keys of a collection in GSI1. */
  'MIG-3': made('MIG-3'),
  /** MIG-4 Issues of one status by key: GSI4, with repos and issues. */
  'MIG-4': made('MIG-4', ['Repo', 'Issue']),
  /** MIG-5 Pull requests of one status by key: GSI5, with repos and pull requests. */
  'MIG-5': made('MIG-5', ['Repo', 'PullRequest']),
};

/** MIG-4 and MIG-5 as one job: both indexes, and repos written once. */
export const ISSUES_AND_PULL_REQUESTS_BY_KEY: Migration = migration(
  snapshot(VERSIONS['MIG-4'].before),
  snapshot(VERSIONS['MIG-5'].after),
  { untyped: ['Repo', 'Issue', 'PullRequest'] },
);

/** The readers to enable when a migration has been verified. */
export const SWITCHED_BY: Readonly<Record<MigrationName, readonly (keyof Readers)[]>> = {
  'MIG-1': [],
  'MIG-2': [],
  'MIG-3': ['accountWithApps'],
  'MIG-4': ['openIssues', 'closedIssues'],
  'MIG-5': ['openPullRequests', 'closedPullRequests'],
};

export interface SiteMigrationOptions extends Omit<MigrateOptions, 'client' | 'tables'> {
  readonly client: ConnectOptions['client'];
  readonly tableName: string;
}

/**
 * Migrates the items of a site to their new form while it is in use. Its writers must already write the new keys: it was opened by
 * `openMigratedGitHub`.
 *
 * @throws {MigrationError} if it cannot begin or continue; `resumeMigration` continues.
 */
export async function runMigration(migrated: Migration, options: SiteMigrationOptions): Promise<MigrationReport> {
  return await run(migrated, siteOptions(options));
}

/** Continues after an interruption, from the last checkpoint of each segment. */
export async function resumeMigration(migrated: Migration, options: SiteMigrationOptions): Promise<MigrationReport> {
  return await resume(migrated, siteOptions(options));
}

/** Removes the keys and the index of a migration again, with its readers disabled. */
export async function undoMigration(migrated: Migration, options: SiteMigrationOptions): Promise<MigrationReport> {
  return await undo(migrated, siteOptions(options));
}

/**
 * Compares every item with what the new version would write, and the changed indexes with the table.
 *
 * @param options.atRest - whether there are no concurrent writes; then stars and forks are counted again, too. True by default.
 */
export async function verifyMigration(
  migrated: Migration,
  { atRest = true, ...options }: SiteMigrationOptions & { readonly atRest?: boolean },
): Promise<VerifyReport> {
  const exceptCounts = atRest ? OPEN_COUNTS : [...OPEN_COUNTS, ...MOVING_COUNTS];
  return await verify(migrated, { ...siteOptions(options), exceptCounts });
}

/** Issues, pull requests and repos are recognised by their keys, because some are older than the type attribute. */
function made(name: MigrationName, untyped: readonly string[] = []): Migration {
  const { before, after } = VERSIONS[name];
  return migration(snapshot(before), snapshot(after), { untyped });
}

function siteOptions({ tableName, ...options }: SiteMigrationOptions): MigrateOptions {
  return { rereads: REREADS, failuresMax: FAILURES_MAX, ...options, tables: { GitHubTable: tableName } };
}
