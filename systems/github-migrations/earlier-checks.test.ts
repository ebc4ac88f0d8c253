import { type GitHubOptions } from '../github/connection.ts';
import { describe, expect, test } from 'vitest';
import { BOOK, openSite, quickDatabase, setTested } from '../github/fixture.ts';
import { type RawItem, RawTable } from '../testing/raw-table.ts';
import { useWorkbench } from '../testing/workbench.ts';
import { openMigratedGitHub } from './migrated-github.ts';
import { githubMigrations } from './model.ts';
import { READERS_ON } from './readers.ts';

/**
 * GHM check 18: after all migrations the checks of the first application hold, with the lists of one status read by key. Its
 * own tests are run again, against this application.
 */

/** A table in the form that the first application's tests expect, without the keys that were added later. */
class EarlierView extends RawTable {
  override async get(key: RawItem): Promise<RawItem | undefined> {
    const item = await super.get(key);
    return item === undefined ? undefined : withoutLaterKeys(item);
  }

  override async scan(indexName?: string): Promise<RawItem[]> {
    return (await super.scan(indexName)).map(withoutLaterKeys);
  }
}

function withoutLaterKeys(item: RawItem): RawItem {
  const isAccount = item['Type'] === 'User' || item['Type'] === 'Organization';
  return Object.fromEntries(
    Object.entries(item).filter(([name]) => !/^GSI[45]/.test(name) && !(isAccount && name.startsWith('GSI1'))),
  );
}

setTested({
  model: githubMigrations,
  open: (options: GitHubOptions) =>
    openMigratedGitHub({ ...options, newGistId: options.newCommentId, readers: READERS_ON }),
  view: ({ name }, { client }) => new EarlierView(client, name),
});

describe('GHM check 18', async () => {
  // Each defines its tests when it is imported. Only the filter's read-ahead no longer applies.
  await import('../github/accounts.test.ts');
  await import('../github/issues.test.ts');
  await import('../github/reactions.test.ts');
  await import('../github/repos.test.ts');

  describe('is about this application', () => {
    const workbench = useWorkbench(quickDatabase);

    test('which lists by key', async () => {
      const site = (await openSite(workbench())).logged();
      await site.issues.of(BOOK, { status: 'Open' });
      await site.pullRequests.of(BOOK, { status: 'Closed' });
      expect(site.requests.map(({ input }) => input['IndexName'])).toEqual(['GSI4', 'GSI5']);
    });
  });
});
