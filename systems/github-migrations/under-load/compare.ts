import assert from 'node:assert/strict';
import type { Cursor } from '@singlet/model';
import type { Issue, RepoName, Status } from '../../github/connection.ts';
import { inParallel } from '../../in-parallel.ts';
import type { Repo } from '../connection.ts';
import type { MigratedGitHub } from '../migrated-github.ts';
import type { DiscussionKind, MemoryRepo, MemorySite } from './memory-site.ts';

export interface CompareOptions {
  /** The site whose lists of one status are read with the filter, and the same site by key. */
  readonly filtered: MigratedGitHub;
  readonly byKey: MigratedGitHub;
  readonly meant: MemorySite;
  /** For items read individually: this many of each repo, and this many accounts in all, besides those that own something. */
  readonly samplesMax: number;
}

/** How many answers of each access pattern were compared; lists count each item. */
export type CompareTally = Record<string, number>;

const PAGE_ITEMS = 250;
const SIDE_BY_SIDE = 6;
/** The kinds of items whose status the model distinguishes. */
const LISTS = {
  issues: { all: 'GH-05', Open: 'GHM-10', Closed: 'GHM-11' },
  pullRequests: { all: 'GH-08', Open: 'GHM-12', Closed: 'GHM-13' },
} as const;
const ONE = { issues: 'GH-04', pullRequests: 'GH-07' } as const;
const COMMENTS = { issues: 'GH-25', pullRequests: 'GH-26' } as const;

/**
 * Runs every access pattern that reads, and compares each answer with that of the site in memory.
 *
 * @throws {AssertionError} for the first that differs.
 */
export async function compareSites(options: CompareOptions): Promise<CompareTally> {
  const { meant } = options;
  const comparison = new Comparison(options);
  await inParallel(SIDE_BY_SIDE, [...meant.repos.values()], async (repo) => await comparison.repo(repo));
  await inParallel(SIDE_BY_SIDE, accountsOf(options), async (name) => await comparison.account(name));
  await inParallel(SIDE_BY_SIDE, [...meant.apps.values()], async (app) => {
    const read = await allPages(async (page) => {
      const { app: own, installations, cursor } = await options.byKey.apps.installationsOf(app, page);
      return { one: own, items: installations, cursor };
    });
    comparison.same('GHM-08', read, { one: app, items: meant.installationsOf(app) });
  });
  return comparison.tally;
}

class Comparison {
  readonly tally: CompareTally = {};
  readonly #options: CompareOptions;

  constructor(options: CompareOptions) {
    this.#options = options;
  }

  same(id: string, read: unknown, meant: unknown): void {
    assert.deepEqual(read, meant, id);
    const many = (meant as { items?: readonly unknown[] } | undefined)?.items?.length ?? 0;
    this.tally[id] = (this.tally[id] ?? 0) + 1 + many;
  }

  async repo(own: MemoryRepo): Promise<void> {
    const { byKey, meant } = this.#options;
    const name = { owner: own.repo.owner, repo: own.repo.repo };
    const found = await byKey.repos.find(name);
    const repo = meant.repo(name, found?.issuesAndPullRequestCount);
    this.same('GH-02', found, repo);
    const { openIssueCount, openPullRequestCount } = repo;
    this.same('GH-33', await byKey.repos.openItemCountsOf(name), { openIssueCount, openPullRequestCount });
    await this.#discussions('issues', own, repo);
    await this.#discussions('pullRequests', own, repo);
    const stars = await allPages(async (page) => {
      const { repo: one, stars: items, cursor } = await byKey.repos.stargazersOf(name, page);
      return { one, items, cursor };
    });
    this.same('GH-17', stars, { one: repo, items: meant.stargazersOf(name) });
    const forks = await allPages(async (page) => {
      const { original, forks: items, cursor } = await byKey.repos.forksOf(name, page);
      return { one: original, items, cursor };
    });
    // A fork that is forked has a collection of its forks without itself.
    const original = repo.originalOwner === undefined ? repo : undefined;
    this.same('GH-10', forks, { one: original, items: meant.forksOf(name) });
    const installed = await allPages(async (page) => {
      const { repo: one, installations: items, cursor } = await byKey.apps.installedIn(name, page);
      return { one, items, cursor };
    });
    this.same('GHM-09', installed, { one: repo, items: meant.installedIn(name) });
  }

