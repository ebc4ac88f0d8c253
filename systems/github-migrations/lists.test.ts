import { load } from '@singlet/model/samples';
import { describe, expect, test } from 'vitest';
import { BOOK, databases, GRAPHQL_DEMO, listed, NO_REACTIONS } from '../github/fixture.ts';
import { github } from '../github/model.ts';
import { drawn } from '../testing/drawn.ts';
import { useWorkbench } from '../testing/workbench.ts';
import { openMigrated, openYearLater, type YearLater } from './fixture.ts';

const say = { title: 'x', author: 'happy-harry' };
const BOOK_KEY = 'REPO#alexdebrie#dynamodb-book';

/** Issues and pull requests of a repo as they were stored before the migrations. */
async function loadBefore(
  site: YearLater,
  client: Parameters<typeof load>[3]['client'],
  kind: 'Issue' | 'PullRequest',
  numbers: Readonly<Record<'Open' | 'Closed', readonly number[]>>,
): Promise<void> {
  const items = (['Open', 'Closed'] as const).flatMap((status) =>
    numbers[status].map((number) => ({
      ...BOOK,
      ...say,
      number,
      status,
      createdAt: '2019-12-01T00:00:00.000Z',
      reactionCounts: NO_REACTIONS,
    })),
  );
  await load(github, kind, items, { client, tables: { GitHubTable: site.table.name } });
}

async function issuesOf(site: Pick<YearLater, 'issues'>, status: 'Open' | 'Closed', repo = BOOK): Promise<unknown[]> {
  const found = await site.issues.of(repo, { status });
  return listed(found.repo, found.issues);
}

async function pullRequestsOf(site: Pick<YearLater, 'pullRequests'>, status: 'Open' | 'Closed'): Promise<unknown[]> {
  const found = await site.pullRequests.of(BOOK, { status });
  return listed(found.repo, found.pullRequests);
}

const through = (last: number, first = 1): number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);

