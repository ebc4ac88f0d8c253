/** The migrations of GitHub in a storm: run while writers write, repeated after each failure, until every item has its new form. */
import { MigrationError } from '@singlet/model/migrate';
import { expect } from 'vitest';
import type { Status } from '../github/connection.ts';
import { github } from '../github/model.ts';
import { countedKsuids } from '../testing/counted-ksuids.ts';
import type { StormStory } from '../testing/storm.ts';
import { openMigratedGitHub } from './migrated-github.ts';
import {
  MIGRATIONS,
  resumeMigration,
  runMigration,
  type SiteMigrationOptions,
  SWITCHED_BY,
  verifyMigration,
} from './migrations.ts';
import { READERS_OFF } from './readers.ts';
import type { MigrationName } from './versions.ts';

const REPO = { owner: 'ann', repo: 'book' };
const STATUSES: readonly Status[] = ['Open', 'Closed'];
const NAMES: readonly MigrationName[] = ['MIG-3', 'MIG-4', 'MIG-5'];

export const story: StormStory = {
  model: github,
  invariant: 'every item has its new form, and the new lists agree with the items',
  play: async (storm) => {
    const { client, clock } = storm;
    const newId = countedKsuids(clock);
    const readers = { ...READERS_OFF };
    const common = { client, tableName: 'GitHubTable' };
    const site = openMigratedGitHub({ ...common, clock, newCommentId: newId, newGistId: newId, readers });
    const { accounts, repos, issues, pullRequests } = site;
    await storm.insist(async () => accounts.createUser('ann'));
    await storm.insist(async () => repos.create(REPO));
    const write = async (number: number): Promise<void> => {
      const kind = number % 2 === 0 ? issues : pullRequests;
      const subject = { ...REPO, number: 1 + storm.below(20) };
      const acts = [
        async () => kind.create(REPO, { title: 'A title', author: 'ann' }),
        async () => kind.setStatus(subject, storm.oneOf(STATUSES)),
      ];
      await storm.attempt(storm.oneOf(acts));
    };
    await storm.callers(20, write);
    const pause = async (): Promise<void> => await new Promise((resolve) => setImmediate(resolve));
    for (const name of NAMES) {
      const migrating = storm.insist(async () => migrate(name, { ...common, pause, pageItems: 5 }));
      await storm.callers(10, write);
      await migrating;
    }
    await storm.over();

    for (const name of NAMES) {
      // A migration that met an item too often skips and reports it. A second run has no conflicting writes.
      await migrate(name, { ...common, pause });
      expect([name, (await verifyMigration(MIGRATIONS[name], { ...common, pause })).faults]).toEqual([name, []]);
      for (const reader of SWITCHED_BY[name]) readers[reader] = true;
    }
    const items = await storm.table('GitHubTable').scan();
    for (const status of STATUSES) {
      const count = (type: string): number =>
        items.filter(({ Type, Status: found }) => Type === type && found === status).length;
      const listed = await issues.of(REPO, { status, limit: 100 });
      const listedRequests = await pullRequests.of(REPO, { status, limit: 100 });
      expect([listed.issues.length, listedRequests.pullRequests.length]).toEqual([
        count('Issue'),
        count('PullRequest'),
      ]);
    }
  },
};

/** Runs a migration, or resumes an interrupted one. */
async function migrate(name: MigrationName, options: SiteMigrationOptions): Promise<void> {
  try {
    await runMigration(MIGRATIONS[name], options);
  } catch (error) {
    if (!(error instanceof MigrationError) || error.code !== 'unfinished') throw error;
    await resumeMigration(MIGRATIONS[name], options);
  }
}
