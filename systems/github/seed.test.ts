import { describe, expect, test } from 'vitest';
import { useWorkbench } from '../testing/workbench.ts';
import { openEmptySite, quickDatabase } from './fixture.ts';
import { REACTION_KINDS } from './model.ts';
import { apportion, sampleSite, VOLUMES } from './sample-site.ts';
import { seedGitHub } from './seed.ts';

describe('a seeded site', () => {
  const workbench = useWorkbench(quickDatabase);

  test('has counts that agree with what is counted, as every pattern sees it', async () => {
    const site = await openEmptySite(workbench());
    const { accounts, repos, issues, pullRequests, table } = site;
    const scale = 0.003;
    const tally = await seedGitHub({ client: workbench().client, tableName: table.name, scale });
    const items = await table.scan();
    expect(Object.values(tally).reduce((sum, count) => sum + count, 0)).toBe(items.length);
    expect([tally['Issue'], tally['PullRequest']]).toEqual([VOLUMES.issues * scale, VOLUMES.pullRequests * scale]);

    for (const { repo } of sampleSite(scale).repos()) {
      expect(await repos.find(repo)).toEqual(repo);
      const stars = await repos.stargazersOf(repo, { limit: 1000 });
      expect(stars.stars).toHaveLength(repo.starCount);
      const open = await issues.of(repo, { status: 'Open', limit: 1000 });
      expect(open.issues).toHaveLength(repo.openIssueCount);
      const openPullRequests = await pullRequests.of(repo, { status: 'Open', limit: 1000 });
      expect(openPullRequests.pullRequests).toHaveLength(repo.openPullRequestCount);
      expect((await repos.forksOf(repo)).forks).toHaveLength(repo.forkCount);
      const owned = await accounts.reposOf(repo.owner);
      expect(owned.account?.name).toBe(repo.owner);
      expect(owned.repos.map((each) => each.repo)).toContain(repo.repo);
      expect(await repos.takeNumber(repo)).toBe(repo.issuesAndPullRequestCount + 1);
    }
    const given = items.flatMap(({ Reactions }) => [...((Reactions ?? []) as Set<string>)]);
    for (const kind of REACTION_KINDS) {
      const counted = items.map(({ ReactionCounts }) => (ReactionCounts as Record<string, number> | undefined)?.[kind]);
      expect(counted.reduce((sum: number, count) => sum + (count ?? 0), 0)).toBe(
        given.filter((each) => each === kind).length,
      );
    }
  });

  test('is the same in every run', async () => {
    const [first, second] = [await openEmptySite(workbench()), await openEmptySite(workbench())];
    for (const { table } of [first, second]) {
      await seedGitHub({ client: workbench().client, tableName: table.name, scale: 0.0005 });
    }
    expect(await first.table.scan()).toEqual(await second.table.scan());
  });
});

test('shares of a whole are whole, follow their weights and add up', () => {
  expect(apportion(10, [2, 1, 1], 100)).toEqual([6, 2, 2]);
  expect(apportion(10, [8, 1, 1], 5)).toEqual([5, 3, 2]);
  expect(apportion(100, [1, 1], 3)).toEqual([3, 3]);
  expect(apportion(5, [], 3)).toEqual([]);
});

test('a site of scale 1 has a thousand repos, each of a name of its own', () => {
  const site = sampleSite(0.1);
  const names = new Set<string>();
  for (const { repo } of site.repos()) {
    names.add(`${repo.owner}/${repo.repo}`);
  }
  expect(names.size).toBe(site.repoCount);
  expect(sampleSite(1).repoCount).toBe(1000);
});
