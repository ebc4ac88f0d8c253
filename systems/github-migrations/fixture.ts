import type { MigrateOptions, MigrationReport, VerifyReport } from '@singlet/model/migrate';
import type { ManualClock } from '../clock.ts';
import { openSite } from '../github/fixture.ts';
import type { GitHub } from '../github/github.ts';
import { countedKsuids } from '../testing/counted-ksuids.ts';
import type { RawTable } from '../testing/raw-table.ts';
import type { LoggedClient, Workbench } from '../testing/workbench.ts';
import { openMigratedGitHub, type MigratedGitHub } from './migrated-github.ts';
import { MIGRATIONS, runMigration, SWITCHED_BY, verifyMigration } from './migrations.ts';
import { type Readers, READERS_OFF } from './readers.ts';
import type { MigrationName } from './versions.ts';

type MigrationSettings = Partial<MigrateOptions>;

/** The site a year later, on the previous year's table. */
export interface YearLater extends MigratedGitHub {
  readonly table: RawTable;
  readonly clock: ManualClock;
  /** The application as it was, on the same table. */
  readonly earlier: GitHub;
  /** May be switched while the site is open. */
  readonly readers: { -readonly [Name in keyof Readers]: Readers[Name] };
  /** The same site, served by another process. */
  readonly another: () => MigratedGitHub;
  /** The same site, with every request recorded. */
  readonly logged: () => MigratedGitHub & Pick<LoggedClient, 'requests' | 'operations'>;
  readonly migrate: (name: MigrationName, settings?: MigrationSettings) => Promise<MigrationReport>;
  readonly verify: (name: MigrationName, settings?: MigrationSettings) => Promise<VerifyReport>;
  /** Runs a migration and switches its readers on. */
  readonly complete: (...names: readonly MigrationName[]) => Promise<void>;
}

/** Does not wait, but yields to background work: the backfill of an index. */
export const turn = async (): Promise<void> => await new Promise((go) => setImmediate(go));

/**
 * Opens the site of the examples as it was before the migrations, with the new application on it and all new readers off.
 *
 * @param gistIds - the first ids that gists get.
 */
export async function openYearLater(
  workbench: Workbench,
  { gistIds = [] }: { readonly gistIds?: readonly string[] } = {},
): Promise<YearLater> {
  return yearLater(workbench, await openSite(workbench), gistIds);
}

/** Opens the site of the examples with all migrations made and all readers on. */
export async function openMigrated(
  workbench: Workbench,
  options: { readonly gistIds?: readonly string[] } = {},
): Promise<YearLater> {
  const site = await openYearLater(workbench, options);
  await site.complete('MIG-1', 'MIG-2', 'MIG-3', 'MIG-4', 'MIG-5');
  return site;
}

/** The new application on the table of a site. */
export function yearLater(
  workbench: Workbench,
  earlier: GitHub & { readonly table: RawTable; readonly clock: ManualClock },
  gistIds: readonly string[] = [],
): YearLater {
  const { table, clock } = earlier;
  const readers = { ...READERS_OFF };
  const newId = countedKsuids(clock);
  const known = [...gistIds];
  const newGistId = (): string => known.shift() ?? newId();
  const siteFor = (client: Workbench['client']): MigratedGitHub =>
    openMigratedGitHub({ client, tableName: table.name, clock, newCommentId: newId, newGistId, readers });
  const settings = { client: workbench.client, tableName: table.name, pause: turn };
  const migrate: YearLater['migrate'] = async (name, more = {}) =>
    await runMigration(MIGRATIONS[name], { ...settings, ...more });
  return {
    ...siteFor(workbench.client),
    table,
    clock,
    earlier,
    readers,
    another: () => siteFor(workbench.newClient()),
    logged: () => {
      const { client, requests, operations } = workbench.newLoggedClient();
      return { ...siteFor(client), requests, operations };
    },
    migrate,
    verify: async (name, more = {}) => await verifyMigration(MIGRATIONS[name], { ...settings, ...more }),
    complete: async (...names) => {
      for (const name of names) {
        await migrate(name);
        for (const reader of SWITCHED_BY[name]) {
          readers[reader] = true;
        }
      }
    },
  };
}
