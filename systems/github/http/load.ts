import { type ApplicationLoad, type LoadAction, LoadError, type LoadSite, type StoredItem } from '../../http/load.ts';
import { grouped } from '../../http/stored-items.ts';
import { samplesAt } from './start.ts';

interface Repository {
  readonly owner: string;
  readonly path: string;
  /** Of its newest open issues, which visitors read. */
  readonly numbers: readonly number[];
}

const CONTENTS = ['+1', '-1', 'laugh', 'hooray', 'confused', 'heart', 'rocket', 'eyes'] as const;

/** Visitors mostly read. */
export const load: ApplicationLoad = {
  holds: 'the counts of every repository are those of what is stored, and no number was given twice',
  open: async (site) => ({ actions: await visitorActions(site), faultsIn: countFaultsIn }),
};

export async function visitorActions(site: LoadSite): Promise<readonly LoadAction[]> {
  const { people, repos } = samplesAt(site.scale);
  const [as] = people;
  if (as === undefined) throw new LoadError('The application has no sample data: start it with a --scale above 0');
  const repositories = await Promise.all(
    repos.map(async ({ owner, repo }): Promise<Repository> => {
      const path = `/repos/${owner}/${repo}`;
      const issues = await site.read<readonly { readonly number: number }[]>(`${path}/issues`);
      return { owner, path, numbers: issues.map(({ number }) => number) };
    }),
  );
  /** The first ones more often. */
  const repository = (): Repository => site.oneOf(repositories.slice(0, site.random.integer(1, repositories.length)));
  const get = async (pathOf: (repository: Repository) => string): Promise<Response> =>
    await site.ask('GET', pathOf(repository()));
  const issue = (): string => {
    const { path, numbers } = repository();
    return `${path}/issues/${site.oneOf(numbers)}`;
  };
  return [
    { name: 'repository', weight: 20, act: async () => await get(({ path }) => path) },
    { name: 'open issues', weight: 20, act: async () => await get(({ path }) => `${path}/issues`) },
    { name: 'closed issues', weight: 5, act: async () => await get(({ path }) => `${path}/issues?state=closed`) },
    { name: 'pull requests', weight: 8, act: async () => await get(({ path }) => `${path}/pulls`) },
    { name: 'issue', weight: 15, act: async () => await site.ask('GET', issue()) },
    { name: 'comments', weight: 10, act: async () => await site.ask('GET', `${issue()}/comments`) },
    { name: 'stargazers', weight: 3, act: async () => await get(({ path }) => `${path}/stargazers`) },
    { name: 'forks', weight: 2, act: async () => await get(({ path }) => `${path}/forks`) },
    { name: 'account', weight: 4, act: async () => await get(({ owner }) => `/users/${owner}`) },
    { name: 'repositories', weight: 4, act: async () => await get(({ owner }) => `/users/${owner}/repos`) },
    {
      name: 'new issue',
      weight: 2,
      act: async () =>
        await site.ask('POST', `${repository().path}/issues`, { as, body: { title: 'Found under load' } }),
    },
    {
      name: 'new comment',
      weight: 3,
      act: async () => await site.ask('POST', `${issue()}/comments`, { as, body: { body: 'Seen here, too' } }),
    },
    {
      name: 'reaction',
      weight: 3,
      act: async () => await site.ask('POST', `${issue()}/reactions`, { as, body: { content: site.oneOf(CONTENTS) } }),
    },
    {
      name: 'star',
      weight: 1,
      act: async () =>
        await site.ask('PUT', repository().path.replace('/repos/', '/user/starred/'), { as: site.oneOf(people) }),
    },
  ];
}

export function countFaultsIn(items: readonly StoredItem[]): readonly string[] {
  const of = (type: string): readonly StoredItem[] => items.filter(({ Type }) => Type === type);
  const nameOf = ({ RepoOwner, RepoName }: StoredItem): string => `${String(RepoOwner)}/${String(RepoName)}`;
  const parentOf = ({ OriginalOwner, RepoName }: StoredItem): string => `${String(OriginalOwner)}/${String(RepoName)}`;
  const isOpen = ({ Status: status }: StoredItem): boolean => status === 'Open';
  const [issues, pulls] = [of('Issue'), of('PullRequest')];
  const numbered = grouped([...issues, ...pulls], nameOf);
  const stored = {
    StarCount: grouped(of('Star'), nameOf),
    ForkCount: grouped(
      of('Repo').filter((repo) => 'OriginalOwner' in repo),
      parentOf,
    ),
    OpenIssueCount: grouped(issues.filter(isOpen), nameOf),
    OpenPullRequestCount: grouped(pulls.filter(isOpen), nameOf),
  };
  return of('Repo').flatMap((repo) => {
    const name = nameOf(repo);
    const wrong = Object.entries(stored).filter(
      ([count, groups]) => Number(repo[count] ?? 0) !== (groups.get(name)?.length ?? 0),
    );
    const numbers = (numbered.get(name) ?? []).map((each) => each['IssueNumber'] ?? each['PullRequestNumber']);
    return [
      ...wrong.map(
        ([count, groups]) => `${name} has ${count} ${String(repo[count])}; ${groups.get(name)?.length ?? 0} are stored`,
      ),
      ...(new Set(numbers).size === numbers.length ? [] : [`${name} gave a number twice`]),
    ];
  });
}
