import { randomBytes } from 'node:crypto';
import { tableDefinitions } from '@singlet/model';
import { githubCallsOf, ofMany, type RepoCounts, sampleNames } from '../github/calls.ts';
import type { RepoName } from '../github/connection.ts';
import { github } from '../github/model.ts';
import { seedGitHub } from '../github/seed.ts';
import { createKsuidGenerator } from '../ksuid.ts';
import { anyOf, given, type MeasuredSystem, newNames, type PatternCalls } from '../measurement/pattern-calls.ts';
import { createTable } from '../table-lifecycle.ts';
import type { GitHubApp } from './connection.ts';
import { openMigratedGitHub } from './migrated-github.ts';
import { MIGRATIONS, runMigration } from './migrations.ts';
import { githubMigrations } from './model.ts';
import { READERS_ON } from './readers.ts';
import { sampleYear } from './sample-year.ts';
import { seedYear } from './seed.ts';

const TABLE_NAME = 'GitHubTable';
/** A page of a list by key, which is full if there are enough items, so that answers have one size. */
const PAGE_ITEMS = 25;
const NO_CALL = 'a migration, which is not a call: `npm run migrate-github` measures it beside writers';

/** A call of each access pattern of both years, on a site of the first year after the migrations. */
export const githubMigrationsCalls: MeasuredSystem = {
  model: githubMigrations,
  scales: { usual: 0.1, full: 1 },
  load: async ({ client, scale, onItems }) => {
    const seeding = { client, tableName: TABLE_NAME, scale, onItems };
    await createTable(client, { ...tableDefinitions(github)[0], TableName: TABLE_NAME });
    await seedGitHub(seeding);
    for (const migration of Object.values(MIGRATIONS)) {
      await runMigration(migration, { client, tableName: TABLE_NAME });
    }
    await seedYear(seeding);
  },
  open: ({ client, scale, random }) => {
    const clock = { nowMs: () => Date.now() };
    const newId = createKsuidGenerator({ clock, randomBytes });
    const ids = { newCommentId: newId, newGistId: newId };
    const site = openMigratedGitHub({ client, tableName: TABLE_NAME, clock, ...ids, readers: READERS_ON });
    const { accounts, repos, issues, pullRequests, gists, apps } = site;
    const sample = sampleNames(scale);
    const year = sampleYear(scale, sample);
    const any = <Value>(values: readonly Value[]): Value => anyOf(random, values);
    const repo = (): RepoName => any(sample.repos);
    const user = (): string => any(sample.users);
    const reposWith = (countOf: (counts: RepoCounts) => number): readonly RepoName[] =>
      sample.reposOfMany(countOf, PAGE_ITEMS);
    const ofOpenIssues = reposWith(({ openIssueCount }) => openIssueCount);
    const ofClosedIssues = reposWith(({ issueCount, openIssueCount }) => issueCount - openIssueCount);
    const ofOpenPullRequests = reposWith(({ openPullRequestCount }) => openPullRequestCount);
    const ofClosedPullRequests = reposWith(
      ({ pullRequestCount, openPullRequestCount }) => pullRequestCount - openPullRequestCount,
    );
    const gistCounts = new Map<string, number>();
    for (const { username } of year.gists) {
      gistCounts.set(username, (gistCounts.get(username) ?? 0) + 1);
    }
    const usersOfManyGists = ofMany([...gistCounts], ([, count]) => count, PAGE_ITEMS).map(([username]) => username);
    const newName = newNames('newcomer-in-year-two-');
    const newUser = async (): Promise<string> => (await accounts.createUser(newName())).name;
    const newApp = async (): Promise<GitHubApp> => await apps.create(await newUser(), { name: 'Stale Bot' });
    const text = { title: 'It is slow under load', body: 'Steps to reproduce are below.', author: 'newcomer' };
    const gist = { title: 'Notes', files: { 'notes.md': 'Keys first.' } };
    const codeOfConduct = { name: 'Contributor Covenant', url: 'https://www.contributor-covenant.org/' };
    return {
      ...earlierCalls(githubCallsOf(site, sample, random)),
      'GHM-01': given(repo, (name) => repos.setCodeOfConduct(name, codeOfConduct)),
      'GHM-01 removal': given(repo, (name) => repos.removeCodeOfConduct(name)),
      'GHM-02': given(user, (name) => gists.create(name, gist)),
      'GHM-03': given(
        () => any(usersOfManyGists),
        (name) => gists.of(name),
      ),
      'GHM-04': given(
        () => any(year.gists),
        (name) => gists.find(name),
      ),
      'GHM-04 update': given(
        () => any(year.gists),
        (name) => gists.update(name, gist),
      ),
      'GHM-05': given(newUser, (name) => apps.create(name, { name: 'Code Coverage' })),
      'GHM-05 update': given(
        () => any(year.apps),
        (app) => apps.describe(app, 'In every repo'),
      ),
      'GHM-06': given(
        () => any(year.apps).account,
        (name) => apps.of(name),
      ),
      'GHM-07': given(newApp, (app) => apps.install(app, repo())),
      'GHM-08': given(
        () => any(year.apps),
        (app) => apps.installationsOf(app),
      ),
      'GHM-09': given(
        () => any(year.installations),
        (name) => apps.installedIn(name),
      ),
      'GHM-10': given(
        () => any(ofOpenIssues),
        (name) => issues.of(name, { status: 'Open' }),
      ),
      'GHM-11': given(
        () => any(ofClosedIssues),
        (name) => issues.of(name, { status: 'Closed' }),
      ),
      'GHM-12': given(
        () => any(ofOpenPullRequests),
        (name) => pullRequests.of(name, { status: 'Open' }),
      ),
      'GHM-13': given(
        () => any(ofClosedPullRequests),
        (name) => pullRequests.of(name, { status: 'Closed' }),
      ),
      'GHM-14': given(repo, (name) => issues.create(name, text)),
      'GHM-14 pull': given(repo, (name) => pullRequests.create(name, text)),
      'GHM-15': given(
        () => issues.create(repo(), text),
        (issue) => issues.setStatus(issue, 'Closed'),
      ),
      'GHM-15 pull': given(
        () => pullRequests.create(repo(), text),
        (pullRequest) => pullRequests.setStatus(pullRequest, 'Closed'),
      ),
      'GHM-16': given(
        () => any(ofOpenIssues),
        (name) =>
          Promise.all([
            issues.of(name),
            pullRequests.of(name),
            accounts.membersOf(any(sample.organizations)),
            accounts.find(name.owner),
          ]),
      ),
    };
  },
  unmeasured: Object.fromEntries(Object.keys(MIGRATIONS).map((id) => [id, NO_CALL])),
};

/** Those of the first year. The list of open issues is now another pattern, which has its own call. */
function earlierCalls(calls: PatternCalls): PatternCalls {
  return Object.fromEntries(Object.entries(calls).filter(([name]) => name !== 'GH-05 open'));
}
