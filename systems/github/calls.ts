import { randomBytes } from 'node:crypto';
import { tableDefinitions } from '@singlet/model';
import { createKsuidGenerator } from '../ksuid.ts';
import type { SeededRandom } from '../demo/seeded-random.ts';
import { anyOf, given, type MeasuredSystem, newNames, type PatternCalls } from '../measurement/pattern-calls.ts';
import { createTable } from '../table-lifecycle.ts';
import type { Numbered, RepoName } from './connection.ts';
import { type GitHub, openGitHub } from './github.ts';
import { github } from './model.ts';
import { type RepoBundle, sampleSite } from './sample-site.ts';
import { seedGitHub } from './seed.ts';

const TABLE_NAME = 'GitHubTable';
/** This many of each kind are enough to draw from in each repo. */
const DRAWN_MAX = 40;
/** Requests lists that fill a page, so that answers have one size; if none does, the longest list. */
const READ_AHEAD = 76;
const STARS_PAGE = 100;
const KINDS = ['Heart', 'Rocket', 'Eyes', 'Smile'] as const;

/** A call of each access pattern of the GitHub-like site. */
export const githubCalls: MeasuredSystem = {
  model: github,
  scales: { usual: 0.25, full: 1 },
  load: async ({ client, scale, onItems }) => {
    await createTable(client, { ...tableDefinitions(github)[0], TableName: TABLE_NAME });
    await seedGitHub({ client, tableName: TABLE_NAME, scale, onItems });
  },
  open: ({ client, scale, random }) => {
    const clock = { nowMs: () => Date.now() };
    const newCommentId = createKsuidGenerator({ clock, randomBytes });
    const site = openGitHub({ client, tableName: TABLE_NAME, clock, newCommentId });
    return githubCallsOf(site, sampleNames(scale), random);
  },
};

/** The calls on an open site: this one, or a later version of it. */
export function githubCallsOf(site: GitHub, sample: SampleNames, random: SeededRandom): PatternCalls {
  const { accounts, repos, issues, pullRequests } = site;
  const any = <Value>(values: readonly Value[]): Value => anyOf(random, values);
  const reposOfManyIssues = sample.reposOfMany(({ issueCount }) => issueCount, READ_AHEAD);
  const reposOfManyPullRequests = sample.reposOfMany(({ pullRequestCount }) => pullRequestCount, READ_AHEAD);
  const reposOfManyStars = sample.reposOfMany(({ starCount }) => starCount, STARS_PAGE);
  const repo = (): RepoName => any(sample.repos);
  const newName = newNames('newcomer-');
  const author = (): string => any(sample.users);
  const newUser = async (): Promise<string> => (await accounts.createUser(newName())).name;
  const reaction = () => ({ username: newName(), kind: any(KINDS) });
  const text = { title: 'It is slow under load', body: 'Steps to reproduce are below.' };
  const newIssue = () => issues.create(repo(), { ...text, author: author() });
  const newPullRequest = () => pullRequests.create(repo(), { ...text, author: author() });
  const said = () => ({ author: author(), body: 'I see this too.' });
  return {
    'GH-01': given(newUser, (owner) => repos.create({ owner, repo: 'brand-new' })),
    'GH-02': given(repo, (name) => repos.find(name)),
    'GH-03': given(repo, (name) => issues.create(name, { ...text, author: author() })),
    'GH-04': given(
      () => any(sample.issues),
      (issue) => issues.find(issue),
    ),
    'GH-05': given(
      () => any(reposOfManyIssues),
      (name) => issues.of(name),
    ),
    'GH-05 open': given(
      () => any(reposOfManyIssues),
      (name) => issues.of(name, { status: 'Open' }),
    ),
    'GH-06': given(repo, (name) => pullRequests.create(name, { ...text, author: author() })),
    'GH-07': given(
      () => any(sample.pullRequests),
      (pullRequest) => pullRequests.find(pullRequest),
    ),
    'GH-08': given(
      () => any(reposOfManyPullRequests),
      (name) => pullRequests.of(name),
    ),
    'GH-09': given(newUser, (owner) => repos.fork(repo(), owner)),
    'GH-10': given(repo, (name) => repos.forksOf(name)),
    'GH-11': given(
      () => any(sample.issues),
      (issue) => issues.comment(issue, said()),
    ),
    'GH-12': given(
      () => any(sample.pullRequests),
      (pullRequest) => pullRequests.comment(pullRequest, said()),
    ),
    'GH-13': given(
      () => any(sample.issues),
      (issue) => issues.react(issue, reaction()),
    ),
    'GH-14': given(
      () => any(sample.pullRequests),
      (pullRequest) => pullRequests.react(pullRequest, reaction()),
    ),
    'GH-15': given(
      () => any(sample.issueComments),
      (comment) => issues.reactToComment(comment, reaction()),
    ),
    'GH-15 pull': given(
      () => any(sample.pullRequestComments),
      (comment) => pullRequests.reactToComment(comment, reaction()),
    ),
    'GH-16': given(newUser, (user) => repos.star(repo(), user)),
    'GH-17': given(
      () => any(reposOfManyStars),
      (name) => repos.stargazersOf(name),
    ),
    'GH-18': given(newName, (name) => accounts.createUser(name)),
    'GH-19': given(newName, (name) => accounts.createOrganization(name)),
    'GH-20 founding': given(newUser, (admin) => accounts.foundOrganization(newName(), admin)),
    'GH-20': given(newUser, (username) =>
      accounts.addMember({ organization: any(sample.organizations), username, role: 'Member' }),
    ),
    'GH-21': given(
      () => any(sample.organizations),
      (name) => accounts.membersOf(name),
    ),
    'GH-22': given(author, (name) => accounts.organizationsOf(name)),
    'GH-23': given(
      () => any(sample.users),
      (name) => accounts.reposOf(name),
    ),
    'GH-24': given(
      () => any(sample.organizations),
      (name) => accounts.reposOfOrganization(name),
    ),
    'GH-25': given(
      () => any(sample.issueComments),
      (issue) => issues.commentsOf(issue),
    ),
    'GH-26': given(
      () => any(sample.pullRequestComments),
      (pullRequest) => pullRequests.commentsOf(pullRequest),
    ),
    'GH-27': given(newIssue, (issue) => issues.setStatus(issue, 'Closed')),
    'GH-28': given(newPullRequest, (pullRequest) => pullRequests.setStatus(pullRequest, 'Closed')),
    'GH-29': given(repo, (name) => repos.update(name, { description: 'As small as it can be' })),
    'GH-30': given(author, (name) => accounts.find(name)),
    'GH-31': given(author, (name) => accounts.setPaymentPlan(name, { planType: 'Pro', planStartDate: '2026-01-01' })),
    'GH-32': given(repo, (name) => repos.takeNumber(name)),
    'GH-33': given(repo, (name) => repos.openItemCountsOf(name)),
  };
}

