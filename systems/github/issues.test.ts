import { describe, expect, test } from 'vitest';
import { drawn } from '../testing/drawn.ts';
import { useWorkbench } from '../testing/workbench.ts';
import { BOOK, databases, GRAPHQL_DEMO, listed, NO_REACTIONS, openSite, skipTo } from './fixture.ts';

const say = (title: string) => ({ title, author: 'happy-harry' });

describe.each(drawn('issues and pull requests', databases))('issues and pull requests, $name', (database) => {
  const workbench = useWorkbench(database);

  test('GH check 3: issues and pull requests share one sequence of numbers (GH-03, GH-06, GH-32)', async () => {
    const { issues, pullRequests, repos, table } = await openSite(workbench());
    const numbers: number[] = [];
    for (const kind of [issues, issues, pullRequests, pullRequests, pullRequests, issues]) {
      numbers.push((await kind.create(BOOK, say('What'))).number);
    }
    expect(numbers).toEqual([1, 2, 3, 4, 5, 6]);
    expect(await repos.find(BOOK)).toMatchObject({
      issuesAndPullRequestCount: 6,
      updatedAt: '2019-10-11T14:11:17.000Z',
    });
    const repoKey = 'REPO#alexdebrie#dynamodb-book';
    expect(await table.get({ PK: repoKey, SK: 'ISSUE#0000001' })).toEqual({
      PK: repoKey,
      SK: 'ISSUE#0000001',
      Type: 'Issue',
      RepoOwner: 'alexdebrie',
      RepoName: 'dynamodb-book',
      IssueNumber: 1,
      Title: 'What',
      Author: 'happy-harry',
      Status: 'Open',
      CreatedAt: '2019-11-02T08:00:00.000Z',
      ReactionCounts: NO_REACTIONS,
    });
    const pullKey = 'PR#alexdebrie#dynamodb-book#0000003';
    expect(await table.get({ PK: pullKey, SK: pullKey })).toMatchObject({
      GSI1PK: repoKey,
      GSI1SK: 'PR#0000003',
      Type: 'PullRequest',
      PullRequestNumber: 3,
      Status: 'Open',
      ReactionCounts: NO_REACTIONS,
    });
    expect(await repos.takeNumber(BOOK)).toBe(7);
  });

  test('GH check 4: twenty at once get twenty numbers', async () => {
    const { another, repos } = await openSite(workbench());
    const clients = Array.from({ length: 4 }, () => another());
    const created = await Promise.all(
      Array.from({ length: 20 }, async (_, which) => {
        const site = clients[which % clients.length]!;
        return await (which % 3 === 0 ? site.pullRequests : site.issues).create(BOOK, say(`${which}`));
      }),
    );
    const numbers = created.map(({ number }) => number).toSorted((left, right) => left - right);
    expect(numbers).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
    expect(await repos.find(BOOK)).toMatchObject({
      issuesAndPullRequestCount: 20,
      openIssueCount: 13,
      openPullRequestCount: 7,
    });
  });

  test('GH check 5: nothing is left of an issue in a repo that does not exist', async () => {
    const { logged, table } = await openSite(workbench());
    const before = await table.scan();
    const site = logged();
    const nowhere = { owner: 'alexdebrie', repo: 'nowhere' };
    await expect(site.issues.create(nowhere, say('x'))).rejects.toMatchObject({ code: 'NotFound' });
    await expect(site.pullRequests.create(nowhere, say('x'))).rejects.toMatchObject({ code: 'NotFound' });
    await expect(site.repos.takeNumber(nowhere)).rejects.toMatchObject({ code: 'NotFound' });
    expect(site.operations).toEqual(['UpdateItem', 'UpdateItem', 'UpdateItem']);
    expect(await table.scan()).toHaveLength(before.length);
  });

  test('GH check 6: issues of one status, the newest first, and no star (GH-05)', async () => {
    const site = await openSite(workbench());
    const { issues, repos } = site;
    await issues.create(BOOK, say('1'));
    await issues.create(BOOK, say('2'));
    await issues.setStatus({ ...BOOK, number: 2 }, 'Closed');
    await skipTo(site, BOOK, 12);
    await issues.create(BOOK, say('12'));
    for (const username of ['danny-developer', 'sally-scala']) {
      await repos.star(BOOK, username);
    }
    const open = await issues.of(BOOK, { status: 'Open' });
    expect(listed(open.repo, open.issues)).toEqual(['dynamodb-book', 12, 1]);
    expect(open.cursor).toBeUndefined();
    const closed = await issues.of(BOOK, { status: 'Closed' });
    expect(listed(closed.repo, closed.issues)).toEqual(['dynamodb-book', 2]);
  });

  test('GH check 6: 10 comes before 9, and each is found (GH-04, GH-05)', async () => {
    const site = await openSite(workbench());
    const { issues } = site;
    await skipTo(site, BOOK, 9);
    await issues.create(BOOK, say('nine'));
    await issues.create(BOOK, say('ten'));
    const open = await issues.of(BOOK, { status: 'Open' });
    expect(listed(open.repo, open.issues)).toEqual(['dynamodb-book', 10, 9]);
    expect(await issues.find({ ...BOOK, number: 9 })).toMatchObject({ number: 9, title: 'nine' });
    expect(await issues.find({ ...BOOK, number: 10 })).toMatchObject({ number: 10, title: 'ten' });
    expect(await issues.find({ ...BOOK, number: 11 })).toBeUndefined();
  });

  test('GH check 8: pull requests of a repo, the newest first, and no issue (GH-07, GH-08)', async () => {
    const { issues, pullRequests } = await openSite(workbench());
    for (const kind of [issues, issues, pullRequests, pullRequests]) {
      await kind.create(BOOK, say('x'));
    }
    const found = await pullRequests.of(BOOK, { status: 'Open' });
    expect(listed(found.repo, found.pullRequests)).toEqual(['dynamodb-book', 4, 3]);
    const none = await pullRequests.of(GRAPHQL_DEMO, { status: 'Open' });
    expect(listed(none.repo, none.pullRequests)).toEqual(['graphql-demo']);
    expect(await pullRequests.find({ ...BOOK, number: 3 })).toMatchObject({ number: 3, status: 'Open' });
    expect(await pullRequests.find({ ...BOOK, number: 1 })).toBeUndefined();
  });

  test('GH check 21: a closed issue changes its list (GH-27, GH-28)', async () => {
    const site = await openSite(workbench());
    const { issues, pullRequests } = site;
    await skipTo(site, BOOK, 12);
    await issues.create(BOOK, say('12'));
    await pullRequests.create(BOOK, say('13'));
    const issue = { ...BOOK, number: 12 };
    const pull = { ...BOOK, number: 13 };
    await issues.setStatus(issue, 'Closed');
    await pullRequests.setStatus(pull, 'Closed');
    expect((await issues.of(BOOK, { status: 'Open' })).issues).toEqual([]);
    expect((await issues.of(BOOK, { status: 'Closed' })).issues.map(({ number }) => number)).toEqual([12]);
    expect((await pullRequests.of(BOOK, { status: 'Open' })).pullRequests).toEqual([]);
    await expect(issues.setStatus(issue, 'Closed')).rejects.toMatchObject({ code: 'AlreadyDone' });
    await expect(pullRequests.setStatus(pull, 'Closed')).rejects.toMatchObject({ code: 'AlreadyDone' });
    await expect(issues.setStatus(pull, 'Closed')).rejects.toMatchObject({ code: 'NotFound' });
    expect(await issues.find(issue)).toMatchObject({ status: 'Closed' });
    await pullRequests.setStatus(pull, 'Open');
    expect(await pullRequests.find(pull)).toMatchObject({ status: 'Open' });
  });

  test('GH check 22: open ones are counted (GH-33)', async () => {
    const { issues, pullRequests, repos } = await openSite(workbench());
    for (const kind of [issues, issues, issues, pullRequests]) {
      await kind.create(BOOK, say('x'));
    }
    const counts: unknown[] = [];
    const count = async (): Promise<void> => void counts.push((await repos.openItemCountsOf(BOOK))?.openIssueCount);
    await count();
    await issues.setStatus({ ...BOOK, number: 2 }, 'Closed');
    await count();
    await expect(issues.setStatus({ ...BOOK, number: 2 }, 'Closed')).rejects.toMatchObject({ code: 'AlreadyDone' });
    await count();
    await issues.setStatus({ ...BOOK, number: 2 }, 'Open');
    await count();
    expect(counts).toEqual([3, 2, 2, 3]);
    await pullRequests.setStatus({ ...BOOK, number: 4 }, 'Closed');
    expect(await repos.openItemCountsOf(BOOK)).toEqual({ openIssueCount: 3, openPullRequestCount: 0 });
  });

  test('GH check 22: of ten that close an issue at once, one does (GH-27, GH-33)', async () => {
    const { issues, repos, another } = await openSite(workbench());
    await issues.create(BOOK, say('x'));
    const attempts = await Promise.allSettled(
      Array.from({ length: 10 }, () => another().issues.setStatus({ ...BOOK, number: 1 }, 'Closed')),
    );
    expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await repos.openItemCountsOf(BOOK)).toMatchObject({ openIssueCount: 0 });
  });
});
