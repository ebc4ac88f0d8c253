import type { ConnectOptions } from '@singlet/model';
import { load } from '@singlet/model/samples';
import { github } from './model.ts';
import { sampleSite } from './sample-site.ts';

export interface SeedOptions {
  readonly client: ConnectOptions['client'];
  readonly tableName: string;
  /** 1 is 1,000 repositories with 200,000 issues and 1,000,000 reactions and stars. */
  readonly scale: number;
  /** How many repositories, where it is not the same share. */
  readonly repos?: number | undefined;
  /** Sees how many items have been written since it was called last. */
  readonly onItems?: (count: number) => void;
}

/** Fills a table with a site as it would be after a few years. Returns how many items of each entity there are. */
export async function seedGitHub(options: SeedOptions): Promise<Readonly<Record<string, number>>> {
  const { client, tableName, scale, repos, onItems } = options;
  const tables = { GitHubTable: tableName };
  const loading = { client, tables, ...(onItems !== undefined && { onItems }) };
  const site = sampleSite(scale, { repos });
  const tally: Record<string, number> = {};
  const count = async (entity: string, loaded: Promise<number>): Promise<void> => {
    const written = await loaded;
    tally[entity] = (tally[entity] ?? 0) + written;
  };
  await count('User', load(github, 'User', site.users, loading));
  await count('Organization', load(github, 'Organization', site.organizations, loading));
  await count('Membership', load(github, 'Membership', site.memberships, loading));
  for (const bundle of site.repos()) {
    await count('Issue', load(github, 'Issue', bundle.issues, loading));
    await count('PullRequest', load(github, 'PullRequest', bundle.pullRequests, loading));
    await count('IssueComment', load(github, 'IssueComment', bundle.issueComments, loading));
    await count('PRComment', load(github, 'PRComment', bundle.pullRequestComments, loading));
    await count('IssueReaction', load(github, 'IssueReaction', bundle.issueReactions, loading));
    await count('PRReaction', load(github, 'PRReaction', bundle.pullRequestReactions, loading));
    const { issueCommentReactions, pullRequestCommentReactions } = bundle;
    await count('IssueCommentReaction', load(github, 'IssueCommentReaction', issueCommentReactions, loading));
    await count('PRCommentReaction', load(github, 'PRCommentReaction', pullRequestCommentReactions, loading));
    await count('Star', load(github, 'Star', bundle.stars, loading));
    await count('Repo', load(github, 'Repo', [bundle.repo], loading));
  }
  return tally;
}