  async account(name: string): Promise<void> {
    const { byKey, meant } = this.#options;
    const account = meant.account(name);
    this.same('GH-30', await byKey.accounts.find(name), account);
    this.same('GH-22', await byKey.accounts.organizationsOf(name), meant.organizationsOf(name));
    for (const [id, read] of [
      ['GH-23', byKey.accounts.reposOf.bind(byKey.accounts)],
      ['GH-24', byKey.accounts.reposOfOrganization.bind(byKey.accounts)],
    ] as const) {
      const repos = await allPages(async (page) => {
        const { account: one, repos: items, cursor } = await read(name, page);
        return { one, items, cursor };
      });
      assert(isDescending(repos.items.map(({ updatedAt }) => updatedAt)), `${id}: the latest first`);
      this.same(id, { ...repos, items: byName(repos.items) }, { one: account, items: byName(meant.reposOf(name)) });
    }
    const members = await allPages(async (page) => {
      const { organization: one, memberships: items, cursor } = await byKey.accounts.membersOf(name, page);
      return { one, items, cursor };
    });
    this.same('GH-21', members, { one: meant.organizations.get(name), items: meant.membersOf(name) });
    const gists = await allPages(async (page) => {
      const { account: one, gists: items, cursor } = await byKey.gists.of(name, page);
      return { one, items, cursor };
    });
    this.same('GHM-03', gists, { one: account, items: meant.gistsOf(name) });
    for (const gist of meant.gistsOf(name)) {
      this.same('GHM-04', await byKey.gists.find(gist), gist);
    }
    const apps = await allPages(async (page) => {
      const { account: one, apps: items, cursor } = await byKey.apps.of(name, page);
      return { one, items, cursor };
    });
    this.same('GHM-06', apps, { one: account, items: meant.appsOf(name) });
  }

  async #discussions(kind: DiscussionKind, own: MemoryRepo, repo: Repo): Promise<void> {
    const { filtered, byKey, meant, samplesMax } = this.#options;
    const name = { owner: repo.owner, repo: repo.repo };
    this.same(LISTS[kind].all, await listed(byKey, kind, name), { one: repo, items: meant.discussionsOf(kind, name) });
    for (const status of ['Open', 'Closed'] as const) {
      const expected = { one: repo, items: meant.discussionsOf(kind, name, status) };
      this.same(LISTS[kind][status], await listed(byKey, kind, name, status), expected);
      this.same(LISTS[kind].all, await listed(filtered, kind, name, status), expected);
    }
    // In addition to existing items, one that does not exist: removed, of the other kind, or not created yet.
    const numbers = spread([...own[kind].keys()], samplesMax);
    const last = repo.issuesAndPullRequestCount;
    const missing = Array.from({ length: Math.min(last, 50) }, (_, index) => last - index).find(
      (number) => !own[kind].has(number),
    );
    for (const number of [...numbers, missing ?? last + 1]) {
      this.same(ONE[kind], await byKey[kind].find({ ...name, number }), own[kind].get(number));
    }
    const commented = kind === 'issues' ? own.issueComments : own.pullRequestComments;
    for (const number of [...spread([...commented.keys()], samplesMax), ...numbers.slice(0, 2)]) {
      const comments = await allPages(async (page) => ({
        one: undefined,
        ...(await byKey[kind].commentsOf({ ...name, number }, page)),
      }));
      const items = meant.commentsOf(kind, { ...name, number });
      this.same(COMMENTS[kind], comments, { one: undefined, items });
    }
  }
}

async function listed(
  site: MigratedGitHub,
  kind: DiscussionKind,
  name: RepoName,
  status?: Status,
): Promise<AllPages<Repo | undefined, Issue>> {
  return await allPages(async (page) => {
    const request = { ...page, ...(status !== undefined && { status }) };
    if (kind === 'issues') {
      const { repo: one, issues: items, cursor } = await site.issues.of(name, request);
      return { one, items, cursor };
    }
    const { repo: one, pullRequests: items, cursor } = await site.pullRequests.of(name, request);
    return { one, items, cursor };
  });
}

interface AllPages<One, Item> {
  /** The one on the first page. */
  readonly one: One;
  readonly items: readonly Item[];
}

/** Reads all pages. The item before a list is on its first page, and on no other. */
async function allPages<One, Item>(
  read: (page: {
    cursor: Cursor | undefined;
    limit: number;
  }) => Promise<AllPages<One, Item> & { readonly cursor: Cursor | undefined }>,
): Promise<AllPages<One, Item>> {
  const first = await read({ cursor: undefined, limit: PAGE_ITEMS });
  const items = [...first.items];
  for (let { cursor } = first; cursor !== undefined;) {
    const page = await read({ cursor, limit: PAGE_ITEMS });
    assert.equal(page.one, undefined, 'only the first page begins with the one');
    items.push(...page.items);
    ({ cursor } = page);
  }
  return { one: first.one, items };
}

/** Owners of anything, organizations, some others, and an account that does not exist. */
function accountsOf({ meant, samplesMax }: CompareOptions): string[] {
  const owners = [
    ...[...meant.repos.values()].map(({ repo }) => repo.owner),
    ...meant.gists.keys(),
    ...[...meant.apps.values()].map(({ account }) => account),
    ...meant.organizations.keys(),
  ];
  return [...new Set([...owners, ...spread([...meant.users.keys()], 20 * samplesMax), 'absent'])];
}

/** At most this many of all, from the first to the last. */
function spread<Value>(values: readonly Value[], most: number): Value[] {
  const step = Math.max(1, values.length / most);
  return Array.from({ length: Math.min(most, values.length) }, (_, index) => values[Math.floor(index * step)] as Value);
}

function isDescending(texts: readonly string[]): boolean {
  return texts.every((text, index) => index === 0 || text <= (texts[index - 1] ?? ''));
}

function byName(repos: readonly Repo[]): Repo[] {
  return repos.toSorted((left, right) => (`${left.owner}/${left.repo}` < `${right.owner}/${right.repo}` ? -1 : 1));
}
