import { load } from '@singlet/model/samples';
import { NO_REACTIONS, openSite } from '../github/fixture.ts';
import { github } from '../github/model.ts';
import type { RawItem, RawTable } from '../testing/raw-table.ts';
import type { Workbench } from '../testing/workbench.ts';
import { type YearLater, yearLater } from './fixture.ts';
import { githubMigrations } from './model.ts';

const say = { title: 'x', author: 'happy-harry' };
/** The numbers of items in each repo. */
export const PER_REPO = { issues: 20, pullRequests: 8, stars: 20, comments: 8, reactions: 8, installations: 2 };
/** The first issues of each repo are older than the attribute for the item type, as are the first repos. */
const UNTYPED = { repos: 5, issues: 2, pullRequests: 1 };

/** Items of all kinds, 77 in each repo, as they were stored before the migrations. */
export async function openLoaded(workbench: Workbench, repos: number): Promise<YearLater> {
  const site = yearLater(workbench, await openSite(workbench));
  await site.complete('MIG-1', 'MIG-2', 'MIG-3');
  const options = { client: workbench.client, tables: { GitHubTable: site.table.name } };
  const at = { createdAt: '2019-12-01T00:00:00.000Z' };
  const count = (many: number): number[] => Array.from({ length: many }, (_, index) => index + 1);
  const names = count(repos).map((index) => ({ owner: `owner-${index % 7}`, repo: `repo-${index}` }));
  const inEach = <Item>(many: number, make: (repo: (typeof names)[number], which: number) => Item): Item[] =>
    names.flatMap((repo) => count(many).map((which) => make(repo, which)));
  const numbered = (first: number) => (repo: (typeof names)[number], which: number) => ({
    ...repo,
    ...at,
    ...say,
    number: first + which,
    status: which % 3 === 0 ? ('Closed' as const) : ('Open' as const),
    reactionCounts: NO_REACTIONS,
  });
  const counts = {
    starCount: PER_REPO.stars,
    forkCount: 0,
    openIssueCount: 0,
    openPullRequestCount: 0,
    issuesAndPullRequestCount: PER_REPO.issues + PER_REPO.pullRequests,
  };
  const comments = inEach(PER_REPO.comments, (repo, which) => ({
    ...repo,
    ...at,
    number: 1,
    commentId: `comment-${which}`,
    author: 'happy-harry',
    body: 'x',
    reactionCounts: NO_REACTIONS,
  }));
  const reactions = inEach(PER_REPO.reactions, (repo, which) => ({ ...repo, number: 1, username: `user-${which}` }));
  await Promise.all([
    load(
      github,
      'Repo',
      names.map((repo) => ({ ...repo, ...at, updatedAt: at.createdAt, ...counts })),
      options,
    ),
    load(github, 'Issue', inEach(PER_REPO.issues, numbered(0)), options),
    load(github, 'PullRequest', inEach(PER_REPO.pullRequests, numbered(PER_REPO.issues)), options),
    load(
      github,
      'Star',
      inEach(PER_REPO.stars, (repo, which) => ({ ...repo, ...at, username: `user-${which}` })),
      options,
    ),
    load(github, 'IssueComment', comments, options),
    load(github, 'PRComment', comments, options),
    load(github, 'IssueReaction', reactions, options),
    load(github, 'PRReaction', reactions, options),
    load(
      githubMigrations,
      'GitHubAppInstallation',
      inEach(PER_REPO.installations, (repo, which) => ({
        ...repo,
        account: 'megacorp',
        app: `app${which}`,
        installedAt: at.createdAt,
      })),
      options,
    ),
  ]);
  const old = (await site.table.scan()).filter(({ Type, RepoName, IssueNumber, PullRequestNumber }) => {
    const isFirst = Number(String(RepoName).split('-')[1]) <= UNTYPED.repos;
    if (Type === 'Issue') return Number(IssueNumber) <= UNTYPED.issues;
    if (Type === 'PullRequest') return Number(PullRequestNumber) <= PER_REPO.issues + UNTYPED.pullRequests;
    return Type === 'Repo' && isFirst;
  });
  await site.table.putAll(old.map((item) => withoutKeys(item, ['Type'])));
  return site;
}

/** The primary key, for comparison. */
export const keyOf = ({ PK, SK }: RawItem): string => `${String(PK)} ${String(SK)}`;
const isNote = ({ Type }: RawItem): boolean => Type === 'Migration';

/** All items except the migrations' own checkpoints. */
export async function items(table: RawTable): Promise<RawItem[]> {
  return (await table.scan()).filter((item) => !isNote(item));
}

export function withoutKeys(item: RawItem, names: readonly string[]): RawItem {
  return Object.fromEntries(Object.entries(item).filter(([name]) => !names.includes(name)));
}