describe.each(drawn('lists of one status', databases))('lists of one status, $name', (database) => {
  const workbench = useWorkbench(database);

  test('GHM check 9: issues after MIG-4 (GHM-10, GHM-11)', async () => {
    const site = await openYearLater(workbench());
    await loadBefore(site, workbench().client, 'Issue', { Open: [1, 12, 874, 875], Closed: [2, 15] });
    await site.complete('MIG-4');
    const logged = site.logged();
    expect(await issuesOf(logged, 'Open')).toEqual(['dynamodb-book', 875, 874, 12, 1]);
    expect(await issuesOf(logged, 'Closed')).toEqual(['dynamodb-book', 15, 2]);
    expect(logged.requests.map(({ input }) => input['IndexName'])).toEqual(['GSI4', 'GSI4']);
    expect(logged.requests.map(({ input }) => input['FilterExpression'])).toEqual([undefined, undefined]);
    const sortKeyOf = async (number: string): Promise<unknown> =>
      (await site.table.get({ PK: BOOK_KEY, SK: `ISSUE#${number}` }))?.['GSI4SK'];
    expect(await Promise.all(['0000015', '0000874', '0000875', '0000001'].map(sortKeyOf))).toEqual([
      '#ISSUE#CLOSED#00000015',
      'ISSUE#OPEN#99999125',
      'ISSUE#OPEN#99999124',
      'ISSUE#OPEN#99999998',
    ]);
    expect(await site.table.get({ PK: BOOK_KEY, SK: BOOK_KEY })).toMatchObject({
      GSI4PK: BOOK_KEY,
      GSI4SK: `#${BOOK_KEY}`,
    });
    expect((await site.issues.of(BOOK)).issues.map(({ number }) => number)).toEqual([875, 874, 15, 12, 2, 1]);
  });

  test('GHM check 10: pull requests after MIG-5 (GHM-12, GHM-13)', async () => {
    const site = await openYearLater(workbench());
    await loadBefore(site, workbench().client, 'PullRequest', { Open: [20, 21], Closed: [3] });
    await site.complete('MIG-5');
    const logged = site.logged();
    expect(await pullRequestsOf(logged, 'Open')).toEqual(['dynamodb-book', 21, 20]);
    expect(await pullRequestsOf(logged, 'Closed')).toEqual(['dynamodb-book', 3]);
    expect(logged.requests.map(({ input }) => input['IndexName'])).toEqual(['GSI5', 'GSI5']);
    const key = 'PR#alexdebrie#dynamodb-book#0000021';
    expect(await site.table.get({ PK: key, SK: key })).toMatchObject({
      GSI5PK: BOOK_KEY,
      GSI5SK: 'PR#OPEN#99999978',
      GSI1PK: BOOK_KEY,
      GSI1SK: 'PR#0000021',
    });
    const closedKey = 'PR#alexdebrie#dynamodb-book#0000003';
    expect(await site.table.get({ PK: closedKey, SK: closedKey })).toMatchObject({
      GSI5PK: BOOK_KEY,
      GSI5SK: '#PR#CLOSED#00000003',
    });
    await site.pullRequests.setStatus({ ...BOOK, number: 20 }, 'Closed');
    const justClosed = 'PR#alexdebrie#dynamodb-book#0000020';
    expect((await site.table.get({ PK: justClosed, SK: justClosed }))?.['GSI5SK']).toBe('#PR#CLOSED#00000020');
  });

  test('GHM check 11: closing changes the list, and nothing else (GHM-15)', async () => {
    const site = await openYearLater(workbench());
    await loadBefore(site, workbench().client, 'Issue', { Open: [1, 12, 874, 875], Closed: [2, 15] });
    await loadBefore(site, workbench().client, 'PullRequest', { Open: [20, 21], Closed: [3] });
    await site.complete('MIG-4', 'MIG-5');
    const issue = { ...BOOK, number: 874 };
    const logged = site.logged();
    await logged.issues.setStatus(issue, 'Closed');
    expect(logged.operations).toEqual(['TransactWriteItems']);
    expect(await issuesOf(site, 'Open')).toEqual(['dynamodb-book', 875, 12, 1]);
    expect(await issuesOf(site, 'Closed')).toEqual(['dynamodb-book', 874, 15, 2]);
    expect(await site.table.get({ PK: BOOK_KEY, SK: 'ISSUE#0000874' })).toMatchObject({
      Status: 'Closed',
      GSI4SK: '#ISSUE#CLOSED#00000874',
    });
    await expect(site.issues.setStatus(issue, 'Closed')).rejects.toMatchObject({ code: 'AlreadyDone' });
    await expect(site.issues.setStatus({ ...BOOK, number: 5 }, 'Closed')).rejects.toMatchObject({ code: 'NotFound' });
    await site.issues.setStatus(issue, 'Open');
    expect(await issuesOf(site, 'Open')).toEqual(['dynamodb-book', 875, 874, 12, 1]);
    expect(await issuesOf(site, 'Closed')).toEqual(['dynamodb-book', 15, 2]);

    await site.pullRequests.setStatus({ ...BOOK, number: 20 }, 'Closed');
    expect(await pullRequestsOf(site, 'Open')).toEqual(['dynamodb-book', 21]);
    expect(await pullRequestsOf(site, 'Closed')).toEqual(['dynamodb-book', 20, 3]);
    const again = site.pullRequests.setStatus({ ...BOOK, number: 20 }, 'Closed');
    await expect(again).rejects.toMatchObject({ code: 'AlreadyDone' });
  });

  test('GHM check 13: repos with nothing to list (GHM-10, GHM-11)', async () => {
    const site = await openMigrated(workbench());
    await site.issues.create(BOOK, say);
    expect(await issuesOf(site, 'Open', GRAPHQL_DEMO)).toEqual(['graphql-demo']);
    expect(await issuesOf(site, 'Closed', GRAPHQL_DEMO)).toEqual(['graphql-demo']);
    expect(await issuesOf(site, 'Open')).toEqual(['dynamodb-book', 1]);
    expect(await issuesOf(site, 'Closed')).toEqual(['dynamodb-book']);
    expect(await issuesOf(site, 'Open', { owner: 'alexdebrie', repo: 'nowhere' })).toEqual([]);
  });

  test('GHM-14: what is created has the new keys, whether or not its index is there', async () => {
    const { repos, issues, pullRequests, table } = await openYearLater(workbench());
    await issues.create(BOOK, say);
    await pullRequests.create(BOOK, say);
    await repos.create({ owner: 'megacorp', repo: 'new' });
    const fork = await repos.fork(BOOK, 'sally-scala');
    await issues.create(fork, say);
    expect(await table.get({ PK: BOOK_KEY, SK: 'ISSUE#0000001' })).toMatchObject({
      GSI4PK: BOOK_KEY,
      GSI4SK: 'ISSUE#OPEN#99999998',
    });
    const pull = 'PR#alexdebrie#dynamodb-book#0000002';
    expect(await table.get({ PK: pull, SK: pull })).toMatchObject({ GSI5PK: BOOK_KEY, GSI5SK: 'PR#OPEN#99999997' });
    for (const key of ['REPO#megacorp#new', 'REPO#sally-scala#dynamodb-book']) {
      expect(await table.get({ PK: key, SK: key })).toMatchObject({
        GSI4PK: key,
        GSI4SK: `#${key}`,
        GSI5PK: key,
        GSI5SK: `#${key}`,
      });
    }
  });

  test('moderators remove what is open; its entry goes with it', async () => {
    const site = await openMigrated(workbench());
    for (const kind of [site.issues, site.pullRequests]) {
      await kind.create(BOOK, say);
      const { number } = await kind.create(BOOK, say);
      await kind.remove({ ...BOOK, number });
      await expect(kind.remove({ ...BOOK, number })).rejects.toMatchObject({ code: 'NotFound' });
      await kind.setStatus({ ...BOOK, number: number - 1 }, 'Closed');
      await expect(kind.remove({ ...BOOK, number: number - 1 })).rejects.toMatchObject({ code: 'AlreadyDone' });
    }
    expect(await issuesOf(site, 'Open')).toEqual(['dynamodb-book']);
    expect(await issuesOf(site, 'Closed')).toEqual(['dynamodb-book', 1]);
    expect(await pullRequestsOf(site, 'Open')).toEqual(['dynamodb-book']);
    expect(await pullRequestsOf(site, 'Closed')).toEqual(['dynamodb-book', 3]);
    expect(await site.repos.openItemCountsOf(BOOK)).toEqual({ openIssueCount: 0, openPullRequestCount: 0 });
    expect((await site.issues.create(BOOK, say)).number).toBe(5);
  });

  test('GHM-15: of ten that close an issue at once, one does, and it is in one list', async () => {
    const site = await openMigrated(workbench());
    await site.issues.create(BOOK, say);
    const issue = { ...BOOK, number: 1 };
    for (const status of ['Closed', 'Open', 'Closed'] as const) {
      const attempts = await Promise.allSettled(
        Array.from({ length: 10 }, () => site.another().issues.setStatus(issue, status)),
      );
      expect(attempts.filter((attempt) => attempt.status === 'fulfilled')).toHaveLength(1);
      expect(await issuesOf(site, status)).toEqual(['dynamodb-book', 1]);
      expect(await issuesOf(site, status === 'Open' ? 'Closed' : 'Open')).toEqual(['dynamodb-book']);
    }
    expect(await site.repos.openItemCountsOf(BOOK)).toMatchObject({ openIssueCount: 0 });
  });

  test('readers are switched one by one, while people turn pages, and back (GHM-10 to GHM-13)', async () => {
    const site = await openYearLater(workbench());
    await loadBefore(site, workbench().client, 'Issue', { Open: through(8), Closed: through(14, 9) });
    await loadBefore(site, workbench().client, 'PullRequest', { Open: [20], Closed: [21] });
    await site.migrate('MIG-4');
    await site.migrate('MIG-5');
    const { issues, operations, requests } = site.logged();
    const indexOf = (): unknown => requests.at(-1)?.input['IndexName'];
    const page = async (status: 'Open' | 'Closed', cursor?: string) => {
      const found = await issues.of(BOOK, { status, limit: 3, cursor });
      return { numbers: found.issues.map(({ number }) => number), cursor: found.cursor, index: indexOf() };
    };
    const before = await page('Open');
    expect(before).toMatchObject({ numbers: [8, 7, 6], index: undefined });
    site.readers.openIssues = true;
    const begun = await page('Open');
    expect(begun).toMatchObject({ numbers: [8, 7, 6], index: 'GSI4' });
    // A list begun with the filter continues with it. The list of closed ones has another flag.
    expect(await page('Open', before.cursor)).toMatchObject({ numbers: [5, 4, 3], index: undefined });
    expect(await page('Closed')).toMatchObject({ numbers: [14, 13, 12], index: undefined });
    site.readers.openIssues = false;
    const second = await page('Open', begun.cursor);
    expect(second).toMatchObject({ numbers: [5, 4, 3], index: 'GSI4' });
    expect(await page('Open', second.cursor)).toMatchObject({ numbers: [2, 1], index: 'GSI4' });
    expect(await page('Open')).toMatchObject({ numbers: [8, 7, 6], index: undefined });
    site.readers.closedIssues = true;
    expect(await page('Closed')).toMatchObject({ numbers: [14, 13, 12], index: 'GSI4' });
    expect(new Set(operations)).toEqual(new Set(['Query']));

    const logged = site.logged();
    for (const name of ['openPullRequests', 'closedPullRequests'] as const) {
      const status = name === 'openPullRequests' ? 'Open' : 'Closed';
      const index = async (): Promise<unknown> => {
        expect(await pullRequestsOf(logged, status)).toEqual(['dynamodb-book', status === 'Open' ? 20 : 21]);
        return logged.requests.at(-1)?.input['IndexName'];
      };
      expect(await index()).toBe('GSI1');
      site.readers[name] = true;
      expect(await index()).toBe('GSI5');
    }
  });
});

