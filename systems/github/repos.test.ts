import { describe, expect, test } from 'vitest';
import { drawn } from '../testing/drawn.ts';
import { useWorkbench } from '../testing/workbench.ts';
import { BOOK, databases, MEGA_REPO, openSite } from './fixture.ts';

const BOOK_KEY = { PK: 'REPO#alexdebrie#dynamodb-book', SK: 'REPO#alexdebrie#dynamodb-book' };

describe.each(drawn('repositories', databases))('repositories, $name', (database) => {
  const workbench = useWorkbench(database);

  test('GH check 1: a name is unique for its owner (GH-01)', async () => {
    const { repos, table } = await openSite(workbench());
    await expect(repos.create(BOOK)).rejects.toMatchObject({ code: 'AlreadyExists' });
    await repos.create({ owner: 'megacorp', repo: 'dynamodb-book' });
    expect(await table.get(BOOK_KEY)).toEqual({
      ...BOOK_KEY,
      GSI1PK: 'REPO#alexdebrie#dynamodb-book',
      GSI1SK: 'REPO#alexdebrie#dynamodb-book',
      GSI2PK: 'REPO#alexdebrie#dynamodb-book',
      GSI2SK: '#REPO#alexdebrie#dynamodb-book',
      GSI3PK: 'ACCOUNT#alexdebrie',
      GSI3SK: '#2019-10-11T14:11:17.000Z',
      Type: 'Repo',
      RepoOwner: 'alexdebrie',
      RepoName: 'dynamodb-book',
      CreatedAt: '2019-10-11T14:11:17.000Z',
      UpdatedAt: '2019-10-11T14:11:17.000Z',
      StarCount: 0,
      ForkCount: 0,
      IssuesAndPullRequestCount: 0,
      OpenIssueCount: 0,
      OpenPullRequestCount: 0,
    });
  });

  test('GH-01: an owner has an account, and names hold no separators', async () => {
    const { repos, logged } = await openSite(workbench());
    const site = logged();
    await expect(site.repos.create({ owner: 'absent', repo: 'x' })).rejects.toMatchObject({ code: 'NotFound' });
    expect(site.operations).toEqual(['TransactWriteItems']);
    expect(await repos.find({ owner: 'absent', repo: 'x' })).toBeUndefined();
    await expect(repos.create({ owner: 'alexdebrie', repo: 'a#b' })).rejects.toMatchObject({ name: 'InputError' });
  });

  test('GH check 9: stars are counted, once for each user (GH-16)', async () => {
    const { repos, table, logged } = await openSite(workbench());
    await repos.star(BOOK, 'danny-developer');
    await repos.star(BOOK, 'sally-scala');
    expect(await repos.find(BOOK)).toMatchObject({ starCount: 2, updatedAt: '2019-10-11T14:11:17.000Z' });
    const star = await table.get({ PK: BOOK_KEY.PK, SK: 'STAR#danny-developer' });
    expect(star).toMatchObject({ Type: 'Star', RepoOwner: 'alexdebrie', StarringUser: 'danny-developer' });

    const again = logged();
    const refusal: unknown = await again.repos.star(BOOK, 'danny-developer').catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code: 'AlreadyDone' });
    expect(again.operations).toEqual(['TransactWriteItems']);
    expect(reasonsOf(refusal)).toEqual(['ConditionalCheckFailed', 'None', 'None']);
    expect(await repos.find(BOOK)).toMatchObject({ starCount: 2 });

    const nowhere = { owner: 'alexdebrie', repo: 'nowhere' };
    await expect(repos.star(nowhere, 'sally-scala')).rejects.toMatchObject({ code: 'NotFound', entity: 'Repo' });
    expect(await table.get({ PK: 'REPO#alexdebrie#nowhere', SK: 'STAR#sally-scala' })).toBeUndefined();
    expect(await repos.find(nowhere)).toBeUndefined();

    await expect(repos.star(BOOK, 'megacorp')).rejects.toMatchObject({ code: 'NotFound', entity: 'User' });
    await expect(repos.star(BOOK, 'absent')).rejects.toMatchObject({ code: 'NotFound', entity: 'User' });
    expect(await table.get({ PK: BOOK_KEY.PK, SK: 'STAR#megacorp' })).toBeUndefined();
    expect(await repos.find(BOOK)).toMatchObject({ starCount: 2 });
  });

  test('GH check 9: one of ten simultaneous stars by a user counts (GH-16)', async () => {
    const { repos, another } = await openSite(workbench());
    const clients = Array.from({ length: 5 }, () => another());
    const attempts = await Promise.allSettled(
      clients.flatMap((site) => [site.repos.star(BOOK, 'happy-harry'), site.repos.star(BOOK, 'happy-harry')]),
    );
    expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await repos.find(BOOK)).toMatchObject({ starCount: 1 });
  });

  test('GH check 10: stargazers and issues share a collection and do not meet (GH-17, GH-05)', async () => {
    const { repos, issues } = await openSite(workbench());
    await issues.create(BOOK, { title: 'A typo', author: 'sally-scala' });
    for (const username of ['sally-scala', 'danny-developer']) {
      await repos.star(BOOK, username);
    }
    const { repo, stars } = await repos.stargazersOf(BOOK);
    expect([repo?.repo, ...stars.map(({ username }) => username)]).toEqual([
      'dynamodb-book',
      'danny-developer',
      'sally-scala',
    ]);
    const found = await issues.of(BOOK);
    expect(found.issues.map(({ title }) => title)).toEqual(['A typo']);
    const first = await repos.stargazersOf(BOOK, { limit: 1 });
    const second = await repos.stargazersOf(BOOK, { limit: 1, cursor: first.cursor });
    expect([second.repo, ...second.stars.map(({ username }) => username)]).toEqual([undefined, 'sally-scala']);
  });

  test('GH check 11: forks are listed by owner, after the original (GH-09, GH-10)', async () => {
    const { repos, table } = await openSite(workbench());
    for (const owner of ['sally-scala', 'danny-developer', 'golang-gertrude']) {
      await repos.fork(BOOK, owner);
    }
    const { original, forks } = await repos.forksOf(BOOK);
    expect([original?.owner, ...forks.map(({ owner }) => owner)]).toEqual([
      'alexdebrie',
      'danny-developer',
      'golang-gertrude',
      'sally-scala',
    ]);
    expect(await repos.find(BOOK)).toMatchObject({ forkCount: 3, updatedAt: '2019-10-11T14:11:17.000Z' });
    const key = 'REPO#danny-developer#dynamodb-book';
    expect(await table.get({ PK: key, SK: key })).toMatchObject({
      GSI1PK: key,
      GSI2PK: 'REPO#alexdebrie#dynamodb-book',
      GSI2SK: 'FORK#danny-developer',
      GSI3PK: 'ACCOUNT#danny-developer',
      OriginalOwner: 'alexdebrie',
      ForkCount: 0,
    });
  });

  test('GH check 12: an owner forks a repo once; a fork has a life of its own (GH-09)', async () => {
    const { repos, issues } = await openSite(workbench());
    await issues.create(BOOK, { title: 'One', author: 'happy-harry' });
    await repos.star(BOOK, 'happy-harry');
    const fork = await repos.fork(BOOK, 'sally-scala');
    await expect(repos.fork(BOOK, 'sally-scala')).rejects.toMatchObject({ code: 'AlreadyExists' });
    expect(await repos.find(BOOK)).toMatchObject({ forkCount: 1 });
    expect(await repos.find(fork)).toMatchObject({ originalOwner: 'alexdebrie', starCount: 0, forkCount: 0 });
    const issue = await issues.create(fork, { title: 'Mine', author: 'sally-scala' });
    expect(issue.number).toBe(1);
  });

  test('GH-09: what cannot be forked, and forks of forks', async () => {
    const { repos, table } = await openSite(workbench());
    const nowhere = { owner: 'megacorp', repo: 'nowhere' };
    await expect(repos.fork(nowhere, 'sally-scala')).rejects.toMatchObject({ code: 'NotFound' });
    await expect(repos.fork(nowhere, 'megacorp')).rejects.toMatchObject({ code: 'NotFound' });
    expect(await repos.find({ owner: 'sally-scala', repo: 'nowhere' })).toBeUndefined();
    await expect(repos.fork(BOOK, 'alexdebrie')).rejects.toMatchObject({ code: 'AlreadyExists' });
    await expect(repos.fork(BOOK, 'absent')).rejects.toMatchObject({ code: 'NotFound' });
    expect(await repos.find(BOOK)).toMatchObject({ forkCount: 0 });

    const fork = await repos.fork(MEGA_REPO, 'sally-scala');
    await repos.fork(fork, 'danny-developer');
    expect(await repos.find(fork)).toMatchObject({ forkCount: 1 });
    expect(await repos.find(MEGA_REPO)).toMatchObject({ forkCount: 1 });
    const { original, forks } = await repos.forksOf(fork);
    expect([original, ...forks.map(({ owner }) => owner)]).toEqual([undefined, 'danny-developer']);
    const entries = await table.queryIndex({
      indexName: 'GSI2',
      attributeName: 'GSI2PK',
      value: 'REPO#sally-scala#mega-repo',
    });
    expect(entries.map(({ GSI2SK }) => GSI2SK)).toEqual(['FORK#danny-developer']);
  });

  test('GH check 13: without its leading #, the original would come after its forks', async () => {
    const { repos, table } = await openSite(workbench());
    await repos.fork(BOOK, 'sally-scala');
    const sortKeys = (
      await table.queryIndex({ indexName: 'GSI2', attributeName: 'GSI2PK', value: 'REPO#alexdebrie#dynamodb-book' })
    ).map(({ GSI2SK }) => String(GSI2SK));
    expect(sortKeys).toEqual(['#REPO#alexdebrie#dynamodb-book', 'FORK#sally-scala']);
    const bare = sortKeys.map((key) => key.replace(/^#/, ''));
    expect(bare.toSorted((left, right) => (left < right ? -1 : 1))).toEqual(bare.toReversed());
  });
});

/** The cancellation codes of a transaction. */
function reasonsOf(error: unknown): (string | undefined)[] {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { CancellationReasons } = cause as { CancellationReasons?: readonly { Code?: string }[] };
    if (CancellationReasons !== undefined) {
      return CancellationReasons.map(({ Code }) => Code);
    }
  }
  return [];
}