/** Names of some of everything in the sample, which would not fit in memory as a whole. */
export interface SampleNames {
  readonly users: readonly string[];
  readonly organizations: readonly string[];
  readonly repos: readonly RepoName[];
  readonly reposOfMany: (countOf: (counts: RepoCounts) => number, many: number) => readonly RepoName[];
  readonly issues: readonly Numbered[];
  readonly pullRequests: readonly Numbered[];
  readonly issueComments: readonly Comment[];
  readonly pullRequestComments: readonly Comment[];
}

/** The number of items in a repo. */
export interface RepoCounts {
  readonly issueCount: number;
  readonly openIssueCount: number;
  readonly pullRequestCount: number;
  readonly openPullRequestCount: number;
  readonly starCount: number;
}

type Comment = Numbered & { readonly commentId: string };

export function sampleNames(scale: number): SampleNames {
  const { users, organizations, repos } = sampleSite(scale);
  const bundles = [...repos()].map(namesIn);
  const reposOfMany: SampleNames['reposOfMany'] = (countOf, many) =>
    ofMany(bundles, countOf, many).map(({ repo }) => repo);
  return {
    users: users.map(({ name }) => name),
    organizations: organizations.map(({ name }) => name),
    repos: bundles.map(({ repo }) => repo),
    reposOfMany,
    issues: bundles.flatMap(({ issues }) => issues),
    pullRequests: bundles.flatMap(({ pullRequests }) => pullRequests),
    issueComments: bundles.flatMap(({ issueComments }) => issueComments),
    pullRequestComments: bundles.flatMap(({ pullRequestComments }) => pullRequestComments),
  };
}

/** Those with many items; if none has as many, those with most. */
export function ofMany<Each>(all: readonly Each[], countOf: (each: Each) => number, many: number): readonly Each[] {
  const enough = Math.min(many, Math.max(...all.map(countOf)));
  return all.filter((each) => countOf(each) >= enough);
}

function namesIn({ repo, issues, pullRequests, issueComments, pullRequestComments, stars }: RepoBundle) {
  const some = <Each>(all: readonly Each[]): readonly Each[] => {
    const step = Math.max(1, Math.floor(all.length / DRAWN_MAX));
    return all.filter((_, index) => index % step === 0);
  };
  const { owner, repo: name } = repo;
  const numbered = ({ number }: { readonly number: number }): Numbered => ({ owner, repo: name, number });
  const commentIn = (comment: { readonly number: number; readonly commentId: string }): Comment => ({
    ...numbered(comment),
    commentId: comment.commentId,
  });
  return {
    repo: { owner, repo: name },
    issueCount: issues.length,
    openIssueCount: repo.openIssueCount,
    pullRequestCount: pullRequests.length,
    openPullRequestCount: repo.openPullRequestCount,
    starCount: stars.length,
    issues: some(issues).map(numbered),
    pullRequests: some(pullRequests).map(numbered),
    issueComments: some(issueComments).map(commentIn),
    pullRequestComments: some(pullRequestComments).map(commentIn),
  };
}