describe.each(drawn('a repo with a thousand issues', databases))('a repo with a thousand issues, $name', (database) => {
  const workbench = useWorkbench(database);

  test('GHM check 12: closed ones behind a thousand open ones come in one request of 26 items (GHM-11)', async () => {
    const site = await openYearLater(workbench());
    await loadBefore(site, workbench().client, 'Issue', { Open: through(1030, 31), Closed: through(30) });
    const before = site.logged();
    expect(await issuesOf(before, 'Closed')).toEqual(['dynamodb-book', ...through(30, 6).toReversed()]);
    const read = before.requests.reduce((sum, { output }) => sum + Number(output?.['ScannedCount']), 0);
    expect(read).toBeGreaterThan(1_000);

    await site.complete('MIG-4');
    const after = site.logged();
    expect(await issuesOf(after, 'Closed')).toEqual(['dynamodb-book', ...through(30, 6).toReversed()]);
    expect(after.requests.map(({ output }) => output)).toMatchObject([{ Count: 26, ScannedCount: 26 }]);
    const { cursor } = await site.issues.of(BOOK, { status: 'Closed' });
    const rest = await site.issues.of(BOOK, { status: 'Closed', cursor });
    expect(listed(rest.repo, rest.issues)).toEqual(through(5).toReversed());
  });

  test('GH check 7 by key: open ones behind 900 closed ones, page after page (GHM-10)', async () => {
    const site = await openYearLater(workbench());
    await loadBefore(site, workbench().client, 'Issue', { Open: through(100), Closed: through(1000, 101) });
    await site.complete('MIG-4');
    const { issues, requests } = site.logged();
    const found: number[] = [];
    let cursor: string | undefined;
    do {
      const page = await issues.of(BOOK, { status: 'Open', cursor });
      expect(page.repo?.repo).toBe(cursor === undefined ? 'dynamodb-book' : undefined);
      found.push(...page.issues.map(({ number }) => number));
      ({ cursor } = page);
    } while (cursor !== undefined);
    expect(found).toEqual(through(100).toReversed());
    const read = requests.reduce((sum, { output }) => sum + Number(output?.['ScannedCount']), 0);
    expect(read).toBe(101);
  });
});
