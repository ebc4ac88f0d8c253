import type { ConnectOptions, Model } from '@singlet/model';
import { load } from '@singlet/model/samples';
import { inParallel } from '../in-parallel.ts';
import { github } from './model.ts';
import { type RepoBundle, sampleSite } from './sample-site.ts';

export interface SeedOptions {
  readonly client: ConnectOptions['client'];
  readonly tableName: string;
  /** 1 is 1,000 repositories with 200,000 issues and 1,000,000 reactions and stars. */
  readonly scale: number;
  /** The number of repositories, if not the same share. */
  readonly repos?: number | undefined;
  /** A later model that includes this one, to store the items in its form. */
  readonly model?: Model<typeof github.entities, typeof github.patterns>;
  /** Receives the number of items written since its last call. */
  readonly onItems?: (count: number) => void;
}

/** Many repos fill no batch with one kind of item, so writing them one after the other would mostly be waiting. */
const REPOS_AT_ONCE = 8;

/** Fills a table with a site after a few years. Returns the number of items of each entity. */
export async function seedGitHub(options: SeedOptions): Promise<Readonly<Record<string, number>>> {
  const { client, tableName, scale, repos, model = github, onItems } = options;
  const tables = { GitHubTable: tableName };
  const loading = { client, tables, ...(onItems !== undefined && { onItems }) };
  const site = sampleSite(scale, { repos });
  const tally: Record<string, number> = {};
  const count = async (entity: string, loaded: Promise<number>): Promise<void> => {
    const written = await loaded;
    tally[entity] = (tally[entity] ?? 0) + written;
  };
  await count('User', load(model, 'User', site.users, loading));
  await count('Organization', load(model, 'Organization', site.organizations, loading));
  await count('Membership', load(model, 'Membership', site.memberships, loading));
  const loadRepo = async (bundle: RepoBundle): Promise<void> => {
    await count('Issue', load(model, 'Issue', bundle.issues, loading));
    await count('PullRequest', load(model, 'PullRequest', bundle.pullRequests, loading));
    await count('IssueComment', load(model, 'IssueComment', bundle.issueComments, loading));
    await count('PRComment', load(model, 'PRComment', bundle.pullRequestComments, loading));
    await count('IssueReaction', load(model, 'IssueReaction', bundle.issueReactions, loading));
    await count('PRReaction', load(model, 'PRReaction', bundle.pullRequestReactions, loading));
    const { issueCommentReactions, pullRequestCommentReactions } = bundle;
    await count('IssueCommentReaction', load(model, 'IssueCommentReaction', issueCommentReactions, loading));
    await count('PRCommentReaction', load(model, 'PRCommentReaction', pullRequestCommentReactions, loading));
    await count('Star', load(model, 'Star', bundle.stars, loading));
    await count('Repo', load(model, 'Repo', [bundle.repo], loading));
  };
  await inParallel(REPOS_AT_ONCE, site.repos(), loadRepo);
  return tally;
}
